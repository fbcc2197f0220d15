package orcwire

import (
	"slices"
	"sync"

	"github.com/arrowio/arrowio/internal/blockcodec"
)

// OutChunk is a full chunk of a stream, which anybody may compress.
type OutChunk struct {
	o      *Out
	number int
	level  int
	raw    []byte
}

// deferred is how many bytes a chunk has at least that is worth handing to others. It is more than MaxRoom, so that two
// chunks are never full at once.
const deferred = 16 << 10

// defers reports whether a chunk of n bytes is offered to others.
func (o *Out) defers(n int) bool {
	return o.shared.Later != nil && n >= deferred && o.pack.Codec != blockcodec.None
}

// hand makes the first n bytes that are open a chunk, and offers it to others.
func (o *Out) hand(n int) {
	left, c := o.open[n:], new(OutChunk)
	*c = o.next(o.open[:n])
	o.open = nil
	if len(left) > 0 {
		o.open = append(o.shared.pool().get(o.limit+MaxRoom), left...)
	}
	if o.tries(c) {
		o.shared.pool().Put(c.raw)
	} else if !o.shared.Later(c) {
		c.Pack(o.shared)
	}
}

// next makes bytes the next chunk.
func (o *Out) next(raw []byte) OutChunk {
	c := OutChunk{o: o, number: o.chunks, level: o.level, raw: raw}
	o.chunks++
	o.raw += int64(len(raw))
	return c
}

// tries stores the second chunk of a stream by the one of several levels that makes it shortest, the fastest of equals, which the stream goes
// on with. It reports whether c is that chunk. Who else compresses does not change what is stored: it is done here.
func (o *Out) tries(c *OutChunk) bool {
	if !o.pack.Tries || c.number != 1 {
		return false
	}
	levels := blockcodec.Faster(o.pack.Codec, o.pack.Level)
	if len(levels) == 0 {
		return false
	}
	sc := o.shared
	var err error
	sc.packed, err = sc.encoder.Encode(o.pack.Codec, c.level, sc.packed[:0], c.raw)
	for _, level := range levels {
		if err != nil {
			break
		}
		sc.tried, err = sc.encoder.Encode(o.pack.Codec, level, sc.tried[:0], c.raw)
		if err == nil && len(sc.tried) <= len(sc.packed) {
			sc.packed, sc.tried, o.level = sc.tried, sc.packed, level
		}
	}
	c.store(sc, sc.packed, err)
	return true
}

// Pack compresses a chunk that OutScratch.Later has been given, once. sc is the caller's own.
func (c *OutChunk) Pack(sc *OutScratch) {
	c.pack(sc)
	sc.pool().Put(c.raw)
}

func (c *OutChunk) pack(sc *OutScratch) {
	p := &c.o.pack
	if p.Codec == blockcodec.None {
		c.store(sc, c.raw, nil)
		return
	}
	encode := sc.encoder.Encode
	if p.Numbers {
		encode = sc.encoder.EncodeNumbers
	}
	packed, err := encode(p.Codec, c.level, sc.packed[:0], c.raw)
	if err == nil {
		sc.packed = packed
	}
	c.store(sc, packed, err)
}

// store stores a chunk that was compressed, or as it is where that did not make it shorter.
func (c *OutChunk) store(sc *OutScratch, packed []byte, err error) {
	body := outBody{c.number, packed, false}
	if err != nil || len(packed) >= len(c.raw) {
		body.bytes, body.original = c.raw, true
	}
	c.o.stored.add(sc.pool(), body, err)
}

// outStored is what of a stream is stored. Chunks that are compressed before others in front of them wait.
type outStored struct {
	mu     sync.Mutex
	parts  [][]byte
	size   int64
	starts []int64 // of the chunks
	wait   []outBody
	err    error
}

type outBody struct {
	number   int
	bytes    []byte
	original bool
}

func (s *outStored) reset() {
	clear(s.parts)
	s.parts, s.size, s.starts, s.err = s.parts[:0], 0, s.starts[:0], nil
}

// add stores a chunk, or keeps a copy of it until its turn.
func (s *outStored) add(pool *OutPool, b outBody, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	if b.number != len(s.starts) {
		b.bytes = append(pool.get(len(b.bytes)), b.bytes...)
		s.wait = append(s.wait, b)
		return
	}
	s.store(pool, b)
	for {
		i := slices.IndexFunc(s.wait, func(w outBody) bool { return w.number == len(s.starts) })
		if i < 0 {
			return
		}
		s.store(pool, s.wait[i])
		pool.Put(s.wait[i].bytes)
		s.wait = slices.Delete(s.wait, i, i+1)
	}
}

// store appends a chunk to the parts.
func (s *outStored) store(pool *OutPool, b outBody) {
	s.starts = append(s.starts, s.size)
	h := len(b.bytes) << 1
	if b.original {
		h |= 1
	}
	s.append(pool, []byte{byte(h), byte(h >> 8), byte(h >> 16)})
	s.append(pool, b.bytes)
}

func (s *outStored) append(pool *OutPool, b []byte) {
	for len(b) > 0 {
		last := len(s.parts) - 1
		if last < 0 || len(s.parts[last]) == cap(s.parts[last]) {
			n := len(b)
			if last >= 0 { // it is not a small stream: the first part may be all there is
				n = max(n, int(min(s.size, outPiece)))
			}
			s.parts = append(s.parts, pool.get(max(n, 64)))
			last++
		}
		p := s.parts[last]
		n := copy(p[len(p):cap(p)], b)
		s.parts[last] = p[:len(p)+n]
		s.size += int64(n)
		b = b[n:]
	}
}

// unsettled marks the first number of a position that counts chunks.
const unsettled = 1 << 63

// Settle brings positions of a row group, those of several streams one behind the other, to what index entries have, when
// all chunks are stored. Every chunked stream has one number that counts its chunks: streams are those streams, in order, and perhaps more.
func Settle(positions []uint64, streams ...*Out) {
	for i, p := range positions {
		if p&unsettled == 0 {
			continue
		}
		s := &streams[0].stored
		streams = streams[1:]
		positions[i] = uint64(s.size)
		if k := p &^ unsettled; k < uint64(len(s.starts)) {
			positions[i] = uint64(s.starts[k])
		}
	}
}
