package trevni_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
)

// readBack compares what the reader makes of a file with what it must hold, in both views, and has it verified.
func readBack(t testing.TB, w written, mem memory.Allocator) {
	t.Helper()
	lim := arrowio.Limits{}.WithDefaults()
	h, err := trevniwire.ParseHeader(w.bytes, int64(len(w.bytes)), lim)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trevniwire.ColumnsView(h, lim)
	if err != nil {
		t.Fatal(err)
	}
	_, recs := scan(t, w.bytes, "columns", mem, 50)
	var got []string
	for _, rec := range recs {
		got = append(got, trevnitext.Raw(tree, len(h.Columns), rec)...)
	}
	release(recs)
	sameLines(t, w.name+", columns", got, w.raw[1:])
	if w.avro != nil {
		text, _ := h.Meta.Get(trevniwire.KeyAvro)
		s, err := trevniwire.ParseAvro(text, lim)
		if err != nil {
			t.Fatal(err)
		}
		_, recs := scan(t, w.bytes, "records", mem, 1000)
		got = nil
		for _, rec := range recs {
			got = append(got, trevnitext.Avro(s, rec)...)
		}
		release(recs)
		sameLines(t, w.name+", records", got, w.avro[1:])
	}
	verify(t, w.name, w.bytes)
}

// verify has the reader check every block of a file.
func verify(t testing.TB, name string, b []byte) {
	t.Helper()
	ctx := context.Background()
	f, err := reader.Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Verify(ctx, func(err error) { t.Errorf("%s: %v", name, err) }); err != nil {
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

// TestRandom writes samples of every type and layout, and reads them back.
func TestRandom(t *testing.T) {
	for seed := range int64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			s := newRandomizer(rand.NewSource(seed), mem).sample(300)
			defer s.release()
			for _, w := range writeSample(t, s) {
				readBack(t, w, mem)
			}
			if t.Failed() {
				t.Logf("%s\n%+v", s.schema, s.options)
			}
		})
	}
}
