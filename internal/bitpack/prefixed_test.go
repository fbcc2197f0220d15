package bitpack_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// slowPrefixed decodes n strings one by one.
func slowPrefixed(n int, start int32, room int, src []byte) (offsets []int32, data []byte, p int, err error) {
	offsets = []int32{start}
	for range n {
		x, k, err := slowVarint(src[p:], 5)
		if err != nil {
			return offsets, data, p, err
		}
		l := int(int32(unzigzag(uint64(uint32(x)))))
		switch {
		case l < 0:
			return offsets, data, p, bitpack.ErrNegative
		case l > len(src)-p-k:
			return offsets, data, p, bitpack.ErrShort
		case int(start)+len(data)+l > room:
			return offsets, data, p, bitpack.ErrRoom
		}
		p += k
		data = append(data, src[p:p+l]...)
		p += l
		offsets = append(offsets, start+int32(len(data)))
	}
	return offsets, data, p, nil
}

func checkPrefixed(t *testing.T, n int, start int32, room int, src []byte) {
	t.Helper()
	offsets, data, p, err := slowPrefixed(n, start, room, src)
	got := make([]int32, n+1)
	got[0] = start
	buf := fixtures.AtEdge(t, bytes.Repeat([]byte{'#'}, room), 0)
	k, size, gotErr := bitpack.DecodePrefixed(got, buf, src)
	if k != len(offsets)-1 || size != p || gotErr != err {
		t.Fatalf("%d strings into %d bytes from %d: %d in %d bytes, %v; want %d in %d, %v", n, room, start, k, size, gotErr, len(offsets)-1, p, err)
	}
	if !slices.Equal(got[:k+1], offsets) || !bytes.Equal(buf[start:int(start)+len(data)], data) {
		t.Fatalf("%d strings: offsets or bytes differ", n)
	}
	if !bytes.Equal(buf[:start], bytes.Repeat([]byte{'#'}, int(start))) {
		t.Fatal("wrote before the first string")
	}
}

func prefixed(r *rand.Rand, n, most int) (src []byte, total int) {
	for range n {
		l := r.Intn(most + 1)
		src = binary.AppendVarint(src, int64(l))
		src = append(src, noise(r, l)...)
		total += l
	}
	return src, total
}

func TestDecodePrefixed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, most := range []int{0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200, 9000} {
		for _, n := range []int{0, 1, 2, 30, 300, 700} {
			if most > 1000 && n > 30 {
				continue
			}
			src, total := prefixed(r, n, most)
			exact := fixtures.AtEdge(t, src, 0)
			for _, start := range []int32{0, 5} {
				checkPrefixed(t, n, start, total+int(start), exact)
				checkPrefixed(t, n, start, total+int(start)+bitpack.DstSlack, exact)
				checkPrefixed(t, n, start, len(src)+200, append(src, noise(r, 200)...))
				checkPrefixed(t, n, start, total/2+int(start), exact) // ErrRoom
				checkPrefixed(t, n+1, start, total+int(start)+100, exact)
				for range 3 {
					cut := r.Intn(len(src) + 1)
					checkPrefixed(t, n, start, total+int(start)+200, src[:cut])
				}
			}
		}
	}
	if n, p, err := bitpack.DecodePrefixed(nil, nil, nil); n != 0 || p != 0 || err != nil {
		t.Error(n, p, err)
	}
}

func TestBadPrefixed(t *testing.T) {
	pad := bytes.Repeat([]byte{0}, 300)
	for name, k := range map[string]struct {
		src  []byte
		want error
	}{
		"negative":      {[]byte{1}, bitpack.ErrNegative},
		"least":         {[]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, bitpack.ErrNegative},
		"too long":      {[]byte{0xfe, 0xff, 0xff, 0xff, 0x0f}, bitpack.ErrShort},
		"six bytes":     {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0}, bitpack.ErrVarint},
		"beyond source": {[]byte{0xda, 0x04}, bitpack.ErrShort}, // 301
	} {
		src := append(bytes.Clone(k.src), pad...)
		for before := range 3 {
			s := append(bytes.Repeat([]byte{2, 'x'}, before), src...)
			offsets := make([]int32, 10)
			n, p, err := bitpack.DecodePrefixed(offsets, make([]byte, 1000), s)
			if n != before || p != 2*before || err != k.want {
				t.Errorf("%s after %d: %d strings, %d bytes, %v", name, before, n, p, err)
			}
		}
	}
}

