package unzstd

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Errors of Decode.
var (
	ErrCorrupt    = errors.New("unzstd: corrupt frame")
	ErrTruncated  = errors.New("unzstd: frame has no end")
	ErrTooLarge   = errors.New("unzstd: frames hold more than allowed")
	ErrChecksum   = errors.New("unzstd: checksum mismatch")
	ErrDictionary = errors.New("unzstd: frame needs a dictionary")
	ErrWindow     = errors.New("unzstd: window is larger than 512 MiB")
)

// Errors that are ErrCorrupt. RFC 8878 does not say what they are; libzstd refuses both, and klauspost's decoder neither.
var (
	errZeroOffset = fmt.Errorf("%w: offset of 0", ErrCorrupt)
	errOffsetLog  = fmt.Errorf("%w: table of offsets of more than 256 states", ErrCorrupt)
)

// Slack is how much longer than the limit dst should be: the fast loops write ahead. With less Decode gives the same
// bytes, slowly.
const Slack = 64

const (
	mostBlock  = 128 << 10 // bytes of a block, packed or not
	mostWindow = 512 << 20
	leastFrame = 1 << 10 // the smallest window

	magic         = 0xfd2fb528
	skippable     = 0x184d2a50 // the last 4 bits are any
	skippableMask = 0xfffffff0
)

// Decoder decodes frames, one chunk after another. It is 26 KiB of tables, and buffers of up to 0.5 MiB, that want to be kept and used again; it
// keeps no reference to its arguments. The zero value is ready. It is for one goroutine at a time.
type Decoder struct {
	// What comes first is also for the assembly, in the layout that kernel/main.go has.
	tables [3]fse // of literal lengths, offsets and match lengths
	sequences
	streams [4]stream
	huffman huffman

	logs     [3]uint8
	known    [3]bool
	window   int
	tooLarge error  // what a block that goes on past its limit is
	literals []byte // with Slack behind them
	quarters []byte // what the assembly decodes of the four streams
	reversed []byte // the streams, last bit first, and what the assembly may read behind one: 11 bits for each symbol
}

// room returns b, or a new slice if b has less than n bytes. None needs more than most.
func room(b []byte, n, most int) []byte {
	if n <= len(b) {
		return b
	}
	return make([]byte, min(max(n, 2*len(b), 4<<10), most))
}

// quarter is where the next of four streams is decoded to: behind the most that one can have.
const quarter = mostBlock/4 + 64

// Decode decodes all frames of src into dst and returns how many bytes that gave. It writes at most limit bytes of output,
// at most len(dst) if that is less, and may use all of dst beyond the output as scratch: for speed make it limit+Slack long.
//
// Frames of more bytes fail with ErrTooLarge. What n bytes of dst are after an error is not defined.
func (d *Decoder) Decode(dst, src []byte, limit int) (n int, err error) {
	limit = max(min(limit, len(dst)), 0)
	for len(src) > 0 {
		if len(src) < 4 {
			return n, ErrTruncated
		}
		m := binary.LittleEndian.Uint32(src)
		if m&skippableMask == skippable {
			if len(src) < 8 || uint64(len(src)-8) < uint64(binary.LittleEndian.Uint32(src[4:])) {
				return n, ErrTruncated
			}
			src = src[8+int(binary.LittleEndian.Uint32(src[4:])):]
			continue
		}
		if m != magic {
			return n, ErrCorrupt
		}
		out, used, err := d.frame(dst[n:], src, limit-n)
		if err != nil {
			return n, err
		}
		n += out
		src = src[used:]
	}
	return n, nil
}

// header is what the head of a frame says.
type header struct {
	size    int // of the head
	content uint64
	sized   bool // content is known
	sum     bool // a checksum follows the last block
}

// readHeader reads the head of a frame, which begins with the magic number, and sets d.window.
func (d *Decoder) readHeader(src []byte) (h header, err error) {
	if len(src) < 5 {
		return h, ErrTruncated
	}
	flags := src[4]
	single := flags>>5&1 == 1
	h.sum = flags>>2&1 == 1
	if flags>>3&1 == 1 {
		return h, ErrCorrupt // reserved
	}
	at := 5
	sizes := [4]int{0, 2, 4, 8}
	if single {
		sizes[0] = 1
	} else {
		at++
	}
	id := [4]int{0, 1, 2, 4}[flags&3]
	wide := sizes[flags>>6]
	h.size = at + id + wide
	if h.size > len(src) {
		return h, ErrTruncated
	}
	for _, b := range src[at : at+id] {
		if b != 0 {
			return h, ErrDictionary
		}
	}
	if wide > 0 {
		h.sized = true
		for i := range wide {
			h.content |= uint64(src[at+id+i]) << (8 * i)
		}
		if wide == 2 {
			h.content += 256
		}
	}
	if single {
		d.window = int(min(max(h.content, leastFrame), 1<<31-1)) // more is above any limit
		return h, nil
	}
	w := src[5]
	window := uint64(1) << (10 + w>>3)
	window += window / 8 * uint64(w&7)
	if window > mostWindow {
		return h, ErrWindow
	}
	d.window = int(window)
	return h, nil
}

// frame decodes the frame at the start of src.
func (d *Decoder) frame(dst, src []byte, limit int) (n, used int, err error) {
	h, err := d.readHeader(src)
	if err != nil {
		return 0, 0, err
	}
	tooLarge := ErrTooLarge
	if h.sized {
		if h.content > uint64(limit) {
			return 0, 0, ErrTooLarge
		}
		limit, tooLarge = int(h.content), ErrCorrupt
	}
	d.known, d.huffman.known = [3]bool{}, false
	d.repeats = [3]int{1, 4, 8}
	used = h.size
	for last := false; !last; {
		if len(src)-used < 3 {
			return 0, 0, ErrTruncated
		}
		b := uint32(src[used]) | uint32(src[used+1])<<8 | uint32(src[used+2])<<16
		used += 3
		last = b&1 == 1
		size := int(b >> 3)
		packed := size
		if b>>1&3 == 1 {
			packed = 1
		}
		switch {
		case size > min(mostBlock, d.window):
			return 0, 0, ErrCorrupt
		case packed > len(src)-used:
			return 0, 0, ErrTruncated
		}
		body := src[used : used+packed]
		used += packed
		switch b >> 1 & 3 {
		case 0, 1:
			if size > limit-n {
				return 0, 0, tooLarge
			}
			if packed == size {
				copy(dst[n:], body)
			} else {
				fill(dst[n:n+size], body[0])
			}
			n += size
		case 2:
			d.tooLarge = tooLarge
			if n, err = d.block(dst, n, limit, src, used-packed, used); err != nil {
				return 0, 0, err
			}
		default:
			return 0, 0, ErrCorrupt
		}
	}
	if h.sized && n != int(h.content) {
		return 0, 0, ErrCorrupt
	}
	if h.sum {
		if len(src)-used < 4 {
			return 0, 0, ErrTruncated
		}
		if uint32(xxhash.Sum64(dst[:n])) != binary.LittleEndian.Uint32(src[used:]) {
			return 0, 0, ErrChecksum
		}
		used += 4
	}
	return n, used, nil
}

func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func putLE64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
