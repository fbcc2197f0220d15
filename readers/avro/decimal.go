package avro

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio/errs"
)

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
	if 0 < k && k <= 8 && n.op == opDecimal128 && len(d.raw)-p >= 8 { // nearly all are short
		if v, ok := n.bound.Short(d.raw[p:], k); ok {
			dst := n.d128.Room()[n.n][:]
			binary.LittleEndian.PutUint64(dst, uint64(v))
			binary.LittleEndian.PutUint64(dst[8:], uint64(v>>63))
			return p + k
		}
	}
	w, ok := n.bound.Parse(d.raw[p : p+k])
	if !ok {
		if d.table {
			return d.fail(n, errs.Errorf(errs.ErrCorrupt, "a decimal does not fit its precision %d", n.bound.Precision))
		}
		if d.beyond == nil {
			return d.fail(n, errs.Errorf(errs.ErrSchema, "a decimal does not fit its precision %d; %w shows the bytes", n.bound.Precision, errs.Opt(optionDecimals, "bytes")))
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
