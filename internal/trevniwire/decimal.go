package trevniwire

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// DecimalBound is 10 to the power of a precision: what the values of an Avro decimal stay below.
type DecimalBound struct {
	Precision int

	words [4]uint64 // lowest first
	short int64     // bounds values of up to 8 bytes
}

// NewDecimalBound returns the bound of a precision of 1 to 76.
func NewDecimalBound(precision int) DecimalBound {
	l := DecimalBound{Precision: precision, short: math.MaxInt64}
	v := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	if v.IsInt64() {
		l.short = v.Int64()
	}
	b := v.FillBytes(make([]byte, 32))
	for i := range l.words {
		l.words[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return l
}

// Short returns the decimal of size bytes, 1 to 8, with which b begins. b must have 8 bytes, whatever follows the decimal. It returns
// false where Parse has to look: the decimal has more digits than the precision, or may have.
func (l *DecimalBound) Short(b []byte, size int) (v int64, ok bool) {
	v = int64(binary.BigEndian.Uint64(b)) >> (64 - 8*size)
	return v, v < l.short && v > -l.short
}

// Parse returns the big-endian two's complement number b, lowest word first. It returns false if the number has more digits than
// the precision.
func (l *DecimalBound) Parse(b []byte) (w [4]uint64, ok bool) {
	var fill byte
	if len(b) > 0 && b[0] >= 0x80 {
		fill = 0xff
		w = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	}
	for len(b) > 32 {
		if b[0] != fill {
			return w, false
		}
		b = b[1:]
	}
	if len(b) == 32 && (b[0] >= 0x80) != (fill == 0xff) {
		return w, false
	}
	i := 0
	for ; len(b) >= 8; i++ {
		w[i] = binary.BigEndian.Uint64(b[len(b)-8:])
		b = b[:len(b)-8]
	}
	for k := range b {
		w[i] = w[i]<<8 | uint64(b[k])
	}
	m := w
	if fill == 0xff {
		carry := uint64(1)
		for i := range m {
			m[i], carry = bits.Add64(^m[i], 0, carry)
		}
	}
	for i := 3; i >= 0; i-- {
		if m[i] != l.words[i] {
			return w, m[i] < l.words[i]
		}
	}
	return w, false
}
