package bitpack_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// slowVarint reads one varint as Java does: at most most bytes, bits that do not fit are lost.
func slowVarint(src []byte, most int) (x uint64, n int, err error) {
	for n < most {
		if n == len(src) {
			return 0, 0, bitpack.ErrShort
		}
		b := src[n]
		x |= uint64(b&0x7f) << (7 * n)
		n++
		if b < 0x80 {
			return x, n, nil
		}
	}
	return 0, 0, bitpack.ErrVarint
}

func slowRun(n int, src []byte, most int) (v []uint64, p int, err error) {
	for range n {
		x, k, err := slowVarint(src[p:], most)
		if err != nil {
			return v, p, err
		}
		v = append(v, x)
		p += k
	}
	return v, p, nil
}

// checkVarints holds all decoders to slowRun, for n values of src.
func checkVarints(t *testing.T, n int, src []byte) {
	t.Helper()
	defer bitpack.VarintsWith(true)
	for _, vectors := range []bool{true, false} {
		if bitpack.VarintsWith(vectors); !t.Failed() {
			checkVarintsAsIs(t, n, src)
		}
	}
}

func checkVarintsAsIs(t *testing.T, n int, src []byte) {
	t.Helper()
	v32, p32, err32 := slowRun(n, src, 5)
	v64, p64, err64 := slowRun(n, src, 10)
	d32, d64 := make([]int32, n), make([]int64, n)
	fail := func(name string, p int, err error) {
		t.Helper()
		t.Fatalf("%s of %d in % x: %d bytes, %v; want %d/%d, %v/%v", name, n, src, p, err, p32, p64, err32, err64)
	}
	if p, err := bitpack.SkipVarints[int32](src, n); p != p32 || err != err32 {
		fail("skip 32", p, err)
	}
	if p, err := bitpack.SkipVarints[int64](src, n); p != p64 || err != err64 {
		fail("skip 64", p, err)
	}
	if p, err := bitpack.DecodeZigzag(d32, src); p != p32 || err != err32 {
		fail("zigzag 32", p, err)
	} else if err == nil {
		for i, x := range v32 {
			if d32[i] != int32(unzigzag(uint64(uint32(x)))) {
				t.Fatalf("zigzag 32: value %d of % x is %d, want %d", i, src, d32[i], unzigzag(uint64(uint32(x))))
			}
		}
	}
	if p, err := bitpack.DecodeUvarints(d32, src); p != p32 || err != err32 {
		fail("unsigned 32", p, err)
	} else if err == nil {
		for i, x := range v32 {
			if d32[i] != int32(x) {
				t.Fatalf("unsigned 32: value %d of % x is %d, want %d", i, src, d32[i], int32(x))
			}
		}
	}
	if p, err := bitpack.DecodeZigzag(d64, src); p != p64 || err != err64 {
		fail("zigzag 64", p, err)
	} else if err == nil {
		for i, x := range v64 {
			if d64[i] != unzigzag(x) {
				t.Fatalf("zigzag 64: value %d of % x is %d, want %d", i, src, d64[i], unzigzag(x))
			}
		}
	}
	if p, err := bitpack.DecodeUvarints(d64, src); p != p64 || err != err64 {
		fail("unsigned 64", p, err)
	} else if err == nil {
		for i, x := range v64 {
			if uint64(d64[i]) != x {
				t.Fatalf("unsigned 64: value %d of % x is %d, want %d", i, src, d64[i], x)
			}
		}
	}
}

func TestDecodeVarints(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, most := range []int{1, 2, 3, 5, 10} {
		for _, n := range []int{0, 1, 2, 7, 63, 64, 65, 130, 300} {
			for range 8 {
				var src []byte
				for range n {
					k := 1 + r.Intn(most)
					if most == 2 && r.Intn(10) > 0 {
						k = 1
					}
					for range k - 1 {
						src = append(src, 0x80|byte(r.Intn(128)))
					}
					src = append(src, byte(r.Intn(128)))
				}
				for _, cut := range []int{0, 1, 8} {
					edge := fixtures.AtEdge(t, src[:max(len(src)-cut, 0)], 0)
					checkVarints(t, n, edge)
				}
				noise := make([]byte, bitpack.SrcSlack)
				r.Read(noise)
				checkVarints(t, n, append(src, noise...))
			}
		}
	}
}

