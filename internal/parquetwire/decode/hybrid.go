package decode

import (
	"encoding/binary"
	"errors"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Errors of damaged values.
var (
	ErrRuns   = errors.New("runs of levels or indices are damaged")
	ErrValues = errors.New("the page has fewer values than it says")
	ErrDelta  = errors.New("delta-encoded values are damaged")
	ErrIndex  = errors.New("an index is outside the dictionary")
	ErrLength = errors.New("a value reaches behind the page")
)

// Hybrid reads values of up to 32 bits, stored as runs of one value and groups of eight that are bit-packed:
//
//	run    varint count<<1       | the value, little-endian, in as few bytes as the width takes
//	packed varint groups<<1 | 1  | values, the first in the lowest bits
type Hybrid struct {
	src    []byte
	width  uint
	left   int    // values left in the run
	value  uint32 // of a run of one value
	packed []byte // of a packed run; nil in the other kind
	pos    int    // values of packed that were read
}

// Reset makes h read from src.
func (h *Hybrid) Reset(src []byte, width uint) { *h = Hybrid{src: src, width: width} }

// ResetIndices makes h read the indices of a page: a byte that says the width, and the runs.
func (h *Hybrid) ResetIndices(src []byte) error {
	if len(src) == 0 { // a page of nulls
		h.Reset(nil, 0)
		return nil
	}
	if src[0] > 32 {
		return ErrRuns
	}
	h.Reset(src[1:], uint(src[0]))
	return nil
}

// begin reads the header of the next run.
func (h *Hybrid) begin() error {
	n, k := binary.Uvarint(h.src)
	if k <= 0 || n>>1 == 0 || n>>1 > 1<<31 {
		return ErrRuns
	}
	h.src = h.src[k:]
	if n&1 == 0 {
		size := int(h.width+7) / 8
		if size > len(h.src) {
			return ErrRuns
		}
		h.value = 0
		for i := size - 1; i >= 0; i-- {
			h.value = h.value<<8 | uint32(h.src[i])
		}
		h.src, h.packed, h.left = h.src[size:], nil, int(n>>1)
		return nil
	}
	size := int(n>>1) * int(h.width)
	h.left = int(n>>1) * 8
	if size > len(h.src) { // writers leave out the padding of the last group
		size = len(h.src)
		if h.width > 0 {
			h.left = size * 8 / int(h.width)
		}
		if h.left == 0 {
			return ErrRuns
		}
	}
	h.packed, h.src, h.pos = h.src[:size:size], h.src[size:], 0
	if h.packed == nil || h.width == 0 {
		h.packed, h.value = nil, 0
	}
	return nil
}

// Indices fills dst.
func (h *Hybrid) Indices(dst []int32) error { return hybrid(h, dst) }

// Levels fills dst with levels, which must have a width of at most 8.
func (h *Hybrid) Levels(dst []uint8) error { return hybrid(h, dst) }

func hybrid[T int32 | uint8](h *Hybrid, dst []T) error {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.begin(); err != nil {
				return err
			}
		}
		n := min(h.left, len(dst))
		if h.packed == nil {
			v := T(h.value)
			d := dst[:n]
			for i := range d {
				d[i] = v
			}
		} else if err := unpack(h, dst[:n]); err != nil {
			return err
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

// unpack reads values of a packed run, as many as dst takes.
func unpack[T int32 | uint8](h *Hybrid, dst []T) error {
	for len(dst) > 0 {
		at := h.pos / 8 * int(h.width)
		if h.pos&7 != 0 || len(dst) < 8 {
			var src [32]byte
			var group [8]T
			copy(src[:h.width], h.packed[min(at, len(h.packed)):])
			if _, err := bitpack.UnpackLE(group[:], src[:h.width], h.width); err != nil {
				return err
			}
			k := copy(dst, group[h.pos&7:])
			h.pos += k
			dst = dst[k:]
			continue
		}
		k := len(dst) &^ 7
		if whole := (len(h.packed) - at) / int(h.width) * 8; k > whole {
			k = whole
		}
		if k == 0 { // the padding of the last group was left out
			var src [32]byte
			copy(src[:h.width], h.packed[min(at, len(h.packed)):])
			k = min(8, len(dst))
			if _, err := bitpack.UnpackLE(dst[:k], src[:h.width], h.width); err != nil {
				return err
			}
		} else if _, err := bitpack.UnpackLE(dst[:k], h.packed[at:], h.width); err != nil {
			return err
		}
		h.pos += k
		dst = dst[k:]
	}
	return nil
}

// Bits appends n values of one bit to a bitmap, at bit off, and returns how many of them are set.
func (h *Hybrid) Bits(dst []byte, off, n int) (set int, err error) {
	for n > 0 {
		if h.left == 0 {
			if err := h.begin(); err != nil {
				return 0, err
			}
		}
		k := min(h.left, n)
		if h.packed == nil {
			if h.value > 1 {
				return 0, ErrRuns
			}
			bitpack.FillBits(dst, off, k, h.value == 1)
			set += k * int(h.value)
		} else {
			bitpack.CopyBits(dst, off, h.packed, h.pos, k)
			set += bitpack.CountBits(h.packed, h.pos, k)
			h.pos += k
		}
		h.left -= k
		off += k
		n -= k
	}
	return set, nil
}

// Skip passes over n values.
func (h *Hybrid) Skip(n int) error {
	for n > 0 {
		if h.left == 0 {
			if err := h.begin(); err != nil {
				return err
			}
		}
		k := min(h.left, n)
		h.pos += k
		h.left -= k
		n -= k
	}
	return nil
}

// BitPackedLevels reads levels in the old encoding BIT_PACKED, the first in the highest bits of the first byte, and
// returns the bytes they take.
func BitPackedLevels(dst []uint8, src []byte, width uint) (int, error) {
	n, err := bitpack.UnpackBE(dst, src, width)
	if err != nil {
		return 0, ErrValues
	}
	return n, nil
}
