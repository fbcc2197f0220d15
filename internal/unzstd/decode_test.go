package unzstd_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/unzstd"
)

// samples are outputs of many kinds.
func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	m := map[string][]byte{
		"empty": nil,
		"byte":  {'x'},
		"zeros": make([]byte, 300_000),
		"noise": make([]byte, 140_000),
	}
	r.Read(m["noise"])
	// Matches of every offset up to 40, of many lengths.
	var p []byte
	for dist := 1; dist <= 40; dist++ {
		for _, length := range []int{3, 4, 8, 15, 16, 17, 31, 32, 33, 34, 35, 70, 600} {
			seed := make([]byte, dist)
			r.Read(seed)
			for i := range length + dist {
				p = append(p, seed[i%dist])
			}
		}
	}
	m["periods"] = p
	m["far"] = append(append(bytes.Clone(m["noise"][:1024]), make([]byte, 250_000)...), m["noise"][:1024]...)
	for _, s := range shapes {
		m[s.name] = s.make(r, 150_000)
		m[s.name+", 4 KiB"] = s.make(r, 4000)
		m[s.name+", short"] = s.make(r, 100)
	}
	// Bytes of few values have short codes, and rare ones long codes.
	few := make([]byte, 60_000)
	for i := range few {
		few[i] = byte(bitsOf(r.Uint64()))
	}
	m["few"] = few
	return m
}

// bitsOf returns how many zeros v begins with.
func bitsOf(v uint64) (n int) {
	for ; v>>63 == 0 && n < 64; n++ {
		v <<= 1
	}
	return n
}

// shapes are blocks as columnar files have them.
var shapes = []struct {
	name string
	make func(r *rand.Rand, size int) []byte
}{
	{"ints", func(r *rand.Rand, size int) (b []byte) {
		key := int64(1_000_000)
		for len(b) < size {
			key += int64(r.Intn(40))
			b = binary.AppendVarint(b, key)
			b = binary.AppendVarint(b, int64(r.Intn(50)))
		}
		return b
	}},
	{"doubles", func(r *rand.Rand, size int) (b []byte) {
		for len(b) < size {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(r.Intn(100000))/100))
		}
		return b
	}},
	{"random doubles", func(r *rand.Rand, size int) (b []byte) {
		for len(b) < size {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.NormFloat64()))
		}
		return b
	}},
	{"text", func(r *rand.Rand, size int) (b []byte) {
		words := make([]string, 400)
		for i := range words {
			w := make([]byte, 2+r.Intn(9))
			for j := range w {
				w[j] = "etaoinshrdlcumwfgypbvk"[min(r.Intn(22), r.Intn(22))]
			}
			words[i] = string(w)
		}
		for len(b) < size {
			b = append(b, words[min(r.Intn(400), r.Intn(400))]...)
			b = append(b, ' ')
		}
		return b
	}},
	{"records", func(r *rand.Rand, size int) (b []byte) { // offsets that repeat
		for i := 0; len(b) < size; i++ {
			b = append(b, fmt.Sprintf("id=%08d,kind=%c,flag=%d;", i, 'a'+r.Intn(3), r.Intn(2))...)
		}
		return b
	}},
}

// encoders are klauspost's, of several settings.
func encoders(tb testing.TB) map[string]*zstd.Encoder {
	tb.Helper()
	m := make(map[string]*zstd.Encoder)
	for name, o := range map[string][]zstd.EOption{
		"fastest":   {zstd.WithEncoderLevel(zstd.SpeedFastest)},
		"default":   {zstd.WithEncoderCRC(false)},
		"best":      {zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithSingleSegment(true)},
		"window":    {zstd.WithWindowSize(1 << 10)},
		"no codes":  {zstd.WithNoEntropyCompression(true)},
		"all codes": {zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderLevel(zstd.SpeedBetterCompression)},
	} {
		e, err := zstd.NewWriter(nil, append(o, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))...)
		if err != nil {
			tb.Fatal(err)
		}
		m[name] = e
	}
	return m
}

func TestDecode(t *testing.T) {
	var d unzstd.Decoder
	for how, e := range encoders(t) {
		for name, raw := range samples() {
			packed := e.EncodeAll(raw, nil)
			edge := fixtures.AtEdge(t, packed, 0)
			exact := fixtures.AtEdge(t, make([]byte, len(raw)), 0)
			slack := fixtures.AtEdge(t, make([]byte, len(raw)+unzstd.Slack), 0)
			unzstd.Kernels(func(kernel string) {
				for _, dst := range [][]byte{exact, slack} {
					n, err := d.Decode(dst, edge, len(raw))
					if err != nil || !bytes.Equal(dst[:n], raw) {
						t.Fatalf("%s: %s, %s: %d of %d bytes, %v", kernel, name, how, n, len(raw), err)
					}
				}
				for _, limit := range []int{-1, 0, len(raw) / 2, len(raw) - 1} {
					if limit >= len(raw) || len(raw) == 0 {
						continue
					}
					if _, err := d.Decode(slack, edge, limit); err != unzstd.ErrTooLarge {
						t.Fatalf("%s: %s, %s, limit %d of %d: %v", kernel, name, how, limit, len(raw), err)
					}
				}
			})
		}
	}
}

