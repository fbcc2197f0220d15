package parquet

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// values decodes the values of a leaf, a run of slots at a time, and builds the buffers of its array.
type values interface {
	// dictionary takes the n entries of a dictionary page.
	dictionary(raw []byte, n int) error
	// page begins a data page that has at most n values. raw stays valid until the next page begins.
	page(e decode.Encoding, raw []byte, n int) error
	// read appends slots, stored of which have a value: those whose bits of valid, from off on, are set.
	read(slots, stored int, valid []byte, off int) error
	// skip passes over stored values of the page.
	skip(stored int) error
	// take hands over the array of what was read, which is empty afterwards.
	take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error)
	// bytes returns the size of the values read so far.
	bytes() int64
	release()
}

// newValues returns the values of a leaf.
func newValues(n *node, mem *arrowbuf.Arena, limits arrowio.Limits) values {
	e, t := n.elem, n.field.Type
	if t.ID() == arrow.NULL {
		return &nullValues{}
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return &boolValues{bits: arrowbuf.NewBits(mem)}
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.StringViewType, *arrow.BinaryViewType:
		return newTextValues(t, mem, limits)
	case *arrow.DictionaryType:
		return newIndexValues(t, mem, limits)
	case *arrow.Decimal128Type:
		f := newFixed[[2]uint64](e, mem)
		f.convert = decimal128s(e)
		return f
	case *arrow.Decimal256Type:
		f := newFixed[[32]byte](e, mem)
		f.convert = decimal256s(e)
		return f
	case *arrow.Int8Type, *arrow.Uint8Type:
		f := newFixed[uint8](e, mem)
		f.convert = narrow[uint8]
		return f
	case *arrow.Int16Type, *arrow.Uint16Type:
		f := newFixed[uint16](e, mem)
		f.convert = narrow[uint16]
		return f
	}
	switch e.Type {
	case decode.Int32, decode.Float:
		return newFixed[uint32](e, mem)
	case decode.Int64, decode.Double:
		return newFixed[uint64](e, mem)
	case decode.Int96:
		f := newFixed[uint64](e, mem)
		f.convert = n.int96.convert
		return f
	}
	switch e.Width {
	case 1:
		return newFixed[uint8](e, mem)
	case 2:
		return newFixed[uint16](e, mem)
	case 4:
		return newFixed[uint32](e, mem)
	case 8:
		return newFixed[uint64](e, mem)
	case 16:
		return newFixed[[16]byte](e, mem)
	case 32:
		return newFixed[[32]byte](e, mem)
	}
	return &wideValues{storedValues: newStored(e), vec: arrowbuf.NewVec[uint8](mem)}
}

// storedValues gives the values of a page as PLAIN stores them, of a fixed width, whatever their encoding.
type storedValues struct {
	elem    *decode.Element
	width   int // of a stored value
	coding  decode.Encoding
	src     []byte // PLAIN, BYTE_STREAM_SPLIT: what is left, all of it
	pos     int    // values read, of BYTE_STREAM_SPLIT and deltas
	count   int    // values of the page, of BYTE_STREAM_SPLIT
	ints    []int64
	indices decode.Hybrid
	strings decode.DeltaStrings
	made    []byte // values of a page that were brought to PLAIN
	ids     []int32
}

// bytesOfDecimal is what decimals of variable length are brought to.
const bytesOfDecimal = 32

func newStored(e *decode.Element) storedValues {
	s := storedValues{elem: e}
	switch e.Type {
	case decode.Int32, decode.Float:
		s.width = 4
	case decode.Int64, decode.Double:
		s.width = 8
	case decode.Int96:
		s.width = 12
	case decode.ByteArray:
		s.width = bytesOfDecimal
	default:
		s.width = int(e.Width)
	}
	return s
}

