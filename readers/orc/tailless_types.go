package orc

import (
	"cmp"
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// comparedStripes is how many stripes a schema is compared with: the first ones.
const comparedStripes = 8

// compare returns an error if the statistics in the row indexes are of other types than those of the schema that was given: bytes of
// one type read as another would mostly be values of it, too.
func (s *stripeScan) compare() error {
	for i, x := range s.found[:min(len(s.found), comparedStripes)] {
		for _, stream := range x.footer.Streams {
			if stream.Kind != orcwire.RowIndex || stream.Length == 0 || stream.Length > s.f.limits.MetadataBytes || stream.Column >= len(s.types) {
				continue
			}
			b, err := s.f.fetchBytes(s.ctx, x.info.Offset+stream.Offset, stream.Length)
			if err != nil {
				return err
			}
			entries, err := s.entries(b, s.compression)
			if err != nil {
				continue // damage is found, and reported, when the stripe is surveyed
			}
			t := s.types[stream.Column]
			for k := range entries {
				st, err := entries[k].ColumnStats()
				if err != nil {
					break // likewise
				}
				is, want := kindOfStats(&st), statsOfKind(t.Kind)
				if is == "" || want == "" || is == want {
					continue
				}
				e := errs.Errorf(errs.ErrOption, "%w says %s, and the statistics of stripe %d are those of %s", errs.Opt("schema", ""), t.Kind, i, is)
				e.Format, e.Column = Name, cmp.Or(t.Path(), fmt.Sprintf("#%d", t.ID))
				return e
			}
		}
	}
	return nil
}

// kindOfStats returns what statistics are about; "" = they do not say.
func kindOfStats(st *orcwire.ColumnStats) string {
	switch {
	case st.Int != nil:
		return "integers"
	case st.Double != nil:
		return "floats"
	case st.String != nil:
		return "text"
	case st.Bool != nil:
		return "booleans"
	case st.Decimal != nil:
		return "decimals"
	case st.Date != nil:
		return "dates"
	case st.Binary != nil:
		return "binary values"
	case st.Timestamp != nil:
		return "timestamps"
	case st.Collection != nil:
		return "lists or maps"
	}
	return ""
}

// statsOfKind returns what the statistics of a type are about; "" = it has none of its own.
func statsOfKind(k orcwire.Kind) string {
	switch k {
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		return "integers"
	case orcwire.Float, orcwire.Double:
		return "floats"
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		return "text"
	case orcwire.Boolean:
		return "booleans"
	case orcwire.Decimal:
		return "decimals"
	case orcwire.Date:
		return "dates"
	case orcwire.Binary:
		return "binary values"
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return "timestamps"
	case orcwire.List, orcwire.Map:
		return "lists or maps"
	}
	return ""
}
