package orc

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// trimmer is content that can let go of slots that it has just read. What has no such thing is decoded run by run.
type trimmer interface {
	// trim keeps of the last n slots those that stay.
	trim(n int, kept *arrowbuf.Kept)
}

// keeper is content that does better than to read all and to trim.
type keeper interface {
	// readKept appends of the next n stored values those that stay.
	readKept(n int, kept *arrowbuf.Kept) error
}

// trims reports whether a node can be trimmed, with all that it takes to make it an array.
func (n *node) trims() bool {
	if c, ok := n.content.(*structs); ok {
		for _, k := range c.children {
			if !k.trims() {
				return false
			}
		}
		return true
	}
	_, ok := n.content.(trimmer)
	return ok
}

// readKept appends of the next slots of the parent those that stay.
func (n *node) readKept(s arrowbuf.Slots, kept *arrowbuf.Kept) error {
	c, ok := n.content.(keeper)
	if n.presence.there || !ok {
		if err := n.read(s); err != nil {
			return err
		}
		n.trim(s.N, kept)
		return nil
	}
	if err := n.tree.batch.Take(int64(s.N)); err != nil {
		return n.located(err)
	}
	n.append(arrowbuf.AllSlots(kept.N))
	return n.located(c.readKept(s.N, kept))
}

// trim keeps of the last k slots those that stay.
func (n *node) trim(k int, kept *arrowbuf.Kept) {
	if n.nulls > 0 {
		bits := n.validity.Bytes()
		nulls := n.nulls - (k - bitpack.CountBits(bits, n.n-k, k))
		n.validity.Keep(k, kept)
		nulls += kept.N - bitpack.CountBits(n.validity.Bytes(), n.n-k, kept.N)
		if n.nulls = nulls; nulls == 0 {
			n.validity.Release()
		}
	}
	n.n += kept.N - k
	n.content.(trimmer).trim(k, kept)
}

func (c *ints[T]) trim(n int, kept *arrowbuf.Kept)        { c.out.Keep(n, kept) }
func (c *tinyInts) trim(n int, kept *arrowbuf.Kept)       { c.out.Keep(n, kept) }
func (c *bools) trim(n int, kept *arrowbuf.Kept)          { c.out.Keep(n, kept) }
func (c *floats[T]) trim(n int, kept *arrowbuf.Kept)      { c.out.Keep(n, kept) }
func (c *decimals) trim(n int, kept *arrowbuf.Kept)       { c.out.Keep(n, kept) }
func (c *timestamps) trim(n int, kept *arrowbuf.Kept)     { c.out.Keep(n, kept) }
func (c *stringValues) trim(n int, kept *arrowbuf.Kept)   { c.offsets.Keep(n, kept, &c.bytes) }
func (k *keptDictionary) trim(n int, kept *arrowbuf.Kept) { k.out.Keep(n, kept) }

func (c *structs) trim(n int, kept *arrowbuf.Kept) {
	for _, k := range c.children {
		k.trim(n, kept)
	}
}

func (c *structs) readKept(n int, kept *arrowbuf.Kept) error {
	for _, k := range c.children {
		if err := k.readKept(arrowbuf.AllSlots(n), kept); err != nil {
			return err
		}
	}
	return nil
}

// readKept takes the values of each run from the stream, which passes over the others. Where nearly all stay and the
// stream reads to where they are wanted, it reads all.
func (c *floats[T]) readKept(n int, kept *arrowbuf.Kept) error {
	if readsAll(&c.data.Bytes, kept.Count, int64(n-kept.N)*c.width, int64(kept.N)*c.width) {
		err := c.read(arrowbuf.AllSlots(n))
		if err == nil {
			c.trim(n, kept)
		}
		return err
	}
	if err := c.node.tree.batch.Take(int64(kept.N) * c.width); err != nil {
		return err
	}
	dst := arrowbuf.AsBytes(c.out.Grow(kept.N))
	at := 0
	for from, to := range kept.All() {
		if err := c.data.Discard(int64(from-at) * c.width); err != nil {
			return c.data.fail(err)
		}
		k := (to - from) * int(c.width)
		if err := c.data.Take(dst[:k]); err != nil {
			return c.data.fail(err)
		}
		dst, at = dst[k:], to
	}
	return c.data.fail(c.data.Discard(int64(n-at) * c.width))
}

// readKept lets go of ids before their entries are copied, or of lengths, and passes over the bytes.
func (c *stringValues) readKept(n int, kept *arrowbuf.Kept) error {
	if err := c.node.tree.batch.Take(4 * int64(kept.N)); err != nil {
		return err
	}
	if c.dict == nil {
		return c.copyKept(n, kept)
	}
	if few(n, kept) && c.ids.KeepsFew() {
		c.scratch = grow(c.scratch, kept.N)
		if err := c.ids.NextKept(c.scratch[:kept.N], n, kept.Marks); err != nil {
			return c.data.fail(err)
		}
	} else {
		ids, err := c.nextIDs(n)
		if err != nil {
			return err
		}
		arrowbuf.Keep(ids, kept)
	}
	_, ends := c.offsets.Grow(kept.N, kept.N)
	return c.gather(ends, c.scratch[:kept.N])
}

