package trevni

import (
	"bytes"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// appended returns the block that entries make which are written in batches that end at cuts, and those after that at once. loops = by
// the loops alone.
func appended(v values, offs []int32, cuts []int, loops bool) []byte {
	c := &column{Column: &trevniwire.Column{Array: true}, mixed: &mixed{}}
	if loops {
		c.mixed.pause = math.MaxInt
	}
	from := 0
	for _, to := range append(cuts, len(offs)-1) {
		c.reserve(5*(to-from) + v.bound(int(offs[from]), int(offs[to])))
		c.putEntries(v, offs, from, to)
		from = to
	}
	c.flush()
	return c.buf
}

// entriesOf makes entries of such lengths, of texts whose lengths text gives.
func entriesOf(lengths []int, text func() int) (bytesValues, []int32) {
	offs, v := []int32{0}, bytesValues{offsets: []int32{0}}
	for _, n := range lengths {
		for range n {
			v.data = append(v.data, strings.Repeat(string(rune('a'+len(v.data)%26)), text())...)
			v.offsets = append(v.offsets, int32(len(v.data)))
		}
		offs = append(offs, offs[len(offs)-1]+int32(n))
	}
	return v, offs
}

// shapes are lengths of entries: for mixed, for the loops, and both by turns.
func shapes(r *rand.Rand, n int) map[string][]int {
	shapes := map[string]func(i int) int{
		"a few":            func(int) int { return r.Intn(5) },
		"0, 1 or 2":        func(int) int { return r.Intn(3) },
		"0 or 1":           func(int) int { return r.Intn(2) },
		"few ones":         func(int) int { return max(0, r.Intn(20)-18) },
		"few zeros":        func(int) int { return min(1, r.Intn(20)) },
		"long":             func(int) int { return 50 + r.Intn(30) },
		"0, or 60 to 70":   func(int) int { return r.Intn(2) * (60 + r.Intn(11)) },
		"runs of 20 to 40": func(i int) int { return i / (20 + i/100) % 2 },
		"all": func(i int) int {
			switch i / 300 % 4 {
			case 0:
				return 0
			case 1:
				return 1
			case 2:
				return r.Intn(4)
			}
			return r.Intn(100) / 99 * 200
		},
	}
	out := make(map[string][]int, len(shapes))
	for name, f := range shapes {
		for i := range n {
			out[name] = append(out[name], f(i))
		}
	}
	return out
}

func TestMixed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for name, lengths := range shapes(r, 5000) {
		v, offs := entriesOf(lengths, func() int { return r.Intn(40) / (1 + r.Intn(40)) * (1 + r.Intn(3)) })
		for _, v := range []values{v, nullValues{}} {
			want := appended(v, offs, nil, true)
			for _, cuts := range [][]int{nil, {1}, {31, 63, 64, 100, 1000}, {300, 600, 900, 901, 1200, 2500}} {
				if got := appended(v, offs, cuts, false); !bytes.Equal(got, want) {
					t.Errorf("%s, %T, batches that end at %d: not the bytes of the loops", name, v, cuts)
				}
			}
		}
	}
}

func FuzzMixed(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 0, 0, 3, 70}, uint16(5), int64(1))
	f.Add(bytes.Repeat([]byte{0, 1, 2, 0, 0, 1, 1, 1, 4}, 60), uint16(300), int64(2))
	f.Fuzz(func(t *testing.T, b []byte, cut uint16, seed int64) {
		if len(b) > 2000 {
			return
		}
		r := rand.New(rand.NewSource(seed))
		lengths := make([]int, len(b))
		for i, x := range b {
			lengths[i] = int(x) % 80
		}
		v, offs := entriesOf(lengths, func() int { return r.Intn(70) })
		for _, v := range []values{v, nullValues{}} {
			if got, want := appended(v, offs, []int{int(cut) % (len(b) + 1)}, false), appended(v, offs, nil, true); !bytes.Equal(got, want) {
				t.Fatalf("%T: %x, want %x", v, got, want)
			}
		}
	})
}

func BenchmarkEntries(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, lengths := range shapes(r, 200_000) {
		v, offs := entriesOf(lengths, func() int { return r.Intn(12) })
		c := &column{Column: &trevniwire.Column{Array: true}, mixed: &mixed{}}
		c.reserve(5*len(lengths) + v.bound(0, len(v.offsets)-1))
		for by, pause := range map[string]int{"mixed": 0, "loops": math.MaxInt} {
			b.Run(name+"/"+by, func(b *testing.B) {
				b.SetBytes(int64(len(v.data)))
				b.ReportAllocs()
				for b.Loop() {
					c.buf, c.run, c.ones, c.mixed.pause = c.buf[:0], 0, ones{}, pause
					c.putEntries(v, offs, 0, len(lengths))
				}
			})
		}
	}
}
