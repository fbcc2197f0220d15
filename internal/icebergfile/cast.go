package icebergfile

import (
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// cast makes Iceberg's types of what ORC stores them as: an view.Cast.
func cast(from, to arrow.Field) view.Casting {
	switch t := to.Type.(type) {
	case *arrow.FixedSizeBinaryType:
		if from.Type.ID() == arrow.BINARY {
			return fixed(t, to.Name)
		}
	case *arrow.TimestampType:
		if from.Type.ID() == arrow.DATE32 {
			return midnight(t, to.Name)
		}
	case *arrow.Time64Type:
		if from.Type.ID() == arrow.INT64 {
			return timeOfDay(t, to.Name)
		}
	}
	return nil
}

const dayMicros = 24 * 3600 * 1e6

// timeOfDay shows microseconds as a time.
func timeOfDay(t *arrow.Time64Type, name string) view.Casting {
	return func(d arrow.ArrayData, _ memory.Allocator) (arrow.ArrayData, error) {
		if d.Len() > 0 {
			bad := false
			values := arrow.GetData[int64](d.Buffers()[1].Bytes())[d.Offset():][:d.Len()]
			for _, v := range values {
				bad = bad || uint64(v) >= dayMicros
			}
			if bad {
				for i, v := range values {
					if uint64(v) >= dayMicros && valid(d, i) {
						return nil, valueError(name, "%d microseconds are no time of a day", v)
					}
				}
			}
		}
		return array.NewData(t, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()), nil
	}
}

// midnight shows days as timestamps.
func midnight(t *arrow.TimestampType, name string) view.Casting {
	day := int64(24*time.Hour) / int64(t.Unit.Multiplier())
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		n := d.Len()
		v := arrowbuf.NewVec[int64](&arrowbuf.Arena{Allocator: mem})
		v.Tail(max(n, 1)) // an array has its buffer, of no values too
		dst := v.Grow(n)
		if n > 0 {
			for i, days := range arrow.GetData[int32](d.Buffers()[1].Bytes())[d.Offset():][:n] {
				dst[i] = int64(days) * day
				if dst[i]/day != int64(days) && valid(d, i) {
					v.Release()
					return nil, valueError(name, "day %d is beyond what %s holds", days, t)
				}
			}
		}
		bits, nulls := validity(d, mem)
		data := v.Take()
		defer data.Release()
		if bits != nil {
			defer bits.Release()
		}
		return array.NewData(t, n, []*memory.Buffer{bits, data}, nil, nulls, 0), nil
	}
}

// validity copies which values of d are there; nil = all are. The caller releases it.
func validity(d arrow.ArrayData, mem memory.Allocator) (bits *memory.Buffer, nulls int) {
	b := d.Buffers()[0]
	if b == nil || b.Len() == 0 || d.NullN() == 0 {
		return nil, 0
	}
	n := d.Len()
	v := arrowbuf.NewVec[byte](&arrowbuf.Arena{Allocator: mem})
	to := v.Grow((n + 7) / 8)
	clear(to)
	bitpack.CopyBits(to, 0, b.Bytes(), d.Offset(), n)
	bits = v.Take()
	return bits, n - bitpack.CountBits(bits.Bytes(), 0, n)
}

func valid(d arrow.ArrayData, i int) bool {
	b := d.Buffers()[0]
	if b == nil || b.Len() == 0 {
		return true
	}
	i += d.Offset()
	return b.Bytes()[i>>3]>>(i&7)&1 != 0
}

func valueError(column, format string, args ...any) error {
	e := errs.Errorf(errs.ErrCorrupt, format, args...)
	e.Column = column
	return e
}

// fixed makes values of one length of bytes of that length.
func fixed(t *arrow.FixedSizeBinaryType, name string) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		n, w := d.Len(), t.ByteWidth
		v := arrowbuf.NewVec[byte](&arrowbuf.Arena{Allocator: mem})
		var bits *memory.Buffer
		nulls := 0
		defer func() {
			if bits != nil {
				bits.Release()
			}
		}()
		if int64(n)*int64(w) > maxBytes {
			return nil, errs.Errorf(errs.ErrLimit, "%d values of %d bytes in a batch: take fewer rows", n, w)
		}
		v.Tail(max(n*w, 1)) // an array has its buffer, of no values too
		dst := v.Grow(n * w)
		if n > 0 {
			o := arrow.GetData[int32](d.Buffers()[1].Bytes())[d.Offset():][:n+1]
			var src []byte
			if b := d.Buffers()[2]; b != nil {
				src = b.Bytes()
			}
			if err := copyFixed(dst, src, o, w, d, name); err != nil {
				v.Release()
				return nil, err
			}
			bits, nulls = validity(d, mem)
		}
		data := v.Take()
		defer data.Release()
		return array.NewData(t, n, []*memory.Buffer{bits, data}, nil, nulls, 0), nil
	}
}

// maxBytes bounds the values of one batch.
const maxBytes = 1 << 30

func copyFixed(dst, src []byte, o []int32, w int, d arrow.ArrayData, name string) error {
	n := len(o) - 1
	if int64(o[n])-int64(o[0]) == int64(n)*int64(w) {
		even := true
		for i := range n {
			even = even && int(o[i+1]-o[i]) == w
		}
		if even {
			copy(dst, src[o[0]:o[n]])
			return nil
		}
	}
	for i := range n {
		part := dst[i*w:][:w]
		if k := int(o[i+1] - o[i]); k != w {
			if valid(d, i) {
				return valueError(name, "a value of %d bytes, where all have %d", k, w)
			}
			clear(part)
			continue
		}
		copy(part, src[o[i]:o[i+1]])
	}
	return nil
}
