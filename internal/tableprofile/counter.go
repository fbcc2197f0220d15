package tableprofile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/axiomhq/hyperloglog"
)

const (
	firstSlots = 64   // of a table
	kept       = 1024 // values whose counts are kept when not all are; a value that is more than one of kept/2 is found
	precision  = 14   // of HyperLogLog: 2^14 registers
	maxProbes  = 256  // slots that are looked at for a value, which chance does not reach
)

// HLLError is the standard error of the number of different values where it is estimated.
const HLLError = 0.0081 // 1.04 / sqrt(2^precision)

// entry is a slot of a table of values.
type entry struct {
	hash  uint64
	count int64  // 0 = the slot is empty
	order uint64 // of a value that has one
	text  int32  // place of the value's text in a list, plus one
	row   int32  // index of the value in the batch that brought it, plus one; 0 = it is not needed any more
}

// counter counts the values of a column by their hashes. Values of up to 64 bits have hashes of their own.
type counter struct {
	limit  int   // values that are all counted
	budget int64 // bytes of their texts
	texted bool  // values have texts

	slots   []entry
	n       int
	texts   []string            // of the values in the table, and holes
	bytes   int64               // of texts
	sketch  *hyperloglog.Sketch // of all values; nil = the table has them all
	lowered int64               // from the count of each value that the table has, at most, and of those that it has not
	full    func()              // is called when the table gets too small, and still has all
	spare   []entry
}

// batch is the values of a column in a batch, without nulls.
type batch struct {
	hashes  []uint64
	orders  []uint64                       // nil = the values have none
	weights []int64                        // how often each occurs; nil = once
	text    func(dst []byte, i int) []byte // appends the text of a value; nil = orders tell the values
}

// exact reports whether all values are counted.
func (c *counter) exact() bool { return c.sketch == nil }

// add counts the values of a batch. It returns the index of the first value that full was not told of; len(hashes) if
// the table still has all.
func (c *counter) add(b *batch) (from int) {
	if c.exact() {
		from = len(b.hashes)
	}
	for i := 0; i < len(b.hashes); {
		h := b.hashes[i]
		j := i + 1
		for j < len(b.hashes) && b.hashes[j] == h {
			j++
		}
		w := int64(j - i)
		if b.weights != nil {
			w = 0
			for _, x := range b.weights[i:j] {
				w += x
			}
		}
		if c.sketch != nil {
			c.sketch.InsertHash(h)
		}
		if !c.count(b, h, i, w) { // the table is too small
			from = i
			c.estimate()
			c.sketch.InsertHash(h)
			c.count(b, h, i, w)
		}
		i = j
	}
	if c.texted {
		c.write(b)
	}
	return from
}

// count adds to the count of a value. It returns false if the value is one more than a table that has all can have.
func (c *counter) count(b *batch, h uint64, i int, w int64) bool {
	if c.n*4 >= len(c.slots)*3 {
		c.grow()
	}
	mask := uint64(len(c.slots) - 1)
	for k := uint64(0); k < maxProbes; k++ {
		e := &c.slots[(h+k)&mask]
		if e.count == 0 {
			if c.exact() && c.n >= c.limit {
				return false
			}
			*e = entry{hash: h, count: w}
			if b.orders != nil {
				e.order = b.orders[i]
			}
			if c.texted {
				e.row = int32(i + 1)
			}
			if c.n++; !c.exact() && c.n >= 2*kept {
				c.lower(kept)
			}
			return true
		}
		if e.hash == h {
			e.count += w
			return true
		}
	}
	if c.exact() {
		return false
	}
	c.lowered += w // as if the value had been counted and thrown out
	return true
}

// grow makes the table larger.
func (c *counter) grow() {
	c.spare = c.appendEntries(c.spare[:0])
	c.rebuild(max(firstSlots, 2*len(c.slots)), c.spare)
}

// entries lists the values of the table.
func (c *counter) entries() []entry { return c.appendEntries(make([]entry, 0, c.n)) }

