//go:build amd64 && !purego

package unzstd

import (
	"bytes"
	"math/rand"
	"testing"
)

func init() {
	Kernels = func(f func(name string)) {
		has := useAVX2
		defer func() { useAVX2 = has }()
		if has {
			f("AVX2")
		}
		useAVX2 = false
		f("portable")
	}
}

func TestReverse(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 200 {
		src := make([]byte, n)
		r.Read(src)
		want := make([]byte, n)
		for i, b := range src {
			for k := range 8 {
				want[n-1-i] |= b >> k & 1 << (7 - k)
			}
		}
		Kernels(func(kernel string) {
			got := bytes.Repeat([]byte{0xee}, n+1)
			if reverse(got[:n], src); !bytes.Equal(got[:n], want) || got[n] != 0xee {
				t.Fatalf("%s: %d bytes: %x, want %x", kernel, n, got, want)
			}
		})
	}
}
