package parquet

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// node is a field of the Arrow schema, and how its slots show in the levels of the leaves below it. A level entry of a
// leaf, a definition level d and a repetition level r, is
//
//	a slot of the node    if d >= anc and r <= rep
//	which is not null     if d >= def
//	the first of a list   if r < rep+1, an item if d > def, for a list
type node struct {
	field    arrow.Field // its type is without extension types
	shape    shape
	children []*node
	def      uint8
	rep      uint8
	anc      uint8

	column int             // of a leaf: its number among the stored columns
	elem   *decode.Element // of a leaf
	maxDef uint8           // of a leaf: the highest levels
	maxRep uint8
	int96  int96Way // of a leaf of that type
	plain  bool     // of a leaf: the Arrow schema in the file says that the writer had no dictionary
	short  *node    // the leaf below with the fewest lists around it
	// refused says why the column cannot be read; "" = it can. The others of the file can.
	refused string
}

type shape uint8

const (
	leafShape shape = iota
	structShape
	listShape
	mapShape // a list of entries
)

// maxLevel is the highest definition level: a schema within Limits.Depth has one for a list and one for its null at every
// depth. maxRepetition is the highest repetition level.
const maxLevel, maxRepetition = 255, 127

// treeBuilder makes nodes of the elements of a schema.
type treeBuilder struct {
	elems   []decode.Element
	pos     int // of the next element
	columns int
	leaves  []*node
	limits  arrowio.Limits
	int96   func(column int) int96Way // how timestamps stored as INT96 are read
	depth   int
	stored  bool // the file has an Arrow schema, too
	file    []decode.KeyValue
	// properties are file by key, made when they are asked for; projected is how many bytes of them columns have.
	properties map[string]string
	projected  int
}

// place is where in the levels a field stands.
type place struct{ def, rep, anc int }

// build returns the nodes of the top-level fields.
func (b *treeBuilder) build() ([]*node, error) {
	if len(b.elems) == 0 {
		return nil, corrupt("no schema")
	}
	root := b.elems[0]
	b.pos = 1
	var out []*node
	for range root.Children {
		n, err := b.field(place{})
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	if b.pos != len(b.elems) {
		return nil, corrupt("%d schema elements belong to no group", len(b.elems)-b.pos)
	}
	return out, nil
}

// next takes the next element.
func (b *treeBuilder) next() (*decode.Element, error) {
	if b.pos >= len(b.elems) {
		return nil, corrupt("the schema has fewer elements than its groups say")
	}
	b.pos++
	return &b.elems[b.pos-1], nil
}

// field makes the node of the next element, and of those below it.
func (b *treeBuilder) field(at place) (*node, error) {
	e, err := b.next()
	if err != nil {
		return nil, err
	}
	if b.depth++; b.depth > 3*b.limits.Depth {
		return nil, errs.Errorf(errs.ErrLimit, "a schema nested deeper than %d (Limits.Depth)", b.limits.Depth)
	}
	defer func() { b.depth-- }()
	switch e.Repetition {
	case decode.Optional:
		at.def++
	case decode.Repeated: // a list without an annotation
		item, err := b.body(e, place{at.def + 1, at.rep + 1, at.def + 1}, true)
		if err != nil {
			return nil, err
		}
		return b.list(e, at, item, false), nil
	}
	return b.body(e, at, false)
}

// body makes the node of an element as a field that is there once or not at all. inList says that it is the item of a
// list, which is not null.
func (b *treeBuilder) body(e *decode.Element, at place, inList bool) (n *node, err error) {
	if at.def > maxLevel || at.rep > maxRepetition {
		return nil, errs.Errorf(errs.ErrUnsupported, "a schema of more than %d levels, %d of them repeated", maxLevel, maxRepetition)
	}
	nullable := e.Repetition == decode.Optional && !inList
	switch {
	case e.Type != decode.Group && e.Children == 0:
		n, err = b.leaf(e, at)
	case e.Children < 0 || int(e.Children) > len(b.elems)-b.pos:
		return nil, corrupt("group %q of the schema has %d children", e.Name, e.Children)
	case e.Children == 0:
		return nil, corrupt("group %q of the schema has no children", e.Name)
	case e.Kind == decode.List && e.Children == 1 && b.elems[b.pos].Repetition == decode.Repeated:
		n, err = b.annotated(e, at)
	case e.Kind == decode.Map && e.Children == 1 && b.isEntries():
		n, err = b.mapping(e, at)
	default:
		n, err = b.group(e, at)
	}
	if err != nil {
		return nil, err
	}
	n.field.Name, n.field.Nullable = e.Name, nullable
	if e.Kind == decode.Variant {
		n.refused = "the column is a VARIANT, a type that Arrow for Go v15 does not have"
	}
	var keys, values []string
	if e.HasFieldID && e.FieldID >= 0 {
		keys, values = append(keys, arrowmeta.FieldID), append(values, strconv.Itoa(int(e.FieldID)))
	}
	if n.shape == leafShape {
		if l := logicalType(e); l != "" && !(b.stored && e.Kind == decode.Time) { // Arrow's own writers give every time this zone
			keys, values = append(keys, metaLogical), append(values, l)
		}
		if data, ok := b.geoArrow(e); ok && !b.stored { // an Arrow schema says itself what is an extension type
			keys, values = append(keys, schemadiff.ExtensionName, schemadiff.ExtensionMetadata), append(values, geoarrow.Name, data)
		}
	}
	if keys != nil {
		n.field.Metadata = arrow.NewMetadata(keys, values)
	}
	return n, nil
}

func (b *treeBuilder) leaf(e *decode.Element, at place) (*node, error) {
	t, err := leafType(e)
	if err != nil {
		return nil, err
	}
	way := int96Nanos
	if e.Type == decode.Int96 {
		way = b.int96(b.columns)
		t = &arrow.TimestampType{Unit: way.unit()}
	}
	n := &node{elem: e, int96: way, column: b.columns, maxDef: uint8(at.def), maxRep: uint8(at.rep)}
	n.at(at)
	n.short = n
	n.field.Type = t
	if b.columns++; b.columns > b.limits.Columns {
		return nil, errs.Errorf(errs.ErrLimit, "more than %d columns (Limits.Columns)", b.limits.Columns)
	}
	b.leaves = append(b.leaves, n)
	return n, nil
}

func (n *node) at(p place) { n.def, n.rep, n.anc = uint8(p.def), uint8(p.rep), uint8(p.anc) }

func (b *treeBuilder) group(e *decode.Element, at place) (*node, error) {
	n := &node{shape: structShape}
	n.at(at)
	for range e.Children {
		k, err := b.field(at)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, k)
	}
	n.settle(nil)
	return n, nil
}

