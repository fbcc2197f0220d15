package avro

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/avrowire"
)

// scratch is what readers of one file reuse: fetched bytes, an unpacked block, the state of a codec.
type scratch struct {
	fetch []byte
	raw   []byte
	codec avrowire.Decoder
}

// splitReader decodes the blocks of one split. See arrowio.SplitReader.
type splitReader struct {
	f       *file
	split   arrowio.Split
	schema  *arrow.Schema
	roots   []*node
	row     []step
	past    []skipper // a whole row
	widths  int64     // bytes of Arrow memory that a row takes at least
	scratch *scratch
	decoder

	data    []byte // of the split, from the next block on
	off     int64  // of data in the file
	at      int64  // where the current block stands in the file
	packed  []byte // the current block, until a row of it is needed
	p       int    // the next row in decoder.raw
	passed  int64  // rows from there on that were skipped
	rest    int64  // rows of the block that were neither read nor skipped
	open    bool   // the current block is unpacked
	pos     int64  // rows of the split that were read or skipped
	rows    int    // of the batch being built
	sized   int64  // bytes and rows of the batches before, for Fit
	counted int64
	err     error
}

var errClosed = errors.New("avro: the split reader is closed")

// Read implements arrowio.File.
func (f *file) Read(ctx context.Context, s arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r, err := f.reader(ctx, s, f.starts[s.Ordinal], f.ends[s.Ordinal], p, mem)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// reader opens the blocks from start to end, which have the rows of s.
func (f *file) reader(ctx context.Context, s arrowio.Split, start, end int64, p arrowio.Projection, mem memory.Allocator) (*splitReader, error) {
	b := builder{f: f, mem: &arrowbuf.Arena{Allocator: mem}}
	r := &splitReader{f: f, split: s, schema: p.Schema, past: skippers(nil, f.avro)}
	r.roots, r.row = b.rows(p)
	r.limits, r.table = &f.limits, f.table
	r.left, r.elements = f.limits.BatchBytes, f.limits.BatchElements
	for _, n := range r.roots {
		r.widths += n.widths()
	}
	if r.scratch, _ = f.scratch.Get().(*scratch); r.scratch == nil {
		r.scratch = &scratch{}
	}
	r.off = start
	if len(r.roots) == 0 {
		return r, nil // rows alone
	}
	n := end - start
	if n > f.limits.SplitBytes {
		_ = r.Close()
		return nil, errs.Locate(errs.Errorf(errs.ErrLimit, "%d bytes are over the limit SplitBytes = %d", n, f.limits.SplitBytes), errs.At{Format: Name, Split: errs.N(s.Ordinal)})
	}
	pieces, buf, err := arrowio.ReadRangesInto(ctx, f.src, []arrowio.ByteRange{{Off: r.off, Len: n}}, r.scratch.fetch, 0)
	r.scratch.fetch = buf
	if err != nil {
		_ = r.Close()
		return nil, errs.Locate(err, errs.At{Format: Name, Split: errs.N(s.Ordinal)})
	}
	r.data = pieces[0]
	return r, nil
}

// widths returns the bytes of Arrow memory that a slot takes at least.
func (n *node) widths() int64 {
	w := n.width
	if n.op == opRecord {
		for _, c := range n.children {
			w += c.widths()
		}
	}
	return w
}

// fails makes err the end of the reader.
func (r *splitReader) fails(err error) error {
	if r.err == nil {
		r.err = errs.Locate(err, errs.At{Format: Name, Split: errs.N(r.split.Ordinal), Op: "block", Off: errs.N(r.at)})
	}
	return r.err
}

// next takes the next block with rows.
func (r *splitReader) next() error {
	for r.rest == 0 {
		r.at = r.off
		h, err := avrowire.ParseBlockHead(r.data, int64(len(r.data)))
		if err != nil {
			return r.fails(err)
		}
		end := int64(h.Size) + h.Packed + avrowire.SyncSize
		r.packed = r.data[h.Size:][:h.Packed]
		r.data = r.data[end:]
		r.off += end
		r.rest, r.passed, r.open = h.Rows, 0, false
	}
	return nil
}

// unpack makes the current block readable, and passes over the rows that were skipped.
func (r *splitReader) unpack() error {
	if !r.open {
		raw, err := r.scratch.codec.Unpack(r.f.header.Codec, r.scratch.raw, r.packed, r.f.limits.BlockBytes)
		if err != nil {
			return r.fails(err)
		}
		if r.f.header.Codec != (avrowire.Codec{}) {
			r.scratch.raw = raw
		}
		r.raw, r.p, r.open = raw, 0, true
	}
	for ; r.passed > 0 && len(r.past) > 0; r.passed-- {
		if r.p = r.skip(r.past, r.p); r.p < 0 {
			return r.fails(r.decoder.err)
		}
	}
	r.passed = 0
	return nil
}

// Skip implements arrowio.SplitReader.
func (r *splitReader) Skip(n int64) (int64, error) {
	if r.err != nil {
		return 0, r.err
	}
	if err := r.split.Rows.Check(r.split.Rows.Start+r.pos, n); err != nil {
		return 0, r.fails(err)
	}
	r.pos += n
	if len(r.roots) == 0 {
		return n, nil
	}
	for left := n; left > 0; {
		if err := r.next(); err != nil {
			return 0, err
		}
		k := min(left, r.rest)
		r.passed += k
		r.rest -= k
		left -= k
	}
	return n, nil
}

// Read implements arrowio.SplitReader.
func (r *splitReader) Read(n int) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if err := r.split.Rows.Check(r.split.Rows.Start+r.pos, int64(n)); err != nil {
		return 0, r.fails(err)
	}
	r.pos += int64(n)
	r.rows += n
	if len(r.roots) == 0 {
		return n, nil
	}
	for left := n; left > 0; {
		if err := r.next(); err != nil {
			return 0, err
		}
		if err := r.unpack(); err != nil {
			return 0, err
		}
		k := int(min(int64(left), r.rest))
		if err := r.decode(k); err != nil {
			return 0, r.fails(err)
		}
		r.rest -= int64(k)
		left -= k
		if r.rest == 0 && r.p != len(r.raw) {
			return 0, r.fails(errs.Errorf(errs.ErrCorrupt, "%d bytes are left behind the last row", len(r.raw)-r.p))
		}
	}
	return n, nil
}

