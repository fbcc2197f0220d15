package bitpack_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"unsafe"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// edged is values whose memory ends where a page does that nobody may touch.
func edged[T any](t testing.TB, v []T) []T {
	t.Helper()
	if len(v) == 0 {
		return v
	}
	size := int(unsafe.Sizeof(v[0]))
	b := fixtures.AtEdge(t, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*size), 0)
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(v))
}

// checkMarked picks values to memory of their own, with as much room as they need and with more, and within their own.
func checkMarked[T comparable](t *testing.T, src []T, marks bitpack.Marks) {
	t.Helper()
	var want []T
	for i, x := range src {
		if marks[i/64]>>(i%64)&1 == 1 {
			want = append(want, x)
		}
	}
	for _, more := range []int{0, 1, 70, len(src) - len(want)} {
		dst := edged(t, make([]T, len(want)+max(0, more)))
		if k := bitpack.Pick(dst, src, marks); k != len(want) || !slices.Equal(dst[:k], want) {
			t.Fatalf("%d of %d values, room for %d more: got %d: %v\nwant %v", len(want), len(src), more, k, dst, want)
		}
	}
	if k := bitpack.Pick(src, src, marks); k != len(want) || !slices.Equal(src[:k], want) {
		t.Fatalf("%d of %d values in place: got %d: %v\nwant %v", len(want), len(src), k, src, want)
	}
}

func pickAll[T comparable](t *testing.T, r *rand.Rand, value func() T) {
	t.Helper()
	for _, n := range someLengths {
		for _, percent := range percents {
			off := r.Intn(20)
			marks := bitpack.AppendMarks(nil, bitmap(r, off+n+r.Intn(2)*100, percent), off, n)
			src := make([]T, n)
			for i := range src {
				src[i] = value()
			}
			checkMarked(t, edged(t, src), edged(t, marks))
		}
	}
}

// Marked values are those that one after another would be copied, of every width, at the edge of memory, with vectors and without.
func TestPick(t *testing.T) {
	kernels(func(string) {
		r := rand.New(rand.NewSource(1))
		pickAll(t, r, func() int8 { return int8(r.Int63()) })
		pickAll(t, r, func() uint16 { return uint16(r.Int63()) })
		pickAll(t, r, func() [3]byte { return [3]byte{byte(r.Int()), byte(r.Int()), byte(r.Int())} })
		pickAll(t, r, func() int32 { return int32(r.Int63()) })
		pickAll(t, r, func() uint64 { return r.Uint64() })
		pickAll(t, r, func() [16]byte { return [16]byte{byte(r.Int()), 15: byte(r.Int())} })
		pickAll(t, r, func() [2]uint64 { return [2]uint64{r.Uint64(), r.Uint64()} })
		pickAll(t, r, func() [4]uint64 { return [4]uint64{r.Uint64(), 3: r.Uint64()} })
	})
}

// Picked bits are those of the marks, and what lies before and behind is not touched.
func TestPickBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range percents {
			for range 8 {
				marks := bitpack.AppendMarks(nil, bitmap(r, n, percent), 0, n)
				srcOff, dstOff := r.Intn(20), r.Intn(20)
				src := fixtures.AtEdge(t, noise(r, (srcOff+n+7)/8), 0)
				k := marks.Count()
				dst := fixtures.AtEdge(t, noise(r, (dstOff+k+7)/8+r.Intn(3)), 0)
				r.Read(dst)
				check := func(dst []byte, dstOff int, src []byte) {
					t.Helper()
					want, from := bytes.Clone(dst), bytes.Clone(src)
					to := dstOff
					for i := range n {
						if marks[i/64]>>(i%64)&1 == 1 {
							setBit(want, to, bit(from, srcOff+i))
							to++
						}
					}
					if got := bitpack.PickBits(dst, dstOff, src, srcOff, n, marks); got != k || !bytes.Equal(dst, want) {
						t.Fatalf("%d of %d bits from %d to %d: %d\n got %x\nwant %x", k, n, srcOff, dstOff, got, dst, want)
					}
				}
				check(dst, dstOff, src)
				check(src, min(dstOff, srcOff), src)
			}
		}
	}
}

