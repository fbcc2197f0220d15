package trevni

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// statisticsShare is the part of a file that statistics may take: one in so many bytes.
const statisticsShare = 100

// watch marks the columns of which statistics are kept: those with at most one value in each row, of a type whose stored order
// is Arrow's.
func (w *writer) watch(nodes []*trevniwire.Node) {
	for _, n := range nodes {
		switch n.Kind {
		case trevniwire.Struct:
			w.watch(n.Children)
		case trevniwire.Leaf:
			if n.Col < 0 || n.Enum != nil {
				continue
			}
			c := w.columns[n.Col]
			switch {
			case !trevniwire.Ordered(c.Type), c.Type == trevniwire.Bytes && n.Field.Type.ID() != arrow.BINARY:
			default:
				c.bounded = true
				c.watch = !c.Array && c.Parent < 0
			}
		}
	}
}

// bounds are the least and the greatest value of the open block so far. Which fields count is for the type to say.
type bounds struct {
	nulls              int64
	any                bool
	minInt, maxInt     int64
	minFloat, maxFloat float64
	minText, maxText   []byte // their first bytes, as many as count
	minHead, maxHead   uint64 // their first eight bytes: see head
	longer             bool   // a text that begins with maxText goes on
}

// append writes the bounds of a block of type t behind dst, and begins anew.
func (b *bounds) append(dst []byte, t trevniwire.Type) []byte {
	x := trevniwire.Bounds{Nulls: b.nulls, Min: b.any, Max: b.any, MinInt: b.minInt, MaxInt: b.maxInt, MinFloat: b.minFloat, MaxFloat: b.maxFloat}
	if b.any && (t == trevniwire.String || t == trevniwire.Bytes) {
		x.CutText(b.minText, b.maxText, b.longer)
	}
	dst = trevniwire.AppendBounds(dst, t, &x)
	*b = bounds{minText: b.minText[:0], maxText: b.maxText[:0]}
	return dst
}

func addInts[T int32 | int64](b *bounds, v []T, ascending bool) {
	low, high := v[0], v[len(v)-1]
	if !ascending {
		low, high = extremes(v)
	}
	if !b.any {
		b.any, b.minInt, b.maxInt = true, int64(low), int64(high)
		return
	}
	b.minInt, b.maxInt = min(b.minInt, int64(low)), max(b.maxInt, int64(high))
}

// extremes returns the least and the greatest of some integers. Four of them are compared at once.
func extremes[T int32 | int64](v []T) (low, high T) {
	a, b := v[0], v[0]
	l, m, g, h := a, a, b, b
	for ; len(v) >= 4; v = v[4:] {
		w, x, y, z := v[0], v[1], v[2], v[3]
		a, b = min(a, w), max(b, w)
		l, g = min(l, x), max(g, x)
		m, h = min(m, y), max(h, y)
		a, b = min(a, z), max(b, z)
	}
	for _, x := range v {
		a, b = min(a, x), max(b, x)
	}
	return min(a, l, m), max(b, g, h)
}

// addFloats passes over NaN.
func addFloats[T float32 | float64](b *bounds, v []T, ascending bool) {
	l, h := float64(v[0]), float64(v[len(v)-1])
	if !ascending {
		var some bool
		if l, h, some = floatExtremes(v); !some {
			return
		}
	}
	if l == 0 { // one zero is as good as the other: both are within
		l = math.Copysign(0, -1)
	}
	if h == 0 {
		h = math.Copysign(0, 1)
	}
	if !b.any {
		b.any, b.minFloat, b.maxFloat = true, l, h
		return
	}
	b.minFloat, b.maxFloat = min(b.minFloat, l), max(b.maxFloat, h)
}

// floatExtremes returns the least and the greatest of some floats, and whether one is no NaN.
func floatExtremes[T float32 | float64](v []T) (low, high float64, some bool) {
	switch v := any(v).(type) {
	case []float32:
		l, h := bitExtremes(reinterpret[int32](v))
		low, high = float64(math.Float32frombits(uint32(l))), float64(math.Float32frombits(uint32(h)))
	case []float64:
		l, h := bitExtremes(reinterpret[int64](v))
		low, high = math.Float64frombits(uint64(l)), math.Float64frombits(uint64(h))
	}
	if low == low && high == high { // NaN is below all others, or above
		return low, high, true
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if x := float64(x); x == x {
			low, high, some = min(low, x), max(high, x), true
		}
	}
	return low, high, some
}