// annotated makes a LIST of e. The repeated field below is the item, or a group around it:
//
//	group a (LIST) { repeated group list { optional T item } }   three levels: T
//	group a (LIST) { repeated T item }                           two levels: T, and a group is one of two levels if it
//	                                                             has several fields, a repeated one, an annotation, or
//	                                                             the name "array" or "a_tuple"
func (b *treeBuilder) annotated(e *decode.Element, at place) (*node, error) {
	r, err := b.next()
	if err != nil {
		return nil, err
	}
	below := place{at.def + 1, at.rep + 1, at.def + 1}
	var item *node
	if r.Type == decode.Group && r.Children == 1 && b.pos < len(b.elems) && b.elems[b.pos].Repetition != decode.Repeated &&
		r.Kind != decode.List && r.Kind != decode.Map && r.Name != "array" && r.Name != e.Name+"_tuple" {
		item, err = b.field(below)
	} else {
		item, err = b.body(r, below, true)
	}
	if err != nil {
		return nil, err
	}
	return b.list(e, at, item, e.Repetition == decode.Optional), nil
}

// list makes a list of the items.
func (b *treeBuilder) list(e *decode.Element, at place, item *node, nullable bool) *node {
	n := &node{shape: listShape, children: []*node{item}}
	n.at(at)
	n.field.Name, n.field.Nullable = e.Name, nullable
	n.settle(nil)
	return n
}

// isEntries reports whether the next element is the repeated group of a MAP.
func (b *treeBuilder) isEntries() bool {
	r := &b.elems[b.pos]
	return r.Repetition == decode.Repeated && r.Type == decode.Group && (r.Children == 1 || r.Children == 2) && r.Kind != decode.List
}

func (b *treeBuilder) mapping(e *decode.Element, at place) (*node, error) {
	r, err := b.next()
	if err != nil {
		return nil, err
	}
	kind := r.Kind
	r.Kind = decode.NoKind
	entries, err := b.body(r, place{at.def + 1, at.rep + 1, at.def + 1}, true)
	r.Kind = kind
	if err != nil {
		return nil, err
	}
	n := &node{shape: listShape, children: []*node{entries}}
	if len(entries.children) == 2 {
		n.shape = mapShape
		entries.children[0].field.Nullable = false
	} else { // a map without values is a list of keys
		n.children[0] = entries.children[0]
	}
	n.at(at)
	n.settle(nil)
	return n, nil
}

// settle gives a node with children the type that they make. stored is the field in the Arrow schema that the file
// carries, nil where there is none: it says what Parquet does not.
func (n *node) settle(stored arrow.DataType) {
	for i, k := range n.children {
		if i == 0 || k.short.maxRep < n.short.maxRep {
			n.short = k.short
		}
	}
	switch n.shape {
	case structShape:
		fields := make([]arrow.Field, len(n.children))
		for i, k := range n.children {
			fields[i] = k.field
		}
		n.field.Type = arrow.StructOf(fields...)
	case listShape:
		item := n.children[0].field
		item.Name = "item"
		switch t := stored.(type) {
		case *arrow.FixedSizeListType:
			n.field.Type = arrow.FixedSizeListOfField(t.Len(), renamed(item, t.ElemField()))
		case *arrow.LargeListType:
			n.field.Type = arrow.LargeListOfField(renamed(item, t.ElemField()))
		case *arrow.ListType:
			n.field.Type = arrow.ListOfField(renamed(item, t.ElemField()))
		default:
			n.field.Type = arrow.ListOfField(item)
		}
	case mapShape:
		key, value := n.children[0].children[0].field, n.children[0].children[1].field
		m := arrow.MapOfWithMetadata(key.Type, key.Metadata, value.Type, value.Metadata)
		m.SetItemNullable(value.Nullable)
		if t, ok := stored.(*arrow.MapType); ok {
			m.KeysSorted = t.KeysSorted
		}
		n.field.Type = m
		n.children[0].field.Type = m.Elem()
	}
}

