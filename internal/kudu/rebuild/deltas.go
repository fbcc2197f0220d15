package rebuild

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// deltas gives delta files to rowsets: first those whose place among the ids tells, then the others by what they change.
func (g *grouper) deltas() error {
	at := map[uint64]*Piece{} // delta files by Seq, those that have no rowset
	for _, p := range g.pieces {
		if p.Kind == cfilewire.DeltaFile {
			at[p.Seq] = p
		}
	}
	for _, r := range g.out.RowSets {
		g.written(r, at)
	}
	for _, r := range g.out.RowSets {
		g.compacted(r, at)
	}
	g.byRows = slices.Clone(g.out.RowSets)
	slices.SortStableFunc(g.byRows, func(a, b *RowSet) int { return cmp.Compare(a.Rows, b.Rows) })
	for _, p := range g.pieces {
		if p.Kind != cfilewire.DeltaFile || p.taken {
			continue
		}
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if err := g.search(p); err != nil {
			return err
		}
	}
	for _, r := range g.out.RowSets {
		slices.SortFunc(r.Undo, func(a, b *Delta) int { return cmp.Compare(b.Seq, a.Seq) }) // newest first
		slices.SortFunc(r.Redo, func(a, b *Delta) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return nil
}

// written takes the UNDO file that was written with a rowset, whose id follows that of its last block, and the REDO file after
// it, which is there if rows were changed meanwhile.
func (g *grouper) written(r *RowSet, at map[uint64]*Piece) {
	if r.Bloom == nil && r.Index == nil {
		return
	}
	why := "its id follows those of the rowset's blocks"
	if p := at[r.end+1]; p != nil && r.bears(p) && p.Changes.Deletes > 0 && p.Changes.Order <= OrderDescending && p.Changes.Order != OrderAscending {
		p.take(at)
		r.Undo = append(r.Undo, &Delta{Piece: p, Certainty: r.Certainty, Ways: 1, Why: why})
	}
	if p := at[r.end+2]; p != nil && r.bears(p) && p.Changes.Order <= OrderAscending && r.fit(p) != misfit {
		p.take(at)
		r.Redo = append(r.Redo, &Delta{Piece: p, Certainty: r.Certainty, Ways: 1, Why: why})
	}
}

// compacted takes the delta files that a compaction of deltas has written, whose ids follow those of the columns that it has
// replaced: an UNDO file of what these columns were before, and a REDO file of what it did not compact, such as deletes.
func (g *grouper) compacted(r *RowSet, at map[uint64]*Piece) {
	for i, c := range r.Columns {
		if c == nil || c.Seq <= r.end {
			continue
		}
		replaced := map[int32]bool{}
		seq := c.Seq
		for k := i; k < len(r.Columns) && r.Columns[k] != nil && r.Columns[k].Seq == seq; {
			replaced[r.columnID(k)] = true
			seq++
			for k++; k < len(r.Columns) && (r.Columns[k] == nil || r.Columns[k].Seq < seq); k++ {
			}
		}
		for range 2 {
			p := at[seq]
			if p == nil || !r.bears(p) || p.Changes.Order == OrderMixed {
				break
			}
			undo := p.Changes.Order == OrderDescending
			if p.Changes.Order == OrderUnknown {
				undo = p.Changes.Deletes+p.Changes.Reinserts == 0
				for _, u := range p.Changes.Columns {
					undo = undo && replaced[u.ID]
				}
			}
			if !undo && r.fit(p) == misfit {
				break
			}
			p.take(at)
			d := &Delta{Piece: p, Certainty: r.Certainty, Ways: 1, Why: "its id follows those of replaced columns"}
			if undo {
				r.Undo = append(r.Undo, d)
			} else {
				r.Redo = append(r.Redo, d)
			}
			seq++
		}
	}
}

// take notes that a delta file has a rowset.
func (p *Piece) take(at map[uint64]*Piece) {
	p.taken = true
	delete(at, p.Seq)
}

// columnID is the id of a column: by the schema, or else its position, as in tables that were never altered.
func (r *RowSet) columnID(i int) int32 {
	if r.Match != nil {
		return r.Match.IDs[i]
	}
	return int32(i)
}

// bears reports whether a rowset has all rows that deltas change.
func (r *RowSet) bears(p *Piece) bool { return p.Changes.Rows > 0 && p.Changes.Last < r.Rows }

// fitness says how the columns that deltas set fit those of a rowset.
type fitness uint8

const (
	misfit fitness = iota
	// partly: some of the columns the rowset does not have; they may have been added later
	partly
	wholly
)

// fit compares the columns that a REDO file sets with those of a rowset: no change sets a key.
func (r *RowSet) fit(p *Piece) fitness {
	out := wholly
	for _, u := range p.Changes.Columns {
		i := -1
		for k := range r.Columns {
			if r.columnID(k) == u.ID {
				i = k
				break
			}
		}
		switch {
		case i < 0:
			if out = partly; r.Match != nil && len(r.Columns) > 0 && u.ID < r.columnID(len(r.Columns)-1) {
				continue // it was dropped before
			}
		case i < r.Keys:
			return misfit
		case r.Columns[i] == nil:
		case !r.Columns[i].takes(u):
			return misfit
		}
	}
	return out
}

// takes reports whether a column can have the values that deltas set.
func (p *Piece) takes(u ChangedColumn) bool {
	if u.Null && !p.Nullable {
		return false
	}
	return p.Array || p.Type.Binary() || u.Width == NoWidth || u.Width == p.Type.Width()
}

// likely is how many times more probable one rowset must be than the next for a delta file to be likely its own.
const likely = 100

// maxFits is how many rowsets are found that deltas may be of, before those that are much less probable are passed over.
const maxFits = 64

// search finds the rowset of a delta file by what it changes. If rows are changed without regard to where they lie, a file is
// hardly of a rowset that has many more rows behind the last that it changes.
func (g *grouper) search(p *Piece) error {
	d := &Delta{Piece: p}
	if c := &p.Changes; c.Order == OrderMixed || c.Rows == 0 {
		d.Certainty, d.Why = Doubtful, "its changes are in no order that Kudu writes"
		g.out.Torn = append(g.out.Torn, d)
		return nil
	}
	type candidate struct {
		*RowSet
		cost float64
	}
	var found []candidate
	from, _ := slices.BinarySearchFunc(g.byRows, p.Changes.Last+1, func(r *RowSet, rows int64) int { return cmp.Compare(r.Rows, rows) })
	for _, r := range g.byRows[from:] {
		if r.end > p.Seq {
			continue
		}
		least := float64(p.Changes.Rows) * math.Log(float64(r.Rows)/float64(p.Changes.Last+1)) // of this rowset and those with more rows
		if len(found) >= maxFits && least > found[0].cost+math.Log(2*likely*likely) {
			break // those that follow are no more probable, and whether there are others is known
		}
		f := r.fit(p)
		if f == misfit && p.Changes.Order != OrderDescending {
			continue
		}
		if len(r.Undo) > 0 && r.Undo[0].Changes.MinTime > p.Changes.MinTime {
			continue
		}
		cost := least
		if f == partly {
			cost += math.Log(2 * likely)
		}
		found = append(found, candidate{r, cost})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	const most = 16 // whose insert times are compared
	kept := found[:0]
	for i, c := range found {
		if i < most && len(found) > 1 && len(c.Undo) > 0 {
			ok, err := g.checks.Born(g.ctx, c.Undo[0].Piece, p)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		kept = append(kept, c)
	}
	found = kept
	if len(found) == 0 {
		d.Certainty, d.Why = Doubtful, "no rowset has the rows and columns that it changes"
		g.out.Torn = append(g.out.Torn, d)
		return nil
	}
	r := found[0].RowSet
	d.Ways = len(found)
	switch {
	case len(found) == 1:
		d.Certainty, d.Why = Sure, "no other rowset has the rows and columns that it changes"
	case found[1].cost-found[0].cost > math.Log(likely):
		d.Certainty, d.Why = Likely, fmt.Sprintf("of the %d rowsets that have the rows and columns that it changes, the others have many more rows behind the last that it changes", len(found))
	default:
		var names []string
		for _, c := range found[:min(len(found), 4)] {
			names = append(names, fmt.Sprint(c.ID()))
		}
		if len(found) > 4 {
			names = append(names, fmt.Sprintf("%d more", len(found)-4))
		}
		d.Certainty, d.Why = Doubtful, fmt.Sprintf("it may be of the rowsets %s", strings.Join(names, ", "))
	}
	if d.Certainty == Sure && len(p.Changes.Columns) > 0 && (r.Match == nil || r.Match.Ways > 1) {
		d.Certainty, d.Why = Likely, d.Why+"; the ids of its columns are taken to be their positions"
	}
	d.Certainty = min(d.Certainty, r.Certainty)
	if p.Changes.Order == OrderDescending {
		r.Undo = append(r.Undo, d)
	} else {
		r.Redo = append(r.Redo, d)
	}
	return nil
}
