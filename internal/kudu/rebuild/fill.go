package rebuild

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// maxFills bounds the ways that are counted in which holes can be filled.
const maxFills = 256

// batch is columns that were written one after another, to replace others.
type batch []*Piece

// fill puts columns that a compaction of deltas has replaced into the holes that it left. All columns of one batch go into
// one rowset, in their order.
func (g *grouper) fill() error {
	batches := map[int64][]batch{} // by rows
	var last *Piece
	for _, p := range g.pieces {
		if p.owner != nil || p.Kind != cfilewire.ColumnFile || p.Keyed {
			continue
		}
		all := batches[p.Rows]
		if last != nil && last.Rows == p.Rows && last.Seq+1 == p.Seq {
			all[len(all)-1] = append(all[len(all)-1], p)
		} else {
			all = append(all, batch{p})
		}
		batches[p.Rows], last = all, p
	}
	holed := map[int64][]*RowSet{}
	for _, r := range g.out.RowSets {
		if slices.Contains(r.Columns, nil) {
			holed[r.Rows] = append(holed[r.Rows], r)
		}
	}
	var sizes []int64
	for rows := range holed {
		sizes = append(sizes, rows)
	}
	slices.Sort(sizes)
	for _, rows := range sizes {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		f := &filler{rowsets: holed[rows], batches: batches[rows], shapes: g.shapes()}
		f.run()
	}
	return nil
}

// filler looks for ways to fill the holes of rowsets of equal length.
type filler struct {
	rowsets []*RowSet
	batches []batch
	shapes  []shape

	chosen [][]*Piece // columns of the rowsets, with what was put into the holes so far
	first  [][]*Piece // the first way
	ways   int
	steps  int
}

func (f *filler) run() {
	if len(f.batches) == 0 {
		return
	}
	for _, r := range f.rowsets {
		f.chosen = append(f.chosen, slices.Clone(r.Columns))
	}
	f.try(0)
	if f.ways == 0 {
		return
	}
	for i, r := range f.rowsets {
		for k, p := range f.first[i] {
			if r.Columns[k] == nil && p != nil {
				p.owner = r
			}
		}
		r.Columns = f.first[i]
		if f.ways > 1 {
			r.doubt(Likely, f.ways, fmt.Sprintf("there are %s in which replaced columns could be put back", manyWays(f.ways)))
		}
	}
}

func manyWays(n int) string {
	if n >= maxFills {
		return fmt.Sprintf("%d ways or more", maxFills)
	}
	return fmt.Sprintf("%d ways", n)
}

// try puts the batch at i, and all after it, into holes.
func (f *filler) try(i int) {
	if f.steps++; f.ways >= maxFills || f.steps > 64*maxFills {
		return
	}
	if i == len(f.batches) {
		for k, r := range f.rowsets {
			if !f.fits(r, f.chosen[k]) {
				return
			}
		}
		if f.ways++; f.first == nil {
			for _, c := range f.chosen {
				f.first = append(f.first, slices.Clone(c))
			}
		}
		return
	}
	b := f.batches[i]
	for k, r := range f.rowsets {
		if r.end < b[0].Seq {
			f.place(i, k, b, 0)
		}
	}
}

// place puts a batch into holes of a rowset from column at on, in all ways that keep its order.
func (f *filler) place(i, k int, b batch, at int) {
	if len(b) == 0 {
		f.try(i + 1)
		return
	}
	columns := f.chosen[k]
	for c := at; c < len(columns) && f.ways < maxFills && f.steps <= 64*maxFills; c++ {
		if columns[c] != nil {
			continue
		}
		f.steps++
		columns[c] = b[0]
		f.place(i, k, b[1:], c+1)
		columns[c] = nil
	}
}

// fits reports whether columns have a shape that is known, where some that long is.
func (f *filler) fits(r *RowSet, columns []*Piece) bool {
	known := false
	for _, s := range f.shapes {
		if len(s.columns) != len(columns) || s.keys > 0 && r.Keys > 0 && s.keys != r.Keys {
			continue
		}
		if known = true; s.fits(columns) {
			return true
		}
	}
	return !known
}

