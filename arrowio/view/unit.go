package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/inferred"
)

// InUnit shows a file with all its timestamps, at every depth, in one unit. Finer digits are cut off, so times are rounded
// towards the past. A time that does not fit the unit is an error when it is read. Filters on columns whose digits are cut off
// prune nothing. Closing the result closes f; the result may be f itself if nothing changes.
func InUnit(f arrowio.File, unit arrow.TimeUnit) (arrowio.File, error) {
	own := f.Schema()
	fields := slices.Clone(own.Fields())
	columns := make([]int, len(fields))
	same := true
	for i := range fields {
		columns[i] = i
		t := typeIn(fields[i].Type, unit)
		same = same && arrow.TypeEqual(t, fields[i].Type)
		fields[i].Type = t
	}
	shown := f
	if !same {
		meta := own.Metadata()
		var err error
		if shown, err = Show(f, arrow.NewSchema(fields, &meta), Options{Columns: columns, Cast: truncate}); err != nil {
			return nil, err
		}
	}
	if t, ok := f.(inferred.File); ok {
		return &textInUnit{File: shown, text: t, unit: unit}, nil
	}
	return shown, nil
}

// textInUnit is text whose timestamps are shown in a unit.
type textInUnit struct {
	arrowio.File
	text inferred.File
	unit arrow.TimeUnit
}

func (t *textInUnit) Unwrap() arrowio.File { return t.File }
func (t *textInUnit) AsText() error        { return t.text.AsText() }

// Inferred returns what is known of the text, but for its timestamps, which have the unit that was asked for.
func (t *textInUnit) Inferred() *arrow.Schema {
	fields := slices.Clone(t.text.Inferred().Fields())
	for i, f := range t.Schema().Fields() {
		if f.Type.ID() == arrow.TIMESTAMP {
			fields[i] = f
		}
	}
	return arrow.NewSchema(fields, nil)
}

// ReadAs reads timestamps in a unit that text has, and shows them in the one that was asked for.
func (t *textInUnit) ReadAs(types []arrow.DataType) arrowio.File {
	types = slices.Clone(types)
	for i, x := range types {
		if ts, ok := x.(*arrow.TimestampType); ok {
			types[i] = &arrow.TimestampType{Unit: max(ts.Unit, arrow.Microsecond), TimeZone: ts.TimeZone}
		}
	}
	shown, err := InUnit(t.text.ReadAs(types), t.unit)
	if err != nil {
		return t.File // a type that cannot be shown so: Show says it
	}
	return shown
}

// ReadUnder reads timestamps in the unit that the values seen have, and shows them in the one that was asked for.
func (t *textInUnit) ReadUnder(types []arrow.DataType) arrowio.File {
	types = slices.Clone(types)
	own := t.text.Schema()
	for i, x := range types {
		if x != nil {
			types[i] = typeIn(x, arrow.Microsecond)
		}
		ts, ok := x.(*arrow.TimestampType)
		if seen, ok2 := own.Field(i).Type.(*arrow.TimestampType); ok && ok2 {
			types[i] = &arrow.TimestampType{Unit: seen.Unit, TimeZone: ts.TimeZone}
		}
	}
	shown, err := InUnit(t.text.ReadUnder(types), t.unit)
	if err != nil {
		return t.File // a type that cannot be shown so: Show says it
	}
	return shown
}

// typeIn returns a type with the timestamps in it in a unit. Dictionaries of them become their values.
func typeIn(t arrow.DataType, unit arrow.TimeUnit) arrow.DataType {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return &arrow.TimestampType{Unit: unit, TimeZone: t.TimeZone}
	case *arrow.DictionaryType:
		if v := typeIn(t.ValueType, unit); !arrow.TypeEqual(v, t.ValueType) {
			return v
		}
	}
	return arrowtype.Inside(t, func(t arrow.DataType) arrow.DataType { return typeIn(t, unit) })
}

// truncate is a Cast: it makes coarser timestamps of finer ones.
func truncate(from, to arrow.Field) Casting {
	a, ok := from.Type.(*arrow.TimestampType)
	b, ok2 := to.Type.(*arrow.TimestampType)
	if !ok || !ok2 || a.Unit <= b.Unit {
		return nil
	}
	per := int64(1)
	for u := b.Unit; u < a.Unit; u++ {
		per *= 1000
	}
	cut := values(to.Type, func(dst []int64, src []arrow.Timestamp) {
		dst = dst[:len(src)]
		for i, x := range src {
			q := int64(x) / per
			dst[i] = q + (int64(x)-q*per)>>63 // a remainder below zero rounds down
		}
	})
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) { return cut(d, nil, mem) }
}
