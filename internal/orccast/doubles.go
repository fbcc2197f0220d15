package orccast

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// appendDouble prints as Double.toString of Java 8 to 18 does, under which Hive, Spark and orc-core have run so far: at
// least two digits, and an exponent below 1e-3 and from 1e7 on. Of several texts of a number that is not always the
// shortest, as it is from Java 19 on: 1e23 is 9.999999999999999E22, and 2^62 is 4.6116860184273879E18.
func appendDouble(b []byte, v float64) []byte {
	switch {
	case v != v:
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	}
	if math.Signbit(v) {
		b = append(b, '-')
	}
	if v == 0 {
		return append(b, "0.0"...)
	}
	var p doublePrinter
	p.set(math.Abs(v))
	return p.append(b)
}

// doublePrinter is the digits of a double: 0.d1d2d3... * 10^exponent.
type doublePrinter struct {
	digits   [24]byte // from '0' to '9'
	n        int
	exponent int
}

// append prints the digits with a point, and an exponent where there are too many zeros.
func (p *doublePrinter) append(b []byte) []byte {
	d, e := p.digits[:p.n], p.exponent
	zeros := func(n int) {
		for range n {
			b = append(b, '0')
		}
	}
	switch {
	case e > 0 && e < 8:
		whole := min(len(d), e)
		b = append(b, d[:whole]...)
		zeros(e - whole)
		b = append(b, '.')
		if d = d[whole:]; len(d) == 0 {
			d = []byte{'0'}
		}
		return append(b, d...)
	case e <= 0 && e > -3:
		b = append(b, "0."...)
		zeros(-e)
		return append(b, d...)
	}
	b = append(b, d[0], '.')
	if d = d[1:]; len(d) == 0 {
		d = []byte{'0'}
	}
	b = append(append(b, d...), 'E')
	return strconv.AppendInt(b, int64(e-1), 10)
}

const mantissaBits = 53

// fivesBits are how many bits Java reckons for a power of five.
func fivesBits(n int) int {
	switch {
	case n == 0:
		return 0
	case n < len(fives):
		return bits.Len64(uint64(fives[n]))
	}
	return 3 * n
}

// fives are the powers of five that Java has in its table.
var fives = func() (p [27]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 5
	}
	return p
}()

// set finds the digits of v, which is greater than 0 and finite. Digits are generated one by one, as Steele and White
// do, until what is left is within half a unit of the last bit; whole numbers of few bits are taken as they are.
func (p *doublePrinter) set(v float64) {
	x := math.Float64bits(v)
	fraction := x & (1<<(mantissaBits-1) - 1)
	exponent := int(x >> (mantissaBits - 1))
	significant := mantissaBits
	if exponent == 0 {
		shift := bits.LeadingZeros64(fraction) - (64 - mantissaBits)
		fraction <<= shift
		exponent = 1 - shift
		significant -= shift
	} else {
		fraction |= 1 << (mantissaBits - 1)
	}
	exponent -= 1023

	zeros := bits.TrailingZeros64(fraction)
	held := mantissaBits - zeros // bits of the fraction down to the last 1
	tiny := max(0, held-exponent-1)
	if exponent <= 62 && exponent >= -21 && tiny == 0 && held < 64 {
		p.whole(fraction, exponent, significant)
		return
	}

	guess := p.guess(fraction, exponent)
	b5, s5 := max(0, -guess), max(0, guess)
	b2 := b5 + tiny + exponent
	s2 := s5 + tiny
	m2 := b2 - significant
	fraction >>= zeros
	b2 -= held - 1
	common := min(b2, s2)
	b2, s2, m2 = b2-common, s2-common, m2-common
	if held == 1 {
		m2--
	}
	if m2 < 0 {
		b2, s2, m2 = b2-m2, s2-m2, 0
	}
	if held+b2+fivesBits(b5) < 64 && s2+1+fivesBits(s5+1) < 64 {
		p.small(int64(fraction)*fives[b5]<<b2, fives[s5]<<s2, fives[b5]<<m2, guess)
		return
	}
	p.large(fraction, b2, s2, m2, b5, s5, guess)
}

