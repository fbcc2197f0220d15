package orc

import (
	"context"
	"errors"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/keptrows"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// tree decodes the columns of a projection, one stripe after another, forward only. One goroutine at a time has it; it
// may have its branches decoded by several.
type tree struct {
	file     *File
	ctx      context.Context // of the scan that reads now
	schema   *arrow.Schema
	fields   []arrowio.ProjectedField
	mem      memory.Allocator
	roots    []*node
	groups   workers.Groups // of columns, by their positions in the projection
	branches []*branch      // what decodes each group
	nodes    []*node        // of all branches
	inputs   []*input

	window   int64               // of each input
	near     bool                // the source is: see arrowio.Near
	early    map[int64][]byte    // streams, by offset, read before inputs are opened
	stretch  region              // and what others lie in
	firsts   []arrowio.ByteRange // dictionaries that fetchAhead is to read
	later    []func() error      // what is done once early is there: dictionaries are read
	putOff   bool                // dictionaries are
	together []byte              // what short streams of a near source were read into: early, or stretch, lies in it
	streams  []arrowio.ByteRange // scratch of fetchFirst
	batch    *budget.Batch
	share    arrowio.Share // nil = branches are decoded one after another

	stripe *stripe // nil before the first
	row    int64   // of the stripe, where the branches stand

	windows keptrows.Windows // of the runs that are being read
}

// newTree builds the decoders of a projection. What its columns have in stripe s tells how to divide them.
func (f *File) newTree(p arrowio.Projection, mem memory.Allocator, s *stripe) *tree {
	t := &tree{
		file: f, schema: p.Schema, fields: p.Fields, mem: mem, batch: budget.NewBatch(f.limits),
		windows: keptrows.Windows{Gap: denseGap},
	}
	types := make([]*orcwire.Type, len(p.Fields))
	for i, pf := range p.Fields {
		types[i] = f.top[pf.Index]
	}
	t.roots = make([]*node, len(types))
	t.groups = workers.Divide(s.costs(types))
	for _, columns := range t.groups.Tasks {
		g := &branch{tree: t, columns: columns, scratch: scratches.Get().(*orcwire.Scratch), arena: arrowbuf.Arena{Allocator: mem, Alone: true}}
		t.branches = append(t.branches, g)
		for _, i := range columns {
			t.roots[i] = g.column(types[i], p.Fields[i], p.Schema.Field(i))
		}
		for _, r := range g.roots {
			g.trims = append(g.trims, r.trims())
		}
		t.nodes = append(t.nodes, g.nodes...)
		t.inputs = append(t.inputs, g.inputs...)
	}
	n := int64(max(1, len(t.inputs)))
	t.near = arrowio.Near(f.src)
	if t.near {
		t.window = min(windowBytes, windowsBytes/n)
	} else {
		t.window = min(farWindow, f.ahead/n)
	}
	t.window = max(t.window, leastWindow)
	return t
}

// park keeps a tree for the next reader.
func (f *File) park(t *tree) {
	t.ctx, t.share = nil, nil
	f.mu.Lock()
	f.parked = append(f.parked, t)
	var last *tree
	if len(f.parked) > parkedTrees {
		last = f.parked[0]
		f.parked = f.parked[1:]
	}
	f.mu.Unlock()
	if last != nil {
		if last.stripe != nil {
			last.stripe.release()
		}
		last.end()
	}
}

// end leaves what is large to the trees of other files. The tree is not used again.
func (t *tree) end() {
	for _, g := range t.branches {
		scratches.Put(g.scratch)
		g.scratch = nil
	}
}

// parkedTrees bounds how many trees wait.
const parkedTrees = 8

// tree returns a parked tree of the projection, best one that stands at the row of the stripe, or a new one.
func (f *File) tree(p arrowio.Projection, mem memory.Allocator, s *stripe, row int64) *tree {
	f.mu.Lock()
	best := -1
	for i, t := range f.parked {
		if t.mem != mem || t.schema != p.Schema && !t.schema.Equal(p.Schema) || !reflect.DeepEqual(t.fields, p.Fields) {
			continue
		}
		here := t.stripe == s && t.row == row
		if best < 0 || here {
			best = i
		}
		if here {
			break
		}
	}
	var t *tree
	if best >= 0 {
		t = f.parked[best]
		f.parked = append(f.parked[:best:best], f.parked[best+1:]...)
	}
	f.mu.Unlock()
	if t == nil {
		return f.newTree(p, mem, s)
	}
	t.schema = p.Schema
	return t
}

// enter makes sure that the tree is open on a stripe, which becomes the tree's to release, at a row not behind row. most says that most
// rows of the stripe will be read.
func (t *tree) enter(s *stripe, row int64, most bool) error {
	if t.stripe != nil {
		same := t.stripe == s && t.row <= row
		t.stripe.release()
		t.stripe = nil
		if same {
			t.stripe = s
			t.checkPositions()
			return nil
		}
	}
	t.stripe = s
	firsts, err := t.fetchFirst(s, most)
	if err != nil {
		return err
	}
	t.putOff, t.later, t.firsts = len(firsts) > 0, t.later[:0], firsts
	err = t.rewind()
	t.putOff = false
	if err != nil {
		return err
	}
	t.checkPositions()
	return nil
}

// checkPositions gives up the row index if it has been loaded and cannot be right.
func (t *tree) checkPositions() {
	if t.stripe.seekable(t.nodes) && !t.sound() {
		t.stripe.distrust()
	}
}

// rewind opens all streams at the start of the stripe.
func (t *tree) rewind() error {
	t.row = 0
	for _, g := range t.branches {
		if err := g.rewind(); err != nil {
			return err
		}
	}
	return nil
}

// read passes over the rows before row of the stripe, and appends the next n.
func (t *tree) read(row int64, n int) error {
	t.row = row + int64(n)
	return t.each(func(g *branch) error {
		if err := g.move(row); err != nil {
			return err
		}
		return g.read(n)
	})
}

// each calls do for all branches, at the same time where share allows it.
func (t *tree) each(do func(g *branch) error) error {
	return t.groups.Run(t.share, func(i int) error { return do(t.branches[i]) })
}

// take makes a record of what was read since the last one.
func (t *tree) take(rows int) (arrow.Record, error) {
	for _, g := range t.branches {
		if err := g.takeGate(); err != nil {
			return nil, err
		}
	}
	cols := make([]arrow.Array, len(t.roots))
	for i, r := range t.roots {
		d := r.take()
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	rec := array.NewRecord(t.schema, cols, int64(rows))
	for _, c := range cols {
		c.Release()
	}
	t.batch.Reset()
	return rec, nil
}

// drop frees a half-built batch.
func (t *tree) drop() {
	for _, n := range t.nodes {
		n.release()
	}
	t.batch.Reset()
}

var errClosed = errors.New("orc: the split reader is closed")

// guess returns about how many bytes of Arrow memory a row takes, before there was one: what is stored grows to four
// times as much.
func (t *tree) guess() float64 {
	stored := int64(0)
	for _, in := range t.inputs {
		stored += in.stream.len
	}
	return 4 * float64(stored) / float64(max(1, t.stripe.info.Rows))
}

// most returns how many bytes the strings of a row that come out of dictionaries may take, those in lists left out.
func (t *tree) most() int64 {
	total := int64(0)
	for _, n := range t.nodes {
		if c, ok := n.content.(*stringValues); ok && c.dict != nil {
			total += int64(c.dict.entries.Longest())
		}
	}
	return total
}

// discard gives up a tree: what it was reading is in doubt.
func (t *tree) discard() {
	if t.stripe != nil {
		t.stripe.release()
		t.stripe = nil
	}
}
