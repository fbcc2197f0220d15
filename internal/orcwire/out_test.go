package orcwire_test

import (
	"bytes"
	"errors"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// What is written in any way is read back, from every position too, and the same bytes are stored however it came.
func TestOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var o orcwire.Out
	var sc orcwire.OutScratch
	for round := range rounds(60) {
		p := outPackings[r.Intn(len(outPackings))]
		content := text(r, r.Intn(3*min(p.BlockSize, 4000)+2))
		if round%5 == 0 {
			r.Read(content) // does not get shorter
		}
		var before []byte
		for way := range 3 {
			var marks []mark
			o.Open(p, &sc)
			for at := 0; ; {
				marks = append(marks, mark{at, settled(o.Position(nil), &o)})
				left := content[at:]
				if len(left) == 0 {
					break
				}
				n := 1 + r.Intn(min(len(left), []int{len(left), 10, 3000}[way]))
				if way == 0 || n > orcwire.MaxRoom {
					o.Write(left[:n])
				} else {
					copy(o.Room(n+r.Intn(orcwire.MaxRoom-n+1)), left[:n])
					o.Advance(n)
				}
				if at += n; o.Raw() != int64(at) {
					t.Fatalf("%+v: Raw is %d, written %d", p, o.Raw(), at)
				}
			}
			o.Flush()
			s := outStored(t, &o, p)
			if way > 0 && !bytes.Equal(s.bytes, before) {
				t.Fatalf("%+v: stored bytes depend on how they came", p)
			}
			before = s.bytes
			if w := bytes.Join(o.Parts(), nil); int64(len(w)) != o.Size() || !bytes.Equal(w, s.bytes) {
				t.Fatalf("%+v: %d bytes in parts, Size is %d", p, len(w), o.Size())
			}
			checkFull(t, s.bytes, p, len(content))

			var b orcwire.Bytes
			var rs orcwire.Scratch
			s.open(t, &b, &rs)
			got := make([]byte, len(content))
			if err := b.Take(got); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("%+v: content differs, %v", p, err)
			}
			if ended, err := b.Ended(); err != nil || !ended {
				t.Fatalf("%+v: more than the content, %v", p, err)
			}
			for range min(len(marks), 200) {
				m := marks[r.Intn(len(marks))]
				if err := b.Seek(orcwire.NewPositions(m.pos)); err != nil {
					t.Fatalf("%+v: seek to %v: %v", p, m.pos, err)
				}
				got := make([]byte, min(len(content)-m.at, 50))
				if err := b.Take(got); err != nil || !bytes.Equal(got, content[m.at:m.at+len(got)]) {
					t.Fatalf("%+v: wrong bytes at %v: %v", p, m.pos, err)
				}
			}
		}
	}
}

// checkFull checks that chunks take the least room: none but the last is less than full, and none longer than its
// content.
func checkFull(t *testing.T, b []byte, p orcwire.OutPacking, size int) {
	t.Helper()
	if !p.Chunked {
		if len(b) != size {
			t.Fatalf("%d bytes stored of %d", len(b), size)
		}
		return
	}
	chunks := 0
	for len(b) > 0 {
		h := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		n := h >> 1
		full := min(p.BlockSize, size-chunks*p.BlockSize)
		if h&1 == 1 && n != full || h&1 == 0 && n >= full {
			t.Fatalf("%+v: chunk %d with header %x holds %d bytes", p, chunks, h, full)
		}
		b = b[3+n:]
		chunks++
	}
	if want := (size + p.BlockSize - 1) / p.BlockSize; chunks != want {
		t.Fatalf("%+v: %d chunks, want %d", p, chunks, want)
	}
}

// settled returns positions as an index has them, of streams of which no chunk is compressed later.
func settled(positions []uint64, streams ...*orcwire.Out) []uint64 {
	orcwire.Settle(positions, streams...)
	return positions
}

