package expr

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// The functions of this file read values of a domain in a form that another column's values have, too.

func errForm(d *domain) error { return fmt.Errorf("no comparison for type %v", d.t) }

// convert reads whole numbers and floats as T.
func convert[F signed | unsigned | float32 | float64, T int64 | float64](dst []T, v values) error {
	x, err := fixed[F](v)
	if err != nil {
		return err
	}
	for i, a := range x {
		dst[i] = T(a)
	}
	return nil
}

// toNumbers reads integers of less than 64 bits, and signed ones of 64.
func toNumbers[T int64 | float64](dst []T, v values, d *domain) error {
	switch {
	case d.class == classInt && d.width == 1:
		return convert[int8](dst, v)
	case d.class == classInt && d.width == 2:
		return convert[int16](dst, v)
	case d.class == classInt && d.width == 4:
		return convert[int32](dst, v)
	case d.class == classInt && d.width == 8:
		return convert[int64](dst, v)
	case d.class == classUint && d.width == 1:
		return convert[uint8](dst, v)
	case d.class == classUint && d.width == 2:
		return convert[uint16](dst, v)
	case d.class == classUint && d.width == 4:
		return convert[uint32](dst, v)
	}
	return errForm(d)
}

// toInts reads what fits int64. Integers of 64 bits without a sign are moved down by half their range.
func toInts(dst []int64, v values, d *domain) error {
	switch {
	case d.class == classBool:
		bitmap := v.buffer(1)
		if len(bitmap) < (v.off+v.n+7)/8 {
			return errBuffers
		}
		for w := range wordsFor(v.n) {
			x := wordAt(bitmap, v.off+64*w, v.off+v.n)
			for j := range dst[64*w : min(64*w+64, v.n)] {
				dst[64*w+j] = int64(x >> j & 1)
			}
		}
		return nil
	case d.class == classUint && d.width == 8:
		x, err := fixed[uint64](v)
		for i, a := range x {
			dst[i] = int64(a ^ 1<<63)
		}
		return err
	}
	return toNumbers(dst, v, d)
}

// toFloats reads floats, integers of up to 32 bits, and decimals, each as the nearest float of width bytes.
func toFloats(dst []float64, v values, d *domain, width int) error {
	switch {
	case d.class == classFloat && d.width == 2:
		x, err := fixed[uint16](v)
		for i, a := range x {
			dst[i] = float16Value(a)
		}
		return err
	case d.class == classFloat && d.width == 4:
		return convert[float32](dst, v)
	case d.class == classFloat:
		return convert[float64](dst, v)
	case d.class == classWide && d.width == 16:
		x, err := fixed[decimal128.Num](v)
		for i, a := range x {
			dst[i] = decimalFloat(wordsOf128(a), d.scale, 8*width)
		}
		return err
	case d.class == classWide:
		x, err := fixed[decimal256.Num](v)
		for i, a := range x {
			dst[i] = decimalFloat(a.Array(), d.scale, 8*width)
		}
		return err
	}
	return toNumbers(dst, v, d)
}

// inUnitsOf is what values are multiplied by to count in the finer unit of two domains; 1 for the finer one itself.
func (d *domain) inUnitsOf(other *domain) int64 {
	switch {
	case d.unit > other.unit:
		return d.unit / other.unit
	case d.class != classWide && other.class == classWide:
		return pow10(other.scale).Int64()
	}
	return 1
}

// toLongs reads integers and decimals, times factor.
func toLongs(dst []decimal128.Num, v values, d *domain, factor int64) error {
	switch {
	case d.class == classWide:
		x, err := fixed[decimal128.Num](v)
		copy(dst, x)
		return err
	case d.class == classUint && d.width == 8:
		x, err := fixed[uint64](v)
		for i, a := range x {
			hi, lo := bits.Mul64(a, uint64(factor))
			dst[i] = decimal128.New(int64(hi), lo)
		}
		return err
	case d.class == classInt && d.width == 8:
		return timesLong[int64](dst, v, factor)
	case d.class == classInt && d.width == 4:
		return timesLong[int32](dst, v, factor)
	case d.class == classInt && d.width == 2:
		return timesLong[int16](dst, v, factor)
	case d.class == classInt && d.width == 1:
		return timesLong[int8](dst, v, factor)
	case d.class == classUint && d.width == 4:
		return timesLong[uint32](dst, v, factor)
	case d.class == classUint && d.width == 2:
		return timesLong[uint16](dst, v, factor)
	case d.class == classUint && d.width == 1:
		return timesLong[uint8](dst, v, factor)
	}
	return errForm(d)
}

