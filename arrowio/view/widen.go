package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// joinFlat returns the narrowest type that holds every value of all types exactly; nil = none, or none whose values mean the same.
// Null is none of the types.
func joinFlat(types []arrow.DataType) arrow.DataType {
	first := types[0]
	if !slices.ContainsFunc(types, func(t arrow.DataType) bool { return !arrow.TypeEqual(first, t) }) {
		return first
	}
	if d := joinDictionaries(types); d != nil {
		return d
	}
	plain := make([]arrow.DataType, len(types))
	for i, t := range types {
		plain[i] = valueType(t)
	}
	return joinPlain(plain)
}

// joinDictionaries returns a dictionary with indices that have room for those of all types, which are dictionaries of the same
// values; nil = they are not. It is ordered if all are.
func joinDictionaries(types []arrow.DataType) arrow.DataType {
	index := make([]number, len(types))
	ordered := true
	for i, t := range types {
		d, ok := t.(*arrow.DictionaryType)
		if !ok || !arrow.TypeEqual(d.ValueType, valueType(types[0]), arrow.CheckMetadata()) {
			return nil
		}
		index[i], ordered = numberOf(d.IndexType), ordered && d.Ordered
	}
	t := joinNumbers(index)
	if t == nil {
		return nil
	}
	return &arrow.DictionaryType{IndexType: t, ValueType: valueType(types[0]), Ordered: ordered}
}

// of calls join with what each type has, if all have it.
func of[T any](types []arrow.DataType, get func(arrow.DataType) (T, bool), join func([]T) arrow.DataType) (arrow.DataType, bool) {
	all := make([]T, len(types))
	for i, t := range types {
		x, ok := get(t)
		if !ok {
			return nil, false
		}
		all[i] = x
	}
	return join(all), true
}

func joinPlain(types []arrow.DataType) arrow.DataType {
	first := types[0]
	if !slices.ContainsFunc(types, func(t arrow.DataType) bool { return !arrow.TypeEqual(first, t) }) {
		return first
	}
	if t, ok := of(types, func(t arrow.DataType) (number, bool) { n := numberOf(t); return n, n.bits > 0 }, joinNumbers); ok {
		return t
	}
	if t, ok := of(types, func(t arrow.DataType) (kind, bool) { k := bytesKind(t); return k, k != 0 }, joinBytes); ok {
		return t
	}
	if t, ok := of(types, func(t arrow.DataType) (arrow.DecimalType, bool) { d, ok := t.(arrow.DecimalType); return d, ok }, joinDecimals); ok {
		return t
	}
	unit := arrow.Second
	for _, t := range types {
		u, ok := timeUnit(t)
		if !ok {
			return nil
		}
		unit = max(unit, u)
	}
	switch x := first.(type) {
	case *arrow.TimestampType:
		for _, t := range types {
			if y, ok := t.(*arrow.TimestampType); !ok || x.TimeZone != y.TimeZone {
				return nil
			}
		}
		return &arrow.TimestampType{Unit: unit, TimeZone: x.TimeZone}
	case *arrow.DurationType:
		if slices.ContainsFunc(types, func(t arrow.DataType) bool { return t.ID() != arrow.DURATION }) {
			return nil
		}
		return &arrow.DurationType{Unit: unit}
	}
	switch {
	case slices.ContainsFunc(types, func(t arrow.DataType) bool { return t.ID() != arrow.TIME32 && t.ID() != arrow.TIME64 }):
		return nil
	case unit <= arrow.Millisecond:
		return &arrow.Time32Type{Unit: unit}
	}
	return &arrow.Time64Type{Unit: unit}
}

// number is what a numeric type can hold.
type number struct {
	bits     int // of the type; 0 = it is no such type
	signed   bool
	float    bool
	mantissa int // bits of the integers that all of it can hold
}

func numberOf(t arrow.DataType) number {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		n := t.(arrow.FixedWidthDataType).BitWidth()
		return number{bits: n, signed: true, mantissa: n - 1}
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		n := t.(arrow.FixedWidthDataType).BitWidth()
		return number{bits: n, mantissa: n}
	case arrow.FLOAT16:
		return number{bits: 16, signed: true, float: true, mantissa: 11}
	case arrow.FLOAT32:
		return number{bits: 32, signed: true, float: true, mantissa: 24}
	case arrow.FLOAT64:
		return number{bits: 64, signed: true, float: true, mantissa: 53}
	}
	return number{}
}

func joinNumbers(all []number) arrow.DataType {
	var signed, float, whole bool
	mantissa := 0
	for _, n := range all {
		signed, float, whole = signed || n.signed, float || n.float, whole || !n.float
		mantissa = max(mantissa, n.mantissa)
	}
	if float {
		switch {
		case mantissa <= 11 && !whole:
			return arrow.FixedWidthTypes.Float16
		case mantissa <= 24:
			return arrow.PrimitiveTypes.Float32
		case mantissa <= 53:
			return arrow.PrimitiveTypes.Float64
		}
		return nil
	}
	types := [...]arrow.DataType{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64}
	if signed {
		types = [...]arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}
	}
	for _, t := range types {
		if n := numberOf(t); n.mantissa >= mantissa {
			return t
		}
	}
	return nil
}

// kind tells text from bytes.
type kind byte

func bytesKind(t arrow.DataType) kind {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return 's'
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return 'b'
	}
	return 0
}

// joinBytes returns the type of text, or of bytes, with 64-bit offsets.
func joinBytes(all []kind) arrow.DataType {
	switch {
	case slices.ContainsFunc(all, func(k kind) bool { return k != all[0] }):
		return nil
	case all[0] == 's':
		return arrow.BinaryTypes.LargeString
	}
	return arrow.BinaryTypes.LargeBinary
}

// joinDecimals keeps the digits of all, before the point and after it. A decimal of 256 bits comes only from one.
func joinDecimals(all []arrow.DecimalType) arrow.DataType {
	scale, whole, wide := int64(all[0].GetScale()), int64(all[0].GetPrecision())-int64(all[0].GetScale()), false
	for _, d := range all {
		scale = max(scale, int64(d.GetScale()))
		whole = max(whole, int64(d.GetPrecision())-int64(d.GetScale()))
		wide = wide || d.ID() == arrow.DECIMAL256
	}
	switch p := whole + scale; {
	case p < 1:
		return nil
	case !wide && p <= 38:
		return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(scale)}
	case wide && p <= 76:
		return &arrow.Decimal256Type{Precision: int32(p), Scale: int32(scale)}
	}
	return nil
}

// timeUnit is the unit of a type that counts time.
func timeUnit(t arrow.DataType) (arrow.TimeUnit, bool) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit, true
	case *arrow.DurationType:
		return t.Unit, true
	case *arrow.Time32Type:
		return t.Unit, true
	case *arrow.Time64Type:
		return t.Unit, true
	}
	return 0, false
}
