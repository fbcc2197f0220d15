package icebergtable

import (
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// partitionType returns the type of what a transform makes of values of a type; false = it does not take such values (Iceberg
// table specification, "Partition Transforms").
func partitionType(tr iceberg.Transform, t *iceberg.Type) (iceberg.Type, bool) {
	k := t.Kind
	date := k == iceberg.Date
	instant := k >= iceberg.Timestamp && k <= iceberg.TimestampTZNS
	number := iceberg.Type{Kind: iceberg.Int}
	switch tr.Kind {
	case iceberg.Identity:
		return *t, k > iceberg.Unknown && k < iceberg.Struct
	case iceberg.Void:
		return *t, k < iceberg.Struct
	case iceberg.Bucket:
		switch k {
		case iceberg.Int, iceberg.Long, iceberg.Decimal, iceberg.Date, iceberg.Time, iceberg.String, iceberg.UUID, iceberg.Fixed, iceberg.Binary:
			return number, tr.Width <= math.MaxInt32
		}
		return number, instant && tr.Width <= math.MaxInt32
	case iceberg.Truncate:
		switch k {
		case iceberg.Int, iceberg.Long, iceberg.Decimal, iceberg.String, iceberg.Binary:
			return *t, tr.Width <= math.MaxInt32
		}
	case iceberg.Year, iceberg.Month:
		return number, date || instant
	case iceberg.Day:
		return iceberg.Type{Kind: iceberg.Date}, date || instant
	case iceberg.Hour:
		return number, instant
	}
	return number, false
}

// valueAt returns value i of a column of a type, which is an array of the type that iceberg.Schema gives.
func valueAt(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int32:
		return a.Value(i)
	case *array.Int64:
		return a.Value(i)
	case *array.Float32:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.Date32:
		return int32(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Decimal128:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return a.Value(i)
	case *array.FixedSizeBinary:
		return a.Value(i)
	}
	return nil
}

// apply returns what a transform makes of one value of a type.
func apply(tr iceberg.Transform, t *iceberg.Type, v any) any {
	if v == nil || tr.Kind == iceberg.Void {
		return nil
	}
	switch tr.Kind {
	case iceberg.Bucket:
		return int32(int64(hash(t, v)&math.MaxInt32) % tr.Width)
	case iceberg.Truncate:
		return truncate(v, tr.Width)
	case iceberg.Year, iceberg.Month, iceberg.Day, iceberg.Hour:
		return moment(tr.Kind, t.Kind, v)
	}
	return v
}

// hash is that of the transform bucket.
func hash(t *iceberg.Type, v any) uint32 {
	switch v := v.(type) {
	case int32:
		return murmurLong(int64(v))
	case int64:
		if t.Kind == iceberg.TimestampNS || t.Kind == iceberg.TimestampTZNS { // as if it were in microseconds
			v = floorDiv(v, 1000)
		}
		return murmurLong(v)
	case decimal128.Num:
		return murmur(unscaled(v))
	case string:
		return murmur([]byte(v))
	case []byte:
		return murmur(v)
	}
	return 0
}

func truncate(v any, width int64) any {
	switch v := v.(type) {
	case int32:
		w := int32(width)
		return v - ((v%w)+w)%w
	case int64:
		return v - floorMod(v, width)
	case decimal128.Num:
		w := big.NewInt(width)
		n := v.BigInt()
		return decimal128.FromBigInt(n.Sub(n, new(big.Int).Mod(n, w))) // Mod is never negative
	case string:
		s, _ := prefix(v, int(width))
		return s
	case []byte:
		return v[:min(int64(len(v)), width)]
	}
	return v
}

// prefix returns the first n characters of a text, and whether there are more.
func prefix(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], at < len(s)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }

