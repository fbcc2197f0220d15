package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// sizes bound splits: large enough that opening their columns does not matter, small enough that every core gets its share
// of a rowset and that its changes fit in memory.
type sizes struct {
	rows    int64
	bytes   int64
	updates int64 // changed cells
	// kept bounds the memory in which parts remember which rows are there: beyond it they look again.
	kept int64
}

var usualSizes = sizes{rows: 1 << 20, bytes: 64 << 20, updates: 1 << 20, kept: 16 << 20}

// cut makes splits of a rowset.
func (f *File) cut(ctx context.Context, rs *rowset) error {
	changed := int64(len(rs.log))
	some := rs.hidden != nil
	for _, d := range append(rs.undo[:len(rs.undo):len(rs.undo)], rs.redo...) {
		for _, u := range d.stats.Updates {
			changed += u.Count
		}
		changed += d.stats.Reinserts * int64(len(f.columns))
		some = some || d.stats.Deletes > 0
	}
	for _, d := range rs.log {
		some = some || d.change[0] == deleteChange[0]
	}
	count := max(1, rs.rows/f.sizes.rows, changed/f.sizes.updates, f.storedBytes(rs)/f.sizes.bytes)
	count = min(count, max(1, rs.rows), int64(max(1, f.limits.Splits)))
	for i := range count {
		p := &part{tablet: rs.tablet, rowset: rs, some: some}
		p.rows = arrowio.RowRange{Start: i * rs.rows / count, End: (i + 1) * rs.rows / count}
		if some {
			live, err := f.findLive(ctx, p)
			if err != nil {
				return err
			}
			if live == nil {
				p.some = false
			} else {
				p.gone = p.rows.Len() - int64(bitpack.CountBits(live, 0, int(p.rows.Len())))
				p.some = p.gone > 0
			}
		}
		f.add(p)
	}
	return nil
}

// storedBytes returns about how many bytes the columns of a rowset take.
func (f *File) storedBytes(rs *rowset) int64 { return rs.rows * 8 * int64(len(rs.meta.Columns)) }

// add makes a split of p.
func (f *File) add(p *part) {
	start := f.rows()
	n := p.rows.Len() - p.gone
	if n == 0 {
		return
	}
	s := arrowio.Split{Ordinal: f.first.Ordinal + len(f.parts), Rows: arrowio.RowRange{Start: start, End: start + n}}
	s.Bytes = n * 8 * int64(len(f.columns))
	f.parts = append(f.parts, p)
	f.splits = append(f.splits, s)
}

// rows returns how many rows the splits have so far.
func (f *File) rows() int64 {
	if n := len(f.splits); n > 0 {
		return f.splits[n-1].Rows.End
	}
	return f.first.Rows.Start
}

// findLive returns which rows of p are there, nil = all.
func (f *File) findLive(ctx context.Context, p *part) ([]byte, error) {
	if !p.some {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		return p.live, nil
	}
	s := newState(p.rows, nil)
	s.snapshot = f.opt.Snapshot
	if err := s.apply(ctx, p.rowset); err != nil {
		return nil, inRowSet(err, p.rowset)
	}
	if n := int64(len(s.live)); f.kept.Add(n) <= f.sizes.kept {
		p.live = s.live
	} else {
		f.kept.Add(-n)
	}
	return s.live, nil
}

// ordinals returns the ordinals in the rowset of rows of the split s, which are counted over the live ones.
func ordinals(p *part, live []byte, s arrowio.Split, rows arrowio.RowSet) arrowio.RowSet {
	var out arrowio.RowSet
	if live == nil {
		for _, r := range rows {
			out = out.Add(arrowio.RowRange{Start: r.Start - s.Rows.Start + p.rows.Start, End: r.End - s.Rows.Start + p.rows.Start})
		}
		return out
	}
	at := int64(0) // live rows passed
	runs := bitpack.NewRuns(live, 0, int(p.rows.Len()))
	for start, n := runs.Next(); n > 0 && len(rows) > 0; start, n = runs.Next() {
		run := arrowio.RowRange{Start: at + s.Rows.Start, End: at + s.Rows.Start + int64(n)}
		for _, r := range rows {
			if r.Start >= run.End {
				break
			}
			if in := r.Intersect(run); in.Len() > 0 {
				off := p.rows.Start + int64(start) - run.Start
				out = out.Add(arrowio.RowRange{Start: in.Start + off, End: in.End + off})
			}
		}
		for len(rows) > 0 && rows[0].End <= run.End {
			rows = rows[1:]
		}
		at += int64(n)
	}
	return out
}

// numbers is the reverse of ordinals: the rows of the split that lie in ranges of ordinals.
func numbers(p *part, live []byte, s arrowio.Split, ords arrowio.RowSet) arrowio.RowSet {
	var out arrowio.RowSet
	for _, r := range ords {
		r = r.Intersect(p.rows)
		if r.Len() == 0 {
			continue
		}
		from, to := r.Start-p.rows.Start, r.End-p.rows.Start
		if live != nil {
			n := int64(bitpack.CountBits(live, int(from), int(to-from)))
			from = int64(bitpack.CountBits(live, 0, int(from)))
			to = from + n
		}
		if from < to {
			out = out.Add(arrowio.RowRange{Start: s.Rows.Start + from, End: s.Rows.Start + to})
		}
	}
	return out
}