// begin begins a page, and reports whether it holds indices of the dictionary.
func (s *storedValues) begin(e decode.Encoding, raw []byte, n int) (indices bool, err error) {
	s.coding, s.src, s.pos = e, raw, 0
	switch e {
	case decode.PlainDictionary, decode.RLEDictionary:
		return true, s.indices.ResetIndices(raw)
	case decode.Plain:
		if s.elem.Type == decode.ByteArray {
			return false, s.plainDecimals(raw, n)
		}
		return false, nil
	case decode.DeltaBinaryPacked:
		if s.elem.Type == decode.Int32 || s.elem.Type == decode.Int64 {
			s.ints, _, err = decode.Deltas(s.ints, raw, n)
			return false, err
		}
	case decode.ByteStreamSplit:
		if s.elem.Type != decode.ByteArray && s.width > 0 {
			s.count = len(raw) / s.width
			return false, nil
		}
	case decode.DeltaByteArray, decode.DeltaLengthByteArray:
		if s.elem.Type == decode.ByteArray || s.elem.Type == decode.Fixed {
			return false, s.deltaStrings(raw, n, e == decode.DeltaByteArray)
		}
	}
	return false, errs.Errorf(errs.ErrUnsupported, "encoding %s of %s", e, s.elem.Type)
}

// plainDecimals brings decimals of variable length to one width.
func (s *storedValues) plainDecimals(raw []byte, n int) error {
	s.made = s.made[:0]
	for ; n > 0 && len(raw) >= 4; n-- {
		l := binary.LittleEndian.Uint32(raw)
		if uint64(l) > uint64(len(raw)-4) {
			return decode.ErrLength
		}
		if err := s.addDecimal(raw[4 : 4+l]); err != nil {
			return err
		}
		raw = raw[4+l:]
	}
	s.src = s.made
	return nil
}

func (s *storedValues) addDecimal(v []byte) error {
	for len(v) > s.width {
		if v[0] != 0 && v[0] != 0xff {
			return corrupt("a decimal of %d bytes", len(v))
		}
		v = v[1:]
	}
	fill := byte(0)
	if len(v) > 0 && v[0]&0x80 != 0 {
		fill = 0xff
	}
	for range s.width - len(v) {
		s.made = append(s.made, fill)
	}
	s.made = append(s.made, v...)
	return nil
}

// deltaStrings brings values that are encoded as strings to PLAIN.
func (s *storedValues) deltaStrings(raw []byte, n int, shared bool) error {
	if err := s.strings.Reset(raw, n, shared); err != nil {
		return err
	}
	count := s.strings.Left()
	size, err := s.strings.Size(count)
	if err != nil {
		return err
	}
	limit := int64(count) * int64(max(s.width, bytesOfDecimal))
	if size > limit {
		return corrupt("values of %d bytes where %d are stored", size, count)
	}
	ends := make([]int32, count+1)
	data := make([]byte, size)
	if err := s.strings.Read(ends, data); err != nil {
		return err
	}
	s.made = s.made[:0]
	for i := range count {
		v := data[ends[i]:ends[i+1]]
		switch {
		case s.elem.Type == decode.ByteArray:
			if err := s.addDecimal(v); err != nil {
				return err
			}
		case len(v) != s.width:
			return corrupt("a value of %d bytes where all have %d", len(v), s.width)
		default:
			s.made = append(s.made, v...)
		}
	}
	s.coding, s.src = decode.Plain, s.made
	return nil
}

// next returns the next n values; dst, of n values, may be used for them. The result is valid until the next call.
func (s *storedValues) next(dst []byte, n int) ([]byte, error) {
	size := n * s.width
	switch s.coding {
	case decode.DeltaBinaryPacked:
		if n > len(s.ints)-s.pos {
			return nil, decode.ErrValues
		}
		v := s.ints[s.pos : s.pos+n]
		s.pos += n
		if s.width == 8 {
			return arrowbuf.AsBytes(v), nil
		}
		d := dst[:size]
		for i, x := range v {
			binary.LittleEndian.PutUint32(d[4*i:], uint32(x))
		}
		return d, nil
	case decode.ByteStreamSplit:
		if n > s.count-s.pos {
			return nil, decode.ErrValues
		}
		decode.Join(dst[:size], s.src, s.width, s.count, s.pos)
		s.pos += n
		return dst[:size], nil
	}
	if size > len(s.src) {
		return nil, decode.ErrValues
	}
	out := s.src[:size]
	s.src = s.src[size:]
	return out, nil
}

func (s *storedValues) skip(n int) error {
	switch s.coding {
	case decode.PlainDictionary, decode.RLEDictionary:
		return s.indices.Skip(n)
	case decode.DeltaBinaryPacked:
		if n > len(s.ints)-s.pos {
			return decode.ErrValues
		}
		s.pos += n
		return nil
	case decode.ByteStreamSplit:
		if n > s.count-s.pos {
			return decode.ErrValues
		}
		s.pos += n
		return nil
	}
	_, err := s.next(nil, n)
	return err
}

