package icebergtable

import (
	"fmt"
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// cast is a view.Cast: it makes of values types that tables have, where every value has a place there, or is checked.
func cast(from, to arrow.Field) view.Casting {
	switch t := to.Type.(type) {
	case *arrow.StringType:
		if large(from.Type) {
			return narrowOffsets(t)
		}
	case *arrow.BinaryType:
		if large(from.Type) {
			return narrowOffsets(t)
		}
	case *arrow.TimestampType:
		if f, ok := from.Type.(*arrow.TimestampType); ok && f.Unit <= t.Unit && (f.TimeZone == "") == (t.TimeZone == "") {
			return scaled(f, t)
		}
	case *arrow.Time64Type:
		switch f := from.Type.(type) {
		case *arrow.Time32Type:
			if t.Unit == arrow.Microsecond {
				return fromTime32(f, t)
			}
		case *arrow.Time64Type:
			if f.Unit == t.Unit {
				return fromTime64(t)
			}
		}
	case *arrow.Date32Type:
		if from.Type.ID() == arrow.DATE64 {
			return fromDate64()
		}
	case *arrow.Decimal128Type:
		if from.Type.ID() == arrow.UINT64 && t.Scale == 0 && t.Precision >= maxUint64Digits {
			return fromUint64(t)
		}
	}
	return nil
}

func large(t arrow.DataType) bool {
	return t.ID() == arrow.LARGE_STRING || t.ID() == arrow.LARGE_BINARY
}

// values makes fixed-width values of others. do returns false for values that have no place, and why says what is wrong with them.
func values[F arrow.FixedWidthType, T arrowbuf.Fixed](to arrow.DataType, do func(F) (T, bool), why func(F) string) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		n := d.Len()
		v := arrowbuf.NewVec[T](&arrowbuf.Arena{Allocator: mem})
		v.Tail(max(n, 1)) // an array has its buffer, of no values too
		dst := v.Grow(n)
		if n > 0 {
			src := arrow.GetData[F](d.Buffers()[1].Bytes())[d.Offset():][:n]
			for i, x := range src {
				var ok bool
				if dst[i], ok = do(x); !ok && valid(d, i) {
					v.Release()
					return nil, errs.Errorf(errs.ErrSchema, "%s", why(x)) // the column is added
				}
			}
		}
		data := v.Take()
		defer data.Release()
		bits, nulls := validity(d, mem)
		if bits != nil {
			defer bits.Release()
		}
		return array.NewData(to, n, []*memory.Buffer{bits, data}, nil, nulls, 0), nil
	}
}

func valid(d arrow.ArrayData, i int) bool {
	b := d.Buffers()[0]
	if b == nil || b.Len() == 0 || d.NullN() == 0 {
		return true
	}
	at := d.Offset() + i
	return b.Bytes()[at>>3]>>(at&7)&1 != 0
}

// validity copies which values of d are there, from bit 0 on; nil = all are. The caller releases it.
func validity(d arrow.ArrayData, mem memory.Allocator) (*memory.Buffer, int) {
	b := d.Buffers()[0]
	if b == nil || b.Len() == 0 || d.NullN() == 0 {
		return nil, 0
	}
	out := memory.NewResizableBuffer(mem)
	out.Resize((d.Len() + 7) / 8)
	clear(out.Bytes())
	nulls := 0
	for i := range d.Len() {
		if at := d.Offset() + i; b.Bytes()[at>>3]>>(at&7)&1 != 0 {
			out.Bytes()[i>>3] |= 1 << (i & 7)
		} else {
			nulls++
		}
	}
	return out, nulls
}

func scaled(f, t *arrow.TimestampType) view.Casting {
	factor := int64(f.Unit.Multiplier() / t.Unit.Multiplier())
	if factor == 1 {
		return func(d arrow.ArrayData, _ memory.Allocator) (arrow.ArrayData, error) {
			return array.NewData(t, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()), nil
		}
	}
	return values(t, func(v int64) (int64, bool) { return v * factor, v <= math.MaxInt64/factor && v >= math.MinInt64/factor },
		func(v int64) string {
			return fmt.Sprintf("the timestamp %d %s is beyond what %s can count", v, f.Unit, unitNames[t.Unit])
		})
}

