package extsort

import (
	"bytes"
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// keySlack is how many bytes behind the last key may be read, so that eight bytes can be loaded anywhere.
const keySlack = 8

// keys are the keys of the rows of one batch.
type keys struct {
	width int      // of every key, where ends is nil
	ends  []uint32 // 0, and where each key ends
	data  []byte   // the keys and keySlack bytes
	own   *keyMemory
}

// keyMemory is the memory of keys that are not part of a block.
type keyMemory struct {
	ends arrowbuf.Vec[uint32]
	data arrowbuf.Vec[uint8]
}

func newKeyMemory(mem *arrowbuf.Arena) *keyMemory {
	return &keyMemory{ends: arrowbuf.NewVec[uint32](mem), data: arrowbuf.NewVec[uint8](mem)}
}

func (k *keys) release() {
	if k.own != nil {
		k.own.ends.Release()
		k.own.data.Release()
	}
	*k = keys{}
}

// bytes returns how much memory the keys take.
func (k *keys) bytes() int64 { return int64(len(k.data)) + 4*int64(len(k.ends)) }

// span returns where key i is in data.
func (k *keys) span(i int) (from, to int) {
	if k.ends == nil {
		return i * k.width, (i + 1) * k.width
	}
	return int(k.ends[i]), int(k.ends[i+1])
}

func (k *keys) key(i int) []byte {
	from, to := k.span(i)
	return k.data[from:to]
}

// word returns eight bytes of key i from depth on as a number in the order of the bytes, zeroes behind the key's end.
func (k *keys) word(i, depth int) uint64 {
	from, to := k.span(i)
	from += depth
	if from >= to {
		return 0
	}
	w := binary.BigEndian.Uint64(k.data[from:])
	if n := to - from; n < 8 {
		w &= ^uint64(0) << (64 - 8*n)
	}
	return w
}

// inOrder reports whether n keys ascend; equal neighbours do.
func (k *keys) inOrder(n int) bool {
	if n < 2 {
		return true
	}
	whole := k.ends == nil && k.width <= 8
	last := k.word(0, 0)
	for i := 1; i < n; i++ {
		w := k.word(i, 0)
		if w < last || w == last && !whole && bytes.Compare(k.key(i-1), k.key(i)) > 0 {
			return false
		}
		last = w
	}
	return true
}
