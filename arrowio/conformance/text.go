package conformance

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// valueText shows one value of any type, cut to a line.
func valueText(d arrow.ArrayData, i int) string {
	var b strings.Builder
	writeValue(&b, d, i)
	if s := b.String(); len(s) > 300 {
		return s[:300] + "…"
	}
	return b.String()
}

func writeValue(b *strings.Builder, d arrow.ArrayData, i int) {
	d, i = resolve(d, i)
	if isNull(d, i) {
		b.WriteString("null")
		return
	}
	at := d.Offset() + i
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		fmt.Fprintf(b, "%q", bytesValue(d, i))
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		fmt.Fprintf(b, "%x", bytesValue(d, i))
	case *arrow.StructType:
		b.WriteByte('{')
		for k, f := range t.Fields() {
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.Name + ": ")
			writeValue(b, d.Children()[k], at)
		}
		b.WriteByte('}')
	case *arrow.SparseUnionType:
		code := raw(d, 1)[at]
		fmt.Fprintf(b, "%d=", code)
		writeValue(b, d.Children()[t.ChildIDs()[code]], at)
	case *arrow.DenseUnionType:
		code := raw(d, 1)[at]
		fmt.Fprintf(b, "%d=", code)
		writeValue(b, d.Children()[t.ChildIDs()[code]], int(int32s(d, 2)[i]))
	case arrow.FixedWidthDataType:
		one := array.NewSliceData(d, int64(i), int64(i)+1)
		arr := array.MakeFromData(one)
		fmt.Fprint(b, arr.GetOneForMarshal(0))
		arr.Release()
		one.Release()
	default:
		start, end := listValue(d, i)
		b.WriteByte('[')
		for k := start; k < end; k++ {
			if k > start {
				b.WriteString(", ")
			}
			writeValue(b, d.Children()[0], k)
		}
		b.WriteByte(']')
	}
}
