package trevni_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
)

// TestForgedStatistics: statistics that are damaged or of other blocks leave out no rows, nor does the mark of a column that
// ascends then; statistics that are wrong are named by verify.
func TestForgedStatistics(t *testing.T) {
	s := fieldsOf("up", arrow.PrimitiveTypes.Int64)
	rec := build(memory.DefaultAllocator, s, 100_000, func(b *array.RecordBuilder, i int) { b.Field(0).(*array.Int64Builder).Append(int64(i)) })
	defer rec.Release()
	var file []byte
	for _, file = range write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{}) {
	}
	h, blocks := layout(t, file)
	stats, ok := h.Columns[0].Meta.Get(trevniwire.KeyStats)
	if !ok || !h.Columns[0].Values || len(blocks[0]) < 3 {
		t.Fatalf("%+v", h.Columns[0])
	}
	bounds, err := trevniwire.ParseStatistics(stats, &h.Columns[0], blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	forge := func(change func(i int, b *trevniwire.Bounds)) []byte {
		var out []byte
		for i, b := range bounds {
			change(i, &b)
			out = trevniwire.AppendBounds(out, trevniwire.Long, &b)
		}
		return trevniwire.AppendStatistics(nil, blocks[0], out)
	}
	flipped := slices.Clone(stats)
	flipped[len(flipped)-1] ^= 4
	others := slices.Clone(blocks[0])
	others[1].Rows++
	for _, c := range []struct {
		name   string
		stats  []byte
		verify string
		prunes bool
		rows   int
	}{
		{"as written", stats, "", true, 2},
		{"a bit flipped", flipped, "checksum is wrong", false, 2},
		{"cut off", stats[:3], "not enough bytes", false, 2},
		{"of another version", append([]byte{9}, stats[1:]...), "version 9", false, 2},
		{"of other blocks", trevniwire.AppendStatistics(nil, others, stats[trevniwire.StatisticsSize:]), "other blocks", false, 2},
		{"minimum above maximum", forge(func(i int, b *trevniwire.Bounds) { b.MinInt = b.MaxInt + 1 }), "contradict", false, 2},
		{"more nulls than rows", forge(func(i int, b *trevniwire.Bounds) { b.Nulls = 1 << 40 }), "contradict", false, 2},
		{"wrong minimum", forge(func(i int, b *trevniwire.Bounds) { b.MinInt++ }), "not within the bounds", true, 1},
		{"wrong maximum", forge(func(i int, b *trevniwire.Bounds) { b.MaxInt-- }), "not within the bounds", true, 2},
		{"wrong nulls", forge(func(i int, b *trevniwire.Bounds) { b.Nulls++ }), "count 1 nulls", true, 2},
	} {
		n := *h
		n.Columns = slices.Clone(h.Columns)
		n.Columns[0].Start = 0
		n.Columns[0].Meta = nil
		for _, p := range h.Columns[0].Meta {
			if p.Key == trevniwire.KeyStats {
				p.Value = c.stats
			}
			n.Columns[0].Meta = append(n.Columns[0].Meta, p)
		}
		forged := append(trevniwire.AppendHeader(nil, &n), file[h.Size:]...)
		f, err := reader.Open(t.Context(), local.NewBytesSource(forged), arrowio.Limits{}, reader.Options{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var faults []string
		if err := f.Verify(t.Context(), func(err error) { faults = append(faults, err.Error()) }); err != nil {
			t.Fatal(c.name, err)
		}
		if got := strings.Join(faults, "\n"); c.verify == "" && got != "" || !strings.Contains(got, c.verify) {
			t.Errorf("%s: verify says %q", c.name, got)
		}
		// The blocks have checksums, which are right: a salvage takes the statistics for wrong, not the values.
		saved, err := reader.Format().Open(t.Context(), local.NewBytesSource(forged), arrowio.OpenOptions{Options: map[string]string{"salvage": "rows"}})
		if err != nil {
			t.Fatal(c.name, err)
		}
		left := int64(0)
		for _, s := range saved.Splits() {
			left += s.Rows.Len()
		}
		if err := saved.Close(); err != nil || left != rec.NumRows() {
			t.Errorf("%s: a salvage has %d rows (%v)", c.name, left, err)
		}
		e, err := expr.Parse("up = 0 OR up = 50000")
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(e, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		set, err := f.Prune(t.Context(), f.Splits()[0], bound)
		if err != nil {
			t.Fatal(err)
		}
		if pruned := set.Len() < rec.NumRows(); pruned != c.prunes {
			t.Errorf("%s: %d rows are left", c.name, set.Len())
		}
		sc, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Filter: e})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for sc.Next() {
			rows += int(sc.Record().NumRows())
		}
		sc.Release()
		if sc.Err() != nil || rows != c.rows {
			t.Errorf("%s: %d rows, want %d (%v)", c.name, rows, c.rows, sc.Err())
		}
	}
	if binary.BigEndian.Uint32(stats[1:]) == 0 {
		t.Error("no checksum")
	}
}