// indexChunk is how many indices are decoded at once.
const indexChunk = 4096

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// fixedValues are values of a fixed width in Arrow.
type fixedValues[D arrowbuf.Fixed] struct {
	storedValues
	convert func(dst []D, src []byte) error // makes values of stored ones; nil = they are the same bytes
	vec     arrowbuf.Vec[D]
	dict    arrowbuf.Vec[D]
	indexed bool // of the page
	raw     []byte
}

func newFixed[D arrowbuf.Fixed](e *decode.Element, mem *arrowbuf.Arena) *fixedValues[D] {
	return &fixedValues[D]{storedValues: newStored(e), vec: arrowbuf.NewVec[D](mem), dict: arrowbuf.NewVec[D](mem)}
}

func (f *fixedValues[D]) bytes() int64 {
	var d D
	return int64(f.vec.Len()) * int64(unsafe.Sizeof(d))
}

func (f *fixedValues[D]) release() {
	f.vec.Release()
	f.dict.Release()
}

func (f *fixedValues[D]) dictionary(raw []byte, n int) error {
	if _, err := f.begin(decode.Plain, raw, n); err != nil {
		return err
	}
	if n*f.width > len(f.src) {
		return decode.ErrValues
	}
	f.dict.Release()
	return f.stored(f.dict.Grow(n))
}

func (f *fixedValues[D]) page(e decode.Encoding, raw []byte, n int) (err error) {
	f.indexed, err = f.begin(e, raw, n)
	return err
}

// stored fills dst with stored values.
func (f *fixedValues[D]) stored(dst []D) error {
	if f.convert == nil {
		b := arrowbuf.AsBytes(dst)
		src, err := f.next(b, len(dst))
		if err == nil && len(src) > 0 && unsafe.SliceData(src) != unsafe.SliceData(b) {
			copy(b, src)
		}
		return err
	}
	f.raw = grown(f.raw, len(dst)*f.width)
	src, err := f.next(f.raw, len(dst))
	if err != nil {
		return err
	}
	return f.convert(dst, src)
}

func (f *fixedValues[D]) read(slots, stored int, valid []byte, off int) error {
	dst := f.vec.Grow(slots)
	d := dst[slots-stored:]
	if !f.indexed {
		if err := f.stored(d); err != nil {
			return err
		}
	} else if err := f.gather(d); err != nil {
		return err
	}
	if stored < slots {
		bitpack.Spread(dst, valid, off)
	}
	return nil
}

func (f *fixedValues[D]) gather(dst []D) error {
	f.ids = grown(f.ids, min(len(dst), indexChunk))
	dict := f.dict.Values()
	for len(dst) > 0 {
		ids := f.ids[:min(len(dst), indexChunk)]
		if err := f.indices.Indices(ids); err != nil {
			return err
		}
		d := dst[:len(ids)]
		for i, id := range ids {
			if uint(uint32(id)) >= uint(len(dict)) {
				return decode.ErrIndex
			}
			d[i] = dict[uint32(id)]
		}
		dst = dst[len(ids):]
	}
	return nil
}

func (f *fixedValues[D]) take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error) {
	return finish(t, slots, nulls, valid, f.vec.Take()), nil
}

