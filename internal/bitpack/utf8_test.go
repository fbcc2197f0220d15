package bitpack_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

func checkUTF8(t *testing.T, values []string, start int) {
	t.Helper()
	want := -1
	offsets := []int32{int32(start)}
	data := bytes.Repeat([]byte{0xff}, start)
	for i, s := range values {
		if want < 0 && !utf8.ValidString(s) {
			want = i
		}
		data = append(data, s...)
		offsets = append(offsets, int32(len(data)))
	}
	data = append(data, 0xfe, 0x80)
	if got := bitpack.FirstNotUTF8(offsets, data); got != want {
		t.Fatalf("%d, want %d of %q", got, want, values)
	}
	all := strings.Join(values, "")
	kernels(func(name string) {
		if got := bitpack.UTF8([]byte(all)); got != utf8.ValidString(all) {
			t.Fatalf("%s: UTF8 of %q is %v", name, all, got)
		}
	})
	ascii := strings.IndexFunc(all, func(c rune) bool { return c >= 0x80 }) < 0
	if got := bitpack.ASCII([]byte(all)); got != ascii {
		t.Fatalf("ASCII of %q is %v", all, got)
	}
}

func TestFirstNotUTF8(t *testing.T) {
	for _, values := range [][]string{
		nil,
		{""},
		{"", "", ""},
		{"a", "bc"},
		{"grüße", "", "\U0010ffff"},
		{"\xff"},
		{"a", "\x80"},
		{"\xc3", "\xa9"},
		{"x\xc3", "\xa9y"},
		{"", "\xa9"},
		{"é", "", "\xa9"},
		{"é", "\xc3"},
		{"\xc3", ""},
		{"\xed\xa0\x80"},
		{"\xc0\x80"},
		{"\xf4\x90\x80\x80"},
		{"a", "\xf0\x9f\x98", "\x80", "b"},
	} {
		checkUTF8(t, values, 0)
		checkUTF8(t, values, 3)
		for n := range 140 { // at every place of the blocks
			checkUTF8(t, append([]string{strings.Repeat("a", n)}, values...), 0)
			checkUTF8(t, append(append([]string{strings.Repeat("a", n)}, values...), strings.Repeat("é", 70)), 1)
		}
	}
	if bitpack.FirstNotUTF8(nil, nil) != -1 {
		t.Error("no offsets")
	}
}

// utf8Text makes text of so many characters, most of them of the sizes given, and perhaps damages some bytes of it.
func utf8Text(r *rand.Rand, n int, sizes []rune, damage int) []byte {
	var b []byte
	for range n {
		c := r.Int31n(sizes[r.Intn(len(sizes))])
		if c >= 0xd800 && c < 0xe000 {
			c = 'x'
		}
		b = utf8.AppendRune(b, c)
	}
	for range damage {
		if len(b) > 0 {
			b[r.Intn(len(b))] = byte(r.Int())
		}
	}
	return b
}

// The kernels find what utf8.Valid finds, in texts of all lengths and at the end of memory.
func TestUTF8(t *testing.T) {
	kernels(func(string) { testUTF8(t) })
}

func testUTF8(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	check := func(b []byte) {
		t.Helper()
		if got, want := bitpack.UTF8(b), utf8.Valid(b); got != want {
			t.Fatalf("%v, want %v: % x", got, want, b)
		}
	}
	edge := fixtures.AtEdge(t, make([]byte, 200*utf8.UTFMax), 0)
	good, bad := 0, 0
	for n := range 200 {
		for round := range 100 {
			sizes := [][]rune{{0x80}, {0x80, 0x800}, {0x800}, {0x10000}, {0x110000}, {0x80, 0x800, 0x10000, 0x110000}}[r.Intn(6)]
			text := utf8Text(r, n, sizes, round%3)
			b := edge[len(edge)-len(text):]
			copy(b, text)
			check(b)
			if utf8.Valid(b) {
				good++
			} else {
				bad++
			}
		}
	}
	if good < 5000 || bad < 5000 {
		t.Fatalf("%d texts are valid, %d are not", good, bad)
	}
	// Every pair of bytes, with continuations behind it, around the edges of blocks.
	room := bytes.Repeat([]byte("a"), 140)
	for i := range 1 << 16 {
		at := []int{13, 14, 15, 29, 30, 31, 32, 61, 62, 63, 124}[r.Intn(11)]
		b := room[:at+4]
		copy(b[at:], []byte{byte(i), byte(i >> 8), 0x80, 'a'})
		check(b)
		b[at+3] = 0xbf
		check(b)
		check(b[:at+3])
		check(b[:at+2])
		check(room)
		copy(b[at:], "aaaa")
	}
}

func FuzzUTF8(f *testing.F) {
	f.Add([]byte("grüße aus köln, naïve café, grüße aus köln, naïve café, grüße aus köln"), []byte{3, 4, 5})
	f.Add([]byte("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), []byte{4, 4})
	f.Fuzz(func(t *testing.T, b, cuts []byte) {
		var values []string
		for _, c := range cuts {
			n := min(int(c), len(b))
			values = append(values, string(b[:n]))
			b = b[n:]
		}
		checkUTF8(t, append(values, string(b)), 0)
	})
}

func BenchmarkUTF8(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, text := range map[string]string{
		"ascii":   "the special packages sleep furiously ",
		"accents": "grüße aus köln, naïve café ",
		"rare":    strings.Repeat("the special packages sleep furiously ", 20) + "é",
		"greek":   "ελληνικό κείμενο ",
	} {
		data := []byte(strings.Repeat(text, 1+(1<<18)/len(text)))
		offsets := []int32{0}
		for p := 0; p < len(data); {
			p = min(p+1+r.Intn(20), len(data))
			for p < len(data) && !utf8.RuneStart(data[p]) {
				p++
			}
			offsets = append(offsets, int32(p))
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if bitpack.FirstNotUTF8(offsets, data) >= 0 {
					b.Fatal("not valid")
				}
			}
		})
		b.Run(name+"/utf8.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				utf8.Valid(data)
			}
		})
	}
}
