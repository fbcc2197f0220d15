package orc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
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

// atOnce is how many strings are looked up together, step by step: what the steps wait for is then on its way for all of
// them.
const atOnce = 64

// add sets ids to the numbers of as many strings that offsets cut data into, and returns how many got one: fewer only if
// the entries outgrow 2 GiB.
func (d *dictionary) add(ids, offsets []int32, data []byte) int {
	var hashes, from, to [atOnce]uint32
	var slots [atOnce]uint64
	for done := 0; done < len(ids); {
		n := min(atOnce, len(ids)-done)
		cuts := offsets[done : done+n+1]
		for i := range n {
			hashes[i] = uint32(maphash.Bytes(d.seed, data[cuts[i]:cuts[i+1]]))
		}
		mask := uint32(len(d.slots) - 1)
		for i, h := range hashes[:n] {
			slots[i] = d.slots[h&mask]
		}
		for i, s := range slots[:n] {
			if id := uint32(s); id > 0 {
				from[i], to[i] = uint32(d.offsets[id-1]), uint32(d.offsets[id])
			}
		}
		for i, s := range slots[:n] {
			v := data[cuts[i]:cuts[i+1]]
			if uint32(s>>32) == hashes[i] && uint32(s) > 0 && string(d.data[from[i]:to[i]]) == string(v) {
				ids[done+i] = int32(uint32(s)) - 1
				continue
			}
			id, ok := d.number(v, hashes[i])
			if !ok {
				return done + i
			}
			ids[done+i] = id
		}
		done += n
	}
	return len(ids)
}

// addOne is add of one string.
func (d *dictionary) addOne(v []byte) (id int32, ok bool) {
	return d.number(v, uint32(maphash.Bytes(d.seed, v)))
}

// number returns the number of a string whose hash is h; false if it is new and there is no more room.
func (d *dictionary) number(v []byte, h uint32) (int32, bool) {
	at, id := d.find(v, h)
	if id < 0 {
		if len(d.data)+len(v) > math.MaxInt32 {
			return 0, false
		}
		id = d.insert(v, h, at)
	}
	return id, true
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
	d.data = append(roomFor(d.data, len(v)), v...)
	d.offsets = append(roomFor(d.offsets, 1), int32(len(d.data)))
	d.slots[at] = uint64(h)<<32 | uint64(id+1)
	if 3*len(d.slots) <= 4*d.len() {
		d.rehash()
	}
	return int32(id)
}

// roomFor returns s with room for n more, and for twice as many as there are while these are few: append would copy them more
// often.
func roomFor[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	more := len(s) // twice as many
	if more > 8<<20 {
		more /= 2
	}
	return slices.Grow(s, max(n, more, 1<<10))
}

// rehash makes more slots.
func (d *dictionary) rehash() {
	old := d.slots
	times := 2
	if len(old) < 1<<16 {
		times = 4
	}
	d.slots = make([]uint64, times*len(old))
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

// order returns the numbers of the entries in the order of their bytes.
func (d *dictionary) order() []int32 {
	type entry struct {
		start uint64 // the first eight bytes, which decide nearly always
		id    int32
	}
	entries := make([]entry, d.len())
	for i := range entries {
		v := d.data[d.offsets[i]:d.offsets[i+1]]
		var first [8]byte
		copy(first[:], v)
		entries[i] = entry{binary.BigEndian.Uint64(first[:]), int32(i)}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return bytes.Compare(d.data[d.offsets[a.id]:d.offsets[a.id+1]], d.data[d.offsets[b.id]:d.offsets[b.id+1]])
	})
	order := make([]int32, len(entries))
	for i, e := range entries {
		order[i] = e.id
	}
	return order
}

// idList holds the numbers of the strings of a stripe, in blocks that all have the same size and are used again.
type idList struct {
	blocks [][]int32
	n      int
}

// room returns where the next numbers go, as many as there are up to a multiple of sampleEvery. fill says how many came.
func (l *idList) room() []int32 {
	k := l.n / sampleEvery
	if k == len(l.blocks) {
		l.blocks = append(l.blocks, make([]int32, sampleEvery))
	}
	return l.blocks[k][l.n%sampleEvery:]
}

func (l *idList) fill(n int) { l.n += n }

// each calls f with the numbers from from to to, in order.
func (l *idList) each(from, to int, f func(ids []int32)) {
	for from < to {
		at := from % sampleEvery
		n := min(to-from, sampleEvery-at)
		f(l.blocks[from/sampleEvery][at : at+n])
		from += n
	}
}

// rename replaces each number by its place in order, which has every number once.
func (l *idList) rename(order []int32) {
	places := make([]int32, len(order))
	for i, id := range order {
		places[id] = int32(i)
	}
	l.each(0, l.n, func(ids []int32) {
		for i, id := range ids {
			ids[i] = places[id]
		}
	})
}

func (l *idList) reset() { l.n = 0 }
