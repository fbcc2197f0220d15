package extsort

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// slots are n values of an array: those from off on of its buffers.
type slots struct {
	d      arrow.ArrayData
	off, n int
}

// encoder makes the part of a key that a column is. Values are of a fixed width or texts.
type encoder interface {
	// width is how many bytes every value has; -1 = they differ, and texts gives them.
	width() int
	// nulls clears the bits of valid whose slots are null.
	nulls(valid *validity, s slots) error
	// put writes the values, width bytes each, stride bytes apart. What it writes for nulls does not matter.
	put(dst []byte, stride int, s slots) error
	// texts sets dst to the values, which stay the array's. What it sets for nulls does not matter.
	texts(dst [][]byte, s slots) error
}

// newEncoder is the one place that looks at the types of key columns; nil = values of dt have no order.
func newEncoder(dt arrow.DataType) encoder {
	switch t := arrowtype.Storage(dt).(type) {
	case *arrow.NullType:
		return nullValues{}
	case *arrow.BooleanType:
		return fixedValues{1, putBools}
	case *arrow.Uint8Type:
		return fixedValues{1, put8(0)}
	case *arrow.Int8Type:
		return fixedValues{1, put8(1 << 7)}
	case *arrow.Uint16Type:
		return fixedValues{2, put16(0)}
	case *arrow.Int16Type:
		return fixedValues{2, put16(1 << 15)}
	case *arrow.Uint32Type:
		return fixedValues{4, put32(0)}
	case *arrow.Int32Type, *arrow.Date32Type, *arrow.Time32Type, *arrow.MonthIntervalType:
		return fixedValues{4, put32(1 << 31)}
	case *arrow.Uint64Type:
		return fixedValues{8, put64(0)}
	case *arrow.Int64Type, *arrow.Date64Type, *arrow.Time64Type, *arrow.TimestampType, *arrow.DurationType:
		return fixedValues{8, put64(1 << 63)}
	case *arrow.Float16Type:
		return fixedValues{2, putHalves}
	case *arrow.Float32Type:
		return fixedValues{4, putFloats}
	case *arrow.Float64Type:
		return fixedValues{8, putDoubles}
	case *arrow.Decimal128Type:
		return fixedValues{16, putDecimals128}
	case *arrow.Decimal256Type:
		return fixedValues{32, putDecimals256}
	case *arrow.FixedSizeBinaryType:
		return fixedValues{t.ByteWidth, putBytes(t.ByteWidth)}
	case *arrow.StringType, *arrow.BinaryType:
		return textValues{binaryTexts[int32]}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return textValues{binaryTexts[int64]}
	case arrow.BinaryViewDataType:
		return textValues{viewTexts}
	case *arrow.DictionaryType:
		return newIndirect(t.ValueType, dictionaryEntries(t))
	case *arrow.RunEndEncodedType:
		return newIndirect(t.Encoded(), runEntries)
	}
	return nil
}

// nullValues: nothing but nulls.
type nullValues struct{}

func (nullValues) width() int                   { return 0 }
func (nullValues) put([]byte, int, slots) error { return nil }
func (nullValues) texts([][]byte, slots) error  { return nil }
func (nullValues) nulls(v *validity, _ slots) error {
	v.clear()
	return nil
}

// fixedValues are values of one width.
type fixedValues struct {
	w    int
	puts func(dst []byte, stride int, s slots)
}

func (e fixedValues) width() int                       { return e.w }
func (e fixedValues) nulls(v *validity, s slots) error { v.and(s); return nil }
func (e fixedValues) texts([][]byte, slots) error      { return nil }
func (e fixedValues) put(dst []byte, stride int, s slots) error {
	if s.n > 0 && e.w > 0 {
		e.puts(dst, stride, s)
	}
	return nil
}

// valuesOf returns the values of s in the buffer that has them.
func valuesOf[T arrow.FixedWidthType](s slots) []T {
	return arrow.GetData[T](s.d.Buffers()[1].Bytes())[s.off:][:s.n]
}

func putBools(dst []byte, stride int, s slots) {
	b := s.d.Buffers()[1].Bytes()
	for i := range s.n {
		at := s.off + i
		dst[i*stride] = b[at>>3] >> (at & 7) & 1
	}
}

func put8(flip uint8) func([]byte, int, slots) {
	return func(dst []byte, stride int, s slots) {
		at := 0
		for _, v := range valuesOf[uint8](s) {
			dst[at] = v ^ flip
			at += stride
		}
	}
}

func put16(flip uint16) func([]byte, int, slots) {
	return func(dst []byte, stride int, s slots) {
		at := 0
		for _, v := range valuesOf[uint16](s) {
			binary.BigEndian.PutUint16(dst[at:], v^flip)
			at += stride
		}
	}
}

