package avro

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// decimalBound is 10 to the power of a precision, lowest word first.
type decimalBound struct {
	words     [4]uint64
	precision int
}

func newDecimalBound(precision int) decimalBound {
	b := decimalBound{precision: precision}
	v := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil).FillBytes(make([]byte, 32))
	for i := range b.words {
		b.words[i] = binary.BigEndian.Uint64(v[24-8*i:])
	}
	return b
}

// parse returns the big-endian two's complement number b, lowest word first. It returns false if the number has more digits than
// the precision.
func (l *decimalBound) parse(b []byte) (w [4]uint64, ok bool) {
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

// decimal decodes a decimal.
func (d *decoder) decimal(n *node, p int) int {
	k := n.size
	if !n.sized {
		if k, p = d.length(p); p < 0 {
			return p
		}
	} else if len(d.raw)-p < k {
		return d.short(p)
	}
	w, ok := n.bound.parse(d.raw[p : p+k])
	if !ok {
		if d.table {
			return d.fail(n, errs.Errorf(errs.ErrCorrupt, "a decimal does not fit its precision %d", n.bound.precision))
		}
		if d.beyond == nil {
			return d.fail(n, errs.Errorf(errs.ErrSchema, "a decimal does not fit its precision %d; %w shows the bytes", n.bound.precision, errs.Opt(optionDecimals, "bytes")))
		}
		d.beyond(n)
	}
	if n.op == opDecimal128 {
		dst := n.d128.Room()[n.n][:]
		binary.LittleEndian.PutUint64(dst, w[0])
		binary.LittleEndian.PutUint64(dst[8:], w[1])
	} else {
		dst := n.d256.Room()[n.n][:]
		for i, x := range w {
			binary.LittleEndian.PutUint64(dst[8*i:], x)
		}
	}
	return p + k
}
