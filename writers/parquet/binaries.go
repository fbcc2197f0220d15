package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

// binaries are the values of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY columns.
type binaries struct {
	leaf  *leaf
	fixed int // bytes of every value, 0 = BYTE_ARRAY

	// Loaded: value i is data[off[i]:] with cum[i+1]-cum[i] bytes; of fixed width data[i*fixed:] with fixed bytes.
	data     []byte
	off, cum []int64
	offs     []int64 // memory of off, cum
	sums     []int64
	copied   []byte

	// The dictionary: its values one after the other, and an open hash table of the upper half of a hash and entry + 1.
	seed   maphash.Seed
	values []byte
	starts []uint32 // of entries, and the end
	table  []uint64

	out    bounds
	lo, hi uint64 // beginnings of the bounds
	hashed []uint64
	limit  *big.Int // of decimals: the first that is too large
	top    int      // its first byte
}

func newBinaries(l *leaf) *binaries {
	b := &binaries{leaf: l, seed: maphash.MakeSeed()}
	if l.wire.Type == encode.Fixed {
		b.fixed = int(l.wire.Width)
	}
	if t, ok := l.typ.(arrow.DecimalType); ok {
		b.limit = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.GetPrecision())), nil)
		b.top = int(new(big.Int).Rsh(b.limit, uint(8*(b.fixed-1))).Int64())
	}
	b.reset()
	return b
}

func (b *binaries) value(i int) []byte {
	if b.fixed > 0 {
		return b.data[i*b.fixed:][:b.fixed:b.fixed]
	}
	from := b.off[i]
	return b.data[from : from+b.cum[i+1]-b.cum[i]]
}

func (b *binaries) size(from, to int) int {
	if b.fixed > 0 {
		return (to - from) * b.fixed
	}
	return int(b.cum[to]-b.cum[from]) + 4*(to-from)
}

func (b *binaries) load(w *worker, arr arrow.Array, p positions) error {
	switch a := arr.(type) {
	case *array.Float16, *array.FixedSizeBinary:
		b.loadFixed(arr, p)
		return nil
	case *array.Decimal128:
		return b.loadDecimals(arr, p, 16)
	case *array.Decimal256:
		return b.loadDecimals(arr, p, 32)
	case array.ViewLike:
		return b.loadViews(a, p)
	case *array.LargeString, *array.LargeBinary:
		loadOffsets(b, offsetsOf[int64](arr), p)
	default:
		loadOffsets(b, offsetsOf[int32](arr), p)
	}
	b.data = nil
	if buf := arr.Data().Buffers()[2]; buf != nil {
		b.data = buf.Bytes()
	}
	return b.tooLong()
}

func loadOffsets[O int32 | int64](b *binaries, offs []O, p positions) {
	if p.at == nil {
		out := sized(&b.offs, p.n+1)
		for i, o := range offs[p.first:][:p.n+1] {
			out[i] = int64(o)
		}
		b.off, b.cum = out, out
		return
	}
	b.off, b.cum = sized(&b.offs, p.n), sized(&b.sums, p.n+1)
	sum := int64(0)
	for i, at := range p.at {
		from, to := int64(offs[at]), int64(offs[at+1])
		b.off[i], b.cum[i] = from, sum
		sum += to - from
	}
	b.cum[p.n] = sum
}

// tooLong checks that every value can be stored.
func (b *binaries) tooLong() error {
	if k := len(b.cum) - 1; k <= 0 || b.cum[k]-b.cum[0] < 1<<31-64 {
		return nil
	}
	for i := range b.cum[1:] {
		if n := b.cum[i+1] - b.cum[i]; n >= 1<<31-64 {
			return errs.Errorf(errs.ErrSchema, "a value has %d bytes; a value in a Parquet file has less than 2 GiB", n)
		}
	}
	return nil
}

func (b *binaries) loadViews(a array.ViewLike, p positions) error {
	b.copied = b.copied[:0]
	b.off, b.cum = sized(&b.offs, p.n), sized(&b.sums, p.n+1)
	buffers := a.Data().Buffers()
	for i := range p.n {
		at := p.first + i
		if p.at != nil {
			at = int(p.at[i])
		}
		b.off[i] = int64(len(b.copied))
		b.cum[i] = b.off[i]
		h := a.ValueHeader(at)
		if h.IsInline() {
			b.copied = append(b.copied, h.InlineBytes()...)
		} else {
			b.copied = append(b.copied, buffers[2+h.BufferIndex()].Bytes()[h.BufferOffset():][:h.Len()]...)
		}
	}
	b.cum[p.n] = int64(len(b.copied))
	b.data = b.copied
	return b.tooLong()
}

func (b *binaries) loadFixed(arr arrow.Array, p positions) {
	d := arr.Data()
	if p.n == 0 {
		b.data = nil
		return
	}
	src := d.Buffers()[1].Bytes()[d.Offset()*b.fixed:]
	if p.at == nil {
		b.data = src[p.first*b.fixed:]
		return
	}
	b.copied = slices.Grow(b.copied[:0], p.n*b.fixed)
	for _, at := range p.at {
		b.copied = append(b.copied, src[int(at)*b.fixed:][:b.fixed]...)
	}
	b.data = b.copied
}

