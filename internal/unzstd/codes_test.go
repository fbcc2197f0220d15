package unzstd_test

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/unzstd"
)

// stream is backwards of many fields.
func stream(fields []field) []byte {
	var b []byte
	n := uint(0)
	put := func(v uint64, bits uint) {
		for i := range bits {
			if n%8 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= byte(v>>i&1) << (n % 8)
			n++
		}
	}
	for i := len(fields) - 1; i >= 0; i-- {
		put(fields[i].v, fields[i].n)
	}
	put(1, 1)
	return b
}

// randomCode deals out the lengths of a complete code to symbols: leaves of a tree that is split at random.
func randomCode(r *rand.Rand, most int) (lens []uint) {
	leaves := []uint{1, 1}
	deep := r.Intn(3) == 0
	for want := 2 + r.Intn(128); len(leaves) < want; {
		i := r.Intn(len(leaves))
		if deep && r.Intn(4) > 0 {
			i = len(leaves) - 1
		}
		if leaves[i] == uint(most) {
			break
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
	}
	lens = make([]uint, len(leaves)+r.Intn(130-len(leaves)))
	for i, s := range r.Perm(len(lens))[:len(leaves)] {
		lens[s] = leaves[i]
	}
	for lens[len(lens)-1] == 0 {
		lens = lens[:len(lens)-1]
	}
	return lens
}

// describe returns the description of a code, and its codes.
func describe(lens []uint) (b []byte, codes []field) {
	longest := uint(0)
	for _, l := range lens {
		longest = max(longest, l)
	}
	b = append(b, byte(127+len(lens)-1))
	for i, l := range lens[:len(lens)-1] {
		w := byte(0)
		if l > 0 {
			w = byte(longest + 1 - l)
		}
		if i%2 == 0 {
			b = append(b, w<<4)
		} else {
			b[len(b)-1] |= w
		}
	}
	codes = make([]field, len(lens))
	next := uint64(0) // in units of the longest codes
	for l := longest; l > 0; l-- {
		for s := range lens {
			if lens[s] == l {
				codes[s] = field{next >> (longest - l), l}
				next += 1 << (longest - l)
			}
		}
	}
	return b, codes
}

// Literals in codes as no encoder makes them, long ones above all.
func TestRandomCodes(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	j := newJudge(t, 1<<15)
	for i := range 400 {
		lens := randomCode(r, 1+i%11)
		code, codes := describe(lens)
		var used []byte
		for s, l := range lens {
			if l > 0 {
				used = append(used, byte(s))
			}
		}
		size := []int{6, 50 + r.Intn(30), 800, 1000 + r.Intn(20), 16000 + r.Intn(300)}[r.Intn(5)]
		raw := make([]byte, size)
		for k := range raw {
			raw[k] = used[r.Intn(len(used))]
			if r.Intn(2) == 0 { // those that have long codes are rare otherwise
				raw[k] = used[min(r.Intn(len(used)), r.Intn(len(used)))]
			}
		}
		quarter := (size + 3) / 4
		var jumps, streams []byte
		for k := range 4 {
			var f []field
			for _, s := range raw[k*quarter : min((k+1)*quarter, size)] {
				f = append(f, codes[s])
			}
			s := stream(f)
			streams = append(streams, s...)
			if k < 3 {
				jumps = append(jumps, byte(len(s)), byte(len(s)>>8))
			}
		}
		body := cat(code, jumps, streams)
		head := 2 | 3<<2 | uint64(size)<<4 | uint64(len(body))<<22
		src := frame(5, packed(int(head), int(head>>8), int(head>>16), int(head>>24), int(head>>32), body, 0))
		unzstd.Kernels(func(kernel string) {
			var d unzstd.Decoder
			dst := make([]byte, size+unzstd.Slack)
			if n, err := d.Decode(dst, src, size); err != nil || !bytes.Equal(dst[:n], raw) {
				t.Fatalf("%s: code %d, lengths %v: %d of %d bytes, %v", kernel, i, lens, n, size, err)
			}
		})
		for range 3 {
			bad := bytes.Clone(src)
			bad[9+r.Intn(len(bad)-9)] ^= 1 << r.Intn(8)
			j.agree(t, bad)
		}
	}
}
