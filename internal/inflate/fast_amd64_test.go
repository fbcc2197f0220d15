//go:build amd64 && !purego

package inflate

import (
	"math/rand"
	"testing"
)

func init() {
	Kernels = func(f func(name string)) {
		has, least := useAVX2, leastAVX2
		defer func() { useAVX2, leastAVX2 = has, least }()
		if has {
			leastAVX2 = 0
			f("AVX2")
		}
		useAVX2 = false
		f("portable")
	}
}

// token returns the entries at index i of both tables. The assembly must make the same.
func (d *Decoder) token(i uint32) (step uint16, token uint32) {
	e := d.lit[i]
	l := e & 255
	switch {
	case e&litLiteral != 0:
		return uint16(l | litBits<<8), tokenLiteral | e>>24<<8 | 1<<16 | 2*noLink<<24
	case e&isSpecial == 0:
		length := e>>16&255 + i>>(e>>8&15)&(e>>24)
		de := d.dist[i>>l&distMask]
		extra, base := uint32(de&255-de>>8&15), uint32(de>>16&0xffff)
		before := l + uint32(de>>8&15)
		if before <= litBits && de&distSpecial == 0 && length <= min(mostCopy, base) {
			return uint16(l+uint32(de&255)) | litBits<<8, before | length<<16 | (2*extra+(base-1)>>extra)<<25
		}
	}
	return litBits << 8, tokenSlow
}

// The tables of tokens are those of the plain function.
func TestTokens(t *testing.T) {
	if !useAVX2 {
		return // there are no tables
	}
	r := rand.New(rand.NewSource(7))
	var d Decoder
	check := func(name string, i int) {
		tokensAVX2(&d.lit[0])
		for k := range d.table {
			step, token := d.token(uint32(k))
			if d.steps[k] != step || d.table[k] != token {
				t.Fatalf("%s %d: entry %#x is %#x, %#x; want %#x, %#x", name, i, k, d.steps[k], d.table[k], step, token)
			}
		}
	}
	d.buildFixed()
	check("fixed codes", 0)
	for i := range 300 {
		// Lengths of complete codes: leaves of trees that are split at random.
		tree := func(n int) []uint8 {
			leaves := []uint8{1, 1}
			for want := 2 + r.Intn(n-1); len(leaves) < want; {
				k := r.Intn(len(leaves))
				if r.Intn(2) == 0 {
					k = len(leaves) - 1
				}
				if leaves[k] < maxCodeLen {
					leaves[k]++
					leaves = append(leaves, leaves[k])
				}
			}
			lens := make([]uint8, n)
			for k, s := range r.Perm(n)[:len(leaves)] {
				lens[s] = leaves[k]
			}
			return lens
		}
		dist := tree(2 + r.Intn(29))
		if i%10 == 0 { // a code of one symbol, or none
			clear(dist)
			dist[r.Intn(len(dist))] = uint8(i / 10 % 2)
		}
		if !d.buildDist(dist) || !d.buildLit(tree(257+r.Intn(30))) {
			t.Fatal("not a legal code")
		}
		check("random code", i)
	}
}

func BenchmarkTokens(b *testing.B) {
	if !useAVX2 {
		return
	}
	var d Decoder
	d.buildFixed()
	for b.Loop() {
		tokensAVX2(&d.lit[0])
	}
}
