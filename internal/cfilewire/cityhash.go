package cfilewire

import (
	"encoding/binary"
	"math/bits"
)

// Multipliers of Kudu's CityHash. They are not those of the published one, whose results differ for that reason.
const (
	city0 = 0xa5b85c5e198ed849
	city1 = 0x8d58ac26afe12e47
	city2 = 0xc47b6e9e3a970ed3
	city3 = 0xc70f6907e782aa0b

	cityPair = 0xc6a4a7935bd1e995
)

// HashKey returns Kudu's CityHash64 of an encoded key, which Bloom.MayContain takes.
func HashKey(b []byte) uint64 {
	switch n := len(b); {
	case n <= 16:
		return cityTo16(b)
	case n <= 32:
		return cityTo32(b)
	case n <= 64:
		return cityTo64(b)
	}
	return cityLong(b)
}

func fetch(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

func rotate(v uint64, n int) uint64 { return bits.RotateLeft64(v, -n) }

func mix(v uint64) uint64 { return v ^ v>>47 }

// pair makes one hash of two.
func pair(u, v uint64) uint64 {
	return mix((u^mix((u^v)*cityPair))*cityPair) * cityPair
}

func cityTo16(b []byte) uint64 {
	n := uint64(len(b))
	switch {
	case n > 8:
		first, last := fetch(b, 0), fetch(b, len(b)-8)
		return pair(first, rotate(last+n, len(b))) ^ last
	case n >= 4:
		first, last := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		return pair(n+uint64(first)<<3, uint64(last))
	case n > 0:
		y := uint64(b[0]) + uint64(b[n/2])<<8
		z := n + uint64(b[n-1])<<2
		return mix(y*city2^z*city3) * city2
	}
	return city2
}

func cityTo32(b []byte) uint64 {
	n := len(b)
	w, x, y, z := fetch(b, 0)*city1, fetch(b, 8), fetch(b, n-8)*city2, fetch(b, n-16)*city0
	return pair(rotate(w-x, 43)+rotate(y, 30)+z, w+rotate(x^city3, 20)-y+uint64(n))
}

// cityTo64 hashes the first 32 bytes and the last 32, which overlap.
func cityTo64(b []byte) uint64 {
	n := len(b)
	head, tail := b[:32], b[n-32:]
	a, c := quad(head, fetch(head, 0)+(uint64(n)+fetch(tail, 16))*city0, fetch(head, 24))
	d, e := quad(tail, fetch(b, 16)+fetch(tail, 0), fetch(head, 24)+fetch(tail, 24))
	r := mix((a+e)*city2 + (d+c)*city0)
	return mix(r*city0+c) * city2
}

// quad hashes the middle two of the four words of b, starting from two values.
func quad(b []byte, u, v uint64) (uint64, uint64) {
	x, y := rotate(u+v, 52), rotate(u, 37)
	u += fetch(b, 8)
	y += rotate(u, 7)
	u += fetch(b, 16)
	return u + v, x + rotate(u, 31) + y
}

// weak hashes 32 bytes quickly, starting from two values.
func weak(b []byte, u, v uint64) (uint64, uint64) {
	u += fetch(b, 0)
	v = rotate(v+u+fetch(b, 24), 51)
	w := u
	u += fetch(b, 8) + fetch(b, 16)
	return u + fetch(b, 24), v + rotate(u, 23) + w
}

// cityLong starts from the last 64 bytes and goes on with blocks of 64 from the front.
func cityLong(b []byte) uint64 {
	n := len(b)
	x := fetch(b, n-40)
	y := fetch(b, n-16) + fetch(b, n-56)
	z := pair(fetch(b, n-48)+uint64(n), fetch(b, n-24))
	v0, v1 := weak(b[n-64:], uint64(n), z)
	w0, w1 := weak(b[n-32:], y+city1, x)
	x = x*city1 + fetch(b, 0)
	for at := 0; at < (n-1)&^63; at += 64 {
		s := b[at : at+64]
		x = rotate(x+y+v0+fetch(s, 8), 37) * city1
		y = rotate(y+v1+fetch(s, 48), 42) * city1
		x ^= w1
		y += v0 + fetch(s, 40)
		z = rotate(z+w0, 33) * city1
		v0, v1 = weak(s, v1*city1, x+w0)
		w0, w1 = weak(s[32:], z+w1, y+fetch(s, 16))
		x, z = z, x
	}
	return pair(pair(v0, w0)+mix(y)*city1+z, pair(v1, w1)+x)
}
