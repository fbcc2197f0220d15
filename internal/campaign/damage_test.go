package campaign

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"
)

func TestOps(t *testing.T) {
	in := []byte("0123456789abcdef")
	for _, c := range []struct {
		op   Op
		want string
	}{
		{Op{Kind: "flip", Off: 1, Byte: 0}, "0023456789abcdef"},
		{Op{Kind: "set", Off: 2, Byte: 'x'}, "01x3456789abcdef"},
		{Op{Kind: "zero", Off: 14, Len: 9}, "0123456789abcd\x00\x00"},
		{Op{Kind: "truncate", Off: 3}, "012"},
		{Op{Kind: "insert", Off: 1, Len: 2, Byte: '-'}, "0--123456789abcdef"},
		{Op{Kind: "remove", Off: 1, Len: 14}, "0f"},
		{Op{Kind: "swap", Off: 0, Len: 2, To: 14}, "ef23456789abcd01"},
		{Op{Kind: "swap", Off: 0, Len: 8, To: 7}, string(in)},
		{Op{Kind: "swap", Off: 0, Len: 9, To: 80}, string(in)},
		{Op{Kind: "set", Off: 99, Byte: 'x'}, string(in)},
	} {
		if got := damage(in, []Op{c.op}); string(got) != c.want {
			t.Errorf("%v: %q, want %q", c.op, got, c.want)
		}
	}
	if string(in) != "0123456789abcdef" {
		t.Error("the input was changed")
	}
}

// TestSums changes bytes under checksums, which must be right again.
func TestSums(t *testing.T) {
	b := bytes.Repeat([]byte{7}, 40)
	c := damage(b, []Op{{Kind: "flip", Off: 3, Sum: "crc32c", From: 0, End: 20}})
	if castagnoli(c[:20]) != le32(c[20:]) {
		t.Errorf("% x", c)
	}
	d := damage(b, []Op{{Kind: "zero", Off: 3, Len: 2, Sum: "crc32", From: 0, End: 20}})
	if s := ieee(d[:20]); byte(s) != d[23] || byte(s>>24) != d[20] {
		t.Errorf("% x", d)
	}
	b[36], b[37], b[38], b[39] = 4, 0, 0, 0
	e := damage(b, []Op{{Kind: "set", Off: 25, Byte: 1, Sum: "footer"}})
	if castagnoli(e[24:]) != le32(e[20:]) {
		t.Errorf("% x", e)
	}
}

// TestRandomOps draws damage for files of all sizes: none of it may fail.
func TestRandomOps(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for size := range int64(300) {
		b := make([]byte, size)
		for range 30 {
			ops := randomOps(rng, size, []region{{0, size / 2, "crc32c"}, {size / 2, size - size/2, "footer"}, {size / 3, size / 3, ""}})
			damage(b, ops)
			for _, op := range ops {
				if strings.TrimSpace(op.String()) == "" {
					t.Error("an operation without words")
				}
			}
		}
	}
	damage(nil, randomOps(rng, 0, nil))
}

func TestSummary(t *testing.T) {
	var s Summary
	s.Add("orc", Same)
	s.Add("orc", Unplaced)
	s.Add("csv", Panic)
	var out strings.Builder
	if err := s.Print(&out); err != nil {
		t.Fatal(err)
	}
	if s.Finds() != 2 || strings.Count(out.String(), "\n") != 4 || !strings.Contains(out.String(), "no place") {
		t.Errorf("%d finds\n%s", s.Finds(), out.String())
	}
}
