package inflate_test

import (
	"bytes"
	stdflate "compress/flate"
	"fmt"
	"io"
	"math"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/inflate"
	kpflate "github.com/klauspost/compress/flate"
)

// samples are outputs of many kinds and sizes.
func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	m := map[string][]byte{
		"empty":   nil,
		"byte":    {'x'},
		"zeros":   make([]byte, 70_000),
		"noise":   make([]byte, 70_000),
		"periods": nil,
		"far":     nil,
	}
	r.Read(m["noise"])
	// Matches of every distance up to 40, of many lengths.
	var p []byte
	for dist := 1; dist <= 40; dist++ {
		for _, length := range []int{3, 4, 8, 15, 16, 17, 33, 257, 258, 259, 600} {
			seed := make([]byte, dist)
			r.Read(seed)
			for i := range length + dist {
				p = append(p, seed[i%dist])
			}
		}
	}
	m["periods"] = p
	// The same kilobyte again, as far back as a window reaches.
	far := bytes.Repeat([]byte{0}, 32768-1024)
	m["far"] = append(append(bytes.Clone(m["noise"][:1024]), far...), m["noise"][:1024]...)
	for _, s := range shapes {
		m[s.name] = s.make(r, 36_000)
		m[s.name+", short"] = s.make(r, 100)
	}
	return m
}

// packings are the ways to make a stream of a sample.
var packings = func() map[string]func(tb testing.TB, b []byte) []byte {
	m := map[string]func(tb testing.TB, b []byte) []byte{
		"flushes": func(tb testing.TB, b []byte) []byte { // many blocks, empty stored ones between them
			var o bytes.Buffer
			w, err := stdflate.NewWriter(&o, 6)
			for len(b) > 0 && err == nil {
				n := min(len(b), 7777)
				_, err = w.Write(b[:n])
				b = b[n:]
				if err == nil {
					err = w.Flush()
				}
			}
			if err != nil || w.Close() != nil {
				tb.Fatal(err)
			}
			return o.Bytes()
		},
		"klauspost": func(tb testing.TB, b []byte) []byte { // another encoder: other codes, other cuts
			var o bytes.Buffer
			w, err := kpflate.NewWriter(&o, 9)
			if err != nil {
				tb.Fatal(err)
			}
			if _, err := w.Write(b); err != nil || w.Close() != nil {
				tb.Fatal(err)
			}
			return o.Bytes()
		},
	}
	for level := -2; level <= 9; level++ {
		m[fmt.Sprintf("level %d", level)] = func(tb testing.TB, b []byte) []byte { return deflate(tb, b, level) }
	}
	return m
}()

func TestDecode(t *testing.T) { inflate.Kernels(func(kernel string) { testDecode(t, kernel) }) }

func testDecode(t *testing.T, kernel string) {
	var d inflate.Decoder
	for name, raw := range samples() {
		room := bytes.Repeat([]byte{0xee}, len(raw)+inflate.Slack+1)
		exact := fixtures.AtEdge(t, make([]byte, len(raw)), 0)
		for how, pack := range packings {
			packed := pack(t, raw)
			edge := fixtures.AtEdge(t, packed, 0)
			check := func(what string, dst, src []byte, limit int) {
				t.Helper()
				n, used, err := d.Decode(dst, src, limit)
				if err != nil || n != len(raw) || used != len(packed) || !bytes.Equal(dst[:n], raw) {
					t.Fatalf("%s: %s, %s, %s: %d of %d bytes from %d of %d, %v", kernel, name, how, what, n, len(raw), used, len(packed), err)
				}
			}
			check("slack", room[:len(raw)+inflate.Slack], edge, len(raw))
			if room[len(raw)+inflate.Slack] != 0xee {
				t.Fatalf("%s: %s, %s: wrote behind dst", kernel, name, how)
			}
			check("no slack", exact, edge, len(raw))
			check("higher limit", room, edge, math.MaxInt)
			check("bytes behind", room, append(bytes.Clone(packed), "and so on, for more than a load or two"...), len(raw))
			if len(raw) == 0 {
				continue
			}
			for _, limit := range []int{0, len(raw) / 2, len(raw) - 1} {
				if limit >= len(raw) {
					continue
				}
				for _, dst := range [][]byte{room, exact, exact[:limit]} {
					n, _, err := d.Decode(dst, edge, limit)
					if err != inflate.ErrTooLarge || n != limit || !bytes.Equal(dst[:n], raw[:n]) {
						t.Fatalf("%s: %s, %s, limit %d of %d: %d bytes, %v", kernel, name, how, limit, len(raw), n, err)
					}
				}
			}
			if n, _, err := d.Decode(exact, edge, -1); n != 0 || err != inflate.ErrTooLarge {
				t.Fatalf("limit -1: %d bytes, %v", n, err)
			}
		}
	}
}

