package orcwire

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// OutPacking says how streams are stored.
type OutPacking struct {
	Codec     blockcodec.Codec
	Level     int  // of the codec, or blockcodec.DefaultLevel
	Chunked   bool // false only where the file's compression is NONE
	BlockSize int  // the bytes that a chunk holds, before compression; from 1 to MaxBlockSize
}

// MaxBlockSize is the most that BlockSize may be: the length of a chunk has 23 bits.
const MaxBlockSize = 1<<23 - 1

// OutScratch is what the streams that one goroutine writes share: the state of codecs, and room for what they make. The
// zero value is ready.
type OutScratch struct {
	encoder blockcodec.Encoder
	packed  []byte
	wide    [maxRun]int64 // what is packed in place of the values of a run
}

const (
	// MaxRoom is the most that Room gives at once: more than the longest run takes.
	MaxRoom = 8 << 10

	outPiece     = 256 << 10 // of what is stored, in memory
	outFirstOpen = 1 << 10
)

// Out is a stream that is being written, the reverse of Bytes. What is written fills chunks of the block size to the last
// byte, which are compressed as soon as more comes, and stored as they are where that does not make them shorter. All is
// kept in memory until the stripe is written: see Parts.
//
//	stored                                  open
//	|header chunk|header chunk|header chunk||…………………………          |
//	|<----- first number of a position --->||<second>|
//
// Open comes first. One goroutine at a time may use it.
type Out struct {
	pack   OutPacking
	shared *OutScratch
	limit  int // bytes from which on open is more than full

	open   []byte   // the chunk, or piece, that is being filled
	parts  [][]byte // what is stored
	stored int64    // bytes of them
	raw    int64    // bytes they hold
	spare  [][]byte // parts of streams before
	err    error
}

// Open makes o an empty stream. What it held is forgotten, and its buffers are used again: what Parts returned before is
// no longer good.
func (o *Out) Open(p OutPacking, sc *OutScratch) {
	for _, b := range o.parts {
		o.spare = append(o.spare, b[:0])
	}
	clear(o.parts)
	*o = Out{pack: p, shared: sc, limit: outPiece, open: o.open[:0], parts: o.parts[:0], spare: o.spare}
	if p.Chunked {
		o.limit = p.BlockSize
		if p.BlockSize <= 0 || p.BlockSize > MaxBlockSize {
			o.limit = MaxBlockSize
			o.err = arrowio.Errorf(arrowio.ErrInternal, "chunks of %d bytes", p.BlockSize)
		}
	}
}

// Use makes o share sc from now on, for a stream that another goroutine goes on with.
func (o *Out) Use(sc *OutScratch) { o.shared = sc }

// Err returns what went wrong: the codec, which is arrowio.ErrOption or arrowio.ErrUnsupported if it should not have
// been asked. From then on what is stored is of no use.
func (o *Out) Err() error { return o.err }

// Room returns n bytes, at most MaxRoom, to fill. Advance says how many of them were.
func (o *Out) Room(n int) []byte {
	k := len(o.open)
	if n > cap(o.open)-k {
		o.grow(n)
	}
	return o.open[k : k+n]
}

// Advance makes the first n bytes that Room returned part of the stream.
func (o *Out) Advance(n int) {
	o.open = o.open[:len(o.open)+n]
	if len(o.open) > o.limit {
		o.spill()
	}
}

// grow makes room for n bytes behind what is open. Small streams, of which there are many, get little.
func (o *Out) grow(n int) {
	n += len(o.open)
	if k := len(o.spare); len(o.open) == 0 && k > 0 && cap(o.spare[k-1]) >= n && cap(o.spare[k-1]) > cap(o.open) {
		o.open, o.spare = o.spare[k-1], o.spare[:k-1]
		return
	}
	size := max(2*cap(o.open), outFirstOpen)
	if o.raw > 0 {
		size = o.limit + MaxRoom
	}
	b := make([]byte, len(o.open), max(n, min(size, o.limit+MaxRoom)))
	copy(b, o.open)
	o.open = b
}

