package cfile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// keyTable is rows with a key of some parts, each part a column named a, b, …, and the file with the index of the keys.
type keyTable struct {
	parts []KeyPart
	cells [][][]byte // of each row, by part
	keys  [][]byte
	f     *built
	rec   arrow.Record
}

// newKeyTable makes rows of which few share a first part, or many.
func newKeyTable(t testing.TB, r *rand.Rand, types []cfilewire.DataType, n int) *keyTable {
	t.Helper()
	k := &keyTable{}
	seen := map[string]bool{}
	pool := make([][][]byte, len(types))
	for i, typ := range types {
		dt, _, err := cfilewire.ArrowType(typ, cfilewire.ArrowOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k.parts = append(k.parts, KeyPart{Path: string(rune('a' + i)), Type: typ, Arrow: dt})
		pool[i] = ascending(r, typ, 2+r.Intn(n))
	}
	for range n {
		row, key := make([][]byte, len(types)), []byte{}
		for i, typ := range types {
			row[i] = pool[i][r.Intn(len(pool[i]))]
			key = append(key, encodeKey(typ, row[i], i == len(types)-1)...)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			k.cells, k.keys = append(k.cells, row), append(k.keys, key)
		}
	}
	sort.Sort(k)
	k.f = &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingPrefix, compression: cfilewire.LZ4, rows: k.keys, keyed: true, noRows: true, perBlock: 1 + r.Intn(30), fanout: r.Intn(5)}
	var fields []arrow.Field
	var columns []arrow.Array
	for i, p := range k.parts {
		b := array.NewBuilder(memory.DefaultAllocator, p.Arrow)
		for _, row := range k.cells {
			appendCell(t, b, row[i])
		}
		fields = append(fields, arrow.Field{Name: p.Path, Type: p.Arrow})
		columns = append(columns, b.NewArray())
	}
	k.rec = array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(len(k.cells)))
	return k
}

func (k *keyTable) Len() int           { return len(k.keys) }
func (k *keyTable) Less(i, j int) bool { return bytes.Compare(k.keys[i], k.keys[j]) < 0 }
func (k *keyTable) Swap(i, j int) {
	k.keys[i], k.keys[j] = k.keys[j], k.keys[i]
	k.cells[i], k.cells[j] = k.cells[j], k.cells[i]
}

// keyPredicates makes filters of values that a table has, and of their neighbours.
type keyPredicates struct {
	*rand.Rand
	rec arrow.Record
}

func (g keyPredicates) expr(depth int) expr.Expr {
	if depth > 0 {
		list := make([]expr.Expr, 1+g.Intn(3))
		for i := range list {
			list[i] = g.expr(depth - 1)
		}
		switch g.Intn(4) {
		case 0:
			return expr.And(list)
		case 1:
			return expr.Or(list)
		case 2:
			return expr.Not{X: list[0]}
		}
	}
	i := 0
	if g.Intn(3) == 0 {
		i = g.Intn(int(g.rec.NumCols()))
	}
	col := g.rec.ColumnName(i)
	ops := []expr.Op{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge}
	switch g.Intn(8) {
	case 0:
		vals := make([]scalar.Scalar, 1+g.Intn(4))
		for n := range vals {
			vals[n] = g.value(i)
		}
		return expr.In{Col: col, Values: vals}
	case 1:
		return expr.And{expr.Compare{Col: col, Op: expr.Ge, Value: g.value(i)}, expr.Compare{Col: col, Op: expr.Le, Value: g.value(i)}}
	case 2:
		if g.Intn(3) == 0 {
			return expr.IsNull{Col: col}
		}
	case 3:
		if s, ok := g.value(i).(scalar.BinaryScalar); ok && s.IsValid() && s.DataType().ID() == arrow.STRING {
			text := strings.Map(func(c rune) rune {
				if strings.ContainsRune(`\%_`, c) {
					return -1
				}
				return c
			}, strings.ToValidUTF8(string(s.Data()), ""))
			return expr.Like{Col: col, Pattern: text + "%"}
		}
	}
	return expr.Compare{Col: col, Op: ops[g.Intn(6)], Value: g.value(i)}
}

