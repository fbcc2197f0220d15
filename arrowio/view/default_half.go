package view

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/halffloat"
)

// halfBits returns the bits of the half float that is nearest to a value of JSON: a number, or a text such as "NaN".
func halfBits(v any) (any, error) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	default:
		return nil, fmt.Errorf("it is no number")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	h := halffloat.Nearest(f)
	if !math.IsInf(f, 0) && math.IsInf(float64(halffloat.Float32(h)), 0) {
		return nil, fmt.Errorf("it is too large")
	}
	return h.Uint16(), nil
}

// typeOfBits returns t with uint16 in place of half floats, because Arrow's reader of JSON does not round these.
func typeOfBits(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.Float16Type:
		return arrow.PrimitiveTypes.Uint16
	case *arrow.DictionaryType:
		return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: typeOfBits(t.ValueType), Ordered: t.Ordered}
	case *arrow.RunEndEncodedType:
		return arrow.RunEndEncodedOf(t.RunEnds(), typeOfBits(t.Encoded()))
	case arrow.ExtensionType:
		if bits := typeOfBits(t.StorageType()); !arrow.TypeEqual(bits, t.StorageType()) {
			return bits
		}
		return t
	}
	return arrowtype.Inside(t, typeOfBits)
}

// dataOfType returns data of the type typeOfBits(t) as data of t, for the caller to release.
func dataOfType(d arrow.ArrayData, t arrow.DataType) *array.Data {
	stored := arrowtype.Storage(t)
	if dict, ok := stored.(*arrow.DictionaryType); ok {
		values := dataOfType(d.Dictionary(), dict.ValueType)
		defer values.Release()
		return array.NewDataWithDictionary(t, d.Len(), d.Buffers(), d.NullN(), d.Offset(), values)
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = dataOfType(c, stored.(arrow.NestedType).Fields()[i].Type)
		defer children[i].Release()
	}
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
