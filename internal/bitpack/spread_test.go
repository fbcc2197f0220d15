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

var percents = []int{0, 1, 3, 10, 50, 90, 97, 100}

func spread[T comparable](t *testing.T, r *rand.Rand, value func() T) {
	t.Helper()
	for _, n := range someLengths {
		for _, percent := range percents {
			for _, off := range []int{0, 1, 5, 8, 13} {
				valid := fixtures.AtEdge(t, bitmap(r, off+n, percent), 0)
				got, want := make([]T, n), make([]T, n)
				var k int
				for i := range want {
					got[i] = value() // what lay there before
					if bit(valid, off+i) {
						want[i] = value()
						k++
					}
				}
				s := n - k
				for i := range want {
					if bit(valid, off+i) {
						got[s] = want[i]
						s++
					}
				}
				if c := bitpack.Spread(got, valid, off); c != k || !slices.Equal(got, want) {
					t.Fatalf("%d slots, %d %% set from bit %d: %d values\n got %v\nwant %v", n, percent, off, c, got, want)
				}
			}
		}
	}
}

func TestSpread(t *testing.T) {
	kernels(func(string) { testSpread(t) })
}

func testSpread(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	spread(t, r, func() int8 { return int8(r.Int63() | 1) })
	spread(t, r, func() uint16 { return uint16(r.Int63() | 1) })
	spread(t, r, func() float32 { return r.Float32() + 1 })
	spread(t, r, func() int32 { return int32(r.Int63() | 1) })
	spread(t, r, func() int64 { return r.Int63() | 1 })
	spread(t, r, func() [2]uint64 { return [2]uint64{r.Uint64() | 1, r.Uint64()} })
}

// Runs of every length at every place of a word: the way of spreading changes from word to word.
func TestSpreadRuns(t *testing.T) {
	const n = 200
	for start := 0; start < n; start += 3 {
		for length := 0; start+length <= n; length += 5 {
			for _, v := range []bool{true, false} {
				valid := make([]byte, n/8)
				bitpack.FillBits(valid, 0, n, !v)
				bitpack.FillBits(valid, start, length, v)
				k := bitpack.CountBits(valid, 0, n)
				got := make([]int32, n)
				for i := range k {
					got[n-k+i] = int32(i + 1)
				}
				bitpack.Spread(got, valid, 0)
				next := int32(1)
				for i, x := range got {
					want := int32(0)
					if bit(valid, i) {
						want = next
						next++
					}
					if x != want {
						t.Fatalf("run of %v, %d from %d: slot %d is %d, want %d", v, length, start, i, x, want)
					}
				}
			}
		}
	}
}

func TestSpreadOffsets(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range percents {
			for _, off := range []int{0, 1, 5, 8, 13} {
				valid := fixtures.AtEdge(t, bitmap(r, off+n, percent), 0)
				k := bitpack.CountBits(valid, off, n)
				got := make([]int32, n+1, n+1+r.Intn(20))
				for i := range got {
					got[i] = -7
				}
				dense := got[n-k:]
				dense[0] = 100
				for i := range k {
					dense[i+1] = dense[i] + int32(r.Intn(9))
				}
				want := []int32{100}
				s := 0
				values := slices.Clone(dense)
				for i := range n {
					if bit(valid, off+i) {
						s++
					}
					want = append(want, values[s])
				}
				if c := bitpack.SpreadOffsets(got, valid, off); c != k || !slices.Equal(got, want) {
					t.Fatalf("%d slots, %d %% set from bit %d: %d values\n got %v\nwant %v", n, percent, off, c, got, want)
				}
			}
		}
	}
	if bitpack.SpreadOffsets(nil, nil, 0) != 0 {
		t.Error("no offsets")
	}
}

// What lies behind the slots is read where there is room, and no more of it than there is; and it stays as it is.
func TestSpreadRoom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range percents {
			valid := fixtures.AtEdge(t, bitmap(r, n, percent), 0)
			for room := range 12 {
				kernels(func(name string) {
					what := fmt.Sprintf("%s: %d slots, %d %% set, room for %d more", name, n, percent, room)
					spreadRoom[int8](t, what, valid, n, room)
					spreadRoom[int32](t, what, valid, n, room)
					spreadRoom[int64](t, what, valid, n, room)
					offsetsRoom(t, what, valid, n, room)
				})
			}
		}
	}
}

// atEdge returns n values at the end of the memory that may be read, but for room, with the bytes of the room.
func atEdge[T int8 | int32 | int64](t *testing.T, n, room int) ([]T, []byte) {
	w := int(unsafe.Sizeof(T(0)))
	b := fixtures.AtEdge(t, make([]byte, n*w), room*w)
	if n+room == 0 {
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n+room)[:n], b[n*w : (n+room)*w]
}

func spreadRoom[T int8 | int32 | int64](t *testing.T, what string, valid []byte, n, room int) {
	t.Helper()
	got, behind := atEdge[T](t, n, room)
	k := bitpack.CountBits(valid, 0, n)
	for i := range k {
		got[n-k+i] = T(i&0x3f + 1)
	}
	before := bytes.Clone(behind)
	bitpack.Spread(got, valid, 0)
	next := 0
	for i, x := range got {
		want := T(0)
		if bit(valid, i) {
			want = T(next&0x3f + 1)
			next++
		}
		if x != want {
			t.Fatalf("%s: slot %d is %d, want %d", what, i, x, want)
		}
	}
	if !bytes.Equal(before, behind) {
		t.Fatalf("%s: what is behind has changed", what)
	}
}