// renamed returns the item of a list under the name and with the metadata that the stored schema has for it, and what Parquet
// says besides.
func renamed(item, stored arrow.Field) arrow.Field {
	l, ok := item.Metadata.GetValue(metaLogical)
	item.Name, item.Metadata = stored.Name, stored.Metadata
	if ok {
		item.Metadata = merge(item.Metadata, arrow.NewMetadata([]string{metaLogical}, []string{l}))
	}
	return item
}

// leafType returns the Arrow type of a stored column.
func leafType(e *decode.Element) (arrow.DataType, error) {
	switch e.Kind {
	case decode.Null:
		return arrow.Null, nil
	case decode.Decimal:
		if t := decimalType(e); t != nil {
			return t, nil
		}
	}
	switch e.Type {
	case decode.Boolean:
		return arrow.FixedWidthTypes.Boolean, nil
	case decode.Int32:
		return int32Type(e), nil
	case decode.Int64:
		return int64Type(e), nil
	case decode.Int96:
		return &arrow.TimestampType{Unit: arrow.Nanosecond}, nil
	case decode.Float:
		return arrow.PrimitiveTypes.Float32, nil
	case decode.Double:
		return arrow.PrimitiveTypes.Float64, nil
	case decode.ByteArray:
		switch e.Kind {
		case decode.String, decode.Enum, decode.JSON:
			return arrow.BinaryTypes.String, nil
		}
		return arrow.BinaryTypes.Binary, nil
	}
	switch {
	case e.Width < 0 || e.Width > 1<<24:
		return nil, corrupt("column %q has values of %d bytes", e.Name, e.Width)
	case e.Kind == decode.Float16 && e.Width == 2:
		return arrow.FixedWidthTypes.Float16, nil
	}
	return &arrow.FixedSizeBinaryType{ByteWidth: int(e.Width)}, nil
}

// decimalType returns the type of a decimal; nil where its numbers make no sense: the column is read as what it stores.
func decimalType(e *decode.Element) arrow.DataType {
	limit := int32(76)
	switch e.Type {
	case decode.Int32:
		limit = 9
	case decode.Int64:
		limit = 18
	case decode.ByteArray:
	case decode.Fixed:
		if e.Width < 1 {
			return nil
		}
	default:
		return nil
	}
	switch {
	case e.Precision < 1 || e.Precision > limit || e.Scale < 0 || e.Scale > e.Precision:
		return nil
	case e.Precision <= 38:
		return &arrow.Decimal128Type{Precision: e.Precision, Scale: e.Scale}
	}
	return &arrow.Decimal256Type{Precision: e.Precision, Scale: e.Scale}
}

func int32Type(e *decode.Element) arrow.DataType {
	switch e.Kind {
	case decode.Date:
		return arrow.FixedWidthTypes.Date32
	case decode.Time:
		if e.Unit == decode.Millis {
			return arrow.FixedWidthTypes.Time32ms
		}
	case decode.Integer:
		switch {
		case e.Bits == 8 && e.Signed:
			return arrow.PrimitiveTypes.Int8
		case e.Bits == 16 && e.Signed:
			return arrow.PrimitiveTypes.Int16
		case e.Bits == 8:
			return arrow.PrimitiveTypes.Uint8
		case e.Bits == 16:
			return arrow.PrimitiveTypes.Uint16
		case e.Bits == 32 && !e.Signed:
			return arrow.PrimitiveTypes.Uint32
		}
	}
	return arrow.PrimitiveTypes.Int32
}

func int64Type(e *decode.Element) arrow.DataType {
	switch e.Kind {
	case decode.Integer:
		if e.Bits == 64 && !e.Signed {
			return arrow.PrimitiveTypes.Uint64
		}
	case decode.Time:
		switch e.Unit {
		case decode.Micros:
			return arrow.FixedWidthTypes.Time64us
		case decode.Nanos:
			return arrow.FixedWidthTypes.Time64ns
		}
	case decode.Timestamp:
		zone := ""
		if e.UTC {
			zone = "UTC"
		}
		switch e.Unit {
		case decode.Millis:
			return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: zone}
		case decode.Micros:
			return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone}
		case decode.Nanos:
			return &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: zone}
		}
	}
	return arrow.PrimitiveTypes.Int64
}
