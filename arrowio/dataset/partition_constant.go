package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// constant returns n times v. For text n times its length must fit an int32.
func constant(t arrow.DataType, v value, n int, mem memory.Allocator) arrow.ArrayData {
	var bufs []*memory.Buffer
	nulls := 0
	alloc := func(bytes int) []byte {
		b := memory.NewResizableBuffer(mem)
		b.Resize(bytes)
		bufs = append(bufs, b)
		return b.Bytes()
	}
	if v.null {
		nulls = n
		clear(alloc(int(bitutil.BytesForBits(int64(n)))))
	} else {
		bufs = append(bufs, nil)
	}
	switch t.ID() {
	case arrow.INT64:
		fill(arrow.Int64Traits.CastFromBytes(alloc(8*n)), v.num)
	case arrow.INT32, arrow.DATE32:
		fill(arrow.Int32Traits.CastFromBytes(alloc(4*n)), int32(v.num))
	default:
		text := v.text
		if v.null {
			text = ""
		}
		step, at := int32(len(text)), int32(0)
		for i, offs := 0, arrow.Int32Traits.CastFromBytes(alloc(4*(n+1))); i <= n; i++ {
			offs[i] = at
			at += step
		}
		data := alloc(n * len(text))
		for done := copy(data, text); done < len(data); {
			done += copy(data[done:], data[:done])
		}
	}
	d := array.NewData(t, n, bufs, nil, nulls, 0)
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	return d
}

func fill[T int32 | int64](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// constantBytes is how much a row takes.
func constantBytes(t arrow.DataType, v value) int64 {
	switch {
	case t.ID() == arrow.INT64:
		return 8
	case t.ID() == arrow.STRING && !v.null:
		return 4 + int64(len(v.text))
	}
	return 4
}
