package expr_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// The oracle: a value is null, bytes, or an exact number (with NaN and the infinities beside), and every comparison is
// made on those, one row at a time, with none of the package's own machinery.
type cell struct {
	null  bool
	text  []byte   // of text and bytes
	num   *big.Rat // else
	weird float64  // NaN or an infinity, where num is nil
}

func number(v int64) cell { return cell{num: new(big.Rat).SetInt64(v)} }

func floatCell(f float64) cell {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return cell{weird: f}
	}
	return cell{num: new(big.Rat).SetFloat64(f)}
}

// compare is -1, 0, 1, or 2 for not comparable (NaN).
func compare(a, b cell) int {
	switch {
	case a.text != nil:
		return bytes.Compare(a.text, b.text)
	case a.num != nil && b.num != nil:
		return a.num.Cmp(b.num)
	}
	x, y := a.weird, b.weird // 0 for finite numbers, which only infinities are compared with
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return 2
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// column kinds of the test: how to make an array of cells, and literals for it.
type kind struct {
	typ arrow.DataType
	// value makes a random cell and appends it.
	value func(r *rand.Rand, b array.Builder) cell
	// literal makes a random literal: its text and what it means.
	literal func(r *rand.Rand) (string, cell)
	like    bool
}

func pick[T any](r *rand.Rand, xs ...T) T { return xs[r.IntN(len(xs))] }

func intKind[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](typ arrow.DataType, lo, hi T) kind {
	return kind{
		typ: typ,
		value: func(r *rand.Rand, b array.Builder) cell {
			v := pick(r, lo, lo+1, hi-1, hi, 0, 1, 2, 3, 4, T(r.IntN(7)))
			b.(interface{ Append(T) }).Append(v)
			return cell{num: new(big.Rat).SetFrac(bigOf(v), big.NewInt(1))}
		},
		literal: func(r *rand.Rand) (string, cell) {
			n := new(big.Rat).SetInt(bigOf(pick(r, lo, hi, 0, 1, 2, 3, T(r.IntN(7)))))
			n.Add(n, big.NewRat(int64(r.IntN(9)-4), int64(pick(r, 1, 2, 4, 1))))
			text := n.FloatString(2)
			if n.IsInt() && r.IntN(3) > 0 {
				text = n.Num().String()
			}
			return text, cell{num: n}
		},
	}
}

func bigOf[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](v T) *big.Int {
	n, _ := new(big.Int).SetString(fmt.Sprint(v), 10)
	return n
}

// near rounds a literal with a point to the type.
func floatKind(typ arrow.DataType, near func(float64) float64, put func(array.Builder, float64) float64) kind {
	return kind{
		typ: typ,
		value: func(r *rand.Rand, b array.Builder) cell {
			v := pick(r, math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 0.1, 0.5, 1, 1<<53, 1<<63, -1<<63, 1<<64, math.MaxFloat64, 2, 3, -2.5, 65504, 1e30, float64(r.IntN(5)))
			return floatCell(put(b, v))
		},
		literal: func(r *rand.Rand) (string, cell) {
			switch r.IntN(8) {
			case 0:
				return "DOUBLE 'NaN'", cell{weird: math.NaN()}
			case 1:
				return "'Infinity'", cell{weird: math.Inf(1)}
			case 2:
				return "9007199254740993", number(9007199254740993) // whole numbers are exact
			case 3:
				return "1e30", floatCell(near(1e30))
			case 4:
				return "DOUBLE '0.1'", floatCell(0.1)
			}
			text := pick(r, "0.1", "0.5", "-0.0", "1.0", "2.000000000000000000001", "-2.5", "65504.5")
			f, _ := strconv.ParseFloat(text, 64)
			return text, floatCell(near(f))
		},
	}
}

func bytesKind(typ arrow.DataType, width int, put func(array.Builder, []byte)) kind {
	text := func(r *rand.Rand, n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = pick[byte](r, 'a', 'b', 'c')
		}
		return out
	}
	length := func(r *rand.Rand) int {
		if width > 0 {
			return width
		}
		return r.IntN(4)
	}
	return kind{
		typ: typ, like: true,
		value: func(r *rand.Rand, b array.Builder) cell {
			v := text(r, length(r))
			put(b, v)
			return cell{text: v}
		},
		literal: func(r *rand.Rand) (string, cell) {
			v := text(r, pick(r, length(r), r.IntN(4)))
			return "'" + string(v) + "'", cell{text: v}
		},
	}
}