// Write makes b part of the stream. It does not keep it.
func (o *Out) Write(b []byte) {
	for len(b) > 0 {
		if len(o.open) >= o.limit {
			o.spill()
		}
		if len(o.open) == 0 && o.pack.Chunked && len(b) > o.limit {
			o.chunk(b[:o.limit])
			b = b[o.limit:]
			continue
		}
		n := min(o.limit-len(o.open), len(b))
		if n > cap(o.open)-len(o.open) {
			o.grow(n)
		}
		o.open = append(o.open, b[:n]...)
		b = b[n:]
	}
}

// spill stores the chunks that are full. One that is just full stays open if more is open only then.
func (o *Out) spill() {
	if !o.pack.Chunked {
		o.seal()
		return
	}
	left := o.open
	for len(left) > o.limit {
		o.chunk(left[:o.limit])
		left = left[o.limit:]
	}
	if len(left) == o.limit && len(left) == len(o.open) {
		o.chunk(left)
		left = nil
	}
	o.open = o.open[:copy(o.open, left)]
}

// seal makes the open piece of a stream without chunks a part.
func (o *Out) seal() {
	if len(o.open) == 0 {
		return
	}
	o.parts = append(o.parts, o.open)
	o.stored += int64(len(o.open))
	o.raw += int64(len(o.open))
	o.open = nil
}

// chunk stores a chunk.
func (o *Out) chunk(raw []byte) {
	o.raw += int64(len(raw))
	body, original := raw, 1
	if o.pack.Codec != blockcodec.None && o.err == nil {
		packed, err := o.shared.encoder.Encode(o.pack.Codec, o.pack.Level, o.shared.packed[:0], raw)
		if err != nil {
			o.err = err
		} else {
			o.shared.packed = packed
			if len(packed) < len(raw) {
				body, original = packed, 0
			}
		}
	}
	h := len(body)<<1 | original
	o.store([]byte{byte(h), byte(h >> 8), byte(h >> 16)})
	o.store(body)
}

// store appends b to the parts.
func (o *Out) store(b []byte) {
	o.stored += int64(len(b))
	for len(b) > 0 {
		last := len(o.parts) - 1
		if last < 0 || len(o.parts[last]) == cap(o.parts[last]) {
			o.parts = append(o.parts, o.piece(len(b)))
			last++
		}
		p := o.parts[last]
		n := copy(p[len(p):cap(p)], b)
		o.parts[last] = p[:len(p)+n]
		b = b[n:]
	}
}

// piece returns an empty part, of n bytes or so if it is the first, which may be all there will be.
func (o *Out) piece(n int) []byte {
	if k := len(o.spare); k > 0 {
		b := o.spare[k-1]
		o.spare = o.spare[:k-1]
		return b
	}
	if len(o.parts) > 0 {
		n = max(n, int(min(o.stored, outPiece)))
	}
	return make([]byte, 0, max(n, 64))
}

// Position appends where the next byte will be: the bytes of the chunks stored, with their headers, and the bytes in the
// open one, which can be all that it may hold; or, where the stream is not chunked, the bytes before.
func (o *Out) Position(dst []uint64) []uint64 {
	if o.pack.Chunked {
		return append(dst, uint64(o.stored), uint64(len(o.open)))
	}
	return append(dst, uint64(o.stored)+uint64(len(o.open)))
}

// Flush stores the chunk that is open. Nothing may be written after it, until Open.
func (o *Out) Flush() {
	if len(o.open) == 0 {
		return
	}
	if !o.pack.Chunked {
		o.seal()
		return
	}
	o.chunk(o.open)
	o.open = o.open[:0]
}

// Raw returns how many bytes have been written.
func (o *Out) Raw() int64 { return o.raw + int64(len(o.open)) }

// Size returns how many bytes the stream takes as it is stored; before Flush that is an estimate, in which the open chunk
// is compressed like those before.
func (o *Out) Size() int64 {
	open := int64(len(o.open))
	if o.raw > 0 && o.pack.Chunked {
		open = int64(float64(open) * float64(o.stored) / float64(o.raw))
	}
	return o.stored + open
}

// Parts returns what is stored, in order, good until Open. After Flush that is all, and Size the sum of the lengths; who
// encrypts the stream does it in place.
func (o *Out) Parts() [][]byte { return o.parts }
