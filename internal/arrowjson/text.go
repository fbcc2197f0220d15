package arrowjson

import (
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/decimaltext"
	"github.com/arrowio/arrowio/internal/halffloat"
)

// text is for flat values that are not null; nil for all others.
func (e *Encoder) text(arr arrow.Array) Append {
	switch arr := arr.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, arr.Value(i)) }
	case *array.Int8:
		return signed(arr.Int8Values())
	case *array.Int16:
		return signed(arr.Int16Values())
	case *array.Int32:
		return signed(arr.Int32Values())
	case *array.Int64:
		return signed(arr.Int64Values())
	case *array.Uint8:
		return unsigned(arr.Uint8Values())
	case *array.Uint16:
		return unsigned(arr.Uint16Values())
	case *array.Uint32:
		return unsigned(arr.Uint32Values())
	case *array.Uint64:
		return unsigned(arr.Uint64Values())
	case *array.Duration:
		return signed(arr.DurationValues())
	case *array.MonthInterval:
		return signed(arr.MonthIntervalValues())
	case *array.Float16:
		return func(dst []byte, i int) []byte { return appendFloat(dst, float64(halffloat.Float32(arr.Value(i))), 32) }
	case *array.Float32:
		return func(dst []byte, i int) []byte { return appendFloat(dst, float64(arr.Value(i)), 32) }
	case *array.Float64:
		return func(dst []byte, i int) []byte { return appendFloat(dst, arr.Value(i), 64) }
	case *array.Decimal128:
		scale := arr.DataType().(*arrow.Decimal128Type).Scale
		return func(dst []byte, i int) []byte { return decimaltext.Append128(dst, arr.Value(i), scale) }
	case *array.Decimal256:
		scale := arr.DataType().(*arrow.Decimal256Type).Scale
		return func(dst []byte, i int) []byte { return decimaltext.Append256(dst, arr.Value(i), scale) }
	case *array.String:
		return e.plain(arr.Value)
	case *array.LargeString:
		return e.plain(arr.Value)
	case *array.StringView:
		return e.plain(arr.Value)
	case *array.Binary:
		return func(dst []byte, i int) []byte { return appendBase64(dst, arr.Value(i)) }
	case *array.LargeBinary:
		return func(dst []byte, i int) []byte { return appendBase64(dst, arr.Value(i)) }
	case *array.BinaryView:
		return func(dst []byte, i int) []byte { return appendBase64(dst, arr.Value(i)) }
	case *array.FixedSizeBinary:
		return func(dst []byte, i int) []byte { return appendBase64(dst, arr.Value(i)) }
	}
	return e.temporal(arr)
}

func (e *Encoder) temporal(arr arrow.Array) Append {
	switch arr := arr.(type) {
	case *array.Date32:
		return func(dst []byte, i int) []byte { return appendDate(dst, int64(arr.Value(i))) }
	case *array.Date64:
		return func(dst []byte, i int) []byte {
			v := int64(arr.Value(i))
			if v%86_400_000 == 0 {
				return appendDate(dst, v/86_400_000)
			}
			return appendTimestamp(dst, v, 1000, "")
		}
	case *array.Time32:
		return clock(e, arr.Time32Values(), arr.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return clock(e, arr.Time64Values(), arr.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		t := arr.DataType().(*arrow.TimestampType)
		per, zone := perSecond(t.Unit), ""
		if t.TimeZone != "" {
			zone = "Z"
		}
		return func(dst []byte, i int) []byte { return appendTimestamp(dst, int64(arr.Value(i)), per, zone) }
	}
	return nil
}

// clock is for times of day. One that is outside of a day has no text.
func clock[T arrow.Time32 | arrow.Time64](e *Encoder, values []T, unit arrow.TimeUnit) Append {
	per := perSecond(unit)
	day := uint64(86_400 * per)
	return func(dst []byte, i int) []byte {
		v := int64(values[i])
		if uint64(v) >= day {
			e.fail(errs.Errorf(errs.ErrSchema, "the time %d %s is outside of a day", v, unit))
			return dst
		}
		return appendClock(dst, v, per)
	}
}

func signed[T ~int8 | ~int16 | ~int32 | ~int64](v []T) Append {
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(v[i]), 10) }
}

func unsigned[T ~uint8 | ~uint16 | ~uint32 | ~uint64](v []T) Append {
	return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, uint64(v[i]), 10) }
}

func (e *Encoder) plain(value func(i int) string) Append {
	return func(dst []byte, i int) []byte {
		s := value(i)
		if !bitpack.UTF8String(s) {
			e.fail(errs.Errorf(errs.ErrSchema, "%.40q is not UTF-8", s))
		}
		return append(dst, s...)
	}
}

func perSecond(u arrow.TimeUnit) int64 {
	return [...]int64{arrow.Second: 1, arrow.Millisecond: 1000, arrow.Microsecond: 1_000_000, arrow.Nanosecond: 1_000_000_000}[u]
}

// floorDiv divides so that the rest is not negative.
func floorDiv(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

// appendDate writes days since 1970. Years outside 0 to 9999 have a sign, as ISO 8601 wants.
func appendDate(dst []byte, days int64) []byte {
	// 400 years have 146 097 days: what time.Date cannot take is moved into its reach and back.
	cycles, rest := floorDiv(days, 146_097)
	y, m, d := time.Unix(rest*86_400, 0).UTC().Date()
	return appendCivil(dst, int64(y)+400*cycles, int(m), d)
}

func appendCivil(dst []byte, y int64, m, d int) []byte {
	switch {
	case y < 0:
		dst, y = append(dst, '-'), -y
	case y > 9999:
		dst = append(dst, '+')
	}
	dst = appendPadded(dst, y, 4)
	dst = appendPadded(append(dst, '-'), int64(m), 2)
	return appendPadded(append(dst, '-'), int64(d), 2)
}

// appendPadded writes at least width digits.
func appendPadded(dst []byte, v int64, width int) []byte {
	for limit := int64(10); width > 1; width, limit = width-1, limit*10 {
		if v < limit {
			for ; width > 1; width-- {
				dst = append(dst, '0')
			}
			break
		}
	}
	return strconv.AppendInt(dst, v, 10)
}

// appendClock writes a time of day of so many units a second.
func appendClock(dst []byte, v, per int64) []byte {
	secs, frac := floorDiv(v, per)
	dst = appendPadded(dst, secs/3600, 2)
	dst = appendPadded(append(dst, ':'), secs/60%60, 2)
	dst = appendPadded(append(dst, ':'), secs%60, 2)
	if frac == 0 {
		return dst
	}
	width := 0
	for p := per; p > 1; p /= 10 {
		width++
	}
	return appendPadded(append(dst, '.'), frac, width)
}

func appendTimestamp(dst []byte, v, per int64, zone string) []byte {
	secs, frac := floorDiv(v, per)
	days, secs := floorDiv(secs, 86_400)
	dst = append(appendDate(dst, days), 'T')
	return append(appendClock(dst, secs*per+frac, per), zone...)
}
