package arrow18

import (
	"fmt"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// owner is the allocator of a buffer over the memory of a buffer of the other version: when the first goes, it releases
// the second. What is allocated through it, by resizing, is Go memory.
type owner[B interface{ Release() }] struct{ of B }

func (owner[B]) Allocate(size int) []byte { return make([]byte, size) }

func (owner[B]) Reallocate(size int, b []byte) []byte {
	out := make([]byte, size)
	copy(out, b)
	return out
}

func (o owner[B]) Free([]byte) { o.of.Release() }

// ToData returns the data of an array of v15 as data of v18 with type t, which must be the result of ToType or ToField for its
// type; nil = ToData calls ToType. The caller releases it.
func ToData(d arrow.ArrayData, t arrow18.DataType) (arrow18.ArrayData, error) {
	if t == nil {
		var err error
		if t, err = ToType(d.DataType()); err != nil {
			return nil, err
		}
	}
	out, err := toData(d, t)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func toData(d arrow.ArrayData, t arrow18.DataType) (*array18.Data, error) {
	if !alike(storage15(d.DataType()), storage18(t)) {
		return nil, mismatch(d.DataType(), t)
	}
	bufs := make([]*memory18.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			b.Retain()
			bufs[i] = memory18.NewBufferWithAllocator(b.Bytes(), owner[*memory.Buffer]{b})
		}
	}
	defer func() {
		for _, b := range bufs {
			if b != nil {
				b.Release()
			}
		}
	}()
	var children []arrow18.ArrayData
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	if n := len(d.Children()); n > 0 {
		children = make([]arrow18.ArrayData, 0, n)
	}
	for i, c := range d.Children() {
		ct := child18(t, i)
		if ct == nil {
			return nil, mismatch(d.DataType(), t)
		}
		k, err := toData(c, ct)
		if err != nil {
			return nil, err
		}
		children = append(children, k)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		dt, ok := storage18(t).(*arrow18.DictionaryType)
		if !ok {
			return nil, mismatch(d.DataType(), t)
		}
		values, err := toData(dict, dt.ValueType)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return array18.NewDataWithDictionary(t, d.Len(), bufs, d.NullN(), d.Offset(), values), nil
	}
	return array18.NewData(t, d.Len(), bufs, children, d.NullN(), d.Offset()), nil
}

// FromData returns the data of an array of v18 as data of v15 with type t, which must be the result of FromType or FromField
// for its type; nil = FromData calls FromType. The caller releases it.
func FromData(d arrow18.ArrayData, t arrow.DataType) (arrow.ArrayData, error) {
	if t == nil {
		var err error
		if t, err = FromType(d.DataType()); err != nil {
			return nil, err
		}
	}
	out, err := fromData(d, t)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func fromData(d arrow18.ArrayData, t arrow.DataType) (*array.Data, error) {
	if !alike(storage15(t), storage18(d.DataType())) {
		return nil, mismatch(d.DataType(), t)
	}
	n := len(d.Buffers())
	if id := storage15(t).ID(); n == 0 && (id == arrow.RUN_END_ENCODED || id == arrow.NULL) {
		n = 1 // v15 wants the validity bitmap, which is always nil
	}
	bufs := make([]*memory.Buffer, n)
	for i, b := range d.Buffers() {
		if b != nil {
			b.Retain()
			bufs[i] = memory.NewBufferWithAllocator(b.Bytes(), owner[*memory18.Buffer]{b})
		}
	}
	defer func() {
		for _, b := range bufs {
			if b != nil {
				b.Release()
			}
		}
	}()
	var children []arrow.ArrayData
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	if n := len(d.Children()); n > 0 {
		children = make([]arrow.ArrayData, 0, n)
	}
	for i, c := range d.Children() {
		ct := child15(t, i)
		if ct == nil {
			return nil, mismatch(d.DataType(), t)
		}
		k, err := fromData(c, ct)
		if err != nil {
			return nil, err
		}
		children = append(children, k)
	}
	if dict, ok := d.Dictionary().(*array18.Data); ok && dict != nil {
		dt, ok := storage15(t).(*arrow.DictionaryType)
		if !ok {
			return nil, mismatch(d.DataType(), t)
		}
		values, err := fromData(dict, dt.ValueType)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return array.NewDataWithDictionary(t, d.Len(), bufs, d.NullN(), d.Offset(), values), nil
	}
	return array.NewData(t, d.Len(), bufs, children, d.NullN(), d.Offset()), nil
}

func mismatch(from, to fmt.Stringer) error {
	return errs.Errorf(errs.ErrSchema, "data of type %s cannot be taken as %s", from, to)
}
