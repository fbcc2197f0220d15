package tableprofile

import (
	"bytes"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/celltext"
)

// byteValues measures text, binary values, and those of a fixed width that have no order here, such as intervals.
type byteValues struct {
	typ       arrow.DataType
	ordered   bool // by bytes
	varied    bool // lengths differ
	counter   counter
	lengths   lengths
	low, high []byte // the first bytes of the least and the greatest value
	any       bool
}

// endBytes is how much of the least and the greatest value is kept: more than is shown, to tell whether there is more.
const endBytes = valueBytes + 8

func newBytes(t arrow.DataType) measure {
	m := &byteValues{typ: t, counter: counter{texted: true}}
	switch t.(type) {
	case arrow.BinaryDataType:
		m.ordered, m.varied = true, true
	case *arrow.FixedSizeBinaryType:
		m.ordered = true
	case arrow.FixedWidthDataType:
	default:
		return nil
	}
	return m
}

func (m *byteValues) counts() *counter { return &m.counter }

func (m *byteValues) add(a arrow.Array, s *scratch) {
	if d, ok := a.(*array.Dictionary); ok {
		m.addDictionary(d, s)
		return
	}
	n := a.Len()
	s.hashes = resize(s.hashes, n)
	switch a := a.(type) {
	case *array.String:
		addSlices(m, s.hashes, a.ValueOffsets(), a.ValueBytes())
	case *array.LargeString:
		addSlices(m, s.hashes, a.ValueOffsets(), a.ValueBytes())
	case *array.Binary:
		addSlices(m, s.hashes, a.ValueOffsets(), a.ValueBytes())
	case *array.LargeBinary:
		addSlices(m, s.hashes, a.ValueOffsets(), a.ValueBytes())
	default:
		value := valuesOf(a)
		for i := range s.hashes {
			v := value(i)
			s.hashes[i] = xxhash.Sum64(v)
			m.one(v, 1)
		}
	}
	m.counter.add(&batch{hashes: s.hashes, text: m.text(a)})
}

// addSlices measures values that stand one behind the other.
func addSlices[T int32 | int64](m *byteValues, hashes []uint64, offsets []T, data []byte) {
	first := offsets[0]
	for i := range hashes {
		v := data[offsets[i]-first : offsets[i+1]-first]
		hashes[i] = xxhash.Sum64(v)
		m.one(v, 1)
	}
}

// valuesOf returns a function that returns the bytes of a value.
func valuesOf(a arrow.Array) func(i int) []byte {
	switch a := a.(type) {
	case interface{ Value(int) []byte }:
		return a.Value
	case interface{ Value(int) string }:
		return func(i int) []byte { return []byte(a.Value(i)) }
	}
	width := a.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	data := a.Data().Buffers()[1].Bytes()[a.Data().Offset()*width:]
	return func(i int) []byte { return data[i*width : (i+1)*width] }
}

// one measures a value that occurs weight times.
func (m *byteValues) one(v []byte, weight int64) {
	m.lengths.one(int64(len(v)), weight)
	if !m.ordered {
		return
	}
	if !m.any {
		m.low, m.high, m.any = keep(m.low, v), keep(m.high, v), true
		return
	}
	if bytes.Compare(v, m.low) < 0 {
		m.low = keep(m.low, v)
	} else if bytes.Compare(v, m.high) > 0 {
		m.high = keep(m.high, v)
	}
}

func keep(dst, v []byte) []byte { return append(dst[:0], v[:min(len(v), endBytes)]...) }

// addDictionary measures each value of a dictionary once.
func (m *byteValues) addDictionary(a *array.Dictionary, s *scratch) {
	values := a.Dictionary()
	times := resize(s.weights, values.Len())
	clear(times)
	for _, k := range arrowdense.Indices(&s.indices, a)[:a.Len()] {
		times[k]++
	}
	s.weights, s.hashes, s.rows = times, s.hashes[:0], s.rows[:0]
	value := valuesOf(values)
	used := times[:0]
	for k, n := range times {
		if n > 0 {
			v := value(k)
			m.one(v, n)
			s.hashes, s.rows, used = append(s.hashes, xxhash.Sum64(v)), append(s.rows, int32(k)), append(used, n)
		}
	}
	text := m.text(values)
	m.counter.add(&batch{hashes: s.hashes, weights: used, text: func(dst []byte, i int) []byte { return text(dst, int(s.rows[i])) }})
}

// text returns a function that appends the text of a value of an array.
func (m *byteValues) text(a arrow.Array) func(dst []byte, i int) []byte {
	if isText(m.typ) {
		value := valuesOf(a)
		return func(dst []byte, i int) []byte { return appendText(dst, value(i)) }
	}
	write := celltext.New(a)
	return func(dst []byte, i int) []byte { return appendValue(dst, write, i) }
}

func isText(t arrow.DataType) bool {
	b, ok := t.(arrow.BinaryDataType)
	return ok && b.IsUtf8()
}

func (m *byteValues) finish(out *Column) {
	if m.varied {
		m.lengths.finish(out)
	}
	if m.any {
		low, high := m.end(m.low), m.end(m.high)
		out.Min, out.Max = &low, &high
	}
	out.Distinct = m.counter.distinct(out.Values())
	out.setTop(&m.counter, m.counter.text)
}

// end returns the text of the least or the greatest value.
func (m *byteValues) end(v []byte) string {
	if isText(m.typ) {
		return string(appendText(nil, v))
	}
	b := array.NewBinaryBuilder(heap, arrow.BinaryTypes.Binary)
	defer b.Release()
	b.Append(v)
	a := b.NewArray()
	defer a.Release()
	return string(appendValue(nil, celltext.New(a), 0))
}
