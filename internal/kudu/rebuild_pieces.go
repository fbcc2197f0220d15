package kudu

import (
	"context"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
)

// maxPieces bounds the blocks without superblocks that are put together: their descriptions take about 1 GiB.
const maxPieces = 1 << 22

// pieces describes the blocks that no superblock names. Superblocks that cannot be read name none.
func (s *server) pieces(ctx context.Context) ([]*rebuild.Piece, error) {
	ids, err := s.blocks.IDs(ctx)
	if err != nil {
		return nil, err
	}
	used, err := s.usedBlocks()
	if err != nil {
		return nil, err
	}
	var out []*rebuild.Piece
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, ok := slices.BinarySearch(used, id); ok {
			continue
		}
		if len(out) == maxPieces {
			return nil, errs.Errorf(errs.ErrLimit, "kudu: more than %d blocks that no superblock names: that is more than can be put together", maxPieces)
		}
		p, err := s.piece(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// usedBlocks returns the blocks that superblocks name, orphans included, sorted.
func (s *server) usedBlocks() (used []uint64, err error) {
	ids, err := s.dirs.Tablets()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		sb, _ := s.dirs.SuperBlock(id)
		if sb == nil {
			continue
		}
		for _, u := range sb.Blocks() {
			used = append(used, u.Block)
		}
		used = append(used, sb.Orphaned...)
	}
	slices.Sort(used)
	return used, nil
}

// seqBits are those of a block's id that count up; with the file block manager the others are the number of the data directory.
const seqBits = 48

// piece describes a block. An error is one of the context.
func (s *server) piece(ctx context.Context, id uint64) (*rebuild.Piece, error) {
	p := &rebuild.Piece{ID: id, Seq: id, Kind: rebuild.Unreadable}
	if len(s.blocks.files) > 0 {
		p.Seq &= 1<<seqBits - 1
	}
	src, c, err := s.blocks.Open(id)
	if err != nil {
		return p, ctx.Err()
	}
	defer c.Close()
	if s.opt.through != nil {
		src = s.opt.through(id, src)
	}
	r, err := cfile.OpenReader(ctx, src, s.limits)
	if err != nil {
		return p, ctx.Err()
	}
	f := r.Footer()
	if r.Kind() == cfilewire.DeltaFile {
		if p.Changes, err = sumDeltas(ctx, r); err != nil {
			return p, ctx.Err()
		}
	}
	p.Kind, p.Type, p.Nullable, p.Array, p.Rows = r.Kind(), f.Type, f.Nullable, f.Array, f.Values
	p.Keyed = p.Kind == cfilewire.ColumnFile && f.Val != nil && !f.Nullable && f.Type.IsKey()
	return p, ctx.Err()
}

// maxChangedColumns bounds the columns whose changes are told apart.
const maxChangedColumns = 1 << 16

// sumDeltas reads a delta file. Blocks of it that are damaged are passed over.
func sumDeltas(ctx context.Context, r *cfile.Reader) (out rebuild.Changes, err error) {
	d, err := r.NewDeltas(ctx, arrowio.RowRange{End: math.MaxInt64}, nil)
	if err != nil {
		return out, err
	}
	d.Pass = func(error) {}
	columns := map[int32]*rebuild.ChangedColumn{}
	last, lastTime := int64(-1), uint64(0)
	var order rebuild.Order
	for d.Next() {
		if d.Key.Row != last {
			out.Rows++
		} else if d.Key.Time != lastTime {
			now := rebuild.OrderAscending
			if d.Key.Time < lastTime {
				now = rebuild.OrderDescending
			}
			switch order {
			case rebuild.OrderUnknown:
				order = now
			case now:
			default:
				order = rebuild.OrderMixed
			}
		}
		last, lastTime = d.Key.Row, d.Key.Time
		if out.MinTime == 0 || d.Key.Time < out.MinTime {
			out.MinTime = d.Key.Time
		}
		out.MaxTime = max(out.MaxTime, d.Key.Time)
		op, c, wrong := cfilewire.ParseChange(d.Change)
		if wrong != nil {
			continue
		}
		switch op {
		case cfilewire.Delete:
			out.Deletes++
		case cfilewire.Reinsert:
			out.Reinserts++
		default:
			out.Updates++
		}
		for c.Next() {
			u := columns[c.Column]
			if u == nil {
				if len(columns) == maxChangedColumns {
					return out, errs.Errorf(errs.ErrLimit, "deltas of more than %d columns", maxChangedColumns)
				}
				u = &rebuild.ChangedColumn{ID: c.Column, Width: len(c.Value)}
				if c.Null {
					u.Width = rebuild.NoWidth
				}
				columns[c.Column] = u
			}
			switch {
			case c.Null:
				u.Null = true
			case u.Width == rebuild.NoWidth:
				u.Width = len(c.Value)
			case u.Width != len(c.Value):
				u.Width = rebuild.SeveralWidths
			}
		}
	}
	out.Last, out.Order = last, order
	for _, u := range columns {
		out.Columns = append(out.Columns, *u)
	}
	slices.SortFunc(out.Columns, func(a, b rebuild.ChangedColumn) int { return int(a.ID) - int(b.ID) })
	return out, d.Err
}