func decimalKind(typ arrow.DataType, scale int, put func(array.Builder, int64)) kind {
	return kind{
		typ: typ,
		value: func(r *rand.Rand, b array.Builder) cell {
			v := pick(r, int64(r.IntN(9)-4), 100, -100, math.MaxInt64, math.MinInt64)
			put(b, v)
			ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
			if scale > 0 {
				ten.Inv(ten)
			}
			return cell{num: ten.Mul(ten, new(big.Rat).SetInt64(v))}
		},
		literal: func(r *rand.Rand) (string, cell) {
			text := pick(r, "0", "0.01", "-0.01", "1", "0.015", "-1.00", "92233720368547758.07", "1e70", "-3e-60", "0.03")
			n, _ := new(big.Rat).SetString(text)
			return text, cell{num: n}
		},
	}
}

func kinds() []kind {
	return []kind{
		intKind[int8](arrow.PrimitiveTypes.Int8, math.MinInt8, math.MaxInt8),
		intKind[int16](arrow.PrimitiveTypes.Int16, math.MinInt16, math.MaxInt16),
		intKind[int32](arrow.PrimitiveTypes.Int32, math.MinInt32, math.MaxInt32),
		intKind[int64](arrow.PrimitiveTypes.Int64, math.MinInt64, math.MaxInt64),
		intKind[uint8](arrow.PrimitiveTypes.Uint8, 0, math.MaxUint8),
		intKind[uint16](arrow.PrimitiveTypes.Uint16, 0, math.MaxUint16),
		intKind[uint32](arrow.PrimitiveTypes.Uint32, 0, math.MaxUint32),
		intKind[uint64](arrow.PrimitiveTypes.Uint64, 0, math.MaxUint64),
		floatKind(arrow.PrimitiveTypes.Float64, func(f float64) float64 { return f }, func(b array.Builder, v float64) float64 { b.(*array.Float64Builder).Append(v); return v }),
		floatKind(arrow.PrimitiveTypes.Float32, func(f float64) float64 { return float64(float32(f)) }, func(b array.Builder, v float64) float64 {
			b.(*array.Float32Builder).Append(float32(v))
			return float64(float32(v))
		}),
		floatKind(arrow.FixedWidthTypes.Float16, func(f float64) float64 {
			switch f {
			case 0.1:
				return 0.0999755859375
			case 65504.5:
				return 65504
			}
			return f // of the rest, 1e30 is beyond
		}, func(b array.Builder, v float64) float64 {
			bits := uint16(0x7e00)
			if !math.IsNaN(v) {
				bits = float16.New(float32(v)).Uint16()
			}
			b.(*array.Float16Builder).Append(float16.FromBits(bits))
			if exp := bits >> 10 & 0x1f; exp == 0x1f && bits&0x3ff != 0 {
				return math.NaN()
			}
			return float64(float16.FromBits(bits).Float32()) // exact for the normal values used here
		}),
		bytesKind(arrow.BinaryTypes.String, 0, func(b array.Builder, v []byte) { b.(*array.StringBuilder).Append(string(v)) }),
		bytesKind(arrow.BinaryTypes.LargeString, 0, func(b array.Builder, v []byte) { b.(*array.LargeStringBuilder).Append(string(v)) }),
		bytesKind(arrow.BinaryTypes.Binary, 0, func(b array.Builder, v []byte) { b.(*array.BinaryBuilder).Append(v) }),
		bytesKind(arrow.BinaryTypes.StringView, 0, func(b array.Builder, v []byte) { b.(*array.StringViewBuilder).Append(string(v)) }),
		bytesKind(&arrow.FixedSizeBinaryType{ByteWidth: 2}, 2, func(b array.Builder, v []byte) { b.(*array.FixedSizeBinaryBuilder).Append(v) }),
		decimalKind(&arrow.Decimal128Type{Precision: 20, Scale: 2}, 2, func(b array.Builder, v int64) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(v))
		}),
		decimalKind(&arrow.Decimal256Type{Precision: 40, Scale: 2}, 2, func(b array.Builder, v int64) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(v))
		}),
		decimalKind(&arrow.Decimal128Type{Precision: 38, Scale: 7}, 7, func(b array.Builder, v int64) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(v))
		}),
		decimalKind(&arrow.Decimal256Type{Precision: 76, Scale: 70}, 70, func(b array.Builder, v int64) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(v))
		}),
		decimalKind(&arrow.Decimal256Type{Precision: 76, Scale: -70}, -70, func(b array.Builder, v int64) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(v))
		}),
		{
			typ: arrow.FixedWidthTypes.Boolean,
			value: func(r *rand.Rand, b array.Builder) cell {
				v := r.IntN(2)
				b.(*array.BooleanBuilder).Append(v == 1)
				return number(int64(v))
			},
			literal: func(r *rand.Rand) (string, cell) {
				v := r.IntN(2)
				return pick(r, []string{"FALSE", "TRUE"}[v]), number(int64(v))
			},
		},
		instantKind(&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, big.NewRat(1, 1)),
		instantKind(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, big.NewRat(1000, 1)),
		instantKind(&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Zurich"}, big.NewRat(1, 1_000_000)),
	}
}

