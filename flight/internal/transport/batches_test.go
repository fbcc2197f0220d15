package transport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// stream is what comes out of Batches.
type stream struct {
	recs []arrow.Record
	meta []BatchMeta
}

// table makes a record of n rows.
func table(mem memory.Allocator, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil))
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%10 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(strings.Repeat("é", i%8) + fmt.Sprint(i))
		}
	}
	return b.NewRecord()
}

// sameRows compares the rows of two streams, however they are cut.
func sameRows(t *testing.T, got, want *stream) {
	t.Helper()
	for i := range want.recs[0].NumCols() {
		g, w := column(t, got, int(i)), column(t, want, int(i))
		if !array.Equal(g, w) {
			t.Fatalf("column %d differs:\n%.300s\nwant\n%.300s", i, g, w)
		}
	}
}

func column(t *testing.T, s *stream, i int) arrow.Array {
	t.Helper()
	var parts []arrow.Array
	for _, r := range s.recs {
		parts = append(parts, r.Column(i))
	}
	a, err := array.Concatenate(parts, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pile cuts records of these numbers of rows, and returns what comes out.
func pile(t *testing.T, mem memory.Allocator, b *Batches, rows []int) (*stream, *stream) {
	t.Helper()
	total := 0
	for _, n := range rows {
		total += n
	}
	all := table(mem, total)
	whole := &stream{recs: []arrow.Record{all}}
	out := &stream{}
	b.Mem = mem
	b.Send = func(rec arrow.Record, m BatchMeta) error {
		rec.Retain()
		out.recs, out.meta = append(out.recs, rec), append(out.meta, m)
		if m.Rows != rec.NumRows() {
			t.Errorf("%+v on %d rows", m, rec.NumRows())
		}
		return nil
	}
	at := 0
	for _, n := range rows {
		rec := all.NewSlice(int64(at), int64(at+n))
		err := b.Add(rec, BatchMeta{Fragment: 2, FirstRow: int64(at), Rows: int64(n), Resume: Position{Fragment: 2, Row: int64(at + n)}})
		rec.Release()
		if err != nil {
			t.Fatal(err)
		}
		at += n
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	b.Release()
	return whole, out
}

func TestBatches(t *testing.T) {
	for name, c := range map[string]struct {
		rows    int
		bytes   int64
		in, out []int
	}{
		"small ones are joined":           {1 << 16, 2 << 20, []int{10, 20, 30}, []int{60}},
		"up to the rows of a batch":       {100, 2 << 20, []int{40, 40, 40, 40, 40}, []int{80, 80, 40}},
		"a large one is not held up":      {1000, 2 << 20, []int{1000, 1000}, []int{1000, 1000}},
		"nor joined with what waits":      {1000, 2 << 20, []int{10, 1000, 5}, []int{10, 1000, 5}},
		"one that is too large is cut":    {1 << 16, 8 << 10, []int{1200}, []int{200, 200, 200, 200, 200, 200}},
		"twice the size is not too large": {1 << 16, 32 << 10, []int{1200}, []int{1200}},
		"nothing":                         {1 << 16, 1 << 20, nil, nil},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		whole, got := pile(t, mem, &Batches{Rows: c.rows, Bytes: c.bytes}, c.in)
		var rows []int
		for _, r := range got.recs {
			rows = append(rows, int(r.NumRows()))
		}
		if name == "one that is too large is cut" {
			for i, n := range rows {
				if size := arrowbuf.RecordSize(got.recs[i]); size > 2*c.bytes || n == 0 {
					t.Errorf("%s: a piece of %d bytes", name, size)
				}
			}
		} else if len(rows) != len(c.out) {
			t.Errorf("%s: %v, want %v", name, rows, c.out)
		} else {
			for i := range rows {
				if rows[i] != c.out[i] {
					t.Errorf("%s: %v, want %v", name, rows, c.out)
					break
				}
			}
		}
		if len(c.in) > 0 {
			sameRows(t, got, whole)
		}
		next := int64(0)
		for _, m := range got.meta {
			if m.FirstRow != next || m.Resume.Row != next+m.Rows || m.Fragment != 2 {
				t.Errorf("%s: %+v, want it at row %d", name, m, next)
			}
			next += m.Rows
		}
		for _, s := range []*stream{whole, got} {
			for _, r := range s.recs {
				r.Release()
			}
		}
		mem.AssertSize(t, 0)
	}
}

// Dictionaries that do not fit into one are sent one after the other.
func TestBatchesThatCannotBeJoined(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}
	s := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
	var sent []BatchMeta
	b := &Batches{Rows: 1 << 16, Bytes: 1 << 20, Mem: memory.DefaultAllocator, Send: func(rec arrow.Record, m BatchMeta) error {
		sent = append(sent, m)
		return nil
	}}
	for k := range 3 {
		db := array.NewDictionaryBuilder(memory.DefaultAllocator, dt).(*array.Int64DictionaryBuilder)
		for i := range 100 {
			if err := db.Append(int64(100*k + i)); err != nil {
				t.Fatal(err)
			}
		}
		a := db.NewArray()
		rec := array.NewRecord(s, []arrow.Array{a}, 100)
		if err := b.Add(rec, BatchMeta{FirstRow: int64(100 * k), Rows: 100, Resume: Position{Row: int64(100*k + 100)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 3 || sent[1].FirstRow != 100 || sent[1].Resume.Row != 200 {
		t.Errorf("%+v", sent)
	}
}
