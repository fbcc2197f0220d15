package orcwire

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// Decimals decodes a column of decimals (specification, "Decimal Columns") into numbers of 128 bits that share the
// column's scale, two words a value, low and high, as Arrow's decimal128 on a little-endian machine. The stored form is
//
//	DATA       a zig-zag varint per value, without bound: 19 bytes hold 128 bits
//	SECONDARY  the scale of each value, signed integers in runs
//
// Writers leave out trailing zeros, so scales differ from value to value; those of Hive 0.11, whose types have no
// precision, differ from the column's both ways. The zero value is of no use: Open it.
type Decimals struct {
	data   *Bytes
	scales Ints[int32]
	whole  Ints[int64] // where values are stored whole
	open64 bool

	scale  int32
	digits int
	// 10^digits - 1
	limitLow, limitHigh uint64

	scaleBuf []int32
	wholeBuf []int64
}

const (
	// decimalBlock is how many values are decoded at once: the longest that so many can be is what Bytes must have in
	// one piece.
	decimalBlock = 512
	decimalBytes = 19 // of a varint of 128 bits
	// decimalMost bounds the varints of values that are brought to 128 bits only by their scale: 76 digits take 37.
	decimalMost = 64
)

// Open starts with the first value of a stripe; v2 tells how the scales are encoded. Precision, from 1 to 38, and scale
// are those of Type.DecimalType. The Decimals may be opened again and again.
func (d *Decimals) Open(data, scales *Bytes, v2 bool, precision, scale int) {
	d.column(precision, scale)
	d.data, d.open64 = data, false
	d.scales.Open(scales, v2, true)
	if d.scaleBuf == nil {
		d.scaleBuf = make([]int32, decimalBlock+bitpack.DstSlack/4)
	}
}

// Open64 is Open for the columns of up to 18 digits of ORC 2.0: values with the column's scale, as integers in runs of
// version 2, and no SECONDARY.
func (d *Decimals) Open64(data *Bytes, precision, scale int) {
	d.column(precision, scale)
	d.open64 = true
	d.whole.Open(data, true, true)
	if d.wholeBuf == nil {
		d.wholeBuf = make([]int64, decimalBlock+bitpack.DstSlack/8)
	}
}

func (d *Decimals) column(precision, scale int) {
	d.scale, d.digits = int32(scale), min(precision, 38)
	d.limitHigh, d.limitLow = 0, 1
	for range d.digits {
		over, low := bits.Mul64(d.limitLow, 10)
		d.limitHigh, d.limitLow = d.limitHigh*10+over, low
	}
	var borrow uint64
	d.limitLow, borrow = bits.Sub64(d.limitLow, 1, 0)
	d.limitHigh -= borrow
}

// Next decodes len(dst)/2 values. A value with more digits than the column's precision, or with digits behind those of
// its scale that are not zeros, is errs.ErrSchema with a *ValueError. After an error dst is undefined.
func (d *Decimals) Next(dst []uint64) error {
	for at := 0; at < len(dst)/2; at += decimalBlock {
		v := dst[2*at : 2*min(at+decimalBlock, len(dst)/2)]
		size, err := d.block(v)
		if err != nil {
			return offsetIndex(err, at)
		}
		if size <= d.limitLow || d.limitHigh > 0 && size < math.MaxUint64 {
			continue
		}
		if i := d.beyond(v); i >= 0 {
			return badValue(errs.ErrSchema, at+i, "decimal %v does not fit its type of %d digits", toBig(v[2*i], v[2*i+1]), d.digits)
		}
	}
	return nil
}

