package parquet

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/parquetwire"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// node is a field of the Arrow schema: a column, or what stands below one.
type node struct {
	optional bool
	full     uint8 // definition level of what is there
	rep      uint8 // repetition level of what is repeated here
	list     bool  // a list or a map: children are of its items
	mapped   bool
	children []*node
	leaf     *leaf // nil = it has children
	name     string
}

// order is by what values are compared.
type order uint8

const (
	noOrder order = iota
	signed
	unsigned // bytes, too
	floating
	half
	bigDecimal // signed, big-endian
)

// leaf is a column of the file.
type leaf struct {
	index      int // among the leaves
	wire       encode.Element
	path       []string // in the file
	column     string   // path of the Arrow schema
	def, rep   uint8    // highest levels
	order      order
	typ        arrow.DataType // of values: no extension, dictionary or run ends
	text       bool
	dictionary bool // it may have one
	always     bool // its values come with one
	bloom      bool
}

// build makes nodes, leaves and elements.
func (d *driver) build(fields []arrow.Field) {
	d.elements = []encode.Element{{Name: "schema", Children: int32(len(fields))}}
	for _, f := range fields {
		d.fields = append(d.fields, d.node(f, f.Name, f.Name, schemadiff.Path(f.Name), nil, 0, 0))
	}
}

// node makes the node of a field, which is called name in the file, and place in the plan, under a slot of levels def and rep.
func (d *driver) node(f arrow.Field, name, column, place string, path []string, def, rep uint8) *node {
	t := arrowtype.Value(f.Type)
	n := &node{optional: f.Nullable, rep: rep, name: column}
	path = append(path[:len(path):len(path)], name)
	e := encode.Element{Name: name}
	if n.optional {
		e.Repetition = encode.Optional
		def++
	}
	n.full = def
	if v, ok := f.Metadata.GetValue(arrowmeta.FieldID); ok {
		if id, err := strconv.ParseInt(v, 10, 32); err == nil && id >= 0 {
			e.FieldID, e.HasFieldID = int32(id), true
		}
	}
	at := len(d.elements)
	d.elements = append(d.elements, e)
	el := func() *encode.Element { return &d.elements[at] }
	switch t := t.(type) {
	case *arrow.StructType:
		el().Children = int32(t.NumFields())
		for _, k := range t.Fields() {
			n.children = append(n.children, d.node(k, k.Name, column+"."+k.Name, schemadiff.Below(place, k.Name), path, def, rep))
		}
	case *arrow.MapType:
		n.list, n.mapped, n.rep = true, true, rep+1
		el().Children, el().Logical = 1, encode.Logical{Kind: encode.Map}
		d.elements = append(d.elements, encode.Element{Name: "key_value", Repetition: encode.Repeated, Children: 2})
		path = append(path, "key_value")
		key, item := t.KeyField(), t.ItemField()
		key.Nullable = false
		n.children = []*node{
			d.node(key, "key", column+"."+key.Name, place+".key", path, def+1, rep+1),
			d.node(item, "value", column+"."+item.Name, place+".value", path, def+1, rep+1),
		}
	case arrow.ListLikeType:
		n.list, n.rep = true, rep+1
		el().Children, el().Logical = 1, encode.Logical{Kind: encode.List}
		d.elements = append(d.elements, encode.Element{Name: "list", Repetition: encode.Repeated, Children: 1})
		item := t.ElemField()
		n.children = []*node{d.node(item, "element", column+"."+item.Name, place+".item", append(path, "list"), def+1, rep+1)}
	default:
		l := leafOf(t)
		if dec, ok := t.(arrow.DecimalType); ok && d.o.DecimalBytes {
			l.wire.Type, l.wire.Width, l.order = encode.Fixed, int32(decimalWidth(dec.GetPrecision())), bigDecimal
		}
		if v, ok := f.Metadata.GetValue(metaLogical); ok {
			l.annotate(v)
		} else if loss := l.extension(f, d.schema.Metadata()); loss != "" {
			d.unclear = append(d.unclear, schemadiff.Difference{Path: place, Aspect: schemadiff.Metadata, Type: f.Type, Text: loss})
		}
		l.wire.Name, l.wire.Repetition, l.wire.FieldID, l.wire.HasFieldID, l.wire.Leaf = e.Name, e.Repetition, e.FieldID, e.HasFieldID, true
		l.path, l.column, l.def, l.rep, l.index = path, column, def, rep, len(d.leaves)
		d.elements[at] = l.wire
		d.leaves = append(d.leaves, l)
		n.leaf = l
	}
	return n
}

