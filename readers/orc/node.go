package orc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// content is what a node holds apart from its validity: values, or lengths and children.
type content interface {
	// open points the streams at the start of a stripe.
	open(s *stripe) error
	// seek moves the streams to the positions of a row group, behind those of PRESENT.
	seek(p *orcwire.Positions) error
	// standing appends where the decoders stand in each of node.ins.
	standing(to []orcwire.Place) []orcwire.Place
	// read appends s.N slots, s.Count of which are stored.
	read(s arrowbuf.Slots) error
	// skip passes over stored values.
	skip(n int64) error
	// take hands over what was read since the last take, buffers behind those of b.
	take(b []*memory.Buffer) parts
	release()
}

// parts is what makes an array.
type parts struct {
	buffers    []*memory.Buffer
	children   []arrow.ArrayData
	dictionary arrow.ArrayData
}

// node decodes one type: PRESENT into validity, and its content.
type node struct {
	tree    *tree
	branch  *branch
	typ     *orcwire.Type
	field   arrow.Field
	content content
	all     []*node // of a root: the node, and those below it

	presence input
	present  orcwire.Bools
	ins      []*input // the content's, in the order of their positions in the row index
	dense    []byte   // scratch: PRESENT of the slots that the parent has
	sparse   []byte   // scratch: the same with the slots that it has not

	validity arrowbuf.Bits // of the slots so far, once one was null
	n, nulls int           // slots so far
}

// Numbers of a position behind those that lead to the byte: values to pass in a run, bits to pass in a byte.
const (
	numbersOfBytes = 0
	numbersOfRuns  = 1
	numbersOfBits  = 2
)

// uses registers a stream of the content, in the order of the row index, and how many numbers its positions add.
func (n *node) uses(in *input, numbers int) {
	in.numbers = numbers
	n.ins = append(n.ins, in)
	n.branch.inputs = append(n.branch.inputs, in)
}

func (n *node) open(s *stripe) error {
	n.presence.open(n.branch, s, n.typ.ID, orcwire.Present)
	n.present.Open(&n.presence.Bytes)
	if err := n.content.open(s); err != nil {
		return n.located(err)
	}
	at, chunked := 0, n.tree.file.packing.Chunked
	if n.presence.there {
		at = n.presence.place(0, chunked)
	}
	for _, in := range n.ins {
		at = in.place(at, chunked)
	}
	return nil
}

func (n *node) located(err error) error {
	if err == nil {
		return nil
	}
	return errs.Locate(err, errs.At{Format: Name, Column: n.tree.file.path(n.typ), Split: errs.N(n.tree.stripe.ordinal)})
}

// seek moves to a row group. Every number of the index entry must have a use: otherwise the entry is about something
// else than what is here.
func (n *node) seek(group int) error {
	entries, err := n.tree.stripe.entries(n.typ.ID)
	if err != nil {
		return err
	}
	if group >= len(entries) {
		return orcwire.ErrPosition
	}
	p := orcwire.NewPositions(entries[group].Positions)
	if n.presence.there {
		if err := n.present.Seek(p); err != nil {
			return err
		}
	}
	if err := n.content.seek(p); err != nil {
		return err
	}
	if p.Len() > 0 {
		return orcwire.ErrPosition
	}
	return nil
}

// read appends the slots of the parent.
func (n *node) read(s arrowbuf.Slots) error {
	if err := n.tree.batch.Take(int64(s.N)); err != nil {
		return n.located(err)
	}
	if n.presence.there {
		var err error
		if s, err = n.filter(s); err != nil {
			return n.located(err)
		}
	}
	if s.Count == s.N {
		s.Present = nil
	}
	n.append(s)
	return n.located(n.content.read(s))
}

// filter narrows the slots of the parent to those that PRESENT says are stored.
func (n *node) filter(s arrowbuf.Slots) (arrowbuf.Slots, error) {
	n.dense = grow(n.dense, (s.Count+7)>>3)
	dense := n.dense
	if s.Count > 0 {
		dense[len(dense)-1] = 0
	}
	if err := n.present.Next(dense, 0, s.Count); err != nil {
		return s, n.presence.fail(err)
	}
	count := bitpack.CountBits(dense, 0, s.Count)
	switch {
	case count == s.Count:
		return s, nil
	case s.Present == nil:
		return arrowbuf.Slots{N: s.N, Count: count, Present: dense}, nil
	}
	n.sparse = grow(n.sparse, (s.N+7)>>3)
	bitpack.SpreadBits(n.sparse, 0, dense, 0, s.Present, s.Off, s.N)
	return arrowbuf.Slots{N: s.N, Count: count, Present: n.sparse}, nil
}

// append notes which of the slots are null.
func (n *node) append(s arrowbuf.Slots) {
	if !n.hasValidity() {
		n.n += s.N
		return
	}
	if s.Present == nil {
		if n.nulls > 0 {
			n.validity.Fill(s.N, true)
		}
	} else {
		if n.nulls == 0 {
			n.validity.Fill(n.n, true)
		}
		n.nulls += s.N - s.Count
		n.validity.Append(s.Present, s.Off, s.N)
	}
	n.n += s.N
}

func (n *node) hasValidity() bool { return n.typ.Kind != orcwire.Union }

// skip passes over slots that the parent has.
func (n *node) skip(count int64) error {
	if n.presence.there {
		set := int64(0)
		err := skipAll(count, func(k int) error {
			m, err := n.present.Skip(k)
			set += int64(m)
			return err
		})
		if err != nil {
			return n.located(n.presence.fail(err))
		}
		count = set
	}
	return n.located(n.content.skip(count))
}

// take makes the array of everything read since the last take. The caller releases it.
func (n *node) take() arrow.ArrayData {
	a := &n.branch.arena
	var validity *memory.Buffer // a union's is nil: it cannot be null itself
	if n.nulls > 0 {
		validity = n.validity.Take()
	}
	p := n.content.take(append(a.Buffers(), validity))
	d := a.Data(n.field.Type, n.n, p.buffers, p.children, n.nulls)
	if p.dictionary != nil {
		d.SetDictionary(p.dictionary)
		p.dictionary.Release()
	}
	n.n, n.nulls = 0, 0
	return d
}

// release frees what was read since the last take. It does not go down to the children.
func (n *node) release() {
	n.validity.Release()
	n.content.release()
	n.n, n.nulls = 0, 0
}

// grow returns a slice of length n, s's memory if it is large enough; the content is arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
