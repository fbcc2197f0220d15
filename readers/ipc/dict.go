package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// dictionaries are the dictionaries read so far, by id.
type dictionaries struct {
	byID map[int64]*dictionary
	mem  memory.Allocator
	// checked are the dictionaries handed out: found sound, and shared by all batches that follow.
	checked map[arrow.ArrayData]bool
}

// dictionary is one dictionary: a first batch and its deltas, put together when they are asked for.
type dictionary struct {
	parts []arrow.Array
	bytes int64
}

func newDictionaries(mem memory.Allocator) dictionaries {
	return dictionaries{byID: map[int64]*dictionary{}, mem: mem, checked: map[arrow.ArrayData]bool{}}
}

// get returns the values of a dictionary, which stay the dictionaries' own.
func (d *dictionaries) get(id int64) (*array.Data, error) {
	e := d.byID[id]
	if e == nil {
		return nil, corrupt("dictionary %d is used but was not read", id)
	}
	if len(e.parts) > 1 {
		all, err := concat(e.parts, d.mem)
		if err != nil {
			return nil, errs.Errorf(errs.ErrUnsupported, "dictionary %d: its %d deltas: %w", id, len(e.parts)-1, err)
		}
		e.release(d)
		e.parts = []arrow.Array{all}
	}
	data := e.parts[0].Data().(*array.Data)
	d.checked[data] = true
	return data, nil
}

// bytes returns how much a dictionary is counted as.
func (d *dictionaries) bytes(id int64) int64 {
	if e := d.byID[id]; e != nil {
		return e.bytes
	}
	return 0
}

func concat(parts []arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	a := arrowbuf.NewAppender(parts[0].DataType(), mem)
	defer a.Release()
	for _, p := range parts {
		if err := a.Append(p, 0, p.Len()); err != nil {
			return nil, err
		}
	}
	return a.Take(), nil
}

// add puts values, which it takes over, into the dictionary: behind what is there for a delta, else instead of it.
func (d *dictionaries) add(id int64, values arrow.Array, bytes int64, delta bool, limit int64) error {
	e := d.byID[id]
	switch {
	case e == nil && delta:
		values.Release()
		return corrupt("a delta of dictionary %d, which was not read", id)
	case e == nil:
		e = &dictionary{}
		d.byID[id] = e
	case !delta:
		e.release(d)
		*e = dictionary{}
	}
	e.parts = append(e.parts, values)
	if e.bytes += bytes; e.bytes > limit {
		return errs.Errorf(errs.ErrLimit, "dictionary %d has more than Limits.DictionaryBytes", id)
	}
	return nil
}

func (e *dictionary) release(d *dictionaries) {
	for _, p := range e.parts {
		delete(d.checked, p.Data())
		p.Release()
	}
	e.parts = nil
}

func (d *dictionaries) release() {
	for _, e := range d.byID {
		e.release(d)
	}
	clear(d.byID)
}
