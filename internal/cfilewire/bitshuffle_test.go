package cfilewire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// transpose takes the bits of elements apart, one by one.
func transpose(src []byte, width int) []byte {
	dst := make([]byte, len(src))
	n := len(src) / width
	for e := range n {
		for p := range 8 * width {
			dst[p*(n/8)+e/8] |= src[e*width+p/8] >> (p % 8) & 1 << (e % 8)
		}
	}
	return dst
}

// shuffleBlock makes a block of elements of width bytes.
func shuffleBlock(elements []byte, width int, ordinal uint32) []byte {
	count := len(elements) / width
	elements = append(bytes.Clone(elements), make([]byte, (-count&7)*width)...)
	b := make([]byte, shuffleHeadBytes)
	var c lz4.Compressor
	for chunk := range slices.Chunk(elements, chunkBytes) {
		packed := make([]byte, lz4.CompressBlockBound(len(chunk)))
		n, err := c.CompressBlock(transpose(chunk, width), packed)
		if err != nil {
			panic(err)
		}
		b = binary.BigEndian.AppendUint32(b, uint32(n))
		b = append(b, packed[:n]...)
	}
	for i, v := range []int{int(ordinal), count, len(b), len(elements) / width, width} {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
	}
	return b
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// wide is what values of 4 bytes are that are stored in width.
func wide(narrow []byte, width int) []byte {
	var b []byte
	for e := range slices.Chunk(narrow, width) {
		b = append(append(b, e...), make([]byte, 4-width)...)
	}
	return b
}

func TestBitShuffle(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s BitShuffle // one for all: Open starts anew
	for _, width := range []int{1, 2, 4, 8, 16} {
		per := chunkBytes / width
		for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 257, per - 1, per, per + 1, per + 8, 2*per - 3, 3*per + 77} {
			want := randomBytes(r, n*width)
			b := shuffleBlock(want, width, 77)
			for _, step := range []int{1, 5, 64, per - 1, per, per + 1, n} {
				h, err := s.Open(b, width, false)
				if err != nil || h != (Head{Count: uint32(n), Ordinal: 77}) || s.Left() != n {
					t.Fatalf("%d of %d bytes: %v, %v, %d left", n, width, h, err, s.Left())
				}
				got := make([]byte, n*width)
				for done := 0; done < n; {
					k := min(step, n-done)
					if err := s.Next(got[done*width : (done+k)*width : (done+k)*width]); err != nil {
						t.Fatalf("%d of %d bytes, %d after %d: %v", n, width, k, done, err)
					}
					if done += k; s.Left() != n-done {
						t.Fatalf("%d are left, not %d", s.Left(), n-done)
					}
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%d of %d bytes by %d differ", n, width, step)
				}
				if err := s.Next(make([]byte, width)); !errors.Is(err, errs.ErrCorrupt) {
					t.Fatalf("behind the end: %v", err)
				}
				if err := s.Next(nil); err != nil {
					t.Fatalf("nothing, behind the end: %v", err)
				}
			}
		}
	}
}

func TestBitShuffleNarrow(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s BitShuffle
	for _, width := range []int{1, 2, 4} {
		per := chunkBytes / width
		for _, n := range []int{0, 1, 9, per - 1, per, 2*per + 100} {
			narrow := randomBytes(r, n*width)
			b, want := shuffleBlock(narrow, width, 0), wide(narrow, width)
			for _, step := range []int{1, 500, per - 1, per, n + 1} {
				if _, err := s.Open(b, 4, true); err != nil {
					t.Fatal(err)
				}
				codes := make([]int32, n)
				for c := codes; len(c) > 0; {
					k := min(step, len(c))
					if err := s.NextCodes(c[:k:k]); err != nil {
						t.Fatal(err)
					}
					c = c[k:]
				}
				for i, v := range codes {
					if uint32(v) != binary.LittleEndian.Uint32(want[4*i:]) {
						t.Fatalf("%d codes of %d bytes by %d: %d is %d", n, width, step, i, v)
					}
				}
				if err := s.NextCodes(make([]int32, 1)); !errors.Is(err, errs.ErrCorrupt) {
					t.Fatalf("behind the end: %v", err)
				}
			}
			if _, err := s.Open(b, 4, true); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 4*n)
			if err := s.Next(got); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d values of %d bytes as bytes: %v", n, width, err)
			}
			if _, err := s.Open(b, 4, false); (err == nil) != (width == 4) {
				t.Errorf("narrow elements where they are not legal: %v", err)
			}
		}
	}
}