// block decodes up to decimalBlock values. None is further from zero than size, unless that is math.MaxUint64.
func (d *Decimals) block(dst []uint64) (size uint64, err error) {
	n := len(dst) / 2
	if d.open64 {
		w := d.wholeBuf[:n]
		if err := d.whole.Next(w); err != nil {
			return 0, err
		}
		for i, x := range w {
			q := (*[2]uint64)(dst[2*i:])
			q[0], q[1] = uint64(x), uint64(x>>63)
		}
		return math.MaxUint64, nil
	}
	var scales []int32 // nil: all are the column's
	if v, ok := d.scales.Constant(n); !ok {
		scales = d.scaleBuf[:n]
		if err := d.scales.Next(scales); err != nil {
			return 0, err
		}
	} else if v != d.scale {
		scales = d.scaleBuf[:n]
		fill(scales, v)
	}
	for done := 0; done < n; {
		k, err := d.whole128(n - done)
		if err != nil {
			return 0, err
		}
		part := dst[2*done : 2*(done+k)]
		var own []int32
		if scales != nil {
			own = scales[done : done+k]
		}
		used, most, err := bitpack.DecodeDecimals(part, d.slacked(), own, d.scale)
		if err != nil {
			if own == nil {
				own = d.scaleBuf[:k]
				fill(own, d.scale)
			}
			if err := d.slowly(part, own); err != nil {
				return 0, offsetIndex(err, done)
			}
			size = math.MaxUint64
		} else {
			d.data.Advance(used)
			size = max(size, most)
		}
		done += k
	}
	return size, nil
}

// whole128 makes up to n varints visible and returns how many are whole if none is longer than 128 bits; at least one.
func (d *Decimals) whole128(n int) (int, error) {
	if err := d.data.Need(n * decimalBytes); err != nil {
		return 0, err
	}
	w := d.data.Window()
	if len(w) >= n*decimalBytes {
		return n, nil
	}
	k := varintEnds(w)
	switch {
	case k > 0:
		return min(k, n), nil
	case len(w) < decimalMost:
		return 0, ErrEnd
	}
	return 0, bitpack.ErrVarint
}

// slacked returns the window with what can be read behind it.
func (d *Decimals) slacked() []byte {
	w := d.data.Window()
	return w[:min(len(w)+bitpack.SrcSlack, cap(w))]
}

// slowly decodes values one by one: some have a scale above the column's, or more than 128 bits before their zeros are
// cut off, or are wrong.
func (d *Decimals) slowly(dst []uint64, scales []int32) error {
	for i := range scales {
		if err := d.data.Need(decimalMost); err != nil {
			return err
		}
		v := dst[2*i : 2*i+2]
		w := d.data.Window()
		used, _, err := bitpack.DecodeDecimals(v, w, scales[i:i+1], d.scale)
		if err != nil {
			var text string
			if used, text, err = d.large(v, w, scales[i]); err != nil {
				return err
			}
			if text != "" {
				return badValue(errs.ErrSchema, i, "decimal %s does not fit decimal(%d,%d)", text, d.digits, d.scale)
			}
		}
		d.data.Advance(used)
	}
	return nil
}

// large decodes a varint of any size that is reasonable. A text says what the value is that does not fit.
func (d *Decimals) large(v []uint64, w []byte, scale int32) (used int, text string, err error) {
	for used < len(w) && w[used] >= 0x80 {
		used++
	}
	switch {
	case used >= decimalMost:
		return 0, "", bitpack.ErrVarint
	case used == len(w):
		return 0, "", ErrEnd
	}
	used++
	x := new(big.Int)
	for i := used - 1; i >= 0; i-- {
		x.Lsh(x, 7).Or(x, big.NewInt(int64(w[i]&0x7f)))
	}
	odd := x.Bit(0) == 1
	if x.Rsh(x, 1); odd {
		x.Not(x)
	}
	e := int64(d.scale) - int64(scale)
	y, rest := new(big.Int).Set(x), new(big.Int)
	switch {
	case x.Sign() == 0:
	case e >= 0 && e <= 38:
		y.Mul(y, new(big.Int).Exp(big.NewInt(10), big.NewInt(e), nil))
	case e < 0 && -e <= 7*decimalMost/3: // its digits
		y.QuoRem(y, new(big.Int).Exp(big.NewInt(10), big.NewInt(-e), nil), rest)
	default:
		rest.SetInt64(1)
	}
	if rest.Sign() != 0 || y.BitLen() > 127 {
		return 0, x.String() + "e" + big.NewInt(-int64(scale)).String(), nil
	}
	neg := y.Sign() < 0
	y.Abs(y)
	var b [16]byte
	y.FillBytes(b[:])
	v[0], v[1] = binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[:8])
	if neg {
		var borrow uint64
		v[0], borrow = bits.Sub64(0, v[0], 0)
		v[1], _ = bits.Sub64(0, v[1], borrow)
	}
	return used, "", nil
}

