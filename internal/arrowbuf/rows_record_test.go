package arrowbuf_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// wideSchema has one column of every type.
func wideSchema() *arrow.Schema {
	var fields []arrow.Field
	for i, dt := range conformance.Types() {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

func TestNarrowAndConcat(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(5)), Mem: mem, Nulls: 0.3}
	rec := g.Record(wideSchema(), 60)
	defer rec.Release()

	all, err := arrowbuf.Narrow(rec, [][2]int64{{0, 60}}, mem)
	if err != nil || all != rec {
		t.Fatal("all rows: not the record itself", err)
	}
	all.Release()
	none, err := arrowbuf.Narrow(rec, nil, mem)
	if err != nil || none.NumRows() != 0 || none.NumCols() != rec.NumCols() {
		t.Fatal("no rows:", none, err)
	}
	defer none.Release()
	head, err := arrowbuf.Narrow(rec, [][2]int64{{0, 13}}, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer head.Release()
	slice := rec.NewSlice(0, 13)
	if err := conformance.Equal(slice, head); err != nil {
		t.Error(err)
	}
	slice.Release()
	tail, err := arrowbuf.Narrow(rec, [][2]int64{{13, 20}, {20, 60}}, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Release()
	whole, err := arrowbuf.Concat([]arrow.Record{head, none, tail}, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Release()
	if err := conformance.Equal(rec, whole); err != nil {
		t.Error(err)
	}
	if err := conformance.ValidateRecord(whole); err != nil {
		t.Error(err)
	}
	one, err := arrowbuf.Concat([]arrow.Record{none, rec, none}, mem)
	if err != nil || one.Column(1) == nil {
		t.Fatal(err)
	}
	if one.Column(0).Data().Len() != 60 {
		t.Error("empty records add rows")
	}
	one.Release()
	if _, err := arrowbuf.Concat(nil, mem); err == nil {
		t.Error("no records at all: no error")
	}
	if _, err := arrowbuf.Narrow(rec, [][2]int64{{0, 61}}, mem); err == nil {
		t.Error("rows beyond the end: no error")
	}
}

// count(*) scans have rows and no columns.
func TestRecordsWithoutColumns(t *testing.T) {
	mem := memory.NewGoAllocator()
	rec := array.NewRecord(arrow.NewSchema(nil, nil), nil, 10)
	n, err := arrowbuf.Narrow(rec, [][2]int64{{2, 5}}, mem)
	if err != nil || n.NumRows() != 3 {
		t.Error(n, err)
	}
	c, err := arrowbuf.Concat([]arrow.Record{rec, n}, mem)
	if err != nil || c.NumRows() != 13 {
		t.Error(c, err)
	}
}

func TestProject(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	f := func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	inner := arrow.StructOf(f("x", i64), f("y", str), f("z", arrow.FixedWidthTypes.Boolean))
	part := arrow.StructOf(f("x", i64), f("z", arrow.FixedWidthTypes.Boolean))
	keep := []arrowbuf.Selection{{Index: 0}, {Index: 2}}
	cases := []struct {
		whole, part arrow.DataType
		keep        []arrowbuf.Selection
	}{
		{i64, i64, nil},
		{inner, inner, nil},
		{inner, part, keep},
		{arrow.StructOf(f("a", i64), f("s", inner)), arrow.StructOf(f("s", part)), []arrowbuf.Selection{{Index: 1, Children: keep}}},
		{arrow.ListOf(inner), arrow.ListOf(part), keep},
		{arrow.LargeListOf(inner), arrow.LargeListOf(part), keep},
		{arrow.ListViewOf(inner), arrow.ListViewOf(part), keep},
		{arrow.FixedSizeListOf(2, inner), arrow.FixedSizeListOf(2, part), keep},
		{arrow.ListOf(arrow.ListOf(inner)), arrow.ListOf(arrow.ListOf(part)), keep},
		{arrow.MapOf(str, inner), arrow.MapOf(str, part), keep},
		{arrow.MapOf(str, arrow.ListOf(inner)), arrow.MapOf(str, arrow.ListOf(part)), keep},
	}
	var fields, parts []arrow.Field
	var sel []arrowbuf.Selection
	for i, c := range cases {
		fields = append(fields, f(fmt.Sprint("c", i), c.whole))
		parts = append([]arrow.Field{f(fmt.Sprint("c", i), c.part)}, parts...) // in reverse
		sel = append([]arrowbuf.Selection{{Index: i, Children: c.keep}}, sel...)
	}
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(6)), Mem: mem, Nulls: 0.3}
	rec := g.Record(arrow.NewSchema(fields, nil), 40)
	defer rec.Release()
	sliced := rec.NewSlice(7, 31)
	defer sliced.Release()
	for _, rec := range []arrow.Record{rec, sliced} {
		before := mem.CurrentAlloc()
		got, err := arrowbuf.Project(rec, arrow.NewSchema(parts, nil), sel)
		if err != nil {
			t.Fatal(err)
		}
		if mem.CurrentAlloc() != before {
			t.Error("a projection copies")
		}
		if err := conformance.ValidateRecord(got); err != nil {
			t.Error(err)
		}
		for i, c := range cases {
			whole, part := rec.Column(i), got.Column(len(cases)-1-i)
			for r := range whole.Len() {
				want, have := marshal(t, whole, r), marshal(t, part, r)
				if len(c.keep) > 0 {
					want = drop(want, "y", "a")
				}
				if !reflect.DeepEqual(want, have) {
					t.Fatalf("%s, row %d: got %v, want %v", c.whole, r, have, want)
				}
			}
		}
		got.Release()
	}
	bad := []arrowbuf.Selection{{Index: 0, Children: keep}} // an int64 has no children
	if _, err := arrowbuf.Project(rec, arrow.NewSchema(fields[:1], nil), bad); err == nil {
		t.Error("children of an int64: no error")
	}
	if _, err := arrowbuf.Project(rec, arrow.NewSchema(fields[:1], nil), []arrowbuf.Selection{{Index: 99}}); err == nil {
		t.Error("field 99: no error")
	}
}

// marshal returns a value as JSON sees it.
func marshal(t *testing.T, arr arrow.Array, i int) (v any) {
	text, err := json.Marshal(arr.GetOneForMarshal(i))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// drop returns v without the named keys, at any depth.
func drop(v any, names ...string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = drop(v[i], names...)
		}
	case map[string]any:
		for _, n := range names {
			delete(v, n)
		}
		for k := range v {
			v[k] = drop(v[k], names...)
		}
	}
	return v
}

