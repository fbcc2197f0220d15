package tableprofile

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/celltext"
)

// heap is for the values of a result, which are few.
var heap = memory.NewGoAllocator()

// texts returns a function that returns the text of the value of a type that has an order.
func texts(t arrow.DataType) func(order uint64) string {
	bits := func(o uint64) uint64 { return uint64(intOfOrder(o)) }
	switch t.ID() {
	case arrow.UINT64:
		bits = func(o uint64) uint64 { return o }
	case arrow.FLOAT64:
		bits = func(o uint64) uint64 { return math.Float64bits(floatOrNaN(o)) }
	case arrow.FLOAT32:
		bits = func(o uint64) uint64 { return uint64(math.Float32bits(float32(floatOrNaN(o)))) }
	case arrow.FLOAT16:
		bits = func(o uint64) uint64 { return uint64(float16.New(float32(floatOrNaN(o))).Uint16()) }
	}
	width := t.(arrow.FixedWidthDataType).BitWidth() / 8
	return func(o uint64) string {
		b := binary.LittleEndian.AppendUint64(nil, bits(o))[:width]
		d := array.NewData(t, 1, []*memory.Buffer{nil, memory.NewBufferBytes(b)}, nil, 0, 0)
		defer d.Release()
		a := array.MakeFromData(d)
		defer a.Release()
		return string(appendValue(nil, celltext.New(a), 0))
	}
}

func floatOrNaN(o uint64) float64 {
	if o == orderOfNaN {
		return math.NaN()
	}
	return floatOfOrder(o)
}

// appendValue appends the text of a value that is no text itself.
func appendValue(dst []byte, write celltext.Writer, i int) []byte {
	c := celltext.Cell{Limit: valueBytes}
	write(&c, i)
	if len(c.Text) > valueBytes {
		return append(append(dst, c.Text[:valueBytes]...), Ellipsis...)
	}
	return append(dst, c.Text...)
}

// appendText appends text that is a value, as it is. It is cut at the start of a character.
func appendText(dst, text []byte) []byte {
	if len(text) <= valueBytes {
		return append(dst, text...)
	}
	n := valueBytes
	for n > valueBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(append(dst, text[:n]...), Ellipsis...)
}