// finish makes an array of buffers, which it takes over.
func finish(t arrow.DataType, slots, nulls int, bufs ...*memory.Buffer) *array.Data {
	d := array.NewData(t, slots, bufs, nil, nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	return d
}

// wideValues are binary values of a fixed width for which there is no type in Go.
type wideValues struct {
	storedValues
	vec     arrowbuf.Vec[uint8]
	dict    []byte
	entries int
	indexed bool
}

func (w *wideValues) bytes() int64 { return int64(w.vec.Len()) }
func (w *wideValues) release()     { w.vec.Release() }

func (w *wideValues) dictionary(raw []byte, n int) error {
	if n*w.width > len(raw) {
		return decode.ErrValues
	}
	w.dict, w.entries = append(w.dict[:0], raw[:n*w.width]...), n
	return nil
}

func (w *wideValues) page(e decode.Encoding, raw []byte, n int) (err error) {
	w.indexed, err = w.begin(e, raw, n)
	return err
}

func (w *wideValues) read(slots, stored int, valid []byte, off int) error {
	dst := w.vec.Grow(slots * w.width)
	d := dst[(slots-stored)*w.width:]
	if !w.indexed {
		src, err := w.next(d, stored)
		if err != nil {
			return err
		}
		if len(src) > 0 && unsafe.SliceData(src) != unsafe.SliceData(d) {
			copy(d, src)
		}
	} else {
		w.ids = grown(w.ids, stored)
		if err := w.indices.Indices(w.ids); err != nil {
			return err
		}
		for i, id := range w.ids {
			if uint(uint32(id)) >= uint(w.entries) {
				return decode.ErrIndex
			}
			copy(d[i*w.width:(i+1)*w.width], w.dict[int(id)*w.width:])
		}
	}
	if stored == slots {
		return nil
	}
	for i, s := 0, slots-stored; i < s; i++ {
		slot := dst[i*w.width : (i+1)*w.width]
		if valid[(off+i)>>3]>>((off+i)&7)&1 == 0 {
			clear(slot)
			continue
		}
		copy(slot, dst[s*w.width:])
		s++
	}
	return nil
}

func (w *wideValues) take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error) {
	if w.vec.Len() == 0 {
		w.vec.Grow(0)
	}
	return finish(t, slots, nulls, valid, w.vec.Take()), nil
}

// boolValues are bits.
type boolValues struct {
	bits    arrowbuf.Bits
	src     []byte
	pos     int // bits of src that were read
	runs    decode.Hybrid
	coding  decode.Encoding
	scratch []byte
}

func (b *boolValues) bytes() int64 { return int64(b.bits.Len()) / 8 }
func (b *boolValues) release()     { b.bits.Release() }

func (b *boolValues) dictionary([]byte, int) error {
	return errs.Errorf(errs.ErrUnsupported, "a dictionary of BOOLEAN")
}

func (b *boolValues) page(e decode.Encoding, raw []byte, n int) error {
	b.coding, b.src, b.pos = e, raw, 0
	switch e {
	case decode.Plain:
		return nil
	case decode.RLE:
		if len(raw) < 4 {
			b.runs.Reset(nil, 1)
			return nil
		}
		size := binary.LittleEndian.Uint32(raw)
		if uint64(size) > uint64(len(raw)-4) {
			return decode.ErrLength
		}
		b.runs.Reset(raw[4:4+size], 1)
		return nil
	}
	return errs.Errorf(errs.ErrUnsupported, "encoding %s of BOOLEAN", e)
}

func (b *boolValues) read(slots, stored int, valid []byte, off int) error {
	if b.coding == decode.Plain && stored > 8*len(b.src)-b.pos {
		return decode.ErrValues
	}
	dst, at := b.bits.Grow(slots)
	if b.coding == decode.RLE {
		if stored == slots {
			_, err := b.runs.Bits(dst, at, stored)
			return err
		}
		b.scratch = grown(b.scratch, (stored+7)/8+8)
		if _, err := b.runs.Bits(b.scratch, 0, stored); err != nil {
			return err
		}
		bitpack.SpreadBits(dst, at, b.scratch, 0, valid, off, slots)
		return nil
	}
	if stored == slots {
		bitpack.CopyBits(dst, at, b.src, b.pos, stored)
	} else {
		bitpack.SpreadBits(dst, at, b.src, b.pos, valid, off, slots)
	}
	b.pos += stored
	return nil
}

func (b *boolValues) skip(n int) error {
	if b.coding == decode.RLE {
		return b.runs.Skip(n)
	}
	if n > 8*len(b.src)-b.pos {
		return decode.ErrValues
	}
	b.pos += n
	return nil
}

func (b *boolValues) take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error) {
	return finish(t, slots, nulls, valid, b.bits.Take()), nil
}

// nullValues are of a column that has nothing but nulls.
type nullValues struct{}

func (nullValues) bytes() int64                            { return 0 }
func (nullValues) release()                                {}
func (nullValues) dictionary([]byte, int) error            { return nil }
func (nullValues) page(decode.Encoding, []byte, int) error { return nil }
func (nullValues) skip(int) error                          { return nil }

func (nullValues) read(_, stored int, _ []byte, _ int) error {
	if stored > 0 {
		return corrupt("a value in a column of nulls")
	}
	return nil
}

func (nullValues) take(t arrow.DataType, slots, _ int, valid *memory.Buffer) (*array.Data, error) {
	if valid != nil {
		valid.Release()
	}
	return finish(t, slots, slots, nil), nil
}
