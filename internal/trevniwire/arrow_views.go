package trevniwire

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// NodeKind says how a node of the tree makes an Arrow array.
type NodeKind uint8

// Kinds.
const (
	Leaf   NodeKind = iota // values of one column
	List                   // Rep counts the elements of Children[0]
	Map                    // Rep counts the entries; Children are key and value
	Struct                 // Children
	Union                  // Children, each with its own Opt, or a constant null
)

// Node is one Arrow field and the stored columns behind it.
type Node struct {
	Kind     NodeKind
	Field    arrow.Field
	Opt      int      // array column of lengths 0 and 1 that says which slots are there; -1 = all
	Rep      int      // array column of lengths; -1 = not repeated
	Col      int      // of a leaf: the column of values; -1 = constant null
	Own      bool     // of a leaf: its values stand among the lengths of its own Opt, or of the Rep above, which is also Col
	Enum     []string // of a leaf: the symbols of an Avro enum
	Size     int      // of a leaf: the size of an Avro fixed
	Children []*Node
}

// Metadata keys of Arrow schemas and fields that keep what Arrow has no place for.
const (
	MetaPrefix  = "trevni."          // schema metadata: file metadata
	MetaUser    = "trevni.meta."     // field metadata: the column's own user metadata
	MetaUserHex = "trevni.meta-hex." // the same in hex digits, where a value is no text: Arrow's field metadata is
	MetaName    = "trevni.name"
	MetaType    = "trevni.type"
	MetaLogical = "trevni.logical"
	MetaCodec   = "trevni.codec" // the column's own codec, before the file's
)

// Tree is a view of a file: top-level fields in order.
type Tree struct {
	Schema *arrow.Schema
	Roots  []*Node
}

// ColumnsView shows what is stored: an array column is a list, its children stand in a struct inside it.
func ColumnsView(h *Header, lim errs.Limits) (*Tree, error) {
	t := &Tree{}
	for i := range h.Columns {
		if h.Columns[i].Parent >= 0 {
			continue
		}
		n, err := columnsNode(h, i, lim.Depth)
		if err != nil {
			return nil, err
		}
		t.Roots = append(t.Roots, n)
	}
	t.finish(h)
	return t, nil
}

func columnsNode(h *Header, i, depth int) (*Node, error) {
	col := &h.Columns[i]
	if depth <= 0 {
		e := errs.Errorf(errs.ErrLimit, "nested deeper than the limit Depth allows")
		e.Column = col.Name
		return nil, e
	}
	leaf := leafNode(i, col.Name, ArrowType(col.Type))
	leaf.Field.Metadata = columnMetadata(col)
	if !col.Array {
		return leaf, nil
	}
	leaf.Own = true
	list := &Node{Kind: List, Opt: -1, Rep: i, Col: -1}
	list.Field = arrow.Field{Name: col.Name, Metadata: leaf.Field.Metadata}
	elem := leaf
	if len(col.Children) == 0 {
		leaf.Field.Name = "item"
		leaf.Field.Metadata = arrow.Metadata{}
	} else {
		elem = &Node{Kind: Struct, Opt: -1, Rep: -1, Col: -1, Field: arrow.Field{Name: "item"}}
		if col.Type != Null {
			leaf.Field.Name = "value"
			elem.Children = append(elem.Children, leaf)
		}
		for _, k := range col.Children {
			n, err := columnsNode(h, k, depth-1)
			if err != nil {
				return nil, err
			}
			if n.Field.Name == "value" {
				leaf.Field.Name = "_value"
			}
			elem.Children = append(elem.Children, n)
		}
		elem.setType()
	}
	list.Children = []*Node{elem}
	list.setType()
	return list, nil
}

// RecordsView rebuilds Avro records. An error says that schema does not describe the columns of h.
//
// Nothing holds the values of an Avro decimal to its precision; fits tells whether those of a column keep to it (nil:
// they do). The others are shown as the bytes that they are.
func RecordsView(h *Header, schema *Avro, lim errs.Limits, fits func(column, precision int) bool) (*Tree, error) {
	b := &binder{columns: h.Columns, budget: lim.Columns, fits: fits}
	t, err := b.tree(schema)
	if err != nil {
		return nil, err
	}
	if b.next != len(h.Columns) {
		return nil, fmt.Errorf("avro.schema describes %d columns, the file has %d", b.next, len(h.Columns))
	}
	t.finish(h)
	return t, nil
}

// Shred returns the columns that hold data of an Avro schema, and the tree over them.
func Shred(schema *Avro, lim errs.Limits) (*Tree, []Column, error) {
	return shred(&binder{declare: true, budget: lim.Columns}, schema)
}

