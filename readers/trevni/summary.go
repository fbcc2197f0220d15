package trevni

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Summary tells what is exact of a column by the statistics that this module's writer stores; of other files it is known which columns
// cannot have nulls. Bounds of text and bytes are cut, so they are no values.
func (f *File) Summary(ctx context.Context, path string) (expr.Summary, error) {
	out := expr.Summary{Nulls: -1}
	c, err := f.knownColumn(ctx, path)
	if err != nil {
		return out, locate(err)
	}
	if c.bounds == nil {
		if f.neverNull(path) {
			out.Nulls = 0
		}
		return out, nil
	}
	rows, nulls, any, bounded := int64(0), int64(0), false, true
	var all trevniwire.Bounds
	for i := range c.bounds {
		b := &c.bounds[i]
		rows += c.blocks[i].Rows
		nulls += b.Nulls
		switch {
		case b.Nulls == c.blocks[i].Rows:
		case !b.Min || !b.Max:
			bounded = false
		case !any:
			all, any = *b, true
		default:
			all.MinInt, all.MaxInt = min(all.MinInt, b.MinInt), max(all.MaxInt, b.MaxInt)
			all.MinFloat, all.MaxFloat = min(all.MinFloat, b.MinFloat), max(all.MaxFloat, b.MaxFloat)
		}
	}
	if rows != f.header.Rows {
		return out, nil
	}
	out.Nulls = nulls
	if any && bounded {
		out.Min, out.Max = boundScalars(&all, c.column.Type, c.typ)
	}
	if _, text := out.Min.(scalar.BinaryScalar); text {
		out.Min, out.Max = nil, nil
	}
	return out, nil
}

// neverNull reports whether a column of the file has a value in every row.
func (f *File) neverNull(path string) bool {
	at, err := expr.Resolve(f.tree.Schema, path)
	if err != nil || len(at) != 1 {
		return false
	}
	n := f.leaf(at)
	if n == nil || n.Opt >= 0 {
		return false
	}
	c := &f.header.Columns[n.Col]
	return !c.Array && c.Parent < 0 && c.Type != trevniwire.Null
}
