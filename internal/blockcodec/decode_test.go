package blockcodec

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/race"
)

// canary lies behind the slack of all memory that decodeGuarded decodes into.
var canary = bytes.Repeat([]byte{0xa5}, 256)

// decodeGuarded decodes into memory that goes on behind size+Slack and checks that nothing is written there. An
// unexpected error ends the test.
func decodeGuarded(t testing.TB, d *Decoder, c Codec, src []byte, size int, exact bool) []byte {
	t.Helper()
	got, err := tryGuarded(t, d, c, src, size, exact)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// tryGuarded is decodeGuarded for blocks that may be bad: the error must be of kind corrupt and the result then nil.
func tryGuarded(t testing.TB, d *Decoder, c Codec, src []byte, size int, exact bool) ([]byte, error) {
	t.Helper()
	buf := make([]byte, size+Slack+len(canary))
	copy(buf[size+Slack:], canary)
	got, err := d.Decode(c, buf[:0], src, size, exact)
	if !bytes.Equal(buf[size+Slack:], canary) {
		t.Fatalf("%s: wrote behind size+Slack", c)
	}
	switch {
	case err != nil && (!errors.Is(err, errs.ErrCorrupt) || got != nil):
		t.Fatalf("%s: %d bytes and %v", c, len(got), err)
	case err == nil && (len(got) > size || exact && len(got) != size):
		t.Fatalf("%s: %d bytes of at most %d", c, len(got), size)
	case err == nil && size > 0 && &got[:1][0] != &buf[0]:
		t.Fatalf("%s: the result is not in dst", c)
	}
	return got, err
}

// vectors lists testdata/<codec>-<writer>.bin, blocks that other writers made of testdata/raw.bin.
func vectors(t testing.TB) (raw []byte, blocks map[string][]byte) {
	t.Helper()
	names, err := filepath.Glob("testdata/*-*.bin")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d vectors, %v", len(names), err)
	}
	blocks = map[string][]byte{}
	for _, name := range append(names, "testdata/raw.bin") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks[filepath.Base(name)] = b
	}
	raw = blocks["raw.bin"]
	delete(blocks, "raw.bin")
	return raw, blocks
}

func codecOf(t testing.TB, vector string) Codec {
	t.Helper()
	name, _, _ := strings.Cut(vector, "-")
	c, _, err := ParseCodec(name, all...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestForeignBlocks(t *testing.T) {
	raw, blocks := vectors(t)
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		if got := decodeGuarded(t, &d, c, block, len(raw), true); !bytes.Equal(got, raw) {
			t.Errorf("%s: not what was encoded", name)
		}
		if got := decodeGuarded(t, &d, c, block, len(raw)+1000, false); !bytes.Equal(got, raw) {
			t.Errorf("%s with room to spare: not what was encoded", name)
		}
		if d.Trailing() != 0 {
			t.Errorf("%s: %d bytes trail", name, d.Trailing())
		}
	}
}

// A block that holds more than size, or other than size if exact, is corrupt.
func TestWrongSizes(t *testing.T) {
	raw, blocks := vectors(t)
	blocks["none-.bin"] = raw
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		for _, size := range []int{0, 1, 63, 64, 4096, len(raw) / 2, len(raw) - 1} {
			for _, exact := range []bool{false, true} {
				if _, err := tryGuarded(t, &d, c, block, size, exact); err == nil {
					t.Errorf("%s as %d bytes: no error", name, size)
				}
			}
		}
		for _, size := range []int{len(raw) + 1, len(raw) + 100_000} {
			if _, err := tryGuarded(t, &d, c, block, size, true); err == nil {
				t.Errorf("%s as %d bytes: no error", name, size)
			}
		}
		// The decoder survives what it has seen.
		if got := decodeGuarded(t, &d, c, block, len(raw), true); !bytes.Equal(got, raw) {
			t.Errorf("%s after errors: not what was encoded", name)
		}
	}
}

// edges are the positions 0 to n-1: all of them near the ends, every 31st between, under the race detector every 200th.
func edges(n int) []int {
	step := 31
	if race.Enabled {
		step = 200
	}
	var at []int
	for i := 0; i < n; i++ {
		at = append(at, i)
		if i >= 40 && i < n-40 {
			i += step - 1
		}
	}
	return at
}

func TestTruncated(t *testing.T) {
	raw, blocks := vectors(t)
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		for _, n := range edges(len(block)) {
			if _, err := tryGuarded(t, &d, c, block[:n:n], len(raw), true); err == nil {
				t.Fatalf("%s cut to %d bytes: no error", name, n)
			}
			// LZ4 has no end mark: a cut behind a sequence's literals is a shorter legal block.
			if _, err := tryGuarded(t, &d, c, block[:n:n], len(raw), false); err == nil && c != LZ4 {
				t.Fatalf("%s cut to %d bytes, any size: no error", name, n)
			}
		}
	}
}