// ShredTable is Shred for a file of an Iceberg table (Iceberg table specification, "Appendix A: Avro"): fields have ids, arrays of
// pairs are maps, and whether a timestamp is an instant is said beside its logical type.
func ShredTable(schema *Avro, lim errs.Limits) (*Tree, error) {
	t, _, err := shred(&binder{declare: true, budget: lim.Columns, table: true}, schema)
	return t, err
}

func shred(b *binder, schema *Avro) (*Tree, []Column, error) {
	t, err := b.tree(schema)
	if err != nil {
		return nil, nil, err
	}
	t.finish(&Header{})
	return t, b.columns, nil
}

func (b *binder) tree(s *Avro) (*Tree, error) {
	t := &Tree{}
	if s.Kind != AvroRecord {
		n, err := b.node(s, "", s.Name, -1)
		if err != nil {
			return nil, err
		}
		t.Roots = []*Node{n}
		return t, nil
	}
	for _, f := range s.Fields {
		n, err := b.node(f.Type, f.Name, f.arrowName(), -1)
		if err != nil {
			return nil, err
		}
		n.addMeta(f.Meta)
		b.addID(n, f.ID)
		t.Roots = append(t.Roots, n)
	}
	return t, nil
}

// addID adds the id that a field has in a table.
func (b *binder) addID(n *Node, id string) {
	if b.table && id != "" {
		n.say(arrowmeta.FieldID, id)
	}
}

// say adds metadata to the field.
func (n *Node) say(key, value string) {
	md := n.Field.Metadata
	n.Field.Metadata = arrow.NewMetadata(append(slices.Clone(md.Keys()), key), append(slices.Clone(md.Values()), value))
}

// node makes the Arrow field called name out of the columns of s at path, repeated by column parent.
func (b *binder) node(s *Avro, path, name string, parent int) (*Node, error) {
	if b.budget--; b.budget < 0 {
		return nil, errors.New("avro.schema has too many parts")
	}
	switch s.Kind {
	case AvroRecord:
		n := &Node{Kind: Struct, Opt: -1, Rep: -1, Col: -1, Field: arrow.Field{Name: name}}
		for _, f := range s.Fields {
			k, err := b.node(f.Type, join(path, f.Name), f.arrowName(), parent)
			if err != nil {
				return nil, err
			}
			k.addMeta(f.Meta)
			b.addID(k, f.ID)
			n.Children = append(n.Children, k)
		}
		n.setType()
		return n, nil
	case AvroArray:
		n := &Node{Kind: List, Opt: -1, Col: -1, Field: arrow.Field{Name: name}}
		child, col, err := b.repeated(s.Items, path+"[]", "item", parent)
		if err != nil {
			return nil, err
		}
		child.addMeta(s.ItemMeta)
		b.addID(child, s.ItemID)
		n.Rep, n.Children = col, []*Node{child}
		if b.table && s.Pairs() {
			n.Kind, n.Children = Map, child.Children
		}
		n.setType()
		return n, nil
	case AvroMap:
		return b.mapNode(s, path, name, parent)
	case AvroUnion:
		return b.union(s, path, name, parent)
	}
	if path == "" {
		path = s.Name
	}
	col, err := b.simple(path, s, false, parent)
	if err != nil {
		return nil, err
	}
	return b.leaf(s, col, name), nil
}

// repeated makes the element of an array column at path: in the column itself if it is simple, in children otherwise.
func (b *binder) repeated(s *Avro, path, name string, parent int) (*Node, int, error) {
	if s.Simple() {
		col, err := b.simple(path, s, true, parent)
		if err != nil {
			return nil, 0, err
		}
		n := b.leaf(s, col, name)
		n.Own = true
		return n, col, nil
	}
	col, err := b.column(path, Null, true, parent)
	if err != nil {
		return nil, 0, err
	}
	n, err := b.node(s, path, name, col)
	return n, col, err
}

func (b *binder) mapNode(s *Avro, path, name string, parent int) (*Node, error) {
	col, err := b.column(path+">", Null, true, parent)
	if err != nil {
		return nil, err
	}
	key, err := b.column(path+">key", String, false, col)
	if err != nil {
		return nil, err
	}
	value, err := b.node(s.Items, path+">value", "value", col)
	if err != nil {
		return nil, err
	}
	value.addMeta(s.ItemMeta)
	b.addID(value, s.ItemID)
	n := &Node{Kind: Map, Opt: -1, Rep: col, Col: -1, Field: arrow.Field{Name: name}}
	n.Children = []*Node{leafNode(key, "key", arrow.BinaryTypes.String), value}
	b.addID(n.Children[0], s.KeyID)
	n.setType()
	return n, nil
}