// beyond returns the index of the first value that has too many digits, or -1.
func (d *Decimals) beyond(v []uint64) int {
	if d.limitHigh == 0 && d.limitLow <= 1e18 {
		if fits64(v, int64(d.limitLow)) {
			return -1
		}
	} else if fits128(v, d.limitLow, d.limitHigh) {
		return -1
	}
	for i := range len(v) / 2 {
		if !fits128(v[2*i:2*i+2], d.limitLow, d.limitHigh) {
			return i
		}
	}
	return -1
}

// fits64 reports whether all values are within ±limit, which is at most 10^18.
func fits64(v []uint64, limit int64) bool {
	var sign int64
	var high uint64
	for ; len(v) >= 2; v = v[2:] {
		x := int64(v[0])
		sign |= (x + limit) | (limit - x)
		high |= v[1] ^ uint64(x>>63)
	}
	return sign >= 0 && high == 0
}

// fits128 reports whether all values are within ±limit, which is below 2^127.
func fits128(v []uint64, low, high uint64) bool {
	var bad uint64
	for ; len(v) >= 2; v = v[2:] {
		sign := uint64(int64(v[1]) >> 63)
		l, b := bits.Sub64(v[0]^sign, sign, 0)
		h, _ := bits.Sub64(v[1]^sign, sign, b)
		_, b = bits.Sub64(low, l, 0)
		_, b = bits.Sub64(high, h, b)
		bad |= b
	}
	return bad == 0
}

// Skip passes over n values.
func (d *Decimals) Skip(n int) error {
	if d.open64 {
		return d.whole.Skip(n)
	}
	if err := d.scales.Skip(n); err != nil {
		return err
	}
	for n > 0 {
		if err := d.data.Need(1); err != nil {
			return err
		}
		w := d.data.Window()
		if len(w) == 0 {
			return ErrEnd
		}
		used, k := skipVarints(w, n)
		n -= k
		d.data.Advance(used)
	}
	return nil
}

// Seek goes to a position of the row index, whose numbers for DATA stand before those for SECONDARY.
func (d *Decimals) Seek(p *Positions) error {
	if d.open64 {
		return d.whole.Seek(p)
	}
	if err := d.data.Seek(p); err != nil {
		return err
	}
	return d.scales.Seek(p)
}

const (
	everyByte = 0x0101010101010101
	topBits   = 0x80 * everyByte
)

// varintEnds counts the varints that end in b.
func varintEnds(b []byte) int {
	_, n := skipVarints(b, len(b))
	return n
}

// skipVarints passes over varints until n have ended or b has. It returns the bytes they took and how many ended.
func skipVarints(b []byte, n int) (used, ended int) {
	for ; len(b)-used >= 8 && ended+8 <= n; used += 8 {
		ended += bits.OnesCount64(^binary.LittleEndian.Uint64(b[used:]) & topBits)
	}
	for ; used < len(b) && ended < n; used++ {
		if b[used] < 0x80 {
			ended++
		}
	}
	return used, ended
}

// toBig returns a number of two words.
func toBig(low, high uint64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(int64(high)), 64)
	return v.Add(v, new(big.Int).SetUint64(low))
}
