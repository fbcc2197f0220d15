package wkb

import "math/bits"

// Facts are what Java's statistics tell of many geometries.
type Facts struct {
	X, Y, Z, M Axis
	Some       bool  // else the axes mean nothing
	Kinds      Kinds // of those that have points
}

// Add adds a geometry.
func (f *Facts) Add(g *Shape) {
	if g.Empty {
		return
	}
	var k Kinds
	k.add(kindOf(g.code, g.hasZ, g.hasM))
	f.Merge(&Facts{Some: true, X: g.box.x.known(), Y: g.box.y.known(), Z: g.z, M: g.m, Kinds: k})
}

// Merge adds what others are like.
func (f *Facts) Merge(o *Facts) {
	if !o.Some {
		return
	}
	if !f.Some {
		*f = *o
		return
	}
	f.X.merge(o.X)
	f.Y.merge(o.Y)
	f.Z.merge(o.Z)
	f.M.merge(o.M)
	f.Kinds |= o.Kinds
}

// Kinds is a set of kinds of geometries: bit 8 d + k is kind k, with z if d is odd, with m if d is 2 or 3.
type Kinds uint32

func (k *Kinds) add(kind int) { *k |= 1 << (kind/1000*8 + kind%1000) }

// List returns the kinds as files have them: 1 is a point, 1001 one with z, 2001 with m, 3001 with both.
func (k Kinds) List() []int32 {
	var out []int32
	for ; k > 0; k &= k - 1 {
		at := bits.TrailingZeros32(uint32(k))
		out = append(out, int32(at>>3*1000+at&7))
	}
	return out
}

// kindsOf is the reverse of List. It is false where a number is none of a kind.
func kindsOf(list []int32) (k Kinds, ok bool) {
	for _, v := range list {
		if v < 0 || v >= 4000 || v%1000 < kindPoint || v%1000 > kindCollection {
			return 0, false
		}
		k.add(int(v))
	}
	return k, true
}

// kindOf returns the number that a kind has with these coordinates.
func kindOf(code int, z, m bool) int {
	if z {
		code += 1000
	}
	if m {
		code += 2000
	}
	return code
}
