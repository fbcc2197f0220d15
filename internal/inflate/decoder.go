package inflate

import (
	"encoding/binary"
	"errors"
)

// Errors of Decode, returned as they are.
var (
	ErrCorrupt   = errors.New("inflate: corrupt deflate stream")
	ErrTruncated = errors.New("inflate: deflate stream has no end")
	ErrTooLarge  = errors.New("inflate: deflate stream holds more than allowed")
)

// Slack is how much longer than the limit dst should be: the fast loops write ahead. With less Decode gives the same
// bytes, but takes the last Slack bytes of dst slowly.
const Slack = 320

// Decoder decodes raw deflate streams, one after another. It is 35 KiB of tables that wants to be kept and used again;
// it keeps no reference to its arguments. The zero value is ready. It is for one goroutine at a time.
type Decoder struct {
	// What comes first is also for the assembly, in the layout that kernel/main.go has.
	lit  [litSize]uint32
	dist [distSize]uint64
	state
	tokens

	cl    [1 << clBits]uint32
	code  code
	lens  [320]uint8
	fixed bool // lit and dist hold the fixed codes
	final bool // the block is the last
}

// state is the place in input and output, and where the fast loops must stop.
type state struct {
	in, out         int    // the next byte of src that is not in hold; the next byte of dst
	hold            uint64 // input bits, the next one lowest; zero above the first n, but not in fast loops
	n               uint   // bits in hold, at most 63; fast loops have rubbish above the low 8 bits
	lastIn, lastOut int
	why             why
}

// why says why a fast loop stopped.
type why int

const (
	whyRoom why = iota + 1 // near an end of src or dst
	whyEnd                 // the block came to its end
	whyCorrupt
)

// Decode decodes the stream at the start of src into dst and returns how many bytes it wrote and how many of src the
// stream took; what follows in src is the caller's to judge. It writes at most limit bytes of output, at most len(dst)
// if that is less, and may use all of dst beyond the output as scratch: for speed make it limit+Slack long.
//
// A stream that holds more fails with ErrTooLarge, one that ends early with ErrTruncated, any other that is not deflate
// with ErrCorrupt; in each case n bytes of dst are what it gave up to there.
func (d *Decoder) Decode(dst, src []byte, limit int) (n, consumed int, err error) {
	limit = d.begin(dst, src, limit)
	more, err := d.next(dst, src, limit)
	for more {
		d.fast(dst, src)
		more, err = d.resume(dst, src, limit)
	}
	return d.out, d.consumed(), err
}

// begin sets d to the start of a stream, and returns the limit of what may be written.
func (d *Decoder) begin(dst, src []byte, limit int) int {
	limit = max(min(limit, len(dst)), 0)
	d.final = false
	d.state = state{lastIn: len(src) - fastIn, lastOut: min(len(dst)-Slack, limit)}
	return limit
}

// consumed returns how many bytes of src have been used, the last of them maybe in part.
func (d *Decoder) consumed() int { return d.in - int(d.n>>3) }

// next goes to the next block that has symbols. false: the stream has ended, well if err is nil.
func (d *Decoder) next(dst, src []byte, limit int) (more bool, err error) {
	for s := &d.state; !d.final; {
		if !s.need(src, 3) {
			s.in, s.hold, s.n = len(src), 0, 0
			return false, ErrTruncated
		}
		kind := s.hold >> 1 & 3
		d.final = s.hold&1 == 1
		s.drop(3)
		switch kind {
		case 0:
			if err := s.stored(dst[:limit], src); err != nil {
				return false, err
			}
			continue
		case 1:
			d.buildFixed()
		case 2:
			if err := d.readCodes(src); err != nil {
				return false, err
			}
		default:
			return false, ErrCorrupt
		}
		return true, nil
	}
	return false, nil
}

// resume goes on where a fast loop stopped, and on to the next block.
func (d *Decoder) resume(dst, src []byte, limit int) (more bool, err error) {
	d.n &= 63
	d.hold &= 1<<d.n - 1
	switch {
	case d.out > limit:
		d.out = limit
		return false, ErrTooLarge
	case d.why == whyCorrupt:
		return false, ErrCorrupt
	case d.why == whyRoom:
		if err := d.careful(dst[:limit], src); err != nil {
			return false, err
		}
	}
	return d.next(dst, src, limit)
}

// need loads bytes until there are at least n bits, n <= 56; it says whether src had them.
func (s *state) need(src []byte, n uint) bool {
	for s.n < n {
		if s.in >= len(src) {
			return false
		}
		s.hold |= uint64(src[s.in]) << (s.n & 63)
		s.in++
		s.n += 8
	}
	return true
}

func (s *state) drop(n uint) {
	s.hold >>= n & 63
	s.n -= n
}

// stored copies a stored block.
func (s *state) stored(dst, src []byte) error {
	in := s.in - int(s.n>>3) // whole bytes go back
	s.hold, s.n = 0, 0
	s.in = len(src)
	if len(src)-in < 4 {
		return ErrTruncated
	}
	size := binary.LittleEndian.Uint16(src[in:])
	if size != ^binary.LittleEndian.Uint16(src[in+2:]) {
		return ErrCorrupt
	}
	in += 4
	n := copy(dst[s.out:], src[in:min(in+int(size), len(src))])
	s.out += n
	s.in = in + n
	switch {
	case n == int(size):
		return nil
	case s.out == len(dst):
		return ErrTooLarge
	}
	return ErrTruncated
}

// clOrder is the order in which the lengths of the code length code come.
var clOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the head of a dynamic block and builds its tables.
func (d *Decoder) readCodes(src []byte) error {
	s := &d.state
	d.fixed = false
	if !s.need(src, 14) {
		return ErrTruncated
	}
	nlit, ndist, ncl := int(s.hold&31)+257, int(s.hold>>5&31)+1, int(s.hold>>10&15)+4
	s.drop(14)
	if nlit > 286 || ndist > 30 {
		return ErrCorrupt
	}
	var cl [19]uint8
	for _, i := range clOrder[:ncl] {
		if !s.need(src, 3) {
			return ErrTruncated
		}
		cl[i] = uint8(s.hold & 7)
		s.drop(3)
	}
	if !d.buildCL(cl[:]) {
		return ErrCorrupt
	}
	lens := d.lens[:nlit+ndist]
	for i := 0; i < len(lens); {
		s.need(src, 7+7) // or all there is
		e := d.cl[s.hold&clMask]
		l := uint(e & 255)
		sym := e >> 16
		switch {
		case l > s.n:
			return ErrTruncated
		case sym == clBad>>16:
			return ErrCorrupt
		}
		s.drop(l)
		if sym < 16 {
			lens[i] = uint8(sym)
			i++
			continue
		}
		var v uint8
		n, extra := 3, uint(2)
		switch sym {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			v = lens[i-1]
		case 17:
			extra = 3
		default:
			n, extra = 11, 7
		}
		if s.n < extra {
			return ErrTruncated
		}
		n += int(s.hold & (1<<extra - 1))
		s.drop(extra)
		if n > len(lens)-i {
			return ErrCorrupt
		}
		for range n {
			lens[i] = v
			i++
		}
	}
	// Without a code for the end of the block it could not end.
	if lens[256] == 0 || !d.buildDist(lens[nlit:]) || !d.buildLit(lens[:nlit]) {
		return ErrCorrupt
	}
	return nil
}
