package expr

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

var errBuffers = errors.New("the array's buffers are shorter than its length")

// buffer is the bytes of buffer i of v's array; nil if there is none.
func (v values) buffer(i int) []byte {
	bufs := v.data.Buffers()
	if i >= len(bufs) || bufs[i] == nil {
		return nil
	}
	return bufs[i].Bytes()
}

// fixed is the window's values as a slice of T.
func fixed[T arrow.FixedWidthType](v values) ([]T, error) { return fixedIn[T](v, 1) }

// fixedIn is fixed for another buffer than that of the values.
func fixedIn[T arrow.FixedWidthType](v values, buffer int) ([]T, error) {
	if v.n == 0 {
		return nil, nil
	}
	x := arrow.GetData[T](v.buffer(buffer))
	if len(x) < v.off+v.n {
		return nil, errBuffers
	}
	return x[v.off : v.off+v.n], nil
}

// linearSpans is up to how many spans are tested one after the other rather than by binary search.
const linearSpans = 8

type signed interface{ int8 | int16 | int32 | int64 }

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

func (p *keyPred) mask(out []uint64, v values) error {
	if len(p.spans) == 0 {
		return nil
	}
	switch p.d.class {
	case classBool:
		return p.maskBool(out, v)
	case classUint:
		switch p.d.width {
		case 1:
			return maskUints[uint8](out, v, p)
		case 2:
			return maskUints[uint16](out, v, p)
		case 4:
			return maskUints[uint32](out, v, p)
		case 8:
			return maskUints[uint64](out, v, p)
		}
	case classInt:
		switch p.d.width {
		case 1:
			return maskInts[int8](out, v, p)
		case 2:
			return maskInts[int16](out, v, p)
		case 4:
			return maskInts[int32](out, v, p)
		case 8:
			return maskInts[int64](out, v, p)
		}
	case classFloat:
		switch p.d.width {
		case 2:
			return maskFloats[int16](out, v, p)
		case 4:
			return maskFloats[int32](out, v, p)
		case 8:
			return maskFloats[int64](out, v, p)
		}
	}
	return fmt.Errorf("no comparison for type %v", p.d.t)
}

// maskBool needs no look at single values: the two outcomes say what becomes of the bits.
func (p *keyPred) maskBool(out []uint64, v values) error {
	no, yes := p.has(0), p.has(1)
	if no && yes {
		fill(out)
		return nil
	}
	if !loadBits(out, v.buffer(1), v.off, v.n) {
		return errBuffers
	}
	if no {
		invert(out)
	}
	return nil
}

func maskInts[T signed](out []uint64, v values, p *keyPred) error {
	x, err := fixed[T](v)
	if err != nil {
		return err
	}
	if len(p.spans) <= linearSpans {
		for _, s := range p.spans {
			rangeBits(out, x, uint64(s.lo), uint64(s.hi)-uint64(s.lo))
		}
		return nil
	}
	for i, x := range x {
		out[i/64] |= bit(p.has(int64(x))) << (i % 64)
	}
	return nil
}

func maskUints[T unsigned](out []uint64, v values, p *keyPred) error {
	x, err := fixed[T](v)
	if err != nil {
		return err
	}
	if len(p.spans) <= linearSpans {
		for _, s := range p.spans {
			rangeBits(out, x, uint64(s.lo)^1<<63, uint64(s.hi)-uint64(s.lo))
		}
		return nil
	}
	for i, x := range x {
		out[i/64] |= bit(p.has(int64(uint64(x)^1<<63))) << (i % 64)
	}
	return nil
}

// maskFloats reads floats as integers of their width and compares keys, so that NaN needs no test of its own.
func maskFloats[T int16 | int32 | int64](out []uint64, v values, p *keyPred) error {
	x, err := fixed[T](v)
	if err != nil {
		return err
	}
	shift := 8*p.d.width - 1
	flip := ^(T(-1) << shift) // all bits but the sign
	if len(p.spans) <= linearSpans {
		for _, s := range p.spans {
			floatRangeBits(out, x, shift, flip, uint64(s.lo), uint64(s.hi)-uint64(s.lo))
		}
		return nil
	}
	for i, x := range x {
		out[i/64] |= bit(p.has(int64(x^x>>shift&flip))) << (i % 64)
	}
	return nil
}

