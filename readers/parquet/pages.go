package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// window is how much of a column chunk of a local file is read at once.
const window = 1 << 20

// chunkBytes are the bytes of a column chunk: pieces of it that were fetched, or a local file that is read as needed.
type chunkBytes struct {
	ctx    context.Context
	src    arrowio.Source // nil = everything was fetched
	end    int64          // where the chunk ends in the file
	at     int64          // where buf begins
	buf    []byte
	pieces []piece // what was fetched, in order
}

type piece struct {
	off int64
	b   []byte
}

// view returns up to n bytes at off, and at least want of them. The chunk is known to reach that far.
func (c *chunkBytes) view(off int64, want, n int) ([]byte, error) {
	n = int(min(int64(n), c.end-off))
	if want > n {
		return nil, corrupt("%d bytes of a page at %d reach behind the column chunk, which ends at %d", want, off, c.end)
	}
	if c.src == nil {
		for len(c.pieces) > 0 && off >= c.pieces[0].off+int64(len(c.pieces[0].b)) {
			c.pieces = c.pieces[1:]
		}
		if len(c.pieces) == 0 || off < c.pieces[0].off {
			return nil, errs.Errorf(errs.ErrInternal, "bytes at %d were not fetched", off)
		}
		b := c.pieces[0].b[off-c.pieces[0].off:]
		if len(b) < want {
			return nil, corrupt("a page at %d is longer than its index says", off)
		}
		return b[:min(n, len(b))], nil
	}
	if off < c.at || off+int64(want) > c.at+int64(len(c.buf)) {
		k := int(min(int64(max(want, window)), c.end-off))
		if cap(c.buf) < k {
			c.buf = newBytes(k)
		}
		c.buf = c.buf[:k]
		if err := readAt(c.ctx, c.src, c.buf, off); err != nil {
			c.buf = c.buf[:0]
			return nil, err
		}
		c.at = off
	}
	b := c.buf[off-c.at:]
	return b[:min(n, len(b))], nil
}

// pageReader reads the pages of a column chunk.
type pageReader struct {
	data   chunkBytes
	chunk  *decode.Chunk
	limits arrowio.Limits
	dec    *blockcodec.Decoder
	off    int64 // of the next page
	at     int64 // of the page being read
	raw    []byte
	levels int64 // levels of the pages so far
	rows   int64 // of the row group
	// only are the data pages, where the offset index was read and those that are wanted were fetched; nil = the chunk is
	// read from its start on.
	only  []decode.Location
	next  int  // the next of them
	begun bool // what is in front of them was read
}

// rowsOf returns how many rows data page i of the offset index has.
func (r *pageReader) rowsOf(i int) int64 {
	if i+1 < len(r.only) {
		return r.only[i+1].FirstRow - r.only[i].FirstRow
	}
	return r.rows - r.only[i].FirstRow
}

// jump leaves out the pages that have none but the next n rows, and returns how many rows they have.
func (r *pageReader) jump(n int64) (rows int64) {
	for r.next < len(r.only) && r.rowsOf(r.next) <= n-rows {
		rows += r.rowsOf(r.next)
		r.next++
	}
	r.seek()
	return rows
}

func (r *pageReader) seek() {
	r.off = r.data.end
	if r.next < len(r.only) {
		r.off = r.only[r.next].Off
	}
}

// indexed checks a page against the offset index, and moves on to the next one there.
func (r *pageReader) indexed(p *page, repeated bool) error {
	if r.next >= len(r.only) || r.only[r.next].Off != p.off || !repeated && int64(p.Values) != r.rowsOf(r.next) {
		return corrupt("a page of %d values that the offset index does not have", p.Values)
	}
	r.next++
	r.seek()
	return nil
}

// page is a page as it was stored.
type page struct {
	decode.Page
	off  int64 // of the header
	body int64 // of the stored body
}

const maxHeader = 16 << 20

