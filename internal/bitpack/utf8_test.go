package bitpack_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/bitpack"
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
