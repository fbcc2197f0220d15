package arrowipc

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// Node is a field as its arrays are laid out in a batch.
type Node struct {
	Type     arrow.DataType
	Children []*Node
	Dict     *Node // the values, where the field's own slots are indices of a dictionary; nil = no dictionary
	ID       int64 // of the dictionary

	Stored  int    // bytes of a stored value of decimal32 and decimal64, whose Type is decimal128; 0 = as the Type has them
	Empty   bool   // a fixed-size list of size 0, which arrow's package does not have: Type is a list, of which no offsets are stored
	Refused string // why the values cannot be read, and Type only stands in; "" = they can
}

// Schema is a schema message: what arrow knows of it, and what only batches need.
type Schema struct {
	Arrow        *arrow.Schema
	Columns      []*Node
	Dictionaries map[int64]*Node // the values of each
	BadNames     fieldname.Names // those that are not UTF-8: Arrow has others
	nodes        []int           // number of the first field node of each column, and behind the last their number
}

// checkRows compares the number of rows of a batch with the slots of its columns.
func (s *Schema) checkRows(b *Batch) error {
	last := len(s.Columns)
	if want := s.nodes[last]; b.NumNodes() != want {
		return corrupt("a batch of %d field nodes, where the schema has %d fields", b.NumNodes(), want)
	}
	for i, k := range s.nodes[:last] {
		if n, _ := b.Node(k); n != b.Rows {
			return errs.Locate(corrupt("the column has %d slots in a batch of %d rows", n, b.Rows), errs.At{Column: s.Arrow.Field(i).Name})
		}
	}
	return nil
}

// countNodes returns the number of field nodes of a field.
func countNodes(n *Node) int {
	sum := 1
	for _, k := range n.Children {
		sum += countNodes(k)
	}
	return sum
}

// schemaReader builds a schema. Its only state is what bounds the work.
type schemaReader struct {
	limits errs.Limits
	fields int
	names  fieldname.Names
	dicts  map[int64]*Node
}

// readSchema reads Schema{endianness, fields, custom_metadata, features}.
func readSchema(t table, limits errs.Limits) (*Schema, error) {
	r := schemaReader{limits: limits, dicts: map[int64]*Node{}}
	if t.int16(0, 0) != 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "big-endian data")
	}
	fields, cols, err := r.children(t.tables(1), nil)
	if err != nil {
		return nil, err
	}
	md := metadata(t.tables(2))
	if t.f.err != nil {
		return nil, t.f.err
	}
	s := &Schema{Arrow: arrow.NewSchema(fields, &md), Columns: cols, Dictionaries: r.dicts, BadNames: r.names, nodes: make([]int, len(cols)+1)}
	for i, n := range cols {
		s.nodes[i+1] = s.nodes[i] + countNodes(n)
	}
	return s, nil
}

func metadata(v tables) arrow.Metadata {
	keys, values := make([]string, 0, v.len()), make([]string, 0, v.len())
	for i := 0; i < v.len() && v.f.err == nil; i++ {
		kv := v.at(i)
		keys, values = append(keys, kv.string(0)), append(values, kv.string(1))
	}
	return arrow.NewMetadata(keys, values)
}

// children reads the fields below the field that the names of above lead to.
func (r *schemaReader) children(v tables, above []string) ([]arrow.Field, []*Node, error) {
	r.fields += v.len()
	if r.fields > r.limits.Columns {
		return nil, nil, errs.Errorf(errs.ErrLimit, "more than %d fields (Limits.Columns)", r.limits.Columns)
	}
	if len(above) > r.limits.Depth {
		return nil, nil, errs.Errorf(errs.ErrLimit, "fields nested deeper than %d (Limits.Depth)", r.limits.Depth)
	}
	fields, nodes := make([]arrow.Field, v.len()), make([]*Node, v.len())
	for i := range fields {
		var err error
		if fields[i], nodes[i], err = r.field(v.at(i), above); err != nil {
			return nil, nil, err
		}
	}
	return fields, nodes, nil
}

// field reads Field{name, nullable, type_type, type, dictionary, children, custom_metadata}.
func (r *schemaReader) field(t table, above []string) (arrow.Field, *Node, error) {
	name := t.string(0)
	path := append(above[:len(above):len(above)], fieldname.Fit(name))
	r.names.Check(name, path...)
	f := arrow.Field{Name: path[len(above)], Nullable: t.bool(1), Metadata: metadata(t.tables(6))}
	children, nodes, err := r.children(t.tables(5), path)
	if err != nil {
		return f, nil, errs.Locate(err, errs.At{Column: f.Name})
	}
	n := &Node{Children: nodes}
	kind := t.uint8(2)
	body, _ := t.child(3)
	switch {
	case t.f.err != nil:
	case kind == typeInt && body.int32(0, 0) == 128:
		n.Type, n.Refused = &arrow.FixedSizeBinaryType{ByteWidth: 16}, "integers of 128 bits are not supported"
	case kind == typeFixedSizeList && len(children) == 1 && body.int32(0, 0) == 0:
		n.Type, n.Empty = arrow.ListOfField(children[0]), true
	default:
		n.Type, err = fieldType(kind, body, children)
	}
	if width := body.int32(2, 128); kind == typeDecimal && width < 128 {
		n.Stored = int(width / 8)
	}
	if m, ok := n.Type.(*arrow.MapType); ok {
		nodes[0].Type = m.Elem() // arrow's map has names of its own for key and value
	}
	if d, ok := t.child(4); ok && err == nil {
		n, err = r.dictionary(d, n)
	}
	if t.f.err != nil {
		err = t.f.err
	}
	if err == nil {
		err = extend(n, &f)
	}
	if err != nil {
		return f, nil, errs.Locate(err, errs.At{Column: f.Name})
	}
	f.Type = n.Type
	return f, n, nil
}

