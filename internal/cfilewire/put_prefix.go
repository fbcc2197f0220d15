package cfilewire

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// restartInterval is how many values of a PREFIX block come from one restart to the next.
const restartInterval = 16

// PrefixOut writes PREFIX blocks of strings or bytes: the reverse of Strings.OpenPrefix. Open comes first.
type PrefixOut struct {
	b        []byte
	restarts []uint32 // in b
	last     []byte   // the value before
	count    int
	since    int // values since the last restart
	most     int
}

// Open makes w write blocks of about size bytes, 0 for Kudu's default.
func (w *PrefixOut) Open(size int) {
	*w = PrefixOut{b: w.b[:0], restarts: w.restarts[:0], last: w.last[:0], most: blockSize(size)}
}

// Put adds values, those that offsets cut data into, until the block is full, and returns how many that were: all, or up
// to the one with which the block has become larger than it should be. A full block takes none.
func (w *PrefixOut) Put(offsets []int32, data []byte) (taken int) {
	b, last := w.b, w.last
	for i := 1; i < len(offsets) && len(b) <= w.most; i++ {
		v := data[offsets[i-1]:offsets[i]]
		shared := 0
		if w.since < restartInterval {
			shared = sharedBytes(last, v)
		} else {
			w.restarts = append(w.restarts, uint32(len(b)))
			w.since = 0
		}
		own := v[shared:]
		if need := len(own) + 2*binary.MaxVarintLen32 + prefixStep; cap(b)-len(b) < need {
			b = slices.Grow(b, need)
		}
		p := len(b)
		room := b[p : p+2*binary.MaxVarintLen32]
		n := 2
		if shared|len(own) < 0x80 {
			room[0], room[1] = byte(shared), byte(len(own))
		} else {
			n = binary.PutUvarint(room, uint64(shared))
			n += binary.PutUvarint(room[n:], uint64(len(own)))
		}
		p += n
		b = b[:p+len(own)]
		if len(own) <= prefixStep && cap(own) >= prefixStep {
			*(*[prefixStep]byte)(b[p : p+prefixStep]) = *(*[prefixStep]byte)(own[:prefixStep])
		} else {
			copy(b[p:], own)
		}
		last = v
		w.since++
		taken++
	}
	if taken > 0 {
		w.last = append(w.last[:0], last...)
	}
	w.b = b
	w.count += taken
	return taken
}

// sharedBytes returns how many bytes a and b begin with that are the same.
func sharedBytes(a, b []byte) (n int) {
	most := min(len(a), len(b))
	for ; most-n >= 8; n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// Count returns how many values the block has.
func (w *PrefixOut) Count() int { return w.count }

// Full reports whether the block has more bytes than it should have; header and restarts do not count.
func (w *PrefixOut) Full() bool { return len(w.b) > w.most }

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *PrefixOut) Finish(dst []byte, ordinal uint32) []byte {
	head := len(dst)
	dst = appendGroups(dst, []uint32{uint32(w.count), ordinal, restartInterval, 0})
	body := uint32(len(dst) - head)
	dst = append(dst, w.b...)
	for _, at := range w.restarts {
		dst = binary.LittleEndian.AppendUint32(dst, body+at)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(w.restarts)))
	w.b, w.restarts, w.last, w.count, w.since = w.b[:0], w.restarts[:0], w.last[:0], 0, 0
	return dst
}
