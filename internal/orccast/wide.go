package orccast

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// wide is an unsigned number of 128 bits.
type wide struct{ hi, lo uint64 }

var pow64 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// powers are those of ten, up to the largest that 128 bits hold.
var powers = func() (p [39]wide) {
	p[0] = wide{lo: 1}
	for i := 1; i < len(p); i++ {
		p[i], _ = p[i-1].times(10)
	}
	return p
}()

// times returns w * m; false = that is too large.
func (w wide) times(m uint64) (wide, bool) {
	h, l := bits.Mul64(w.lo, m)
	over, h2 := bits.Mul64(w.hi, m)
	hi, carry := bits.Add64(h, h2, 0)
	return wide{hi, l}, over == 0 && carry == 0
}

// scaled returns w * 10^k; false = that is too large.
func (w wide) scaled(k int) (wide, bool) {
	if w == (wide{}) {
		return w, true
	}
	if k > 38 {
		return w, false
	}
	ok := true
	for k > 0 && ok {
		n := min(k, 19)
		w, ok = w.times(pow64[n])
		k -= n
	}
	return w, ok
}

// over returns w / d and the remainder.
func (w wide) over(d uint64) (wide, uint64) {
	hi, r := w.hi/d, w.hi%d
	lo, r := bits.Div64(r, w.lo, d)
	return wide{hi, lo}, r
}

// cut returns w / 10^k.
func (w wide) cut(k int) wide {
	if k > 38 {
		return wide{}
	}
	for k > 0 {
		n := min(k, 19)
		w, _ = w.over(pow64[n])
		k -= n
	}
	return w
}

// halfUp returns w / 10^k, rounded.
func (w wide) halfUp(k int) wide {
	if k <= 0 {
		return w
	}
	w, r := w.cut(k - 1).over(10)
	if r >= 5 {
		w = w.plus(1)
	}
	return w
}

func (w wide) plus(x uint64) wide {
	lo, c := bits.Add64(w.lo, x, 0)
	return wide{w.hi + c, lo}
}

func (w wide) less(x wide) bool { return w.hi < x.hi || w.hi == x.hi && w.lo < x.lo }

// number is a decimal as Hive holds it: at most 38 digits, of which scale are behind the point.
type number struct {
	negative bool
	digits   wide
	scale    int
}

func numberOf(d decimal128.Num, scale int) number {
	n := number{negative: d.Sign() < 0, scale: scale}
	if n.negative {
		d = d.Negate()
	}
	n.digits = wide{uint64(d.HighBits()), d.LowBits()}
	return n
}

// numberOfLong returns an integer.
func numberOfLong(x int64) number {
	if x < 0 {
		return number{negative: true, digits: wide{lo: -uint64(x)}}
	}
	return number{digits: wide{lo: uint64(x)}}
}

// fit returns the number, rounded half up, as a value of decimal(precision, scale); false = it has too many digits.
func (x number) fit(precision, scale int) (decimal128.Num, bool) {
	d, ok := x.digits, true
	if x.scale < scale {
		d, ok = d.scaled(scale - x.scale)
	} else {
		d = d.halfUp(x.scale - scale)
	}
	if !ok || !d.less(powers[precision]) {
		return decimal128.Num{}, false
	}
	n := decimal128.New(int64(d.hi), d.lo)
	if x.negative {
		n = n.Negate()
	}
	return n, true
}

// long returns the number without what is behind the point; false = it does not fit.
func (x number) long() (int64, bool) {
	d := x.digits.cut(x.scale)
	switch {
	case d.hi != 0:
		return 0, false
	case x.negative:
		return -int64(d.lo), d.lo <= 1<<63
	}
	return int64(d.lo), d.lo < 1<<63
}

// minus returns w - x, which is not less than 0.
func (w wide) minus(x wide) wide {
	lo, b := bits.Sub64(w.lo, x.lo, 0)
	hi, _ := bits.Sub64(w.hi, x.hi, b)
	return wide{hi, lo}
}
