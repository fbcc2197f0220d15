package hivetable

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// metaType is the key of a field's metadata that has the table's type where Arrow's does not tell: varchar(10).
const metaType = "orc.type"

// cast is a view.Cast: it makes integers narrower, and checks lengths. A value that does not fit is an error.
func cast(from, to arrow.Field) view.Casting {
	if n, ok := lengthOf(to); ok && arrow.TypeEqual(from.Type, to.Type) {
		return lengths(n, to)
	}
	if arrow.TypeEqual(from.Type, to.Type) {
		return nil
	}
	switch from.Type.ID() {
	case arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return narrowText(from, to)
	case arrow.INT16:
		return narrower[int16](to)
	case arrow.INT32:
		return narrower[int32](to)
	case arrow.INT64:
		return narrower[int64](to)
	case arrow.UINT8:
		return narrower[uint8](to)
	case arrow.UINT16:
		return narrower[uint16](to)
	case arrow.UINT32:
		return narrower[uint32](to)
	case arrow.UINT64:
		return narrower[uint64](to)
	}
	return nil
}

// narrowText makes text or bytes with 32-bit offsets.
func narrowText(from, to arrow.Field) view.Casting {
	if to.Type.ID() != arrow.STRING && to.Type.ID() != arrow.BINARY || isText(from.Type) != isText(to.Type) {
		return nil
	}
	check := view.Casting(nil)
	if n, ok := lengthOf(to); ok {
		check = lengths(n, to)
	}
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		a := array.MakeFromData(d)
		defer a.Release()
		b := array.NewBinaryBuilder(mem, to.Type.(arrow.BinaryDataType))
		defer b.Release()
		b.Reserve(a.Len())
		var total int64
		for i := range a.Len() {
			if a.IsNull(i) {
				b.AppendNull()
				continue
			}
			var v []byte
			switch a := a.(type) {
			case *array.LargeString:
				v = []byte(a.Value(i))
			case *array.StringView:
				v = []byte(a.Value(i))
			case *array.LargeBinary:
				v = a.Value(i)
			case *array.BinaryView:
				v = a.Value(i)
			}
			if total += int64(len(v)); total > math.MaxInt32 {
				return nil, errs.Locate(errs.Errorf(errs.ErrLimit, "a batch of more than 2 GiB in a column: ask for smaller batches"), errs.At{Column: to.Name})
			}
			b.Append(v)
		}
		made := b.NewArray()
		defer made.Release()
		out := array.NewData(to.Type, made.Len(), made.Data().Buffers(), nil, made.NullN(), 0)
		if check == nil {
			return out, nil
		}
		defer out.Release()
		return check(out, mem)
	}
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func narrower[F integer](to arrow.Field) view.Casting {
	switch to.Type.ID() {
	case arrow.INT8:
		return narrow[F, int8](to)
	case arrow.INT16:
		return narrow[F, int16](to)
	case arrow.INT32:
		return narrow[F, int32](to)
	case arrow.INT64:
		return narrow[F, int64](to)
	}
	return nil
}

func narrow[F, T integer](to arrow.Field) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		n := d.Len()
		out := memory.NewResizableBuffer(mem)
		defer out.Release()
		out.Resize(n * to.Type.(arrow.FixedWidthDataType).Bytes())
		a := array.MakeFromData(d)
		defer a.Release()
		if n > 0 {
			src, dst := arrow.GetData[F](d.Buffers()[1].Bytes())[d.Offset():][:n], arrow.GetData[T](out.Bytes())
			for i, x := range src {
				dst[i] = T(x)
				if (F(dst[i]) != x || (dst[i] < 0) != (x < 0)) && a.IsValid(i) {
					return nil, schemaError(to.Name, "the value %d does not fit into %s", x, to.Type)
				}
			}
		}
		bits := valid(a)
		return array.NewData(to.Type, n, []*memory.Buffer{bits, out}, nil, a.NullN(), 0), nil
	}
}

// valid copies which values are there, from bit 0 on; nil = all are.
func valid(a arrow.Array) *memory.Buffer {
	if a.NullN() == 0 {
		return nil
	}
	bits := make([]byte, (a.Len()+7)/8)
	for i := range a.Len() {
		if a.IsValid(i) {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return memory.NewBufferBytes(bits)
}

// lengthOf returns how many characters values of a varchar or a char may have.
func lengthOf(f arrow.Field) (int, bool) {
	text, _ := f.Metadata.GetValue(metaType)
	name, rest, ok := strings.Cut(text, "(")
	if !ok || name != "varchar" && name != "char" {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(rest, ")"))
	return n, err == nil
}

// lengths checks that no text has more than n characters, of which Hive would show the first n.
func lengths(n int, to arrow.Field) view.Casting {
	return func(d arrow.ArrayData, _ memory.Allocator) (arrow.ArrayData, error) {
		a := array.MakeFromData(d)
		defer a.Release()
		if texts, ok := a.(interface{ Value(i int) string }); ok {
			for i := range a.Len() {
				if a.IsValid(i) && utf8.RuneCountInString(texts.Value(i)) > n {
					kind, _ := to.Metadata.GetValue(metaType)
					return nil, schemaError(to.Name, "the value %.100q has more characters than %s", texts.Value(i), kind)
				}
			}
		}
		d.Retain()
		return d, nil
	}
}