// Every cut of a good stream ends early, whatever stands behind the cut in memory, and gives the bytes up to there.
func TestTruncated(t *testing.T) { inflate.Kernels(func(kernel string) { testTruncated(t, kernel) }) }

func testTruncated(t *testing.T, kernel string) {
	var d inflate.Decoder
	for name, raw := range samples() {
		raw = raw[:min(len(raw), 900)]
		dst := make([]byte, len(raw)+inflate.Slack)
		for how, pack := range packings {
			packed := pack(t, raw)
			last := 0
			for cut := range packed {
				if cut > 100 && cut < len(packed)-100 && cut%17 != 0 {
					continue
				}
				n, used, err := d.Decode(dst, packed[:cut], len(raw))
				if err != inflate.ErrTruncated || used > cut || n < last || !bytes.Equal(dst[:n], raw[:n]) {
					t.Fatalf("%s: %s, %s, %d of %d bytes: %d bytes from %d, %v", kernel, name, how, cut, len(packed), n, used, err)
				}
				last = n
			}
		}
	}
}

// bitWriter writes streams that no encoder makes.
type bitWriter struct {
	b []byte
	n uint
}

// bits appends the lowest n bits of v, lowest first.
func (w *bitWriter) bits(v uint64, n uint) *bitWriter {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[len(w.b)-1] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
	return w
}

// code appends a prefix code, its first bit first.
func (w *bitWriter) code(s string) *bitWriter {
	for _, c := range s {
		w.bits(uint64(c-'0'), 1)
	}
	return w
}

// dynamic begins a last, dynamic block with these code lengths, coded without repeats: the code length code has 4 bits
// for each of 0..15.
func dynamic(lit, dist []int) *bitWriter {
	w := new(bitWriter).bits(1, 1).bits(2, 2).bits(uint64(len(lit)-257), 5).bits(uint64(len(dist)-1), 5).bits(15, 4)
	for _, s := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15} {
		w.bits(map[bool]uint64{true: 4}[s < 16], 3)
	}
	for _, l := range append(append([]int{}, lit...), dist...) {
		w.code(fmt.Sprintf("%04b", l))
	}
	return w
}

// lens makes a list of n code lengths of pairs symbol, length.
func lens(n int, pairs ...int) []int {
	l := make([]int, n)
	for i := 0; i < len(pairs); i += 2 {
		l[pairs[i]] = pairs[i+1]
	}
	return l
}