// instantKind is of timestamps, whose cells count milliseconds.
func instantKind(typ *arrow.TimestampType, unit *big.Rat) kind {
	return kind{
		typ: typ,
		value: func(r *rand.Rand, b array.Builder) cell {
			v := pick(r, int64(r.IntN(9)-4), int64(r.IntN(9)-4)*1_000_000, math.MaxInt64, math.MinInt64)
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(v))
			n := number(v)
			n.num.Mul(n.num, unit)
			return n
		},
		literal: func(r *rand.Rand) (string, cell) {
			us := int64(r.IntN(17)-8) * 500
			sec := "00"
			if us < 0 {
				return fmt.Sprintf("TIMESTAMP '1969-12-31 23:59:59.%06dZ'", 1_000_000+us), cell{num: big.NewRat(us, 1000)}
			}
			return fmt.Sprintf("'1970-01-01 00:00:%s.%06d'", sec, us), cell{num: big.NewRat(us, 1000)}
		},
	}
}

// predicate is a random one, as text and as what it is for a row.
type predicate struct {
	text string
	of   func(row []cell) byte // t, f or -
}

func letter(b bool) byte {
	if b {
		return 't'
	}
	return 'f'
}

func not(x byte) byte {
	switch x {
	case 't':
		return 'f'
	case 'f':
		return 't'
	}
	return '-'
}

