package tablediff_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/tablediff"
)

// row is a row as the reference implementation knows it. Pointers that are nil are null.
type row struct {
	key   int32
	text  *string
	num   *float64
	list  []int16 // nil = null
	a     *int64  // a field of a struct
	whole bool    // the struct is null
}

func (r row) String() string {
	show := func(p any) string {
		switch p := p.(type) {
		case *string:
			if p != nil {
				return "+" + *p
			}
		case *float64:
			if p != nil {
				return fmt.Sprint("+", *p, math.Signbit(*p) && *p == 0)
			}
		case *int64:
			if p != nil && !r.whole {
				return fmt.Sprint("+", *p)
			}
		}
		return "null"
	}
	return fmt.Sprintf("%d|%q|%s|%v %v|%s|%v", r.key, show(r.text), show(r.num), r.list == nil, r.list, show(r.a), r.whole)
}

func (r row) withoutKey() string { r.key = 0; return r.String() }

// table builds batches of random lengths. wide chooses the types of one side: other integers, a dictionary of bytes, large lists.
func table(rng *rand.Rand, rows []row, wide bool) (*arrow.Schema, []arrow.Record) {
	var key, text, num, list, a arrow.DataType = arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float32, arrow.ListOf(arrow.PrimitiveTypes.Int16), arrow.PrimitiveTypes.Int32
	if wide {
		key, num, list, a = arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.LargeListOf(arrow.PrimitiveTypes.Int64), arrow.PrimitiveTypes.Uint64
		text = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.Binary}
	} else if rng.IntN(2) == 0 {
		text = arrow.BinaryTypes.StringView
	}
	s := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: key},
		{Name: "text", Type: text, Nullable: true},
		{Name: "num", Type: num, Nullable: true},
		{Name: "list", Type: list, Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "a", Type: a, Nullable: true}), Nullable: true},
	}, nil)
	var recs []arrow.Record
	for len(rows) > 0 {
		n := min(len(rows), 1+rng.IntN(100))
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for _, r := range rows[:n] {
			f := b.Fields()
			if wide {
				f[0].(*array.Int64Builder).Append(int64(r.key))
			} else {
				f[0].(*array.Int32Builder).Append(r.key)
			}
			switch t := f[1].(type) {
			case *array.BinaryDictionaryBuilder:
				if r.text == nil {
					t.AppendNull()
				} else if err := t.AppendString(*r.text); err != nil {
					panic(err)
				}
			case *array.StringViewBuilder:
				if r.text == nil {
					t.AppendNull()
				} else {
					t.Append(*r.text)
				}
			case *array.StringBuilder:
				if r.text == nil {
					t.AppendNull()
				} else {
					t.Append(*r.text)
				}
			}
			switch t := f[2].(type) {
			case *array.Float64Builder:
				if r.num == nil {
					t.AppendNull()
				} else {
					t.Append(*r.num)
				}
			case *array.Float32Builder:
				if r.num == nil {
					t.AppendNull()
				} else {
					t.Append(float32(*r.num))
				}
			}
			l := f[3].(array.ListLikeBuilder)
			if l.Append(r.list != nil); true {
				for _, x := range r.list {
					if wide {
						l.ValueBuilder().(*array.Int64Builder).Append(int64(x))
					} else {
						l.ValueBuilder().(*array.Int16Builder).Append(x)
					}
				}
			}
			st := f[4].(*array.StructBuilder)
			if st.Append(!r.whole); r.whole { // which makes the fields null
				continue
			}
			switch t := st.FieldBuilder(0).(type) {
			case *array.Uint64Builder:
				if r.a == nil {
					t.AppendNull()
				} else {
					t.Append(uint64(*r.a))
				}
			case *array.Int32Builder:
				if r.a == nil {
					t.AppendNull()
				} else {
					t.Append(int32(*r.a))
				}
			}
		}
		rec := b.NewRecord()
		if cut := int64(rng.IntN(n)); cut > 0 && rng.IntN(2) == 0 { // arrays that do not begin at 0
			recs = append(recs, rec.NewSlice(0, cut), rec.NewSlice(cut, int64(n)))
		} else {
			recs = append(recs, rec)
		}
		rows = rows[n:]
	}
	return s, recs
}