// dictionary reads DictionaryEncoding{id, indexType, isOrdered, dictionaryKind} around the values.
func (r *schemaReader) dictionary(t table, values *Node) (*Node, error) {
	index := arrow.PrimitiveTypes.Int32
	if it, ok := t.child(1); ok {
		var err error
		if index, err = intType(it); err != nil {
			return nil, err
		}
	}
	id := t.int64(0)
	if old, ok := r.dicts[id]; ok && !arrow.TypeEqual(old.Type, values.Type) {
		return nil, corrupt("dictionary %d is of %s and of %s", id, old.Type, values.Type)
	}
	r.dicts[id] = values
	return &Node{
		Type: &arrow.DictionaryType{IndexType: index, ValueType: values.Type, Ordered: t.bool(2)},
		Dict: values,
		ID:   id,
	}, nil
}

const (
	extensionName = "ARROW:extension:name"
	extensionData = "ARROW:extension:metadata"
)

// extend makes n an extension type if f says so and the type is registered; otherwise the storage type stays, and the
// metadata with it, as for every reader that does not know the name.
func extend(n *Node, f *arrow.Field) error {
	name, ok := f.Metadata.GetValue(extensionName)
	if !ok {
		return nil
	}
	ext := arrow.GetExtensionType(name)
	if ext == nil || n.Empty { // Type is not the storage type that ext knows
		return nil
	}
	data, _ := f.Metadata.GetValue(extensionData)
	typ, err := ext.Deserialize(n.Type, data)
	if err != nil {
		return corrupt("extension type %s: %w", name, err)
	}
	if !arrow.TypeEqual(typ.StorageType(), n.Type) {
		return corrupt("extension type %s is stored as %s, not %s", name, typ.StorageType(), n.Type)
	}
	var keys, values []string
	for i, k := range f.Metadata.Keys() {
		if k != extensionName && k != extensionData {
			keys, values = append(keys, k), append(values, f.Metadata.Values()[i])
		}
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	n.Type = typ
	return nil
}

// Type, the union of Schema.fbs.
const (
	typeNull = iota + 1
	typeInt
	typeFloat
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedSizeBinary
	typeFixedSizeList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEndEncoded
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

// childCount is how many children each nested type has; -1 = any.
var childCount = map[uint8]int{
	typeList: 1, typeLargeList: 1, typeListView: 1, typeLargeListView: 1, typeFixedSizeList: 1, typeMap: 1,
	typeRunEndEncoded: 2, typeStruct: -1, typeUnion: -1,
}

// fieldType maps a type table to arrow's type.
func fieldType(kind uint8, t table, children []arrow.Field) (arrow.DataType, error) {
	if want := childCount[kind]; want >= 0 && len(children) != want {
		return nil, corrupt("type %d with %d children", kind, len(children))
	}
	switch kind {
	case typeNull:
		return arrow.Null, nil
	case typeInt:
		return intType(t)
	case typeFloat:
		return pick(t.int16(0, 0), "float precision", arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64)
	case typeBinary:
		return arrow.BinaryTypes.Binary, nil
	case typeUtf8:
		return arrow.BinaryTypes.String, nil
	case typeBool:
		return arrow.FixedWidthTypes.Boolean, nil
	case typeDecimal:
		return decimalType(t)
	case typeDate:
		return pick(t.int16(0, 1), "date unit", arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64)
	case typeTime:
		return timeType(t)
	case typeTimestamp:
		unit, err := timeUnit(t.int16(0, 0))
		return &arrow.TimestampType{Unit: unit, TimeZone: t.string(1)}, err
	case typeDuration:
		unit, err := timeUnit(t.int16(0, 1))
		return &arrow.DurationType{Unit: unit}, err
	case typeInterval:
		return pick(t.int16(0, 0), "interval unit", arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval)
	case typeFixedSizeBinary:
		w := t.int32(0, 0)
		if w < 0 {
			return nil, corrupt("fixed-size binary of %d bytes", w)
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: int(w)}, nil
	case typeLargeBinary:
		return arrow.BinaryTypes.LargeBinary, nil
	case typeLargeUtf8:
		return arrow.BinaryTypes.LargeString, nil
	case typeBinaryView:
		return arrow.BinaryTypes.BinaryView, nil
	case typeUtf8View:
		return arrow.BinaryTypes.StringView, nil
	}
	return nestedType(kind, t, children)
}

func nestedType(kind uint8, t table, children []arrow.Field) (arrow.DataType, error) {
	switch kind {
	case typeList:
		return arrow.ListOfField(children[0]), nil
	case typeLargeList:
		return arrow.LargeListOfField(children[0]), nil
	case typeListView:
		return arrow.ListViewOfField(children[0]), nil
	case typeLargeListView:
		return arrow.LargeListViewOfField(children[0]), nil
	case typeFixedSizeList:
		n := t.int32(0, 0)
		if n <= 0 { // 0 is Node.Empty
			return nil, corrupt("fixed-size list of size %d", n)
		}
		return arrow.FixedSizeListOfField(n, children[0]), nil
	case typeStruct:
		return arrow.StructOf(children...), nil
	case typeMap:
		return mapType(t, children[0])
	case typeUnion:
		return unionType(t, children)
	case typeRunEndEncoded:
		switch children[0].Type.ID() {
		case arrow.INT16, arrow.INT32, arrow.INT64:
			return arrow.RunEndEncodedOf(children[0].Type, children[1].Type), nil
		}
		return nil, corrupt("run ends of type %s", children[0].Type)
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "type %d of the Arrow format", kind)
}

// pick returns types[i].
func pick(i int16, what string, types ...arrow.DataType) (arrow.DataType, error) {
	if i < 0 || int(i) >= len(types) {
		return nil, corrupt("%s %d", what, i)
	}
	return types[i], nil
}

func intType(t table) (arrow.DataType, error) {
	p := &arrow.PrimitiveTypes
	signed := t.bool(1)
	switch width := t.int32(0, 0); {
	case width == 8 && signed:
		return p.Int8, nil
	case width == 16 && signed:
		return p.Int16, nil
	case width == 32 && signed:
		return p.Int32, nil
	case width == 64 && signed:
		return p.Int64, nil
	case width == 8:
		return p.Uint8, nil
	case width == 16:
		return p.Uint16, nil
	case width == 32:
		return p.Uint32, nil
	case width == 64:
		return p.Uint64, nil
	default:
		return nil, corrupt("integer of %d bits", width)
	}
}

func decimalType(t table) (arrow.DataType, error) {
	p, s, width := t.int32(0, 0), t.int32(1, 0), t.int32(2, 128)
	digits := map[int32]int32{32: 9, 64: 18, 128: 38, 256: 76}[width]
	if p < 1 || p > digits {
		return nil, corrupt("decimal of %d bits with precision %d", width, p)
	}
	switch width {
	case 32, 64, 128:
		return &arrow.Decimal128Type{Precision: p, Scale: s}, nil
	case 256:
		return &arrow.Decimal256Type{Precision: p, Scale: s}, nil
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "decimal of %d bits", width)
}

func timeUnit(u int16) (arrow.TimeUnit, error) {
	if u < 0 || u > 3 {
		return 0, corrupt("time unit %d", u)
	}
	return [...]arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond}[u], nil
}

func timeType(t table) (arrow.DataType, error) {
	unit, width := t.int16(0, 1), t.int32(1, 32)
	switch {
	case width == 32 && unit == 0:
		return arrow.FixedWidthTypes.Time32s, nil
	case width == 32 && unit == 1:
		return arrow.FixedWidthTypes.Time32ms, nil
	case width == 64 && unit == 2:
		return arrow.FixedWidthTypes.Time64us, nil
	case width == 64 && unit == 3:
		return arrow.FixedWidthTypes.Time64ns, nil
	}
	return nil, corrupt("time of %d bits in unit %d", width, unit)
}

func mapType(t table, entries arrow.Field) (arrow.DataType, error) {
	st, ok := entries.Type.(*arrow.StructType)
	if !ok || st.NumFields() != 2 {
		return nil, corrupt("map of %s", entries.Type)
	}
	m := arrow.MapOfWithMetadata(st.Field(0).Type, st.Field(0).Metadata, st.Field(1).Type, st.Field(1).Metadata)
	m.SetItemNullable(st.Field(1).Nullable)
	m.KeysSorted = t.bool(0)
	return m, nil
}

func unionType(t table, children []arrow.Field) (arrow.DataType, error) {
	if len(children) > 128 {
		return nil, corrupt("union of %d children", len(children))
	}
	codes := make([]arrow.UnionTypeCode, len(children))
	for i := range codes {
		codes[i] = arrow.UnionTypeCode(i)
	}
	if b := t.vector(1, 4); b != nil {
		if len(b) != 4*len(children) {
			return nil, corrupt("%d type ids for a union of %d", len(b)/4, len(children))
		}
		var seen [128]bool
		for i := range codes {
			c := binary.LittleEndian.Uint32(b[4*i:])
			if c > 127 || seen[c] {
				return nil, corrupt("type id %d in a union", int32(c))
			}
			codes[i], seen[c] = arrow.UnionTypeCode(c), true
		}
	}
	switch t.int16(0, 0) {
	case 0:
		return arrow.SparseUnionOf(children, codes), nil
	case 1:
		return arrow.DenseUnionOf(children, codes), nil
	}
	return nil, corrupt("union mode %d", t.int16(0, 0))
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}
