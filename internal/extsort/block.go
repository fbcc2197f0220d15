package extsort

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// A block is rows of a run as they lie in a scratch file, in the byte order of this machine: the buffers of the keys, of
// the weights and of the columns, depth first, each at a multiple of 8; behind them varints that say what there is:
//
//	rows
//	keys: bytes, whether there are ends; whether there are weights
//	each array: length, nulls, number of buffers, length + 1 of each (0 = none), then its children
//
// Its place stays in memory.
type place struct {
	off   int64
	bytes int64 // of the buffers
	meta  int32 // bytes behind them
	crc   uint32
}

// size is how long the block is.
func (p place) size() int64 { return p.bytes + int64(p.meta) }

// memory is what the block takes when it is read.
func (p place) memory() int64 { return int64(arrowbuf.BlockBytes(int(p.size()))) }

// placeBytes is what a place takes.
const placeBytes = int64(unsafe.Sizeof(place{}))

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// scratch is a scratch file that runs are appended to.
type scratch struct {
	f    arrowio.ScratchFile
	w    *bufio.Writer
	off  int64
	runs int // that are in it and still wanted
}

// scratchBuffer is the most that is kept back of what is written to a scratch file.
const scratchBuffer = 256 << 10

func scratchError(err error) error { return fmt.Errorf("scratch file: %w", err) }

// blockWriter appends blocks to a scratch file.
type blockWriter struct {
	to   *scratch
	meta []byte
	put  int64
	crc  uint32
	err  error
}

var padding [8]byte

func (w *blockWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	w.crc = crc32.Update(w.crc, castagnoli, b)
	_, w.err = w.to.w.Write(b)
	w.put += int64(len(b))
}

// buffer writes b up to the next multiple of 8.
func (w *blockWriter) buffer(b []byte) {
	w.write(b)
	if r := len(b) & 7; r != 0 {
		w.write(padding[r:])
	}
}

func (w *blockWriter) number(n int) { w.meta = binary.AppendUvarint(w.meta, uint64(n)) }

func (w *blockWriter) flag(v bool) {
	n := 0
	if v {
		n = 1
	}
	w.number(n)
}

// block writes n rows of columns at offset 0 throughout.
func (w *blockWriter) block(b *batch) (place, error) {
	*w = blockWriter{to: w.to, meta: w.meta[:0]}
	w.number(b.n)
	w.number(len(b.keys.data))
	w.buffer(b.keys.data)
	w.flag(b.keys.ends != nil)
	w.buffer(arrow.GetBytes(b.keys.ends))
	w.flag(b.weights != nil)
	w.buffer(arrow.GetBytes(b.weights))
	for _, c := range b.cols {
		w.array(c.Data())
	}
	p := place{off: w.to.off, bytes: w.put, meta: int32(len(w.meta))}
	w.write(w.meta)
	if w.err != nil {
		return place{}, scratchError(w.err)
	}
	p.crc = w.crc
	w.to.off += w.put
	return p, nil
}

func (w *blockWriter) array(d arrow.ArrayData) {
	w.number(d.Len())
	w.number(d.NullN())
	w.number(len(d.Buffers()))
	for _, b := range d.Buffers() {
		if b == nil {
			w.number(0)
			continue
		}
		w.number(b.Len() + 1)
		w.buffer(b.Bytes())
	}
	for _, c := range d.Children() {
		w.array(c)
	}
}

// readBlock reads a block of columns of the given types. The caller releases it.
func readBlock(f arrowio.ScratchFile, p place, types []arrow.DataType, width int, mem memory.Allocator) (*batch, error) {
	buf := memory.NewResizableBuffer(mem)
	defer buf.Release()
	buf.Resize(int(p.size()))
	if n, err := f.ReadAt(buf.Bytes(), p.off); n < buf.Len() {
		return nil, scratchError(err)
	}
	if crc32.Checksum(buf.Bytes(), castagnoli) != p.crc {
		return nil, scratchError(fmt.Errorf("the %d bytes at %d are not what was written", p.size(), p.off))
	}
	r := blockReader{whole: buf, meta: buf.Bytes()[p.bytes:]}
	b := &batch{bytes: p.memory()}
	b.n = r.number()
	b.keys = keys{width: width, data: r.view(r.number())}
	if r.number() != 0 {
		b.keys.ends = arrow.GetData[uint32](r.view(4 * (b.n + 1)))
	}
	if r.number() != 0 {
		b.weights = arrow.GetData[uint32](r.view(4 * b.n))
	}
	for _, dt := range types {
		d := r.array(dt)
		b.cols = append(b.cols, array.MakeFromData(d))
		d.Release()
	}
	return b, nil
}

// blockReader reads what this package wrote and a checksum covers.
type blockReader struct {
	whole *memory.Buffer
	at    int
	meta  []byte
}

func (r *blockReader) number() int {
	n, k := binary.Uvarint(r.meta)
	r.meta = r.meta[k:]
	return int(n)
}

func (r *blockReader) view(n int) []byte {
	b := r.whole.Bytes()[r.at : r.at+n]
	r.at += (n + 7) &^ 7
	return b
}

func (r *blockReader) array(dt arrow.DataType) *array.Data {
	n, nulls := r.number(), r.number()
	buffers := make([]*memory.Buffer, r.number())
	for i := range buffers {
		if k := r.number(); k > 0 {
			buffers[i] = memory.SliceBuffer(r.whole, r.at, k-1)
			r.at += (k - 1 + 7) &^ 7
		}
	}
	var children []arrow.ArrayData
	for _, t := range childTypes(arrowtype.Storage(dt)) {
		children = append(children, r.array(t))
	}
	d := array.NewData(dt, n, buffers, children, nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range children {
		k.Release()
	}
	return d
}