// moment returns the year, month, day or hour of a date or a timestamp, counted from 1970.
func moment(tr iceberg.TransformKind, k iceberg.Kind, v any) any {
	var days, hours int64
	switch v := v.(type) {
	case int32:
		days = int64(v)
	case int64:
		hour := int64(time.Hour / time.Microsecond)
		if k == iceberg.TimestampNS || k == iceberg.TimestampTZNS {
			hour = int64(time.Hour)
		}
		hours = floorDiv(v, hour)
		days = floorDiv(hours, 24)
	}
	switch tr {
	case iceberg.Hour:
		return int32(hours)
	case iceberg.Day:
		return int32(days)
	}
	year, month := monthOf(days)
	if tr == iceberg.Year {
		return int32(year - 1970)
	}
	return int32((year-1970)*12 + month - 1)
}

// monthOf returns the year and the month, from 1, of a day since 1970 in the proleptic Gregorian calendar.
func monthOf(days int64) (year, month int64) {
	const era = 146097 // days of 400 years
	days += 719468     // since 1 March of the year 0
	n := floorDiv(days, era)
	day := days - n*era
	y := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*y + y/4 - y/100
	m := (5*day + 2) / 153 // 0 = March
	year, month = y+400*n, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month
}

// transformed returns a column of partition values, to sort by and to tell partitions apart: floats are the whole numbers of
// their bits. The caller releases it.
func transformed(tr iceberg.Transform, t *iceberg.Type, a arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	if tr.Kind == iceberg.Identity || tr.Kind == iceberg.Truncate && (t.Kind == iceberg.String || t.Kind == iceberg.Binary) && short(a, tr.Width) {
		if as := bitsType(a.DataType()); as != nil {
			d := a.Data()
			bits := array.NewData(as, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
			defer bits.Release()
			return array.MakeFromData(bits), nil
		}
		a.Retain()
		return a, nil
	}
	to, ok := partitionType(tr, t)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "transform %s of %s", tr, t)
	}
	b := array.NewBuilder(mem, sortType(&to))
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if err := appendTo(b, apply(tr, t, valueAt(a, i))); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

// short reports whether no value of text or bytes is longer than width bytes.
func short(a arrow.Array, width int64) bool {
	b, ok := a.(array.BinaryLike)
	if !ok {
		return false
	}
	for i := range b.Len() {
		if int64(b.ValueLen(i)) > width {
			return false
		}
	}
	return true
}

func bitsType(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.FLOAT32:
		return arrow.PrimitiveTypes.Int32
	case arrow.FLOAT64:
		return arrow.PrimitiveTypes.Int64
	}
	return nil
}

// sortType is the Arrow type of a column of partition values.
func sortType(t *iceberg.Type) arrow.DataType {
	shown, err := iceberg.Schema([]iceberg.Field{{Name: "x", Type: *t}}, iceberg.ArrowOptions{})
	if err != nil {
		return arrow.Null
	}
	if as := bitsType(shown[0].Type); as != nil {
		return as
	}
	return shown[0].Type
}

// appendTo appends a value to a builder of its type.
func appendTo(b array.Builder, v any) error {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
		return nil
	case int32:
		switch b := b.(type) {
		case *array.Int32Builder:
			b.Append(v)
			return nil
		case *array.Date32Builder:
			b.Append(arrow.Date32(v))
			return nil
		}
	case int64:
		if b, ok := b.(*array.Int64Builder); ok {
			b.Append(v)
			return nil
		}
	case decimal128.Num:
		if b, ok := b.(*array.Decimal128Builder); ok {
			b.Append(v)
			return nil
		}
	case string:
		if b, ok := b.(*array.StringBuilder); ok {
			b.Append(v)
			return nil
		}
	case []byte:
		if b, ok := b.(*array.BinaryBuilder); ok {
			b.Append(v)
			return nil
		}
	}
	return errs.Errorf(errs.ErrInternal, "a value of %T in a column of %s", v, b.Type())
}

// valueOfSorted returns a partition value of a column that transformed made.
func valueOfSorted(t *iceberg.Type, a arrow.Array, i int) any {
	v := valueAt(a, i)
	switch t.Kind {
	case iceberg.Float:
		if n, ok := v.(int32); ok {
			return math.Float32frombits(uint32(n))
		}
	case iceberg.Double:
		if n, ok := v.(int64); ok {
			return math.Float64frombits(uint64(n))
		}
	}
	return v
}