// has is contains for keys, without a call for each comparison.
func (p *keyPred) has(key int64) bool {
	s := p.spans
	for len(s) > 1 {
		if half := len(s) / 2; s[half].lo <= key {
			s = s[half:]
		} else {
			s = s[:half]
		}
	}
	return s[0].lo <= key && key <= s[0].hi
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// rangeBits sets the bits of the values in [lo, lo+reach]: one subtraction and one comparison, without a branch.
func rangeBits[T signed | unsigned](out []uint64, x []T, lo, reach uint64) {
	for len(x) >= 64 {
		v := x[:64]
		var w uint64
		for j := 0; j < 64; j += 4 {
			q := v[j : j+4 : j+4]
			_, b0 := bits.Sub64(reach, uint64(q[0])-lo, 0)
			_, b1 := bits.Sub64(reach, uint64(q[1])-lo, 0)
			_, b2 := bits.Sub64(reach, uint64(q[2])-lo, 0)
			_, b3 := bits.Sub64(reach, uint64(q[3])-lo, 0)
			w |= (b0 | b1<<1 | b2<<2 | b3<<3) << j
		}
		out[0] |= ^w // the borrows are of the values outside
		x, out = x[64:], out[1:]
	}
	for j, x := range x {
		_, b := bits.Sub64(reach, uint64(x)-lo, 0)
		out[0] |= (b ^ 1) << j
	}
}

// floatRangeBits is rangeBits over the keys of floats.
func floatRangeBits[T int16 | int32 | int64](out []uint64, x []T, shift int, flip T, lo, reach uint64) {
	for len(x) >= 64 {
		v := x[:64]
		var w uint64
		for j := 0; j < 64; j += 4 {
			q := v[j : j+4 : j+4]
			_, b0 := bits.Sub64(reach, uint64(q[0]^q[0]>>shift&flip)-lo, 0)
			_, b1 := bits.Sub64(reach, uint64(q[1]^q[1]>>shift&flip)-lo, 0)
			_, b2 := bits.Sub64(reach, uint64(q[2]^q[2]>>shift&flip)-lo, 0)
			_, b3 := bits.Sub64(reach, uint64(q[3]^q[3]>>shift&flip)-lo, 0)
			w |= (b0 | b1<<1 | b2<<2 | b3<<3) << j
		}
		out[0] |= ^w
		x, out = x[64:], out[1:]
	}
	for j, x := range x {
		_, b := bits.Sub64(reach, uint64(x^x>>shift&flip)-lo, 0)
		out[0] |= (b ^ 1) << j
	}
}

func (p *widePred[T]) mask(out []uint64, v values) error {
	if len(p.spans) == 0 {
		return nil
	}
	x, err := fixed[T](v)
	if err != nil {
		return err
	}
	if x, ok := any(x).([]decimal128.Num); ok && len(p.spans) == 1 {
		s := any(p.spans[0]).(span[decimal128.Num])
		range128Bits(out, x, s.lo, s.hi)
		return nil
	}
	for i, x := range x {
		out[i/64] |= bit(p.contains(x)) << (i % 64)
	}
	return nil
}

// range128Bits is rangeBits in two words: x-lo <= hi-lo, both without a sign.
func range128Bits(out []uint64, x []decimal128.Num, lo, hi decimal128.Num) {
	lo0, lo1 := lo.LowBits(), uint64(lo.HighBits())
	reach0, borrow := bits.Sub64(hi.LowBits(), lo0, 0)
	reach1, _ := bits.Sub64(uint64(hi.HighBits()), lo1, borrow)
	for i, x := range x {
		d0, borrow := bits.Sub64(x.LowBits(), lo0, 0)
		d1, _ := bits.Sub64(uint64(x.HighBits()), lo1, borrow)
		_, borrow = bits.Sub64(reach0, d0, 0)
		_, borrow = bits.Sub64(reach1, d1, borrow)
		out[i/64] |= (borrow ^ 1) << (i % 64)
	}
}

var (
	_ pred = (*keyPred)(nil)
	_ pred = (*widePred[decimal128.Num])(nil)
	_ pred = (*widePred[decimal256.Num])(nil)
)
