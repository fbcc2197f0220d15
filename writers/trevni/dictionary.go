package trevni

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowdense"
)

// dictionary decodes indices of texts or bytes.
func (l *leafBuffers) dictionary(d *array.Dictionary, f *field) (values, error) {
	var from bytesValues
	switch a := d.Dictionary().(type) {
	case *array.String:
		from = view32(a.Len(), a.ValueOffsets, a.Data())
	case *array.Binary:
		from = view32(a.Len(), a.ValueOffsets, a.Data())
	default:
		return nil, f.mismatch(d)
	}
	l.offsets, l.data = append(l.offsets[:0], 0), l.data[:0]
	for _, k := range arrowdense.Indices(&l.ints, d) {
		l.data = append(l.data, from.at(int(k))...)
		if len(l.data) > math.MaxInt32 {
			return nil, arrowdense.TooMuch()
		}
		l.offsets = append(l.offsets, int32(len(l.data)))
	}
	return l.text(bytesValues{l.offsets, l.data}, f)
}

// enum turns texts into the ordinals of an Avro enum's symbols.
func (l *leafBuffers) enum(arr arrow.Array, f *field) (values, error) {
	noSymbol := func(i int, text string) error {
		return &badValue{i, fmt.Errorf("%q is no symbol of its enum", text)}
	}
	ordinal := make(map[string]int32, len(f.Enum))
	for k, symbol := range f.Enum {
		ordinal[symbol] = int32(k)
	}
	switch a := arr.(type) {
	case *array.String:
		l.ints = l.ints[:0]
		for i := range a.Len() {
			k, ok := ordinal[a.Value(i)]
			if !ok {
				return nil, noSymbol(i, a.Value(i))
			}
			l.ints = append(l.ints, k)
		}
	case *array.Dictionary:
		text, ok := a.Dictionary().(*array.String)
		if !ok {
			return nil, f.mismatch(a)
		}
		ordinals := make([]int32, text.Len())
		for i := range ordinals {
			k, ok := ordinal[text.Value(i)]
			if !ok {
				k = -1 // which a value must not be
			}
			ordinals[i] = k
		}
		indices := arrowdense.Indices(&l.ints, a)
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
