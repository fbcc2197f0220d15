package orc

import (
	"hash/maphash"
	"math"
)

// dictionary numbers distinct strings in the order in which they come. It is a hash table of its own, because a Go map of
// strings would copy and compare through a string header for each value.
type dictionary struct {
	seed    maphash.Seed
	slots   []uint64 // hash and number + 1, 32 bits each; 0 = free
	offsets []int32  // of the entries in data, one more than there are
	data    []byte
}

// len returns how many entries there are.
func (d *dictionary) len() int { return max(0, len(d.offsets)-1) }

func (d *dictionary) reset() {
	if d.offsets == nil {
		d.seed = maphash.MakeSeed()
		d.offsets = []int32{0}
		d.slots = make([]uint64, 1<<9)
		return
	}
	clear(d.slots)
	d.offsets, d.data = d.offsets[:1], d.data[:0]
}

// add appends the numbers of the strings that offsets cut data into to ids; false if the entries outgrow 2 GiB: then some
// strings have no number.
func (d *dictionary) add(ids []int32, offsets []int32, data []byte) ([]int32, bool) {
	from := offsets[0]
	for _, end := range offsets[1:] {
		v := data[from:end]
		from = end
		h := uint32(maphash.Bytes(d.seed, v))
		at, id := d.find(v, h)
		if id < 0 {
			if len(d.data)+len(v) > math.MaxInt32 {
				return ids, false
			}
			id = d.insert(v, h, at)
		}
		ids = append(ids, id)
	}
	return ids, true
}

// find returns the number of a string, or -1 and the slot that is free for it.
func (d *dictionary) find(v []byte, h uint32) (at uint32, id int32) {
	mask := uint32(len(d.slots) - 1)
	for at = h & mask; ; at = (at + 1) & mask {
		s := d.slots[at]
		if s == 0 {
			return at, -1
		}
		if uint32(s>>32) == h {
			id = int32(uint32(s) - 1)
			if string(d.data[d.offsets[id]:d.offsets[id+1]]) == string(v) {
				return at, id
			}
		}
	}
}

// insert adds a string that is not there.
func (d *dictionary) insert(v []byte, h, at uint32) int32 {
	id := d.len()
	d.data = append(d.data, v...)
	d.offsets = append(d.offsets, int32(len(d.data)))
	d.slots[at] = uint64(h)<<32 | uint64(id+1)
	if 3*len(d.slots) <= 4*d.len() {
		d.rehash()
	}
	return int32(id)
}

// rehash doubles the slots.
func (d *dictionary) rehash() {
	old := d.slots
	d.slots = make([]uint64, 2*len(old))
	mask := uint32(len(d.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := uint32(s>>32) & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = s
	}
}