// whole takes a whole number. Digits behind those that tell it from its neighbours are rounded away.
func (p *doublePrinter) whole(fraction uint64, exponent, significant int) {
	if exponent > mantissaBits-1 {
		fraction <<= exponent - (mantissaBits - 1)
	} else {
		fraction >>= mantissaBits - 1 - exponent
	}
	p.exponent = 0
	if k := exponent - significant - 1; exponent > significant && k > 1 {
		ten := uint64(1)
		for 10*ten <= 1<<k {
			ten *= 10
			p.exponent++
		}
		rest := fraction % ten
		if fraction /= ten; p.exponent > 0 && rest >= ten>>1 {
			fraction++
		}
	}
	for fraction%10 == 0 {
		fraction /= 10
		p.exponent++
	}
	d := strconv.AppendUint(p.digits[:0], fraction, 10)
	p.n = len(d)
	p.exponent += p.n
}

// guess is log10 of a number, rounded down, or one more.
func (p *doublePrinter) guess(fraction uint64, exponent int) int {
	m := math.Float64frombits(1023<<(mantissaBits-1) | fraction&(1<<(mantissaBits-1)-1))
	d := float64((m-1.5)*0.289529654) + 0.176091259 // no fused multiplication: Java has none
	return int(math.Floor(d + float64(float64(exponent)*0.301029995663981)))
}

// add adds a digit.
func (p *doublePrinter) add(q byte) {
	p.digits[p.n] = '0' + q
	p.n++
}

// twoAtLeast tells that a number is shown with an exponent, and so has a second digit whether it needs it or not.
func twoAtLeast(exponent int) bool { return exponent < -3 || exponent >= 8 }

// small generates the digits of b/s, of which m/s is half a unit.
func (p *doublePrinter) small(b, s, m int64, exponent int) {
	tens := s * 10
	q := b / s
	b, m = 10*(b%s), m*10
	low, high := b < m, b+m > tens
	if q == 0 && !high {
		exponent--
	} else {
		p.add(byte(q))
	}
	if twoAtLeast(exponent) {
		low, high = false, false
	}
	for !low && !high {
		q = b / s
		b, m = 10*(b%s), m*10
		low, high = true, true
		if m > 0 { // or else it is too large for 64 bits, and for b
			low, high = b < m, b+m > tens
		}
		p.add(byte(q))
	}
	p.finish(low, high, 2*b-tens, exponent)
}

// large is small of b = fraction * 5^b5 * 2^b2, s = 5^s5 * 2^s2 and m = 5^b5 * 2^m2.
func (p *doublePrinter) large(fraction uint64, b2, s2, m2, b5, s5, exponent int) {
	ten := big.NewInt(10)
	power := func(n5, n2 int) *big.Int {
		x := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(n5)), nil)
		return x.Lsh(x, uint(n2))
	}
	b := power(b5, b2)
	b.Mul(b, new(big.Int).SetUint64(fraction))
	s, m := power(s5, s2), power(b5, m2)
	tens := new(big.Int).Mul(s, ten)
	var q, sum big.Int
	next := func() (digit byte, low, high bool) {
		q.QuoRem(b, s, b)
		b.Mul(b, ten)
		m.Mul(m, ten)
		return byte(q.Uint64()), b.Cmp(m) < 0, sum.Add(b, m).Cmp(tens) >= 0
	}
	d, low, high := next()
	if d == 0 && !high {
		exponent--
	} else {
		p.add(d)
	}
	if twoAtLeast(exponent) {
		low, high = false, false
	}
	for !low && !high {
		d, low, high = next()
		p.add(d)
	}
	p.finish(low, high, int64(b.Lsh(b, 1).Cmp(tens)), exponent)
}

// finish rounds the last digit; rest tells whether what is left is more than half of it.
func (p *doublePrinter) finish(low, high bool, rest int64, exponent int) {
	p.exponent = exponent + 1
	if !high || low && (rest < 0 || rest == 0 && p.digits[p.n-1]&1 == 0) {
		return
	}
	i := p.n - 1
	for i >= 0 && p.digits[i] == '9' {
		p.digits[i] = '0'
		i--
	}
	if i >= 0 {
		p.digits[i]++
		return
	}
	p.digits[0] = '1'
	p.exponent++
}