// header reads the header of the next page; it reports false behind the last.
func (r *pageReader) header() (p page, ok bool, err error) {
	if r.off >= r.data.end {
		return page{}, false, nil
	}
	for n := 512; ; n *= 8 {
		want := 1 // what was fetched may end with a short page
		if r.data.src != nil {
			want = int(min(int64(n), r.data.end-r.off))
		}
		b, err := r.data.view(r.off, want, n)
		if err != nil {
			return page{}, false, err
		}
		h, size, err := decode.ParsePage(b)
		if errors.Is(err, decode.ErrShort) && len(b) == n && n < maxHeader {
			continue
		}
		if err != nil {
			return page{}, false, errs.Locate(corrupt("page header: %w", err), errs.At{Off: errs.N(r.off)})
		}
		p = page{Page: h, off: r.off, body: r.off + int64(size)}
		r.at = r.off
		break
	}
	if int64(p.Stored) > r.data.end-p.body {
		return page{}, false, errs.Locate(corrupt("a page of %d bytes where the column chunk has %d left", p.Stored, r.data.end-p.body), errs.At{Off: errs.N(p.off)})
	}
	r.off = p.body + int64(p.Stored)
	return p, true, nil
}

// stored reads the body of a page as it is stored, and checks its CRC.
func (r *pageReader) stored(p *page) ([]byte, error) {
	b, err := r.data.view(p.body, p.Stored, p.Stored)
	if err != nil {
		return nil, err
	}
	if p.HasCRC {
		if got := crc32.ChecksumIEEE(b); got != p.CRC {
			return nil, corrupt("the CRC of the page is %08x, its header says %08x", got, p.CRC)
		}
	}
	return b, nil
}

// body reads and decompresses the body of a page: of version 2 the levels, as they are stored, and the values. It is valid
// until the next call.
func (r *pageReader) body(p *page) (levels, values []byte, err error) {
	b, err := r.stored(p)
	if err != nil {
		return nil, nil, errs.Locate(err, errs.At{Off: errs.N(p.off)})
	}
	raw := p.Raw
	compressed := r.chunk.Codec != decode.Uncompressed
	if p.Kind == decode.DataPageV2 {
		n := p.RepBytes + p.DefBytes
		if n > len(b) || n > raw {
			return nil, nil, errs.Locate(corrupt("levels of %d bytes in a page of %d", n, len(b)), errs.At{Off: errs.N(p.off)})
		}
		levels, b, raw = b[:n], b[n:], raw-n
		compressed = compressed && p.Compressed
	}
	if compressed {
		if b, err = r.decompress(b, raw); err != nil {
			return nil, nil, errs.Locate(err, errs.At{Off: errs.N(p.off)})
		}
	} else if len(b) != raw {
		return nil, nil, errs.Locate(corrupt("a page of %d bytes that is not compressed has %d", raw, len(b)), errs.At{Off: errs.N(p.off)})
	}
	return levels, b, nil
}

var codecs = [...]blockcodec.Codec{
	decode.Snappy: blockcodec.Snappy, decode.Gzip: blockcodec.Deflate, decode.Brotli: blockcodec.Brotli, decode.LZ4: blockcodec.LZ4,
	decode.Zstd: blockcodec.Zstd, decode.LZ4Raw: blockcodec.LZ4,
}

// checkCodec refuses codecs that are not read.
func checkCodec(c decode.Codec) error {
	if c == decode.Uncompressed || c > 0 && int(c) < len(codecs) && codecs[c] != blockcodec.None {
		return nil
	}
	return errs.Errorf(errs.ErrUnsupported, "compression %s", c)
}

