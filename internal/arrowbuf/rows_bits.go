package arrowbuf

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// rowBase is what every node has: the type of its arrays, their length so far and their validity.
type rowBase struct {
	dt    arrow.DataType
	mem   memory.Allocator
	rows  int
	nulls int
	valid rowBuffer // bits; empty until the first null
}

// appendValidity adds the validity of the rows of runs, n in all, to the rows that b has, and counts them.
func (b *rowBase) appendValidity(d arrow.ArrayData, runs [][2]int64, n int) {
	dst, have, src := b.moreValidity(d, n)
	if src == nil {
		return
	}
	appendBitRuns(dst, have, src, d.Offset(), runs)
	b.nulls += n - bitutil.CountSetBits(dst, have, n)
}

// moreValidity adds n rows of d to those that b has. It returns the bits to be written, from bit have on, and those of d, if d has nulls.
func (b *rowBase) moreValidity(d arrow.ArrayData, n int) (dst []byte, have int, src []byte) {
	if v := d.Buffers()[0]; v != nil && d.NullN() != 0 {
		src = v.Bytes()
	}
	have = b.rows
	b.rows += n
	if len(src) == 0 {
		if b.valid.n > 0 {
			b.growValid()
			setBits(b.valid.bytes(), have, n)
		}
		return nil, have, nil
	}
	if b.valid.n == 0 {
		b.growValid()
		setBits(b.valid.bytes(), 0, have)
	} else {
		b.growValid()
	}
	return b.valid.bytes(), have, src
}

// growValid extends the bitmap to b.rows.
func (b *rowBase) growValid() { b.valid.extend(b.mem, (b.rows+7)/8-b.valid.n) }

// adopt implements rowNode for arrays without dictionaries.
func (b *rowBase) adopt(arrow.ArrayData) error { return nil }

// takeData makes the array's data from its buffers behind the validity; it owns them from now on.
func (b *rowBase) takeData(children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	all := make([]*memory.Buffer, 1, 1+len(buffers))
	if b.nulls > 0 {
		all[0] = b.valid.take(b.mem)
	} else {
		b.valid.release()
	}
	all = append(all, buffers...)
	d := array.NewData(b.dt, b.rows, all, children, b.nulls, 0)
	for _, x := range all {
		if x != nil {
			x.Release() // NewData took its own references
		}
	}
	for _, c := range children {
		c.Release()
	}
	b.rows, b.nulls = 0, 0
	return d
}

func (b *rowBase) releaseBase() {
	b.valid.release()
	b.rows, b.nulls = 0, 0
}

// rowBuffer is an Arrow buffer that grows at its end, by doubling.
type rowBuffer struct {
	buf *memory.Buffer
	n   int
}

func (r *rowBuffer) bytes() []byte {
	if r.buf == nil {
		return nil
	}
	return r.buf.Bytes()
}

// extend makes r longer by n bytes and returns these, of undefined content.
func (r *rowBuffer) extend(mem memory.Allocator, n int) []byte {
	if r.buf == nil {
		r.buf = memory.NewResizableBuffer(mem)
	}
	if need := r.n + n; need > r.buf.Cap() {
		r.buf.Reserve(max(need, 2*r.buf.Cap()))
	}
	r.n += n
	r.buf.ResizeNoShrink(r.n)
	return r.buf.Bytes()[r.n-n:]
}

// reserve makes room for n more bytes.
func (r *rowBuffer) reserve(mem memory.Allocator, n int) {
	if r.buf == nil {
		r.buf = memory.NewResizableBuffer(mem)
	}
	r.buf.Reserve(r.n + n)
}

// take hands the buffer over, without spare room, its padding zero. It is never nil.
func (r *rowBuffer) take(mem memory.Allocator) *memory.Buffer {
	b := r.buf
	if b == nil {
		b = memory.NewResizableBuffer(mem)
	}
	if b.Cap() > 0 {
		b.Resize(r.n)
		clear(b.Buf()[r.n:])
	}
	r.buf, r.n = nil, 0
	return b
}

func (r *rowBuffer) release() {
	if r.buf != nil {
		r.buf.Release()
	}
	r.buf, r.n = nil, 0
}

// appendBitRuns copies runs of bits of src, counted from bit so, to the end of dst from bit do on.
func appendBitRuns(dst []byte, do int, src []byte, so int, runs [][2]int64) {
	if do&7 == 0 {
		clear(dst[do>>3:])
	} else {
		dst[do>>3] &= 1<<(do&7) - 1
		clear(dst[do>>3+1:])
	}
	for _, r := range runs {
		from, n := so+int(r[0]), int(r[1]-r[0])
		if n == 1 { // filters make many runs of one row
			dst[do>>3] |= src[from>>3] >> (from & 7) & 1 << (do & 7)
			do++
			continue
		}
		appendBits(dst, do, src, from, n)
		do += n
	}
}

// appendBits copies n bits of src from bit so on to dst from bit do on. The bits of dst's last byte beyond them become 0.
func appendBits(dst []byte, do int, src []byte, so, n int) {
	if n == 0 {
		return
	}
	if r := do & 7; r != 0 {
		k := min(8-r, n)
		at := do >> 3
		dst[at] = dst[at]&(1<<r-1) | fewBits(src, so, k)<<r
		do, so, n = do+k, so+k, n-k
	}
	d, s := dst[do>>3:], src[so>>3:]
	sh := uint(so & 7)
	if sh == 0 {
		k := copy(d[:n>>3], s)
		d, s = d[k:], s[k:]
		n &= 7
	}
	for n >= 64 && len(s) > 8 {
		binary.LittleEndian.PutUint64(d, binary.LittleEndian.Uint64(s)>>sh|uint64(s[8])<<(64-sh))
		d, s, n = d[8:], s[8:], n-64
	}
	for n >= 8 {
		d[0] = s[0]>>sh | s[1]<<(8-sh)
		d, s, n = d[1:], s[1:], n-8
	}
	if n > 0 {
		d[0] = fewBits(s, int(sh), n)
	}
}

// fewBits returns k <= 8 bits of src from bit i on.
func fewBits(src []byte, i, k int) byte {
	v := src[i>>3] >> (i & 7)
	if i&7+k > 8 {
		v |= src[i>>3+1] << (8 - i&7)
	}
	return v & byte(1<<k-1)
}

// setBits makes n bits of dst from bit do on 1. The bits of dst's last byte beyond them become 0.
func setBits(dst []byte, do, n int) {
	if n == 0 {
		return
	}
	first, last := do>>3, (do+n-1)>>3
	head := dst[first] & (1<<(do&7) - 1)
	for i := first; i <= last; i++ {
		dst[i] = 0xFF
	}
	if r := (do + n) & 7; r != 0 {
		dst[last] = 1<<r - 1
	}
	dst[first] = dst[first]&^(1<<(do&7)-1) | head
}
