package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// noZone stands for "no zone" in types given to arrow's writer: it takes timestamps without a zone for instants, and
// those with any zone but UTC for local times; Parquet means the reverse.
const noZone = "local"

// shapeOf returns the type under which t is given to arrow's writer.
func shapeOf(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.TimestampType:
		zone := noZone
		if t.TimeZone != "" {
			zone = "UTC"
		}
		return &arrow.TimestampType{Unit: t.Unit, TimeZone: zone}
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case arrow.ExtensionType:
		return shapeOf(t.StorageType())
	case *arrow.DictionaryType:
		return &arrow.DictionaryType{IndexType: t.IndexType, ValueType: shapeOf(t.ValueType), Ordered: t.Ordered}
	case *arrow.StructType:
		return arrow.StructOf(shapesOf(t.Fields())...)
	case *arrow.ListType:
		return arrow.ListOfField(shapesOf(t.Fields())[0])
	case *arrow.FixedSizeListType: // arrow's writer takes none with nulls
		return arrow.ListOfField(shapesOf(t.Fields())[0])
	case *arrow.MapType:
		m := arrow.MapOf(shapeOf(t.KeyType()), shapeOf(t.ItemType()))
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	}
	return t
}

func shapesOf(fields []arrow.Field) []arrow.Field {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = f
		out[i].Type = shapeOf(f.Type)
	}
	return out
}

// shape returns d, which is at offset 0 throughout, as its shape. The caller releases it.
func shape(d arrow.ArrayData, t arrow.DataType, mem memory.Allocator) (arrow.ArrayData, error) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return shape(d, t.StorageType(), mem)
	case *arrow.Date64Type:
		return days(d, mem)
	case *arrow.FixedSizeListType:
		return list(d, t, mem)
	case *arrow.DictionaryType:
		dict, err := shape(d.Dictionary(), t.ValueType, mem)
		if err != nil {
			return nil, err
		}
		defer dict.Release()
		return array.NewDataWithDictionary(shapeOf(t), d.Len(), d.Buffers(), d.NullN(), 0, dict.(*array.Data)), nil
	case arrow.NestedType:
		kids := make([]arrow.ArrayData, 0, t.NumFields())
		defer func() {
			for _, k := range kids {
				k.Release()
			}
		}()
		for i, f := range t.Fields() {
			k, err := shape(d.Children()[i], f.Type, mem)
			if err != nil {
				return nil, arrowio.Locate(err, arrowio.At{Column: f.Name, Split: -1, Off: -1})
			}
			kids = append(kids, k)
		}
		return array.NewData(shapeOf(t), d.Len(), d.Buffers(), kids, d.NullN(), 0), nil
	}
	return array.NewData(shapeOf(t), d.Len(), d.Buffers(), nil, d.NullN(), 0), nil
}

// days makes a date32 of a date64, all of whose values must be whole days.
func days(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	const day = 86_400_000
	from := array.NewDate64Data(d)
	defer from.Release()
	buf := memory.NewResizableBuffer(mem)
	defer buf.Release()
	buf.Resize(4 * d.Len())
	to := arrow.Int32Traits.CastFromBytes(buf.Bytes())
	for i, v := range from.Date64Values() {
		n := int64(v) / day
		if from.IsNull(i) {
			n = 0
		} else if int64(v)%day != 0 || int64(int32(n)) != n {
			return nil, arrowio.Errorf(arrowio.ErrSchema, "row %d of a batch is %d ms, which is no date; Parquet dates are days", i, v)
		}
		to[i] = int32(n)
	}
	return array.NewData(arrow.FixedWidthTypes.Date32, d.Len(), []*memory.Buffer{d.Buffers()[0], buf}, nil, d.NullN(), 0), nil
}

// list makes a list of a fixed-size list: null ones have no items.
func list(d arrow.ArrayData, t *arrow.FixedSizeListType, mem memory.Allocator) (arrow.ArrayData, error) {
	from := array.NewFixedSizeListData(d)
	defer from.Release()
	buf := memory.NewResizableBuffer(mem)
	defer buf.Release()
	buf.Resize(4 * (d.Len() + 1))
	offsets := arrow.Int32Traits.CastFromBytes(buf.Bytes())
	offsets[0] = 0
	n := int64(t.Len())
	var runs [][2]int64
	for i := range d.Len() {
		offsets[i+1] = offsets[i]
		if from.IsNull(i) {
			continue
		}
		offsets[i+1] += int32(n)
		if k := len(runs) - 1; k >= 0 && runs[k][1] == int64(i)*n {
			runs[k][1] += n
		} else {
			runs = append(runs, [2]int64{int64(i) * n, int64(i+1) * n})
		}
	}
	a := arrowbuf.NewAppender(t.Elem(), mem)
	defer a.Release()
	if err := a.AppendRuns(from.ListValues(), runs); err != nil {
		return nil, err
	}
	items := a.Take()
	defer items.Release()
	item, err := shape(items.Data(), t.Elem(), mem)
	if err != nil {
		return nil, err
	}
	defer item.Release()
	return array.NewData(shapeOf(t), d.Len(), []*memory.Buffer{d.Buffers()[0], buf}, []arrow.ArrayData{item}, d.NullN(), 0), nil
}
