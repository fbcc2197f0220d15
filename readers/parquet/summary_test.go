package parquet

import (
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Bounds that may be none of the values are not known, nor is what was not counted.
func TestSummary(t *testing.T) {
	rec := table(1000)
	defer rec.Release()
	b := written(t, []arrow.Record{rec}, "none", nil)
	nulls := int64(rec.Column(2).NullN())
	for _, c := range []struct {
		name, column string
		change       func(f *parquetFile, s *decode.Stats)
		nulls        int64
		text         string // bounds; "" = they are not known
	}{
		{"as written", "id", nil, 0, "0 999"},
		{"text", "text", nil, 0, "even 0000000 even 0001998"},
		{"cut text", "text", func(_ *parquetFile, s *decode.Stats) { s.Max, s.MaxExact = []byte("f"), false }, 0, ""},
		{"no minimum", "id", func(_ *parquetFile, s *decode.Stats) { s.HasMin = false }, 0, ""},
		{"deprecated bounds", "id", func(_ *parquetFile, s *decode.Stats) {
			number := binary.LittleEndian.AppendUint64(nil, 7)
			*s = decode.Stats{OldMin: number, OldMax: number, HasOld: true}
		}, 0, ""},
		{"nulls that were not counted", "id", func(_ *parquetFile, s *decode.Stats) { s.Nulls = -1 }, -1, ""},
		{"more nulls than rows", "id", func(_ *parquetFile, s *decode.Stats) { s.Nulls = 1001 }, -1, ""},
		{"only nulls", "id", func(_ *parquetFile, s *decode.Stats) { s.Nulls = 1000 }, 1000, ""},
		{"a column with nulls of DuckDB", "i", func(f *parquetFile, _ *decode.Stats) { f.footer.CreatedBy = "DuckDB" }, nulls, "-32663 31085"},
		{"a field of DuckDB", "s.a", func(f *parquetFile, _ *decode.Stats) { f.footer.CreatedBy = "DuckDB" }, -2, ""},
		{"a list", "l", nil, -1, ""},
		{"a struct", "s", nil, -1, ""},
		{"no column", "none", nil, -1, ""},
	} {
		f, err := openBytes(b, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p := f.(*parquetFile)
		if c.change != nil {
			c.change(p, &p.footer.Groups[0].Chunks[p.leafAt(c.column).column].Stats)
		}
		s, err := p.Summary(t.Context(), c.column)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if s.Min != nil {
			text = boundText(s.Min) + " " + boundText(s.Max)
		}
		if s.Nulls != c.nulls && c.nulls != -2 || text != c.text {
			t.Errorf("%s: %d nulls, %q, want %d and %q", c.name, s.Nulls, text, c.nulls, c.text)
		}
	}
}
