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
