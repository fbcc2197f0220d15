package arrowbuf_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/race"
)

// row is one row that an Appender was given.
type row struct {
	arr arrow.Array
	i   int64
}

// checkRows compares got with the rows that it should have, one by one, and checks its form.
func checkRows(t *testing.T, got arrow.Array, want []row) {
	t.Helper()
	if err := conformance.Validate(got); err != nil {
		t.Fatalf("%s: %v", got.DataType(), err)
	}
	if err := rebased(got.Data()); err != nil {
		t.Fatalf("%s: %v", got.DataType(), err)
	}
	if got.Len() != len(want) {
		t.Fatalf("%s: %d rows, want %d", got.DataType(), got.Len(), len(want))
	}
	for i, w := range want {
		x, y := array.NewSlice(w.arr, w.i, w.i+1), array.NewSlice(got, int64(i), int64(i)+1)
		err := conformance.EqualArrays(x, y)
		x.Release()
		y.Release()
		if err != nil {
			t.Fatalf("%s: row %d: %v", got.DataType(), i, err)
		}
	}
}

// rebased checks what is promised of every result beyond being valid.
func rebased(d arrow.ArrayData) error {
	if d.Offset() != 0 {
		return fmt.Errorf("offset %d", d.Offset())
	}
	if d.NullN() < 0 {
		return errors.New("unknown null count")
	}
	if b := d.Buffers(); len(b) > 0 && b[0] != nil && d.NullN() == 0 {
		return errors.New("a validity bitmap without nulls")
	}
	for _, c := range d.Children() {
		if err := rebased(c); err != nil {
			return err
		}
	}
	return nil
}

// randomRuns returns ranges of [0, n), out of order and overlapping as they may be.
func randomRuns(rng *rand.Rand, n int) [][2]int64 {
	var runs [][2]int64
	for range rng.Intn(6) {
		a, b := rng.Intn(n+1), rng.Intn(n+1)
		runs = append(runs, [2]int64{int64(min(a, b)), int64(max(a, b))})
	}
	for range rng.Intn(20) {
		if a := rng.Intn(n + 1); a < n {
			runs = append(runs, [2]int64{int64(a), int64(a) + 1})
		}
	}
	return runs
}

func TestAppendEveryType(t *testing.T) {
	rounds := 8
	if race.Enabled {
		rounds = 3
	}
	for ti, dt := range conformance.Types() {
		mem := memory.NewCheckedAllocator(arrowbuf.NewPool(1 << 20))
		rng := rand.New(rand.NewSource(int64(ti)))
		for _, nulls := range []float64{0, 0.3, 1} {
			g := &conformance.Generator{Rand: rng, Mem: mem, Nulls: nulls}
			a := arrowbuf.NewAppender(dt, mem)
			for round := range rounds {
				var want []row
				var arrs []arrow.Array
				for range rng.Intn(4) {
					arr := g.Sliced(dt, rng.Intn(70))
					arrs = append(arrs, arr)
					runs := randomRuns(rng, arr.Len())
					if round%2 == 0 {
						a.Reserve(rng.Intn(100))
					}
					if err := a.AppendRuns(arr, runs); err != nil {
						t.Fatalf("%s: %v", dt, err)
					}
					for _, r := range runs {
						for i := r[0]; i < r[1]; i++ {
							want = append(want, row{arr, i})
						}
					}
				}
				if a.Len() != len(want) {
					t.Fatalf("%s: Len %d of %d", dt, a.Len(), len(want))
				}
				got := a.Take()
				checkRows(t, got, want)
				got.Release()
				for _, arr := range arrs {
					arr.Release()
				}
			}
			a.Release()
			a.Release()
		}
		mem.AssertSize(t, 0)
	}
}

// A result must not hang on the memory of what it was made from, except for dictionaries, which are shared.
func TestAppendedRowsOutliveTheirSource(t *testing.T) {
	for ti, dt := range conformance.Types() {
		src := memory.NewCheckedAllocator(memory.NewGoAllocator())
		g := &conformance.Generator{Rand: rand.New(rand.NewSource(int64(ti))), Mem: src, Nulls: 0.2}
		arr := g.Array(dt, 50)
		a := arrowbuf.NewAppender(dt, memory.NewGoAllocator())
		for _, r := range [][2]int{{3, 10}, {20, 21}} {
			if err := a.Append(arr, r[0], r[1]); err != nil {
				t.Fatal(err)
			}
		}
		arr.Release()
		got := a.Take()
		if !holdsDictionary(got.Data()) {
			src.AssertSize(t, 0)
		}
		got.Release()
		a.Release()
		src.AssertSize(t, 0)
	}
}

func holdsDictionary(d arrow.ArrayData) bool {
	if x, ok := d.Dictionary().(*array.Data); ok && x != nil {
		return true
	}
	for _, c := range d.Children() {
		if holdsDictionary(c) {
			return true
		}
	}
	return false
}

