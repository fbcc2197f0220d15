package orcwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// OutPacking says how streams are stored.
type OutPacking struct {
	Codec     blockcodec.Codec
	Level     int  // of the codec, or blockcodec.DefaultLevel
	Chunked   bool // false only where the file's compression is NONE
	BlockSize int  // the bytes that a chunk holds, before compression; from 1 to MaxBlockSize
	Numbers   bool // the stream holds packed numbers, and is compressed by blockcodec.Encoder.EncodeNumbers
	Tries     bool // if a level of blockcodec.Faster makes the second chunk of the stream no longer, those behind it have that, too
}

// MaxBlockSize is the most that BlockSize may be: the length of a chunk has 23 bits.
const MaxBlockSize = 1<<23 - 1

// OutScratch is what the streams that one goroutine writes share: the state of codecs, and room for what they make. The
// zero value is ready.
type OutScratch struct {
	// Later, where it is set, is offered chunks that are full. If it takes one, somebody calls its Pack, with a scratch of
	// their own, before Settle, Parts, Take, Size and Err are asked for; if not, it is packed at once.
	Later func(*OutChunk) bool
	// Pool is where buffers come from; nil = one of this scratch alone.
	Pool *OutPool

	encoder blockcodec.Encoder
	packed  []byte
	tried   []byte // of another level than packed
	own     OutPool
	wide    [maxRun]int64 // what is packed in place of the values of a run
}

// AppendChunks appends a message as the file's compression has it: see AppendChunks.
func (sc *OutScratch) AppendChunks(dst, raw []byte, p OutPacking) (_ []byte, err error) {
	if !p.Chunked {
		return append(dst, raw...), nil
	}
	dst = AppendChunks(dst, raw, p.BlockSize, func(dst, raw []byte) []byte {
		out, e := sc.encoder.Encode(p.Codec, p.Level, dst, raw)
		if e != nil {
			err = e
		}
		return out
	})
	return dst, err
}

func (sc *OutScratch) pool() *OutPool {
	if sc.Pool != nil {
		return sc.Pool
	}
	return &sc.own
}

const (
	// MaxRoom is the most that Room gives at once: more than the longest run takes.
	MaxRoom = 8 << 10

	outPiece     = 256 << 10 // of what is stored, in memory
	outFirstOpen = 1 << 10
)

// Out is a stream that is being written, the reverse of Bytes. What is written fills chunks of the block size to the last
// byte, which are compressed as soon as more comes, and stored as they are where that does not make them shorter. All is
// kept in memory until the stripe is written: see Parts and Take.
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

	open   []byte // the chunk, or piece, that is being filled
	raw    int64  // bytes of those before it
	chunks int    // how many these are
	level  int    // of the codec, for the next chunk
	stored outStored
}

// Open makes o an empty stream. What it held is forgotten, and its buffers are used again: what Parts returned before is
// no longer good. sc may be nil, until Use, if nothing has been written yet.
func (o *Out) Open(p OutPacking, sc *OutScratch) {
	if len(o.stored.parts) > 0 {
		o.shared.pool().Put(o.stored.parts...)
	}
	if sc != nil {
		o.shared = sc
	}
	o.pack, o.limit, o.open, o.raw, o.chunks, o.level = p, outPiece, o.open[:0], 0, 0, p.Level
	o.stored.reset()
	if p.Chunked {
		o.limit = p.BlockSize
		if p.BlockSize <= 0 || p.BlockSize > MaxBlockSize {
			o.limit = MaxBlockSize
			o.stored.err = errs.Errorf(errs.ErrInternal, "chunks of %d bytes", p.BlockSize)
		}
	}
}

// Use makes o share sc from now on, for a stream that another goroutine goes on with.
func (o *Out) Use(sc *OutScratch) { o.shared = sc }

// Err returns what went wrong: the codec, which is errs.ErrOption or errs.ErrUnsupported if it should not have
// been asked. From then on what is stored is of no use.
func (o *Out) Err() error { return o.stored.err }

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
	size := max(2*cap(o.open), outFirstOpen)
	if o.raw > 0 {
		size = o.limit + MaxRoom
	}
	o.reopen(max(len(o.open)+n, min(size, o.limit+MaxRoom)))
}

// reopen moves what is open to a buffer of n bytes.
func (o *Out) reopen(n int) {
	b := append(o.shared.pool().get(n), o.open...)
	o.shared.pool().Put(o.open)
	o.open = b
}

// Write makes b part of the stream. It does not keep it.
func (o *Out) Write(b []byte) {
	for len(b) > 0 {
		if len(o.open) >= o.limit {
			o.spill()
		}
		if len(o.open) == 0 && o.pack.Chunked && len(b) > o.limit && !o.defers(o.limit) {
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
	if o.defers(o.limit) { // more than a chunk, but not two
		o.hand(o.limit)
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
	o.stored.parts = append(o.stored.parts, o.open)
	o.stored.size += int64(len(o.open))
	o.raw += int64(len(o.open))
	o.open = nil
}

// chunk stores a chunk.
func (o *Out) chunk(raw []byte) {
	c := o.next(raw)
	if !o.tries(&c) {
		c.pack(o.shared)
	}
}

// Position appends where the next byte will be. Of a stream that is not chunked that is the bytes before. Else it is two numbers: the
// chunks before the open one, which Settle makes the bytes that they take, with their headers, and the bytes in the open one, which
// can be all that it may hold.
func (o *Out) Position(dst []uint64) []uint64 {
	if !o.pack.Chunked {
		return append(dst, uint64(o.stored.size)+uint64(len(o.open)))
	}
	return append(dst, uint64(o.chunks)|unsettled, uint64(len(o.open)))
}

// Flush stores the chunk that is open. Nothing may be written after it, until Open.
func (o *Out) Flush() {
	switch {
	case len(o.open) == 0:
	case !o.pack.Chunked:
		o.seal()
	case o.defers(len(o.open)):
		o.hand(len(o.open))
	default:
		o.chunk(o.open)
		o.open = o.open[:0]
	}
}

// Raw returns how many bytes have been written.
func (o *Out) Raw() int64 { return o.raw + int64(len(o.open)) }

// Size returns how many bytes the stream takes as it is stored; before Flush that is an estimate, in which the open chunk
// is compressed like those before.
func (o *Out) Size() int64 {
	open := int64(len(o.open))
	if o.raw > 0 && o.pack.Chunked {
		open = int64(float64(open) * float64(o.stored.size) / float64(o.raw))
	}
	return o.stored.size + open
}

// Parts returns what is stored, in order, good until Open. After Flush that is all, and Size the sum of the lengths; who
// encrypts the stream does it in place.
func (o *Out) Parts() [][]byte { return o.stored.parts }

// Take returns Parts and gives them up, to who puts them into the pool of the stream's scratch, or keeps them.
func (o *Out) Take() [][]byte {
	parts := o.stored.parts
	o.stored.parts = nil
	return parts
}
