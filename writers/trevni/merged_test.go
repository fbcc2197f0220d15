package trevni_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/splitcopy"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
)

func merged(t *testing.T, files ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var to splitcopy.Copy
	for _, b := range files {
		f, err := reader.Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if to == nil {
			to = f.NewCopy(&out, splitcopy.Options{})
		}
		if err := to.Add(t.Context(), f, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestMerged: of merged files, the bounds of blocks are those of the rows, and a column is only said to ascend if it does.
func TestMerged(t *testing.T) {
	rec := measured(90_000, 5)
	defer rec.Release()
	var pieces [][]byte
	for i := range int64(3) {
		part := rec.NewSlice(30_000*i, 30_000*(i+1))
		defer part.Release()
		for _, b := range write(t, rec.Schema(), []arrow.Record{part}, arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"trevni-values": "up"}}) {
			pieces = append(pieces, b)
		}
	}
	whole := merged(t, pieces...)
	verify(t, "merged", whole)
	h, blocks := layout(t, whole)
	if h.Rows != rec.NumRows() {
		t.Fatalf("%d rows, want %d", h.Rows, rec.NumRows())
	}
	columns := 0
	for i, c := range h.Columns {
		_, ascends := c.Meta.Get(trevniwire.KeySorted)
		if ascends != (c.Name == "up") {
			t.Errorf("%s: ascending: %v", c.Name, ascends)
		}
		stats, ok := c.Meta.Get(trevniwire.KeyStats)
		if !ok {
			continue
		}
		columns++
		bounds, err := trevniwire.ParseStatistics(stats, &h.Columns[i], blocks[i])
		if err != nil {
			t.Fatal(err)
		}
		for k, b := range bounds {
			checkBounds(t, &c, &b, rec, blocks[i][k].Start, blocks[i][k].End())
		}
	}
	if columns < 11 {
		t.Errorf("statistics of %d columns", columns)
	}
	slices.Reverse(pieces)
	h, _ = layout(t, merged(t, pieces...))
	for _, c := range h.Columns {
		if _, ascends := c.Meta.Get(trevniwire.KeySorted); ascends {
			t.Errorf("%s is said to ascend, but the last file comes first", c.Name)
		}
	}
}
