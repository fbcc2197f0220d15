package recordsplit

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

var schema = arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)

// counted yields batches of given sizes that count from 0, and fails where a size is negative.
type counted struct {
	mem    memory.Allocator
	sizes  []int
	i, row int
	loads  int
	closed bool
}

var errBroken = errors.New("broken")

func (c *counted) Next() (Batch, error) {
	if c.i == len(c.sizes) {
		return Batch{}, io.EOF
	}
	n := c.sizes[c.i]
	c.i++
	if n < 0 {
		return Batch{}, errBroken
	}
	from := c.row
	c.row += n
	return Batch{Rows: int64(n), Load: func() (arrow.Record, error) {
		c.loads++
		b := array.NewInt64Builder(c.mem)
		defer b.Release()
		for i := range n {
			b.Append(int64(from + i))
		}
		a := b.NewArray()
		defer a.Release()
		return array.NewRecord(schema, []arrow.Array{a}, int64(n)), nil
	}}, nil
}

func (c *counted) Close() error { c.closed = true; return nil }

// TestEveryCut goes through the rows in every combination of steps, some skipped, and checks what comes out.
func TestEveryCut(t *testing.T) {
	for step := 1; step < 12; step++ {
		for mask := range 16 {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			src := &counted{mem: mem, sizes: []int{3, 0, 5, 1, 0, 8, 2}}
			r := New(src, schema, mem)
			row := int64(0)
			for k := 0; row < 19; k++ {
				n := min(int64(step), 19-row)
				if mask>>(k%4)&1 == 0 {
					if got, err := r.Skip(n); got != n || err != nil {
						t.Fatal(got, err)
					}
					row += n
					continue
				}
				if got, err := r.Read(int(n)); got != int(n) || err != nil {
					t.Fatal(got, err)
				}
				rec, err := r.Take()
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range rec.Column(0).(*array.Int64).Int64Values() {
					if v != row+int64(i) {
						t.Fatalf("step %d, mask %04b: row %d is %d", step, mask, row+int64(i), v)
					}
				}
				if rec.NumRows() != n {
					t.Fatalf("%d rows, want %d", rec.NumRows(), n)
				}
				rec.Release()
				row += n
			}
			if n, err := r.Read(1); n != 0 || err != nil {
				t.Fatal("at the end:", n, err)
			}
			if mask == 0 && src.loads != 0 {
				t.Fatal("what is skipped whole was decoded")
			}
			r.Close()
			r.Close()
			if !src.closed {
				t.Fatal("the source is still open")
			}
			mem.AssertSize(t, 0)
		}
	}
}

func TestReadsAddUp(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := New(&counted{mem: mem, sizes: []int{4, 4}}, schema, mem)
	defer r.Close()
	r.Read(2)
	r.Skip(1)
	r.Read(3)
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if s := fmt.Sprint(rec.Column(0)); s != "[0 1 3 4 5]" {
		t.Errorf("got %s", s)
	}
}

func TestTakeOfNothing(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := New(&counted{mem: mem}, schema, mem)
	defer r.Close()
	rec, err := r.Take()
	if err != nil || rec.NumRows() != 0 || !rec.Schema().Equal(schema) {
		t.Fatal(rec, err)
	}
	rec.Release()
}

