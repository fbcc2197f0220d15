package orc

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// unpacked is what a stream or a message holds once it is unpacked, and where in the file its bytes are.
type unpacked struct {
	raw    []byte
	places []spot
	cut    bool // there is more than raw
}

// spot says where bytes of a content lie.
type spot struct {
	at  int   // in unpacked.raw, up to the next place
	off int64 // in the file; -1 = not there as they are, but packed or encrypted
}

// spot returns the place of a byte and where in raw the next begins.
func (c *unpacked) spot(at int) (p spot, end int) {
	p, end = spot{off: -1}, len(c.raw)
	for i := range c.places {
		if c.places[i].at > at {
			return p, c.places[i].at
		}
		p = c.places[i]
	}
	return p, end
}

// inFile reports whether a byte is in the file as it is.
func (c *unpacked) inFile(at int) bool {
	p, _ := c.spot(at)
	return p.off >= 0
}

// say prints what bytes of a content mean: with the bytes, where they are in the file as they are.
func (d *dumper) say(c *unpacked, from, to int, format string, args ...any) {
	p, end := c.spot(from)
	switch {
	case p.off < 0:
		d.Note(format, args...)
	case to <= end:
		d.Range(p.off+int64(from-p.at), int64(to-from), format, args...)
		return
	default:
		d.Range(p.off+int64(from-p.at), int64(end-from), format, args...)
	}
	for from = end; from < to; from = end {
		if p, end = c.spot(from); p.off >= 0 {
			d.Range(p.off+int64(from-p.at), int64(min(end, to)-from), "… goes on")
		}
	}
}

// rest prints the bytes of a content that were not explained, from one on.
func (d *dumper) rest(c *unpacked, from int, what string) {
	for from < len(c.raw) {
		p, end := c.spot(from)
		if p.off >= 0 {
			d.Range(p.off+int64(from-p.at), int64(end-from), "%s", what)
		} else {
			d.Note("%s: %d bytes", what, end-from)
		}
		from = end
	}
}

// Bounds of what is shown of a stream of values.
const (
	shownChunks = 4
	shownBytes  = 64 << 10 // of a stream that is not compressed
)

// stored is a part of the file that holds a content: a stream or a message of the tail.
type stored struct {
	arrowio.ByteRange
	packed bool // in chunks, if the file has a codec
	most   int  // how many chunks to unpack; 0 = all, up to Limits.MetadataBytes
	secret *stream
}

// open reads a part, prints its chunks and returns what they hold. What is wrong is printed, too; an error is one of
// reading.
func (d *dumper) open(x stored) (*unpacked, error) {
	n := x.Len
	if x.most > 0 || !x.packed {
		n = min(n, max(shownBytes, int64(d.f.packing.BlockSize)+chunkHeader))
	}
	if n > d.f.limits.MetadataBytes {
		d.Range(x.Off, x.Len, "over the limit MetadataBytes = %d: not shown", d.f.limits.MetadataBytes)
		return &unpacked{}, nil
	}
	b, err := d.f.fetchBytes(d.ctx, x.Off, n)
	if err != nil {
		return nil, err
	}
	c := &unpacked{cut: n < x.Len}
	off := x.Off
	if x.secret != nil {
		d.Range(x.Off, x.Len, "encrypted")
		plain := make([]byte, len(b))
		x.secret.key.XOR(plain, b, 0)
		b, off = plain, -1
	}
	if !x.packed || !d.f.packing.Chunked {
		c.raw, c.places = b, []spot{{off: off}}
		if c.cut && off >= 0 {
			d.after = append(d.after, arrowio.ByteRange{Off: x.Off + n, Len: x.Len - n})
		}
		return c, nil
	}
	at := d.chunks(c, b, off, x.most, n == x.Len)
	if off >= 0 && int64(at) < x.Len {
		d.after = append(d.after, arrowio.ByteRange{Off: x.Off + int64(at), Len: x.Len - int64(at)})
	}
	c.cut = c.cut || int64(at) < x.Len
	return c, nil
}

// chunks unpacks chunks, most of them at most, and returns where it stopped. whole says that b is all of the part.
func (d *dumper) chunks(c *unpacked, b []byte, off int64, most int, whole bool) int {
	at := 0
	for n := 0; at < len(b) && (most == 0 || n < most); n++ {
		if len(b)-at < chunkHeader {
			d.chunk(off, at, len(b)-at, "! %d bytes are no chunk header", len(b)-at)
			return len(b)
		}
		h := int(binary.LittleEndian.Uint16(b[at:])) | int(b[at+2])<<16
		size, stored := h>>1, h&1 == 1
		if size > len(b)-at-chunkHeader {
			if whole {
				d.chunk(off, at, chunkHeader, "! chunk of %d bytes, %d are left", size, len(b)-at-chunkHeader)
				at += chunkHeader
			}
			return at
		}
		start := at + chunkHeader
		body := b[start : start+size]
		if stored {
			d.chunk(off, at, chunkHeader, "chunk of %d bytes, stored as they are", size)
			p := spot{at: len(c.raw), off: -1}
			if off >= 0 {
				p.off = off + int64(start)
			}
			c.places = append(c.places, p)
			c.raw = append(c.raw, body...)
		} else {
			d.chunk(off, at, chunkHeader, "chunk of %d bytes, packed", size)
			raw, err := d.unpackChunk(body)
			if err != nil {
				d.chunk(off, start, size, "! %v", err)
				return start + size
			}
			d.chunk(off, start, size, "%d bytes once unpacked", len(raw))
			c.places = append(c.places, spot{at: len(c.raw), off: -1})
			c.raw = append(c.raw, raw...)
			if int64(len(c.raw)) > d.f.limits.MetadataBytes {
				d.Note("! over the limit MetadataBytes = %d", d.f.limits.MetadataBytes)
				return start + size
			}
		}
		at = start + size
	}
	return at
}

func (d *dumper) unpackChunk(b []byte) ([]byte, error) {
	if d.f.packing.Codec == blockcodec.None {
		return b, nil
	}
	raw, err := d.codec.Decode(d.f.packing.Codec, d.buf[:0], b, d.f.packing.BlockSize, false)
	if err == nil {
		d.buf = raw
	}
	return raw, err
}

// chunk prints a part of a chunk, if it is in the file as it is.
func (d *dumper) chunk(off int64, at, n int, format string, args ...any) {
	if off < 0 {
		d.Note(format, args...)
		return
	}
	d.Range(off+int64(at), int64(n), format, args...)
}