// loadDecimals makes big-endian values of fewer bytes.
func (b *binaries) loadDecimals(arr arrow.Array, p positions, width int) error {
	d := arr.Data()
	b.data = sized(&b.copied, p.n*b.fixed)
	if p.n == 0 {
		return nil
	}
	src := d.Buffers()[1].Bytes()[d.Offset()*width:]
	for i := range p.n {
		at := p.first + i
		if p.at != nil {
			at = int(p.at[i])
		}
		v, out := src[at*width:][:width], b.data[i*b.fixed:][:b.fixed]
		for k := range out {
			out[k] = v[b.fixed-1-k]
		}
		sign := byte(int8(out[0]) >> 7)
		for _, x := range v[b.fixed:] {
			if x != sign {
				return b.tooLarge(v)
			}
		}
		// Only what begins with the highest bytes can be too large.
		if n := int(int8(out[0])); (n >= b.top || -n >= b.top) && bigOf(v).CmpAbs(b.limit) >= 0 {
			return b.tooLarge(v)
		}
	}
	return nil
}

// bigOf returns the value of a little-endian integer.
func bigOf(v []byte) *big.Int {
	be := slices.Clone(v)
	slices.Reverse(be)
	n := new(big.Int).SetBytes(be)
	if be[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n
}

func (b *binaries) tooLarge(v []byte) error {
	return tooManyDigits(b.leaf.typ.(arrow.DecimalType), bigOf(v))
}

func (b *binaries) plain(dst []byte, from, to int) []byte {
	dst = slices.Grow(dst, b.size(from, to))
	for i := from; i < to; i++ {
		v := b.value(i)
		if b.fixed == 0 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
		}
		dst = append(dst, v...)
		b.see(v)
		if b.leaf.bloom {
			b.hashed = append(b.hashed, xxhash.Sum64(v))
		}
	}
	return dst
}

func (b *binaries) index(dst []uint32, from, to int) []uint32 {
	at := len(dst)
	dst = grow(dst, to-from)
	out := dst[at:]
	b.room(to - from)
	mask := uint64(len(b.table) - 1)
	for i := from; i < to; i++ {
		v := b.value(i)
		h := maphash.Bytes(b.seed, v)
		tag := h &^ (1<<32 - 1)
		for k := h; ; k++ {
			e := b.table[k&mask]
			if e == 0 {
				b.values = append(b.values, v...)
				b.starts = append(b.starts, uint32(len(b.values)))
				e = tag | uint64(len(b.starts)-1)
				b.table[k&mask] = e
			} else if e&^(1<<32-1) != tag || !bytes.Equal(b.at(uint32(e)-1), v) {
				continue
			}
			out[i-from] = uint32(e) - 1
			break
		}
	}
	return dst
}

// at returns an entry of the dictionary.
func (b *binaries) at(entry uint32) []byte { return b.values[b.starts[entry]:b.starts[entry+1]] }

func (b *binaries) entries() int { return len(b.starts) - 1 }

func (b *binaries) room(more int) {
	size := max(len(b.table), 1<<9)
	for size < 2*(b.entries()+more) {
		size *= 2
	}
	if size == len(b.table) {
		return
	}
	b.table = make([]uint64, size)
	mask := uint64(size - 1)
	for i := range b.entries() {
		h := maphash.Bytes(b.seed, b.at(uint32(i)))
		k := h
		for b.table[k&mask] != 0 {
			k++
		}
		b.table[k&mask] = h&^(1<<32-1) | uint64(i+1)
	}
}

func (b *binaries) entry(value int) uint32 {
	var one [1]uint32
	return b.index(one[:0:1], value, value+1)[0]
}

func (b *binaries) dictionary() (entries, size int) {
	size = len(b.values)
	if b.fixed == 0 {
		size += 4 * b.entries()
	}
	return b.entries(), size
}

func (b *binaries) append(dst, v []byte) []byte {
	if b.fixed == 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
	}
	return append(dst, v...)
}

func (b *binaries) lookup(dst []byte, index []uint32) []byte {
	for _, k := range index {
		dst = b.append(dst, b.at(k))
	}
	return dst
}

func (b *binaries) appendDictionary(dst []byte) []byte {
	for k := range b.entries() {
		dst = b.append(dst, b.at(uint32(k)))
	}
	return dst
}

func (b *binaries) observe(entries []uint32) {
	for _, k := range entries {
		b.see(b.at(k))
	}
}

// see takes a value into the statistics.
func (b *binaries) see(v []byte) {
	if b.leaf.order != unsigned {
		if b.leaf.order != half || !float16.FromBits(binary.LittleEndian.Uint16(v)).IsNaN() {
			b.out.add(b.leaf, v, v)
		}
		return
	}
	// Most values are between the bounds by their first bytes.
	k := beginning(v)
	if b.out.set && k > b.lo && k < b.hi {
		return
	}
	b.out.add(b.leaf, v, v)
	b.lo, b.hi = beginning(b.out.min), beginning(b.out.max)
}

// beginning returns the first eight bytes, as a number that has their order.
func beginning(v []byte) uint64 {
	if len(v) >= 8 {
		return binary.BigEndian.Uint64(v)
	}
	var b [8]byte
	copy(b[:], v)
	return binary.BigEndian.Uint64(b[:])
}

func (b *binaries) stats() *bounds { return &b.out }

func (b *binaries) reset() {
	b.values, b.starts = b.values[:0], append(b.starts[:0], 0)
	clear(b.table)
}

func (b *binaries) hash() {
	for k := range b.entries() {
		b.hashed = append(b.hashed, xxhash.Sum64(b.at(uint32(k))))
	}
}

func (b *binaries) hashes() *[]uint64 { return &b.hashed }
