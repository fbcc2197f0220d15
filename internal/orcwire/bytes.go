package orcwire

import (
	"errors"
	"math"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// Errors of streams, returned as they are: the reader knows the stream, the column and the row. What a codec says of a
// chunk, and what Fetch says, passes through.
var (
	ErrEnd      = errors.New("stream ends before its values do")
	ErrChunk    = errors.New("chunk is longer than the stream or the block size allows")
	ErrRun      = errors.New("run is not legal")
	ErrRange    = errors.New("value does not fit the type of the column")
	ErrPosition = errors.New("position of the row index is not within the stream")
)

// Fetch returns stored bytes of a stream from off on, counted from the stream's start: at least least, and up to most
// where they are as cheap. They are good until the next call of the same Fetch; bitpack.SrcSlack bytes of capacity behind
// them may be read, whatever they are. What has less capacity is copied.
type Fetch func(off, least, most int64) ([]byte, error)

// Packing says how the streams of a file are stored (specification, "Compression").
type Packing struct {
	Codec     blockcodec.Codec
	Chunked   bool // false only where the file's compression is NONE
	BlockSize int  // the most bytes that a chunk may hold, as they are or decompressed
}

const (
	chunkHeader = 3
	leastFetch  = 16 << 10  // of a stream's first bytes; each further call asks for twice as much
	mostFetch   = 256 << 10 // where MaxFetch is not set
	leastInto   = 32 << 10  // read by Bytes.Into rather than fetched and copied
	seamBytes   = 8 << 10   // copied behind what a window carries over, so that its runs are whole
)

// Bytes is the content of one stream, seen through a window. Who needs more than the window holds asks for it, and sees
// the rest of the window with more behind it; so no run, varint or string ever straddles. The zero value is an empty
// stream. One goroutine at a time may use it.
//
// Where the stored bytes are the content, the window is what Fetch returned. Only the few bytes before the end of a
// piece that belong to what goes on in the next are copied, and so much of the next behind them:
//
//	piece  |……………………………………………… abc|
//	next piece                      |defghij………………………………………………|
//	seam                        |abc|defghij|                      the window
//	                                        |………………………………………………|  … and the next, once abc is used up
//
// A compressed chunk is decompressed right behind what the window carries over.
type Bytes struct {
	// MaxFetch is the most stored bytes to fetch at once, 0 = 256 KiB; a chunk that is longer is fetched whole. It is
	// kept from one Open to the next.
	MaxFetch int64

	// Into, where it is set, reads stored bytes from an offset on to where they are wanted: Take uses it for much that is
	// not compressed, instead of Fetch and a copy. It is kept like MaxFetch.
	Into func(off int64, dst []byte) error

	win  []byte // what is visible, and SrcSlack bytes behind it that can be read
	rest []byte // not nil: the window is a seam, whose last over bytes are the first of rest
	over int
	own  bool // the window lies in buf

	chunk    []byte // all contents of the chunk (or piece) that starts at at, the newest in the window; nil = gone
	chunkOwn bool   // it lies in buf
	at       int64
	next     int64 // stored offset of what is not yet in the window

	piece []byte // what Fetch returned last; nil = nothing
	from  int64  // its stored offset
	ask   int64  // how much to fetch next time

	size   int64
	fetch  Fetch
	pack   Packing
	shared *Scratch
	buf    []byte
}

// Open makes b the content of a stream of size stored bytes. It reads nothing yet. What b holds of another stream is
// forgotten; its buffers are kept.
func (b *Bytes) Open(size int64, fetch Fetch, p Packing, sc *Scratch) {
	b.leave(0) // field by field: stripes may be short and have thousands of streams
	b.chunkOwn, b.piece, b.from = false, nil, 0
	b.size, b.pack = size, p
	if b.shared != sc {
		b.shared = sc
	}
	b.fetch = fetch
	b.ask = min(leastFetch, b.maxFetch())
	if p.Chunked && size <= min(leastFetch, chunkHeader+int64(p.BlockSize)) {
		b.ask = size // one chunk most often, which is wanted whole: not its header first
	}
}

// Reset makes b an empty stream and lets go of its buffers.
func (b *Bytes) Reset() { *b = Bytes{MaxFetch: b.MaxFetch, Into: b.Into} }

// Close makes b an empty stream. It keeps a buffer of up to most bytes.
func (b *Bytes) Close(most int) {
	b.leave(0)
	b.piece, b.from, b.size, b.fetch = nil, 0, 0, nil
	if cap(b.buf) > most {
		b.buf = nil
	}
}

func (b *Bytes) maxFetch() int64 {
	if b.MaxFetch <= 0 {
		return mostFetch
	}
	return b.MaxFetch
}

// Stored returns the stream's size as it is stored.
func (b *Bytes) Stored() int64 { return b.size }

// Offset returns where the window starts in the stored stream: the offset of its byte, or of its chunk. After an error
// of a chunk it is that chunk's.
func (b *Bytes) Offset() int64 {
	if b.pack.Chunked {
		return b.at
	}
	return b.next - int64(len(b.rest)-b.over) - int64(len(b.win))
}

// MostLeft returns a number of bytes that the content not yet consumed does not exceed, however well it is compressed.
func (b *Bytes) MostLeft() int64 {
	seen := int64(len(b.win)) + int64(len(b.rest)-b.over)
	stored := b.size - b.next
	if !b.pack.Chunked || stored <= 0 {
		return seen + max(stored, 0)
	}
	most := max(stored, blockcodec.MaxRaw(b.pack.Codec, stored))
	chunks, block := stored/(chunkHeader+1)+1, int64(max(b.pack.BlockSize, 0))
	if block == 0 || chunks <= math.MaxInt64/block {
		most = min(most, chunks*block)
	}
	if most > math.MaxInt64-seen {
		return math.MaxInt64
	}
	return seen + most
}

// Window returns what is visible. It is good until the next call that moves the window; bitpack.SrcSlack bytes behind
// its end can be read.
func (b *Bytes) Window() []byte { return b.win }

// Advance passes over the first n visible bytes.
func (b *Bytes) Advance(n int) { b.win = b.win[n:] }

// Need makes at least n bytes visible, or all there are if the stream ends before.
func (b *Bytes) Need(n int) error {
	for len(b.win) < n {
		if ok, err := b.more(); !ok {
			return err
		}
	}
	return nil
}

// Ended returns whether nothing is left.
func (b *Bytes) Ended() (bool, error) {
	err := b.Need(1)
	return err == nil && len(b.win) == 0, err
}

// Take copies the next len(dst) bytes. ErrEnd: there are not that many.
func (b *Bytes) Take(dst []byte) error {
	for {
		n := copy(dst, b.win)
		b.win = b.win[n:]
		dst = dst[n:]
		if len(dst) == 0 {
			return nil
		}
		if b.rest == nil && b.pack.Chunked {
			n, err := b.takeChunk(dst)
			if err != nil {
				return err
			}
			if n > 0 {
				dst = dst[n:]
				continue
			}
		}
		if b.Straight(int64(len(dst))) {
			if int64(len(dst)) > b.size-b.next {
				return ErrEnd
			}
			if err := b.Into(b.next, dst); err != nil {
				return err
			}
			b.leave(b.next + int64(len(dst)))
			return nil
		}
		if ok, err := b.more(); !ok {
			return endOr(err)
		}
	}
}

// Straight reports whether Take reads the last of n bytes, which are much, to where they are wanted.
func (b *Bytes) Straight(n int64) bool {
	return !b.pack.Chunked && b.Into != nil && b.rest == nil && n-int64(len(b.win)) >= leastInto
}

// takeChunk decompresses the next chunk to dst if that has room for any chunk. It returns how many bytes that gave.
func (b *Bytes) takeChunk(dst []byte) (int, error) {
	if b.next >= b.size {
		return 0, nil
	}
	n, original, err := b.header()
	if err != nil || original {
		return 0, err
	}
	size := b.most(n)
	if size+blockcodec.Slack > len(dst) {
		return 0, nil
	}
	packed, err := b.payload(n)
	if err != nil {
		return 0, err
	}
	b.leave(b.next + chunkHeader + int64(n))
	raw, err := b.shared.decoder.Decode(b.pack.Codec, dst, packed, size, false)
	return len(raw), err
}

// Discard passes over n bytes. ErrEnd: there are not that many.
func (b *Bytes) Discard(n int64) error {
	for {
		k := min(n, int64(len(b.win)))
		b.win = b.win[k:]
		n -= k
		if n <= 0 {
			return nil
		}
		if b.rest == nil {
			k, err := b.discardStored(n)
			if err != nil {
				return err
			}
			if n -= k; n == 0 {
				return nil
			}
		}
		if ok, err := b.more(); !ok {
			return endOr(err)
		}
	}
}

// discardStored passes over up to n bytes that are stored as they are, without fetching them: all, or one chunk.
func (b *Bytes) discardStored(n int64) (int64, error) {
	if b.next >= b.size {
		return 0, nil
	}
	if !b.pack.Chunked {
		n = min(n, b.size-b.next)
		b.leave(b.next + n)
		return n, nil
	}
	k, original, err := b.header()
	if err != nil || !original || int64(k) > n {
		return 0, err
	}
	b.leave(b.next + chunkHeader + int64(k))
	return int64(k), nil
}

func endOr(err error) error {
	if err == nil {
		return ErrEnd
	}
	return err
}

// leave forgets the window and goes on at a stored offset.
func (b *Bytes) leave(next int64) {
	b.win, b.rest, b.over, b.own = nil, nil, 0, false
	b.chunk, b.at, b.next = nil, next, next
}

// Seek goes to a position: the start of a chunk and the bytes into it, or the bytes into a stream that is not
// compressed. It may be the end of a chunk, or of the stream. ErrPosition: it is outside of them.
func (b *Bytes) Seek(p *Positions) error {
	start, err := p.Next()
	if err != nil {
		return err
	}
	off := uint64(0)
	if b.pack.Chunked {
		if off, err = p.Next(); err != nil {
			return err
		}
	} else if c := start - uint64(b.at); b.chunk != nil && start >= uint64(b.at) && c <= uint64(len(b.chunk)) {
		start, off = uint64(b.at), c
	}
	if start > uint64(b.size) {
		return ErrPosition
	}
	if b.chunk == nil || start != uint64(b.at) {
		b.leave(int64(start))
		if off == 0 {
			return nil // the chunk is read when somebody wants it
		}
		if b.next == b.size {
			return ErrPosition
		}
		if err := b.loadChunk(); err != nil {
			return err
		}
	}
	if off > uint64(len(b.chunk)) {
		return ErrPosition
	}
	// The chunk is the newest in the window, so what follows it is next.
	b.rest, b.over = nil, 0
	b.own = b.chunkOwn
	b.win = b.chunk[off:]
	return nil
}

// more makes more visible. false: there is no more.
func (b *Bytes) more() (bool, error) {
	if b.rest != nil {
		carry := len(b.win) - b.over
		if carry <= 0 { // nothing is left of the piece before
			b.win = b.rest[-carry:]
			b.rest, b.over, b.own = nil, 0, false
			return true, nil
		}
		b.join(b.win[:carry], b.rest, 2*b.over)
		return true, nil
	}
	for n := len(b.win); b.next < b.size; {
		b.chunk, b.at = nil, b.next
		var err error
		if b.pack.Chunked {
			err = b.loadChunk()
		} else {
			err = b.loadPiece()
		}
		if err != nil || len(b.win) > n {
			return err == nil, err
		}
	}
	return false, nil
}

// loadPiece makes the next stored bytes visible.
func (b *Bytes) loadPiece() error {
	if err := b.fill(1); err != nil {
		return err
	}
	c := b.stored()
	b.chunk, b.chunkOwn, b.next = c, false, b.next+int64(len(c))
	b.join(b.win, c, seamBytes)
	return nil
}

// loadChunk makes the next chunk visible.
func (b *Bytes) loadChunk() error {
	n, original, err := b.header()
	if err != nil {
		return err
	}
	packed, err := b.payload(n)
	if err != nil {
		return err
	}
	next := b.next + chunkHeader + int64(n)
	if original {
		b.chunk, b.chunkOwn, b.next = packed, false, next
		b.join(b.win, packed, seamBytes)
		return nil
	}
	size := b.most(n)
	if need := size + blockcodec.Slack; len(b.win)+need <= cap(b.buf) || next < b.size {
		b.room(need)
		k := len(b.win)
		raw, err := b.shared.decoder.Decode(b.pack.Codec, b.win[k:cap(b.win)], packed, size, false)
		if err != nil {
			return err
		}
		b.win = b.win[:k+len(raw)]
		b.chunk = b.win[k:]
	} else { // the last: often all of a small stream, of which there may be thousands, so its buffer gets the size that it needs
		raw, err := b.shared.unpack(b.pack.Codec, packed, size)
		if err != nil {
			return err
		}
		b.next, b.piece = next, nil
		k := len(b.win)
		b.room(len(raw) + bitpack.SrcSlack)
		b.win = append(b.win, raw...)
		b.chunk = b.win[k:]
	}
	b.chunkOwn, b.next = true, next
	return nil
}

// join makes c visible behind carry, the rest of the window: c itself if there is no rest, else a seam of it and the
// first k bytes of c.
func (b *Bytes) join(carry, c []byte, k int) {
	b.rest, b.over = nil, 0
	if len(carry) == 0 {
		b.win, b.own = c, false
		return
	}
	k = min(k, len(c))
	b.win = carry
	b.room(k + bitpack.SrcSlack)
	b.win = append(b.win, c[:k]...)
	if k < len(c) {
		b.rest, b.over = c, k
	}
}

// room moves the window to where there are so many bytes of buf behind it.
func (b *Bytes) room(behind int) {
	if b.own && cap(b.win)-len(b.win) >= behind {
		return
	}
	need, buf := len(b.win)+behind, b.buf
	// A window of half the buffer or more would be moved again and again for little.
	if need > cap(buf) || len(b.win) > cap(buf)/2 {
		if len(b.buf) > 0 || len(b.win) > 0 {
			need += max(len(b.win), need/8)
		}
		if b.next < b.size && b.pack.Chunked {
			need += seamBytes
		}
		buf = make([]byte, need)
	}
	b.win = buf[:copy(buf, b.win)]
	b.buf, b.own = buf, true
}

// header reads the header of the next chunk, of which there is at least a byte:
//
//	length*2 + original   3 bytes, little-endian
func (b *Bytes) header() (n int, original bool, err error) {
	if b.size-b.next < chunkHeader {
		return 0, false, ErrChunk
	}
	if err := b.fill(chunkHeader); err != nil {
		return 0, false, err
	}
	s := b.stored()
	h := int(s[0]) | int(s[1])<<8 | int(s[2])<<16
	n, original = h>>1, h&1 == 1
	if int64(n) > b.size-b.next-chunkHeader || original && n > b.pack.BlockSize {
		return 0, false, ErrChunk
	}
	return n, original, nil
}

// payload returns the n bytes behind the header of the next chunk.
func (b *Bytes) payload(n int) ([]byte, error) {
	if err := b.fill(chunkHeader + int64(n)); err != nil {
		return nil, err
	}
	return b.stored()[chunkHeader : chunkHeader+n], nil
}

// most returns how many bytes a compressed chunk of n bytes may hold.
func (b *Bytes) most(n int) int {
	return int(min(int64(max(b.pack.BlockSize, 0)), blockcodec.MaxRaw(b.pack.Codec, int64(n))))
}

// stored returns what has been fetched of the bytes that follow.
func (b *Bytes) stored() []byte {
	if off := b.next - b.from; off >= 0 && off < int64(len(b.piece)) {
		return b.piece[off:]
	}
	return nil
}

// fill fetches until n of the bytes that follow are there; the stream has as many.
func (b *Bytes) fill(n int64) error {
	if int64(len(b.stored())) >= n {
		return nil
	}
	most := max(n, b.ask)
	if n > b.ask/2 && b.pack.Chunked && n > chunkHeader {
		most = n + chunkHeader // a chunk for itself, and the header behind it, which says how long the next is
	}
	most = min(most, b.size-b.next)
	// What the window has of the old piece moves before that goes.
	if !b.own && len(b.win) > 0 {
		b.room(bitpack.SrcSlack)
	}
	if !b.chunkOwn {
		b.chunk = nil
	}
	b.piece = nil
	p, err := b.fetch(b.next, n, most)
	if err != nil {
		return err
	}
	if int64(len(p)) < n {
		return ErrEnd
	}
	p = p[:min(int64(len(p)), most)]
	if cap(p)-len(p) < bitpack.SrcSlack {
		p = append(make([]byte, 0, len(p)+bitpack.SrcSlack), p...)
	}
	b.piece, b.from = p, b.next
	b.ask = min(2*b.ask, b.maxFetch())
	return nil
}