// The position at a chunk's end is that of its end, not of a chunk that may never come.
func TestOutPositionAtChunkEnd(t *testing.T) {
	var o orcwire.Out
	o.Open(orcwire.OutPacking{Chunked: true, BlockSize: 8}, new(orcwire.OutScratch))
	for _, s := range []struct {
		write string
		want  [2]uint64
	}{{"", [2]uint64{0, 0}}, {"12345678", [2]uint64{0, 8}}, {"9", [2]uint64{11, 1}}, {"0123456", [2]uint64{11, 8}}} {
		o.Write([]byte(s.write))
		if p := settled(o.Position(nil), &o); len(p) != 2 || [2]uint64(p) != s.want {
			t.Errorf("position %v, want %v", p, s.want)
		}
	}
	o.Flush()
	if want := "\x11\x00\x0012345678\x11\x00\x0090123456"; string(bytes.Join(o.Parts(), nil)) != want {
		t.Errorf("% x", o.Parts())
	}
}

func TestOutErrors(t *testing.T) {
	for _, p := range []struct {
		packing orcwire.OutPacking
		want    errs.Kind
	}{
		{orcwire.OutPacking{Chunked: true, BlockSize: 4, Codec: blockcodec.LZO, Level: blockcodec.DefaultLevel}, errs.ErrUnsupported},
		{orcwire.OutPacking{Chunked: true, BlockSize: 4, Codec: blockcodec.Zstd, Level: 99}, errs.ErrOption},
		{orcwire.OutPacking{Chunked: true}, errs.ErrInternal},
		{orcwire.OutPacking{Chunked: true, BlockSize: 1 << 23}, errs.ErrInternal},
	} {
		var o orcwire.Out
		o.Open(p.packing, new(orcwire.OutScratch))
		o.Write(make([]byte, 100))
		o.Flush()
		if err := o.Err(); !errors.Is(err, p.want) {
			t.Errorf("%+v: %v, want %v", p.packing, err, p.want)
		}
	}
}

// A stream that is no longer used costs its successor no memory.
func TestOutNoAllocations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	content := text(r, 600<<10)
	values := make([]int64, 20000)
	for i := range values {
		values[i] = r.Int63n(1000)
	}
	words := make([][2]uint64, len(values))
	var sc orcwire.OutScratch
	var o, o2 orcwire.Out
	var ints orcwire.IntsOut[int64]
	var bools orcwire.BoolsOut
	var tags orcwire.BytesOut[uint8]
	var decimals orcwire.DecimalsOut
	var times orcwire.TimestampsOut
	pos := make([]uint64, 0, 8)
	for _, p := range outPackings {
		if p.Codec == blockcodec.Deflate || p.BlockSize < 1<<10 && p.Chunked {
			continue
		}
		what := map[string]func(){
			"bytes": func() { o.Write(content) },
			"ints": func() {
				ints.Open(&o, true, true)
				ints.Put(values)
				ints.Put(values[:300])
				ints.Position(pos)
			},
			"ints v1": func() { ints.Open(&o, false, true); ints.Put(values); ints.Position(pos) },
			"bools":   func() { bools.Open(&o); bools.Put(content, 3, 8*len(content)-3); bools.Position(pos) },
			"tags":    func() { tags.Open(&o); tags.Put(content); tags.Position(pos) },
			"decimals": func() {
				decimals.Open(&o, &o2, true, 2)
				decimals.Put(words)
				decimals.Position(pos)
			},
			"times": func() {
				times.Open(&o, &o2, true, orcwire.Microsecond)
				if err := times.Put(values); err != nil {
					t.Error(err)
				}
				times.Position(pos)
			},
		}
		for name, write := range what {
			stream := func() {
				o.Open(p, &sc)
				o2.Open(p, &sc)
				write()
				o.Flush()
				o2.Flush()
			}
			for range 4 {
				stream()
			}
			// Pools of codecs lose an item to the collector now and then.
			if n := testing.AllocsPerRun(20, stream); n > 0.3 {
				t.Errorf("%s, %+v: %v allocations", name, p, n)
			}
		}
	}
}