func TestErrorsStay(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := New(&counted{mem: mem, sizes: []int{2, -1, 2}}, schema, mem)
	defer r.Close()
	for range 2 {
		if n, err := r.Read(5); !errors.Is(err, errBroken) {
			t.Errorf("%d, %v", n, err)
		}
	}
	if _, err := r.Skip(1); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

func TestWrongRowCountIsABug(t *testing.T) {
	mem := memory.NewGoAllocator()
	src := &counted{mem: mem, sizes: []int{2}}
	r := New(lying{src}, schema, mem)
	if _, err := r.Read(1); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
}

type lying struct{ *counted }

func (l lying) Next() (Batch, error) {
	b, err := l.counted.Next()
	b.Rows++
	return b, err
}

func TestFit(t *testing.T) {
	mem := memory.NewGoAllocator()
	r := New(&counted{mem: mem, sizes: []int{100, 10}}, schema, mem).(*runReader)
	defer r.Close()
	for _, c := range []struct {
		n     int
		bytes int64
		want  int
	}{{0, 1, 0}, {50, 1 << 20, 50}, {150, 1 << 20, 100}, {1000, 1 << 20, 1000}, {50, 80, 10}, {50, 1, 1}} {
		if got := r.Fit(c.n, c.bytes); got < c.want-1 || got > c.want {
			t.Errorf("fit(%d, %d) = %d, want %d", c.n, c.bytes, got, c.want)
		}
	}
	r.Skip(110)
	if got := r.Fit(5, 1); got != 5 {
		t.Errorf("at the end: %d", got)
	}
}

func TestProjection(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	st := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String})
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: st}}, nil)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(1)
	b.Field(1).(*array.StructBuilder).Append(true)
	b.Field(1).(*array.StructBuilder).FieldBuilder(0).(*array.Int64Builder).Append(2)
	b.Field(1).(*array.StructBuilder).FieldBuilder(1).(*array.StringBuilder).Append("y")
	whole := b.NewRecord()
	defer whole.Release()
	p, err := arrowio.Project(s, []string{"s.b", "x"})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Record(p, []arrow.Array{whole.Column(1), whole.Column(0)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if v := rec.Column(0).ValueStr(0); v != `{"b":"y"}` || rec.Column(1).ValueStr(0) != "1" || !rec.Schema().Equal(p.Schema) {
		t.Errorf("%s, %v", v, rec)
	}
}

// words are batches whose dictionaries of int8 indices have entries of their own: "0-0", "0-1" and so on in the first.
type words struct {
	mem     memory.Allocator
	entries []int // of each batch, which has as many rows; 0 = the dictionary of the batch before, and one row
	i       int
	dict    arrow.Array
	number  int // of the dictionary
}

var wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}

func (w *words) Next() (Batch, error) {
	if w.i == len(w.entries) {
		return Batch{}, io.EOF
	}
	n := w.entries[w.i]
	w.i++
	if n > 0 {
		w.release()
		b := array.NewStringBuilder(w.mem)
		defer b.Release()
		for k := range n {
			b.Append(fmt.Sprintf("%d-%d", w.number, k))
		}
		w.dict = b.NewArray()
		w.number++
	}
	rows := max(1, n)
	return Batch{Rows: int64(rows), Load: func() (arrow.Record, error) {
		b := array.NewInt8Builder(w.mem)
		defer b.Release()
		for k := range rows {
			b.Append(int8(k))
		}
		indices := b.NewArray()
		defer indices.Release()
		col := array.NewDictionaryArray(wordType, indices, w.dict)
		defer col.Release()
		return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "w", Type: wordType}}, nil), []arrow.Array{col}, int64(rows)), nil
	}}, nil
}

func (w *words) release() {
	if w.dict != nil {
		w.dict.Release()
	}
}

func (w *words) Close() error { w.release(); return nil }

// Batches are one record for as long as the indices can number the entries of their dictionaries.
func TestDictionariesThatDoNotFitTogether(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r := New(&words{mem: mem, entries: []int{100, 0, 0, 100, 20, 8, 1, 0, 100}}, arrow.NewSchema([]arrow.Field{{Name: "w", Type: wordType}}, nil), mem).(*Reader)
	defer r.Close()
	var rows []int64
	for {
		n, err := r.Read(r.Fit(1000, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := r.Take()
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			rows = append(rows, rec.NumRows())
		}
		rec.Release()
		if n == 0 {
			break
		}
	}
	if fmt.Sprint(rows) != "[102 128 102]" {
		t.Error(rows)
	}
}
