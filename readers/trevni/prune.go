package trevni

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Prune returns the rows of s that may satisfy pred. It uses the statistics that this module's writer stores, and first values.
// The first value of a block bounds its rows only in a column whose values ascend, and a file with trevni.values does not say
// whether they do. So Prune uses those only of columns that this module's writer has marked as ascending, or that Options.Sorted
// names. If their first values do not ascend, they are not used. See docs/adr/0003.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	all := arrowio.RowSet{s.Rows}
	known := map[string]knownColumn{}
	edges := []int64{s.Rows.Start, s.Rows.End}
	for _, name := range pred.Columns() {
		c, err := f.knownColumn(ctx, name)
		if err != nil {
			return nil, locate(err)
		}
		if c.sorted == nil && c.bounds == nil {
			continue
		}
		known[name] = c
		for _, b := range c.blocks {
			if b.Start > s.Rows.Start && b.Start < s.Rows.End {
				edges = append(edges, b.Start)
			}
		}
	}
	if len(known) == 0 {
		return all, nil
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var out arrowio.RowSet
	for i := 1; i < len(edges); i++ {
		r := arrowio.RowRange{Start: edges[i-1], End: edges[i]}
		truth := pred.Test(func(col string) expr.Evidence {
			c, ok := known[col]
			if !ok {
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

// knownColumn is a column of whose blocks something is known.
type knownColumn struct {
	blocks []trevniwire.Block
	sorted []scalar.Scalar     // the first value of each block, in a column that ascends; nil = not known
	bounds []trevniwire.Bounds // of the values of each block; nil = not known
	column *trevniwire.Column
	typ    arrow.DataType
}

// stats bounds the rows of r, which lies within one block.
func (c *knownColumn) stats(r arrowio.RowRange) expr.Stats {
	i, found := slices.BinarySearchFunc(c.blocks, r.Start, func(b trevniwire.Block, row int64) int { return cmp.Compare(b.Start, row) })
	if !found {
		i--
	}
	st := expr.Stats{Rows: r.Len(), Nulls: -1}
	if c.bounds != nil {
		b := &c.bounds[i]
		switch b.Nulls {
		case 0:
			st.Nulls = 0
		case c.blocks[i].Rows:
			st.Nulls = st.Rows
		}
		st.Min, st.Max = boundScalars(b, c.column.Type, c.typ)
		return st
	}
	// The first value is the least, and the next block's first is no less than any.
	st.Min, st.Nulls = c.sorted[i], 0
	if i+1 < len(c.sorted) {
		st.Max = c.sorted[i+1]
	}
	return st
}

// knownColumn returns what is known of a field; nothing of one within a list, a map or a union.
func (f *File) knownColumn(ctx context.Context, field string) (c knownColumn, err error) {
	path, err := expr.Resolve(f.tree.Schema, field)
	if err != nil {
		return c, nil //nolint:nilerr // an element of a list, or the like
	}
	n := f.leaf(path)
	if n == nil {
		return c, nil
	}
	c.column, c.typ = &f.header.Columns[n.Col], n.Field.Type
	sorted := c.column.Values && f.vouched(c.column)
	stats, has := c.column.Meta.Get(trevniwire.KeyStats)
	if !sorted && !has {
		return c, nil
	}
	if c.blocks, err = f.columnBlocks(ctx, n.Col); err != nil || len(c.blocks) == 0 {
		return c, err
	}
	if has && n.Enum == nil {
		if c.bounds, _ = f.bounds(n.Col, stats, c.blocks); c.bounds != nil {
			return c, nil
		}
		// They are of other blocks, so the mark is of other blocks, too.
		if !slices.Contains(f.opt.Sorted, c.column.Name) && !slices.Contains(f.opt.Sorted, "*") {
			return c, nil // verify tells
		}
	}
	if !sorted || len(path) > 1 || n.Opt >= 0 {
		return c, nil
	}
	for i := range c.blocks {
		v, ok := firstScalar(c.column.Type, c.typ, c.blocks[i].First)
		if !ok || i > 0 && descends(c.column.Type, c.blocks[i-1].First, c.blocks[i].First) {
			c.sorted = nil
			return c, nil
		}
		c.sorted = append(c.sorted, v)
	}
	return c, nil
}

// leaf returns the leaf at a path that leads through structs alone, and nil for any other.
func (f *File) leaf(path []int) *trevniwire.Node {
	nodes := f.tree.Roots
	for k, i := range path {
		if i >= len(nodes) {
			return nil
		}
		n := nodes[i]
		switch {
		case k == len(path)-1 && n.Kind == trevniwire.Leaf && n.Col >= 0:
			return n
		case n.Kind != trevniwire.Struct:
			return nil
		}
		nodes = n.Children
	}
	return nil
}

// bounds returns the statistics of column i, parsed the first time; nil with an error if they cannot be used.
func (f *File) bounds(i int, stats []byte, blocks []trevniwire.Block) ([]trevniwire.Bounds, error) {
	f.mu.Lock()
	b, known := f.stats[i]
	f.mu.Unlock()
	if known {
		return b, nil
	}
	b, err := trevniwire.ParseStatistics(stats, &f.header.Columns[i], blocks)
	f.mu.Lock()
	if f.stats == nil {
		f.stats = map[int][]trevniwire.Bounds{}
	}
	f.stats[i] = b
	f.mu.Unlock()
	return b, err
}

// boundScalars returns bounds as values of the Arrow type of their field; nil for those that are not known.
func boundScalars(b *trevniwire.Bounds, stored trevniwire.Type, t arrow.DataType) (low, high scalar.Scalar) {
	number := func(i int64, x float64, text []byte) scalar.Scalar {
		switch {
		case stored == trevniwire.Float:
			return scalar.NewFloat32Scalar(float32(x))
		case stored == trevniwire.Double:
			return scalar.NewFloat64Scalar(x)
		case t.ID() == arrow.STRING:
			return scalar.NewStringScalar(string(text))
		case t.ID() == arrow.BINARY && stored == trevniwire.Bytes:
			return scalar.NewBinaryScalar(memory.NewBufferBytes(text), t)
		}
		return intScalar(i, t)
	}
	if b.Min {
		low = number(b.MinInt, b.MinFloat, b.MinText)
	}
	if b.Max {
		high = number(b.MaxInt, b.MaxFloat, b.MaxText)
	}
	return low, high
}

// intScalar returns a stored integer as a value of an Arrow type; nil for types that are not used for pruning.
func intScalar(v int64, t arrow.DataType) scalar.Scalar {
	switch t.ID() {
	case arrow.INT32:
		return scalar.NewInt32Scalar(int32(v))
	case arrow.INT64:
		return scalar.NewInt64Scalar(v)
	case arrow.DATE32:
		return scalar.NewDate32Scalar(arrow.Date32(v))
	case arrow.TIME32:
		return scalar.NewTime32Scalar(arrow.Time32(v), t)
	case arrow.TIME64:
		return scalar.NewTime64Scalar(arrow.Time64(v), t)
	case arrow.TIMESTAMP:
		return scalar.NewTimestampScalar(arrow.Timestamp(v), t)
	}
	return nil
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
		s := intScalar(v, t)
		return s, s != nil
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
