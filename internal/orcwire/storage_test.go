package orcwire_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stored is the content of a stream as a file has it.
type stored struct {
	name    string
	packing orcwire.Packing
	bytes   []byte
	chunks  []chunk
	size    int // of the content
	window  int64
	view    bool // Fetch shows the bytes instead of copying them
	short   bool // Fetch does not always give the most
	guard   bool // what may not be read cannot be
}

type chunk struct{ raw, at int } // where it starts in the content, and in what is stored

const blockSize = 1 << 10

// store cuts content into chunks of at most most bytes, compressed or as they are.
func store(tb testing.TB, r *rand.Rand, content []byte, codec blockcodec.Codec, most int) stored {
	tb.Helper()
	s := stored{packing: orcwire.Packing{Codec: codec, Chunked: true, BlockSize: max(blockSize, most)}, size: len(content)}
	s.name = fmt.Sprintf("%v, chunks of %d", codec, most)
	var e blockcodec.Encoder
	for at := 0; at < len(content); {
		c := content[at:min(at+1+r.Intn(most), len(content))]
		s.chunks = append(s.chunks, chunk{at, len(s.bytes)})
		at += len(c)
		original := 1
		if codec != blockcodec.None && r.Intn(3) > 0 {
			var err error
			if c, err = e.Encode(codec, blockcodec.DefaultLevel, nil, c); err != nil {
				tb.Fatal(err)
			}
			original = 0
		}
		h := len(c)<<1 | original
		s.bytes = append(append(s.bytes, byte(h), byte(h>>8), byte(h>>16)), c...)
	}
	return s
}

// storages returns content stored in many ways.
func storages(tb testing.TB, r *rand.Rand, content []byte) (all []stored) {
	tb.Helper()
	plain := stored{name: "not chunked", bytes: content, size: len(content)}
	for _, window := range []int64{0, 1, 7, 100, 5000} {
		for _, view := range []bool{false, true} {
			plain.window, plain.view = window, view
			all = append(all, plain)
		}
	}
	for i, most := range []int{1, 3, 40, 700, 9000} {
		for j, codec := range []blockcodec.Codec{blockcodec.None, blockcodec.Deflate, blockcodec.Snappy} {
			s := store(tb, r, content, codec, most)
			s.window, s.view = []int64{0, 9, 2000}[(i+j)%3], r.Intn(2) == 0
			all = append(all, s)
		}
	}
	for i := range all {
		all[i].guard, all[i].short = true, r.Intn(2) == 0
	}
	return all
}

// open returns the stream, with guards: bytes that Fetch has taken back are spoilt, and behind those that can be read
// there are none.
func (s stored) open(tb testing.TB, b *orcwire.Bytes, sc *orcwire.Scratch) {
	tb.Helper()
	b.MaxFetch = s.window
	b.Open(int64(len(s.bytes)), s.fetch(tb), s.packing, sc)
}

func (s stored) fetch(tb testing.TB) orcwire.Fetch {
	tb.Helper()
	edge := append(make([]byte, 0, len(s.bytes)+bitpack.SrcSlack), s.bytes...)
	if s.guard {
		edge = fixtures.AtEdge(tb, s.bytes, bitpack.SrcSlack)
	}
	var lent []byte
	calls := 0
	return func(off, least, most int64) ([]byte, error) {
		if off < 0 || least <= 0 || most < least || off+most > int64(len(edge)) {
			tb.Fatalf("%s: fetches %d to %d bytes at %d of %d", s.name, least, most, off, len(edge))
		}
		n := most
		if calls++; s.short {
			n = least + (most-least)*int64(calls%3)/2
		}
		if s.view {
			return edge[off : off+n], nil
		}
		for i := range lent {
			lent[i] = 0xee
		}
		lent = append(make([]byte, 0, n+bitpack.SrcSlack), edge[off:off+n]...)
		return lent, nil
	}
}

// position returns the numbers that stand for an offset in the content. At the end of a chunk there are two ways.
func (s stored) position(r *rand.Rand, off int) []uint64 {
	if !s.packing.Chunked {
		return []uint64{uint64(off)}
	}
	if off == s.size && (len(s.chunks) == 0 || r.Intn(2) == 0) {
		return []uint64{uint64(len(s.bytes)), 0}
	}
	i := len(s.chunks) - 1
	for s.chunks[i].raw > off || i > 0 && s.chunks[i].raw == off && r.Intn(2) == 0 {
		i--
	}
	return []uint64{uint64(s.chunks[i].at), uint64(off - s.chunks[i].raw)}
}
