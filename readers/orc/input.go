package orc

import (
	"errors"
	"fmt"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Windows through which the streams of a tree are read: so large, or smaller where there are many streams.
const (
	windowBytes  = 256 << 10
	windowsBytes = 16 << 20 // all windows of a tree of a near source together
	aheadBytes   = 64 << 20 // what is fetched ahead, or all windows together, of a far source
	farWindow    = 4 << 20
	leastWindow  = 4 << 10
	manyWindow   = 32 << 10 // what is smaller is one of many
)

// input is one stream as a node reads it.
type input struct {
	orcwire.Bytes
	tree    *tree
	stream  stream
	there   bool    // the stripe has the stream
	numbers int     // that its positions have behind those of the byte
	ordinal int     // of its first number in an entry of the row index
	pieces  []piece // of it, fetched ahead
	offline bool    // nothing is to be fetched now: errOffline
	// Methods of the input, as values.
	fetching orcwire.Fetch
	reading  func(off int64, dst []byte) error
	buf      []byte
}

// piece is a part of a stream in memory.
type piece struct {
	off int64 // within the stream
	b   []byte
}

// whole reports whether all of the stream was fetched ahead.
func (in *input) whole() bool {
	return len(in.pieces) == 1 && in.pieces[0].off == 0 && int64(len(in.pieces[0].b)) == in.stream.len
}

// open points the input at a column's stream of this stripe, or at nothing.
func (in *input) open(g *branch, s *stripe, column int, kind orcwire.StreamKind) {
	t := g.tree
	in.tree = t
	if x := s.lookup(column, kind); x != nil {
		in.stream, in.there = *x, true
	} else {
		in.stream, in.there = stream{kind: kind, column: column}, false
	}
	clear(in.pieces)
	in.pieces = in.pieces[:0]
	if in.there {
		if b := t.earlyStream(&in.stream); b != nil {
			in.pieces = append(in.pieces, piece{b: in.decrypt(b, 0)})
		}
	}
	if in.fetching == nil { // once: a method value is allocated, and stripes may be short and have thousands of streams
		in.fetching, in.reading = in.fetch, in.readInto
	}
	in.Bytes.MaxFetch, in.Bytes.Into = t.window, nil
	if in.stream.key == nil && t.near && len(in.pieces) == 0 {
		in.Bytes.Into = in.reading
	}
	in.Bytes.Open(in.stream.len, in.fetching, t.file.packing, g.scratch)
}

// close lets go of what was read, and of buffers of more than most bytes.
func (in *input) close(most int) {
	clear(in.pieces)
	in.pieces, in.buf = in.pieces[:0], nil
	in.Bytes.Close(most)
}

// place says that the stream's positions are those from number i on, and returns the number behind them.
func (in *input) place(i int, chunked bool) int {
	in.ordinal = i
	if chunked {
		i++ // the chunk, and then the byte in it
	}
	return i + 1 + in.numbers
}

// fetch returns stored bytes of the stream, decrypted; they are good until the next call. What was fetched ahead is not
// fetched again.
func (in *input) fetch(off, least, most int64) ([]byte, error) {
	for _, p := range in.pieces {
		if end := p.off + int64(len(p.b)); off >= p.off && off+least <= end {
			return p.b[off-p.off : min(off+most, end)-p.off], nil
		} else if off < p.off {
			most = max(least, min(most, p.off-off))
		}
	}
	if in.offline {
		return nil, errOffline
	}
	rs := []arrowio.ByteRange{{Off: in.stream.off + off, Len: most}}
	got, buf, err := arrowio.ReadRangesInto(in.tree.ctx, in.tree.file.src, rs, in.buf, bitpack.SrcSlack)
	if in.buf = buf; in.tree.window < manyWindow && off+most == in.stream.len {
		in.buf = nil // it is not used again, and there are many inputs
	}
	if err != nil {
		return nil, ioError{err}
	}
	return in.decrypt(got[0], off), nil
}

var errOffline = errors.New("orc: the bytes have not been fetched")

// readInto reads stored bytes of a stream that is not encrypted.
func (in *input) readInto(off int64, dst []byte) error {
	n, err := in.tree.file.src.ReadAt(dst, in.stream.off+off)
	if n == len(dst) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return ioError{err}
}

// decrypt returns b, which lies at off in the stream, in the clear.
func (in *input) decrypt(b []byte, off int64) []byte {
	if in.stream.key == nil {
		return b
	}
	// The bytes may be a view of the source: they are not written to.
	clear := make([]byte, len(b), len(b)+bitpack.SrcSlack)
	in.stream.key.XOR(clear, b, off)
	return clear
}

// fail says where in the file the stream went wrong.
func (in *input) fail(err error) error {
	if err == nil {
		return nil
	}
	off := int64(-1)
	if in.there {
		off = in.stream.off + in.Offset()
	}
	if in.stream.key != nil && errors.Is(kinded(err), errs.ErrCorrupt) {
		err = fmt.Errorf("%w: the key of this encrypted column is wrong, or the file is damaged", err)
	}
	return located(err, in.stream.kind.String()+" stream", off)
}
