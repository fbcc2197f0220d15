package arrowbuf

import "github.com/apache/arrow/go/v15/arrow/memory"

// Offsets builds the offsets of an array of lists, of strings, or of bytes: one more than there are slots.
type Offsets struct{ v Vec[int32] }

// NewOffsets returns offsets of no slots, with memory from mem.
func NewOffsets(mem *Arena) Offsets { return Offsets{NewVec[int32](mem)} }

// begin makes the offset that the first slot starts at.
func (o *Offsets) begin() {
	if o.v.Len() == 0 {
		o.v.Grow(1)[0] = 0
	}
}

// Grow appends n slots, stored of which have a value. It returns their offsets, one more than there are slots, and the
// part of them that the ends of the values are to be written to, behind the first, which is where the values start. Both
// are valid until the next Grow. Where some slots have no value, bitpack.SpreadOffsets puts the ends in their places.
func (o *Offsets) Grow(n, stored int) (slots, ends []int32) {
	o.begin()
	o.v.Grow(n)
	all := o.v.Values()
	slots = all[len(all)-1-n:]
	start := slots[0]
	ends = slots[n-stored:]
	ends[0] = start
	return slots, ends
}

// Keep keeps of the last n slots those that stay, together with their values in v, which are the last of v: both are moved together.
func (o *Offsets) Keep(n int, kept *Kept, v *Vec[uint8]) {
	o.begin()
	KeepTexts(&o.v, n, kept, v)
}

// KeepTexts keeps of the last n texts, whose offsets are the last of offsets, one more than texts, and whose bytes are the last of v, those that
// stay, and moves both together.
func KeepTexts(offsets *Vec[int32], n int, kept *Kept, v *Vec[uint8]) {
	all := offsets.Values()
	slots := all[len(all)-1-n:]
	values := v.Values()
	if kept.Marks != nil {
		end := gatherTexts(slots[1:], values, int(slots[0]), values, slots, kept.Marks, 0)
		v.Shrink(len(values) - end)
		offsets.Shrink(n - kept.N)
		return
	}
	to, end := 0, slots[0]
	for _, r := range kept.Runs {
		from := slots[r[0] : r[1]+1]
		if to == r[0] && end == from[0] {
			to, end = r[1], from[len(from)-1]
			continue
		}
		copy(values[end:], values[from[0]:from[len(from)-1]])
		gap := from[0] - end
		// The places are those read, or before them: what was read is not needed again.
		end = from[len(from)-1] - gap
		from = from[1:]
		moved := slots[to+1:][:len(from)]
		for i, x := range from {
			moved[i] = x - gap
		}
		to += len(from)
	}
	v.Shrink(len(values) - int(end))
	offsets.Shrink(n - to)
}

// Append appends one slot that ends at end.
func (o *Offsets) Append(end int32) {
	o.begin()
	o.v.Grow(1)[0] = end
}

// Len returns the number of slots.
func (o *Offsets) Len() int { return max(0, o.v.Len()-1) }

// End returns where the last slot ends; 0 if there is none.
func (o *Offsets) End() int32 {
	if o.v.Len() == 0 {
		return 0
	}
	return o.v.Values()[o.v.Len()-1]
}

// Take hands over the buffer, which has an offset even where there are no slots.
func (o *Offsets) Take() *memory.Buffer {
	o.begin()
	return o.v.Take()
}

// Release frees the memory and empties o.
func (o *Offsets) Release() { o.v.Release() }
