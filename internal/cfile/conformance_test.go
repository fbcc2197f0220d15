package cfile

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// openBuilt writes a file and opens it, which must go.
func openBuilt(tb testing.TB, f *built, o Options) *File {
	tb.Helper()
	file, err := Open(context.Background(), local.NewBytesSource(f.build(tb)), arrowio.Limits{}, o)
	if err != nil {
		tb.Fatalf("%v: %v", f, err)
	}
	return file
}

// recut cuts an open file into splits of about so many rows, at the ends of blocks and between them.
func recut(f *File, rows int64) {
	f.splits = nil
	for at := int64(0); at < f.footer.Values; at += rows {
		s := arrowio.Split{Ordinal: len(f.splits), Rows: arrowio.RowRange{Start: at, End: min(at+rows, f.footer.Values)}, Bytes: 1}
		f.splits = append(f.splits, s)
	}
}

// compared counts the calls of compare, so that the sizes of batches take turns in plain runs.
var compared int

// compare reads a file in batches of several sizes and compares it with the rows that it was made of.
func compare(t *testing.T, f *built, o Options) {
	t.Helper()
	file := openBuilt(t, f, o)
	defer file.Close()
	want := expected(t, file.Schema().Field(0), f)
	defer want.Release()
	compared++
	for i, batch := range []int{1 << 16, 7, 100} {
		if (compared+i)%sampled > 0 {
			continue
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		got, err := conformance.Collect(t, file, mem, batch)
		switch {
		case err != nil:
			t.Errorf("%v: %v", f, err)
		case got == nil && want.NumRows() > 0:
			t.Errorf("%v: no rows", f)
		case got != nil:
			if err := conformance.Equal(want, got); err != nil {
				t.Errorf("%v in batches of %d: %v", f, batch, err)
			}
			got.Release()
		}
		mem.AssertSize(t, 0)
	}
}

// ways are how files are framed and indexed; variants takes one after the other.
var ways = []built{
	{},
	{compression: cfilewire.LZ4, fanout: 2},
	{compression: cfilewire.Snappy, version: 1, fanout: 3},
	{compression: cfilewire.Zlib, fanout: 4, deep: 3},
	{compression: cfilewire.LZ4, stored: true, plainSums: true, perBlock: 1000},
	{version: 1, perBlock: 33, plainSums: true},
	{compression: cfilewire.NoCompression, deep: 1, perBlock: 64},
}

// variants calls do with files of every type, encoding and pattern of nulls, of arrays too; n counts them.
func variants(rows int, do func(n int, name string, f *built)) {
	n := 0
	for _, x := range columnTypes {
		for _, e := range x.encodings {
			for _, arrays := range []bool{false, true} {
				for _, p := range patterns {
					r := rand.New(rand.NewSource(int64(n)))
					f := ways[n%len(ways)]
					f.typ, f.encoding, f.nullable = x.typ, e, p.null != nil
					if arrays {
						f.arrays = arraysOf(r, x.typ, rows, p.null)
					} else {
						f.rows = cellsOf(r, x.typ, rows, p.null)
					}
					if n%3 == 0 {
						f.dictMost = 3
					}
					do(n, fmt.Sprintf("%v/%s", &f, p.name), &f)
					n++
				}
			}
		}
	}
}

// Every type in every encoding, with all kinds of nulls, gives the rows it was made of.
func TestTypes(t *testing.T) {
	variants(650, func(_ int, name string, f *built) {
		f.version = max(f.version, 1)
		t.Run(name, func(t *testing.T) { compare(t, f, Options{Int128Binary: f.typ == cfilewire.Int128}) })
	})
}

// Files of all shapes behave as the contract says, in one split and in many small ones.
func TestConformance(t *testing.T) {
	variants(400, func(n int, name string, f *built) {
		if n%7 != 2 {
			return
		}
		if sampled == 1 || n%14 != 2 {
			runConformance(t, name, f, 0)
		}
		if n%14 == 2 {
			runConformance(t, name+"/small-splits", f, 70)
		}
	})
	for _, x := range []*built{
		{typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain},
		{typ: cfilewire.String, encoding: cfilewire.EncodingDict, nullable: true},
		{typ: cfilewire.Bool, encoding: cfilewire.EncodingRLE, rows: [][]byte{{1}}},
		{typ: cfilewire.Int64, encoding: cfilewire.EncodingRLE, nullable: true, rows: make([][]byte, 1)},
	} {
		runConformance(t, fmt.Sprintf("%v/%d-rows", x, len(x.rows)), x, 0)
	}
	r := rand.New(rand.NewSource(1))
	for _, x := range columnTypes {
		if x.typ.IsKey() {
			f := &built{typ: x.typ, encoding: x.encodings[len(x.encodings)-1], keyed: true, fanout: 3, perBlock: 37, rows: ascending(r, x.typ, 400)}
			runConformance(t, fmt.Sprintf("%v/key", f), f, 0)
		}
	}
}

func runConformance(t *testing.T, name string, f *built, split int64) {
	t.Run(name, func(t *testing.T) {
		o := Options{Int128Binary: f.typ == cfilewire.Int128}
		file := openBuilt(t, f, o)
		defer file.Close()
		want := expected(t, file.Schema().Field(0), f)
		defer want.Release()
		h := conformance.Harness{
			Source: local.NewBytesSource(f.build(t)),
			Scans:  4,
			Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
				file, err := Open(ctx, src, arrowio.Limits{}, o)
				if err != nil {
					return nil, err
				}
				if split > 0 {
					recut(file, split)
				}
				return file, nil
			},
		}
		if want.NumRows() > 0 {
			h.Want = []arrow.Record{want}
		}
		conformance.Run(t, h)
	})
}