// bufferBytes sums the lengths of all buffers.
func bufferBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += bufferBytes(c)
	}
	if x, ok := d.Dictionary().(*array.Data); ok && x != nil {
		n += bufferBytes(x)
	}
	return n
}

func TestSize(t *testing.T) {
	mem := memory.NewGoAllocator()
	sb := array.NewStringBuilder(mem)
	sb.AppendValues([]string{"aaaa", "bb", "", "cccccc"}, []bool{true, true, false, true})
	strs := sb.NewArray()
	lb := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int64)
	for i := range 4 {
		lb.Append(true)
		for k := range i {
			lb.ValueBuilder().(*array.Int64Builder).Append(int64(k))
		}
	}
	lists := lb.NewArray()
	ints := lists.(*array.List).ListValues()
	for _, c := range []struct {
		name       string
		arr        arrow.Array
		start, end int64
		want       int64
	}{
		{"strings", strs, 0, 4, 1 + 5*4 + 12},
		{"two strings", strs, 1, 3, 1 + 3*4 + 2},
		{"no strings", strs, 2, 2, 0},
		{"ints", ints, 0, 6, 1 + 6*8},
		{"lists", lists, 0, 4, 1 + 5*4 + 1 + 6*8},
		{"last list", lists, 3, 4, 1 + 2*4 + 1 + 3*8},
	} {
		s := array.NewSlice(c.arr, c.start, c.end)
		if got := arrowbuf.Size(s); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
		s.Release()
	}
	// Of any type: a copy has nothing but its rows. (Dictionaries are not copied; list views are rounded one by one.)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(8)), Mem: mem, Nulls: 0.3}
	for _, dt := range conformance.Types() {
		arr := g.Array(dt, 50)
		if holdsDictionary(arr.Data()) || dt.ID() == arrow.LIST_VIEW || dt.ID() == arrow.LARGE_LIST_VIEW {
			continue
		}
		a := arrowbuf.NewAppender(dt, mem)
		if err := a.Append(arr, 1, 49); err != nil {
			t.Fatal(err)
		}
		got := a.Take()
		if size, held := arrowbuf.Size(got), bufferBytes(got.Data()); size != held {
			t.Errorf("%s: Size %d, buffers %d", dt, size, held)
		}
	}
}
