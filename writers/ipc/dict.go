package ipc

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// dictionaries makes columns ready for arrow's writer: rebased, and with dictionaries that only ever grow where the
// target needs that.
type dictionaries struct {
	mem   memory.Allocator
	grows []bool
	last  []arrow.Array // one row of what was written before, for its dictionaries; nil = nothing yet
}

// newDictionaries is for columns of s. In a file all dictionaries grow. In a stream they are replaced, but for those of
// floats: arrow's writer takes two for one when they are nearly equal.
func newDictionaries(s *arrow.Schema, file bool, mem memory.Allocator) dictionaries {
	d := dictionaries{mem: mem, grows: make([]bool, s.NumFields()), last: make([]arrow.Array, s.NumFields())}
	for i, f := range s.Fields() {
		d.grows[i] = hasDictionary(f.Type, file)
	}
	return d
}

// hasDictionary looks for a dictionary in t, of any values or only of floats.
func hasDictionary(t arrow.DataType, ofAny bool) bool {
	if e, ok := t.(arrow.ExtensionType); ok {
		return hasDictionary(e.StorageType(), ofAny)
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		return ofAny || hasFloats(d.ValueType) || hasDictionary(d.ValueType, ofAny)
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if hasDictionary(f.Type, ofAny) {
				return true
			}
		}
	}
	return false
}

func hasFloats(t arrow.DataType) bool {
	if e, ok := t.(arrow.ExtensionType); ok {
		return hasFloats(e.StorageType())
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if hasFloats(f.Type) {
				return true
			}
		}
	}
	return arrow.IsFloating(t.ID())
}

// settle returns column i of a batch as it is to be written. The caller keeps c and releases the result.
func (d *dictionaries) settle(i int, c arrow.Array) (arrow.Array, error) {
	if !d.grows[i] {
		return d.copy(c, 0, c.Len())
	}
	if d.last[i] != nil && !sameDictionaries(d.last[i].Data(), c.Data()) {
		return d.grow(i, c)
	}
	out, err := d.copy(c, 0, c.Len())
	if err == nil && d.last[i] == nil {
		if d.last[i], err = d.copy(out, 0, 1); err != nil {
			out.Release()
		}
	}
	return out, err
}

// copy returns rows [from, to) of c at offset 0; c itself where it is that already.
func (d *dictionaries) copy(c arrow.Array, from, to int) (arrow.Array, error) {
	a := arrowbuf.NewAppender(c.DataType(), d.mem)
	defer a.Release()
	if err := a.Append(c, from, to); err != nil {
		return nil, tooLarge(err)
	}
	return a.Take(), nil
}

// grow returns c with the dictionaries written before, and behind their entries what c has besides: an Appender keeps
// the dictionaries of its first rows, so those come first, and are left out of the result.
func (d *dictionaries) grow(i int, c arrow.Array) (arrow.Array, error) {
	a := arrowbuf.NewAppender(c.DataType(), d.mem)
	defer a.Release()
	if err := errors.Join(a.Append(d.last[i], 0, 1), a.Append(c, 0, c.Len())); err != nil {
		return nil, tooLarge(err)
	}
	both := a.Take()
	defer both.Release()
	out, err := d.copy(both, 1, both.Len())
	if err != nil {
		return nil, err
	}
	last, err := d.copy(out, 0, 1)
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
		return arrowio.Errorf(arrowio.ErrSchema, "the dictionaries of all batches together need a larger index type: %w", err)
	}
	return err
}

func (d *dictionaries) release() {
	for i, a := range d.last {
		if a != nil {
			a.Release()
			d.last[i] = nil
		}
	}
}

// sameDictionaries compares the dictionaries at all depths of two arrays of one type.
func sameDictionaries(a, b arrow.ArrayData) bool {
	if a.DataType().ID() == arrow.DICTIONARY || storageIsDictionary(a.DataType()) {
		x, y := a.Dictionary(), b.Dictionary()
		if x == y {
			return true
		}
		l, r := array.MakeFromData(x), array.MakeFromData(y)
		defer l.Release()
		defer r.Release()
		return array.Equal(l, r)
	}
	for i := range a.Children() {
		if !sameDictionaries(a.Children()[i], b.Children()[i]) {
			return false
		}
	}
	return true
}

func storageIsDictionary(t arrow.DataType) bool {
	e, ok := t.(arrow.ExtensionType)
	return ok && e.StorageType().ID() == arrow.DICTIONARY
}
