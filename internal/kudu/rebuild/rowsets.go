package rebuild

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Bounds of what is looked at around an anchor.
const (
	maxSpan     = 4096 // blocks before a bloom filter among which its columns are looked for
	maxStrange  = 256  // blocks in a row that are not of a rowset, before its columns are taken to have ended
	maxKeyTries = 8    // files of keys that a bloom filter is compared with
	maxStarts   = 64   // columns that are tried as the first of a key
)

// grouper is one run of Group.
type grouper struct {
	ctx    context.Context
	checks Checks
	pieces []*Piece // by Seq
	hints  []Hint
	out    *Groups
	byRows []*RowSet // by their numbers of rows
}

// Group puts blocks together. hints are schemas that some of them may have. It sorts pieces.
func Group(ctx context.Context, pieces []*Piece, hints []Hint, checks Checks) (*Groups, error) {
	slices.SortFunc(pieces, func(a, b *Piece) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	for _, p := range pieces {
		p.owner, p.taken = nil, false
	}
	g := &grouper{ctx: ctx, checks: checks, pieces: pieces, hints: hints, out: &Groups{}}
	for _, step := range []func() error{g.anchors, g.headless, g.fill, g.settle, g.deltas} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(g.out.RowSets, func(a, b *RowSet) int { return cmp.Compare(a.first, b.first) })
	for _, p := range pieces {
		if p.owner == nil && p.Kind != cfilewire.DeltaFile {
			g.out.Loose = append(g.out.Loose, p)
		}
	}
	return g.out, nil
}

// anchors makes a rowset of each bloom filter whose keys are found.
func (g *grouper) anchors() error {
	for i, p := range g.pieces {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if p.Kind != cfilewire.BloomFile {
			continue
		}
		if err := g.anchor(i); err != nil {
			return err
		}
	}
	return nil
}

// anchor finds the rowset of the bloom filter at i. What lies next to it is tried first.
func (g *grouper) anchor(i int) error {
	bloom := g.pieces[i]
	ways := []func(i int, bloom *Piece) (bool, error){g.anchorColumn, g.anchorIndex}
	if i+1 < len(g.pieces) && g.pieces[i+1].Kind == cfilewire.KeyIndexFile {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if found, err := way(i, bloom); found || err != nil {
			return err
		}
	}
	return nil
}

// anchorIndex looks for the key index behind a bloom filter that has its keys.
func (g *grouper) anchorIndex(i int, bloom *Piece) (bool, error) {
	tries := 0
	for j := i + 1; j < len(g.pieces) && j-i <= maxStrange && tries < maxKeyTries; j++ {
		p := g.pieces[j]
		if p.Kind != cfilewire.KeyIndexFile || p.owner != nil {
			continue
		}
		tries++
		ok, err := g.checks.InBloom(g.ctx, bloom, p)
		if err != nil {
			return false, err
		}
		if ok {
			return true, g.composite(i, bloom, p)
		}
	}
	return false, nil
}

// anchorColumn looks for the column before a bloom filter that is the key.
func (g *grouper) anchorColumn(i int, bloom *Piece) (bool, error) {
	tries := 0
	for j := i - 1; j >= 0 && i-j <= maxSpan && tries < maxKeyTries; j-- {
		p := g.pieces[j]
		if p.Kind != cfilewire.ColumnFile || !p.Keyed || p.owner != nil {
			continue
		}
		tries++
		ok, err := g.checks.InBloom(g.ctx, bloom, p)
		if err != nil {
			return false, err
		}
		if ok {
			g.single(j, i, bloom)
			return true, nil
		}
	}
	return false, nil
}

// single makes the rowset whose key is the column at from, with the columns before to.
func (g *grouper) single(from, to int, bloom *Piece) *RowSet {
	key := g.pieces[from]
	r := &RowSet{Keys: 1, Rows: key.Rows, Bloom: bloom, Certainty: Sure, Ways: 1, first: key.Seq}
	members := []*Piece{key}
	for _, p := range g.pieces[from+1 : to] {
		if p.Kind == cfilewire.ColumnFile && p.Rows == key.Rows && !p.Keyed && p.owner == nil {
			members = append(members, p)
		}
	}
	r.end = members[len(members)-1].Seq
	if bloom != nil {
		r.end = bloom.Seq
	}
	g.take(r, members, r.end)
	return r
}

// composite makes the rowset of a key index; at is where its columns are before.
func (g *grouper) composite(at int, bloom, index *Piece) error {
	var columns []*Piece // last first
	strange := 0
	for j := at - 1; j >= 0 && at-j <= maxSpan && strange < maxStrange; j-- {
		p := g.pieces[j]
		if p.Kind == cfilewire.ColumnFile && p.Rows == index.Rows && !p.Keyed && p.owner == nil {
			columns = append(columns, p)
			strange = 0
		} else {
			strange++
		}
	}
	slices.Reverse(columns)
	r := &RowSet{Rows: index.Rows, Index: index, Bloom: bloom, Certainty: Sure, Ways: 1, end: index.Seq}
	var starts []int
	for s := len(columns) - 2; s >= max(0, len(columns)-maxStarts); s-- {
		n, err := g.checks.KeyColumns(g.ctx, columns[s:], index)
		if err != nil {
			return err
		}
		if n >= 2 {
			starts = append(starts, s)
			r.Keys = n
		}
	}
	if len(starts) == 0 {
		return nil // its columns are lost: they are loose, like the index
	}
	s := starts[len(starts)-1] // of several, the first
	last := index.Seq
	if bloom != nil {
		last = bloom.Seq
	}
	r.first = columns[s].Seq
	g.take(r, columns[s:], last)
	if n := len(starts); n > 1 {
		r.doubt(Likely, n, fmt.Sprintf("%d columns could be the first of the key", n))
	}
	return nil
}

// take makes the columns those of a rowset, with holes where ids are missing before last.
func (g *grouper) take(r *RowSet, columns []*Piece, last uint64) {
	i, _ := slices.BinarySearchFunc(g.pieces, r.first, func(p *Piece, seq uint64) int { return cmp.Compare(p.Seq, seq) })
	next := r.first
	for _, p := range g.pieces[i:] {
		if p.Seq > last {
			break
		}
		if gap := p.Seq - next; p.Seq > next && gap <= maxSpan {
			r.Columns = append(r.Columns, make([]*Piece, gap)...)
		}
		next = p.Seq + 1
		switch {
		case slices.Contains(columns, p):
			r.Columns = append(r.Columns, p)
			p.owner = r
		case p.Kind == Unreadable:
			r.Columns = append(r.Columns, nil)
		case p != r.Bloom && p != r.Index:
			r.mixed = true
		}
	}
	if r.Bloom != nil {
		r.Bloom.owner = r
	}
	if r.Index != nil {
		r.Index.owner = r
	}
	g.out.RowSets = append(g.out.RowSets, r)
}

// headless makes rowsets of keys that no bloom filter has.
func (g *grouper) headless() error {
	for i, p := range g.pieces {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if p.owner != nil {
			continue
		}
		switch {
		case p.Kind == cfilewire.KeyIndexFile:
			if err := g.composite(i, nil, p); err != nil {
				return err
			}
			if p.owner != nil {
				p.owner.doubt(Likely, 1, "its bloom filter is missing")
			}
		case p.Kind == cfilewire.ColumnFile && p.Keyed:
			to := i + 1
			for to < len(g.pieces) && to-i <= maxSpan && g.pieces[to].Seq == g.pieces[to-1].Seq+1 && g.pieces[to].Rows == p.Rows &&
				g.pieces[to].Kind == cfilewire.ColumnFile && !g.pieces[to].Keyed && g.pieces[to].owner == nil {
				to++
			}
			g.single(i, to, nil).doubt(Likely, 1, "its bloom filter is missing: nothing tells its last column")
		}
	}
	return nil
}