func timesLong[F signed | unsigned](dst []decimal128.Num, v values, factor int64) error {
	x, err := fixed[F](v)
	if err != nil {
		return err
	}
	for i, a := range x {
		n := int64(a)
		hi, lo := bits.Mul64(uint64(n), uint64(factor))
		dst[i] = decimal128.New(int64(hi)-n>>63&factor, lo) // a negative n was taken for n + 2^64
	}
	return nil
}

// toHalves reads numbers as twice their integral part, plus one if there is more: integers of 64 bits and floats then
// compare as the numbers do. NaN becomes anything.
func toHalves(dst []decimal128.Num, v values, d *domain) error {
	switch {
	case d.class == classFloat && d.width == 2:
		x, err := fixed[uint16](v)
		for i, a := range x {
			dst[i] = halves(float16Value(a))
		}
		return err
	case d.class == classFloat && d.width == 4:
		x, err := fixed[float32](v)
		for i, a := range x {
			dst[i] = halves(float64(a))
		}
		return err
	case d.class == classFloat:
		x, err := fixed[float64](v)
		for i, a := range x {
			dst[i] = halves(a)
		}
		return err
	case d.class == classUint:
		x, err := fixed[uint64](v)
		for i, a := range x {
			dst[i] = decimal128.New(int64(a>>63), a<<1)
		}
		return err
	}
	return toLongs(dst, v, d, 2)
}

func halves(f float64) decimal128.Num {
	const beyond = 1 << 65 // all integers of 64 bits
	whole := math.Floor(f)
	switch {
	case whole >= beyond:
		return decimal128.New(1<<62, 0)
	case whole < -beyond:
		return decimal128.New(-1<<62, 0)
	}
	more := uint64(0)
	if whole != f {
		more = 1
	}
	// Two words of at most 2^32 and 2^64 lose nothing of a float in this range.
	hi := math.Floor(whole / (1 << 32))
	lo := uint64(whole - hi*(1<<32))
	n := int64(hi) // up to 2^33 either way
	return decimal128.New(n>>31, uint64(n)<<33|lo<<1|more)
}

// toWides reads integers and decimals, times 10^shift.
func toWides(dst []wideNum, v values, d *domain, shift int) error {
	p := newPower(shift)
	switch {
	case d.class == classWide && d.width == 16:
		x, err := fixed[decimal128.Num](v)
		for i, a := range x {
			dst[i] = p.times(wordsOf128(a))
		}
		return err
	case d.class == classWide:
		x, err := fixed[decimal256.Num](v)
		for i, a := range x {
			dst[i] = p.times(a.Array())
		}
		return err
	case d.class == classUint && d.width == 8:
		x, err := fixed[uint64](v)
		for i, a := range x {
			dst[i] = p.times([4]uint64{a})
		}
		return err
	case d.class == classInt && d.width == 8:
		return timesWide[int64](dst, v, &p)
	case d.class == classInt && d.width == 4:
		return timesWide[int32](dst, v, &p)
	case d.class == classInt && d.width == 2:
		return timesWide[int16](dst, v, &p)
	case d.class == classInt && d.width == 1:
		return timesWide[int8](dst, v, &p)
	case d.class == classUint && d.width == 4:
		return timesWide[uint32](dst, v, &p)
	case d.class == classUint && d.width == 2:
		return timesWide[uint16](dst, v, &p)
	case d.class == classUint && d.width == 1:
		return timesWide[uint8](dst, v, &p)
	}
	return errForm(d)
}

func timesWide[F signed | unsigned](dst []wideNum, v values, p *power) error {
	x, err := fixed[F](v)
	for i, a := range x {
		n := int64(a)
		sign := uint64(n >> 63)
		dst[i] = p.times([4]uint64{uint64(n), sign, sign, sign})
	}
	return err
}

// power is 10^n, for multiplying numbers of 256 bits.
type power struct {
	one   bool
	words [4]uint64 // 0 = more than 256 bits hold
	limit [4]uint64 // the greatest that can be multiplied
}

func newPower(n int) power {
	if n == 0 {
		return power{one: true}
	}
	p := power{}
	if n <= maxDigits256 {
		ten := pow10(n)
		p.words = words256(ten)
		most := plus(pow2(255), -1)
		p.limit = words256(most.Quo(most, ten))
	}
	return p
}

