package orcwire

import "github.com/arrowio/arrowio/internal/bitpack"

// decimalPart is how many decimals are written at once: MaxRoom has room for them.
const decimalPart = 256

// DecimalsOut writes a column of decimals, all with the column's scale: the reverse of Decimals. Open comes first.
//
// Java's writer leaves out trailing zeros, each value then having a scale of its own. Values with the column's scale are
// no longer where few end in zeros, and are read faster, since nothing has to be multiplied.
type DecimalsOut struct {
	data   *Out
	scales IntsOut[int64]
	scale  int64
}

// Open makes w write values to data and their scale, 0 to 38, to scales, in runs of version 2 or 1.
func (w *DecimalsOut) Open(data, scales *Out, v2 bool, scale int) {
	w.data, w.scale = data, int64(scale)
	w.scales.Open(scales, v2, true)
}

// Put writes values, unscaled, two words each, low and high, as Arrow's decimal128 on a little-endian machine. It does
// not keep src.
func (w *DecimalsOut) Put(src [][2]uint64) {
	n := len(src)
	for len(src) > 0 {
		part := src[:min(len(src), decimalPart)]
		d := w.data.Room(len(part)*bitpack.DecimalRoom + bitpack.VarintRoom)
		w.data.Advance(bitpack.PutDecimals(d, part))
		src = src[len(part):]
	}
	w.scales.Repeat(w.scale, n)
}

// Flush ends the run of scales. It flushes neither Out.
func (w *DecimalsOut) Flush() { w.scales.Flush() }

// Position flushes and appends where the next value will be: the numbers for DATA, then those for SECONDARY.
func (w *DecimalsOut) Position(dst []uint64) []uint64 {
	return w.scales.Position(w.data.Position(dst))
}
