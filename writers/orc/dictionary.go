package orc

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// dictionary numbers distinct strings in the order in which they come. It is a hash table of its own, because a Go map of
// strings would copy and compare through a string header for each value.
type dictionary struct {
	seed    maphash.Seed
	slots   []uint32 // number + 1, 0 = free
	hashes  []uint32 // of each entry
	offsets []int32  // of the entries in data, one more than there are
	data    []byte
}

// len returns how many entries there are.
func (d *dictionary) len() int { return max(0, len(d.offsets)-1) }

func (d *dictionary) reset() {
	if d.offsets == nil {
		d.seed = maphash.MakeSeed()
		d.offsets = []int32{0}
		d.slots = make([]uint32, 1<<10)
		return
	}
	clear(d.slots)
	d.hashes, d.offsets, d.data = d.hashes[:0], d.offsets[:1], d.data[:0]
}

// add appends the numbers of the strings that offsets cut data into to ids; false if the entries outgrow 2 GiB, or the
// given number: then some strings have no number yet.
func (d *dictionary) add(ids []int32, offsets []int32, data []byte, most int) ([]int32, bool) {
	from := offsets[0]
	for _, end := range offsets[1:] {
		v := data[from:end]
		from = end
		h := maphash.Bytes(d.seed, v)
		id, ok := d.find(v, h)
		if !ok {
			if len(d.data)+len(v) > math.MaxInt32 || d.len() >= most {
				return ids, false
			}
			id = d.insert(v, h)
		}
		ids = append(ids, id)
	}
	return ids, true
}

func (d *dictionary) find(v []byte, h uint64) (int32, bool) {
	mask := uint64(len(d.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := d.slots[i]
		if s == 0 {
			return 0, false
		}
		id := s - 1
		if d.hashes[id] == uint32(h>>32) && string(d.data[d.offsets[id]:d.offsets[id+1]]) == string(v) {
			return int32(id), true
		}
	}
}

// insert adds a string that is not there.
func (d *dictionary) insert(v []byte, h uint64) int32 {
	if 4*d.len() >= 3*len(d.slots) {
		d.rehash()
	}
	id := d.len()
	d.data = append(d.data, v...)
	d.offsets = append(d.offsets, int32(len(d.data)))
	d.hashes = append(d.hashes, uint32(h>>32))
	d.place(uint32(id), h)
	return int32(id)
}

func (d *dictionary) place(id uint32, h uint64) {
	mask := uint64(len(d.slots) - 1)
	i := h & mask
	for d.slots[i] != 0 {
		i = (i + 1) & mask
	}
	d.slots[i] = id + 1
}

func (d *dictionary) rehash() {
	d.slots = make([]uint32, 1<<bits.Len(uint(len(d.slots))))
	for id := range d.len() {
		d.place(uint32(id), maphash.Bytes(d.seed, d.data[d.offsets[id]:d.offsets[id+1]]))
	}
}
