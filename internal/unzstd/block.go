package unzstd

import "encoding/binary"

// block decodes the compressed block src[from:to] to dst[n:], of which up to limit may be written, and returns where its output
// ends.
func (d *Decoder) block(dst []byte, n, limit int, src []byte, from, to int) (int, error) {
	if to-from < 2 {
		return 0, ErrCorrupt
	}
	most := min(mostBlock, d.window)
	if n+most <= limit {
		limit, d.tooLarge = n+most, ErrCorrupt
	}
	l, at, err := readLiterals(src[:to], from)
	if err != nil {
		return 0, err
	}
	if l.size > most {
		return 0, ErrCorrupt
	}
	count, at, err := readCount(src[:to], at)
	if err != nil {
		return 0, err
	}
	if count == 0 {
		if at != to {
			return 0, ErrCorrupt
		}
		if l.size > limit-n {
			return 0, d.tooLarge
		}
		return n + l.size, d.unpack(dst[n:], src, l)
	}
	if at, err = d.readTables(src[:to], at); err != nil {
		return 0, err
	}
	d.literals = room(d.literals, l.size+Slack, mostBlock+Slack)
	if err := d.unpack(d.literals, src, l); err != nil {
		return 0, err
	}
	s := &d.sequences
	s.from, s.out, s.limit = 0, n, limit
	s.literal, s.literals = 0, l.size
	s.left = count
	s.window = d.window
	if !s.open(d, src[at:to]) {
		return 0, ErrCorrupt
	}
	if err := d.run(dst, src, at, to); err != nil {
		return 0, err
	}
	rest := d.literals[s.literal:s.literals]
	if len(rest) > s.limit-s.out {
		return 0, d.tooLarge
	}
	return s.out + copy(dst[s.out:], rest), nil
}

// literals is what the head of the literals says.
type literals struct {
	kind     int
	from, to int // the packed ones
	size     int
	four     bool // there are four streams
}

// kinds of literals.
const (
	rawLiterals = iota
	sameLiterals
	huffLiterals
	oldLiterals // Huffman-coded, with the code of an earlier block
)

// readLiterals reads the head of the literals at src[at:], and returns what follows them.
func readLiterals(src []byte, at int) (l literals, next int, err error) {
	b := src[at:]
	head := window(b, 0)
	l.kind = int(head & 3)
	format := head >> 2 & 3
	size, packed := 0, 0
	switch {
	case l.kind < huffLiterals:
		switch format {
		case 0, 2:
			size, l.size = 1, int(head>>3&31)
		case 1:
			size, l.size = 2, int(head>>4&0xfff)
		default:
			size, l.size = 3, int(head>>4&0xfffff)
		}
		if packed = l.size; l.kind == sameLiterals {
			packed = 1
		}
	default:
		l.four = format != 0
		switch format {
		case 0, 1:
			size, l.size, packed = 3, int(head>>4&0x3ff), int(head>>14&0x3ff)
		case 2:
			size, l.size, packed = 4, int(head>>4&0x3fff), int(head>>18&0x3fff)
		default:
			size, l.size, packed = 5, int(head>>4&0x3ffff), int(head>>22&0x3ffff)
		}
	}
	if size+packed > len(b) {
		return l, 0, ErrCorrupt
	}
	l.from, l.to = at+size, at+size+packed
	return l, l.to, nil
}

// readCount reads how many sequences there are.
func readCount(src []byte, at int) (count, next int, err error) {
	b := src[at:]
	switch {
	case len(b) == 0:
	case b[0] < 128:
		return int(b[0]), at + 1, nil
	case b[0] < 255 && len(b) >= 2:
		return int(b[0]-128)<<8 | int(b[1]), at + 2, nil
	case b[0] == 255 && len(b) >= 3:
		return int(binary.LittleEndian.Uint16(b[1:])) + 0x7f00, at + 3, nil
	}
	return 0, 0, ErrCorrupt
}

// readTables reads the tables of the three codes.
func (d *Decoder) readTables(src []byte, at int) (next int, err error) {
	if at >= len(src) {
		return 0, ErrCorrupt
	}
	modes := src[at]
	at++
	if modes&3 != 0 {
		return 0, ErrCorrupt
	}
	for i := range d.tables {
		k := &codes[i]
		switch modes >> (6 - 2*i) & 3 {
		case 0:
			d.logs[i] = k.usualLog
			copy(d.tables[i].entries[:], usual[i].entries[:1<<k.usualLog])
		case 1: // one symbol
			if at >= len(src) || int(src[at]) >= len(k.values) {
				return 0, ErrCorrupt
			}
			d.tables[i].entries[0] = k.values[src[at]]
			d.logs[i] = 0
			at++
		case 2:
			var counts [64]int16
			log, symbols, used, err := readCounts(counts[:len(k.values)], mostFSELog, src[at:])
			switch {
			case err != nil:
				return 0, err
			case log > uint(k.mostLog):
				return 0, errOffsetLog
			}
			d.tables[i].build(counts[:symbols], log, k.values)
			d.logs[i] = uint8(log)
			at += used
		default:
			if !d.known[i] {
				return 0, ErrCorrupt
			}
		}
		d.known[i] = true
	}
	return at, nil
}

// unpack writes the literals to the start of dst.
func (d *Decoder) unpack(dst, src []byte, l literals) error {
	packed := src[l.from:l.to]
	switch l.kind {
	case rawLiterals:
		copy(dst, packed)
		return nil
	case sameLiterals:
		fill(dst[:l.size], packed[0])
		return nil
	case huffLiterals:
		used, err := d.huffman.read(packed)
		if err != nil {
			return err
		}
		packed = packed[used:]
	default:
		if !d.huffman.known {
			return ErrCorrupt
		}
	}
	const mostReversed = mostBlock + 2*quarter
	if !l.four {
		d.reversed = room(d.reversed, len(packed)+2*l.size+64, mostReversed)
		reverse(d.reversed, packed)
		var ok bool
		if d.streams[0], ok = d.openStream(0, len(packed)); !ok {
			return ErrCorrupt
		}
		done := d.single(dst[:l.size])
		if !d.symbols(dst[done:l.size], &d.streams[0]) {
			return ErrCorrupt
		}
		return nil
	}
	const jumps = 6 // bytes that say how long the first three streams are
	size := (l.size + 3) / 4
	if len(packed) < jumps+4 || l.size < 3*size {
		return ErrCorrupt
	}
	at := len(packed) - jumps // the first stream is last in d.reversed
	d.reversed = room(d.reversed, len(packed)+2*size+64, mostReversed)
	reverse(d.reversed, packed[jumps:])
	for i := range d.streams {
		n := at
		if i < 3 {
			n = int(binary.LittleEndian.Uint16(packed[2*i:]))
		}
		if n > at {
			return ErrCorrupt
		}
		at -= n
		var ok bool
		if d.streams[i], ok = d.openStream(at, n); !ok {
			return ErrCorrupt
		}
	}
	done := d.four(dst[:l.size], size)
	for i := range d.streams {
		if !d.symbols(dst[min(i*size+done, l.size):min((i+1)*size, l.size)], &d.streams[i]) {
			return ErrCorrupt
		}
	}
	return nil
}
