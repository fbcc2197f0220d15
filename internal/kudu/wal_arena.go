package kudu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// memoryBound bounds what the replay of a log holds in memory.
type memoryBound struct{ used, limit int64 }

func (b *memoryBound) add(n int64) error {
	if n > b.limit-b.used {
		return errs.Errorf(errs.ErrLimit,
			"the write-ahead log holds more rows than fit into %d bytes of memory (%s)", b.limit, optWALMemory)
	}
	b.used += n
	return nil
}

func (b *memoryBound) give(n int64) { b.used -= n }

// arena keeps byte strings for good, many to a chunk.
type arena struct {
	chunks [][]byte
	fill   int // the chunk that is being filled
	free   int // its first free byte
	bound  *memoryBound
}

// ref is a place in an arena: the chunk above, the offset in it in the lower 32 bits.
type ref uint64

const (
	firstChunk = 16 << 10
	lastChunk  = 1 << 20
)

// alloc returns n zero bytes.
func (a *arena) alloc(n int) (ref, error) {
	if len(a.chunks) > 0 && n <= len(a.chunks[a.fill])-a.free {
		r := ref(a.fill)<<32 | ref(a.free)
		a.free += n
		return r, nil
	}
	if n > math.MaxUint32 {
		return 0, errs.Errorf(errs.ErrLimit, "a value of %d bytes", n)
	}
	size := min(lastChunk, firstChunk<<min(len(a.chunks), 16))
	own := n > size/4
	if own {
		size = n
	}
	if err := a.bound.add(int64(size)); err != nil {
		return 0, err
	}
	a.chunks = append(a.chunks, make([]byte, size))
	last := len(a.chunks) - 1
	if !own || last == 0 {
		a.fill, a.free = last, n
	}
	return ref(last) << 32, nil
}

// put copies b.
func (a *arena) put(b []byte) (ref, error) {
	r, err := a.alloc(len(b))
	if err == nil {
		copy(a.at(r, len(b)), b)
	}
	return r, err
}

// at returns the n bytes at r.
func (a *arena) at(r ref, n int) []byte {
	off := uint32(r)
	return a.chunks[r>>32][off : int(off)+n : int(off)+n]
}

// keyTable numbers different keys in the order in which they come.
type keyTable struct {
	seed  maphash.Seed // random, so that hostile keys cannot be made to collide
	slots []uint64     // upper half of a hash, number + 1 below; 0 = free; as many as a power of two
	keys  []keyEntry
	a     *arena
}

type keyEntry struct {
	at   ref
	size uint32
	hash uint32 // lower half
}

const keyBytes = 16 + 2*8 // with two slots for a key, which is what there is on average

func newKeyTable(a *arena) keyTable { return keyTable{seed: maphash.MakeSeed(), a: a} }

func (t *keyTable) key(i int) []byte {
	k := &t.keys[i]
	return t.a.at(k.at, int(k.size))
}

func (t *keyTable) find(key []byte) (int, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	return t.look(key, maphash.Bytes(t.seed, key))
}

// look returns the number of a key, or a free slot for it.
func (t *keyTable) look(key []byte, hash uint64) (int, bool) {
	mask := len(t.slots) - 1
	for s := int(uint32(hash)) & mask; ; s = (s + 1) & mask {
		slot := t.slots[s]
		if slot == 0 {
			return s, false
		}
		if slot>>32 != hash>>32 {
			continue
		}
		n := uint32(slot) - 1
		if k := &t.keys[n]; bytes.Equal(t.a.at(k.at, int(k.size)), key) {
			return int(n), true
		}
	}
}

// add returns the number of a key and whether it had one before.
func (t *keyTable) add(key []byte) (int, bool, error) {
	if len(t.keys) >= len(t.slots)/4*3 {
		t.grow()
	}
	hash := maphash.Bytes(t.seed, key)
	i, ok := t.look(key, hash)
	if ok {
		return i, true, nil
	}
	if err := t.a.bound.add(keyBytes); err != nil {
		return 0, false, err
	}
	if len(t.keys) >= math.MaxInt32 {
		return 0, false, errs.Errorf(errs.ErrLimit, "the write-ahead log has more than %d rows", math.MaxInt32)
	}
	at, err := t.a.put(key)
	if err != nil {
		return 0, false, err
	}
	t.keys = append(t.keys, keyEntry{at, uint32(len(key)), uint32(hash)})
	t.slots[i] = hash>>32<<32 | uint64(len(t.keys))
	return len(t.keys) - 1, false, nil
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]uint64, max(64, 2*len(old)))
	mask := len(t.slots) - 1
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		s := int(t.keys[uint32(slot)-1].hash) & mask
		for t.slots[s] != 0 {
			s = (s + 1) & mask
		}
		t.slots[s] = slot
	}
}

// sort orders numbers of keys by key. It takes sortBytes of memory for each while it does.
func (t *keyTable) sort(numbers []uint32) {
	items := make([]keyItem, len(numbers))
	for i, n := range numbers {
		var b [8]byte
		copy(b[:], t.key(int(n)))
		items[i] = keyItem{binary.BigEndian.Uint64(b[:]), n}
	}
	slices.SortFunc(items, func(a, b keyItem) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return bytes.Compare(t.key(int(a.number)), t.key(int(b.number)))
	})
	for i := range items {
		numbers[i] = items[i].number
	}
}

// keyItem is a key being sorted, with its first bytes, which mostly decide.
type keyItem struct {
	first  uint64
	number uint32
}

const sortBytes = 16
