package orcwire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Chunks that others compress, some and in any order, make the same stream with the same positions.
func TestOutLater(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var pool orcwire.OutPool
	var atOnce orcwire.OutScratch
	var waiting []*orcwire.OutChunk
	others := orcwire.OutScratch{Pool: &pool}
	pack := func(i int) {
		waiting[i].Pack(&others)
		waiting = slices.Delete(waiting, i, i+1)
	}
	later := orcwire.OutScratch{Pool: &pool, Later: func(c *orcwire.OutChunk) bool {
		if r.Intn(4) == 0 {
			return false
		}
		waiting = append(waiting, c)
		if r.Intn(3) == 0 {
			pack(r.Intn(len(waiting)))
		}
		return true
	}}
	var a, b, a2, b2 orcwire.Out
	taken := 0
	for range rounds(60) {
		p := orcwire.OutPacking{
			Chunked: true, BlockSize: []int{1 << 10, 16 << 10, 20_000, 64 << 10}[r.Intn(4)],
			Codec: []blockcodec.Codec{blockcodec.Snappy, blockcodec.LZ4}[r.Intn(2)], Level: blockcodec.DefaultLevel,
		}
		content := text(r, r.Intn(20*p.BlockSize)%(400<<10))
		a.Open(p, &atOnce)
		b.Open(p, &later)
		a2.Open(p, &atOnce)
		b2.Open(p, &later)
		var at, open [][]uint64
		for left := content; len(left) > 0; {
			n := 1 + r.Intn(len(left))
			if part := left[:n]; n <= orcwire.MaxRoom && r.Intn(2) == 0 {
				for _, o := range []*orcwire.Out{&a, &b} {
					copy(o.Room(n), part)
					o.Advance(n)
				}
			} else {
				a.Write(part)
				b.Write(part)
			}
			left = left[n:]
			for range r.Intn(3) { // the second stream may be the first one with chunks
				a2.Write(content[:n])
				b2.Write(content[:n])
			}
			// as an index has them: the numbers of both streams, others between them
			at = append(at, settled(a2.Position(append(a.Position([]uint64{7}), 3)), &a, &a2))
			open = append(open, b2.Position(append(b.Position([]uint64{7}), 3)))
		}
		for _, o := range []*orcwire.Out{&a, &b, &a2, &b2} {
			o.Flush()
		}
		taken += len(waiting)
		for len(waiting) > 0 {
			pack(r.Intn(len(waiting)))
		}
		for i, o := range []*orcwire.Out{&b, &b2} {
			want := []*orcwire.Out{&a, &a2}[i]
			if !bytes.Equal(bytes.Join(o.Parts(), nil), bytes.Join(want.Parts(), nil)) || o.Size() != want.Size() || o.Raw() != want.Raw() || o.Err() != nil {
				t.Fatalf("%+v: %d and %d bytes, %v", p, o.Size(), want.Size(), o.Err())
			}
		}
		for i := range at {
			if got := settled(open[i], &b, &b2); !slices.Equal(got, at[i]) {
				t.Fatalf("%+v: position %v, want %v", p, got, at[i])
			}
		}
		if r.Intn(2) == 0 {
			parts := b.Take()
			if len(b.Parts()) > 0 {
				t.Error("Take leaves parts")
			}
			pool.Put(parts...)
		}
	}
	if taken == 0 {
		t.Error("no chunk had to wait")
	}
}

// A stream has the level that makes its second chunk shorter, whoever compresses the others.
func TestOutTries(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta")
	var records, sentences bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&records, `{"id": %d, "name": %q, "v": %v}`, i, words[r.Intn(len(words))], r.Float64())
		for range 12 {
			sentences.WriteString(words[r.Intn(len(words))] + " ")
		}
	}
	var numbers []byte
	for range 20_000 {
		numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(r.Float64()))
	}
	var waiting []*orcwire.OutChunk
	later := orcwire.OutScratch{Later: func(c *orcwire.OutChunk) bool { waiting = append(waiting, c); return true }}
	var atOnce orcwire.OutScratch
	for _, content := range [][]byte{records.Bytes(), sentences.Bytes(), numbers} {
		p := orcwire.OutPacking{Chunked: true, BlockSize: 32 << 10, Codec: blockcodec.Zstd, Level: blockcodec.DefaultLevel}
		size := func(p orcwire.OutPacking, sc *orcwire.OutScratch) (all []byte) {
			var o orcwire.Out
			o.Open(p, sc)
			o.Write(content)
			o.Flush()
			for _, c := range waiting {
				c.Pack(sc)
			}
			waiting = nil
			if err := o.Err(); err != nil {
				t.Fatal(err)
			}
			return bytes.Join(o.Parts(), nil)
		}
		byDefault := size(p, &atOnce)
		p.Level = 1
		faster := size(p, &atOnce)
		p.Level, p.Tries = blockcodec.DefaultLevel, true
		got := size(p, &atOnce)
		if most := min(len(byDefault), len(faster)) + 2<<10; len(got) > most {
			t.Errorf("%d bytes; by default %d, by the faster level %d", len(got), len(byDefault), len(faster))
		}
		if !bytes.Equal(size(p, &later), got) {
			t.Error("other bytes where others compress")
		}
	}
}

// What goes wrong elsewhere is the stream's error.
func TestOutLaterErrors(t *testing.T) {
	var waiting []*orcwire.OutChunk
	sc := orcwire.OutScratch{Later: func(c *orcwire.OutChunk) bool { waiting = append(waiting, c); return true }}
	var o orcwire.Out
	o.Open(orcwire.OutPacking{Chunked: true, BlockSize: 1 << 16, Codec: blockcodec.Zstd, Level: 99}, &sc)
	o.Write(make([]byte, 1<<17))
	o.Flush()
	for _, c := range waiting {
		c.Pack(&sc)
	}
	if err := o.Err(); len(waiting) != 2 || !errors.Is(err, errs.ErrOption) {
		t.Errorf("%d chunks, %v", len(waiting), err)
	}
}
