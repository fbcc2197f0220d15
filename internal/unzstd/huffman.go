package unzstd

import "math/bits"

// mostHuffLog is the length of the longest code.
const mostHuffLog = 11

// An entry of the table of a Huffman code:
//
//	length of the code 8 | mostHuffLog 8 | symbol 8
//
// The index has the next bits of a stream, the first one lowest, as reverse leaves them. The second byte is constant: it makes
// of the lowest two bytes what the instruction BEXTR takes.
const huffSymbol = 16

// huffman is a Huffman code.
type huffman struct {
	table   [1 << mostHuffLog]uint32
	known   bool
	log     int
	weights [256]uint8
	sorted  [256]uint8
	fse     fse
}

var weightValues = values(0, mostHuffLog+2)

// read reads the description of a code from the start of src, and returns how many bytes it takes.
func (h *huffman) read(src []byte) (used int, err error) {
	h.known = false
	if len(src) == 0 {
		return 0, ErrCorrupt
	}
	var n int
	if head := int(src[0]); head >= 128 {
		n = head - 127
		used = 1 + (n+1)/2
		if used > len(src) {
			return 0, ErrCorrupt
		}
		for i := range n {
			h.weights[i] = src[1+i/2] >> (4 &^ (4 * (i & 1))) & 15
		}
	} else {
		used = 1 + head
		if used > len(src) {
			return 0, ErrCorrupt
		}
		if n, err = h.unpackWeights(src[1:used]); err != nil {
			return 0, err
		}
	}
	// The weight of the last symbol is what completes the code.
	var count [mostHuffLog + 1]int
	sum := 0
	for _, w := range h.weights[:n] {
		if w > mostHuffLog {
			return 0, ErrCorrupt
		}
		count[w]++
		sum += 1 << w >> 1
	}
	log := bits.Len(uint(sum))
	rest := 1<<log - sum
	if sum == 0 || log > mostHuffLog || rest&(rest-1) != 0 {
		return 0, ErrCorrupt
	}
	last := bits.Len(uint(rest))
	h.weights[n] = uint8(last)
	count[last]++
	if count[1] < 2 || count[1]&1 != 0 {
		return 0, ErrCorrupt
	}
	h.build(h.weights[:n+1], &count, log)
	h.known, h.log = true, log
	return used, nil
}

// unpackWeights reads weights that are coded by two states that take turns.
func (h *huffman) unpackWeights(src []byte) (n int, err error) {
	var counts [mostHuffLog + 2]int16
	log, symbols, used, err := readCounts(counts[:], 6, src)
	if err != nil {
		return 0, err
	}
	var b backward
	if !b.open(src[used:]) {
		return 0, ErrCorrupt
	}
	h.fse.build(counts[:symbols], log, weightValues)
	var stream [128 + 8]byte // with what is loaded behind it
	copy(stream[:128], b.src)
	pos := b.pos - 2*int(log)
	if pos < 0 {
		return 0, ErrCorrupt
	}
	v := le64(stream[pos>>3:]) >> (pos & 7)
	states := [2]uint64{v >> log & (1<<log - 1), v & (1<<log - 1)}
	for i := 0; ; i ^= 1 {
		if n+2 >= len(h.weights) {
			return 0, ErrCorrupt
		}
		e := h.fse.entries[states[i]&63]
		h.weights[n] = uint8(e >> fseBase)
		n++
		more := e & 255
		if pos == 0 && more > 0 {
			h.weights[n] = uint8(h.fse.entries[states[i^1]&63] >> fseBase)
			return n + 1, nil
		}
		if pos -= int(more); pos < 0 {
			return 0, ErrCorrupt
		}
		states[i] = e>>fseNext&0xffff + le64(stream[pos>>3:])>>(pos&7)&(1<<(more&15)-1)
	}
}

// build makes the table. A weight of w is a code of log+1-w bits; codes count up from the lightest, longest ones. The table for
// codes of up to l bits is the one for l-1 bits twice, and then the codes of l bits.
func (h *huffman) build(weights []uint8, count *[mostHuffLog + 1]int, log int) {
	var at [mostHuffLog + 1]int
	n := 0
	for w := 1; w <= log; w++ {
		at[w] = n
		n += count[w]
	}
	for s, w := range weights {
		if w > 0 {
			h.sorted[at[w]&255] = uint8(s)
			at[w]++
		}
	}
	var cell [mostHuffLog + 1]int
	c := 0
	for w := 1; w <= log; w++ {
		cell[w] = c
		c += count[w] << (w - 1)
	}
	t := &h.table
	for l := 1; l <= mostHuffLog; l++ {
		half := 1 << (l - 1)
		copy(t[half:2*half], t[:half])
		w := log + 1 - l
		if w < 1 {
			continue
		}
		code := cell[w] >> (w - 1)
		for _, s := range h.sorted[at[w]-count[w] : at[w]] {
			t[bits.Reverse16(uint16(code))>>(16-l)&(1<<mostHuffLog-1)] = uint32(l) | mostHuffLog<<8 | uint32(s)<<huffSymbol
			code++
		}
	}
}

// reverse writes the bits of src to dst, the last one first.
func reverse(dst, src []byte) {
	dst = dst[:len(src)]
	i := reverseFast(dst, src)
	for ; i+8 <= len(src); i += 8 {
		putLE64(dst[len(src)-8-i:], bits.Reverse64(le64(src[i:])))
	}
	for ; i < len(src); i++ {
		dst[len(src)-1-i] = bits.Reverse8(src[i])
	}
}

// stream is one of the streams that literals are coded in, reversed.
type stream struct {
	pos, end int // bits of Decoder.reversed
}

// openStream returns the stream that fills size bytes of d.reversed from at on.
func (d *Decoder) openStream(at, size int) (stream, bool) {
	if size < 1 || d.reversed[at] == 0 {
		return stream{}, false
	}
	return stream{pos: 8*at + bits.TrailingZeros8(d.reversed[at]) + 1, end: 8 * (at + size)}, true
}

// symbols decodes a stream to its end into all of dst, and says whether that is all of both.
func (d *Decoder) symbols(dst []byte, s *stream) bool {
	pos := s.pos
	t := &d.huffman.table
	const mask = 1<<mostHuffLog - 1
	for len(dst) >= 5 && pos <= s.end { // 5 codes are at most 55 bits, and 57 are loaded
		hold := le64(d.reversed[pos>>3:]) >> (pos & 7)
		e0 := t[hold&mask]
		hold >>= e0 & 15
		e1 := t[hold&mask]
		hold >>= e1 & 15
		e2 := t[hold&mask]
		hold >>= e2 & 15
		e3 := t[hold&mask]
		hold >>= e3 & 15
		e4 := t[hold&mask]
		pos += int(e0&15 + e1&15 + e2&15 + e3&15 + e4&15)
		dst[0] = byte(e0 >> huffSymbol)
		dst[1] = byte(e1 >> huffSymbol)
		dst[2] = byte(e2 >> huffSymbol)
		dst[3] = byte(e3 >> huffSymbol)
		dst[4] = byte(e4 >> huffSymbol)
		dst = dst[5:]
	}
	if pos > s.end {
		return false
	}
	for i := range dst {
		e := t[le64(d.reversed[pos>>3:])>>(pos&7)&mask]
		pos += int(e & 15)
		dst[i] = byte(e >> huffSymbol)
	}
	s.pos = pos
	return pos == s.end
}