func put32(flip uint32) func([]byte, int, slots) {
	return func(dst []byte, stride int, s slots) {
		at := 0
		for _, v := range valuesOf[uint32](s) {
			binary.BigEndian.PutUint32(dst[at:], v^flip)
			at += stride
		}
	}
}

func put64(flip uint64) func([]byte, int, slots) {
	return func(dst []byte, stride int, s slots) {
		at := 0
		for _, v := range valuesOf[uint64](s) {
			binary.BigEndian.PutUint64(dst[at:], v^flip)
			at += stride
		}
	}
}

// Floats: NaNs become one, greater than +Inf, and -0 becomes 0.

func putHalves(dst []byte, stride int, s slots) {
	for i, v := range valuesOf[uint16](s) {
		switch {
		case v&0x7FFF > 0x7C00:
			v = 0xFFFF
		case v&0x7FFF == 0:
			v = 1 << 15
		default:
			v ^= uint16(int16(v)>>15) | 1<<15
		}
		binary.BigEndian.PutUint16(dst[i*stride:], v)
	}
}

func putFloats(dst []byte, stride int, s slots) {
	for i, f := range valuesOf[float32](s) {
		v := math.Float32bits(f + 0) // -0 + 0 is 0
		v ^= uint32(int32(v)>>31) | 1<<31
		if f != f {
			v = math.MaxUint32
		}
		binary.BigEndian.PutUint32(dst[i*stride:], v)
	}
}

func putDoubles(dst []byte, stride int, s slots) {
	for i, f := range valuesOf[float64](s) {
		v := math.Float64bits(f + 0)
		v ^= uint64(int64(v)>>63) | 1<<63
		if f != f {
			v = math.MaxUint64
		}
		binary.BigEndian.PutUint64(dst[i*stride:], v)
	}
}

func putDecimals128(dst []byte, stride int, s slots) {
	words := arrow.GetData[uint64](s.d.Buffers()[1].Bytes())[2*s.off:][:2*s.n]
	for i := range s.n {
		d := dst[i*stride:]
		binary.BigEndian.PutUint64(d, words[2*i+1]^1<<63)
		binary.BigEndian.PutUint64(d[8:], words[2*i])
	}
}

func putDecimals256(dst []byte, stride int, s slots) {
	for i, v := range valuesOf[decimal256.Num](s) {
		d, w := dst[i*stride:], v.Array()
		binary.BigEndian.PutUint64(d, w[3]^1<<63)
		binary.BigEndian.PutUint64(d[8:], w[2])
		binary.BigEndian.PutUint64(d[16:], w[1])
		binary.BigEndian.PutUint64(d[24:], w[0])
	}
}

func putBytes(w int) func([]byte, int, slots) {
	return func(dst []byte, stride int, s slots) {
		src := s.d.Buffers()[1].Bytes()[s.off*w:]
		for i := range s.n {
			copy(dst[i*stride:][:w], src[i*w:])
		}
	}
}

// textValues are values of any length.
type textValues struct {
	get func(dst [][]byte, s slots)
}

func (e textValues) width() int                       { return -1 }
func (e textValues) put([]byte, int, slots) error     { return nil }
func (e textValues) nulls(v *validity, s slots) error { v.and(s); return nil }
func (e textValues) texts(dst [][]byte, s slots) error {
	if s.n > 0 {
		e.get(dst, s)
	}
	return nil
}

func binaryTexts[O int32 | int64](dst [][]byte, s slots) {
	offsets := arrow.GetData[O](s.d.Buffers()[1].Bytes())[s.off:][:s.n+1]
	var data []byte
	if b := s.d.Buffers()[2]; b != nil {
		data = b.Bytes()
	}
	from := offsets[0]
	for i, to := range offsets[1:] {
		dst[i] = data[from:to]
		from = to
	}
}

func viewTexts(dst [][]byte, s slots) {
	headers := arrow.GetData[arrow.ViewHeader](s.d.Buffers()[1].Bytes())[s.off:][:s.n]
	data := s.d.Buffers()[2:]
	var valid []byte
	if b := s.d.Buffers()[0]; b != nil && s.d.NullN() != 0 {
		valid = b.Bytes()
	}
	for i := range headers {
		h := &headers[i]
		switch {
		case len(valid) > 0 && valid[(s.off+i)>>3]>>((s.off+i)&7)&1 == 0:
			dst[i] = nil // the header of a null is arbitrary
		case h.IsInline():
			dst[i] = h.InlineBytes()
		default:
			o := int(h.BufferOffset())
			dst[i] = data[h.BufferIndex()].Bytes()[o : o+h.Len()]
		}
	}
}

