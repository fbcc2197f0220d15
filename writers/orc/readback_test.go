package orc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/readers/orc"
)

// open opens a file's bytes.
func open(t testing.TB, name string, b []byte, o reader.Options) arrowio.File {
	t.Helper()
	f, err := reader.Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// scan reads a file's bytes; the caller releases the batches.
func scan(t testing.TB, b []byte, o reader.Options, so arrowio.ScanOptions) []arrow.Record {
	t.Helper()
	f := open(t, "scan", b, o)
	defer f.Close()
	rr, err := arrowio.Scan(context.Background(), f, so)
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var recs []arrow.Record
	for rr.Next() {
		r := rr.Record()
		r.Retain()
		recs = append(recs, r)
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
	return recs
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// readBack compares what the reader makes of a file with what it must hold, and has it verified.
func readBack(t testing.TB, s *sample, w written) {
	t.Helper()
	var o reader.Options
	if s.far { // nanoseconds would not hold the times: then only the number of rows is looked at
		second := arrow.Second
		o.Unit = &second
	}
	recs := scan(t, w.bytes, o, arrowio.ScanOptions{BatchRows: 70, Parallelism: 1})
	defer release(recs)
	var got []string
	for _, rec := range recs {
		if err := conformance.ValidateRecord(rec); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		got = append(got, expectedRows(rec, false)...)
	}
	if s.far {
		if len(got) != len(w.rows) {
			t.Errorf("%s: %d rows, want %d", w.name, len(got), len(w.rows))
		}
	} else {
		sameLines(t, w.name, withoutNullUnions(got), withoutNullUnions(w.rows))
	}
	verify(t, w.name, w.bytes)
}

// withoutNullUnions makes a null of unions whose value is null in their first child: Arrow's unions are never null
// themselves, so that is what null unions are read as.
func withoutNullUnions(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		for before := ""; before != l; {
			before, l = l, strings.ReplaceAll(l, `{"tag":0,"value":null}`, "null")
		}
		out[i] = l
	}
	return out
}

// verify has the reader check every stream, position, statistic and bloom filter of a file.
func verify(t testing.TB, name string, b []byte) {
	t.Helper()
	f := open(t, name, b, reader.Options{})
	defer f.Close()
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func sameLines(t testing.TB, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d: %.500s\nwant %.500s", name, i, got[i], want[i])
		}
	}
}

// TestRandom writes samples of every type and layout with all options, and reads them back.
func TestRandom(t *testing.T) {
	t.Parallel()
	for seed := int64(0); seed < 120; seed += (sampled + 1) / 2 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			s := newRandomizer(1_000+seed, memory.NewGoAllocator()).sample(1_500)
			defer s.release()
			s.options.Allocator = mem
			for _, w := range writeSample(t, s) {
				readBack(t, s, w)
			}
			if t.Failed() {
				t.Logf("%s\n%+v", s.schema, s.options)
			}
		})
	}
}