func TestReleaseHalfBuilt(t *testing.T) {
	for _, dt := range conformance.Types() {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		g := &conformance.Generator{Rand: rand.New(rand.NewSource(3)), Mem: mem, Nulls: 0.5}
		a := arrowbuf.NewAppender(dt, mem)
		for range 3 { // the third has another dictionary than the first
			arr := g.Array(dt, 30)
			if err := a.Append(arr, 1, 29); err != nil {
				t.Fatal(err)
			}
			arr.Release()
		}
		a.Release()
		mem.AssertSize(t, 0)
	}
}

func TestWholeArrayIsNotCopied(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.AppendValues([]string{"a", "bc", ""}, []bool{true, true, false})
	arr := b.NewArray()
	defer arr.Release()
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	defer a.Release()
	if err := a.Append(arr, 0, 3); err != nil {
		t.Fatal(err)
	}
	got := a.Take()
	if got != arr {
		t.Error("a whole array alone was copied")
	}
	got.Release()

	// A slice is not whole, whatever rows are asked for: its offsets do not start at 0.
	s := array.NewSlice(arr, 1, 3)
	defer s.Release()
	for _, in := range []arrow.Array{arr, s} {
		if err := a.Append(in, 0, in.Len()); err != nil {
			t.Fatal(err)
		}
	}
	got = a.Take()
	checkRows(t, got, []row{{arr, 0}, {arr, 1}, {arr, 2}, {arr, 1}, {arr, 2}})
	got.Release()
	if err := a.Append(s, 0, 2); err != nil {
		t.Fatal(err)
	}
	got = a.Take()
	checkRows(t, got, []row{{arr, 1}, {arr, 2}})
	got.Release()
	if err := a.Append(arr, 0, 3); err != nil { // kept, then released
		t.Fatal(err)
	}
}

// Foreign producers slice buffers instead of setting an offset.
func TestOffsetsThatDoNotStartAtZero(t *testing.T) {
	mem := memory.NewGoAllocator()
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{2, 3, 5}))
	d := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("xxabc"))}, nil, 0, 0)
	arr := array.MakeFromData(d)
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	if err := a.Append(arr, 0, 2); err != nil {
		t.Fatal(err)
	}
	got := a.Take()
	if err := conformance.Validate(got); err != nil {
		t.Error(err)
	}
	if s := got.(*array.String); s.Value(0) != "a" || s.Value(1) != "bc" {
		t.Error("got", s)
	}
}

func TestAppendRefuses(t *testing.T) {
	mem := memory.NewGoAllocator()
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: mem}
	arr := g.Array(arrow.PrimitiveTypes.Int32, 10)
	a := arrowbuf.NewAppender(arrow.PrimitiveTypes.Int32, mem)
	for _, r := range [][2]int{{-1, 3}, {3, 2}, {5, 11}, {0, math.MaxInt}} {
		if a.Append(arr, r[0], r[1]) == nil {
			t.Errorf("rows %v of 10 were appended", r)
		}
	}
	if arrowbuf.NewAppender(arrow.PrimitiveTypes.Uint32, mem).Append(arr, 0, 1) == nil {
		t.Error("int32 was appended to uint32")
	}
	if a.Len() != 0 {
		t.Error("refused rows are counted")
	}
}

func TestOverflow(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)

	// A list of 2^30 nulls takes no memory; two of them pass the reach of int32.
	nulls := array.NewData(arrow.Null, 1<<30, []*memory.Buffer{nil}, nil, 1<<30, 0)
	many := array.NewListData(array.NewData(arrow.ListOf(arrow.Null), 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1 << 30}))}, []arrow.ArrayData{nulls}, 0, 0))
	ends := func(n int) arrow.Array {
		e := array.NewData(arrow.PrimitiveTypes.Int16, 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int16Traits.CastToBytes([]int16{int16(n)}))}, nil, 0, 0)
		v := array.NewData(arrow.Null, 1, []*memory.Buffer{nil}, nil, 1, 0)
		return array.NewRunEndEncodedData(array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.Null), n, []*memory.Buffer{nil}, []arrow.ArrayData{e, v}, 0, 0))
	}
	view := func() arrow.Array {
		b := func(v int32) *memory.Buffer {
			return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{v}))
		}
		return array.NewListViewData(array.NewData(arrow.ListViewOf(arrow.Null), 1, []*memory.Buffer{nil, b(0), b(1 << 30)}, []arrow.ArrayData{nulls}, 0, 0))
	}
	for _, c := range []struct {
		name string
		arr  arrow.Array
	}{{"list", many}, {"list view", view()}, {"run ends", ends(20_000)}} {
		a := arrowbuf.NewAppender(c.arr.DataType(), mem)
		if err := a.Append(c.arr, 0, c.arr.Len()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := a.Append(c.arr, 0, c.arr.Len()); !errors.Is(err, arrowbuf.ErrOverflow) {
			t.Errorf("%s: %v", c.name, err)
		}
		a.Release()
	}
}