func TestFlippedBits(t *testing.T) {
	raw, blocks := vectors(t)
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		bad := bytes.Clone(block)
		for _, i := range edges(len(bad)) {
			bad[i] ^= 1 << (i % 8)
			got, err := tryGuarded(t, &d, c, bad, len(raw), false)
			// These two always carry a checksum.
			if err == nil && (c == Zlib || c == Bzip2) && !bytes.Equal(got, raw) {
				t.Fatalf("%s with byte %d damaged: no error", name, i)
			}
			bad[i] = block[i]
		}
	}
}

func TestTrailingBytes(t *testing.T) {
	raw, blocks := vectors(t)
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		long := append(bytes.Clone(block), 0, 1, 2, 3, 4)
		got, err := tryGuarded(t, &d, c, long, len(raw), true)
		switch c {
		case Deflate, Zlib, Bzip2:
			if err != nil || !bytes.Equal(got, raw) || d.Trailing() != 5 {
				t.Errorf("%s: %d trailing bytes, %v", name, d.Trailing(), err)
			}
		default:
			if err == nil || d.Trailing() != 0 {
				t.Errorf("%s: %d trailing bytes, no error", name, d.Trailing())
			}
		}
	}
}

func TestEmptyInput(t *testing.T) {
	var d Decoder
	for _, c := range all {
		_, err := tryGuarded(t, &d, c, nil, 0, true)
		if (err == nil) != (c == None) {
			t.Errorf("%s: %v", c, err)
		}
	}
	if _, err := d.Decode(Codec(99), nil, []byte{1}, 1, true); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("an unknown codec: %v", err)
	}
	if _, err := d.Decode(None, nil, nil, -1, true); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("a negative size: %v", err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Streams of the bzip2 program.
const (
	bzip2Empty   = "425a683917724538509000000000"
	bzip2A       = "425a683931415926535919939b6b00000001002000200021184682ee48a70a120332736d60"
	bzip2Zeros64 = "425a68393141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a809731415926535" +
		"9bc04b5c300a275c000c0000008200020a40836328a884d2a2a2138bb9229c2848500bb83e8" // 64 MiB of zeros
	bzip2Blocks = "425a68313141592653599612c689004117418000102807920020007041931026aa834f2989444be4a225da5112c4a225a944" +
		"4b52889625112c4a225a9444bf3141592653599612c689004117418000102807920020007041931026aa834f2989444be4a2" +
		"25da5112c4a225a9444b52889625112c4a225a9444bf314159265359d4e36c93002093418000102807920020007041931026" +
		"aa834f2982225f54225d888979950896d4225b5089654225e88896d4225f8bb9229c28485046fdd300" // 250 000 bytes of "columnar\\n", blocks of 100 000
	bzip2Two = "425a68313141592653597669e0d4000001110040000244a00030cd00c34629971772453850907669e0d4" + // "hello "
		"425a683931415926535959ce7bcb000002018004049080200030cd00c1a4c0717724538509059ce7bcb0" // "world"
)

func TestBzip2(t *testing.T) {
	var d Decoder
	if got := decodeGuarded(t, &d, Bzip2, unhex(t, bzip2Empty), 0, true); len(got) != 0 {
		t.Errorf("empty stream: %q", got)
	}
	if got := decodeGuarded(t, &d, Bzip2, unhex(t, bzip2A), 1, true); string(got) != "a" {
		t.Errorf("one byte: %q", got)
	}
	two := unhex(t, bzip2Two)
	if got := decodeGuarded(t, &d, Bzip2, two, 6, true); string(got) != "hello " || d.Trailing() != 42 {
		t.Errorf("two streams: %q, %d bytes trail", got, d.Trailing())
	}
	for n := range two[:42] {
		if _, err := tryGuarded(t, &d, Bzip2, two[:n:n], 6, false); err == nil {
			t.Errorf("stream cut to %d bytes: no error", n)
		}
	}
	zeros := unhex(t, bzip2Zeros64)
	want := bytes.Repeat([]byte("columnar\n"), 250_000/9+1)[:250_000]
	if got := decodeGuarded(t, &d, Bzip2, unhex(t, bzip2Blocks), len(want), true); !bytes.Equal(got, want) {
		t.Error("several blocks: not what was encoded")
	}
	for _, head := range []string{"", "BZ", "XZh9", "BZh0", "BZh:", "BZx9"} {
		bad := append([]byte(head), zeros[len(head):]...)
		if len(head) < 4 {
			bad = bad[:len(head)]
		}
		if _, err := tryGuarded(t, &d, Bzip2, bad, 64, false); err == nil {
			t.Errorf("header %q: no error", head)
		}
	}
}

func TestZlibHeader(t *testing.T) {
	var d Decoder
	good, err := new(Encoder).Encode(Zlib, DefaultLevel, nil, []byte("some bytes"))
	if err != nil {
		t.Fatal(err)
	}
	for name, head := range map[string]uint16{
		"method 7":          0x779c + 31 - 0x779c%31,
		"window of 64 KiB":  0x889c + 31 - 0x889c%31,
		"check bits":        0x789d,
		"preset dictionary": 0x78bb,
	} {
		bad := bytes.Clone(good)
		binary.BigEndian.PutUint16(bad, head)
		if _, err := tryGuarded(t, &d, Zlib, bad, 10, true); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	bad := bytes.Clone(good)
	bad[len(bad)-1]++
	if _, err := tryGuarded(t, &d, Zlib, bad, 10, true); err == nil {
		t.Error("wrong checksum: no error")
	}
}

func TestZstdFrames(t *testing.T) {
	var e Encoder
	var d Decoder
	one, err := e.Encode(Zstd, DefaultLevel, nil, []byte("hello "))
	if err != nil {
		t.Fatal(err)
	}
	two, err := e.Encode(Zstd, DefaultLevel, one, []byte("world"))
	if err != nil {
		t.Fatal(err)
	}
	if got := decodeGuarded(t, &d, Zstd, two, 11, true); string(got) != "hello world" {
		t.Errorf("two frames: %q", got)
	}
	skip := append(unhex(t, "502a4d18 03000000 aabbcc"), two...)
	if got := decodeGuarded(t, &d, Zstd, skip, 11, true); string(got) != "hello world" {
		t.Errorf("skippable frame first: %q", got)
	}
	if _, err := tryGuarded(t, &d, Zstd, two, 10, false); err == nil {
		t.Error("two frames in too little room: no error")
	}
}

// rleFrame is a zstd frame without a content size, of window 2^17 and n blocks of 128 KiB of zeros.
func rleFrame(n int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3}
	for i := range n {
		h := uint32(1<<17)<<3 | 1<<1
		if i == n-1 {
			h |= 1
		}
		b = append(b, byte(h), byte(h>>8), byte(h>>16), 0)
	}
	return b
}

// What a block says or could hold must not cost memory: the decoder may use what it needs for size, and its tables.
func TestBombs(t *testing.T) {
	huge := make([]byte, 2<<20)
	var e Encoder
	bombs := map[string]struct {
		codec Codec
		block []byte
	}{
		"bzip2 of 64 MiB":             {Bzip2, unhex(t, bzip2Zeros64)},
		"zstd of 128 MiB, undeclared": {Zstd, rleFrame(1024)},
		"zstd declaring 2^62":         {Zstd, append(unhex(t, "28b52ffd e0 0000000000000040"), 1, 0, 0)},
		"zstd with window 3 TiB":      {Zstd, unhex(t, "28b52ffd 00 ff 010000")},
		"zstd with window 512 MiB":    {Zstd, unhex(t, "28b52ffd 00 98 0b000000 0b0000 00 030080 00")},
		"snappy declaring 4 GiB":      {Snappy, unhex(t, "ffffffff0f 00 41")},
		"snappy declaring 2^63":       {Snappy, unhex(t, "ffffffffffffffff7f 00 41")},
		"lz4 literals of 1 GiB":       {LZ4, append([]byte{0xf0}, bytes.Repeat([]byte{0xff}, 4<<20)...)},
		"lzo literals of 1 GiB":       {LZO, make([]byte, 4<<20)},
		"lzo over 8 MiB":              {LZO, make([]byte, 9<<20)},
	}
	for _, c := range writable {
		b, err := e.Encode(c, DefaultLevel, nil, huge)
		if err != nil {
			t.Fatal(err)
		}
		bombs[c.String()+" of 2 MiB"] = struct {
			codec Codec
			block []byte
		}{c, b}
	}
	for name, bomb := range bombs {
		for _, size := range []int{0, 1000, 70_000} {
			var d Decoder
			dst := make([]byte, size+Slack)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.Decode(bomb.codec, dst, bomb.block, size, false)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%s into %d bytes: no error", name, size)
			}
			limit := uint64(3 << 20)
			if bomb.codec == Brotli {
				limit = 17 << 20 // its window, at most 16 MiB whatever the size
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > limit {
				t.Errorf("%s into %d bytes: %d bytes of memory", name, size, used)
			}
			if _, err := tryGuarded(t, &d, bomb.codec, bomb.block, size, true); err == nil {
				t.Errorf("%s into exactly %d bytes: no error", name, size)
			}
		}
	}
}

// A dst that is too small, or none, is replaced; one that is too large is used.
func TestDst(t *testing.T) {
	raw, blocks := vectors(t)
	var d Decoder
	for name, block := range blocks {
		c := codecOf(t, name)
		for _, dst := range [][]byte{nil, make([]byte, len(raw)), make([]byte, 0, len(raw)+Slack), make([]byte, 1<<20)} {
			got, err := d.Decode(c, dst, block, len(raw), true)
			if err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%s, cap(dst) %d: %v", name, cap(dst), err)
			}
		}
	}
}