// union makes a nullable field of [null, T], and a dense union of anything else.
func (b *binder) union(s *Avro, path, name string, parent int) (*Node, error) {
	if o := s.Optional(); o != nil {
		n, err := b.branch(o, path, name, parent)
		if err != nil {
			return nil, err
		}
		n.Field.Nullable = true
		return n, nil
	}
	n := &Node{Kind: Union, Opt: -1, Rep: -1, Col: -1, Field: arrow.Field{Name: name}}
	for _, br := range s.Branches {
		var k *Node
		if br.IsNull() {
			k = leafNode(-1, br.Name, arrow.Null)
		} else {
			var err error
			if k, err = b.branch(br, path, br.Name, parent); err != nil {
				return nil, err
			}
		}
		k.Field.Nullable = true
		n.Children = append(n.Children, k)
	}
	n.setType()
	return n, nil
}

// branch makes a union's branch: an array column of lengths 0 and 1, with the values or with children.
func (b *binder) branch(s *Avro, path, name string, parent int) (*Node, error) {
	n, col, err := b.repeated(s, branchPath(path, s.Name), name, parent)
	if err != nil {
		return nil, err
	}
	if n.Opt >= 0 {
		return nil, errors.New("avro.schema has a union within a union")
	}
	n.Opt = col
	return n, nil
}

func (b *binder) leaf(s *Avro, col int, name string) *Node {
	t, logical := avroType(s)
	if arrow.IsDecimal(t.ID()) && b.fits != nil && !b.fits(col, s.Precision) {
		t, logical = ArrowType(s.Type), fmt.Sprintf("decimal(%d,%d)", s.Precision, s.Scale)
		if s.Kind == AvroFixed {
			t = &arrow.FixedSizeBinaryType{ByteWidth: s.Size}
		}
	}
	n := leafNode(col, name, t)
	n.Enum, n.Size = s.Symbols, s.Size
	md := userMetadata(&b.columns[col])
	if logical != "" {
		md[0], md[1] = append(md[0], MetaLogical), append(md[1], logical)
	}
	n.Field.Metadata = arrow.NewMetadata(md[0], md[1])
	if ts, ok := t.(*arrow.TimestampType); ok && b.table && ts.TimeZone != "" { // otherwise it is local by its logical type
		switch {
		case s.UTC == nil:
			n.say(arrowmeta.ZoneUnsaid, "true")
		case !*s.UTC:
			n.Field.Type = &arrow.TimestampType{Unit: ts.Unit}
		}
	}
	return n
}

// Pairs reports whether s is an array that stands for a map: of records of a key, which is never null, and a value.
func (s *Avro) Pairs() bool {
	return s.Kind == AvroArray && s.Logical == "map" && s.Items.Kind == AvroRecord && len(s.Items.Fields) == 2 &&
		s.Items.Fields[0].Name == "key" && s.Items.Fields[1].Name == "value" && s.Items.Fields[0].Type.Kind != AvroUnion && !s.Items.Fields[0].Type.IsNull()
}

// avroType maps a simple Avro type to Arrow; logical is what the Arrow type does not say.
func avroType(s *Avro) (t arrow.DataType, logical string) {
	switch s.Kind {
	case AvroEnum:
		return EnumType, ""
	case AvroFixed:
		if s.Logical == "decimal" && s.Precision >= 1 && s.Precision <= 76 && s.Size <= 32 {
			return decimalType(s.Precision, s.Scale), ""
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: s.Size}, s.Logical
	}
	switch {
	case s.Logical == "date" && s.Type == Int:
		return arrow.FixedWidthTypes.Date32, ""
	case s.Logical == "time-millis" && s.Type == Int:
		return arrow.FixedWidthTypes.Time32ms, ""
	case s.Logical == "time-micros" && s.Type == Long:
		return arrow.FixedWidthTypes.Time64us, ""
	case s.Logical == "timestamp-millis" && s.Type == Long:
		return arrow.FixedWidthTypes.Timestamp_ms, ""
	case s.Logical == "timestamp-micros" && s.Type == Long:
		return arrow.FixedWidthTypes.Timestamp_us, ""
	case s.Logical == "timestamp-nanos" && s.Type == Long:
		return arrow.FixedWidthTypes.Timestamp_ns, ""
	case s.Logical == "local-timestamp-nanos" && s.Type == Long:
		return &arrow.TimestampType{Unit: arrow.Nanosecond}, ""
	case s.Logical == "local-timestamp-millis" && s.Type == Long:
		return &arrow.TimestampType{Unit: arrow.Millisecond}, ""
	case s.Logical == "local-timestamp-micros" && s.Type == Long:
		return &arrow.TimestampType{Unit: arrow.Microsecond}, ""
	case s.Logical == "decimal" && s.Type == Bytes && s.Precision >= 1 && s.Precision <= 76:
		return decimalType(s.Precision, s.Scale), ""
	}
	return ArrowType(s.Type), s.Logical
}