func (p *power) times(n [4]uint64) wideNum {
	if p.one {
		return wideNum{num: decimal256.New(n[3], n[2], n[1], n[0])}
	}
	sign := 1
	if int64(n[3]) < 0 {
		sign, n = -1, negated(n)
	}
	if exceeds(n, p.limit) {
		return wideNum{over: sign}
	}
	var out [4]uint64
	for i, a := range n {
		carry := uint64(0)
		for j := 0; i+j < 4; j++ {
			hi, lo := bits.Mul64(a, p.words[j])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			out[i+j], c = bits.Add64(out[i+j], lo, 0)
			carry = hi + c
		}
	}
	if sign < 0 {
		out = negated(out)
	}
	return wideNum{num: decimal256.New(out[3], out[2], out[1], out[0])}
}

// exceeds reports a > b, both without a sign.
func exceeds(a, b [4]uint64) bool {
	for i := 3; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

func negated(n [4]uint64) (out [4]uint64) {
	borrow := uint64(0)
	for i, w := range n {
		out[i], borrow = bits.Sub64(0, w, borrow)
	}
	return out
}

func wordsOf128(n decimal128.Num) [4]uint64 {
	sign := uint64(n.HighBits() >> 63)
	return [4]uint64{n.LowBits(), uint64(n.HighBits()), sign, sign}
}

var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimalFloat is the float of 32 or 64 bits that is nearest to n / 10^scale.
func decimalFloat(n [4]uint64, scale, size int) float64 {
	sign := 1.0
	if int64(n[3]) < 0 {
		sign, n = -1, negated(n)
	}
	if n[1]|n[2]|n[3] == 0 && scale >= 0 { // a quotient of two exact numbers is rounded once
		switch {
		case size == 64 && n[0] <= 1<<53 && scale < len(tens):
			return sign * float64(n[0]) / tens[scale]
		case size == 32 && n[0] <= 1<<24 && scale <= 10:
			return float64(float32(sign) * float32(n[0]) / float32(tens[scale]))
		}
	}
	var buf [100]byte
	text := append(buf[:0], '-')
	text = appendDigits(text, n)
	text = append(text, 'e')
	text = strconv.AppendInt(text, -int64(scale), 10)
	if sign > 0 {
		text = text[1:]
	}
	f, _ := strconv.ParseFloat(unsafe.String(&text[0], len(text)), size) // an infinity is the nearest there is
	return f
}

// appendDigits writes n in decimal.
func appendDigits(dst []byte, n [4]uint64) []byte {
	const chunk = 1e19
	var parts [5]uint64 // of 19 digits, the least first
	k := 0
	for ; ; k++ {
		rest := uint64(0)
		for i := 3; i >= 0; i-- {
			n[i], rest = bits.Div64(rest, n[i], chunk)
		}
		parts[k] = rest
		if n == [4]uint64{} {
			break
		}
	}
	dst = strconv.AppendUint(dst, parts[k], 10)
	for k--; k >= 0; k-- {
		for limit := uint64(chunk / 10); parts[k] < limit && limit > 1; limit /= 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendUint(dst, parts[k], 10)
	}
	return dst
}

// toTexts reads text and bytes where they lie.
func toTexts(dst [][]byte, v values, d *domain) error {
	switch {
	case d.class == classBytes && d.width == 8:
		return toSpans[int64](dst, v)
	case d.class == classBytes:
		return toSpans[int32](dst, v)
	case d.class == classFixed:
		w, data := d.width, v.buffer(1)
		if w > 0 && len(data)/w < v.off+v.n {
			return errBuffers
		}
		for i := range dst {
			at := (v.off + i) * w
			dst[i] = data[at : at+w]
		}
		return nil
	case d.class == classView:
		views := arrow.GetData[arrow.ViewHeader](v.buffer(1))
		if len(views) < v.off+v.n {
			return errBuffers
		}
		for i := range dst {
			dst[i] = v.view(&views[v.off+i])
		}
		return nil
	}
	return errForm(d)
}

func toSpans[O int32 | int64](dst [][]byte, v values) error {
	offs := arrow.GetData[O](v.buffer(1))
	if len(offs) < v.off+v.n+1 {
		return errBuffers
	}
	offs = offs[v.off : v.off+v.n+1]
	data := v.buffer(2)
	if offs[0] < 0 || int64(offs[v.n]) > int64(len(data)) {
		return errBuffers
	}
	for i := range dst {
		dst[i] = data[offs[i]:offs[i+1]]
	}
	return nil
}