// copyKept is readKept for values that are stored as they are.
func (c *stringValues) copyKept(n int, kept *arrowbuf.Kept) error {
	c.scratch = grow(c.scratch, 1+n+bitpack.DstSlack/4)
	offsets := c.scratch[:1+n]
	lens := offsets[1:]
	if err := c.lengths.Next(lens); err != nil {
		return c.length.fail(err)
	}
	_, ends := c.offsets.Grow(kept.N, kept.N)
	if few(n, kept) && c.fitsOffsets() {
		return c.copyFew(ends, offsets, kept)
	}
	if n <= shortRows*kept.Count {
		all, err := c.total(lens)
		if err != nil {
			return err
		}
		if all <= shortBytes*int64(kept.Count) {
			return c.copyShort(ends, offsets, kept, all)
		}
	}
	runs := kept.Runs
	if kept.Marks != nil {
		c.runs = kept.AppendRuns(c.runs[:0])
		runs = c.runs
	}
	start := ends[0]
	to := ends[1:]
	for _, r := range runs {
		to = to[copy(to, lens[r[0]:r[1]]):]
	}
	last, err := bitpack.Offsets(ends)
	if err != nil {
		return c.length.fail(errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of strings: take fewer rows in a batch"))
	}
	size := int64(last) - int64(start)
	gone, at := int64(0), 0
	for _, r := range runs {
		k, err := c.total(lens[at:r[0]])
		if err != nil {
			return err
		}
		gone, at = gone+k, r[1]
	}
	behind, err := c.total(lens[at:])
	if err != nil {
		return err
	}
	if err := c.checkLength(size + gone + behind); err != nil {
		return err
	}
	if readsAll(&c.data.Bytes, len(runs), gone, size) {
		err = c.takeAll(lens, ends, runs, size+gone)
	} else {
		err = c.takeRuns(lens, ends, runs, size)
	}
	if err != nil {
		return err
	}
	if err := c.data.Discard(behind); err != nil {
		return c.data.fail(err)
	}
	c.bytes.Extend(int(size))
	if c.strip {
		c.unpad(ends)
	}
	return c.check(ends)
}

// copyShort is copyKept where runs and gaps are short: all values are read, and those of runs are moved together. The lengths of the
// values are in offsets, behind the first, and add up to all.
func (c *stringValues) copyShort(ends, offsets []int32, kept *arrowbuf.Kept, all int64) error {
	offsets[0] = 0
	if _, err := bitpack.Offsets(offsets); err != nil {
		return c.length.fail(err)
	}
	if err := c.checkLength(all); err != nil {
		return err
	}
	dst, err := c.room(all)
	if err != nil {
		return err
	}
	if err := c.data.Take(dst[:all]); err != nil {
		return c.data.fail(err)
	}
	size := arrowbuf.KeepStrings(ends, dst[:all], offsets, kept)
	c.node.tree.batch.Give(all - int64(size))
	c.bytes.Extend(size)
	if c.strip {
		c.unpad(ends)
	}
	return c.check(ends)
}

// shortBytes is what a run and the gap before it have, on average, where reading all and moving the runs together costs less than to
// stop and to go on.
const shortBytes = 256

// shortRows is how many rows they may have for their bytes to be counted first, which is a pass over all lengths.
const shortRows = 32

// readsAll reports whether bytes that are to be let go of are read with those of the runs, which are then moved together: where the
// runs are short, and where nearly all stays and the stream reads to where it is wanted.
func readsAll(data *orcwire.Bytes, runs int, gone, kept int64) bool {
	return gone+kept <= shortBytes*int64(runs) || gone <= kept/8 && data.Straight(gone+kept)
}

// takeRuns takes the bytes of each run, of which the ends are known, and passes over those between.
func (c *stringValues) takeRuns(lens, ends []int32, runs [][2]int, size int64) error {
	dst, err := c.room(size)
	if err != nil {
		return err
	}
	at, slot := 0, 0
	for _, r := range runs {
		if err := c.pass(lens[at:r[0]]); err != nil {
			return err
		}
		k := r[1] - r[0]
		bytes := int(ends[slot+k] - ends[slot])
		if err := c.data.Take(dst[:bytes]); err != nil {
			return c.data.fail(err)
		}
		dst, at, slot = dst[bytes:], r[1], slot+k
	}
	return nil
}

// takeAll takes all bytes up to the end of the last run, and moves those of the runs together.
func (c *stringValues) takeAll(lens, ends []int32, runs [][2]int, all int64) error {
	dst, err := c.room(all)
	if err != nil {
		return err
	}
	if err := c.data.Take(dst[:all]); err != nil {
		return c.data.fail(err)
	}
	at, slot, from, to := 0, 0, int64(0), int64(0)
	for _, r := range runs {
		gap, err := c.total(lens[at:r[0]])
		if err != nil {
			return err
		}
		from += gap
		k := r[1] - r[0]
		n := int64(ends[slot+k] - ends[slot])
		if from != to {
			copy(dst[to:to+n], dst[from:from+n])
		}
		at, slot, from, to = r[1], slot+k, from+n, to+n
	}
	c.node.tree.batch.Give(all - to)
	return nil
}

// pass passes over the bytes of values.
func (c *stringValues) pass(lens []int32) error {
	total, err := c.total(lens)
	if err != nil {
		return err
	}
	return c.data.fail(c.data.Discard(total))
}

// total adds up lengths.
func (c *stringValues) total(lens []int32) (int64, error) {
	total, all := int64(0), int32(0)
	for _, l := range lens {
		total += int64(l)
		all |= l
	}
	if all < 0 {
		return 0, c.length.fail(bitpack.ErrNegative)
	}
	return total, nil
}

func (k *keptDictionary) readKept(n int, kept *arrowbuf.Kept) error {
	err := k.read(arrowbuf.AllSlots(n))
	if err == nil {
		k.trim(n, kept)
	}
	return err
}