// Views that all are of the same bytes take no more memory than these, however many there are, and nulls may be anything.
func TestViewsOfTheSameBytes(t *testing.T) {
	const rows, size = 100_000, 1 << 20
	views := make([]arrow.ViewHeader, rows)
	valid := make([]byte, (rows+7)/8)
	all := make([]byte, size)
	for i := range views {
		if i%3 == 0 {
			views[i].SetBytes([]byte("a view of bytes that there are not"))
			views[i].SetIndexOffset(77, 99)
			continue
		}
		valid[i/8] |= 1 << (i % 8)
		views[i].SetBytes(all)
		views[i].SetIndexOffset(0, 0)
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.BinaryTypes.BinaryView, Nullable: true}}, nil)
	data := array.NewData(s.Field(0).Type, rows, []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(arrow.GetBytes(views)), memory.NewBufferBytes(all)}, nil, -1, 0)
	rec := array.NewRecord(s, []arrow.Array{array.MakeFromData(data)}, rows)
	p := tablediff.Pair(s, s, tablediff.PairOptions{})
	r, err := p.Compare(t.Context(), reader(t, s, []arrow.Record{rec}), reader(t, s, []arrow.Record{rec.NewSlice(0, 10), rec.NewSlice(10, rows)}), tablediff.Options{})
	if err != nil || r.Equal != rows {
		t.Errorf("%+v, %v", r, err)
	}
}

func randomRow(rng *rand.Rand, keys int) row {
	r := row{key: int32(rng.IntN(keys)), whole: rng.IntN(8) == 0}
	if rng.IntN(5) > 0 {
		s := []string{"", "a", "Zürich", "a longer text with many letters"}[rng.IntN(4)]
		r.text = &s
	}
	if rng.IntN(5) > 0 {
		x := []float64{0, math.Copysign(0, -1), 1.5, math.NaN(), math.Inf(1)}[rng.IntN(5)]
		r.num = &x
	}
	if rng.IntN(5) > 0 {
		r.list = make([]int16, rng.IntN(4))
		for i := range r.list {
			r.list[i] = int16(rng.IntN(3))
		}
	}
	if rng.IntN(4) > 0 {
		x := int64(rng.IntN(3))
		r.a = &x
	}
	return r
}

