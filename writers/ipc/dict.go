package ipc

import (
	"bytes"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// dictionaries makes columns ready to be laid out, and writes the dictionaries that they need first. In a stream a
// dictionary that changes is replaced. In a file it must not be: there it grows.
type dictionaries struct {
	mem   memory.Allocator
	grow  bool
	has   []bool        // whether a column has dictionaries
	last  []arrow.Array // no rows, with the dictionaries that were written before; nil = nothing yet
	wrote map[int64]*array.Data
}

func newDictionaries(cols []*arrowipc.Node, grow bool, mem memory.Allocator) dictionaries {
	d := dictionaries{mem: mem, grow: grow, has: make([]bool, len(cols)), last: make([]arrow.Array, len(cols)), wrote: map[int64]*array.Data{}}
	for i, n := range cols {
		d.has[i] = hasDictionary(n)
	}
	return d
}

func hasDictionary(n *arrowipc.Node) bool {
	if n.Dict != nil {
		return true
	}
	for _, k := range n.Children {
		if hasDictionary(k) {
			return true
		}
	}
	return false
}

// settle returns column i of a batch at offset 0 throughout, and in a file with dictionaries that begin with the entries
// written before. The caller keeps c and releases the result.
func (d *dictionaries) settle(i int, c arrow.Array) (arrow.Array, error) {
	if d.grow && d.has[i] && d.last[i] != nil && !sameDictionaries(d.last[i].Data(), c.Data()) {
		return d.extend(i, c)
	}
	out, err := d.copy(c, 0, c.Len())
	if err == nil && d.grow && d.has[i] && d.last[i] == nil {
		if d.last[i], err = d.bare(out); err != nil {
			out.Release()
		}
	}
	return out, err
}

// bare returns no rows of c with all its dictionaries. The caller releases them.
func (d *dictionaries) bare(c arrow.Array) (arrow.Array, error) {
	a := arrowbuf.NewAppender(c.DataType(), d.mem)
	defer a.Release()
	if err := a.Adopt(c); err != nil {
		return nil, err
	}
	return a.Take(), nil
}

// copy returns rows [from, to) of c at offset 0, with all of c's dictionaries; c itself where it is that already.
func (d *dictionaries) copy(c arrow.Array, from, to int) (arrow.Array, error) {
	if from == 0 && to == c.Len() && arrowbuf.Whole(c) {
		c.Retain()
		return c, nil
	}
	a := arrowbuf.NewAppender(c.DataType(), d.mem)
	defer a.Release()
	if err := a.Adopt(c); err != nil {
		return nil, err
	}
	if err := a.Append(c, from, to); err != nil {
		return nil, tooLarge(err)
	}
	return a.Take(), nil
}

// extend returns c with the dictionaries written before, and behind their entries what c uses besides.
func (d *dictionaries) extend(i int, c arrow.Array) (arrow.Array, error) {
	a := arrowbuf.NewAppender(c.DataType(), d.mem)
	defer a.Release()
	err := a.Adopt(d.last[i])
	if err == nil {
		err = a.Append(c, 0, c.Len())
	}
	if err != nil {
		return nil, tooLarge(err)
	}
	out := a.Take()
	last, err := d.bare(out)
	if err != nil {
		out.Release()
		return nil, err
	}
	d.last[i].Release()
	d.last[i] = last
	return out, nil
}

func tooLarge(err error) error {
	if errors.Is(err, arrowbuf.ErrOverflow) {
		return errs.Errorf(errs.ErrSchema, "the dictionaries of all batches together have more values than their indices can number; a stream (.arrows) can hold them")
	}
	return err
}

// write writes the dictionaries of a column that are new, those inside others first. It reports whether there were any.
func (d *dictionaries) write(e *encoder, n *arrowipc.Node, data arrow.ArrayData) (changed bool, err error) {
	if n.Dict == nil {
		for i, k := range n.Children {
			c, err := d.write(e, k, data.Children()[i])
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
		return changed, nil
	}
	dict := data.Dictionary().(*array.Data)
	old := d.wrote[n.ID]
	if old == dict {
		return false, nil
	}
	whole, err := d.rebased(dict, 0)
	if err != nil {
		return false, err
	}
	defer whole.Release()
	inner, err := d.write(e, n.Dict, whole)
	if err != nil {
		return false, err
	}
	from := 0
	switch {
	case old != nil && !inner && sameValues(old, dict):
		return false, nil
	case old != nil && d.grow && hasDictionary(n.Dict):
		return false, errs.Errorf(errs.ErrUnsupported, "a dictionary with dictionaries inside changes between batches, which a file cannot hold; write ipc-stream instead")
	case old != nil && d.grow:
		if from = old.Len(); from == dict.Len() { // it only grows, so it is the same
			return false, nil
		}
	}
	values := whole
	if from > 0 {
		if values, err = d.rebased(dict, from); err != nil {
			return false, err
		}
		defer values.Release()
	}
	if err := e.dictionary(n, values, dictionaryOf{id: n.ID, delta: old != nil && d.grow}); err != nil {
		return false, err
	}
	dict.Retain()
	if old != nil {
		old.Release()
	}
	d.wrote[n.ID] = dict
	return true, nil
}

// rebased returns the values of a dictionary from one on, at offset 0 throughout. The caller releases them.
func (d *dictionaries) rebased(dict *array.Data, from int) (arrow.ArrayData, error) {
	arr := array.MakeFromData(dict)
	defer arr.Release()
	out, err := d.copy(arr, from, arr.Len())
	if err != nil {
		return nil, err
	}
	defer out.Release()
	out.Data().Retain()
	return out.Data(), nil
}

func (d *dictionaries) release() {
	for i, a := range d.last {
		if a != nil {
			a.Release()
			d.last[i] = nil
		}
	}
	for id, w := range d.wrote {
		w.Release()
		delete(d.wrote, id)
	}
}

// sameDictionaries compares the dictionaries at all depths of two arrays of one type.
func sameDictionaries(a, b arrow.ArrayData) bool {
	if arrowtype.Storage(a.DataType()).ID() == arrow.DICTIONARY {
		return sameValues(a.Dictionary(), b.Dictionary())
	}
	for i := range a.Children() {
		if !sameDictionaries(a.Children()[i], b.Children()[i]) {
			return false
		}
	}
	return true
}

// sameValues tells whether two arrays of one type are the same memory, or the same bytes throughout. Equal values may
// still differ in what null slots and padding hold; the answer is then no, which costs some work and nothing else.
func sameValues(a, b arrow.ArrayData) bool {
	if a == b {
		return true
	}
	x, y := a.Buffers(), b.Buffers()
	if a.Len() != b.Len() || a.Offset() != b.Offset() || a.NullN() != b.NullN() || len(x) != len(y) || len(a.Children()) != len(b.Children()) {
		return false
	}
	for i := range x {
		if (x[i] == nil) != (y[i] == nil) || x[i] != nil && !bytes.Equal(x[i].Bytes(), y[i].Bytes()) {
			return false
		}
	}
	for i := range a.Children() {
		if !sameValues(a.Children()[i], b.Children()[i]) {
			return false
		}
	}
	return arrowtype.Storage(a.DataType()).ID() != arrow.DICTIONARY || sameValues(a.Dictionary(), b.Dictionary())
}
