package trevni

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// dictionary decodes indices of texts.
func (l *leafBuffers) dictionary(d *array.Dictionary, f *field) (values, error) {
	text, ok := d.Dictionary().(*array.String)
	if !ok {
		return nil, f.mismatch(d)
	}
	from := view32(text.Len(), text.ValueOffsets, text.Data())
	l.offsets, l.data = append(l.offsets[:0], 0), l.data[:0]
	for _, k := range l.indices(d) {
		l.data = append(l.data, from.at(int(k))...)
		if len(l.data) > math.MaxInt32 {
			return nil, errTooMuch()
		}
		l.offsets = append(l.offsets, int32(len(l.data)))
	}
	return l.text(bytesValues{l.offsets, l.data}, f)
}

// indices returns the indices of a dictionary array without nulls.
func (l *leafBuffers) indices(d *array.Dictionary) []int32 {
	switch a := d.Indices().(type) {
	case *array.Int32:
		return a.Int32Values()
	case *array.Int8:
		l.ints = widen(l.ints, a.Int8Values())
	case *array.Uint8:
		l.ints = widen(l.ints, a.Uint8Values())
	case *array.Int16:
		l.ints = widen(l.ints, a.Int16Values())
	case *array.Uint16:
		l.ints = widen(l.ints, a.Uint16Values())
	case *array.Uint32:
		l.ints = widen(l.ints, a.Uint32Values())
	case *array.Int64:
		l.ints = widen(l.ints, a.Int64Values())
	case *array.Uint64:
		l.ints = widen(l.ints, a.Uint64Values())
	}
	return l.ints
}

// enum turns texts into the ordinals of an Avro enum's symbols.
func (l *leafBuffers) enum(arr arrow.Array, f *field) (values, error) {
	noSymbol := func(i int, text string) error {
		return &badValue{i, fmt.Sprintf("%q is no symbol of its enum", text)}
	}
	switch a := arr.(type) {
	case *array.String:
		l.ints = l.ints[:0]
		for i := range a.Len() {
			k := slices.Index(f.Enum, a.Value(i))
			if k < 0 {
				return nil, noSymbol(i, a.Value(i))
			}
			l.ints = append(l.ints, int32(k))
		}
	case *array.Dictionary:
		text, ok := a.Dictionary().(*array.String)
		if !ok {
			return nil, f.mismatch(a)
		}
		ordinals := make([]int32, text.Len())
		for i := range ordinals {
			ordinals[i] = int32(slices.Index(f.Enum, text.Value(i)))
		}
		indices := l.indices(a)
		l.ints = resize(l.ints, len(indices)) // which they may lie in
		for i, k := range indices {
			if ordinals[k] < 0 {
				return nil, noSymbol(i, text.Value(int(k)))
			}
			l.ints[i] = ordinals[k]
		}
	default:
		return nil, f.mismatch(arr)
	}
	return varintValues[int32]{l.ints}, nil
}
