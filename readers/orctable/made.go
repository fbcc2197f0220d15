package orctable

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/readers/orc"
)

// make makes a column that no file has as it is. The caller releases it.
func (r *fragmentReader) make(c *outColumn, own arrow.Record) (arrow.ArrayData, error) {
	switch c.sort {
	case fromRow:
		return structOf(c.field.Type, r.rows, columnsOf(own, c.from, len(c.parts))), nil
	case fromPartition:
		return r.partitionValues(r.frag.part.values[c.index])
	case fromPosition:
		return r.eventPart(orc.EventColumn(c.index)), nil
	}
	if r.frag.of.events {
		return structOf(c.field.Type, r.rows, columnsOf(own, c.from, len(c.parts))), nil
	}
	if !r.frag.of.raw.known {
		return r.nullStruct(c.field.Type.(*arrow.StructType)), nil
	}
	var children []arrow.ArrayData
	for _, part := range c.parts {
		children = append(children, r.eventPart(rowIDParts[part]))
	}
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	return structOf(c.field.Type, r.rows, children), nil
}

// columnsOf returns columns of a record, which keeps them.
func columnsOf(rec arrow.Record, from, n int) []arrow.ArrayData {
	out := make([]arrow.ArrayData, n)
	for i := range out {
		out[i] = rec.Column(from + i).Data()
	}
	return out
}

// structOf makes a struct of columns, none of which is null.
func structOf(t arrow.DataType, n int, children []arrow.ArrayData) arrow.ArrayData {
	return array.NewData(t, n, []*memory.Buffer{nil}, children, 0, 0)
}

func (r *fragmentReader) nullStruct(t *arrow.StructType) arrow.ArrayData {
	var children []arrow.ArrayData
	for _, f := range t.Fields() {
		children = append(children, r.nulls(f.Type))
	}
	valid := r.zeroes((r.rows + 7) / 8)
	d := array.NewData(t, r.rows, []*memory.Buffer{valid}, children, r.rows, 0)
	valid.Release()
	for _, k := range children {
		k.Release()
	}
	return d
}

// zeroes returns a buffer, for the caller to release.
func (r *fragmentReader) zeroes(n int) *memory.Buffer { return filled[uint8](r.mem, n, 0) }

// filled returns a buffer of n equal values.
func filled[T arrowbuf.Fixed](mem memory.Allocator, n int, x T) *memory.Buffer {
	v := arrowbuf.NewVec[T](&arrowbuf.Arena{Allocator: mem})
	dst := v.Grow(n)
	for i := range dst {
		dst[i] = x
	}
	return taken(mem, &v)
}

// taken takes the buffer of a vector, which is never nil.
func taken[T arrowbuf.Fixed](mem memory.Allocator, v *arrowbuf.Vec[T]) *memory.Buffer {
	if b := v.Take(); b != nil {
		return b
	}
	return memory.NewResizableBuffer(mem)
}

// nulls returns a column of nulls, of text or numbers.
func (r *fragmentReader) nulls(t arrow.DataType) arrow.ArrayData {
	buffers := []*memory.Buffer{r.zeroes((r.rows + 7) / 8)}
	if w, ok := t.(arrow.FixedWidthDataType); ok {
		buffers = append(buffers, r.zeroes(r.rows*w.Bytes()))
	} else {
		buffers = append(buffers, r.zeroes(4*(r.rows+1)), r.zeroes(0))
	}
	return own(t, r.rows, r.rows, buffers)
}

// own makes an array of buffers that are handed over to it.
func own(t arrow.DataType, n, nulls int, buffers []*memory.Buffer) arrow.ArrayData {
	d := array.NewData(t, n, buffers, nil, nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	return d
}

// partitionValues repeats the value of a partition column.
func (r *fragmentReader) partitionValues(v partitionValue) (arrow.ArrayData, error) {
	if v.null {
		return r.nulls(arrow.BinaryTypes.String), nil
	}
	if len(v.text) > 0 && r.rows > math.MaxInt32/len(v.text) {
		return nil, errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of a partition's name: take fewer rows in a batch")
	}
	offsets := arrowbuf.NewVec[int32](&arrowbuf.Arena{Allocator: r.mem})
	for i := range offsets.Grow(r.rows + 1) {
		offsets.Values()[i] = int32(i * len(v.text))
	}
	text := arrowbuf.NewVec[uint8](&arrowbuf.Arena{Allocator: r.mem})
	dst := text.Grow(r.rows * len(v.text))
	for len(dst) > 0 {
		dst = dst[copy(dst, v.text):]
	}
	return own(arrow.BinaryTypes.String, r.rows, 0, []*memory.Buffer{nil, taken(r.mem, &offsets), taken(r.mem, &text)}), nil
}

// eventPart makes up a column of events for rows of a file that has none.
func (r *fragmentReader) eventPart(c orc.EventColumn) arrow.ArrayData {
	raw := &r.frag.of.raw
	var b *memory.Buffer
	t := eventFields[c].Type
	switch c {
	case orc.Operation:
		b = filled[int32](r.mem, r.rows, 0)
	case orc.Original, orc.Current:
		b = filled(r.mem, r.rows, raw.write)
	case orc.Bucket:
		if !raw.known {
			return r.nulls(t)
		}
		b = filled(r.mem, r.rows, raw.bucket)
	default:
		if !raw.known {
			return r.nulls(t)
		}
		ids := arrowbuf.NewVec[int64](&arrowbuf.Arena{Allocator: r.mem})
		dst := ids.Grow(r.rows)
		for _, run := range r.places {
			for k := range run.Len() {
				dst[k] = raw.first + run.Start + k
			}
			dst = dst[run.Len():]
		}
		b = taken(r.mem, &ids)
	}
	return own(t, r.rows, 0, []*memory.Buffer{nil, b})
}
