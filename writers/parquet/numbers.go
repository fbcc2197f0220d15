package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

// number is the bits of a value of four or eight bytes.
type number interface{ uint32 | uint64 }

// numbers are values of INT32, INT64, FLOAT and DOUBLE columns.
type numbers[T number] struct {
	leaf  *leaf
	loadN func(w *worker, arr arrow.Array, p positions) ([]T, error)
	v     []T // loaded
	some  []T

	// The dictionary: an open hash table of entries + 1.
	entries []T
	table   []uint32

	out    bounds
	hashed []uint64
}

func (n *numbers[T]) load(w *worker, arr arrow.Array, p positions) (err error) {
	n.v, err = n.loadN(w, arr, p)
	return err
}

func width[T number]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

func (n *numbers[T]) size(from, to int) int { return (to - from) * width[T]() }

func (n *numbers[T]) plain(dst []byte, from, to int) []byte {
	v := n.v[from:to]
	n.see(v)
	if n.leaf.bloom {
		n.hashAll(v)
	}
	return append(dst, arrowbuf.AsBytes(v)...)
}

// mixed is the hash of a value. Both halves of the product are needed: small floats differ in their highest bits alone.
func mixed[T number](v T) uint64 {
	hi, lo := bits.Mul64(uint64(v)+0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
	return hi ^ lo
}

func (n *numbers[T]) index(dst []uint32, from, to int) []uint32 {
	v := n.v[from:to]
	at := len(dst)
	dst = grow(dst, len(v))
	out := dst[at:][:len(v)]
	n.room(len(v))
	table, mask := n.table, uint64(len(n.table)-1)
	for i, x := range v {
		for h := mixed(x); ; h++ {
			e := table[h&mask]
			if e == 0 {
				n.entries = append(n.entries, x)
				e = uint32(len(n.entries))
				table[h&mask] = e
			} else if n.entries[e-1] != x {
				continue
			}
			out[i] = e - 1
			break
		}
	}
	return dst
}

func grow(dst []uint32, n int) []uint32 {
	if cap(dst)-len(dst) < n {
		dst = append(make([]uint32, 0, max(2*cap(dst), len(dst)+n, 1024)), dst...)
	}
	return dst[:len(dst)+n]
}

// room makes the table large enough for so many more entries.
func (n *numbers[T]) room(more int) {
	size := max(len(n.table), 1<<10)
	for size < 2*(len(n.entries)+more) {
		size *= 2
	}
	if size == len(n.table) {
		return
	}
	n.table = make([]uint32, size)
	mask := uint64(size - 1)
	for i, x := range n.entries {
		h := mixed(x)
		for n.table[h&mask] != 0 {
			h++
		}
		n.table[h&mask] = uint32(i + 1)
	}
}

func (n *numbers[T]) entry(value int) uint32 {
	var one [1]uint32
	return n.index(one[:0:1], value, value+1)[0]
}

func (n *numbers[T]) dictionary() (entries, size int) {
	return len(n.entries), len(n.entries) * width[T]()
}

func (n *numbers[T]) lookup(dst []byte, index []uint32) []byte {
	v := sized(&n.some, len(index))
	for i, k := range index {
		v[i] = n.entries[k]
	}
	return append(dst, arrowbuf.AsBytes(v)...)
}

func (n *numbers[T]) appendDictionary(dst []byte) []byte {
	return append(dst, arrowbuf.AsBytes(n.entries)...)
}

func (n *numbers[T]) observe(entries []uint32) {
	v := sized(&n.some, len(entries))
	for i, k := range entries {
		v[i] = n.entries[k]
	}
	n.see(v)
}

// see takes values into the statistics.
func (n *numbers[T]) see(v []T) {
	if len(v) == 0 || n.leaf.order == noOrder {
		return
	}
	eight := width[T]() == 8
	switch {
	case n.leaf.order == unsigned:
		lo, hi := least(v, 0, ^T(0))
		n.merge(lo, hi, lo <= hi)
	case n.leaf.order == signed && eight:
		lo, hi := least(view[int64](v), math.MinInt64, math.MaxInt64)
		n.merge(T(lo), T(hi), lo <= hi)
	case n.leaf.order == signed:
		lo, hi := least(view[int32](v), math.MinInt32, math.MaxInt32)
		n.merge(T(uint32(lo)), T(uint32(hi)), lo <= hi)
	case eight:
		lo, hi := least(view[float64](v), math.Inf(-1), math.Inf(1))
		n.merge(T(math.Float64bits(lo)), T(math.Float64bits(hi)), lo <= hi)
	default:
		lo, hi := least(view[float32](v), float32(math.Inf(-1)), float32(math.Inf(1)))
		n.merge(T(math.Float32bits(lo)), T(math.Float32bits(hi)), lo <= hi)
	}
}

// view returns v as values of another type of the same size.
func view[V any, T number](v []T) []V {
	return unsafe.Slice((*V)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// least returns the smallest and the largest value; of NaN alone the smallest is above the largest.
func least[V int32 | int64 | uint32 | uint64 | float32 | float64](v []V, smallest, largest V) (lo, hi V) {
	lo, hi = largest, smallest
	for _, x := range v {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi
}

func (n *numbers[T]) merge(lo, hi T, ok bool) {
	if !ok {
		return
	}
	n.out.add(n.leaf, bytesOf(&lo), bytesOf(&hi))
}

func bytesOf[T number](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

func (n *numbers[T]) stats() *bounds { return &n.out }

func (n *numbers[T]) reset() {
	n.entries = n.entries[:0]
	clear(n.table)
}

func (n *numbers[T]) hash() { n.hashAll(n.entries) }

func (n *numbers[T]) hashAll(v []T) {
	var b [8]byte
	for _, x := range v {
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		n.hashed = append(n.hashed, xxhash.Sum64(b[:width[T]()]))
	}
}

func (n *numbers[T]) hashes() *[]uint64 { return &n.hashed }

// newValues makes what encodes the values of a leaf.
func newValues(l *leaf) values {
	switch l.wire.Type {
	case encode.Boolean:
		return &bools{leaf: l}
	case encode.Int32, encode.Float:
		return &numbers[uint32]{leaf: l, loadN: load32(l.typ)}
	case encode.Int64, encode.Double:
		return &numbers[uint64]{leaf: l, loadN: load64(l.typ)}
	}
	return newBinaries(l)
}