// value returns a literal for a column: one of its values, or one nearby.
func (g keyPredicates) value(i int) scalar.Scalar {
	c := g.rec.Column(i)
	if g.Intn(60) == 0 || c.Len() == 0 {
		return scalar.MakeNullScalar(c.DataType())
	}
	v, err := scalar.GetScalar(c, g.Intn(c.Len()))
	if err != nil {
		panic(err)
	}
	if g.Intn(2) == 0 {
		return v
	}
	d := []int64{-1, 1, 2, 255, -256, 65536, 1 << 40}[g.Intn(7)]
	switch v := v.(type) {
	case *scalar.Int8:
		return scalar.NewInt8Scalar(v.Value + int8(d))
	case *scalar.Int16:
		return scalar.NewInt16Scalar(v.Value + int16(d))
	case *scalar.Int32:
		return scalar.NewInt32Scalar(v.Value + int32(d))
	case *scalar.Int64:
		return scalar.NewInt64Scalar(v.Value + d)
	case *scalar.Uint8:
		return scalar.NewUint8Scalar(v.Value + uint8(d))
	case *scalar.Uint16:
		return scalar.NewUint16Scalar(v.Value + uint16(d))
	case *scalar.Uint32:
		return scalar.NewUint32Scalar(v.Value + uint32(d))
	case *scalar.Uint64:
		return scalar.NewUint64Scalar(v.Value + uint64(d))
	case *scalar.Date32:
		return scalar.NewDate32Scalar(v.Value + arrow.Date32(d))
	case *scalar.Timestamp:
		return scalar.NewTimestampScalar(v.Value+arrow.Timestamp(d), v.Type)
	case *scalar.Decimal128:
		return scalar.NewDecimal128Scalar(v.Value.Add(decimal128.FromI64(d)), v.Type)
	case *scalar.String:
		return scalar.NewStringScalar(strings.ToValidUTF8(string(g.near(v.Data())), "?"))
	case *scalar.Binary:
		return scalar.NewBinaryScalar(memory.NewBufferBytes(g.near(v.Data())), v.Type)
	}
	return v
}

func (g keyPredicates) near(b []byte) []byte {
	b = slices.Clone(b)
	switch g.Intn(4) {
	case 0:
		return b[:g.Intn(len(b)+1)]
	case 1:
		return append(b, 0)
	case 2:
		if len(b) > 0 {
			b[g.Intn(len(b))] += byte(1 + g.Intn(2)*254)
		}
	}
	return b
}