func TestCodes(t *testing.T) {
	// 1-bit 'a', 2-bit end of block, 2-bit length 3 (symbol 257).
	abc := lens(258, 'a', 1, 256, 2, 257, 2)
	fixed := func() *bitWriter { return new(bitWriter).bits(1, 1).bits(1, 2) }
	head := func(nlit, ndist, ncl uint64) *bitWriter {
		return new(bitWriter).bits(1, 1).bits(2, 2).bits(nlit-257, 5).bits(ndist-1, 5).bits(ncl-4, 4)
	}
	// A code length code of: 1 bit for 18; 2 bits for 1 and 16.
	repeats := func() *bitWriter {
		w := head(257, 1, 18)
		for _, s := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1} {
			w.bits(map[int]uint64{18: 1, 1: 2, 16: 2}[s], 3)
		}
		return w
	}
	for _, k := range []struct {
		name string
		w    *bitWriter
		want string
		err  error
	}{
		{"nothing", new(bitWriter), "", inflate.ErrTruncated},
		{"kind 3", new(bitWriter).bits(7, 3), "", inflate.ErrCorrupt},
		{"fixed, empty", fixed().code("0000000"), "", nil},
		{"fixed, a", fixed().code("10010001").code("0000000"), "a", nil},
		{"fixed, 9 bits", fixed().code("111111111").code("0000000"), "\xff", nil},
		{"fixed, match", fixed().code("10010001").code("0000001").code("00000").code("0000000"), "aaaa", nil},
		{"fixed, symbol 286", fixed().code("11000110").bits(0, 40), "", inflate.ErrCorrupt},
		{"fixed, symbol 287", fixed().code("11000111").bits(0, 40), "", inflate.ErrCorrupt},
		{"fixed, distance 30", fixed().code("10010001").code("0000001").code("11110").bits(0, 40), "a", inflate.ErrCorrupt},
		{"fixed, distance 31", fixed().code("10010001").code("0000001").code("11111").bits(0, 40), "a", inflate.ErrCorrupt},
		{"fixed, too far", fixed().code("10010001").code("0000001").code("00001").bits(0, 40), "a", inflate.ErrCorrupt},
		{"match at the start", fixed().code("0000001").code("00000").bits(0, 40), "", inflate.ErrCorrupt},

		{"one distance code", dynamic(abc, lens(1, 0, 1)).code("0").code("11").code("0").code("10"), "aaaa", nil},
		{"one distance code, of two bits", dynamic(abc, lens(1, 0, 2)).code("10"), "", inflate.ErrCorrupt},
		{"missing distance code", dynamic(abc, lens(1, 0, 1)).code("0").code("11").code("1").bits(0, 40), "a", inflate.ErrCorrupt},
		{"no distance codes, unused", dynamic(abc, lens(1)).code("00").code("10"), "aa", nil},
		{"no distance codes, used", dynamic(abc, lens(1)).code("0").code("11").bits(0, 40), "a", inflate.ErrCorrupt},
		{"two of four distance codes", dynamic(abc, lens(2, 0, 2, 1, 2)).code("10"), "", inflate.ErrCorrupt},
		{"three 1-bit distance codes", dynamic(abc, lens(3, 0, 1, 1, 1, 2, 1)).code("10"), "", inflate.ErrCorrupt},
		{"only the end", dynamic(lens(257, 256, 1), lens(1)).code("0"), "", nil},
		{"only the end, other bit", dynamic(lens(257, 256, 1), lens(1)).code("1").bits(0, 40), "", inflate.ErrCorrupt},
		{"only the end, of two bits", dynamic(lens(257, 256, 2), lens(1)).code("00"), "", inflate.ErrCorrupt},
		{"no end", dynamic(lens(257, 'a', 1, 'b', 1), lens(1)).code("0101").bits(0, 40), "", inflate.ErrCorrupt},
		{"incomplete", dynamic(lens(257, 'a', 2, 'b', 2, 256, 2), lens(1)).code("10"), "", inflate.ErrCorrupt},
		{"over-full", dynamic(lens(257, 'a', 1, 'b', 1, 256, 1), lens(1)).code("10"), "", inflate.ErrCorrupt},
		{"all symbols, up to 15 bits", dynamic(
			lens(257, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 256, 15), lens(1),
		).code("0").code("111111111111110").code("11111111111110").code("10").code("1111111111110").code("111111111111111"), "\x01\x0f\x0e\x02\x0d", nil},

		{"287 symbols", head(287, 1, 4).bits(0, 100), "", inflate.ErrCorrupt},
		{"31 distances", head(257, 31, 4).bits(0, 100), "", inflate.ErrCorrupt},
		{"no code length codes", head(257, 1, 4).bits(0, 12).bits(0, 100), "", inflate.ErrCorrupt},
		{"incomplete code length code", head(257, 1, 4).bits(2, 3).bits(2, 3).bits(2, 3).bits(0, 100), "", inflate.ErrCorrupt},
		{"missing code length code", head(257, 1, 4).bits(0, 6).bits(1, 3).bits(0, 3).bits(1, 1).bits(0, 100), "", inflate.ErrCorrupt},
		{"repeat at the start", repeats().code("11").bits(0, 60), "", inflate.ErrCorrupt},
		{"repeats to the last", repeats().code("0").bits(127, 7).code("0").bits(107, 7).code("10").code("10").code("0"), "", nil},
		{"repeats too many zeros", repeats().code("0").bits(127, 7).code("0").bits(110, 7).bits(0, 60), "", inflate.ErrCorrupt},
		{"repeats over the border", repeats().code("0").bits(127, 7).code("0").bits(106, 7).code("10").code("11").bits(0, 2).bits(0, 60), "", inflate.ErrCorrupt},

		{"stored", new(bitWriter).bits(1, 8).bits(2, 16).bits(0xfffd, 16).bits('a', 8).bits('b', 8), "ab", nil},
		{"stored, empty", new(bitWriter).bits(1, 8).bits(0, 16).bits(0xffff, 16), "", nil},
		{"stored, padding is ignored", new(bitWriter).bits(0xf9, 8).bits(1, 16).bits(0xfffe, 16).bits('a', 8), "a", nil},
		{"stored, wrong complement", new(bitWriter).bits(1, 8).bits(2, 16).bits(0xfffc, 16).bits('a', 8).bits('b', 8), "", inflate.ErrCorrupt},
		{"stored, cut", new(bitWriter).bits(1, 8).bits(2, 16).bits(0xfffd, 16).bits('a', 8), "a", inflate.ErrTruncated},
		{"stored, no size", new(bitWriter).bits(1, 8).bits(2, 16).bits(0xfd, 8), "", inflate.ErrTruncated},
	} {
		for _, behind := range []int{0, 40} {
			src := append(bytes.Clone(k.w.b), make([]byte, behind)...)
			if behind > 0 && k.err == inflate.ErrTruncated {
				continue
			}
			var d inflate.Decoder
			dst := make([]byte, 1000+inflate.Slack)
			n, used, err := d.Decode(dst, src, 1000)
			if err != k.err || string(dst[:n]) != k.want || err == nil && used != len(k.w.b) {
				t.Errorf("%s, %d bytes behind: %q from %d of %d bytes, %v; want %q, %v", k.name, behind, dst[:n], used, len(k.w.b), err, k.want, k.err)
			}
			agree(t, &d, src, 1000)
		}
	}
}

