package parquet

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
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
		unit := t.Unit
		if unit == arrow.Second { // arrow's writer lets the product wrap
			unit = arrow.Millisecond
		}
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case arrow.ExtensionType:
		return shapeOf(t.StorageType())
	case *arrow.DictionaryType:
		if !dictionaryStays(t) {
			return shapeOf(t.ValueType)
		}
		return t
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

// shaper makes shapes with memory from mem. alive says which slots are below structs that are not null; nil = all.
type shaper struct {
	mem   memory.Allocator
	alive []byte
}

// shape returns d, which is at offset 0 throughout, as its shape. The caller releases it.
func (s shaper) shape(d arrow.ArrayData, t arrow.DataType) (arrow.ArrayData, error) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return s.shape(d, t.StorageType())
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return milliseconds(d, t, s.mem)
		}
	case *arrow.Date64Type:
		return days(d, s.mem)
	case *arrow.DictionaryType:
		if dictionaryStays(t) {
			d.Retain()
			return d, nil
		}
		return s.plain(d, t)
	case *arrow.FixedSizeListType:
		n := int64(t.Len())
		return s.list(d, t, func(i int) (int64, int64) { return int64(i) * n, int64(i+1) * n })
	case *arrow.ListType, *arrow.MapType:
		offs := offsets(d)
		return s.list(d, t.(arrow.ListLikeType), func(i int) (int64, int64) { return int64(offs[i]), int64(offs[i+1]) })
	case *arrow.StructType:
		return s.structure(d, t)
	}
	return array.NewData(shapeOf(t), d.Len(), d.Buffers(), nil, d.NullN(), 0), nil
}

func (s shaper) structure(d arrow.ArrayData, t *arrow.StructType) (arrow.ArrayData, error) {
	below := s
	if d.NullN() > 0 {
		below.alive = slices.Clone(d.Buffers()[0].Bytes())
		for i := range min(len(s.alive), len(below.alive)) {
			below.alive[i] &= s.alive[i]
		}
	}
	kids := make([]arrow.ArrayData, 0, t.NumFields())
	defer func() {
		for _, k := range kids {
			k.Release()
		}
	}()
	for i, f := range t.Fields() {
		k, err := below.shape(d.Children()[i], f.Type)
		if err != nil {
			return nil, arrowio.Locate(err, arrowio.At{Column: f.Name, Split: -1, Off: -1})
		}
		kids = append(kids, k)
	}
	return array.NewData(shapeOf(t), d.Len(), d.Buffers(), kids, d.NullN(), 0), nil
}

// milliseconds makes milliseconds of seconds, all of which must have that many.
func milliseconds(d arrow.ArrayData, t *arrow.TimestampType, mem memory.Allocator) (arrow.ArrayData, error) {
	from := array.NewTimestampData(d)
	defer from.Release()
	buf := memory.NewResizableBuffer(mem)
	defer buf.Release()
	buf.Resize(8 * d.Len())
	to := arrow.Int64Traits.CastFromBytes(buf.Bytes())
	for i, v := range from.TimestampValues() {
		switch {
		case from.IsNull(i):
			to[i] = 0
		case v > math.MaxInt64/1000 || v < math.MinInt64/1000:
			return nil, arrowio.Errorf(arrowio.ErrSchema, "row %d of a batch is %d s, which is outside a timestamp of milliseconds; Parquet has none of seconds", i, v)
		default:
			to[i] = int64(v) * 1000
		}
	}
	return array.NewData(shapeOf(t), d.Len(), []*memory.Buffer{d.Buffers()[0], buf}, nil, d.NullN(), 0), nil
}

// plain makes the values of a dictionary's indices.
func (s shaper) plain(d arrow.ArrayData, t *arrow.DictionaryType) (arrow.ArrayData, error) {
	from := array.NewDictionaryData(d.(*array.Data))
	defer from.Release()
	null := array.MakeArrayOfNull(s.mem, t.ValueType, 1)
	defer null.Release()
	a := arrowbuf.NewAppender(t.ValueType, s.mem)
	defer a.Release()
	var runs [][2]int64
	for i := range d.Len() {
		if !from.IsNull(i) {
			v := int64(from.GetValueIndex(i))
			runs = append(runs, [2]int64{v, v + 1})
			continue
		}
		if err := a.AppendRuns(from.Dictionary(), runs); err != nil {
			return nil, err
		}
		runs = runs[:0]
		if err := a.Append(null, 0, 1); err != nil {
			return nil, err
		}
	}
	if err := a.AppendRuns(from.Dictionary(), runs); err != nil {
		return nil, err
	}
	values := a.Take()
	defer values.Release()
	return s.shape(values.Data(), t.ValueType)
}

func offsets(d arrow.ArrayData) []int32 {
	if d.Len() == 0 {
		return nil
	}
	return arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
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

// list makes a list, or a map, of which null ones, and those below null structs, have no items: arrow's writer takes no
// others. items says where those of a list are.
func (s shaper) list(d arrow.ArrayData, t arrow.ListLikeType, items func(i int) (from, to int64)) (arrow.ArrayData, error) {
	child := array.MakeFromData(d.Children()[0])
	defer child.Release()
	buf := memory.NewResizableBuffer(s.mem)
	defer buf.Release()
	buf.Resize(4 * (d.Len() + 1))
	offs := arrow.Int32Traits.CastFromBytes(buf.Bytes())
	offs[0] = 0
	var runs [][2]int64
	for i := range d.Len() {
		offs[i+1] = offs[i]
		from, to := items(i)
		if from == to || d.NullN() > 0 && bitutil.BitIsNotSet(d.Buffers()[0].Bytes(), i) || s.alive != nil && bitutil.BitIsNotSet(s.alive, i) {
			continue
		}
		offs[i+1] += int32(to - from)
		if k := len(runs) - 1; k >= 0 && runs[k][1] == from {
			runs[k][1] = to
		} else {
			runs = append(runs, [2]int64{from, to})
		}
	}
	a := arrowbuf.NewAppender(t.Elem(), s.mem)
	defer a.Release()
	if err := a.AppendRuns(child, runs); err != nil {
		return nil, err
	}
	kept := a.Take()
	defer kept.Release()
	item, err := shaper{mem: s.mem}.shape(kept.Data(), t.Elem())
	if err != nil {
		return nil, err
	}
	defer item.Release()
	return array.NewData(shapeOf(t), d.Len(), []*memory.Buffer{d.Buffers()[0], buf}, []arrow.ArrayData{item}, d.NullN(), 0), nil
}