// passing returns the rows of rec that satisfy a predicate, row by row.
func passing(t testing.TB, rec arrow.Record, b *expr.Bound) []bool {
	t.Helper()
	m, err := b.Mask(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	out := make([]bool, m.Len())
	for i := range out {
		out[i] = m.IsValid(i) && m.Value(i)
	}
	return out
}

// checkPruned tests that no row that passes is left out, and returns how many were.
func checkPruned(t testing.TB, name string, e expr.Expr, rows arrowio.RowSet, pass []bool, r arrowio.RowRange) (less int) {
	t.Helper()
	last := r.Start - 1
	in := make([]bool, len(pass))
	for _, x := range rows {
		if x.Start <= last || x.Len() <= 0 || x.End > r.End {
			t.Fatalf("%s: %v: rows %v", name, e, rows)
		}
		last = x.End
		for i := x.Start; i < x.End; i++ {
			in[i] = true
		}
	}
	for i := r.Start; i < r.End; i++ {
		if pass[i] && !in[i] {
			t.Fatalf("%s: %v: row %d passes, and was left out: %v", name, e, i, rows)
		}
		less += 1 - boolInt(in[i])
	}
	return less
}

// rounds is how many predicates are tried.
func rounds() int {
	if testing.Short() {
		return 1000
	}
	return 10_000 / sampled
}

// A predicate on a key column leaves out no row that passes, and of most tables it leaves out some.
func TestPruneKeys(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var types []cfilewire.DataType
	for _, x := range columnTypes {
		if x.typ.IsKey() {
			types = append(types, x.typ)
		}
	}
	for _, typ := range types {
		less := 0
		for _, encoding := range []cfilewire.Encoding{cfilewire.EncodingPlain, typ2encoding(typ)} {
			rows := ascending(r, typ, 300)
			f := &built{typ: typ, encoding: encoding, keyed: true, rows: rows, perBlock: 1 + r.Intn(40), fanout: r.Intn(6), deep: r.Intn(2)}
			file := openBuilt(t, f, Options{})
			recut(file, 100+r.Int63n(300))
			plain := expected(t, file.Schema().Field(0), f)
			g := keyPredicates{r, plain}
			for i := range rounds() * 2 / 3 / len(types) / 2 {
				e := g.expr(r.Intn(3))
				b, err := expr.Bind(e, file.Schema())
				if err != nil {
					t.Fatalf("%v: %v", e, err)
				}
				pass := passing(t, plain, b)
				for _, s := range file.splits {
					pruned, err := file.Prune(context.Background(), s, b)
					if err != nil {
						t.Fatal(err)
					}
					less += checkPruned(t, f.String(), e, pruned, pass, s.Rows)
				}
				if i%30 == 0 {
					checkFiltered(t, file, e, pass)
				}
			}
		}
		if less == 0 {
			t.Errorf("%v: nothing was ever left out", typ)
		}
	}
}

func typ2encoding(t cfilewire.DataType) cfilewire.Encoding {
	if t.Binary() {
		return cfilewire.EncodingDict
	}
	return cfilewire.EncodingBitShuffle
}

// checkFiltered compares a filtered scan with the rows that pass.
func checkFiltered(t *testing.T, file *File, e expr.Expr, pass []bool) {
	t.Helper()
	want := 0
	for _, p := range pass {
		want += boolInt(p)
	}
	s, err := arrowio.Scan(context.Background(), file, arrowio.ScanOptions{Filter: e, Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	got := 0
	for s.Next() {
		got += int(s.Record().NumRows())
	}
	if s.Err() != nil || got != want {
		t.Errorf("%v: %d rows, want %d: %v", e, got, want, s.Err())
	}
}

// The same of composite keys: their first part, and those behind it.
func TestPruneComposite(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var types []cfilewire.DataType
	for _, x := range columnTypes {
		if x.typ.IsKey() {
			types = append(types, x.typ)
		}
	}
	less := 0
	for try := range 60 {
		var of []cfilewire.DataType
		for range 1 + r.Intn(3) {
			of = append(of, types[r.Intn(len(types))])
		}
		of[0] = types[try%len(types)]
		k := newKeyTable(t, r, of, 1+r.Intn(300))
		f, err := OpenReader(context.Background(), local.NewBytesSource(k.f.build(t)), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.NewKeyPruner(context.Background(), k.parts)
		if err != nil {
			t.Fatal(err)
		}
		g := keyPredicates{r, k.rec}
		all := arrowio.RowRange{End: k.rec.NumRows()}
		for range rounds() / 3 / 60 {
			e := g.expr(r.Intn(3))
			b, err := expr.Bind(e, k.rec.Schema())
			if err != nil {
				t.Fatal(err)
			}
			pass := passing(t, k.rec, b)
			if !p.May(b) && slices.Contains(pass, true) {
				t.Fatalf("%v: %v: no row can pass", of, e)
			}
			pruned, err := p.Prune(context.Background(), all, b)
			if err != nil {
				t.Fatal(err)
			}
			less += checkPruned(t, fmt.Sprint(of), e, pruned, pass, all)
		}
	}
	if less == 0 {
		t.Error("nothing was ever left out")
	}
}

// Keys that an index does not order, or that are about other blocks, say nothing.
func TestPruneDamaged(t *testing.T) {
	e, err := expr.Parse("value = 5000")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(f *built){
		"keys descend": func(f *built) {
			f.onEntry = func(what string, e *builtEntry) {
				if what == "val" {
					e.key = []byte{0x80 - byte(e.ptr.Off>>6)}
				}
			}
		},
		"a block is missing": func(f *built) {
			f.onFooter = func(fields *[]builtField) {
				for i := range *fields {
					if (*fields)[i].num == 5 { // the leaf alone that the tree begins with
						(*fields)[i].bytes = root(f.val[0])
					}
				}
			}
		},
		"no least and no greatest key": func(f *built) { f.keys = func(row int) []byte { return encodeKey(f.typ, f.rows[row], true) } },
	} {
		f := numbered(10_000)
		change(f)
		file := openBuilt(t, f, Options{})
		pass := make([]bool, 10_000)
		pass[5000] = true
		t.Run(name, func(t *testing.T) { checkFiltered(t, file, e, pass) })
	}
	// Blocks of keys whose rows are not in order are no use to anybody.
	r := rand.New(rand.NewSource(2))
	k := newKeyTable(t, r, []cfilewire.DataType{cfilewire.Int32, cfilewire.String}, 300)
	k.f.perBlock = 20
	k.f.onBlock = func(n int, raw []byte) []byte {
		if n == 7 {
			return prefixes(0, k.keys[140:160], 16)
		}
		return raw
	}
	f, err := OpenReader(context.Background(), local.NewBytesSource(k.f.build(t)), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.NewKeyPruner(context.Background(), k.parts)
	if err != nil {
		t.Fatal(err)
	}
	v, err := scalar.GetScalar(k.rec.Column(0), 130)
	if err != nil {
		t.Fatal(err)
	}
	b, err := expr.Bind(expr.Compare{Col: "a", Op: expr.Eq, Value: v}, k.rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.Prune(context.Background(), arrowio.RowRange{End: 300}, b); err == nil {
		t.Error("rows out of order")
	} else {
		checkError(t, err)
	}
}

// A cell is what a value of its type is stored as, and no other value's.
func TestCell(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, x := range columnTypes {
		if !x.typ.IsKey() {
			continue
		}
		dt, _, err := cfilewire.ArrowType(x.typ, cfilewire.ArrowOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := KeyPart{Type: x.typ, Arrow: dt}
		for range 50 {
			cell := cellOf(r, x.typ)
			got, ok := Cell(p, cellScalar(x.typ, dt, cell))
			if !ok || !bytes.Equal(got, cell) {
				t.Errorf("%v: %x is %x", x.typ, cell, got)
			}
		}
		for _, v := range []scalar.Scalar{nil, scalar.MakeNullScalar(dt), scalar.NewFloat64Scalar(1)} {
			if _, ok := Cell(p, v); ok {
				t.Errorf("%v: %v has a cell", x.typ, v)
			}
		}
	}
	for typ, digits := range map[cfilewire.DataType]int32{cfilewire.Decimal32: 9, cfilewire.Decimal64: 18} {
		dt := &arrow.Decimal128Type{Precision: digits}
		for _, v := range []decimal128.Num{decimal128.FromI64(1).Mul(decimal128.FromU64(1 << 63)), decimal128.New(1, 0), decimal128.New(-1, 5)} {
			if cell, ok := Cell(KeyPart{Type: typ, Arrow: dt}, scalar.NewDecimal128Scalar(v, dt)); ok {
				t.Errorf("%v: %v is %x", typ, v.BigInt(), cell)
			}
		}
	}
}