// agree decodes src, slowly and fast, and compares with the standard library: the same bytes, or refused by both. It
// also compares the end of the stream.
func agree(t *testing.T, d *inflate.Decoder, src []byte, limit int) {
	t.Helper()
	r := bytes.NewReader(src)
	want, wantErr := io.ReadAll(io.LimitReader(stdflate.NewReader(r), int64(limit)+1))
	room := make([]byte, limit+inflate.Slack)
	type result struct {
		n    int
		data string
		err  error
	}
	var first *result
	inflate.Kernels(func(kernel string) {
		for _, dst := range [][]byte{room, room[:limit]} {
			n, used, err := d.Decode(dst, src, limit)
			res := &result{n, string(dst[:n]), err}
			if first == nil {
				first = res
			} else if *first != *res {
				t.Fatalf("%s: %x: %d bytes, %v; %d, %v before", kernel, src, n, err, first.n, first.err)
			}
			// When they fail, compress/flate loses what it has not given out yet, and this decoder refuses codes with
			// no end of block before it uses them.
			same := min(n, len(want))
			if !bytes.Equal(dst[:same], want[:same]) || n < len(want) && n < limit && err != inflate.ErrCorrupt {
				t.Fatalf("%s: %x: %d bytes differ from %d of compress/flate", kernel, src, n, len(want))
			}
			if len(want) > limit {
				if err == nil {
					t.Fatalf("%s: %x: no error, but more than %d bytes", kernel, src, limit)
				}
				continue
			}
			if (err == nil) != (wantErr == nil) && err != inflate.ErrTooLarge || err == nil && n != len(want) {
				t.Fatalf("%s: %x: %d bytes, %v; %d, %v from compress/flate", kernel, src, n, err, len(want), wantErr)
			}
			if err == nil && used != len(src)-r.Len() {
				t.Fatalf("%s: %x: took %d bytes, compress/flate %d", kernel, src, used, len(src)-r.Len())
			}
		}
	})
}