// Frames of other encoders, in testdata/README.md, are decoded as klauspost's decoder has them.
func TestOthers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.zst")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	j := newJudge(t, 1<<21)
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.agree(t, fixtures.AtEdge(t, src, 0)) {
			t.Errorf("%s is not decoded", f)
		}
	}
}

// judge compares decoders.
type judge struct {
	peer   *zstd.Decoder
	own    unzstd.Decoder
	limit  int
	room   []byte
	theirs []byte
}

func newJudge(tb testing.TB, limit int) *judge {
	tb.Helper()
	k, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(k.Close)
	return &judge{peer: k, limit: limit, room: fixtures.AtEdge(tb, make([]byte, limit+unzstd.Slack), 0), theirs: make([]byte, limit)}
}

// agree decodes src by all kernels and by klauspost's decoder: the same bytes, or refused by all. It returns whether src is sound.
func (j *judge) agree(t *testing.T, src []byte) bool {
	t.Helper()
	want, wantErr := j.peer.DecodeAll(src, j.theirs[:0])
	var first error
	ran := false
	unzstd.Kernels(func(kernel string) {
		for _, dst := range [][]byte{j.room, j.room[:j.limit]} {
			n, err := j.own.Decode(dst, src, j.limit)
			switch {
			case err == nil && (wantErr != nil || !bytes.Equal(dst[:n], want)):
				t.Fatalf("%s: %x: %d bytes; klauspost has %d, %v", kernel, src, n, len(want), wantErr)
			case err != nil && wantErr == nil && !strict(err):
				t.Fatalf("%s: %x: %v; klauspost has %d bytes", kernel, src, err, len(want))
			case ran && err != first:
				t.Fatalf("%s: %x: %v; %v before", kernel, src, err, first)
			}
			first, ran = err, true
		}
	})
	return first == nil
}

// strict says whether err is of what klauspost's decoder accepts.
func strict(err error) bool {
	return slices.ContainsFunc(unzstd.Strict, func(e error) bool { return errors.Is(err, e) })
}

func TestTruncated(t *testing.T) {
	var d unzstd.Decoder
	for how, e := range encoders(t) {
		for name, raw := range samples() {
			packed := e.EncodeAll(raw[:min(len(raw), 3000)], nil)
			dst := make([]byte, 3000+unzstd.Slack)
			for cut := 1; cut < len(packed); cut++ {
				if cut > 100 && cut < len(packed)-100 && cut%17 != 0 {
					continue
				}
				unzstd.Kernels(func(kernel string) {
					if _, err := d.Decode(dst, packed[:cut], 3000); err != unzstd.ErrTruncated {
						t.Fatalf("%s: %s, %s, %d of %d bytes: %v", kernel, name, how, cut, len(packed), err)
					}
				})
			}
		}
	}
}

// Damage: bits of good frames turned over.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	j := newJudge(t, 1<<14)
	all := samples()
	for _, e := range encoders(t) {
		for name, raw := range all {
			if len(raw) == 0 || name == "noise" {
				continue
			}
			if len(raw) > 5000 {
				o := r.Intn(len(raw) - 4000)
				raw = raw[o : o+500+r.Intn(3000)]
			}
			packed := e.EncodeAll(raw, nil)
			for range 8 {
				c := bytes.Clone(packed)
				c[4] &^= 4 // no checksum
				for range 1 + r.Intn(3) {
					c[5+r.Intn(min(len(c)-5, 400))] ^= 1 << r.Intn(8)
				}
				j.agree(t, fixtures.AtEdge(t, c, 0))
			}
		}
	}
}

func TestChecksum(t *testing.T) {
	raw := []byte("some text, some text")
	packed := encoders(t)["fastest"].EncodeAll(raw, nil)
	if binary.LittleEndian.Uint32(packed[len(packed)-4:]) != uint32(xxhash.Sum64(raw)) {
		t.Fatal("there is no checksum")
	}
	packed[len(packed)-1]++
	var d unzstd.Decoder
	if _, err := d.Decode(make([]byte, 100), packed, 100); err != unzstd.ErrChecksum {
		t.Errorf("%v", err)
	}
}

func TestNoAllocations(t *testing.T) {
	raw := samples()["text"]
	packed := encoders(t)["default"].EncodeAll(raw, nil)
	dst := make([]byte, len(raw)+unzstd.Slack)
	var d unzstd.Decoder
	if n := testing.AllocsPerRun(10, func() {
		if _, err := d.Decode(dst, packed, len(raw)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Decode(dst, packed[:100], len(raw)); err == nil {
			t.Fatal("no error")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDecode compares with klauspost's decoder.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for _, e := range encoders(f) {
		for _, s := range shapes {
			b := e.EncodeAll(s.make(r, 700), nil)
			b[4] &^= 4
			f.Add(b)
		}
	}
	files, _ := filepath.Glob("testdata/*.zst")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	j := newJudge(f, 1<<16)
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4 {
			src[4] &^= 4
		}
		j.agree(t, src)
	})
}