var unitNames = [...]string{arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds"}

func fromTime32(f *arrow.Time32Type, t *arrow.Time64Type) view.Casting {
	factor := int64(f.Unit.Multiplier() / time.Microsecond)
	return values(t, func(v int32) (int64, bool) { return int64(v) * factor, inDay(int64(v), f.Unit) },
		func(v int32) string { return fmt.Sprintf("the time %d %s is outside of a day", v, f.Unit) })
}

// fromTime64 checks times of the unit that tables have: readers refuse those outside of a day.
func fromTime64(t *arrow.Time64Type) view.Casting {
	return values(t, func(v int64) (int64, bool) { return v, inDay(v, t.Unit) },
		func(v int64) string { return fmt.Sprintf("the time %d %s is outside of a day", v, t.Unit) })
}

func inDay(v int64, unit arrow.TimeUnit) bool {
	return uint64(v) < uint64(24*time.Hour/unit.Multiplier())
}

func fromDate64() view.Casting {
	const day = int64(24 * time.Hour / time.Millisecond)
	return values(arrow.FixedWidthTypes.Date32, func(v int64) (int32, bool) {
		days := v / day
		return int32(days), days*day == v && days == int64(int32(days))
	}, func(v int64) string {
		if v%day != 0 {
			return fmt.Sprintf("the date64 value %d ms is not midnight, and tables have dates of whole days", v)
		}
		return fmt.Sprintf("the date64 value %d ms is %d days from 1970, more than the 32 bits of a date can count", v, v/day)
	})
}

func fromUint64(t *arrow.Decimal128Type) view.Casting {
	return values(t, func(v uint64) ([2]uint64, bool) { return [2]uint64{v}, true }, nil) // each fits
}

// narrowOffsets makes of text or bytes with 64-bit offsets those with 32-bit offsets.
func narrowOffsets(t arrow.DataType) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		o, first, err := offsets32(d, mem)
		if err != nil {
			return nil, err
		}
		defer o.Release()
		bits, nulls := validity(d, mem)
		if bits != nil {
			defer bits.Release()
		}
		data := memory.NewBufferBytes(nil)
		if b := d.Buffers()[2]; b != nil && d.Len() > 0 {
			last := int64(arrow.Int32Traits.CastFromBytes(o.Bytes())[d.Len()])
			data = memory.NewBufferBytes(append([]byte{}, b.Bytes()[first:][:last]...))
		}
		return array.NewData(t, d.Len(), []*memory.Buffer{bits, o, data}, nil, nulls, 0), nil
	}
}

// offsets32 returns the 64-bit offsets of d from 0 on, and where the first was.
func offsets32(d arrow.ArrayData, mem memory.Allocator) (*memory.Buffer, int64, error) {
	n := d.Len()
	out := memory.NewResizableBuffer(mem)
	out.Resize((n + 1) * arrow.Int32SizeBytes)
	dst := arrow.Int32Traits.CastFromBytes(out.Bytes())
	dst[0] = 0
	if n == 0 {
		return out, 0, nil
	}
	src := arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():][:n+1]
	if src[n]-src[0] > math.MaxInt32 {
		out.Release()
		return nil, 0, errs.Errorf(errs.ErrLimit, "a batch of more than 2 GiB in a column: ask for smaller batches")
	}
	for i, x := range src {
		dst[i] = int32(x - src[0])
	}
	return out, src[0], nil
}

// plainLists returns a type with lists of 64-bit offsets, and of one length, as ordinary lists.
func plainLists(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.LargeListType:
		return arrow.ListOfField(plainField(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.ListOfField(plainField(t.ElemField()))
	case *arrow.ListType:
		return arrow.ListOfField(plainField(t.ElemField()))
	case *arrow.MapType:
		key, item := plainField(t.KeyField()), plainField(t.ItemField())
		m := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
		m.SetItemNullable(item.Nullable)
		return m
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = plainField(f)
		}
		return arrow.StructOf(fields...)
	}
	return t
}

func plainField(f arrow.Field) arrow.Field {
	f.Type = plainLists(f.Type)
	return f
}

// inPlainLists returns data of a type as one of plainLists. The caller releases it.
func inPlainLists(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	to := plainLists(d.DataType())
	if arrow.TypeEqual(to, d.DataType()) {
		d.Retain()
		return d, nil
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	defer func() {
		for _, c := range children {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range d.Children() {
		var err error
		if children[i], err = inPlainLists(c, mem); err != nil {
			return nil, err
		}
	}
	var o *memory.Buffer
	from := int64(0)
	switch t := d.DataType().(type) {
	case *arrow.LargeListType:
		var err error
		if o, from, err = offsets32(d, mem); err != nil {
			return nil, err
		}
	case *arrow.FixedSizeListType:
		w := int(t.Len())
		if int64(d.Len())*int64(w) > math.MaxInt32 {
			return nil, errs.Errorf(errs.ErrLimit, "a batch of more than 2,147,483,647 elements in a column: ask for smaller batches")
		}
		o = memory.NewResizableBuffer(mem)
		o.Resize((d.Len() + 1) * arrow.Int32SizeBytes)
		for i, dst := 0, arrow.Int32Traits.CastFromBytes(o.Bytes()); i <= d.Len(); i++ {
			dst[i] = int32(i * w)
		}
		from = int64(d.Offset() * w)
	default:
		return array.NewData(to, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
	}
	defer o.Release()
	last := int64(arrow.Int32Traits.CastFromBytes(o.Bytes())[d.Len()])
	part := array.NewSliceData(children[0], from, from+last)
	defer part.Release()
	bits, nulls := validity(d, mem)
	if bits != nil {
		defer bits.Release()
	}
	return array.NewData(to, d.Len(), []*memory.Buffer{bits, o}, []arrow.ArrayData{part}, nulls, 0), nil
}