// checkTexts copies texts to memory of their own and within their own.
func checkTexts(t *testing.T, src []byte, offsets []int32, marks bitpack.Marks, at, more int) {
	t.Helper()
	n := len(offsets) - 1
	starts, stops := slices.Clone(offsets[:n]), slices.Clone(offsets[1:])
	k := bitpack.Pick(starts, starts, marks)
	bitpack.Pick(stops, stops, marks)
	starts, stops = edged(t, starts[:k]), edged(t, stops[:k])
	var want []byte
	var ends []int32
	for i := range k {
		want = append(want, src[starts[i]:stops[i]]...)
		ends = append(ends, int32(7+at+len(want)))
	}
	dst := fixtures.AtEdge(t, make([]byte, at+len(want)+more), 0)
	before := bytes.Clone(dst[:at])
	kept := edged(t, slices.Clone(stops))
	if end := bitpack.PickTexts(dst, at, src, starts, kept, 7); end != at+len(want) || !bytes.Equal(dst[at:end], want) || !slices.Equal(kept, ends) || !bytes.Equal(dst[:at], before) {
		t.Fatalf("%d texts, room for %d bytes more: %q to %d, ends %v; want %q, %v", k, more, dst[at:], end, kept, want, ends)
	}
	if len(dst) >= end64(at, len(want)) && slices.ContainsFunc(dst[end64(at, len(want)):], func(b byte) bool { return b != 0 }) {
		t.Fatal("more than 64 bytes behind the texts were written to")
	}
	first := int(offsets[0])
	if end := bitpack.PickTexts(src, first, src, starts, stops, 7+at-first); end != first+len(want) || !bytes.Equal(src[first:end], want) || !slices.Equal(stops, ends) {
		t.Fatalf("%d texts in place: %q to %d, ends %v; want %q, %v", k, src[first:], end, stops, want, ends)
	}
}

func end64(at, n int) int { return at + n + 64 }

// Marked texts are those that one copy after another would move, whatever the lengths of texts.
func TestPickTexts(t *testing.T) {
	kernels(func(string) {
		r := rand.New(rand.NewSource(2))
		for range 1500 {
			n := r.Intn(200)
			offsets, src := words(r, n, []int{0, 3, 30, 64, 70, 300}[r.Intn(6)], 0)
			marks := bitpack.AppendMarks(nil, bitmap(r, n, percents[r.Intn(len(percents))]), 0, n)
			checkTexts(t, fixtures.AtEdge(t, src, 0), offsets, marks, r.Intn(80), []int{0, 1, 64, 200}[r.Intn(4)])
		}
	})
}

func FuzzPick(f *testing.F) {
	f.Add(uint8(0), []byte{0xff, 0, 0x55, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff})
	f.Add(uint8(3), bytes.Repeat([]byte{0xff, 0xef}, 20))
	f.Fuzz(func(t *testing.T, off uint8, bits []byte) {
		n := min(len(bits)*8-int(off), 1<<12)
		if n < 0 {
			return
		}
		marks := bitpack.AppendMarks(nil, bits, int(off), n)
		kernels(func(string) {
			checkMarked(t, distinct[uint8](n), marks)
			checkMarked(t, distinct[uint16](n), marks)
			checkMarked(t, distinct[uint32](n), marks)
			checkMarked(t, distinct[uint64](n), marks)
			wide := make([][2]uint64, n)
			offsets := make([]int32, 1, n+1)
			for i := range wide {
				wide[i] = [2]uint64{uint64(i), ^uint64(i)}
				offsets = append(offsets, offsets[i]+int32(bits[i/8]>>1))
			}
			checkMarked(t, wide, marks)
			src := make([]byte, offsets[n])
			for i := range src {
				src[i] = byte(i * i >> 3)
			}
			checkTexts(t, src, offsets, marks, int(off), int(off))
		})
	})
}

func distinct[T uint8 | uint16 | uint32 | uint64](n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(uint64(i) * 0x9e3779b1)
	}
	return v
}

func BenchmarkPick(b *testing.B) {
	const n = 1 << 13
	r := rand.New(rand.NewSource(1))
	for _, percent := range []int{1, 10, 50, 98} {
		marks := bitpack.AppendMarks(nil, bitmap(r, n, percent), 0, n)
		offsets, src := words(r, n, 40, 64)
		dst := make([]byte, len(src))
		starts, stops := make([]int32, n), make([]int32, n)
		k := bitpack.Pick(starts, offsets[:n], marks)
		v8, v16, v32, v64, v128 := make([]uint8, n), make([]uint16, n), make([]uint32, n), make([]uint64, n), make([][2]uint64, n)
		bits := make([]byte, n/8)
		for _, x := range []struct {
			name string
			f    func()
		}{
			{"8", func() { bitpack.Pick(v8, v8, marks) }},
			{"16", func() { bitpack.Pick(v16, v16, marks) }},
			{"32", func() { bitpack.Pick(v32, v32, marks) }},
			{"64", func() { bitpack.Pick(v64, v64, marks) }},
			{"128", func() { bitpack.Pick(v128, v128, marks) }},
			{"bits", func() { bitpack.PickBits(bits, 0, bits, 0, n, marks) }},
			{"texts", func() {
				bitpack.Pick(stops, offsets[1:], marks)
				bitpack.PickTexts(dst, 0, src, starts[:k], stops[:k], 0)
			}},
		} {
			b.Run(fmt.Sprintf("marked=%d/%s", percent, x.name), func(b *testing.B) {
				for b.Loop() {
					x.f()
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/slot")
			})
		}
	}
}