func (c *counter) appendEntries(out []entry) []entry {
	for i := range c.slots {
		if c.slots[i].count > 0 {
			out = append(out, c.slots[i])
		}
	}
	return out
}

// rebuild makes a table of so many slots.
func (c *counter) rebuild(slots int, of []entry) {
	if len(c.slots) == slots {
		clear(c.slots)
	} else {
		c.slots = make([]entry, slots)
	}
	c.n = len(of)
	mask := uint64(slots - 1)
	for _, e := range of {
		at := e.hash & mask
		for c.slots[at].count > 0 {
			at = (at + 1) & mask
		}
		c.slots[at] = e
	}
}

// estimate goes on with estimates, since the table is too small.
func (c *counter) estimate() {
	if c.full != nil {
		c.full()
	}
	c.sketch, _ = hyperloglog.NewSketch(precision, false) // it has this precision
	for i := range c.slots {
		if e := &c.slots[i]; e.count > 0 {
			c.sketch.InsertHash(e.hash)
		}
	}
	c.lower(kept)
	c.spare = nil // it is large
}

// lower lowers all counts by one number until at most n values have one above zero, and forgets the others.
func (c *counter) lower(n int) {
	if c.n <= n {
		return
	}
	by := c.nth(c.n - n - 1)
	c.lowered += by
	c.spare = c.spare[:0]
	for i := range c.slots {
		e := &c.slots[i]
		switch {
		case e.count > by:
			e.count -= by
			c.spare = append(c.spare, *e)
		case e.text > 0:
			c.bytes -= int64(len(c.texts[e.text-1]))
			c.texts[e.text-1] = ""
		}
	}
	c.rebuild(4*kept, c.spare)
}

// nth returns the count that is at place n in ascending order.
func (c *counter) nth(n int) int64 {
	var small [64]int
	var large []int64
	for i := range c.slots {
		if x := c.slots[i].count; uint64(x) < uint64(len(small)) {
			small[x]++
		}
	}
	for x, m := range small[1:] {
		if n < m {
			return int64(x + 1)
		}
		n -= m
	}
	for i := range c.slots {
		if x := c.slots[i].count; x >= int64(len(small)) {
			large = append(large, x)
		}
	}
	slices.Sort(large)
	return large[n]
}

// write writes the texts of values that the batch has brought, while it is there.
func (c *counter) write(b *batch) {
	if !c.exact() {
		c.lower(kept) // so that fewer are written
		c.closeHoles()
	}
	var text []byte
	for i := range c.slots {
		e := &c.slots[i]
		if e.row == 0 {
			continue
		}
		text = b.text(text[:0], int(e.row-1))
		c.texts = append(c.texts, string(text))
		e.text, e.row = int32(len(c.texts)), 0
		c.bytes += int64(len(text))
	}
	if c.exact() && c.bytes > c.budget {
		c.estimate()
	}
}

// closeHoles removes texts that are not needed any more.
func (c *counter) closeHoles() {
	if len(c.texts) < 4*kept {
		return
	}
	left := make([]string, 0, 2*kept)
	for i := range c.slots {
		if e := &c.slots[i]; e.text > 0 {
			left = append(left, c.texts[e.text-1])
			e.text = int32(len(left))
		}
	}
	c.texts = left
}

// text returns the text of a value.
func (c *counter) text(e entry) string {
	if e.text == 0 {
		return ""
	}
	return c.texts[e.text-1]
}

// distinct returns the number of different values.
func (c *counter) distinct(values int64) *Distinct {
	if c.exact() {
		return &Distinct{Count: int64(c.n), Exact: true}
	}
	return &Distinct{Count: min(int64(c.sketch.Estimate()), values), Error: HLLError}
}

// frequent lists the most frequent values, the most frequent first. A value is listed only if most of its count is known.
func (c *counter) frequent(n int) []entry {
	all := slices.DeleteFunc(c.entries(), func(e entry) bool { return e.count <= c.lowered })
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.order, b.order), strings.Compare(c.text(a), c.text(b)))
	})
	return all[:min(len(all), n)]
}