// shape is the columns of a rowset that has all of them.
type shape struct {
	keys    int
	columns []Column
}

// fits reports whether the columns have the shape, whatever is missing.
func (s *shape) fits(columns []*Piece) bool {
	if len(columns) != len(s.columns) {
		return false
	}
	for i, p := range columns {
		if p != nil && p.column() != s.columns[i] {
			return false
		}
	}
	return true
}

// shapes returns the columns of all rowsets that have no hole, and of the hints, each once.
func (g *grouper) shapes() []shape {
	var out []shape
	add := func(s shape) {
		if !slices.ContainsFunc(out, func(o shape) bool { return o.keys == s.keys && slices.Equal(o.columns, s.columns) }) {
			out = append(out, s)
		}
	}
	for _, r := range g.out.RowSets {
		if !slices.Contains(r.Columns, nil) && r.Keys > 0 && r.Certainty == Sure {
			add(shape{r.Keys, r.shape()})
		}
	}
	for i := range g.hints {
		add(g.hints[i].shape())
	}
	return out
}

func (r *RowSet) shape() []Column {
	out := make([]Column, len(r.Columns))
	for i, p := range r.Columns {
		out[i] = p.column()
	}
	return out
}

// settle decides what the holes are that are left, and what the blocks of others among a rowset's own mean.
func (g *grouper) settle() error {
	shapes := g.shapes()
	byRows := map[int64][]*RowSet{}
	for _, r := range g.out.RowSets {
		byRows[r.Rows] = append(byRows[r.Rows], r)
	}
	for _, all := range byRows {
		slices.SortFunc(all, func(a, b *RowSet) int { return cmp.Compare(a.first, b.first) })
	}
	orphans := map[int64][]*Piece{} // key indexes whose columns were not found, by rows
	for _, p := range g.pieces {
		if p.Kind == cfilewire.KeyIndexFile && p.owner == nil {
			orphans[p.Rows] = append(orphans[p.Rows], p)
		}
	}
	for _, r := range g.out.RowSets {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		for _, p := range orphans[r.Rows] {
			if p.Seq > r.first && p.Seq < r.end+maxStrange {
				r.doubt(Doubtful, 2, fmt.Sprintf("the key index %s, whose columns are not found, has as many rows: some of the columns may be its own", p.Name()))
				break
			}
		}
		if r.mixed {
			rivals := 0
			for _, o := range byRows[r.Rows] {
				if o != r && o.first < r.end && r.first < o.end {
					rivals++
				}
				if o.first > r.end || rivals == maxFills {
					break
				}
			}
			if rivals > 0 {
				r.doubt(Likely, rivals+1, fmt.Sprintf("%d rowsets of as many rows were written at the same time", rivals+1))
			}
		}
		g.settleHoles(r, shapes)
	}
	for _, r := range g.out.RowSets {
		g.match(r)
	}
	return nil
}

func (g *grouper) settleHoles(r *RowSet, shapes []shape) {
	holes := 0
	for _, c := range r.Columns {
		if c == nil {
			holes++
		}
	}
	if holes == 0 {
		return
	}
	have := slices.DeleteFunc(slices.Clone(r.Columns), func(p *Piece) bool { return p == nil })
	without, with := 0, 0
	var known []Column
	for i := range shapes {
		if s := &shapes[i]; s.keys == r.Keys {
			if s.fits(have) {
				without++
			}
			if s.fits(r.Columns) {
				with++
				known = s.columns
			}
		}
	}
	switch {
	case without > 0 && with == 0: // the ids were other blocks', which are deleted
		r.Columns = have
	case with == 1 && without == 0:
		r.known = known
		r.doubt(Likely, 1, fmt.Sprintf("%d of its columns are missing, as other rowsets show", holes))
	default:
		r.Columns = have
		r.doubt(Likely, 1+with, fmt.Sprintf("%d ids among those of its blocks are missing: they may have been of columns that are lost", holes))
	}
}