// EnumType is the Arrow type of an Avro enum; its dictionary is the symbols.
var EnumType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// decimalType is the Arrow type of an Avro decimal.
func decimalType(p, s int) arrow.DataType {
	if p <= 38 {
		return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}
	}
	return &arrow.Decimal256Type{Precision: int32(p), Scale: int32(s)}
}

// ArrowType maps a stored type to Arrow.
func ArrowType(t Type) arrow.DataType {
	switch t {
	case Boolean:
		return arrow.FixedWidthTypes.Boolean
	case Int, Fixed32:
		return arrow.PrimitiveTypes.Int32
	case Long, Fixed64:
		return arrow.PrimitiveTypes.Int64
	case Float:
		return arrow.PrimitiveTypes.Float32
	case Double:
		return arrow.PrimitiveTypes.Float64
	case String:
		return arrow.BinaryTypes.String
	case Bytes:
		return arrow.BinaryTypes.Binary
	}
	return arrow.Null
}

func leafNode(col int, name string, t arrow.DataType) *Node {
	return &Node{Kind: Leaf, Opt: -1, Rep: -1, Col: col, Field: arrow.Field{Name: name, Type: t, Nullable: t.ID() == arrow.NULL}}
}

// setType derives the Arrow type of a node from its children'.
func (n *Node) setType() {
	fields := make([]arrow.Field, len(n.Children))
	for i, k := range n.Children {
		fields[i] = k.Field
	}
	switch n.Kind {
	case List:
		n.Field.Type = arrow.ListOfField(fields[0])
	case Struct:
		n.Field.Type = arrow.StructOf(fields...)
	case Union:
		codes := make([]arrow.UnionTypeCode, len(fields))
		for i := range codes {
			codes[i] = arrow.UnionTypeCode(i)
		}
		n.Field.Type = arrow.DenseUnionOf(fields, codes)
	case Map:
		m := arrow.MapOfWithMetadata(fields[0].Type, fields[0].Metadata, fields[1].Type, fields[1].Metadata)
		m.SetItemNullable(fields[1].Nullable)
		n.Field.Type = m
	}
}

// finish makes the schema, with the file's own metadata.
func (t *Tree) finish(h *Header) {
	fields := make([]arrow.Field, len(t.Roots))
	for i, r := range t.Roots {
		fields[i] = r.Field
	}
	md := h.Meta.Shown()
	t.Schema = arrow.NewSchema(fields, &md)
}

// Shown returns what a file's metadata is in Arrow.
func (m Meta) Shown() arrow.Metadata {
	var pairs []arrowmeta.Pair
	for _, p := range m.User() {
		if p.Key == KeyAvro {
			p.Value = fieldname.FitJSON(p.Value) // as ParseAvro reads it
		}
		pairs = append(pairs, arrowmeta.Pair(p))
	}
	return arrowmeta.Show(pairs, MetaPrefix)
}

func columnMetadata(c *Column) arrow.Metadata {
	md := userMetadata(c)
	return arrow.NewMetadata(append([]string{MetaName, MetaType}, md[0]...), append([]string{c.Name, c.Type.String()}, md[1]...))
}

// userMetadata returns the keys and values of a column's user metadata as field metadata.
func userMetadata(c *Column) (kv [2][]string) {
	if codec, ok := c.Meta.Get(KeyCodec); ok {
		kv[0], kv[1] = append(kv[0], MetaCodec), append(kv[1], string(codec))
	}
	for _, p := range c.Meta.User() {
		if k, v, ok := arrowmeta.ShowField(p.Key, string(p.Value)); ok {
			kv[0], kv[1] = append(kv[0], k), append(kv[1], v)
			continue
		}
		if strings.HasPrefix(p.Key, "arrowio.") {
			continue
		}
		if utf8.Valid(p.Value) {
			kv[0], kv[1] = append(kv[0], MetaUser+p.Key), append(kv[1], string(p.Value))
		} else {
			kv[0], kv[1] = append(kv[0], MetaUserHex+p.Key), append(kv[1], hex.EncodeToString(p.Value))
		}
	}
	return kv
}

// UserMeta returns the column metadata that field metadata carries.
func UserMeta(md arrow.Metadata) Meta {
	var m Meta
	for i, key := range md.Keys() {
		value := []byte(md.Values()[i])
		name, ok := strings.CutPrefix(key, MetaUser)
		if !ok {
			if name, ok = strings.CutPrefix(key, MetaUserHex); !ok {
				continue
			}
			var err error
			if value, err = hex.DecodeString(string(value)); err != nil {
				continue // not ours
			}
		}
		m = append(m, Pair{Key: name, Value: value})
	}
	return m
}