// leafOf says how values of a type are stored.
func leafOf(t arrow.DataType) *leaf {
	l := &leaf{typ: t}
	set := func(w encode.Type, o order, logical encode.Logical) *leaf {
		l.wire.Type, l.order, l.wire.Logical = w, o, logical
		return l
	}
	fixed := func(width int, o order, logical encode.Logical) *leaf {
		l.wire.Width = int32(width)
		return set(encode.Fixed, o, logical)
	}
	integer := func(w encode.Type, bits int8, o order) *leaf {
		return set(w, o, encode.Logical{Kind: encode.Integer, Bits: bits, Signed: o == signed})
	}
	switch t := t.(type) {
	case *arrow.NullType:
		return set(encode.Int32, noOrder, encode.Logical{Kind: encode.Null})
	case *arrow.BooleanType:
		return set(encode.Boolean, unsigned, encode.Logical{})
	case *arrow.Int8Type:
		return integer(encode.Int32, 8, signed)
	case *arrow.Int16Type:
		return integer(encode.Int32, 16, signed)
	case *arrow.Int32Type:
		return set(encode.Int32, signed, encode.Logical{})
	case *arrow.Uint8Type:
		return integer(encode.Int32, 8, unsigned)
	case *arrow.Uint16Type:
		return integer(encode.Int32, 16, unsigned)
	case *arrow.Uint32Type:
		return integer(encode.Int32, 32, unsigned)
	case *arrow.Uint64Type:
		return integer(encode.Int64, 64, unsigned)
	case *arrow.Int64Type, *arrow.DurationType:
		return set(encode.Int64, signed, encode.Logical{})
	case *arrow.Float16Type:
		return fixed(2, half, encode.Logical{Kind: encode.Float16})
	case *arrow.Float32Type:
		return set(encode.Float, floating, encode.Logical{})
	case *arrow.Float64Type:
		return set(encode.Double, floating, encode.Logical{})
	case *arrow.Date32Type, *arrow.Date64Type:
		return set(encode.Int32, signed, encode.Logical{Kind: encode.Date})
	case *arrow.Time32Type:
		return set(encode.Int32, signed, encode.Logical{Kind: encode.Time, Unit: encode.Millis})
	case *arrow.Time64Type:
		return set(encode.Int64, signed, encode.Logical{Kind: encode.Time, Unit: unitOf(t.Unit)})
	case *arrow.TimestampType:
		return set(encode.Int64, signed, encode.Logical{Kind: encode.Timestamp, Unit: unitOf(t.Unit), UTC: t.TimeZone != ""})
	case *arrow.FixedSizeBinaryType:
		return fixed(t.ByteWidth, unsigned, encode.Logical{})
	case arrow.DecimalType:
		logical := encode.Logical{Kind: encode.Decimal, Precision: t.GetPrecision(), Scale: t.GetScale()}
		switch p := t.GetPrecision(); {
		case p <= 9:
			return set(encode.Int32, signed, logical)
		case p <= 18:
			return set(encode.Int64, signed, logical)
		default:
			return fixed(decimalWidth(p), bigDecimal, logical)
		}
	}
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		l.text = true
		return set(encode.ByteArray, unsigned, encode.Logical{Kind: encode.String})
	}
	return set(encode.ByteArray, unsigned, encode.Logical{})
}

// unitOf returns the unit in which times are stored: there is none of seconds.
func unitOf(u arrow.TimeUnit) encode.Unit {
	switch u {
	case arrow.Microsecond:
		return encode.Micros
	case arrow.Nanosecond:
		return encode.Nanos
	}
	return encode.Millis
}

// decimalWidth returns how many bytes decimals of so many digits need.
func decimalWidth(precision int32) int {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return (most.Sub(most, big.NewInt(1)).BitLen() + 1 + 7) / 8
}

// stored names what a field is in the file.
func (n *node) stored() string {
	switch {
	case n.mapped:
		return "MAP"
	case n.list:
		return "LIST"
	case n.leaf == nil:
		return "group"
	}
	w := n.leaf.wire
	physical := map[encode.Type]string{
		encode.Boolean: "BOOLEAN", encode.Int32: "INT32", encode.Int64: "INT64", encode.Float: "FLOAT",
		encode.Double: "DOUBLE", encode.ByteArray: "BYTE_ARRAY",
	}[w.Type]
	if w.Type == encode.Fixed {
		physical = fmt.Sprintf("FIXED_LEN_BYTE_ARRAY(%d)", w.Width)
	}
	if l := logicalName(w.Logical); l != "" {
		return physical + " " + l
	}
	return physical
}

func logicalName(l encode.Logical) string {
	unit := map[encode.Unit]string{encode.Millis: "ms", encode.Micros: "us", encode.Nanos: "ns"}[l.Unit]
	if l.UTC {
		unit += ", UTC"
	}
	switch l.Kind {
	case encode.String:
		return "STRING"
	case encode.Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", l.Precision, l.Scale)
	case encode.Date:
		return "DATE"
	case encode.Time:
		return "TIME(" + unit + ")"
	case encode.Timestamp:
		return "TIMESTAMP(" + unit + ")"
	case encode.Integer:
		if l.Signed {
			return fmt.Sprintf("INT(%d)", l.Bits)
		}
		return fmt.Sprintf("UINT(%d)", l.Bits)
	case encode.Null:
		return "NULL"
	case encode.Enum:
		return "ENUM"
	case encode.Interval:
		return "INTERVAL"
	case encode.JSON:
		return "JSON"
	case encode.BSON:
		return "BSON"
	case encode.UUID:
		return "UUID"
	case encode.Float16:
		return "FLOAT16"
	case encode.Geometry, encode.Geography:
		return parquetwire.Geo{Edges: l.Kind == encode.Geography, CRS: l.CRS, HasCRS: l.HasCRS, Algorithm: l.Algorithm, HasAlgorithm: l.HasAlgorithm}.String()
	}
	return ""
}