// However much room there is behind the output, nothing outside of it is touched.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	runs := bytes.Repeat([]byte{7}, 3000) // matches of 258
	for i := 0; i < len(runs); i += 300 + r.Intn(200) {
		runs[i] = byte(r.Intn(256))
	}
	for name, raw := range map[string][]byte{"runs": runs, "periods": samples()["periods"][:6000], "text": samples()["text"][:3000]} {
		packed := fixtures.AtEdge(t, deflate(t, raw, 9), 0)
		room := fixtures.AtEdge(t, make([]byte, len(raw)+inflate.Slack+100), 0)
		inflate.Kernels(func(kernel string) {
			var d inflate.Decoder
			for behind := range inflate.Slack + 100 {
				dst := room[len(room)-len(raw)-behind:]
				if n, _, err := d.Decode(dst, packed, len(raw)); err != nil || !bytes.Equal(dst[:n], raw) {
					t.Fatalf("%s: %s, %d bytes behind: %d of %d bytes, %v", kernel, name, behind, n, len(raw), err)
				}
				limit := len(raw) - 1 - r.Intn(600)
				dst = room[len(room)-limit-behind:]
				if n, _, err := d.Decode(dst, packed, limit); err != inflate.ErrTooLarge || !bytes.Equal(dst[:n], raw[:limit]) {
					t.Fatalf("%s: %s, limit %d, %d bytes behind: %d bytes, %v", kernel, name, limit, behind, n, err)
				}
			}
		})
	}
}

// Output of more than the assembly writes at a time.
func TestLong(t *testing.T) {
	raw := shapes[3].make(rand.New(rand.NewSource(6)), 1<<20)
	packed := deflate(t, raw, 6)
	dst := make([]byte, len(raw)+inflate.Slack)
	inflate.Kernels(func(kernel string) {
		var d inflate.Decoder
		if n, used, err := d.Decode(dst, packed, len(raw)); err != nil || used != len(packed) || !bytes.Equal(dst[:n], raw) {
			t.Errorf("%s: %d of %d bytes, %v", kernel, n, len(raw), err)
		}
	})
}

// Damage: bits of good streams turned over.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var d inflate.Decoder
	all := samples()
	for _, name := range []string{"ints", "decimals", "dates", "text", "doubles", "short strings", "periods", "byte", "text, short"} {
		for _, pack := range packings {
			raw := all[name]
			if len(raw) > 5000 {
				o := r.Intn(len(raw) - 4000)
				raw = raw[o : o+500+r.Intn(3000)]
			}
			packed := pack(t, raw)
			for range 10 {
				c := bytes.Clone(packed)
				for range 1 + r.Intn(3) {
					c[r.Intn(min(len(c), 400))] ^= 1 << r.Intn(8)
				}
				agree(t, &d, c, 1<<17)
			}
		}
	}
}

