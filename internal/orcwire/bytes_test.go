package orcwire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// text compresses a little.
func text(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.Intn(5))
	}
	return b
}

func TestBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	for range rounds(8) {
		content := text(r, r.Intn(40000))
		for _, s := range storages(t, r, content) {
			var b orcwire.Bytes
			var sc orcwire.Scratch
			for range 2 { // the second Open finds the buffers of the first
				s.open(t, &b, &sc)
				if err := walkBytes(r, s, &b, content); err != nil {
					t.Fatalf("%s, window %d, view %v: %v", s.name, s.window, s.view, err)
				}
			}
		}
	}
}

func walkBytes(r *rand.Rand, s stored, b *orcwire.Bytes, content []byte) error {
	if b.Stored() != int64(len(s.bytes)) {
		return errors.New("size")
	}
	for at, ops := 0, 0; ops < 100 || at < len(content); ops++ {
		left := len(content) - at
		if most := b.MostLeft(); most < int64(left) {
			return fmt.Errorf("%d bytes left, at most %d", left, most)
		}
		if off := b.Offset(); off < 0 || off > int64(len(s.bytes)) || !s.packing.Chunked && off != int64(at) {
			return fmt.Errorf("offset %d of %d at %d", off, len(s.bytes), at)
		}
		k := r.Intn(min([]int{4, 100, 5000, 20000}[r.Intn(4)], left) + 1)
		switch op := r.Intn(7); {
		case op == 0:
			if err := b.Discard(int64(k)); err != nil {
				return fmt.Errorf("discard %d at %d: %w", k, at, err)
			}
		case op == 1 && ops < 80:
			at = r.Intn(len(content) + 1)
			k = 0
			if err := b.Seek(orcwire.NewPositions(s.position(r, at))); err != nil {
				return fmt.Errorf("seek %d: %w", at, err)
			}
		case op == 2:
			got := bytes.Repeat([]byte{0xbb}, k+1)
			if err := b.Take(got[:k]); err != nil || !bytes.Equal(got[:k], content[at:at+k]) || got[k] != 0xbb {
				return fmt.Errorf("take %d at %d: %w", k, at, err)
			}
		case op == 3:
			if ended, err := b.Ended(); err != nil || ended != (left == 0) {
				return fmt.Errorf("ended %v at %d: %w", ended, at, err)
			}
			k = 0
		default:
			if err := b.Need(k); err != nil {
				return fmt.Errorf("need %d at %d: %w", k, at, err)
			}
			w := b.Window()
			if len(w) < k || len(w) > left || !bytes.Equal(w, content[at:at+len(w)]) {
				return fmt.Errorf("need %d of %d at %d: %d, wrong", k, left, at, len(w))
			}
			if len(w) > 0 {
				sum := byte(0)
				for _, v := range w[:len(w)+bitpack.SrcSlack] { // readable
					sum += v
				}
				_ = sum
			}
			k = r.Intn(len(w) + 1)
			b.Advance(k)
		}
		at += k
	}
	if err := b.Need(1); err != nil || len(b.Window()) > 0 {
		return fmt.Errorf("%d bytes at the end: %w", len(b.Window()), err)
	}
	if err := b.Take(make([]byte, 1)); err != orcwire.ErrEnd {
		return fmt.Errorf("take behind the end: %w", err)
	}
	if err := b.Discard(1); err != orcwire.ErrEnd {
		return fmt.Errorf("discard behind the end: %w", err)
	}
	return nil
}

// Doubles and long strings go from the chunk to where they are wanted.
func TestTakeWholeChunks(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	content := text(r, 100000)
	for _, codec := range []blockcodec.Codec{blockcodec.Deflate, blockcodec.Snappy, blockcodec.Zstd, blockcodec.LZ4} {
		s := store(t, r, content, codec, 4000)
		var b orcwire.Bytes
		var sc orcwire.Scratch
		s.open(t, &b, &sc)
		got := bytes.Repeat([]byte{0xbb}, len(content)+2000)
		if err := b.Take(got[:10]); err != nil {
			t.Fatal(err)
		}
		if err := b.Take(got[10:len(content)]); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[:len(content)], content) {
			t.Errorf("%v: wrong bytes", codec)
		}
		if bytes.Count(got[len(content):], []byte{0xbb}) != 2000 {
			t.Errorf("%v: wrote outside of dst", codec)
		}
	}
}

// A stream that is not compressed is passed over without being read, and so are chunks stored as they are.
func TestDiscardDoesNotRead(t *testing.T) {
	read := int64(0)
	fetch := func(off, _, n int64) ([]byte, error) {
		read += n
		b := make([]byte, n, n+bitpack.SrcSlack)
		for i := range b {
			b[i] = byte(off + int64(i))
		}
		return b, nil
	}
	var b orcwire.Bytes
	b.Open(1<<40, fetch, orcwire.Packing{}, new(orcwire.Scratch))
	if err := b.Discard(1<<39 + 7); err != nil || read != 0 {
		t.Errorf("%d bytes read, %v", read, err)
	}
	if err := b.Need(1); err != nil || b.Window()[0] != 7 {
		t.Errorf("%v, %v", b.Window()[0], err)
	}
}

