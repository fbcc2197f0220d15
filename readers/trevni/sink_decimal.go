package trevni

import (
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// decimalSink decodes Avro decimals: big-endian two's complement of any length, in bytes or fixed. T is the words of a
// value, the lowest first, as Arrow has them.
type decimalSink[T [2]uint64 | [4]uint64] struct {
	vec   arrowbuf.Vec[T]
	bound trevniwire.DecimalBound
}

// decimals is a decimalSink of either width.
type decimals interface {
	sink
	fits(src []byte) bool
}

// newDecimalSink returns the sink of decimals of a precision: 128 bits wide up to 38 digits, 256 above.
func newDecimalSink(precision int, mem *arrowbuf.Arena) decimals {
	bound := trevniwire.NewDecimalBound(precision)
	if precision <= 38 {
		return &decimalSink[[2]uint64]{vec: arrowbuf.NewVec[[2]uint64](mem), bound: bound}
	}
	return &decimalSink[[4]uint64]{vec: arrowbuf.NewVec[[4]uint64](mem), bound: bound}
}

func (k *decimalSink[T]) plain(c *column, n int) error {
	dst := k.vec.Grow(n)
	raw, p := c.raw, c.p
	for i := range dst {
		if p+9 <= len(raw) && raw[p]&1 == 0 && raw[p]-1 < 16 { // 1 to 8 bytes, as nearly all have, and 8 can be looked at
			size := int(raw[p] >> 1)
			if v, ok := k.bound.Short(raw[p+1:], size); ok {
				p += 1 + size
				for j := range len(dst[i]) {
					dst[i][j] = uint64(v >> 63)
				}
				dst[i][0] = uint64(v)
				continue
			}
		}
		c.p = p
		v, err := c.bytes()
		if err != nil {
			return err
		}
		words, ok := k.bound.Parse(v)
		if !ok {
			return c.fail(errPrecision(k.bound.Precision))
		}
		for j := range len(dst[i]) {
			dst[i][j] = words[j]
		}
		p = c.p
	}
	c.p = p
	return nil
}

func (k *decimalSink[T]) fits(src []byte) bool {
	_, ok := k.bound.Parse(src)
	return ok
}

func (k *decimalSink[T]) spread(s arrowbuf.Slots) {
	if s.Present == nil {
		return
	}
	k.vec.Grow(s.N - s.Count)
	all := k.vec.Values()
	region := all[len(all)-s.N:]
	from := s.Count
	var zero T
	for i := s.N - 1; i >= 0; i-- {
		if s.Present[i>>3]>>(i&7)&1 == 1 {
			from--
			region[i] = region[from]
		} else {
			region[i] = zero
		}
	}
}

func (k *decimalSink[T]) check(*column) error    { return nil }
func (k *decimalSink[T]) take() []*memory.Buffer { return []*memory.Buffer{k.vec.Take()} }
func (k *decimalSink[T]) release()               { k.vec.Release() }
