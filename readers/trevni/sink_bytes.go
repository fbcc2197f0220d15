package trevni

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// bytesSink decodes length-prefixed strings and bytes. offsets has one entry more than there are values, once there is
// one.
type bytesSink struct {
	offsets arrowbuf.Vec[int32]
	data    arrowbuf.Vec[uint8]
	utf8    bool
	checked int // values whose text was checked
}

// wholeBlock is how much of a block is taken as room for any number of its strings. In a larger one, room is made for
// those that are wanted.
const wholeBlock = 1 << 20

func (k *bytesSink) plain(c *column, n int) error {
	k.begin()
	src := c.raw[c.p:]
	if len(src) > wholeBlock {
		at := c.p
		if err := c.pass(n); err != nil {
			return err
		}
		src, c.p = src[:c.p-at], at
	}
	if int64(k.data.Len())+int64(len(src)) > math.MaxInt32 {
		// what is left of the block bounds what the values can take
		return c.fail(errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of text: take fewer rows in a batch"))
	}
	k.offsets.Grow(n)
	ends := k.offsets.Values()
	k.data.Tail(len(src))
	_, used, err := bitpack.DecodePrefixed(ends[len(ends)-n-1:], k.data.Room(), src)
	c.p += used
	if err != nil {
		if _, err := c.bytes(); err != nil {
			return err // knows more than the kernel does
		}
		return c.fail(err)
	}
	more := int(ends[len(ends)-1]) - k.data.Len()
	k.data.Extend(more)
	return c.charge(int64(more))
}

func (k *bytesSink) begin() {
	if k.offsets.Len() == 0 {
		k.offsets.Grow(1)[0] = 0
	}
}

func (k *bytesSink) spread(s arrowbuf.Slots) {
	k.begin()
	if s.Present == nil {
		return
	}
	k.offsets.Grow(s.N - s.Count)
	all := k.offsets.Values()
	region := all[len(all)-s.N-1:]
	copy(region[s.N-s.Count:], region[:s.Count+1])
	bitpack.SpreadOffsets(region, s.Present, 0)
	k.checked = len(all) - 1
}

// check runs before spread: values appended since the last one are dense.
func (k *bytesSink) check(c *column) error {
	k.begin()
	n := k.offsets.Len() - 1
	if k.utf8 && n > k.checked {
		if bitpack.FirstNotUTF8(k.offsets.Values()[k.checked:], k.data.Values()) >= 0 {
			return c.fail(errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8"))
		}
	}
	k.checked = n
	return nil
}

func (k *bytesSink) take() []*memory.Buffer {
	k.begin()
	k.checked = 0
	if k.data.Len() == 0 {
		k.data.Grow(0)
	}
	return []*memory.Buffer{k.offsets.Take(), k.data.Take()}
}

func (k *bytesSink) release() {
	k.offsets.Release()
	k.data.Release()
}

// fixedBytesSink decodes an Avro fixed: bytes whose length prefix must be the type's size.
type fixedBytesSink struct {
	vec   arrowbuf.Vec[uint8]
	width int
}

func (k *fixedBytesSink) plain(c *column, n int) error {
	if int64(n)*int64(k.width) > int64(len(c.raw)-c.p) {
		return c.fail(errShort(int64(n), int64(len(c.raw)-c.p)))
	}
	dst := k.vec.Grow(n * k.width)
	for range n {
		v, err := c.bytes()
		if err != nil {
			return err
		}
		if len(v) != k.width {
			return c.fail(errs.Errorf(errs.ErrCorrupt, "a fixed of %d bytes has %d", k.width, len(v)))
		}
		copy(dst, v)
		dst = dst[k.width:]
	}
	return nil
}

func (k *fixedBytesSink) spread(s arrowbuf.Slots) {
	if s.Present == nil {
		return
	}
	w := k.width
	k.vec.Grow((s.N - s.Count) * w)
	all := k.vec.Values()
	region := all[len(all)-s.N*w:]
	from := s.Count
	for i := s.N - 1; i >= 0; i-- {
		if s.Present[i>>3]>>(i&7)&1 == 1 {
			from--
			copy(region[i*w:(i+1)*w], region[from*w:(from+1)*w])
		} else {
			clear(region[i*w : (i+1)*w])
		}
	}
}

func (k *fixedBytesSink) check(*column) error    { return nil }
func (k *fixedBytesSink) take() []*memory.Buffer { return []*memory.Buffer{k.vec.Take()} }
func (k *fixedBytesSink) release()               { k.vec.Release() }