func TestBytesErrors(t *testing.T) {
	deflated := func(n int) []byte {
		b, err := new(blockcodec.Encoder).Encode(blockcodec.Deflate, blockcodec.DefaultLevel, nil, make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{byte(len(b) << 1), 0, 0}, b...)
	}
	pack := orcwire.Packing{Codec: blockcodec.Deflate, Chunked: true, BlockSize: 100}
	for name, c := range map[string]struct {
		stored []byte
		want   error
	}{
		"header of one byte":   {[]byte{1}, orcwire.ErrChunk},
		"header of two bytes":  {[]byte{1, 0}, orcwire.ErrChunk},
		"longer than stream":   {[]byte{5, 0, 0, 'a'}, orcwire.ErrChunk},
		"packed, longer":       {[]byte{4, 0, 0, 'a'}, orcwire.ErrChunk},
		"longest":              {[]byte{0xff, 0xff, 0xff, 'a'}, orcwire.ErrChunk},
		"original above block": {append([]byte{101<<1 | 1, 0, 0}, make([]byte, 101)...), orcwire.ErrChunk},
		"packed above block":   {deflated(101), errs.ErrCorrupt},
		"packed of nothing":    {[]byte{0, 0, 0}, errs.ErrCorrupt},
		"original of block":    {append([]byte{100<<1 | 1, 0, 0}, make([]byte, 100)...), nil},
		"packed of block":      {deflated(100), nil},
		"originals of nothing": {[]byte{1, 0, 0, 1, 0, 0}, nil},
		"nothing":              {nil, nil},
	} {
		var b orcwire.Bytes
		s := stored{bytes: c.stored, packing: pack, window: 1}
		for _, f := range []func() error{
			func() error { return b.Need(1) },
			func() error { return b.Need(math.MaxInt) },
			func() error { _, err := b.Ended(); return err },
		} {
			s.open(t, &b, new(orcwire.Scratch))
			if err := f(); !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		for _, f := range []func() error{
			func() error { return b.Take(make([]byte, 10000)) },
			func() error { return b.Discard(10000) },
		} {
			s.open(t, &b, new(orcwire.Scratch))
			if err := f(); !errors.Is(err, c.want) && (c.want != nil || err != orcwire.ErrEnd) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
	}
	lost := errors.New("lost")
	var b orcwire.Bytes
	b.Open(10, func(_, _, _ int64) ([]byte, error) { return nil, lost }, orcwire.Packing{}, nil)
	if err := b.Need(1); err != lost {
		t.Errorf("error of Fetch: %v", err)
	}
	b.Open(10, func(_, least, _ int64) ([]byte, error) { return make([]byte, least-1), nil }, orcwire.Packing{}, nil)
	if err := b.Need(1); err != orcwire.ErrEnd {
		t.Errorf("fewer bytes than asked for: %v", err)
	}
}

func TestSeekErrors(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	plain := stored{bytes: []byte("0123456789")}
	chunks := store(t, r, []byte("0123456789"), blockcodec.None, 1) // each of a byte
	for _, c := range []struct {
		s    stored
		p    []uint64
		want error
	}{
		{plain, nil, orcwire.ErrPosition},
		{plain, []uint64{10}, nil},
		{plain, []uint64{11}, orcwire.ErrPosition},
		{plain, []uint64{math.MaxUint64}, orcwire.ErrPosition},
		{plain, []uint64{1 << 63}, orcwire.ErrPosition},
		{chunks, []uint64{4}, orcwire.ErrPosition},
		{chunks, []uint64{4, 1}, nil},
		{chunks, []uint64{4, 2}, orcwire.ErrPosition},
		{chunks, []uint64{4, math.MaxUint64}, orcwire.ErrPosition},
		{chunks, []uint64{40, 0}, nil},
		{chunks, []uint64{40, 1}, orcwire.ErrPosition},
		{chunks, []uint64{41, 0}, orcwire.ErrPosition},
		{chunks, []uint64{math.MaxUint64, 0}, orcwire.ErrPosition},
	} {
		for _, before := range []int64{0, 3} {
			var b orcwire.Bytes
			c.s.open(t, &b, new(orcwire.Scratch))
			if err := b.Discard(before); err != nil {
				t.Fatal(err)
			}
			if err := b.Need(1); err != nil {
				t.Fatal(err)
			}
			if err := b.Seek(orcwire.NewPositions(c.p)); err != c.want {
				t.Errorf("seek %v: %v, want %v", c.p, err, c.want)
			}
		}
	}
	var b orcwire.Bytes
	var x orcwire.Ints[int64]
	plain.open(t, &b, new(orcwire.Scratch))
	x.Open(&b, true, true)
	if err := x.Seek(orcwire.NewPositions([]uint64{10, 1 << 40})); err != orcwire.ErrPosition {
		t.Errorf("values into a run: %v", err)
	}
	if err := x.Seek(orcwire.NewPositions([]uint64{10})); err != orcwire.ErrPosition {
		t.Errorf("no values into a run: %v", err)
	}
	var bools orcwire.Bools
	bools.Open(&b)
	if err := bools.Seek(orcwire.NewPositions([]uint64{10, 0, 9})); err != orcwire.ErrPosition {
		t.Errorf("bits into a byte: %v", err)
	}
}
