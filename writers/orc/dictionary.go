package orc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
)

// dictionary numbers distinct strings in the order in which they come. It is a hash table of its own, because a Go map of
// strings would copy and compare through a string header for each value.
type dictionary struct {
	seed    maphash.Seed
	random  [4]uint64 // for hashes of short strings
	slots   []uint64  // hash and number + 1, 32 bits each; 0 = free
	offsets []int32   // of the entries in data, one more than there are
	data    []byte
	few     []shortText // of the first entries, by number + 1; what is not short has no size
}

// len returns how many entries there are.
func (d *dictionary) len() int { return max(0, len(d.offsets)-1) }

func (d *dictionary) reset() {
	if d.offsets == nil {
		d.seed = maphash.MakeSeed()
		for i := range d.random {
			d.random[i] = maphash.Bytes(d.seed, []byte{byte(i)})
		}
		d.offsets = []int32{0}
		d.slots = make([]uint64, 1<<9)
		d.few = []shortText{{size: notShort}}
		return
	}
	clear(d.slots)
	d.offsets, d.data, d.few = d.offsets[:1], d.data[:0], d.few[:1]
}

// atOnce is how many strings are looked up together, step by step: what the steps wait for is then on its way for all of
// them.
const atOnce = 64

// add sets ids to the numbers of as many strings that offsets cut data into, and returns how many got one: fewer only if
// the entries outgrow 2 GiB.
func (d *dictionary) add(ids, offsets []int32, data []byte) int {
	for done := 0; done < len(ids); {
		n := min(atOnce, len(ids)-done)
		k := 0
		if len(d.few) < mostFew {
			k = d.addToFew(ids[done:done+n], offsets[done:done+n+1], data)
		} else {
			k = d.addToMany(ids[done:done+n], offsets[done:done+n+1], data)
		}
		if done += k; k < n {
			return done
		}
	}
	return len(ids)
}

// addToMany is add of atOnce strings at the most.
func (d *dictionary) addToMany(ids, cuts []int32, data []byte) int {
	var hashes, from, to [atOnce]uint32
	var slots [atOnce]uint64
	for i := range ids {
		hashes[i] = d.hash(data, cuts[i], cuts[i+1])
	}
	mask := uint32(len(d.slots) - 1)
	for i, h := range hashes[:len(ids)] {
		slots[i] = d.slots[h&mask]
	}
	for i, s := range slots[:len(ids)] {
		if id := uint32(s); id > 0 {
			from[i], to[i] = uint32(d.offsets[id-1]), uint32(d.offsets[id])
		}
	}
	for i, s := range slots[:len(ids)] {
		v := data[cuts[i]:cuts[i+1]]
		if uint32(s>>32) == hashes[i] && uint32(s) > 0 && string(d.data[from[i]:to[i]]) == string(v) {
			ids[i] = int32(uint32(s)) - 1
			continue
		}
		id, ok := d.number(v, hashes[i])
		if !ok {
			return i
		}
		ids[i] = id
	}
	return len(ids)
}

// addToFew is add while there are few entries, which are in the nearest caches: a short string is compared as three words, without a
// branch that depends on its length.
func (d *dictionary) addToFew(ids, cuts []int32, data []byte) int {
	slots, few := d.slots, d.few
	from := cuts[0]
	for i, to := range cuts[1:] {
		var h uint32
		if uint(to-from) > mostShortText || int(from)+mostShortText > len(data) {
			h = d.hash(data, from, to)
		} else {
			t := shortAt(data, from, to)
			h = d.hashShort(&t)
			if id := uint32(slots[h&uint32(len(slots)-1)]); int(id) < len(few) {
				if e := &few[id]; (e.a^t.a)|(e.b^t.b)|(e.c^t.c)|(e.size^t.size) == 0 {
					ids[i] = int32(id) - 1
					from = to
					continue
				}
			}
		}
		id, ok := d.number(data[from:to], h)
		if !ok {
			return i
		}
		slots, few = d.slots, d.few
		ids[i] = id
		from = to
	}
	return len(ids)
}

const (
	mostFew       = 2048 // entries, and one, that are few
	mostShortText = 24   // bytes of a short string
	notShort      = math.MaxUint64
)

// shortText is a short string: its bytes, and zeros.
type shortText struct{ a, b, c, size uint64 }

// shortMasks has the bytes of the three words that belong to a short string.
var shortMasks = makeShortMasks()

func makeShortMasks() (t [mostShortText + 1][3]uint64) {
	for n := range t {
		for i := range n {
			t[n][i/8] |= 0xff << (i % 8 * 8)
		}
	}
	return t
}

// shortAt returns the short string data[from:to]. There are as many bytes behind from as the longest takes.
func shortAt(data []byte, from, to int32) shortText {
	w, n := (*[mostShortText]byte)(data[from:]), uint64(to-from)
	m := &shortMasks[n]
	return shortText{
		binary.LittleEndian.Uint64(w[:]) & m[0], binary.LittleEndian.Uint64(w[8:]) & m[1], binary.LittleEndian.Uint64(w[16:]) & m[2], n,
	}
}

// hashShort returns the hash of a short string: products with secret numbers, as in wyhash.
func (d *dictionary) hashShort(t *shortText) uint32 {
	h, l := bits.Mul64(t.a^d.random[0], t.b^d.random[1])
	h, l = bits.Mul64(h^l^t.c^d.random[2], t.size^d.random[3])
	return uint32(h ^ l)
}

// hash returns the hash of the string data[from:to].
func (d *dictionary) hash(data []byte, from, to int32) uint32 {
	if to-from > mostShortText {
		return uint32(maphash.Bytes(d.seed, data[from:to]))
	}
	t := shortOf(data, from, to)
	return d.hashShort(&t)
}

// shortOf is shortAt with any number of bytes behind from.
func shortOf(data []byte, from, to int32) shortText {
	if int(from)+mostShortText <= len(data) {
		return shortAt(data, from, to)
	}
	var room [mostShortText]byte
	copy(room[:], data[from:to])
	return shortAt(room[:], 0, to-from)
}

// addOne is add of one string.
func (d *dictionary) addOne(v []byte) (id int32, ok bool) {
	return d.number(v, d.hash(v, 0, int32(len(v))))
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
	if len(d.few) < mostFew {
		t := shortText{size: notShort}
		if len(v) <= mostShortText {
			t = shortOf(v, 0, int32(len(v)))
		}
		d.few = append(d.few, t)
	}
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
