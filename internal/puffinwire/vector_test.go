package puffinwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// frame makes a deletion vector of a bitmap.
func frame(bitmap []byte) []byte {
	body := append([]byte(vectorMagic), bitmap...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// bitmapOf returns the bytes of a bitmap, as the roaring library has it.
func bitmapOf(t testing.TB, positions []int64, optimise bool) []byte {
	t.Helper()
	b := roaring64.New()
	for _, p := range positions {
		b.Add(uint64(p))
	}
	if optimise {
		b.RunOptimize()
	}
	out, err := b.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sets are positions whose bitmaps have containers of every kind.
func sets() map[string][]int64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := map[string][]int64{"none": nil, "one": {0}, "far": {5, 1 << 33, 1<<62 + 7}}
	fill := func(name string, n int, top int64) {
		m := map[int64]bool{}
		for len(m) < n {
			m[r.Int64N(top)] = true
		}
		for p := range m {
			out[name] = append(out[name], p)
		}
		slices.Sort(out[name])
	}
	fill("few", 100, 1<<20)
	fill("array", 4096, 1<<16)
	fill("bits", 30000, 1<<16)
	fill("many containers", 9000, 1<<22)
	fill("high", 50, 1<<36)
	for p := range int64(100000) {
		if p%5000 < 4900 {
			out["runs"] = append(out["runs"], p)
		}
		if p < 1<<16 {
			out["full"] = append(out["full"], p)
		}
	}
	return out
}

// TestVector reads what the roaring library writes.
func TestVector(t *testing.T) {
	for name, want := range sets() {
		for _, optimise := range []bool{false, true} {
			got, err := Vector(frame(bitmapOf(t, want, optimise)), int64(len(want)))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %t: %d positions, not %d: %v", name, optimise, len(got), len(want), err)
			}
		}
	}
}

// TestVectorOfIceberg reads vectors that Iceberg's Java library wrote, of the positions that it was given.
func TestVectorOfIceberg(t *testing.T) {
	want := map[string][]int64{"small": {0, 3, 4, 5, 9, 70000}}
	for p := range int64(200000) {
		if p%100 < 60 {
			want["runs"] = append(want["runs"], p)
		}
		if p*p%7 == 2 {
			want["bits"] = append(want["bits"], p)
		}
	}
	for _, name := range []string{"small", "runs", "bits"} {
		b, err := os.ReadFile("testdata/" + name + ".dv")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Vector(b, int64(len(want[name])))
		if err != nil || !slices.Equal(got, want[name]) {
			t.Errorf("%s: %d positions, not %d: %v", name, len(got), len(want[name]), err)
		}
	}
}

// TestVectorDamaged cuts and changes vectors whose checksum is right. What is still read is in ascending order, and as much as was asked for.
func TestVectorDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, want := range sets() {
		whole := bitmapOf(t, want, true)
		for range 300 {
			b := slices.Clone(whole)
			if b[r.IntN(len(b))] ^= 1 << r.IntN(8); r.IntN(4) == 0 {
				b = b[:r.IntN(len(b))]
			}
			check(t, name, frame(b), int64(len(want)))
		}
		blob := frame(whole)
		for i := range min(len(blob), 100) {
			b := slices.Clone(blob)
			b[i] ^= 1
			if _, err := Vector(b, int64(len(want))); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: byte %d changed: %v", name, i, err)
			}
			if _, err := Vector(blob[:i], int64(len(want))); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: cut at %d: %v", name, i, err)
			}
		}
		for _, rows := range []int64{int64(len(want)) - 1, int64(len(want)) + 1} {
			if _, err := Vector(blob, rows); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: %d rows: %v", name, rows, err)
			}
		}
	}
}

func check(t *testing.T, name string, blob []byte, rows int64) {
	t.Helper()
	got, err := Vector(blob, rows)
	if err != nil {
		if !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	for i, p := range got {
		if p < 0 || i > 0 && p <= got[i-1] {
			t.Errorf("%s: %d at %d", name, p, i)
		}
	}
	if int64(len(got)) != rows {
		t.Errorf("%s: %d positions, not %d", name, len(got), rows)
	}
}

// TestVectorHostile refuses vectors that only a stranger makes.
func TestVectorHostile(t *testing.T) {
	le := binary.LittleEndian
	head := func(bitmaps uint64, rest ...byte) []byte { return append(le.AppendUint64(nil, bitmaps), rest...) }
	u32 := func(v ...uint32) (out []byte) {
		for _, x := range v {
			out = le.AppendUint32(out, x)
		}
		return out
	}
	u16 := func(v ...uint16) (out []byte) {
		for _, x := range v {
			out = le.AppendUint16(out, x)
		}
		return out
	}
	runs := func(pairs ...uint16) []byte { // one container of two values
		return slices.Concat(u32(0, cookieRuns), []byte{1}, u16(0, 1, uint16(len(pairs)/2)), u16(pairs...))
	}
	one := slices.Concat(u32(cookieNoRuns, 1), u16(0, 0), u32(16), u16(7))
	for name, b := range map[string][]byte{
		"2^64 bitmaps":                 head(1<<64 - 1),
		"more bitmaps than bytes":      head(2, slices.Concat(u32(0), one)...),
		"the same bitmap twice":        head(2, slices.Concat(u32(3), one, u32(3), one)...),
		"a negative position":          head(1, slices.Concat(u32(1<<31), one)...),
		"too many containers":          head(1, u32(0, cookieNoRuns, 1<<16+1)...),
		"another cookie":               head(1, u32(0, 1, 1)...),
		"bytes behind":                 head(1, slices.Concat(u32(0), one, []byte{0})...),
		"a run beyond its container":   head(1, runs(65535, 1)...),
		"runs that overlap":            head(1, runs(4, 0, 4, 0)...),
		"runs that descend":            head(1, runs(4, 0, 3, 0)...),
		"a run of more than is said":   head(1, runs(4, 9)...),
		"no runs":                      head(1, runs()...),
		"values that descend":          head(1, slices.Concat(u32(0, cookieNoRuns, 1), u16(0, 1), u32(16), u16(7, 7))...),
		"containers that descend":      head(1, slices.Concat(u32(0, cookieNoRuns, 2), u16(5, 0, 5, 0), u32(24, 26), u16(7, 7))...),
		"more positions than expected": head(1, slices.Concat(u32(0, cookieNoRuns, 2), u16(0, 65535, 1, 65535), u32(0, 0), make([]byte, 2*bitmapBytes))...),
		"fewer bits than values":       head(1, slices.Concat(u32(0, cookieNoRuns, 1), u16(0, 5000), u32(0), make([]byte, bitmapBytes))...),
	} {
		for _, rows := range []int64{1, 2, 5001} {
			if got, err := Vector(frame(b), rows); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: %v %v", name, got, err)
			}
		}
	}
	if got, err := Vector(frame(head(1, runs(4, 1)...)), 2); err != nil || !slices.Equal(got, []int64{4, 5}) {
		t.Errorf("a run: %v %v", got, err)
	}
}

func FuzzVector(f *testing.F) {
	for _, s := range sets() {
		if b := bitmapOf(f, s, true); len(b) < 4<<10 {
			f.Add(b, int64(len(s)))
		}
	}
	f.Fuzz(func(t *testing.T, bitmap []byte, rows int64) {
		check(t, "fuzz", frame(bitmap), rows%(1<<20))
	})
}
