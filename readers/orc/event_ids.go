package orc

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// RowIDs holds the row ids of consecutive events: Values or, if that is nil, the Count numbers First, First+1 and so on.
type RowIDs struct {
	Values []int64
	First  int64
	Count  int
}

// idRows is how many row ids are decoded together.
const idRows = 4096

// ReadRowIDs calls each with the row ids of a split, in order. row is the number in the file of the first row of ids; ids is
// valid until each returns. Ids that count up by one according to the file, as those of rows inserted by Hive do, are not
// decoded. The file must show rows; see ShowRows. ReadRowIDs returns false, and reads nothing, if some ids may be null.
func (f *File) ReadRowIDs(ctx context.Context, s arrowio.Split, mem memory.Allocator, each func(row int64, ids RowIDs) error) (bool, error) {
	index, field := f.EventIndex(RowID)
	p := arrowio.Projection{Schema: arrow.NewSchema([]arrow.Field{field}, nil), Fields: []arrowio.ProjectedField{{Index: index}}}
	opened, err := f.Read(ctx, s, arrowio.RowSet{}.Add(s.Rows), p, mem)
	if err != nil {
		return false, err
	}
	defer func() { _ = opened.Close() }() // it was only read
	r, ok := opened.(*splitReader)
	if !ok {
		return false, nil
	}
	n := r.tree.roots[0]
	ids, ok := n.content.(*ints[int64])
	if !ok || n.presence.there {
		return false, nil
	}
	return true, r.rowIDs(ctx, n, ids, each)
}

func (r *splitReader) rowIDs(ctx context.Context, n *node, c *ints[int64], each func(row int64, ids RowIDs) error) error {
	fail := func(err error) error {
		r.err = errs.Locate(kinded(n.located(c.data.fail(err))), errs.At{Format: Name, Split: errs.N(r.ordinal)})
		return r.err
	}
	g := n.branch
	if err := g.move(r.row - r.start); err != nil {
		return fail(err)
	}
	var buf []int64
	for r.row < r.end {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		left := int(r.end - r.row)
		var ids RowIDs
		if ids.First, ids.Count = c.runs.CountUp(left); ids.Count == 0 {
			// What has been begun is finished first: whole runs come behind it.
			k := min(left, idRows)
			if begun := c.runs.Decoded(); begun > 0 {
				k = min(k, begun)
			}
			buf = grow(buf, k+bitpack.DstSlack/8)[:k]
			ids = RowIDs{Values: buf, Count: k}
			if err := c.runs.Next(buf); err != nil {
				return fail(err)
			}
		}
		row := r.row
		r.row += int64(ids.Count)
		g.row = r.row - r.start
		r.tree.row = g.row
		if err := each(row, ids); err != nil {
			return err
		}
	}
	return nil
}