// randomCode deals out code lengths of a complete code to some of n symbols: leaves of a tree that is split at random,
// now and then always at the deepest. Symbol must, if there is one, gets a code.
func randomCode(r *rand.Rand, n, must int) []int {
	leaves := []int{1, 1}
	deep := r.Intn(3) == 0
	for want := 2 + r.Intn(n-1); len(leaves) < want; {
		i := r.Intn(len(leaves))
		if deep && r.Intn(4) > 0 {
			i = len(leaves) - 1
		}
		if leaves[i] == 15 {
			i = 0
		}
		if leaves[i] == 15 {
			break
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
	}
	l := make([]int, n)
	for i, s := range r.Perm(n)[:len(leaves)] {
		l[s] = leaves[i]
	}
	if must >= 0 && l[must] == 0 {
		for s := range l {
			if l[s] > 0 {
				l[must], l[s] = l[s], 0
				break
			}
		}
	}
	return l
}

// Codes as no encoder makes them, long ones above all, and random input in them.
func TestRandomCodes(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	var d inflate.Decoder
	ends := 0
	for i := range 1500 {
		lit, dist := randomCode(r, 257+r.Intn(30), 256), randomCode(r, 2+r.Intn(29), -1)
		switch i % 16 { // not complete, or too full
		case 0:
			lit[r.Intn(len(lit))] = 0
		case 1:
			dist[r.Intn(len(dist))] = 0
		case 2:
			lit[r.Intn(len(lit))] = 1 + r.Intn(15)
		}
		w := dynamic(lit, dist)
		for range 60 {
			w.bits(r.Uint64(), uint(40+r.Intn(25)))
		}
		agree(t, &d, w.b, 1<<15)
		if _, _, err := d.Decode(make([]byte, 1<<15), w.b, 1<<15); err == nil {
			ends++
		}
	}
	if ends < 20 {
		t.Errorf("only %d streams came to an end", ends)
	}
}

func TestNoAllocations(t *testing.T) {
	raw := shapes[0].make(rand.New(rand.NewSource(1)), 10000)
	packed := deflate(t, raw, 6)
	dst := make([]byte, len(raw)+inflate.Slack)
	var d inflate.Decoder
	if n := testing.AllocsPerRun(10, func() {
		if _, _, err := d.Decode(dst, packed, len(raw)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Decode(dst, packed[:100], len(raw)); err == nil {
			t.Fatal("no error")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDecode compares with compress/flate.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for _, s := range shapes {
		raw := s.make(r, 700)
		for _, level := range []int{-2, 0, 1, 9} {
			f.Add(deflate(f, raw, level))
		}
	}
	f.Add(dynamic(lens(257, 256, 1), lens(1)).code("0").b)
	f.Add(dynamic(lens(258, 'a', 1, 256, 2, 257, 2), lens(1, 0, 1)).code("0").code("11").code("0").code("10").b)
	f.Fuzz(func(t *testing.T, src []byte) {
		var d inflate.Decoder
		agree(t, &d, src, 1<<16)
	})
}

// FuzzRoundTrip packs, decodes, and cuts.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("abcabcabcabcabcabcabc"), int8(6), uint16(5))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, 300), int8(-2), uint16(100))
	f.Fuzz(func(t *testing.T, raw []byte, level int8, cut uint16) {
		packed := deflate(t, raw, int(uint8(level)%12)-2)
		var d inflate.Decoder
		dst := make([]byte, len(raw)+inflate.Slack)
		inflate.Kernels(func(kernel string) {
			n, used, err := d.Decode(dst, packed, len(raw))
			if err != nil || used != len(packed) || !bytes.Equal(dst[:n], raw) {
				t.Fatalf("%s: %d bytes from %d of %d, %v", kernel, n, used, len(packed), err)
			}
			n, _, err = d.Decode(dst[:len(raw)], packed[:int(cut)%len(packed)], len(raw))
			if err != inflate.ErrTruncated || !bytes.Equal(dst[:n], raw[:n]) {
				t.Fatalf("%s: %d bytes from a cut stream, %v", kernel, n, err)
			}
		})
	})
}