// leaf makes a random test of column i.
func leaf(r *rand.Rand, name string, i int, k kind) predicate {
	null := func(f func(c cell) byte) func([]cell) byte {
		return func(row []cell) byte {
			if row[i].null {
				return '-'
			}
			return f(row[i])
		}
	}
	switch n := r.IntN(11); {
	case n == 10 && arrow.IsFloating(k.typ.ID()):
		return predicate{name + " IS NAN", null(func(c cell) byte { return letter(math.IsNaN(c.weird)) })}
	case n == 0:
		return predicate{name + " IS NULL", func(row []cell) byte { return letter(row[i].null) }}
	case n <= 2:
		var texts []string
		var cells []cell
		hasNull := r.IntN(4) == 0
		if hasNull {
			texts = append(texts, "NULL")
		}
		for range 1 + r.IntN(pick(r, 3, 15)) {
			t, c := k.literal(r)
			texts, cells = append(texts, t), append(cells, c)
		}
		return predicate{name + " IN (" + strings.Join(texts, ", ") + ")", null(func(c cell) byte {
			for _, x := range cells {
				if compare(c, x) == 0 {
					return 't'
				}
			}
			if hasNull {
				return '-'
			}
			return 'f'
		})}
	case n <= 4 && k.like:
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(pick(r, "a", "b", "%", "%", "_", "ab"))
		}
		pattern := b.String()
		re := regexp.MustCompile("^(?s:" + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern) + ")$")
		if k.typ.ID() == arrow.STRING && r.IntN(2) == 0 {
			return predicate{name + " ILIKE '" + strings.ToUpper(pattern) + "'", null(func(c cell) byte { return letter(re.Match(c.text)) })}
		}
		return predicate{name + " LIKE '" + pattern + "'", null(func(c cell) byte { return letter(re.Match(c.text)) })}
	}
	op := pick(r, "=", "!=", "<", "<=", ">", ">=")
	text, want := k.literal(r)
	return predicate{name + " " + op + " " + text, null(func(c cell) byte {
		d := compare(c, want)
		switch op {
		case "=":
			return letter(d == 0)
		case "!=":
			return letter(d != 0)
		case "<":
			return letter(d == -1)
		case "<=":
			return letter(d == -1 || d == 0)
		case ">":
			return letter(d == 1)
		}
		return letter(d == 1 || d == 0)
	})}
}

// tree combines leaves.
func tree(r *rand.Rand, depth int, leaf func() predicate) predicate {
	if depth == 0 || r.IntN(3) == 0 {
		return leaf()
	}
	a := tree(r, depth-1, leaf)
	switch r.IntN(3) {
	case 0:
		return predicate{"NOT (" + a.text + ")", func(row []cell) byte { return not(a.of(row)) }}
	case 1:
		b := tree(r, depth-1, leaf)
		return predicate{"(" + a.text + ") AND " + b.text2(), func(row []cell) byte { return and(a.of(row), b.of(row)) }}
	}
	b := tree(r, depth-1, leaf)
	return predicate{"(" + a.text + ") OR " + b.text2(), func(row []cell) byte { return not(and(not(a.of(row)), not(b.of(row)))) }}
}

func (p predicate) text2() string { return "(" + p.text + ")" }

func and(a, b byte) byte {
	switch {
	case a == 'f' || b == 'f':
		return 'f'
	case a == '-' || b == '-':
		return '-'
	}
	return 't'
}

// truth are the true statistics of a column over rows, and a perfect Bloom filter; loose makes them vaguer, as files do.
type truth struct {
	stats expr.Stats
	arr   arrow.Array
	cells []cell
	bloom bool
}

func (t truth) Stats() expr.Stats { return t.stats }

func (t truth) MayContain(v scalar.Scalar) bool {
	if !t.bloom {
		return true
	}
	for i := range t.arr.Len() {
		if t.cells[i].null {
			continue
		}
		if x := valueAt(t.arr, i); x == nil || scalar.Equals(x, v) {
			return true
		}
	}
	return false
}

// valueAt is the plain value of a row; nil if arrow has no scalar for it.
func valueAt(arr arrow.Array, i int) scalar.Scalar {
	x, err := scalar.GetScalar(arr, i)
	if err != nil {
		return nil
	}
	switch x := x.(type) {
	case *scalar.Dictionary:
		defer x.Release()
		v, err := x.GetEncodedValue()
		if err != nil {
			return nil
		}
		return v
	case *scalar.RunEndEncoded:
		return x.Value
	}
	return x
}