// A varint that is too long, or cut off, at every place around the blocks of 64.
func TestBadVarints(t *testing.T) {
	for at := range 200 {
		for _, k := range []int{4, 5, 6, 8, 9, 10, 11, 64, 80, 150} {
			src := bytes.Repeat([]byte{2}, 400)
			for i := range k {
				src[at+i] = 0x80
			}
			for _, n := range []int{at, at + 1, 400 - k, 401 - k} {
				checkVarints(t, n, src)
				checkVarints(t, n, src[:at+k])
			}
		}
	}
}

func TestVarintRules(t *testing.T) {
	// What Java reads: needless padding, and bits that do not fit.
	for _, k := range []struct {
		src  []byte
		want int32
	}{
		{[]byte{0x82, 0x80, 0x00}, 1},
		{[]byte{0x82, 0x80, 0x80, 0x80, 0x00}, 1},
		{[]byte{0x82, 0x80, 0x80, 0x80, 0x70}, 1},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, math.MinInt32},
		{[]byte{0xfe, 0xff, 0xff, 0xff, 0x7f}, math.MaxInt32},
	} {
		for _, slack := range []int{0, bitpack.SrcSlack} {
			var got [1]int32
			n, err := bitpack.DecodeZigzag(got[:], append(bytes.Clone(k.src), make([]byte, slack)...))
			if n != len(k.src) || err != nil || got[0] != k.want {
				t.Errorf("% x: %d, %d bytes, %v", k.src, got[0], n, err)
			}
		}
		if v, n, err := bitpack.Zigzag[int32](k.src); v != k.want || n != len(k.src) || err != nil {
			t.Errorf("% x: %d, %d bytes, %v", k.src, v, n, err)
		}
	}
	if _, _, err := bitpack.Zigzag[int32](bytes.Repeat([]byte{0x80}, 6)); err != bitpack.ErrVarint {
		t.Error(err)
	}
	if _, _, err := bitpack.Zigzag[int64](bytes.Repeat([]byte{0x80}, 6)); err != bitpack.ErrShort {
		t.Error(err)
	}
}

// edges are values around each length of a varint.
func edges[T bitpack.Signed]() (v []T) {
	for s := 0; s < 64; s++ {
		for d := int64(-2); d <= 2; d++ {
			v = append(v, T(int64(1)<<s+d), T(-(int64(1)<<s)+d))
		}
	}
	return v
}

func put[T bitpack.Signed](t *testing.T, src []T) {
	t.Helper()
	var want []byte
	var begins []int
	for _, v := range src {
		begins = append(begins, len(want))
		want = binary.AppendVarint(want, int64(v))
	}
	for _, limit := range []int{len(want), len(want) + 40, len(want) / 2, len(want)/2 + 1, 1, 0, -5} {
		dst := fixtures.AtEdge(t, make([]byte, max(limit+bitpack.VarintRoom, 0)), 0)
		values, size := bitpack.PutZigzag(dst, src)
		k, _ := slices.BinarySearch(begins, limit) // the first that begins at the limit or behind
		end := len(want)
		if k < len(begins) {
			end = begins[k]
		}
		if values != k || size != end || !bytes.Equal(dst[:size], want[:end]) {
			t.Fatalf("limit %d: %d values in %d bytes, want %d in %d", limit, values, size, k, end)
		}
	}
	back := make([]T, len(src))
	if n, err := bitpack.DecodeZigzag(back, want); n != len(want) || err != nil || !slices.Equal(back, src) {
		t.Fatalf("decoded %d of %d bytes, %v", n, len(want), err)
	}
}

func TestPutZigzag(t *testing.T) {
	defer bitpack.VarintsWith(true)
	for _, vectors := range []bool{true, false} {
		bitpack.VarintsWith(vectors)
		putAsIs(t)
	}
}

func putAsIs(t *testing.T) {
	t.Helper()
	put(t, edges[int64]())
	put(t, edges[int32]())
	put(t, []int32{})
	r := rand.New(rand.NewSource(1))
	v := make([]int64, 1000)
	for i := range v {
		v[i] = int64(r.Uint64()) >> r.Intn(64)
	}
	put(t, v)
	for i := range v {
		v[i] = int64(r.Intn(128) - 64)
		if i/100%3 == 2 { // others between runs of one byte each
			v[i] = int64(r.Uint64()) >> r.Intn(64)
		}
	}
	put(t, v)
	put(t, v[:200])
	if b := bitpack.AppendZigzag([]byte{9}, int32(-65)); !bytes.Equal(b, []byte{9, 0x81, 0x01}) {
		t.Errorf("% x", b)
	}
}