func (r *pageReader) decompress(b []byte, raw int) ([]byte, error) {
	codec := codecs[r.chunk.Codec]
	switch {
	case int64(raw) > r.limits.BatchBytes:
		return nil, errs.Errorf(errs.ErrLimit, "a page of %d bytes (Limits.BatchBytes)", raw)
	case raw == 0 && len(b) == 0:
		return nil, nil
	case int64(raw) > blockcodec.MaxRaw(codec, int64(len(b))):
		return nil, corrupt("%d bytes of %s say they hold %d", len(b), r.chunk.Codec, raw)
	}
	if cap(r.raw) < raw+blockcodec.Slack {
		r.raw = newBytes(raw + blockcodec.Slack)
	}
	switch r.chunk.Codec {
	case decode.Gzip:
		return r.gunzip(b, raw)
	case decode.LZ4:
		return r.hadoopLZ4(b, raw)
	}
	out, err := r.dec.Decode(codec, r.raw, b, raw, true)
	return out, err
}

// gunzip decompresses the members of a gzip file.
func (r *pageReader) gunzip(b []byte, raw int) ([]byte, error) {
	out := r.raw[:0]
	for first := true; first || len(b) > 0; first = false {
		head, err := gzipHeader(b)
		if err != nil {
			return nil, err
		}
		b = b[head:]
		dst := r.raw[len(out):]
		part, err := r.dec.Decode(blockcodec.Deflate, dst[:0:cap(dst)], b, raw-len(out), false)
		if err != nil {
			return nil, err
		}
		trailing := r.dec.Trailing()
		if trailing < 8 {
			return nil, corrupt("gzip: the data are cut off")
		}
		end := b[len(b)-trailing:]
		if sum := crc32.ChecksumIEEE(part); sum != binary.LittleEndian.Uint32(end) {
			return nil, corrupt("gzip: the CRC of the data is %08x, their end says %08x", sum, binary.LittleEndian.Uint32(end))
		}
		out = r.raw[:len(out)+len(part)]
		b = end[8:]
	}
	if len(out) != raw {
		return nil, corrupt("gzip: a page of %d bytes holds %d", raw, len(out))
	}
	return out, nil
}

// gzipHeader returns how long the header of a gzip member is.
//
//	1f 8b 08 flags, 6 bytes | extra: length, bytes | name, 0 | comment, 0 | CRC-16
func gzipHeader(b []byte) (int, error) {
	const (
		hasCRC     = 2
		hasExtra   = 4
		hasName    = 8
		hasComment = 16
	)
	short := corrupt("gzip: the header is cut off")
	if len(b) < 10 {
		return 0, short
	}
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 {
		return 0, corrupt("gzip: the data do not begin as gzip does")
	}
	flags, n := b[3], 10
	if flags&hasExtra != 0 {
		if len(b) < n+2 {
			return 0, short
		}
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, f := range []byte{hasName, hasComment} {
		if flags&f == 0 {
			continue
		}
		for n < len(b) && b[n] != 0 {
			n++
		}
		n++
	}
	if flags&hasCRC != 0 {
		n += 2
	}
	if n > len(b) {
		return 0, short
	}
	return n, nil
}

// hadoopLZ4 decompresses the codec LZ4, which means different things to different writers: blocks that follow their two
// lengths, 4 bytes big-endian each, or a single block.
func (r *pageReader) hadoopLZ4(b []byte, raw int) ([]byte, error) {
	out := r.raw[:0]
	for rest := b; ; {
		if len(rest) == 0 && len(out) == raw {
			return out, nil
		}
		if len(rest) < 8 {
			break
		}
		size, stored := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		if uint64(stored) > uint64(len(rest)-8) || uint64(size) > uint64(raw-len(out)) {
			break
		}
		dst := r.raw[len(out):]
		part, err := r.dec.Decode(blockcodec.LZ4, dst[:0:cap(dst)], rest[8:8+stored], int(size), true)
		if err != nil {
			break
		}
		out = r.raw[:len(out)+len(part)]
		rest = rest[8+stored:]
	}
	return r.dec.Decode(blockcodec.LZ4, r.raw, b, raw, true)
}