// decode reads the next k rows of the block.
func (r *splitReader) decode(k int) error {
	for _, n := range r.roots {
		if !r.reserve(n, k) {
			return r.decoder.err
		}
	}
	p := r.p
	for range k {
		if p = r.steps(r.row, p); p < 0 {
			return r.decoder.err
		}
	}
	r.p = p
	for _, n := range r.roots {
		if bad := n.checkText(); bad != nil {
			return errs.Locate(errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8"), errs.At{Column: bad.path})
		}
	}
	return nil
}

// Take implements arrowio.SplitReader.
func (r *splitReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	cols := make([]arrow.Array, len(r.roots))
	for i, n := range r.roots {
		d := n.take()
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	for _, c := range cols {
		c.Release()
	}
	r.sized, r.counted = r.limits.BatchBytes-r.left, int64(r.rows)
	r.rows = 0
	r.left, r.elements = r.limits.BatchBytes, r.limits.BatchElements
	return rec, nil
}

// Close implements arrowio.SplitReader.
func (r *splitReader) Close() error {
	for _, n := range r.roots {
		n.release()
	}
	r.roots, r.data, r.packed, r.raw = nil, nil, nil, nil
	if r.scratch != nil {
		r.scratch.codec.Release()
		r.f.scratch.Put(r.scratch)
		r.scratch = nil
	}
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

// Fit implements arrowio.Sizer. It goes by the rows before, and at first by the bytes in the file.
func (r *splitReader) Fit(n int, bytes int64) int {
	each := r.widths
	switch {
	case len(r.roots) == 0:
		return n
	case r.counted > 0:
		each = max(each, r.sized/r.counted)
	default:
		each += r.split.Bytes / max(r.split.Rows.Len(), 1)
	}
	return int(max(1, min(int64(n), bytes/max(each, 1))))
}
