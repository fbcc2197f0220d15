package orc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// fewKept is of how many stored values one stays, at most, where each of those that stay is decoded by itself.
const fewKept = 8

// denseGap is how many rows there are between runs that are read together, on average, at most: values that do not stay take little then.
const denseGap = 256

// few reports whether so few of n values stay that each is decoded by itself.
func few(n int, kept *arrowbuf.Kept) bool { return kept.Marks != nil && n > fewKept*kept.N }

// readAndTrim is readKept for content that reads all.
func readAndTrim(c interface {
	content
	trimmer
}, n int, kept *arrowbuf.Kept,
) error {
	err := c.read(arrowbuf.AllSlots(n))
	if err == nil {
		c.trim(n, kept)
	}
	return err
}

func (c *ints[T]) readKept(n int, kept *arrowbuf.Kept) error {
	if !few(n, kept) || !c.runs.KeepsFew() {
		return readAndTrim(c, n, kept)
	}
	if err := c.node.tree.batch.Take(int64(kept.N) * int64(c.node.field.Type.(arrow.FixedWidthDataType).BitWidth()) / 8); err != nil {
		return err
	}
	dst := c.out.Grow(kept.N)
	if err := c.runs.NextKept(dst, n, kept.Marks); err != nil {
		return c.data.fail(err)
	}
	if c.each != nil {
		c.each(dst)
	}
	return nil
}

func (c *timestamps) readKept(n int, kept *arrowbuf.Kept) error {
	if !few(n, kept) || !c.seconds.KeepsFew() {
		return readAndTrim(c, n, kept)
	}
	if err := c.node.tree.batch.Take(8 * int64(kept.N)); err != nil {
		return err
	}
	dst := c.out.Grow(kept.N)
	if err := c.seconds.NextKept(dst, n, kept.Marks); err != nil {
		return c.data.fail(err)
	}
	c.scratch = grow(c.scratch, kept.N+bitpack.DstSlack/8)
	nanos := c.scratch[:kept.N]
	if err := c.nanos.NextKept(nanos, n, kept.Marks); err != nil {
		return c.second.fail(err)
	}
	return c.join.Combine(dst, nanos)
}

func (c *decimals) readKept(n int, kept *arrowbuf.Kept) error {
	if !few(n, kept) {
		return readAndTrim(c, n, kept)
	}
	if err := c.node.tree.batch.Take(16 * int64(kept.N)); err != nil {
		return err
	}
	dst := arrowbuf.Words(c.out.Grow(kept.N))
	at := 0
	for from, to := range kept.All() {
		if err := c.values.Skip(from - at); err != nil {
			return c.data.fail(err)
		}
		k := 2 * (to - from)
		if err := c.values.Next(dst[:k]); err != nil {
			return c.data.fail(err)
		}
		dst, at = dst[k:], to
	}
	return c.data.fail(c.values.Skip(n - at))
}

// copyFew is copyKept where few values stay and the stream ends before offsets would: each of them is copied by itself. The lengths of the values
// are in offsets, behind the first.
func (c *stringValues) copyFew(ends, offsets []int32, kept *arrowbuf.Kept) error {
	offsets[0] = 0
	all, err := bitpack.Offsets(offsets)
	if err != nil {
		return c.length.fail(err)
	}
	if err := c.checkLength(int64(all)); err != nil {
		return err
	}
	to, at := ends[0], 1
	for from, end := range kept.All() {
		shift := to - offsets[from]
		for _, x := range offsets[from+1 : end+1] {
			ends[at] = x + shift
			at++
		}
		to = ends[at-1]
	}
	dst, err := c.room(int64(to) - int64(ends[0]))
	if err != nil {
		return err
	}
	read := int32(0)
	for from, end := range kept.All() {
		if err := c.data.Discard(int64(offsets[from] - read)); err != nil {
			return c.data.fail(err)
		}
		read = offsets[end]
		k := read - offsets[from]
		if err := c.data.Take(dst[:k]); err != nil {
			return c.data.fail(err)
		}
		dst = dst[k:]
	}
	if err := c.data.Discard(int64(all - read)); err != nil {
		return c.data.fail(err)
	}
	c.bytes.Extend(int(to - ends[0]))
	if c.strip {
		c.unpad(ends)
	}
	return c.check(ends)
}

// fitsOffsets reports whether whatever is left of the bytes is within the reach of offsets.
func (c *stringValues) fitsOffsets() bool { return c.data.MostLeft() <= math.MaxInt32 }
