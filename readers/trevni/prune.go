package trevni

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Prune returns the rows of s that may satisfy pred. The first value of a block bounds its rows only in a column whose values
// ascend, and a file with trevni.values does not say whether they do. So Prune uses only columns that this module's writer has
// marked as ascending, or that Options.Sorted names. If their first values do not ascend, they are not used. See docs/adr/0003.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	all := arrowio.RowSet{s.Rows}
	sorted := map[string]*sortedColumn{}
	edges := []int64{s.Rows.Start, s.Rows.End}
	for _, name := range pred.Columns() {
		c, err := f.sortedColumn(ctx, name)
		if err != nil {
			return nil, locate(err)
		}
		if c == nil {
			continue
		}
		sorted[name] = c
		for _, b := range c.blocks {
			if b.Start > s.Rows.Start && b.Start < s.Rows.End {
				edges = append(edges, b.Start)
			}
		}
	}
	if len(sorted) == 0 {
		return all, nil
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var out arrowio.RowSet
	for i := 1; i < len(edges); i++ {
		r := arrowio.RowRange{Start: edges[i-1], End: edges[i]}
		truth := pred.Test(func(col string) expr.Evidence {
			c := sorted[col]
			if c == nil {
				return expr.StatsOnly{}
			}
			return expr.StatsOnly(c.stats(r))
		})
		if !truth.Skip() {
			out = out.Add(r)
		}
	}
	return out, nil
}

// sortedColumn is a column whose first values bound its blocks.
type sortedColumn struct {
	blocks []trevniwire.Block
	values []scalar.Scalar // the first value of each block
}

// stats bounds the rows of r, which lies within one block: its first value is the least, and the next block's first is
// no less than any.
func (c *sortedColumn) stats(r arrowio.RowRange) expr.Stats {
	i, found := slices.BinarySearchFunc(c.blocks, r.Start, func(b trevniwire.Block, row int64) int { return cmp.Compare(b.Start, row) })
	if !found {
		i--
	}
	st := expr.Stats{Min: c.values[i], Rows: r.Len(), Nulls: 0}
	if i+1 < len(c.values) {
		st.Max = c.values[i+1]
	}
	return st
}

// sortedColumn returns the bounds that a top-level field has, or nil.
func (f *File) sortedColumn(ctx context.Context, field string) (*sortedColumn, error) {
	path, err := expr.Resolve(f.tree.Schema, field)
	if err != nil || len(path) != 1 {
		return nil, nil //nolint:nilerr // a deeper field has no first values
	}
	n := f.tree.Roots[path[0]]
	if n.Kind != trevniwire.Leaf || n.Col < 0 || n.Opt >= 0 {
		return nil, nil
	}
	col := &f.header.Columns[n.Col]
	if !col.Values || !f.vouched(col) {
		return nil, nil
	}
	blocks, err := f.columnBlocks(ctx, n.Col)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	c := &sortedColumn{blocks: blocks}
	for i := range blocks {
		v, ok := firstScalar(col.Type, n.Field.Type, blocks[i].First)
		if !ok || i > 0 && descends(col.Type, blocks[i-1].First, blocks[i].First) {
			return nil, nil
		}
		c.values = append(c.values, v)
	}
	return c, nil
}

func (f *File) vouched(col *trevniwire.Column) bool {
	if _, ours := col.Meta.Get(trevniwire.KeySorted); ours {
		return true
	}
	return slices.Contains(f.opt.Sorted, col.Name) || slices.Contains(f.opt.Sorted, "*")
}

// firstScalar reads a first value as the Arrow type of its field; false for types that are not used for pruning.
func firstScalar(stored trevniwire.Type, t arrow.DataType, b []byte) (scalar.Scalar, bool) {
	switch stored {
	case trevniwire.Int, trevniwire.Fixed32, trevniwire.Long, trevniwire.Fixed64:
		v, ok := firstInt(stored, b)
		if !ok {
			return nil, false
		}
		switch t.ID() {
		case arrow.INT32:
			return scalar.NewInt32Scalar(int32(v)), true
		case arrow.INT64:
			return scalar.NewInt64Scalar(v), true
		case arrow.DATE32:
			return scalar.NewDate32Scalar(arrow.Date32(v)), true
		case arrow.TIME32:
			return scalar.NewTime32Scalar(arrow.Time32(v), t), true
		case arrow.TIME64:
			return scalar.NewTime64Scalar(arrow.Time64(v), t), true
		case arrow.TIMESTAMP:
			return scalar.NewTimestampScalar(arrow.Timestamp(v), t), true
		}
	case trevniwire.Float:
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		return scalar.NewFloat32Scalar(v), v == v
	case trevniwire.Double:
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		return scalar.NewFloat64Scalar(v), v == v
	case trevniwire.String:
		return scalar.NewStringScalar(string(b)), t.ID() == arrow.STRING
	}
	return nil, false
}

func firstInt(stored trevniwire.Type, b []byte) (int64, bool) {
	switch stored {
	case trevniwire.Int:
		v, _, err := bitpack.Zigzag[int32](b)
		return int64(v), err == nil
	case trevniwire.Long:
		v, _, err := bitpack.Zigzag[int64](b)
		return v, err == nil
	case trevniwire.Fixed32:
		return int64(int32(binary.LittleEndian.Uint32(b))), true
	}
	return int64(binary.LittleEndian.Uint64(b)), true
}

// descends reports whether first values a, b contradict an ascending column.
func descends(t trevniwire.Type, a, b []byte) bool {
	switch t {
	case trevniwire.Float:
		return math.Float32frombits(binary.LittleEndian.Uint32(a)) > math.Float32frombits(binary.LittleEndian.Uint32(b))
	case trevniwire.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(a)) > math.Float64frombits(binary.LittleEndian.Uint64(b))
	case trevniwire.String:
		return bytes.Compare(a, b) > 0
	}
	x, _ := firstInt(t, a)
	y, _ := firstInt(t, b)
	return x > y
}