// dictOf returns an int8-indexed dictionary array.
func dictOf(mem memory.Allocator, values []string, indices ...int8) *array.Dictionary {
	vb := array.NewStringBuilder(mem)
	defer vb.Release()
	vb.AppendValues(values, nil)
	v := vb.NewArray()
	defer v.Release()
	ib := array.NewInt8Builder(mem)
	defer ib.Release()
	for _, i := range indices {
		if i < 0 {
			ib.AppendNull()
		} else {
			ib.Append(i)
		}
	}
	x := ib.NewArray()
	defer x.Release()
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, x, v)
}

func TestDictionaries(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	x := dictOf(mem, []string{"a", "b", "c"}, 2, 0, -1, 1)
	defer x.Release()
	same := dictOf(mem, []string{"a", "b", "c"}, 1)
	defer same.Release()
	other := dictOf(mem, []string{"z", "c", "unused", "y"}, 3, 1, -1, 0, 3)
	defer other.Release()
	a := arrowbuf.NewAppender(x.DataType(), mem)
	defer a.Release()
	add := func(arr arrow.Array, start, end int) {
		if err := a.Append(arr, start, end); err != nil {
			t.Fatal(err)
		}
	}

	add(x, 1, 4)
	add(same, 0, 1)
	add(x, 0, 1)
	got := a.Take().(*array.Dictionary)
	if got.Data().Dictionary() != x.Data().Dictionary() {
		t.Error("a dictionary that never changed was copied")
	}
	checkRows(t, got, []row{{x, 1}, {x, 2}, {x, 3}, {same, 0}, {x, 0}})
	got.Release()

	add(x, 0, 4)
	add(other, 0, 5)
	add(same, 0, 1)
	add(other, 3, 5)
	got = a.Take().(*array.Dictionary)
	checkRows(t, got, []row{{x, 0}, {x, 1}, {x, 2}, {x, 3}, {other, 0}, {other, 1}, {other, 2}, {other, 3}, {other, 4}, {same, 0}, {other, 3}, {other, 4}})
	if d := got.Dictionary().(*array.String); d.Len() != 5 || d.Value(3) != "y" || d.Value(4) != "z" {
		t.Errorf("dictionary %v: want the first one, then the entries in use as they came", d)
	}
	got.Release()

	empty := a.Take().(*array.Dictionary)
	if empty.Len() != 0 || empty.Dictionary().Len() != 0 {
		t.Error("no rows:", empty)
	}
	empty.Release()
}

func TestDictionaryOverflow(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	a := arrowbuf.NewAppender((&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}), mem)
	defer a.Release()
	var err error
	for i := 0; i < 4 && err == nil; i++ {
		values := make([]string, 100)
		indices := make([]int8, 50) // only half of the entries are used
		for k := range values {
			values[k] = fmt.Sprint(i, "-", k)
		}
		for k := range indices {
			indices[k] = int8(k)
		}
		d := dictOf(mem, values, indices...)
		err = a.Append(d, 0, d.Len()-20)
		if n := 100 + i*30; n <= 128 && err != nil {
			t.Errorf("%d entries: %v", n, err)
		}
		d.Release()
	}
	if !errors.Is(err, arrowbuf.ErrOverflow) {
		t.Error("more than 128 entries in int8:", err)
	}
}

// Dictionaries of floats are compared by bits: 0 and -0 stay apart, NaN is one entry.
func TestDictionaryOfFloats(t *testing.T) {
	mem := memory.NewGoAllocator()
	make1 := func(v ...float64) arrow.Array {
		fb := array.NewFloat64Builder(mem)
		fb.AppendValues(v, nil)
		ib := array.NewInt32Builder(mem)
		for i := range v {
			ib.Append(int32(i))
		}
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Float64}, ib.NewArray(), fb.NewArray())
	}
	x, y := make1(0, math.NaN()), make1(math.NaN(), math.Copysign(0, -1))
	a := arrowbuf.NewAppender(x.DataType(), mem)
	for _, d := range []arrow.Array{x, y} {
		if err := a.Append(d, 0, 2); err != nil {
			t.Fatal(err)
		}
	}
	got := a.Take().(*array.Dictionary)
	checkRows(t, got, []row{{x, 0}, {x, 1}, {y, 0}, {y, 1}})
	if got.Dictionary().Len() != 3 {
		t.Error("dictionary", got.Dictionary())
	}
}

func BenchmarkAppend(b *testing.B) {
	const n = 1 << 20
	mem := arrowbuf.NewPool(256 << 20)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: memory.NewGoAllocator(), Nulls: 0.1}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int32)} {
		arr := g.Array(dt, n)
		for _, run := range []int{1, 16, 1000, n / 2} {
			var runs [][2]int64
			for i := 0; i+run <= n; i += 2 * run {
				runs = append(runs, [2]int64{int64(i), int64(i + run)})
			}
			b.Run(fmt.Sprintf("%s/run=%d", dt.Name(), run), func(b *testing.B) {
				a := arrowbuf.NewAppender(dt, mem)
				b.ReportAllocs()
				for b.Loop() {
					a.Reserve(n / 2)
					if err := a.AppendRuns(arr, runs); err != nil {
						b.Fatal(err)
					}
					out := a.Take()
					b.SetBytes(arrowbuf.Size(out))
					out.Release()
				}
			})
		}
	}
}