// Any way of passing over some values leaves the others as they are.
func TestBitShuffleSkip(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, width := range []int{1, 4, 8, 16} {
		n := 3*chunkBytes/width + 13
		want := randomBytes(r, n*width)
		b := shuffleBlock(want, width, 0)
		for range 200 {
			var s BitShuffle
			if _, err := s.Open(b, width, false); err != nil {
				t.Fatal(err)
			}
			for at := 0; at < n; {
				k := min(1+r.Intn(1+r.Intn(n)), n-at)
				if r.Intn(2) == 0 {
					if err := s.Skip(k); err != nil {
						t.Fatal(err)
					}
				} else {
					got := make([]byte, k*width)
					if err := s.Next(got); err != nil || !bytes.Equal(got, want[at*width:(at+k)*width]) {
						t.Fatalf("width %d: %d values from %d differ: %v", width, k, at, err)
					}
				}
				if at += k; s.Left() != n-at {
					t.Fatalf("%d are left, not %d", s.Left(), n-at)
				}
			}
			if err := s.Skip(1); !errors.Is(err, errs.ErrCorrupt) {
				t.Fatalf("behind the end: %v", err)
			}
			if err := errors.Join(s.Skip(0), s.Skip(-1)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Skipped chunks are not even looked at.
func TestBitShuffleSkipsWhole(t *testing.T) {
	want := randomBytes(rand.New(rand.NewSource(1)), 3*chunkBytes)
	b := shuffleBlock(want, 8, 0)
	size := binary.BigEndian.Uint32(b[shuffleHeadBytes:])
	clear(b[shuffleHeadBytes+chunkHeadBytes:][:size])
	var s BitShuffle
	if _, err := s.Open(b, 8, false); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Skip(1000), s.Skip(124)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8*1948)
	if err := s.Next(got); err != nil || !bytes.Equal(got, want[8*1124:]) {
		t.Errorf("values behind a broken chunk: %v", err)
	}
	if _, err := s.Open(b, 8, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Next(got); !errors.Is(err, errShuffleChunk) {
		t.Errorf("a broken chunk: %v", err)
	}
}

func TestBitShuffleZeroValue(t *testing.T) {
	var s BitShuffle
	if s.Left() != 0 || s.Next(nil) != nil || s.NextCodes(nil) != nil || s.Skip(0) != nil {
		t.Error("nothing of nothing fails")
	}
	if s.Next(make([]byte, 8)) == nil || s.NextCodes(make([]int32, 1)) == nil || s.Skip(1) == nil {
		t.Error("something of nothing")
	}
}

// After an error there are no values, even if there were some before.
func TestBitShuffleOpenFails(t *testing.T) {
	var s BitShuffle
	good := shuffleBlock(make([]byte, 64), 8, 0)
	if _, err := s.Open(good, 8, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(good[:30], 8, false); err == nil || s.Left() != 0 || s.Next(make([]byte, 8)) == nil {
		t.Errorf("%v, %d left", err, s.Left())
	}
}

func TestBitShuffleHostile(t *testing.T) {
	word := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[4*at:], v); return b }
	}
	bigWord := func(v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.BigEndian.PutUint32(b[shuffleHeadBytes:], v); return b }
	}
	sized := func(f func([]byte) []byte) func([]byte) []byte { // and the block says its new size
		return func(b []byte) []byte { b = f(b); return word(2, uint32(len(b)))(b) }
	}
	for name, c := range map[string]struct {
		f    func([]byte) []byte
		want error
	}{
		"nothing":             {func([]byte) []byte { return nil }, errBlockHead},
		"half a header":       {func(b []byte) []byte { return b[:19] }, errBlockHead},
		"size 0":              {word(2, 0), errBlockSize},
		"size of the chunks":  {func(b []byte) []byte { return word(2, uint32(len(b)-shuffleHeadBytes))(b) }, errBlockSize},
		"more bytes":          {func(b []byte) []byte { return append(b, 0) }, errBlockSize},
		"more that it counts": {sized(func(b []byte) []byte { return append(b, 0) }), errBlockSize},
		"one more chunk":      {sized(func(b []byte) []byte { return append(b, 0, 0, 0, 1, 0) }), errBlockSize},
		"count":               {word(1, 1017), errShuffleCount},
		"count of 2^32-1":     {word(1, math.MaxUint32), errShuffleCount},
		"padding":             {word(3, 1001), errShuffleCount},
		"padding of 2^32-1":   {word(3, math.MaxUint32), errShuffleCount},
		"width 0":             {word(4, 0), errShuffleWidth},
		"width 2":             {word(4, 2), errShuffleWidth},
		"width 16":            {word(4, 16), errShuffleWidth},
		"width of 2^32-1":     {word(4, math.MaxUint32), errShuffleWidth},
		"chunk length":        {bigWord(math.MaxUint32), errBlockEnd},
		"little-endian":       {func(b []byte) []byte { slices.Reverse(b[20:24]); return b }, errBlockEnd},
		"empty chunk":         {bigWord(0), errShuffleChunk},
		"too short a chunk":   {bigWord(31), errShuffleChunk},
		"bomb":                {func(b []byte) []byte { return word(3, 1<<24)(word(1, 1<<24)(b)) }, errBlockEnd},
		"cut":                 {sized(func(b []byte) []byte { return b[:len(b)-1] }), errBlockEnd},
		"no chunk":            {sized(func(b []byte) []byte { return b[:shuffleHeadBytes] }), errBlockEnd},
		"half a chunk header": {sized(func(b []byte) []byte { return b[:shuffleHeadBytes+3] }), errBlockEnd},
	} {
		b := c.f(shuffleBlock(randomBytes(rand.New(rand.NewSource(1)), 8*1000), 8, 0))
		var s BitShuffle
		if _, err := s.Open(b, 8, false); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// Padding of 2^32 is 0 in 32 bits.
	b := word(3, 0)(word(1, math.MaxUint32)(make([]byte, 20)))
	if _, err := new(BitShuffle).Open(word(4, 8)(word(2, 20)(b)), 8, false); !errors.Is(err, errShuffleCount) {
		t.Errorf("padding that overflows: %v", err)
	}
}

// Chunks of which LZ4 makes too little, too much or nothing.
func TestBitShuffleBadChunk(t *testing.T) {
	raw := func(n int) []byte { // literals alone
		b := []byte{0xf0}
		m := n - 15
		for ; m >= 255; m -= 255 {
			b = append(b, 255)
		}
		return append(append(b, byte(m)), make([]byte, n)...)
	}
	for name, chunk := range map[string][]byte{
		"too little":          raw(799),
		"too much":            raw(801),
		"far too much":        raw(20000),
		"half of it":          raw(800)[:500],
		"match before all":    append([]byte{0x10, 1, 1, 0, 0xff}, raw(800)...),
		"match from nowhere":  append([]byte{0x1f, 1, 9, 0}, raw(700)...),
		"distance of 0":       append([]byte{0x10, 1, 0, 0}, raw(700)...),
		"endless match":       append([]byte{0x1f, 1, 1, 0}, bytes.Repeat([]byte{255}, 600)...),
		"literal length only": bytes.Repeat([]byte{255}, 600),
	} {
		b := shuffleBlock(make([]byte, 800), 8, 0)[:shuffleHeadBytes]
		b = binary.BigEndian.AppendUint32(b, uint32(len(chunk)))
		b = append(b, chunk...)
		binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
		for _, count := range []int{1, 100} {
			var s BitShuffle
			if _, err := s.Open(b, 8, false); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := s.Next(make([]byte, 8*count+7)[:8*count]); !errors.Is(err, errShuffleChunk) {
				t.Errorf("%s: %d values: %v", name, count, err)
			}
			if err := s.Next(make([]byte, 8)); !errors.Is(err, errShuffleChunk) {
				t.Errorf("%s: again: %v", name, err)
			}
		}
	}
}

func TestBitShuffleTruncated(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	b := shuffleBlock(randomBytes(r, 8*1100), 8, 0)
	for n := range b {
		for _, honest := range []bool{false, true} { // does the block say its size?
			cut := bytes.Clone(b[:n])
			if honest && n >= shuffleHeadBytes {
				binary.LittleEndian.PutUint32(cut[8:], uint32(n))
			}
			if _, err := new(BitShuffle).Open(cut, 8, false); !errors.Is(err, errs.ErrCorrupt) {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
		}
	}
}

func TestBitShuffleAllocations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s BitShuffle
	dst, codes := make([]byte, 8*5000), make([]int32, 5000)
	long, short := shuffleBlock(randomBytes(r, len(dst)), 8, 0), shuffleBlock(randomBytes(r, 5000), 1, 0)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(b []byte, width int, narrow bool) {
		_, err := s.Open(b, width, narrow)
		check(err)
	}
	if n := testing.AllocsPerRun(50, func() {
		open(long, 8, false)
		check(s.Next(dst[:8*4900]))
		check(s.Skip(50))
		open(short, 4, true)
		check(s.NextCodes(codes[:4900]))
		open(short, 4, true)
		check(s.Next(dst[:4*4900]))
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzBitShuffle(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i, width := range []int{1, 2, 4, 8, 16} {
		f.Add(shuffleBlock(randomBytes(r, 21*width), width, 3), uint8(i), false, uint16(5))
		f.Add(shuffleBlock(bytes.Repeat([]byte{1, 2, 3, 4}, 3*chunkBytes/4), width, 0), uint8(i), false, uint16(9000))
	}
	f.Add(shuffleBlock(randomBytes(r, 300), 1, 0), uint8(2), true, uint16(100))
	f.Add(shuffleBlock(randomBytes(r, 300), 2, 0), uint8(2), true, uint16(0))
	for _, v := range shuffleVectors {
		f.Add(v.block(f), uint8(slices.Index([]int{1, 2, 4, 8, 16}, v.width)), v.narrow, uint16(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, w uint8, narrow bool, skip uint16) {
		width := 1 << (w % 5)
		var s BitShuffle
		h, err := s.Open(b, width, narrow)
		if err != nil {
			if s.Left() != 0 {
				t.Fatal("values in spite of an error")
			}
			return
		}
		n := min(s.Left(), 1<<16)
		if s.Left() != int(h.Count) {
			t.Fatalf("%d left of %d", s.Left(), h.Count)
		}
		all := make([]byte, n*width)
		whole := s.Next(all)

		// In pieces, and in a memory that is not aligned.
		if _, err := s.Open(b, width, narrow); err != nil {
			t.Fatal(err)
		}
		odd := make([]byte, n*width+1)[1:]
		for at := 0; at < n; {
			k := min(1+int(skip)%5000, n-at)
			if err := s.Next(odd[at*width : (at+k)*width]); err != nil {
				if whole == nil {
					t.Fatal(err)
				}
				return
			}
			at += k
		}
		if whole != nil {
			t.Fatalf("only whole: %v", whole)
		}
		if !bytes.Equal(odd, all) {
			t.Fatal("pieces differ")
		}
		if width == 4 {
			if _, err := s.Open(b, width, narrow); err != nil {
				t.Fatal(err)
			}
			codes := make([]int32, n)
			if err := s.NextCodes(codes); err != nil {
				t.Fatal(err)
			}
			for i, v := range codes {
				if uint32(v) != binary.LittleEndian.Uint32(all[4*i:]) {
					t.Fatalf("code %d differs", i)
				}
			}
		}

		if _, err := s.Open(b, width, narrow); err != nil {
			t.Fatal(err)
		}
		k := min(int(skip), n)
		rest := make([]byte, (n-k)*width)
		if err := errors.Join(s.Skip(k), s.Next(rest)); err != nil || !bytes.Equal(rest, all[k*width:]) {
			t.Fatalf("behind %d values: %v", k, err)
		}
		if s.Left() != int(h.Count)-n {
			t.Fatalf("%d left", s.Left())
		}
	})
}

func (v *shuffleVector) block(tb testing.TB) []byte {
	tb.Helper()
	b, err := hex.DecodeString(v.hex)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestBitShuffleVectors(t *testing.T) {
	var s BitShuffle
	for _, v := range shuffleVectors {
		b := v.block(t)
		h, err := s.Open(b, v.width, v.narrow)
		if err != nil || h != v.head {
			t.Errorf("%s: %v, %v", v.name, h, err)
			continue
		}
		want := make([]byte, 0, int(h.Count)*v.width)
		for i := range int(h.Count) {
			x := v.values(i)
			e := binary.LittleEndian.AppendUint64(nil, x)
			e = binary.LittleEndian.AppendUint64(e, uint64(int64(x)>>63))
			want = append(want, e[:v.width]...)
		}
		got := make([]byte, len(want))
		if err := s.Next(got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n got %x\nwant %x", v.name, err, got, want)
		}
		for n := range b {
			if _, err := s.Open(b[:n], v.width, v.narrow); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: %d of %d bytes: %v", v.name, n, len(b), err)
			}
		}
	}
}
