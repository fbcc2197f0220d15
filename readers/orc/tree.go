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
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stepRows bounds the rows that nodes handle at once: ids, lengths and nanoseconds of that many are held.
const stepRows = 1 << 16

// tree decodes the columns of a projection, one stripe after another, forward only. One goroutine at a time.
type tree struct {
	file   *File
	ctx    context.Context // of the scan that reads now
	schema *arrow.Schema
	fields []arrowio.ProjectedField
	arena  arrowbuf.Arena
	roots  []*node
	nodes  []*node // all, parents before children
	inputs []*input

	scratch orcwire.Scratch
	window  int64 // of each input
	near    bool  // the source is: see arrowio.Near
	batch   budget

	stripe *stripe // nil before the first
	row    int64   // of the stripe, where the nodes stand
	bad    error   // nothing more can be decoded
}

// budget is what the batch being built may still take.
type budget struct {
	left, bytes    int64 // Limits.BatchBytes
	elements, most int64 // Limits.BatchElements: elements of lists that take no memory
}

func (b *budget) take(n int64) error {
	if b.left -= n; b.left < 0 {
		return arrowio.Errorf(arrowio.ErrLimit, "the batch is over the limit BatchBytes = %d: take fewer rows", b.bytes)
	}
	return nil
}

func (b *budget) count(n int64) error {
	if b.elements -= n; b.elements < 0 {
		return arrowio.Errorf(arrowio.ErrLimit, "the batch has more elements of lists than the limit BatchElements = %d: take fewer rows", b.most)
	}
	return nil
}

func (b *budget) reset() { b.left, b.elements = b.bytes, b.most }

// newTree builds the decoders of a projection.
func (f *File) newTree(p arrowio.Projection, mem memory.Allocator) *tree {
	t := &tree{file: f, schema: p.Schema, fields: p.Fields, arena: arrowbuf.Arena{Allocator: mem}}
	t.batch = budget{bytes: f.limits.BatchBytes, most: f.limits.BatchElements}
	t.batch.reset()
	root := f.footer.Types[0]
	for i, pf := range p.Fields {
		typ := root
		if root.Kind == orcwire.Struct {
			typ = root.Children[pf.Index]
		}
		t.roots = append(t.roots, t.node(typ, pf, p.Schema.Field(i)))
	}
	n := int64(max(1, len(t.inputs)))
	t.near = arrowio.Near(f.src)
	if t.near {
		t.window = min(windowBytes, windowsBytes/n)
	} else {
		t.window = min(farWindow, aheadBytes/n)
	}
	t.window = max(t.window, leastWindow)
	return t
}

// park keeps a tree for the next reader.
func (f *File) park(t *tree) {
	t.ctx = nil
	f.mu.Lock()
	f.parked = append(f.parked, t)
	var last *tree
	if len(f.parked) > parkedTrees {
		last = f.parked[0]
		f.parked = f.parked[1:]
	}
	f.mu.Unlock()
	if last != nil && last.stripe != nil {
		last.stripe.release()
	}
}

// parkedTrees bounds how many trees wait.
const parkedTrees = 8

// tree returns a parked tree of the projection, best one that stands at the row of the stripe, or a new one.
func (f *File) tree(p arrowio.Projection, mem memory.Allocator, stripe int, row int64) *tree {
	f.mu.Lock()
	best := -1
	for i, t := range f.parked {
		if t.arena.Allocator != mem || t.schema != p.Schema || !reflect.DeepEqual(t.fields, p.Fields) {
			continue
		}
		here := t.stripe != nil && t.stripe.ordinal == stripe && t.row == row
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
		t = f.newTree(p, mem)
	}
	return t
}

// enter makes sure that the tree is open on a stripe, which becomes the tree's to release, at a row not behind row.
func (t *tree) enter(s *stripe, row int64) error {
	if t.stripe != nil {
		same := t.stripe == s && t.row <= row
		t.stripe.release()
		t.stripe = nil
		if same {
			t.stripe = s
			return nil
		}
	}
	t.stripe = s
	return t.rewind()
}

// rewind opens all streams at the start of the stripe.
func (t *tree) rewind() error {
	t.row = 0
	for _, n := range t.nodes {
		if err := n.open(t.stripe); err != nil {
			return err
		}
	}
	return nil
}

// move passes over rows until row of the stripe: by row groups where the row index is loaded, the others one by one.
func (t *tree) move(row int64) error {
	if stride := int64(t.file.footer.RowIndexStride); stride > 0 {
		if g := row / stride; g*stride > t.row && t.stripe.seekable(t.nodes) {
			err := t.seek(int(g))
			if err == nil {
				t.row = g * stride
			} else if isIO(err) {
				return err
			} else if err := t.distrust(); err != nil {
				return err
			}
		}
	}
	for t.row < row {
		n := min(row-t.row, stepRows)
		for _, r := range t.roots {
			if err := r.skip(n); err != nil {
				return err
			}
		}
		t.row += n
	}
	return nil
}

// seek moves to the start of a row group.
func (t *tree) seek(group int) error {
	for _, n := range t.nodes {
		if err := n.seek(group); err != nil {
			return err
		}
	}
	return nil
}

// distrust is for positions that lead nowhere: writers have recorded wrong ones. The stripe is read from its start.
func (t *tree) distrust() error {
	t.stripe.distrust()
	return t.rewind()
}

// read appends the next n rows.
func (t *tree) read(n int) error {
	for n > 0 {
		k := min(n, stepRows)
		for _, r := range t.roots {
			if err := r.read(full(k)); err != nil {
				return err
			}
		}
		t.row += int64(k)
		n -= k
	}
	return nil
}

// take makes a record of what was read since the last one.
func (t *tree) take(rows int) arrow.Record {
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
	t.batch.reset()
	return rec
}

// drop frees a half-built batch.
func (t *tree) drop() {
	for _, n := range t.nodes {
		n.release()
	}
	t.batch.reset()
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