// indirect is values behind numbers: dictionaries and runs. They are encoded once each, then copied.
type indirect struct {
	inner   encoder
	entries func(s slots, at []int32) (values slots, err error)
	at      []int32 // scratch: which entry each slot has, -1 = none
	fixed   []byte
	text    [][]byte
	valid   validity
}

func newIndirect(values arrow.DataType, entries func(slots, []int32) (slots, error)) encoder {
	inner := newEncoder(values)
	if inner == nil {
		return nil
	}
	return &indirect{inner: inner, entries: entries}
}

func (e *indirect) width() int { return e.inner.width() }

func (e *indirect) find(s slots) (slots, error) {
	e.at = resize(e.at, s.n)
	return e.entries(s, e.at)
}

func (e *indirect) nulls(v *validity, s slots) error {
	v.and(s)
	values, err := e.find(s)
	if err != nil {
		return err
	}
	e.valid.reset(values.n)
	if err := e.inner.nulls(&e.valid, values); err != nil {
		return err
	}
	if e.valid.all() {
		return nil
	}
	for i, k := range e.at {
		if k >= 0 && !e.valid.get(int(k)) {
			v.unset(i)
		}
	}
	return nil
}

func (e *indirect) put(dst []byte, stride int, s slots) error {
	values, err := e.find(s)
	if err != nil {
		return err
	}
	w := e.inner.width()
	e.fixed = resize(e.fixed, values.n*w)
	if err := e.inner.put(e.fixed, w, values); err != nil {
		return err
	}
	for i, k := range e.at {
		if k >= 0 {
			copy(dst[i*stride:][:w], e.fixed[int(k)*w:])
		}
	}
	return nil
}

func (e *indirect) texts(dst [][]byte, s slots) error {
	values, err := e.find(s)
	if err != nil {
		return err
	}
	e.text = resize(e.text, values.n)
	if err := e.inner.texts(e.text, values); err != nil {
		return err
	}
	for i, k := range e.at {
		dst[i] = nil
		if k >= 0 {
			dst[i] = e.text[k]
		}
	}
	clear(e.text) // they keep the batch alive
	return nil
}

// dictionaryEntries returns what finds the entries of slots of a dictionary.
func dictionaryEntries(t *arrow.DictionaryType) func(slots, []int32) (slots, error) {
	return func(s slots, at []int32) (slots, error) {
		dict := s.d.Dictionary()
		values := slots{dict, dict.Offset(), dict.Len()}
		valid := validityOf(s.d)
		if s.n == 0 {
			return values, nil
		}
		buf := s.d.Buffers()[1].Bytes()
		var bad bool
		switch t.IndexType.(arrow.FixedWidthDataType).Bytes() {
		case 1:
			bad = entriesAt(at, arrow.GetData[uint8](buf)[s.off:], valid, s.off, values.n)
		case 2:
			bad = entriesAt(at, arrow.GetData[uint16](buf)[s.off:], valid, s.off, values.n)
		case 4:
			bad = entriesAt(at, arrow.GetData[uint32](buf)[s.off:], valid, s.off, values.n)
		default:
			bad = entriesAt(at, arrow.GetData[uint64](buf)[s.off:], valid, s.off, values.n)
		}
		if bad {
			return slots{}, errs.Errorf(errs.ErrCorrupt, "an index beyond the dictionary's %d entries", values.n)
		}
		return values, nil
	}
}

func entriesAt[I uint8 | uint16 | uint32 | uint64](at []int32, index []I, valid []byte, off, n int) (bad bool) {
	index = index[:len(at)]
	for i, x := range index {
		switch {
		case len(valid) > 0 && valid[(off+i)>>3]>>((off+i)&7)&1 == 0:
			at[i] = -1
		case uint64(x) >= uint64(n):
			return true
		default:
			at[i] = int32(x)
		}
	}
	return false
}

// runEntries finds the runs that slots are in.
func runEntries(s slots, at []int32) (slots, error) {
	ends, values := s.d.Children()[0], s.d.Children()[1]
	switch ends.DataType().ID() {
	case arrow.INT16:
		runsAt(at, arrow.GetValues[int16](ends, 1), s.off)
	case arrow.INT32:
		runsAt(at, arrow.GetValues[int32](ends, 1), s.off)
	default:
		runsAt(at, arrow.GetValues[int64](ends, 1), s.off)
	}
	return slots{values, values.Offset(), values.Len()}, nil
}

func runsAt[E int16 | int32 | int64](at []int32, ends []E, off int) {
	run := sort.Search(len(ends), func(i int) bool { return int(ends[i]) > off })
	for i := range at {
		for int(ends[run]) <= off+i {
			run++
		}
		at[i] = int32(run)
	}
}

// resize returns a slice of n elements of undefined content, s where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
