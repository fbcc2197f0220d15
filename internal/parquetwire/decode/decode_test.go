package decode

import (
	"bytes"
	"encoding/hex"
	"math/rand"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of the specification: 0 to 7 in three bits are 88 c6 fa.
func TestHybridExample(t *testing.T) {
	src := unhex(t, "0388c6fa"+"0a05") // a packed group, a run of five
	var h Hybrid
	h.Reset(src, 3)
	got := make([]int32, 13)
	if err := h.Indices(got); err != nil || !reflect.DeepEqual(got, []int32{0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 5, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := h.Indices(got[:1]); err == nil {
		t.Error("more values than there are")
	}
}

// Values read in any portions, or passed over, are those that were encoded.
func TestHybridPortions(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for width := uint(1); width <= 32; width++ {
		var src []uint32
		for len(src) < 3000 {
			v := uint32(r.Uint64() & (1<<width - 1))
			for range 1 + r.Intn(3)*r.Intn(20) {
				src = append(src, v)
			}
		}
		b := encode.AppendHybrid(nil, src, width)
		var h Hybrid
		h.Reset(b, width)
		for at := 0; at < len(src); {
			n := min(1+r.Intn(40), len(src)-at)
			if r.Intn(4) == 0 {
				if err := h.Skip(n); err != nil {
					t.Fatal(err)
				}
			} else {
				got := make([]int32, n)
				if err := h.Indices(got); err != nil {
					t.Fatal(err)
				}
				for i, v := range got {
					if uint32(v) != src[at+i] {
						t.Fatalf("width %d: value %d is %d, want %d", width, at+i, uint32(v), src[at+i])
					}
				}
			}
			at += n
		}
	}
}

// The examples of the specification.
func TestDeltaExamples(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want []int64
	}{
		{"08010502" + "0200", []int64{1, 2, 3, 4, 5}},
		{"0801080e" + "0302c03f", []int64{7, 5, 3, 1, 2, 3, 4, 5}},
	} {
		got, n, err := Deltas(nil, unhex(t, c.hex), 100)
		if err != nil || n != len(c.hex)/2 || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %d bytes, %v", c.hex, got, n, err)
		}
		if _, _, err := Deltas(nil, unhex(t, c.hex), len(c.want)-1); err == nil {
			t.Errorf("%s: more values than allowed", c.hex)
		}
	}
}

// DELTA_BYTE_ARRAY of "axis", "axle", "babble", "babyhood", the example of the specification: prefixes 0, 2, 0, 3.
func TestDeltaStrings(t *testing.T) {
	// Blocks of 8 in one miniblock: prefixes 0, 2, 0, 3 are deltas 2, -2, 3 from -2 on; lengths 4, 2, 6, 5 are -2, 4, -1.
	src := unhex(t, "08010400"+"0303"+"440100"+"08010408"+"0303"+"700000"+hex.EncodeToString([]byte("axislebabbleyhood")))
	var s DeltaStrings
	if err := s.Reset(src, 4, true); err != nil {
		t.Fatal(err)
	}
	size, err := s.Size(4)
	if err != nil {
		t.Fatal(err)
	}
	ends, data := make([]int32, 5), make([]byte, size)
	if err := s.Read(ends[:3], data); err != nil {
		t.Fatal(err)
	}
	if err := s.Read(ends[2:], data); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range 4 {
		got = append(got, string(data[ends[i]:ends[i+1]]))
	}
	if want := []string{"axis", "axle", "babble", "babyhood"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestJoin(t *testing.T) {
	// The example of the specification: aabbccdd, 00112233, a3b4c5d6.
	src := unhex(t, "aa00a3"+"bb11b4"+"cc22c5"+"dd33d6")
	got := make([]byte, 8)
	Join(got, src, 4, 3, 1)
	if want := unhex(t, "00112233"+"a3b4c5d6"); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestPlainStrings(t *testing.T) {
	var src, all []byte
	want := []int32{0}
	for n := range 70 {
		src = append(src, byte(n), 0, 0, 0)
		for i := range n {
			src, all = append(src, byte(i)), append(all, byte(i))
		}
		want = append(want, int32(len(all)))
	}
	ends, data := make([]int32, 71), make([]byte, len(all))
	n, err := PlainStrings(ends, data, src)
	if err != nil || n != len(src) || !reflect.DeepEqual(ends, want) || !bytes.Equal(data, all) {
		t.Errorf("%d, %v", n, err)
	}
	for cut := range len(src) {
		if _, err := PlainStrings(ends, data, src[:cut]); err == nil {
			t.Fatalf("%d bytes of %d hold all values", cut, len(src))
		}
	}
}

func TestBloom(t *testing.T) {
	hashes := []uint64{1, 1 << 40, 0xdeadbeefcafebabe}
	b := encode.AppendBloom(nil, 1024, hashes)
	n, size, err := ParseBloomHeader(b)
	if err != nil || size != 1024 || n+size != len(b) {
		t.Fatal(n, size, err)
	}
	f := NewBloom(b[n:])
	for _, h := range hashes {
		if !f.MayContain(h) {
			t.Errorf("%x is not there", h)
		}
	}
	if f.MayContain(0x123456789abcdef0) {
		t.Error("a value that is not there")
	}
}

// A page header that is cut off asks for more, wherever the cut is.
func TestPageHeaderCut(t *testing.T) {
	b := encode.AppendPageHeader(nil, encode.Page{V2: true, Values: 5, Nulls: 1, Rows: 3, DefBytes: 2, RepBytes: 1}, 100, []byte("body"))
	p, n, err := ParsePage(b)
	if err != nil || n != len(b) || p.Values != 5 || p.Nulls != 1 || p.Rows != 3 || p.DefBytes != 2 || p.RepBytes != 1 || p.Raw != 100 || p.Stored != 4 || !p.HasCRC {
		t.Fatalf("%+v, %d, %v", p, n, err)
	}
	for cut := range len(b) {
		if _, _, err := ParsePage(b[:cut]); err != ErrShort {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
}

// A list of structs of a byte each must not take more memory than the budget.
func TestBudget(t *testing.T) {
	b := append([]byte{0x15, 2, 0x19, 0xfc, 0x80, 0x80, 0x40}, make([]byte, 1<<20)...)
	if _, _, err := ParseFooter(b, 1<<16); err != ErrBudget {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(encode.AppendPageHeader(nil, encode.Page{Values: 5}, 100, []byte("body")))
	f.Add(encode.AppendBloom(nil, 32, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		const budget = 1 << 20
		_, _, _ = ParseFooter(b, budget)
		_, _, _ = ParsePage(b)
		_, _ = ParseOffsetIndex(b, budget)
		_, _ = ParseColumnIndex(b, budget)
		_, _, _ = ParseBloomHeader(b)
	})
}

func FuzzValues(f *testing.F) {
	f.Add([]byte{0x03, 0x88, 0xc6, 0xfa}, uint8(3))
	f.Add([]byte{8, 1, 8, 14, 3, 2, 0xc0, 0x3f}, uint8(9))
	f.Fuzz(func(t *testing.T, b []byte, width uint8) {
		var h Hybrid
		h.Reset(b, uint(width%33))
		ids := make([]int32, 37)
		for range 10 {
			if h.Indices(ids[:1+width%37]) != nil || h.Skip(int(width)) != nil {
				break
			}
		}
		h.Reset(b, 1)
		_, _ = h.Bits(make([]byte, 100), int(width)%9, 700)
		if v, n, err := Deltas(nil, b, 5000); err == nil && (len(v) > 5000 || n > len(b)) {
			t.Fatal(len(v), n)
		}
		var s DeltaStrings
		for _, shared := range []bool{false, true} {
			if s.Reset(b, 500, shared) != nil {
				continue
			}
			if size, err := s.Size(s.Left()); err == nil && size < 1<<20 {
				if err := s.Read(make([]int32, s.Left()+1), make([]byte, size)); err != nil {
					t.Fatal(err)
				}
			}
		}
		ends := make([]int32, 9)
		_, _ = PlainStrings(ends, make([]byte, len(b)), b)
	})
}