// bitExtremes is extremes of floats, given and returned as their bits: with all but the sign inverted where that is set, they
// compare as integers do.
func bitExtremes[T int32 | int64](v []T) (low, high T) {
	sign := 8*unsafe.Sizeof(low) - 1
	rest := T(1)<<sign - 1
	a := v[0] ^ v[0]>>sign&rest
	b, l, m, g, h := a, a, a, a, a
	for ; len(v) >= 4; v = v[4:] {
		w, x, y, z := v[0], v[1], v[2], v[3]
		w, x, y, z = w^w>>sign&rest, x^x>>sign&rest, y^y>>sign&rest, z^z>>sign&rest
		a, b = min(a, w), max(b, w)
		l, g = min(l, x), max(g, x)
		m, h = min(m, y), max(h, y)
		a, b = min(a, z), max(b, z)
	}
	for _, x := range v {
		x ^= x >> sign & rest
		a, b = min(a, x), max(b, x)
	}
	low, high = min(a, l, m), max(b, g, h)
	return low ^ low>>sign&rest, high ^ high>>sign&rest
}

// head returns the first eight bytes of a text as a number that compares as they do; zeros stand for those that are missing.
func head(s []byte) uint64 {
	var h [8]byte
	copy(h[:], s)
	return binary.BigEndian.Uint64(h[:])
}

// addTexts compares texts by their heads, and the few that these do not tell apart from the bounds as a whole.
func (b *bounds) addTexts(v bytesValues, from, to int) {
	if !b.any {
		b.addText(v.at(from))
		from++
	}
	low, high := b.minHead, b.maxHead
	start, safe := int(v.offsets[from]), len(v.data)-8
	for _, o := range v.offsets[from+1 : to+1] {
		end := int(o)
		var h uint64
		if start <= safe {
			h = binary.BigEndian.Uint64(v.data[start:])
			if n := uint(end - start); n < 8 {
				h &^= math.MaxUint64 >> (8 * n)
			}
		} else {
			h = head(v.data[start:end])
		}
		if h <= low || h >= high {
			b.addText(v.data[start:end])
			low, high = b.minHead, b.maxHead
		}
		start = end
	}
}

func (b *bounds) addText(s []byte) {
	longer := len(s) > trevniwire.BoundBytes
	if longer {
		s = s[:trevniwire.BoundBytes]
	}
	if !b.any || bytes.Compare(s, b.minText) < 0 {
		b.minText = append(b.minText[:0], s...)
		b.minHead = head(s)
	}
	switch c := bytes.Compare(s, b.maxText); {
	case !b.any || c > 0:
		b.maxText = append(b.maxText[:0], s...)
		b.maxHead, b.longer = head(s), longer
	case c == 0:
		b.longer = b.longer || longer
	}
	b.any = true
}

// orderOf says in the header what is known of the order of the column, and returns how many bytes its first values take that
// nobody has asked for.
func (c *column) orderOf(h *trevniwire.Column) (more int64) {
	ascends := c.sorted.seen && !c.sorted.broken
	if !c.Values {
		// A single block has nothing to choose from.
		if !ascends || len(c.blocks) < 2 || int64(c.firsts) > c.stored/statisticsShare || slices.ContainsFunc(c.blocks, func(b packedBlock) bool { return b.first == nil }) {
			return 0
		}
		h.Values = true
		h.Meta = append(h.Meta, trevniwire.Pair{Key: trevniwire.KeyValues})
		more = int64(c.firsts)
	}
	if ascends {
		h.Meta = append(h.Meta, trevniwire.Pair{Key: trevniwire.KeySorted, Value: []byte("ascending")})
	}
	return more
}

// describe adds statistics to the header, the shortest first, as long as they are a small part of the file.
func (w *writer) describe(h *trevniwire.Header) {
	left := int64(0)
	var order []int
	for i, c := range w.columns {
		left += c.stored
		if c.bounded && len(c.blocks) > 0 {
			order = append(order, i)
		}
	}
	left /= statisticsShare
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(w.columns[a].bounds), len(w.columns[b].bounds)) })
	for _, i := range order {
		c := w.columns[i]
		if left -= int64(len(trevniwire.KeyStats) + trevniwire.StatisticsSize + len(c.bounds)); left < 0 {
			return
		}
		blocks := make([]trevniwire.Block, len(c.blocks))
		for k, b := range c.blocks {
			blocks[k] = trevniwire.Block{Rows: int64(b.rows), Raw: int64(b.raw), Packed: int64(b.packed)}
		}
		h.Columns[i].Meta = append(h.Columns[i].Meta, trevniwire.Pair{Key: trevniwire.KeyStats, Value: trevniwire.AppendStatistics(nil, blocks, c.bounds)})
	}
}