func truthOf(r *rand.Rand, arr arrow.Array, cells []cell) truth {
	t := truth{arr: arr, cells: cells, bloom: r.IntN(2) == 0}
	t.stats = expr.Stats{Rows: int64(len(cells))}
	lo, hi := -1, -1
	for i, c := range cells {
		if c.null {
			t.stats.Nulls++
			continue
		}
		if c.num == nil && c.text == nil && math.IsNaN(c.weird) {
			continue
		}
		if lo < 0 || compare(c, cells[lo]) < 0 {
			lo = i
		}
		if hi < 0 || compare(c, cells[hi]) > 0 {
			hi = i
		}
	}
	if lo >= 0 {
		if min := valueAt(arr, lo); r.IntN(4) > 0 {
			t.stats.Min = min
		}
		if max := valueAt(arr, hi); r.IntN(4) > 0 {
			t.stats.Max = max
		}
	}
	switch r.IntN(4) {
	case 0:
		t.stats.Nulls = -1
	case 1:
		t.stats.Rows = -1
	}
	return t
}

// Random columns of every type, random predicates: Mask must agree with the oracle on every row, however the columns
// are sliced and wrapped, and Test must allow every outcome that Mask shows.
func TestAgainstOracle(t *testing.T) {
	for seed := range uint64(150) {
		checkOracle(t, seed, 25)
	}
}

func FuzzAgainstOracle(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(func(t *testing.T, seed uint64) { checkOracle(t, seed, 5) })
}

func checkOracle(t *testing.T, seed uint64, rounds int) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	r := rand.New(rand.NewPCG(seed, 7))
	all := kinds()
	rows := pick(r, 0, 1, 3, 20, 64, 130, 200)
	nullEvery := pick(r, 1, 2, 5, 1000)
	first := pick(r, all...)
	var used []kind
	var fields []arrow.Field
	var cols []arrow.Array
	var cells [][]cell
	for i := range 3 {
		k := pick(r, all...)
		for try := 0; i > 0 && try < 8 && !comparable(first, k); try++ { // many pairs that can be compared
			k = pick(r, all...)
		}
		if i == 0 {
			k = first
		}
		arr, c := makeColumn(r, mem, k, rows, nullEvery)
		used, cols, cells = append(used, k), append(cols, arr), append(cells, c)
		fields = append(fields, field(fmt.Sprintf("c%d", i), arr.DataType()))
	}
	// c2 moves into a struct, whose nulls are its nulls.
	st, inStruct := wrapStruct(r, mem, cols[2], cells[2])
	cols[2].Release()
	cols[2], cells[2], fields[2] = st, inStruct, field("st", st.DataType())
	names := []string{"c0", "c1", "st.x"}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
	for _, c := range cols {
		c.Release()
	}
	defer rec.Release()
	for range rounds {
		p := tree(r, 3, func() predicate {
			i := r.IntN(3)
			if j := r.IntN(3); r.IntN(4) == 0 && comparable(used[i], used[j]) {
				return columnsLeaf(r, names, used, i, j)
			}
			return leaf(r, names[i], i, used[i])
		})
		b := bind(t, rec.Schema(), p.text)
		lo := int64(r.IntN(rows + 1))
		hi := lo + int64(r.IntN(rows-int(lo)+1))
		part := rec.NewSlice(lo, hi)
		got := maskOf(t, b, part)
		want := make([]byte, hi-lo)
		for i := range want {
			row := int(lo) + i
			want[i] = p.of([]cell{cells[0][row], cells[1][row], cells[2][row]})
		}
		if got != string(want) {
			t.Fatalf("seed %d: %s over %v\n%v\ngot  %s\nwant %s", seed, p.text, rec.Schema(), part, got, want)
		}
		evidence := map[string]expr.Evidence{}
		for i, name := range names {
			arr := part.Column(i)
			if i == 2 {
				arr = arr.(*array.Struct).Field(0)
			}
			evidence[name] = truthOf(r, arr, cells[i][lo:hi])
		}
		can := b.Test(func(col string) expr.Evidence { return evidence[col] })
		for i, x := range got {
			bit := map[rune]expr.Truth{'t': expr.CanBeTrue, 'f': expr.CanBeFalse, '-': expr.CanBeNull}[x]
			if can&bit == 0 {
				t.Fatalf("seed %d: %s is %c in row %d, Test says %v\n%v\n%+v", seed, p.text, x, i, can, part, evidence)
			}
		}
		part.Release()
	}
}

