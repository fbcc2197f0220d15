package tablediff

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// rules say which floats are equal that are not the same.
type rules struct {
	tolerance float64 // the most that they may differ
	zeroSign  bool    // 0 and -0 are equal
}

// mark sets in rows a bit for each of n values that differ between a, from i on, and b, from j on. It returns how many do.
func (f *form) mark(r rules, a *vec, i int, b *vec, j, n int, rows []uint64) (differ int64) {
	for at := 0; at < n; at += 64 {
		k := min(64, n-at)
		if w := f.mark64(r, a, i+at, b, j+at, k); w != 0 {
			rows[at/64] |= w
			differ += int64(bits.OnesCount64(w))
		}
	}
	return differ
}

// mark64 returns a bit for each of up to 64 values that differ.
func (f *form) mark64(r rules, a *vec, i int, b *vec, j, n int) (differ uint64) {
	all := uint64(math.MaxUint64) >> (64 - n)
	va, vb := a.valid64(i)&all, b.valid64(j)&all
	differ = va ^ vb
	look := va & vb
	if look == 0 || f.kind == kindNull {
		return differ
	}
	if look == all && f.same(a, i, b, j, n) {
		return 0
	}
	for ; look != 0; look &= look - 1 {
		k := bits.TrailingZeros64(look)
		if !f.equalValue(r, a, i+k, b, j+k) {
			differ |= 1 << k
		}
	}
	return differ
}

// same reports whether n values, none null, have the same bytes. False means nothing.
func (f *form) same(a *vec, i int, b *vec, j, n int) bool {
	switch f.kind {
	case kindFixed, kindFloat:
		w := f.width
		return bytes.Equal(a.data[i*w:(i+n)*w], b.data[j*w:(j+n)*w])
	case kindBytes:
		for k := range n {
			if a.end[i+k]-a.off[i+k] != b.end[j+k]-b.off[j+k] {
				return false
			}
		}
		from, to := a.off[i], a.end[i+n-1]
		other, end := b.off[j], b.end[j+n-1]
		if to-from != end-other || !f.adjacent(a, i, n) || !f.adjacent(b, j, n) {
			return false
		}
		return bytes.Equal(a.data[from:to], b.data[other:end])
	}
	return false
}

// adjacent reports whether values lie one behind the other.
func (f *form) adjacent(v *vec, i, n int) bool {
	for k := 1; k < n; k++ {
		if v.off[i+k] != v.end[i+k-1] {
			return false
		}
	}
	return true
}

// equal reports whether two values, null or not, are equal.
func (f *form) equal(r rules, a *vec, i int, b *vec, j int) bool {
	na, nb := a.null(i), b.null(j)
	if na || nb {
		return na && nb
	}
	return f.equalValue(r, a, i, b, j)
}

func (f *form) equalValue(r rules, a *vec, i int, b *vec, j int) bool {
	switch f.kind {
	case kindFixed:
		w := f.width
		return bytes.Equal(a.data[i*w:(i+1)*w], b.data[j*w:(j+1)*w])
	case kindFloat:
		return r.equal(f.float(a, i), f.float(b, j))
	case kindBytes:
		return bytes.Equal(a.data[a.off[i]:a.end[i]], b.data[b.off[j]:b.end[j]])
	case kindList:
		n := int(a.end[i] - a.off[i])
		r.tolerance = 0
		if n != int(b.end[j]-b.off[j]) {
			return false
		}
		for k := range n {
			if !f.child[0].equal(r, &a.child[0], int(a.off[i])+k, &b.child[0], int(b.off[j])+k) {
				return false
			}
		}
	case kindStruct:
		r.tolerance = 0
		for k, c := range f.child {
			if !c.equal(r, &a.child[k], i, &b.child[k], j) {
				return false
			}
		}
	case kindUnion:
		k := a.codes[i]
		r.tolerance = 0
		return k == b.codes[j] && f.child[k].equal(r, &a.child[k], int(a.off[i]), &b.child[k], int(b.off[j]))
	}
	return true
}

func (f *form) float(v *vec, i int) float64 {
	if f.width == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.data[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v.data[8*i:]))
}

func (r rules) equal(x, y float64) bool {
	switch {
	case x != x || y != y:
		return x != x && y != y
	case x == y:
		return x != 0 || r.zeroSign || math.Signbit(x) == math.Signbit(y)
	}
	return math.Abs(x-y) <= r.tolerance && !math.IsInf(x, 0) && !math.IsInf(y, 0)
}

// append adds the encoding of value i: two values of a form have the same encoding if, and only if, they are equal without tolerance.
func (f *form) append(dst []byte, r rules, v *vec, i int) []byte {
	if v.null(i) {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch f.kind {
	case kindFixed:
		return append(dst, v.data[i*f.width:(i+1)*f.width]...)
	case kindFloat:
		x := f.float(v, i)
		switch {
		case x != x:
			x = math.NaN()
		case x == 0 && r.zeroSign:
			x = 0
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	case kindBytes:
		dst = binary.AppendUvarint(dst, uint64(v.end[i]-v.off[i]))
		return append(dst, v.data[v.off[i]:v.end[i]]...)
	case kindList:
		dst = binary.AppendUvarint(dst, uint64(v.end[i]-v.off[i]))
		for k := v.off[i]; k < v.end[i]; k++ {
			dst = f.child[0].append(dst, r, &v.child[0], int(k))
		}
	case kindStruct:
		for k, c := range f.child {
			dst = c.append(dst, r, &v.child[k], i)
		}
	case kindUnion:
		k := v.codes[i]
		dst = f.child[k].append(append(dst, k), r, &v.child[k], int(v.off[i]))
	}
	return dst
}

// skip returns the length of the encoding at the beginning of b, which append made.
func (f *form) skip(b []byte) int {
	if b[0] == 0 {
		return 1
	}
	at := 1
	switch f.kind {
	case kindFixed:
		return at + f.width
	case kindFloat:
		return at + 8
	case kindBytes:
		n, k := binary.Uvarint(b[at:])
		return at + k + int(n)
	case kindList:
		n, k := binary.Uvarint(b[at:])
		at += k
		for range n {
			at += f.child[0].skip(b[at:])
		}
	case kindStruct:
		for _, c := range f.child {
			at += c.skip(b[at:])
		}
	case kindUnion:
		return at + 1 + f.child[b[at]].skip(b[at+1:])
	}
	return at
}

// equalEncoded reports whether two encoded values are equal.
func (f *form) equalEncoded(r rules, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if f.kind != kindFloat || r.tolerance == 0 || a[0] == 0 || b[0] == 0 {
		return false
	}
	return r.equal(math.Float64frombits(binary.LittleEndian.Uint64(a[1:])), math.Float64frombits(binary.LittleEndian.Uint64(b[1:])))
}
