package encode

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"testing"
)

// unpack reads what AppendHybrid wrote, by the specification, value by value.
func unpack(t *testing.T, b []byte, width uint, n int) (out []uint32) {
	t.Helper()
	for len(out) < n {
		header, k := binary.Uvarint(b)
		b = b[k:]
		if header&1 == 0 {
			v := uint32(0)
			for i := range (width + 7) / 8 {
				v |= uint32(b[i]) << (8 * i)
			}
			b = b[(width+7)/8:]
			for range header >> 1 {
				out = append(out, v)
			}
			continue
		}
		count := int(header>>1) * 8
		for i := range count {
			v := uint32(0)
			for bit := range width {
				at := uint(i)*width + bit
				v |= uint32(b[at>>3]>>(at&7)&1) << bit
			}
			out = append(out, v)
		}
		b = b[count*int(width)/8:]
	}
	if len(b) != 0 {
		t.Errorf("%d bytes are left", len(b))
	}
	for _, v := range out[n:] {
		if v != 0 {
			t.Error("the last group is not filled up with zeroes")
		}
	}
	return out[:n]
}

func TestHybrid(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for width := uint(1); width <= 32; width++ {
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 100, 1000} {
			for _, repeat := range []int{1, 5, 20, 300} {
				var wide []uint32
				var narrow []uint8
				for len(wide) < n {
					v := uint32(r.Uint64() & (1<<width - 1))
					for range 1 + r.Intn(repeat) {
						wide, narrow = append(wide, v), append(narrow, uint8(v))
					}
				}
				wide, narrow = wide[:n], narrow[:n]
				if got := unpack(t, AppendHybrid([]byte("x"), wide, width)[1:], width, n); !slices.Equal(got, wide) {
					t.Fatalf("width %d, %d values: %v, want %v", width, n, got, wide)
				}
				if width > 8 {
					continue
				}
				if got := unpack(t, AppendHybrid(nil, narrow, width), width, n); !slices.Equal(got, wide) {
					t.Fatalf("width %d, %d bytes: %v, want %v", width, n, got, wide)
				}
			}
		}
	}
}

// A filter has the values that were put in, and few others: the specification's sum says how few.
func TestBloom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, fpp := range []float64{0.1, 0.01, 0.001} {
		hashes := make([]uint64, 10_000)
		for i := range hashes {
			hashes[i] = r.Uint64()
		}
		size := BloomBytes(len(hashes), fpp)
		b := AppendBloom(nil, size, hashes)
		bits := b[len(b)-size:]
		for _, h := range hashes {
			if !inBloom(bits, h) {
				t.Fatal("a value is left out")
			}
		}
		wrong := 0
		for range 100_000 {
			if inBloom(bits, r.Uint64()) {
				wrong++
			}
		}
		if share := float64(wrong) / 100_000; share > fpp {
			t.Errorf("%d bytes say yes to %v, not %v", size, share, fpp)
		}
	}
	if n := BloomBytes(0, 0.01); n != 32 {
		t.Errorf("no values take %d bytes", n)
	}
	if n := BloomBytes(1<<40, 0.01); n != MaxBloomBytes {
		t.Errorf("many values take %d bytes", n)
	}
}

func inBloom(bits []byte, h uint64) bool {
	block := bits[h>>32*uint64(len(bits)/32)>>32*32:]
	for i, s := range bloomSalt {
		if binary.LittleEndian.Uint32(block[4*i:])>>(uint32(h)*s>>27)&1 == 0 {
			return false
		}
	}
	return true
}