// FuzzPutVarints holds the kernels to the portable code, values and decimals of which src has the bytes.
func FuzzPutVarints(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 20)
	f.Add(bytes.Repeat([]byte{0xff, 0, 0, 0, 0, 0, 0, 0}, 20), 1000)
	f.Fuzz(func(t *testing.T, src []byte, room int) {
		v32, v64, v128 := make([]int32, len(src)/4), make([]int64, len(src)/8), make([][2]uint64, len(src)/16)
		for i := range v32 {
			v32[i] = int32(binary.LittleEndian.Uint32(src[4*i:]))
		}
		for i := range v64 {
			v64[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
		for i := range v128 {
			v128[i] = [2]uint64{uint64(v64[2*i]), uint64(v64[2*i+1])}
		}
		room = int(uint(room) % 2000)
		var all [2][]byte
		defer bitpack.VarintsWith(true)
		for i := range all {
			bitpack.VarintsWith(i == 0)
			dst := make([]byte, room+bitpack.VarintRoom)
			n, k := bitpack.PutZigzag(dst, v32)
			all[i] = append(append(all[i], byte(n), byte(n>>8)), dst[:k]...)
			n, k = bitpack.PutZigzag(dst, v64)
			all[i] = append(append(all[i], byte(n), byte(n>>8)), dst[:k]...)
			dst = make([]byte, len(v128)*bitpack.DecimalRoom+bitpack.VarintRoom)
			all[i] = append(all[i], dst[:bitpack.PutDecimals(dst, v128)]...)
		}
		if !bytes.Equal(all[0], all[1]) {
			t.Fatal("the kernels write other bytes than the portable code")
		}
	})
}

func FuzzVarints(f *testing.F) {
	f.Add(uint16(3), []byte{1, 0x82, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add(uint16(90), bytes.Repeat([]byte{0x80, 0x80, 0x80, 0x80, 1, 7}, 30))
	f.Add(uint16(70), bytes.Repeat([]byte{0x80}, 100))
	f.Fuzz(func(t *testing.T, n uint16, src []byte) {
		checkVarints(t, int(n), src)
	})
}

func BenchmarkVarint(b *testing.B) {
	const n = 1 << 15
	r := rand.New(rand.NewSource(1))
	d64, s64 := make([]int64, n), make([]int64, n)
	b.Run("memmove/int64", func(b *testing.B) {
		b.SetBytes(n * 8)
		for b.Loop() {
			copy(d64, s64)
		}
	})
	for _, s := range []struct {
		name string
		f    func() int64
	}{
		{"1 byte", func() int64 { return int64(r.Intn(128)) - 64 }},
		{"1 byte, tenth 2", func() int64 {
			if r.Intn(10) == 0 {
				return 1000
			}
			return int64(r.Intn(60))
		}},
		{"1-2 bytes", func() int64 { return int64(r.Intn(128)) }},
		{"3 bytes", func() int64 { return int64(10000 + r.Intn(1000000)) }},
		{"1-5 bytes", func() int64 { return int64(int32(r.Uint32()) >> (6 * r.Intn(5))) }},
		{"8 bytes", func() int64 { return 1<<54 + r.Int63n(1<<53) }},
		{"10 bytes", func() int64 { return r.Int63() | 1<<62 }},
	} {
		var src []byte
		v32, v64 := make([]int32, n), make([]int64, n)
		for i := range v64 {
			v64[i] = s.f()
			v32[i] = int32(v64[i])
			src = binary.AppendVarint(src, v64[i])
		}
		src = append(src, make([]byte, bitpack.SrcSlack)...)
		d32, d64 := make([]int32, n), make([]int64, n)
		dst := make([]byte, 10*n+bitpack.VarintRoom)
		run := func(name string, size int64, f func()) {
			b.Run(s.name+"/"+name, func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
			})
		}
		run("int64", n*8, func() { bitpack.DecodeZigzag(d64, src) })
		if s.name[0] < '6' && s.name != "10 bytes" {
			run("int32", n*4, func() { bitpack.DecodeZigzag(d32, src) })
		}
		run("skip", n*8, func() { bitpack.SkipVarints[int64](src, n) })
		run("put int64", n*8, func() { bitpack.PutZigzag(dst, v64) })
		run("put binary", n*8, func() {
			p := 0
			for _, v := range v64 {
				p += binary.PutVarint(dst[p:], v)
			}
		})
	}
}
