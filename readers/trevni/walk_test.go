package trevni

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// whole returns all rows as one record.
func whole(t *testing.T, f *File) arrow.Record {
	t.Helper()
	var recs []arrow.Record
	err := conformance.Everything(f, memory.NewGoAllocator(), 1<<20, func(r arrow.Record) error {
		r.Retain()
		recs = append(recs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := arrowbuf.Concat(recs, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Any rows, in any steps, of any split, are those of the plain reading.
func TestRandomWalks(t *testing.T) {
	for _, file := range []string{
		"java-1.12.1/nested3.trv", "java-1.12.1/avro-maps.trv", "java-1.12.1/avro-arrays.trv", "java-1.12.1/avro-union.trv",
		"java-1.12.1/arrays-runs.trv", "java-1.12.1/avro-random-9.trv", "java-1.12.1/avro-optional.trv", "java-1.12.1/avro-blocks.trv",
		"foreign/parent-child-blocks.trv", "foreign/uneven-blocks.trv", "foreign/runs-of-ones.trv", "foreign/runs-side-by-side.trv",
	} {
		for _, view := range []string{"columns", ""} {
			f := openFile(t, data+file, Options{View: view})
			all := whole(t, f)
			rng := rand.New(rand.NewSource(int64(len(file))))
			for range 40 {
				if err := recut(context.Background(), f, 1+rng.Int63n(f.header.Rows)); err != nil {
					t.Fatal(err)
				}
				s := f.splits[rng.Intn(len(f.splits))]
				if err := walkSome(rng, f, s, project(t, f, nil), all); err != nil {
					t.Fatalf("%s, %s, split %v: %v", file, f.view, s.Rows, err)
				}
			}
			all.Release()
		}
	}
}

// walkSome reads random rows of a split and compares them with all.
func walkSome(rng *rand.Rand, f *File, s arrowio.Split, p arrowio.Projection, all arrow.Record) error {
	var set arrowio.RowSet
	scale := 1 + s.Rows.Len()/200
	for at := s.Rows.Start + rng.Int63n(s.Rows.Len()); at < s.Rows.End; {
		end := min(s.Rows.End, at+1+rng.Int63n(10*scale))
		set = set.Add(arrowio.RowRange{Start: at, End: end})
		at = end + rng.Int63n(30*scale)
	}
	r, err := f.Read(context.Background(), s, set, p, memory.NewGoAllocator())
	if err != nil {
		return err
	}
	defer r.Close()
	at := s.Rows.Start
	for _, run := range set {
		for at < run.Start {
			n := 1 + rng.Int63n(run.Start-at)
			if _, err := r.Skip(n); err != nil {
				return err
			}
			at += n
		}
		for at < run.End {
			n := 1 + rng.Int63n(run.End-at)
			if _, err := r.Read(int(n)); err != nil {
				return err
			}
			rec, err := r.Take()
			if err != nil {
				return err
			}
			want := all.NewSlice(at, at+n)
			err = errors.Join(conformance.ValidateRecord(rec), conformance.Equal(want, rec))
			want.Release()
			rec.Release()
			if err != nil {
				return fmt.Errorf("%d rows at %d of %v: %w", n, at, set, err)
			}
			at += n
		}
	}
	return nil
}

// Elements that take no bytes count against the batch that holds them, not against rows that are passed.
func TestSkipNulls(t *testing.T) {
	const rows = 100_000
	lens := run(nil, rows/2, 1)
	lens = run(lens, rows/2, 1)
	b := build(rows, "",
		builtColumn{name: "n", typ: "null", blocks: []builtBlock{block(rows)}},
		builtColumn{name: "a", typ: "null", array: true, blocks: []builtBlock{block(rows, lens...)}},
		builtColumn{name: "k", typ: "null", parent: "a", blocks: []builtBlock{block(rows)}},
	)
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{BatchElements: 1000}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := f.splits[0]
	r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, project(t, f, nil), memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 40 {
		if _, err := r.Skip(1000); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(900); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Skip(100); err != nil {
			t.Fatal(err)
		}
		rec, err := r.Take()
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
	}
	if _, err := r.Read(2000); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("2000 elements in a batch: %v", err)
	}
}

// A split deep inside one block is entered from the block's beginning; runs are passed at once.
func TestDeepSplits(t *testing.T) {
	const rows = 1 << 30
	b := build(rows, "",
		builtColumn{name: "n", typ: "null", blocks: []builtBlock{block(rows)}},
		builtColumn{name: "a", typ: "null", array: true, blocks: []builtBlock{block(rows, run(nil, rows, 1)...)}},
		builtColumn{name: "b", typ: "boolean", array: true, blocks: []builtBlock{block(rows, run(nil, rows, 0)...)}},
		builtColumn{name: "s", typ: "string", array: true, blocks: []builtBlock{block(rows, run(nil, rows, 0)...)}},
	)
	f, err := openBytes(t, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := project(t, f, nil)
	splits := f.Splits()
	if len(splits) < 100 {
		t.Fatalf("%d splits", len(splits))
	}
	for _, s := range splits {
		rs := arrowio.RowSet{{Start: s.Rows.Start + 5, End: s.Rows.Start + 7}, {Start: s.Rows.End - 1, End: s.Rows.End}}
		err := conformance.EachBatch(f, s, rs, p, memory.NewGoAllocator(), 10, func(r arrow.Record) error {
			return conformance.ValidateRecord(r)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What null slots of wide types take is held to Limits.BatchBytes before it is allocated, and Fit tells beforehand.
func TestBatchBytes(t *testing.T) {
	const rows, width = 50_000, 1 << 20
	b := build(rows, optional(`{"type":"fixed","name":"F","size":1048576}`),
		builtColumn{name: "f/F", typ: "bytes", array: true, blocks: []builtBlock{block(rows, run(nil, rows, 0)...)}},
	)
	f, err := openBytes(t, b, Options{View: "records"})
	if err != nil {
		t.Fatal(err)
	}
	s := f.splits[0]
	r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, project(t, f, nil), memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := r.(arrowio.Sizer).Fit(rows, 4<<20)
	if n < 1 || n > 8 {
		t.Errorf("%d rows of %d bytes fit 4 MiB", n, width)
	}
	if _, err := r.Read(n); err != nil {
		t.Fatal(err)
	}
	before := allocated()
	if _, err := r.Read(rows - n); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("%d rows of %d bytes: %v", rows, width, err)
	}
	if more := allocated() - before; more > 64<<20 {
		t.Errorf("%d MiB allocated to find out", more>>20)
	}
}

// One row of a million of empty strings in a million bytes.
func TestBatchBytesOfValues(t *testing.T) {
	const n = 1_000_000
	raw := append(varint(nil, n), make([]byte, n)...)
	for _, typ := range []string{"string", "bytes", "long", "int"} {
		b := build(1, "", builtColumn{name: "a", typ: typ, array: true, codec: "deflate", blocks: []builtBlock{block(1, raw...)}})
		for _, x := range []struct {
			limit int64
			kind  error
		}{{0, nil}, {100_000, errs.ErrLimit}} {
			f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{BatchBytes: x.limit}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = conformance.Everything(f, memory.NewGoAllocator(), 1, func(r arrow.Record) error {
				if l := r.Column(0).(*array.List).ListValues().Len(); l != n {
					t.Errorf("%s: %d values", typ, l)
				}
				return nil
			})
			if !errors.Is(err, x.kind) {
				t.Errorf("%s, at most %d bytes: %v", typ, x.limit, err)
			}
		}
	}
}

// Enums without symbols can only be null.
func TestEnumOfNothing(t *testing.T) {
	b := build(4, optional(`{"type":"enum","name":"E","symbols":[]}`),
		builtColumn{name: "f/E", typ: "int", array: true, blocks: []builtBlock{block(4, run(nil, 4, 0)...)}},
	)
	f, err := openBytes(t, b, Options{View: "records"})
	if err != nil {
		t.Fatal(err)
	}
	s := f.splits[0]
	r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, project(t, f, nil), memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 4 {
		if _, err := r.Read(1); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if rec.Column(0).NullN() != 4 {
		t.Error(rec)
	}
}

// A reader that is misused says so and stays closed.
func TestMisuse(t *testing.T) {
	f := openFile(t, data+"java-1.12.1/rows7.trv", Options{})
	s := f.splits[0]
	open := func(rs arrowio.RowSet) arrowio.SplitReader {
		r, err := f.Read(context.Background(), s, rs, project(t, f, nil), memory.NewGoAllocator())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open(arrowio.RowSet{{Start: 0, End: 3}})
	if _, err := r.Read(8); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("more rows than there are: %v", err)
	}
	if _, err := r.Read(1); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("after an error: %v", err)
	}
	r.Close()
	r = open(arrowio.RowSet{{Start: 0, End: 3}})
	if _, err := r.Read(5); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("rows that were not planned: %v", err)
	}
	r.Close()
	r = open(arrowio.RowSet{s.Rows})
	r.Close()
	for _, err := range []error{r.Close(), func() error { _, err := r.Take(); return err }(), func() error { _, err := r.Skip(1); return err }()} {
		if err == nil {
			continue
		}
		if !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// Memory is given back wherever a reader is closed, and whatever goes wrong before.
func TestCloseEarly(t *testing.T) {
	for _, path := range []string{data + "java-1.12.1/nested3.trv", data + "java-1.12.1/avro-union.trv", data + "java-1.12.1/avro-maps.trv", data + "java-1.12.1/avro-logical.trv", corrupt + "bit-nested-1.trv"} {
		f := openFile(t, path, Options{})
		for n := range 10 {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			for _, s := range f.splits {
				r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, project(t, f, nil), mem)
				if err != nil {
					t.Fatal(err)
				}
				for range n {
					if _, err := r.Read(5); err != nil {
						break
					}
				}
				r.Close()
				r.Close()
			}
			mem.AssertSize(t, 0)
		}
	}
}
