package parquet

import (
	"context"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Summary tells what is exact of a column by the statistics of the column chunks. Bounds of text and bytes are values of the column only
// where the file says so. Of floating point numbers none are known: writers differ in what they do with NaN.
func (f *parquetFile) Summary(_ context.Context, path string) (expr.Summary, error) {
	unknown := expr.Summary{Nulls: -1}
	n := f.leafAt(path)
	if n == nil || !f.countsNulls(n) {
		return unknown, nil
	}
	var out expr.Summary
	bounded := true
	for g, split := range f.splits {
		ch := f.chunk(chunkID{g, n.column})
		rows := split.Rows.Len()
		if ch.Values != rows || ch.Stats.Nulls < 0 || ch.Stats.Nulls > rows {
			return unknown, nil
		}
		out.Nulls += ch.Stats.Nulls
		if ch.Stats.Nulls == rows {
			continue
		}
		lo, hi := n.bounds(&ch.Stats, f.ordered(n))
		if bounded = bounded && lo != nil && hi != nil && f.exact(n, &ch.Stats); !bounded {
			continue
		}
		if out.Min == nil {
			out.Min, out.Max = lo, hi
			continue
		}
		below, ok := less(lo, out.Min)
		above, alike := less(out.Max, hi)
		bounded = ok && alike
		if below {
			out.Min = lo
		}
		if above {
			out.Max = hi
		}
	}
	if !bounded {
		out.Min, out.Max = nil, nil
	}
	return out, nil
}

// exact reports whether the bounds of a chunk are values of the column.
func (f *parquetFile) exact(n *node, s *decode.Stats) bool {
	if !s.HasMin || !s.HasMax || !f.countsExactly() && n.maxDef > 1 {
		return false
	}
	switch n.elem.Type {
	case decode.Boolean, decode.Int32, decode.Int64:
		return true
	case decode.ByteArray, decode.Fixed:
		return s.MinExact && s.MaxExact && n.elem.Kind != decode.Float16
	}
	return false
}
