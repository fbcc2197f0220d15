package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/arrowio/arrowio/arrowio"
)

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
)

// readFooter reads FileMetaData from the end of a file, before anybody interprets it:
//
//	"PAR1", column chunks, FileMetaData, uint32 its length, "PAR1"
func readFooter(ctx context.Context, src arrowio.Source, limits arrowio.Limits) ([]byte, error) {
	var tail [8]byte
	end := src.Size() - 8
	if end < 4 {
		return nil, corrupt("%d bytes are too few for a file", src.Size())
	}
	if err := readAt(ctx, src, tail[:], end); err != nil {
		return nil, err
	}
	switch {
	case bytes.Equal(tail[4:], []byte(magicEncrypted)):
		return nil, arrowio.Errorf(arrowio.ErrUnsupported, "the file is encrypted")
	case !bytes.Equal(tail[4:], []byte(magic)):
		return nil, corrupt("the file does not end with %s: it is cut off", magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case n == 0 || n > end-4:
		return nil, corrupt("a footer of %d bytes in a file of %d", n, src.Size())
	case n > limits.MetadataBytes:
		return nil, arrowio.Errorf(arrowio.ErrLimit, "a footer of %d bytes (Limits.MetadataBytes)", n)
	}
	b := make([]byte, n)
	if err := readAt(ctx, src, b, end-n); err != nil {
		return nil, err
	}
	return b, nil
}

func readAt(ctx context.Context, src arrowio.Source, dst []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := src.ReadAt(dst, off)
	if n == len(dst) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func corrupt(format string, args ...any) error {
	return arrowio.Errorf(arrowio.ErrCorrupt, format, args...)
}

// Thrift's compact protocol: a struct is fields until a zero byte, each a byte of id distance and type.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// structBytes is about what a Thrift struct costs in memory, even an empty one of a single byte.
const structBytes = 256

// walker goes through Thrift bytes without building anything of them.
type walker struct {
	b       []byte
	pos     int
	structs int64 // that may still come
	err     error
	// elements are the num_children of the schema's elements, in order.
	elements []int64
}

// checkFooter walks a footer: its structure, so that no list or string claims more than there is and the whole costs no
// more than limits allow; and the shape of the schema, which arrow's package recurses into.
func checkFooter(b []byte, limits arrowio.Limits) error {
	w := walker{b: b, structs: limits.MetadataBytes / structBytes * 4}
	w.structure(0, func(id int64, t byte) bool {
		const schema = 2
		if id != schema || t != thriftList {
			return false
		}
		w.list(0, w.schemaElement)
		return true
	})
	if w.err != nil {
		return w.err
	}
	return checkSchema(w.elements, limits)
}

// checkSchema checks the tree whose nodes in depth-first order have so many children. Arrow's types nest less deeply
// than Parquet's: a list takes three levels.
func checkSchema(children []int64, limits arrowio.Limits) error {
	if len(children) == 0 {
		return corrupt("no schema")
	}
	open := []int64{1} // children still to come, of each node from the root down
	leaves := 0
	for _, n := range children {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return corrupt("schema elements that belong to nothing")
		}
		open[len(open)-1]--
		switch {
		case n < 0 || n > int64(len(children)):
			return corrupt("a schema element with %d children", n)
		case n == 0:
			leaves++
		default:
			open = append(open, n)
		}
		if len(open) > 3*limits.Depth+1 {
			return arrowio.Errorf(arrowio.ErrLimit, "a schema nested deeper than %d (Limits.Depth)", limits.Depth)
		}
	}
	for _, n := range open {
		if n != 0 {
			return corrupt("a schema element is missing")
		}
	}
	if leaves > limits.Columns {
		return arrowio.Errorf(arrowio.ErrLimit, "%d columns (Limits.Columns)", leaves)
	}
	return nil
}

func (w *walker) fail() {
	if w.err == nil {
		w.err = corrupt("the footer is not Thrift at byte %d", w.pos)
	}
}

func (w *walker) byte() byte {
	if w.err != nil || w.pos >= len(w.b) {
		w.fail()
		return 0
	}
	w.pos++
	return w.b[w.pos-1]
}

func (w *walker) varint() uint64 {
	if w.err != nil {
		return 0
	}
	v, n := binary.Uvarint(w.b[w.pos:])
	if n <= 0 {
		w.fail()
		return 0
	}
	w.pos += n
	return v
}

func (w *walker) zigzag() int64 {
	v := w.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (w *walker) skip(n uint64) {
	if w.err != nil || n > uint64(len(w.b)-w.pos) {
		w.fail()
		return
	}
	w.pos += int(n)
}

// thriftDepth is more than Parquet's own structures nest.
const thriftDepth = 32

// structure walks a struct. known may read the value of a field itself, and says so.
func (w *walker) structure(depth int, known func(id int64, t byte) bool) {
	if w.structs--; w.structs < 0 && w.err == nil {
		w.err = arrowio.Errorf(arrowio.ErrLimit, "a footer of too many parts (Limits.MetadataBytes)")
	}
	if depth > thriftDepth {
		w.fail()
	}
	for id := int64(0); w.err == nil; {
		h := w.byte()
		t := h & 15
		if t == thriftStop {
			return
		}
		if delta := int64(h >> 4); delta != 0 {
			id += delta
		} else {
			id = w.zigzag()
		}
		if known == nil || !known(id, t) {
			w.value(depth+1, t, false)
		}
	}
}

// list walks a list with f for each element, which gets its type.
func (w *walker) list(depth int, f func(depth int, t byte)) {
	h := w.byte()
	n := uint64(h >> 4)
	if n == 15 {
		n = w.varint()
	}
	if n > uint64(len(w.b)-w.pos) { // an element takes a byte at least
		w.fail()
	}
	for ; n > 0 && w.err == nil; n-- {
		f(depth+1, h&15)
	}
}

func (w *walker) value(depth int, t byte, inList bool) {
	switch t {
	case thriftTrue, thriftFalse: // in a field, the type is the value
		if inList {
			w.byte()
		}
	case thriftByte:
		w.byte()
	case thriftI16, thriftI32, thriftI64:
		w.varint()
	case thriftDouble:
		w.skip(8)
	case thriftBinary:
		w.skip(w.varint())
	case thriftList, thriftSet:
		if depth > thriftDepth {
			w.fail()
			return
		}
		w.list(depth, func(depth int, t byte) { w.value(depth, t, true) })
	case thriftMap:
		w.pairs(depth)
	case thriftStruct:
		w.structure(depth, nil)
	default:
		w.fail()
	}
}

func (w *walker) pairs(depth int) {
	n := w.varint()
	if n == 0 {
		return
	}
	h := w.byte()
	if n > uint64(len(w.b)-w.pos) || depth > thriftDepth {
		w.fail()
	}
	for ; n > 0 && w.err == nil; n-- {
		w.value(depth+1, h>>4, true)
		w.value(depth+1, h&15, true)
	}
}

// schemaElement walks a SchemaElement and notes its num_children.
func (w *walker) schemaElement(depth int, t byte) {
	if t != thriftStruct {
		w.fail()
		return
	}
	children := int64(0)
	w.structure(depth, func(id int64, t byte) bool {
		const numChildren = 5
		if id != numChildren || t != thriftI32 {
			return false
		}
		children = w.zigzag()
		return true
	})
	w.elements = append(w.elements, children)
}
