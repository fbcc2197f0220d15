package parquet

import (
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/decimaltext"
)

// raw returns the values of an array of fixed width, nulls among them, as V.
func raw[V any](arr arrow.Array) []V {
	d := arr.Data()
	if d.Len() == 0 {
		return nil
	}
	return cast[V](d.Buffers()[1].Bytes())[d.Offset():][:d.Len()]
}

// load32 returns what makes the four-byte values of an array of type t.
func load32(t arrow.DataType) func(w *worker, arr arrow.Array, p positions) ([]uint32, error) {
	switch t := t.(type) {
	case *arrow.NullType:
		return func(*worker, arrow.Array, positions) ([]uint32, error) { return nil, nil }
	case *arrow.Int8Type:
		return widen[int8]
	case *arrow.Int16Type:
		return widen[int16]
	case *arrow.Uint8Type:
		return widen[uint8]
	case *arrow.Uint16Type:
		return widen[uint16]
	case *arrow.Date64Type:
		return func(w *worker, arr arrow.Array, p positions) ([]uint32, error) {
			return convert(&w.four, raw[int64](arr), p, dayOf)
		}
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return func(w *worker, arr arrow.Array, p positions) ([]uint32, error) {
				return convert(&w.four, raw[int32](arr), p, func(v int32) (uint32, error) {
					if v > math.MaxInt32/1000 || v < math.MinInt32/1000 {
						return 0, errs.Errorf(errs.ErrSchema, "the time %d s does not fit a time in milliseconds, and Parquet has no times in seconds", v)
					}
					return uint32(v * 1000), nil
				})
			}
		}
	case arrow.DecimalType:
		return loadDecimal[uint32](t, func(w *worker) *[]uint32 { return &w.four })
	}
	return func(w *worker, arr arrow.Array, p positions) ([]uint32, error) {
		return gather(&w.four, raw[uint32](arr), p), nil
	}
}

// load64 returns what makes the eight-byte values of an array of type t.
func load64(t arrow.DataType) func(w *worker, arr arrow.Array, p positions) ([]uint64, error) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return func(w *worker, arr arrow.Array, p positions) ([]uint64, error) {
				return convert(&w.eight, raw[int64](arr), p, func(v int64) (uint64, error) {
					if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
						return 0, errs.Errorf(errs.ErrSchema, "the timestamp %d s does not fit a timestamp in milliseconds, and Parquet has no timestamps in seconds", v)
					}
					return uint64(v * 1000), nil
				})
			}
		}
	case arrow.DecimalType:
		return loadDecimal[uint64](t, func(w *worker) *[]uint64 { return &w.eight })
	}
	return func(w *worker, arr arrow.Array, p positions) ([]uint64, error) {
		return gather(&w.eight, raw[uint64](arr), p), nil
	}
}

func widen[V int8 | int16 | uint8 | uint16](w *worker, arr arrow.Array, p positions) ([]uint32, error) {
	src, out := raw[V](arr), sized(&w.four, p.n)
	if p.at == nil {
		for i, v := range src[p.first:][:p.n] {
			out[i] = uint32(int32(v))
		}
		return out, nil
	}
	for i, at := range p.at {
		out[i] = uint32(int32(src[at]))
	}
	return out, nil
}

// convert makes the values of src at p others, one by one.
func convert[V any, T number](dst *[]T, src []V, p positions, f func(V) (T, error)) ([]T, error) {
	out := sized(dst, p.n)
	for i := range out {
		at := p.first + i
		if p.at != nil {
			at = int(p.at[i])
		}
		v, err := f(src[at])
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// dayOf makes days of the milliseconds of a date64, which must be whole days.
func dayOf(v int64) (uint32, error) {
	const day = 86_400_000
	n := v / day
	if v%day == 0 && int64(int32(n)) != n {
		return 0, errs.Errorf(errs.ErrSchema, "the date64 value %d ms is %d days from 1970, more than the 32 bits of Parquet's dates can count", v, n)
	}
	if v%day != 0 {
		return 0, errs.Errorf(errs.ErrSchema, "the date64 value %d ms is not midnight, and Parquet stores dates as days", v)
	}
	return uint32(n), nil
}

func tooManyDigits(t arrow.DecimalType, v *big.Int) error {
	text := decimaltext.Append(nil, v.Append(nil, 10), t.GetScale())
	return errs.Errorf(errs.ErrSchema, "the value %s does not fit %s: it has too many digits", text, t)
}

// loadDecimal makes integers of decimals of at most 18 digits.
func loadDecimal[T number](t arrow.DecimalType, scratch func(*worker) *[]T) func(w *worker, arr arrow.Array, p positions) ([]T, error) {
	limit := int64(1)
	for range t.GetPrecision() {
		limit *= 10
	}
	if t.ID() == arrow.DECIMAL256 {
		return func(w *worker, arr arrow.Array, p positions) ([]T, error) {
			return convert(scratch(w), raw[decimal256.Num](arr), p, func(v decimal256.Num) (T, error) {
				words := v.Array()
				n := int64(words[0])
				if s := uint64(n >> 63); words[1] != s || words[2] != s || words[3] != s || n >= limit || n <= -limit {
					return 0, tooManyDigits(t, v.BigInt())
				}
				return T(n), nil
			})
		}
	}
	return func(w *worker, arr arrow.Array, p positions) ([]T, error) {
		src, out := raw[[2]int64](arr), sized(scratch(w), p.n) // the low word is the first
		var wrong int64
		if p.at == nil {
			for i, v := range src[p.first:][:p.n] {
				out[i] = T(v[0])
				wrong |= v[1] ^ v[0]>>63 | (limit-1-v[0])>>63 | (v[0]+limit-1)>>63
			}
		} else {
			for i, at := range p.at {
				v := src[at]
				out[i] = T(v[0])
				wrong |= v[1] ^ v[0]>>63 | (limit-1-v[0])>>63 | (v[0]+limit-1)>>63
			}
		}
		if wrong != 0 {
			return nil, firstTooLong(t, src, p, limit)
		}
		return out, nil
	}
}

func firstTooLong(t arrow.DecimalType, src [][2]int64, p positions, limit int64) error {
	for i := range p.n {
		at := p.first + i
		if p.at != nil {
			at = int(p.at[i])
		}
		if v := src[at]; v[1] != v[0]>>63 || v[0] >= limit || v[0] <= -limit {
			return tooManyDigits(t, decimal128.New(v[1], uint64(v[0])).BigInt())
		}
	}
	return nil
}

// cast returns bytes as values of fixed width.
func cast[V any](b []byte) []V {
	var v V
	return unsafe.Slice((*V)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}