func offsetsRoom(t *testing.T, what string, valid []byte, n, room int) {
	t.Helper()
	got, behind := atEdge[int32](t, n+1, room)
	k := bitpack.CountBits(valid, 0, n)
	for i := range k + 1 {
		got[n-k+i] = int32(10 + 3*i)
	}
	before := bytes.Clone(behind)
	bitpack.SpreadOffsets(got, valid, 0)
	want := int32(10)
	for i, x := range got {
		if i > 0 && bit(valid, i-1) {
			want += 3
		}
		if x != want {
			t.Fatalf("%s: offset %d is %d, want %d", what, i, x, want)
		}
	}
	if !bytes.Equal(before, behind) {
		t.Fatalf("%s: what is behind has changed", what)
	}
}

func TestSpreadBits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range someLengths {
		for _, percent := range percents {
			for _, off := range []int{0, 1, 5, 8, 13} {
				valid := fixtures.AtEdge(t, bitmap(r, off+n, percent), 0)
				k := bitpack.CountBits(valid, off, n)
				srcOff, dstOff := r.Intn(16), r.Intn(16)
				src := fixtures.AtEdge(t, noise(r, (srcOff+k+7)/8), 0)
				dst := fixtures.AtEdge(t, noise(r, (dstOff+n+7)/8), 0)
				want := bytes.Clone(dst)
				s := srcOff
				for i := range n {
					v := false
					if bit(valid, off+i) {
						v = bit(src, s)
						s++
					}
					setBit(want, dstOff+i, v)
				}
				if c := bitpack.SpreadBits(dst, dstOff, src, srcOff, valid, off, n); c != k || !bytes.Equal(dst, want) {
					t.Fatalf("%d slots, %d %% set: %d values, want %d\n got %x\nwant %x", n, percent, c, k, dst, want)
				}
			}
		}
	}
}

// spreadCounted spreads 1, 2, 3 …
func spreadCounted[T uint16 | uint32 | int64](t *testing.T, valid []byte, off, n int) {
	got := make([]T, n)
	k := bitpack.CountBits(valid, off, n)
	for i := range k {
		got[n-k+i] = T(i + 1)
	}
	bitpack.Spread(got, valid, off)
	next := T(1)
	for i, x := range got {
		want := T(0)
		if bit(valid, off+i) {
			want = next
			next++
		}
		if x != want {
			t.Fatalf("slot %d is %d, want %d", i, x, want)
		}
	}
}

// offsetsCounted spreads the ends of values of 1, 2, 3 … bytes.
func offsetsCounted(t *testing.T, valid []byte, off, n int) {
	got := make([]int32, n+1, n+1+off)
	k := bitpack.CountBits(valid, off, n)
	for i := range k {
		got[n-k+i+1] = got[n-k+i] + int32(i+1)
	}
	bitpack.SpreadOffsets(got, valid, off)
	next, end := int32(1), int32(0)
	for i, x := range got[1:] {
		if bit(valid, off+i) {
			end += next
			next++
		}
		if x != end {
			t.Fatalf("the end of slot %d is %d, want %d", i, x, end)
		}
	}
}

func FuzzSpread(f *testing.F) {
	f.Add(uint8(0), []byte{0xff, 0, 0x55, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff})
	f.Add(uint8(3), bytes.Repeat([]byte{0xff, 0xef}, 20))
	f.Fuzz(func(t *testing.T, off uint8, valid []byte) {
		n := len(valid)*8 - int(off)
		if n < 0 {
			return
		}
		kernels(func(string) {
			spreadCounted[uint16](t, valid, int(off), n)
			spreadCounted[uint32](t, valid, int(off), n)
			spreadCounted[int64](t, valid, int(off), n)
			offsetsCounted(t, valid, int(off), n)
		})
	})
}

func BenchmarkSpread(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	values := make([]int64, n)
	for _, null := range []int{0, 1, 3, 10, 50, 90, 99} {
		valid := bitmap(r, n, 100-null)
		k := bitpack.CountBits(valid, 0, n)
		v64, v32, vb := make([]int64, n), make([]int32, n), make([]byte, n/8)
		offsets := make([]int32, n+1)
		run := func(name string, size int64, f func()) {
			b.Run(fmt.Sprintf("null=%d/%s", null, name), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mslots/s")
			})
		}
		run("memmove", n*8, func() { copy(v64, values) })
		run("int64", n*8, func() {
			copy(v64[n-k:], values)
			bitpack.Spread(v64, valid, 0)
		})
		run("int32", n*4, func() { bitpack.Spread(v32, valid, 0) })
		run("offsets", n*4, func() { bitpack.SpreadOffsets(offsets, valid, 0) })
		run("bits", n/8, func() { bitpack.SpreadBits(vb, 0, valid, 0, valid, 0, n) })
	}
}