func makeColumn(r *rand.Rand, mem memory.Allocator, k kind, rows, nullEvery int) (arrow.Array, []cell) {
	b := array.NewBuilder(mem, k.typ)
	defer b.Release()
	cells := make([]cell, 0, rows)
	skip := r.IntN(5)
	for i := range rows + skip { // the array starts at an offset
		var c cell
		if r.IntN(nullEvery) == 0 && nullEvery < 1000 {
			b.AppendNull()
			c.null = true
		} else {
			c = k.value(r, b)
			if c.text == nil && k.like {
				c.text = []byte{}
			}
		}
		if i >= skip {
			cells = append(cells, c)
		}
	}
	whole := b.NewArray()
	defer whole.Release()
	arr := array.NewSlice(whole, int64(skip), int64(skip+rows))
	switch r.IntN(4) {
	case 0:
		return asDictionary(r, mem, arr, cells)
	case 1:
		return asRuns(r, mem, arr, cells)
	}
	return arr, cells
}

// asDictionary takes values of arr in random order by index; it keeps arr's cells true by making them anew.
func asDictionary(r *rand.Rand, mem memory.Allocator, arr arrow.Array, cells []cell) (arrow.Array, []cell) {
	defer arr.Release()
	out := make([]cell, arr.Len())
	idx := array.NewInt16Builder(mem)
	defer idx.Release()
	for i := range out {
		if r.IntN(5) == 0 {
			idx.AppendNull()
			out[i].null = true
			continue
		}
		k := r.IntN(len(out))
		idx.Append(int16(k))
		out[i] = cells[k]
	}
	indices := idx.NewArray()
	defer indices.Release()
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arr.DataType()}, indices, arr), out
}

func asRuns(r *rand.Rand, mem memory.Allocator, arr arrow.Array, cells []cell) (arrow.Array, []cell) {
	defer arr.Release()
	n := arr.Len()
	skip := r.IntN(3)
	var out []cell
	ends := array.NewInt32Builder(mem)
	defer ends.Release()
	for i := range n {
		for range 1 + r.IntN(3) {
			out = append(out, cells[i])
		}
		ends.Append(int32(len(out)))
	}
	e := ends.NewArray()
	defer e.Release()
	if n == 0 {
		skip = 0
	}
	ree := array.NewRunEndEncodedArray(e, arr, len(out), 0)
	defer ree.Release()
	skip = min(skip, len(out)-n)
	return array.NewSlice(ree, int64(skip), int64(skip+n)), out[skip : skip+n]
}

func wrapStruct(r *rand.Rand, mem memory.Allocator, arr arrow.Array, cells []cell) (arrow.Array, []cell) {
	out := make([]cell, len(cells))
	bld := array.NewBooleanBuilder(mem)
	defer bld.Release()
	nulls := 0
	for i := range cells {
		out[i] = cells[i]
		keep := r.IntN(4) > 0
		bld.Append(keep)
		if !keep {
			out[i] = cell{null: true}
			nulls++
		}
	}
	valid := bld.NewBooleanArray()
	defer valid.Release()
	typ := arrow.StructOf(field("x", arr.DataType()))
	var bitmap *memory.Buffer
	if len(cells) > 0 {
		bitmap = valid.Data().Buffers()[1]
	}
	data := array.NewData(typ, len(cells), []*memory.Buffer{bitmap}, []arrow.ArrayData{arr.Data()}, nulls, 0)
	defer data.Release()
	return array.NewStructData(data), out
}