func TestPutPrefixed(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, most := range []int{0, 5, 16, 17, 63, 64, 100, 9000} {
		for _, n := range []int{0, 1, 50} {
			want, total := prefixed(r, n, most)
			offsets := make([]int32, n+1)
			offsets[0] = 3
			data := make([]byte, total+3)
			if k, _, err := bitpack.DecodePrefixed(offsets, data, want); k != n || err != nil {
				t.Fatal(k, err)
			}
			exact := fixtures.AtEdge(t, data, 0)
			for range 20 {
				limit := r.Intn(len(want) + 50)
				dst := make([]byte, limit+bitpack.VarintRoom)
				k, size := bitpack.PutPrefixed(dst, offsets, exact)
				if !bytes.Equal(dst[:size], want[:size]) {
					t.Fatal("bytes differ")
				}
				back := make([]int32, n+1)
				back[0] = 3
				m, p, err := bitpack.DecodePrefixed(back[:k+1], make([]byte, total+3), want)
				if m != k || p != size || err != nil {
					t.Fatalf("%d strings in %d bytes, which hold %d, %v", k, size, m, err)
				}
				if limit > len(want) && k != n || size > len(dst) {
					t.Fatalf("%d of %d strings in %d of %d bytes", k, n, size, len(dst))
				}
			}
		}
	}
}

func FuzzPrefixed(f *testing.F) {
	f.Add(uint16(3), uint16(9), []byte{6, 'a', 'b', 'c', 0, 2, 'x'})
	f.Add(uint16(40), uint16(500), bytes.Repeat([]byte{30, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 40))
	f.Add(uint16(40), uint16(500), append(bytes.Repeat([]byte{2, 7}, 100), 0xff, 0xff, 0xff, 0xff, 0x0f))
	f.Fuzz(func(t *testing.T, n, room uint16, src []byte) {
		checkPrefixed(t, int(n), int32(min(room, 3)), int(room), src)
	})
}

func TestOffsets(t *testing.T) {
	for _, k := range []struct {
		in, want []int32
		last     int32
		err      error
	}{
		{nil, nil, 0, nil},
		{[]int32{7}, []int32{7}, 7, nil},
		{[]int32{0, 3, 0, 4}, []int32{0, 3, 3, 7}, 7, nil},
		{[]int32{10, 3, 0, 4}, []int32{10, 13, 13, 17}, 17, nil},
		{[]int32{0, math.MaxInt32}, []int32{0, math.MaxInt32}, math.MaxInt32, nil},
		{[]int32{1, math.MaxInt32}, nil, 0, bitpack.ErrOverflow},
		{[]int32{0, math.MaxInt32, math.MaxInt32, 5}, nil, 0, bitpack.ErrOverflow},
		{[]int32{0, 5, -1, 3}, nil, 0, bitpack.ErrNegative},
		{[]int32{0, math.MinInt32, math.MaxInt32, 3}, nil, 0, bitpack.ErrNegative},
		{[]int32{-1, 5}, nil, 0, bitpack.ErrNegative},
	} {
		got := slices.Clone(k.in)
		last, err := bitpack.Offsets(got)
		if last != k.last || err != k.err || err == nil && !slices.Equal(got, k.want) {
			t.Errorf("%v: %v, %d, %v", k.in, got, last, err)
		}
	}
}

func BenchmarkPrefixed(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	for _, most := range []int{7, 15, 31, 59, 199} {
		src, total := prefixed(r, n, most)
		data, out := make([]byte, len(src)+bitpack.DstSlack), make([]byte, len(src)+bitpack.VarintRoom)
		offsets := make([]int32, n+1)
		run := func(name string, size int, f func()) {
			b.Run(fmt.Sprintf("0-%d bytes/%s", most, name), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("memmove", len(src), func() { copy(data, src) })
		run("decode", len(src), func() { bitpack.DecodePrefixed(offsets, data, src) })
		run("put", len(src), func() { bitpack.PutPrefixed(out, offsets, data[:total]) })
	}
	lens := make([]int32, n+1)
	b.Run("Offsets", func(b *testing.B) {
		b.SetBytes(n * 4)
		for b.Loop() {
			clear(lens)
			bitpack.Offsets(lens)
		}
	})
}