// edit returns rows with a few changed, dropped, added and moved.
func edit(rng *rand.Rand, rows []row, keys int) []row {
	out := slices.Clone(rows)
	for range rng.IntN(6) {
		if len(out) == 0 {
			break
		}
		i := rng.IntN(len(out))
		switch rng.IntN(4) {
		case 0:
			k := out[i].key
			out[i] = randomRow(rng, keys)
			out[i].key = k
		case 1:
			out = slices.Delete(out, i, i+1)
		case 2:
			out = slices.Insert(out, i, randomRow(rng, keys))
		case 3:
			j := rng.IntN(len(out))
			out[i], out[j] = out[j], out[i]
		}
	}
	if rng.IntN(3) == 0 {
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// counts is what the reference implementation finds.
type counts struct{ equal, changed, onlyA, onlyB int64 }

func byPosition(a, b []row) (c counts) {
	for i := range min(len(a), len(b)) {
		if a[i].String() == b[i].String() {
			c.equal++
		} else {
			c.changed++
		}
	}
	c.onlyA, c.onlyB = int64(max(0, len(a)-len(b))), int64(max(0, len(b)-len(a)))
	return c
}

// byKey takes equal rows out of both; then a key with one row on each side has changed. Without keys all rows have one.
func byKey(a, b []row, keyed bool) (c counts) {
	left := map[string]int{}
	for _, r := range a {
		left[r.String()]++
	}
	var restB []row
	for _, r := range b {
		if left[r.String()] > 0 {
			left[r.String()]--
			c.equal++
		} else {
			restB = append(restB, r)
		}
	}
	keysA, keysB := map[int32]int64{}, map[int32]int64{}
	for _, r := range a {
		if left[r.String()] > 0 {
			left[r.String()]--
			keysA[r.key]++
			c.onlyA++
		}
	}
	for _, r := range restB {
		keysB[r.key]++
		c.onlyB++
	}
	if keyed {
		for k, n := range keysA {
			if n == 1 && keysB[k] == 1 {
				c.changed++
				c.onlyA--
				c.onlyB--
			}
		}
	}
	return c
}

func reader(t *testing.T, s *arrow.Schema, recs []arrow.Record) array.RecordReader {
	t.Helper()
	r, err := array.NewRecordReader(s, recs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Random tables with random edits are compared as the reference implementation compares them, whatever the types, the batches, and
// the memory.
func TestModel(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 1))
		keys := 1 + rng.IntN(300)
		a := make([]row, rng.IntN(300))
		for i := range a {
			a[i] = randomRow(rng, keys)
		}
		b := edit(rng, a, keys)
		compareAll(t, fmt.Sprint("seed ", seed), rng, a, b, 1<<20)
	}
}

// Rows that do not fit into memory are compared the same.
func TestModelSpilled(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	a := make([]row, 40_000)
	for i := range a {
		a[i] = randomRow(rng, 1<<30)
	}
	b := edit(rng, a, 1<<30)
	rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
	if spilled := compareAll(t, "spilled", rng, a, b, 1); spilled == 0 {
		t.Error("nothing was spilled")
	}
}

func compareAll(t *testing.T, name string, rng *rand.Rand, a, b []row, mem int64) (spilled int64) {
	t.Helper()
	sa, ra := table(rng, a, rng.IntN(2) == 0)
	sb, rb := table(rng, b, rng.IntN(2) == 0)
	p := tablediff.Pair(sa, sb, tablediff.PairOptions{})
	for _, o := range []tablediff.Options{{}, {Key: []string{"key"}}, {Unordered: true}} {
		o.Limit, o.Memory = 10_000, mem
		o.Scratch = func() (arrowio.ScratchFile, error) { return local.NewScratch("") }
		r, err := p.Compare(context.Background(), reader(t, sa, ra), reader(t, sb, rb), o)
		if err != nil {
			t.Fatalf("%s: %+v: %v", name, o, err)
		}
		spilled += r.SpilledBytes
		want := byPosition(a, b)
		if o.Unordered || len(o.Key) > 0 {
			want = byKey(a, b, len(o.Key) > 0)
		}
		if got := (counts{r.Equal, r.Changed, r.OnlyA, r.OnlyB}); got != want {
			t.Errorf("%s, key %q, unordered %v: %+v, want %+v; by column %v", name, o.Key, o.Unordered, got, want, r.Columns)
		}
		for _, d := range r.First {
			if d.A >= 0 && d.B >= 0 {
				x, y := a[d.A], b[d.B]
				if x.String() == y.String() || len(o.Key) > 0 && x.key != y.key {
					t.Errorf("%s: rows %d and %d: %v, %v", name, d.A, d.B, x, y)
				}
			}
		}
		if o.Unordered {
			continue
		}
		var differ [4]int64 // text, num, list, s.a and s
		for _, d := range r.First {
			if d.A < 0 || d.B < 0 {
				continue
			}
			x, y := a[d.A], b[d.B]
			for i, f := range []func(r row) row{
				func(r row) row { return row{text: r.text} }, func(r row) row { return row{num: r.num} }, func(r row) row { return row{list: r.list} }, func(r row) row { return row{a: r.a, whole: r.whole} },
			} {
				if f(x).withoutKey() != f(y).withoutKey() {
					differ[i]++
				}
			}
		}
		for i, k := range []int{1, 2, 3} {
			if r.Changed <= int64(o.Limit) && r.Columns[k] != differ[i] {
				t.Errorf("%s, key %q: %s: %d differ, want %d", name, o.Key, p.Columns[k].Path, r.Columns[k], differ[i])
			}
		}
		if r.Changed <= int64(o.Limit) && r.Columns[4]+r.Columns[5] < differ[3] {
			t.Errorf("%s: structs: %d and %d, want %d", name, r.Columns[4], r.Columns[5], differ[3])
		}
	}
	return spilled
}
