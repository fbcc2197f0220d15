package orcwire

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Metadata keys of Arrow schemas and fields that keep what Arrow has no place for, so that writing ORC again loses
// nothing.
const (
	MetaPrefix    = "orc."           // of a schema: the user's metadata; of a field: attributes of its type
	MetaAttribute = "orc-attribute." // of a schema: attributes of the root struct; of a field: those named like a key below
	MetaType      = "orc.type"       // the ORC type where Arrow's does not tell: "varchar(7)"
	MetaRoot      = "orc.root"       // "true" on the one field of a file whose root is no struct
	MetaFieldID   = arrowmeta.FieldID

	metaExtension     = "ARROW:extension:name"
	metaExtensionData = "ARROW:extension:metadata"
	icebergID         = "iceberg.id"
)

// maxUnion is how many children an Arrow union can have: type codes are 0 to 127.
const maxUnion = 128

// ArrowOptions choose between possible Arrow types.
type ArrowOptions struct {
	StringsAsBinary bool           // string, char and varchar as binary
	NullKeysAsList  bool           // map as list<struct<key, value>>, whose keys may be null
	TimestampUnit   arrow.TimeUnit // of timestamps; the zero value is arrow.Second, as it is Arrow's
	Microseconds    []string       // paths of types whose timestamps are in microseconds where TimestampUnit is nanoseconds
	Dictionary      bool           // string, char and varchar as dictionary<int32, utf8> (or binary)

	systems *systems // of the file; nil = not known
}

// Schema maps the types of a file to Arrow. The fields are the children of the root struct in order, or one field named
// RootName for a root that is no struct; field i of a struct is its type's child i all the way down, so the tree of
// types is parallel to the schema (between a map shown as a list and its children is one struct more).
//
// All fields are nullable, as ORC knows nothing else, but unions, which have no nulls in Arrow, and the keys of maps.
// Names are taken as they are: empty ones and several alike are possible. A name that is not UTF-8 is
// errs.ErrCorrupt, a union of more than 128 children errs.ErrUnsupported.
func Schema(f *Footer, o ArrowOptions) (*arrow.Schema, error) {
	root := f.Types[0]
	var fields []arrow.Field
	user := make([]arrowmeta.Pair, len(f.Metadata))
	for i, kv := range f.Metadata {
		user[i] = arrowmeta.Pair(kv)
	}
	o.systems = &systems{user: user, left: mostProjJSON}
	shown := arrowmeta.Show(user, MetaPrefix)
	keys, values := shown.Keys(), shown.Values()
	if root.Kind == Struct {
		fields = make([]arrow.Field, len(root.Children))
		for i, c := range root.Children {
			var err error
			if fields[i], err = ArrowField(c, root.Names[i], o); err != nil {
				return nil, err
			}
		}
		for _, a := range root.Attributes {
			keys, values = append(keys, MetaAttribute+a.Key), append(values, a.Value)
		}
	} else {
		field, err := ArrowField(root, RootName, o)
		if err != nil {
			return nil, err
		}
		md := field.Metadata
		field.Metadata = arrow.NewMetadata(append([]string{MetaRoot}, md.Keys()...), append([]string{"true"}, md.Values()...))
		fields = []arrow.Field{field}
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md), nil
}

// ArrowField maps one type, and those below it, to a field called name. Errors are those of Schema.
func ArrowField(t *Type, name string, o ArrowOptions) (arrow.Field, error) {
	if !utf8.ValidString(name) {
		return arrow.Field{}, fieldError(t, errs.ErrCorrupt, "the name is not UTF-8")
	}
	t = o.systems.resolved(t)
	f := arrow.Field{Name: name, Nullable: t.Kind != Union}
	var orcType string
	var err error
	switch t.Kind {
	case List:
		var elem arrow.Field
		if elem, err = ArrowField(t.Children[0], "item", o); err == nil {
			f.Type = arrow.ListOfField(elem)
		}
	case Map:
		if o.NullKeysAsList {
			orcType = t.Kind.String()
		}
		f.Type, err = mapType(t, o)
	case Struct:
		fields := make([]arrow.Field, len(t.Children))
		for i, c := range t.Children {
			if fields[i], err = ArrowField(c, t.Names[i], o); err != nil {
				return f, err
			}
		}
		f.Type = arrow.StructOf(fields...)
	case Union:
		f.Type, err = unionType(t, o)
	default:
		f.Type, orcType = scalarType(t, o)
	}
	if err != nil {
		return f, err
	}
	if f.Metadata = fieldMetadata(t, orcType); !t.Kind.Compound() && f.Metadata.FindKey(metaExtension) >= 0 {
		// The name of an extension type is about the usual type: readers that know it refuse a file where it stands at another.
		if usual, _ := scalarType(t, ArrowOptions{TimestampUnit: arrow.Nanosecond}); !schemadiff.Stores(usual, f.Type) {
			f = schemadiff.WithoutExtension(f)
		}
	}
	return f, nil
}

func fieldError(t *Type, kind errs.Kind, format string, args ...any) error {
	e := errs.Errorf(kind, format, args...)
	e.Op, e.Column = "schema", t.Path()
	return e
}

func mapType(t *Type, o ArrowOptions) (arrow.DataType, error) {
	key, err := ArrowField(t.Children[0], "key", o)
	if err != nil {
		return nil, err
	}
	value, err := ArrowField(t.Children[1], "value", o)
	if err != nil {
		return nil, err
	}
	if o.NullKeysAsList {
		return arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.StructOf(key, value)}), nil
	}
	m := arrow.MapOfWithMetadata(key.Type, key.Metadata, value.Type, value.Metadata)
	m.SetItemNullable(value.Nullable)
	return m, nil
}

func unionType(t *Type, o ArrowOptions) (arrow.DataType, error) {
	n := len(t.Children)
	if n > maxUnion {
		return nil, fieldError(t, errs.ErrUnsupported, "a union of %d children, Arrow's have at most %d", n, maxUnion)
	}
	fields, codes := make([]arrow.Field, n), make([]arrow.UnionTypeCode, n)
	for i, c := range t.Children {
		var err error
		if fields[i], err = ArrowField(c, unionName(i), o); err != nil {
			return nil, err
		}
		codes[i] = arrow.UnionTypeCode(i)
	}
	return arrow.DenseUnionOf(fields, codes), nil
}

// scalarTypes are the kinds that map to one Arrow type.
var scalarTypes = [...]arrow.DataType{
	Boolean:   arrow.FixedWidthTypes.Boolean,
	Byte:      arrow.PrimitiveTypes.Int8,
	Short:     arrow.PrimitiveTypes.Int16,
	Int:       arrow.PrimitiveTypes.Int32,
	Long:      arrow.PrimitiveTypes.Int64,
	Float:     arrow.PrimitiveTypes.Float32,
	Double:    arrow.PrimitiveTypes.Float64,
	Binary:    arrow.BinaryTypes.Binary,
	Date:      arrow.FixedWidthTypes.Date32,
	Geometry:  arrow.BinaryTypes.Binary,
	Geography: arrow.BinaryTypes.Binary,
}

// scalarType maps a type without children. orcType is the ORC type where the Arrow type would not lead back to it.
func scalarType(t *Type, o ArrowOptions) (a arrow.DataType, orcType string) {
	switch t.Kind {
	case String, Char, Varchar:
		if t.Kind != String || o.StringsAsBinary {
			orcType = t.String()
		}
		a = arrow.BinaryTypes.String
		if o.StringsAsBinary {
			a = arrow.BinaryTypes.Binary
		}
		if o.Dictionary {
			a = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: a}
		}
		return a, orcType
	case Timestamp:
		return &arrow.TimestampType{Unit: o.unitOf(t)}, ""
	case TimestampInstant:
		return &arrow.TimestampType{Unit: o.unitOf(t), TimeZone: "UTC"}, ""
	case Decimal:
		p, s := t.DecimalType()
		return &arrow.Decimal128Type{Precision: p, Scale: s}, ""
	case Geometry, Geography:
		orcType = t.String()
	}
	return scalarTypes[t.Kind], orcType
}

// unitOf returns the unit of timestamps of a type.
func (o ArrowOptions) unitOf(t *Type) arrow.TimeUnit {
	if o.TimestampUnit == arrow.Nanosecond && len(o.Microseconds) > 0 && slices.Contains(o.Microseconds, t.Path()) {
		return arrow.Microsecond
	}
	return o.TimestampUnit
}

// fieldMetadata keeps the ORC type, what makes geometries known to others, and the attributes.
func fieldMetadata(t *Type, orcType string) arrow.Metadata {
	var keys, values []string
	add := func(k, v string) { keys, values = append(keys, k), append(values, v) }
	if orcType != "" {
		add(MetaType, orcType)
	}
	if t.Kind == Geometry || t.Kind == Geography {
		add(metaExtension, geoarrow.Name)
		add(metaExtensionData, geoMetadata(t))
	}
	for _, a := range t.Attributes {
		if k, v, ok := arrowmeta.ShowField(a.Key, a.Value); ok {
			add(k, v)
			continue
		}
		key := MetaPrefix + a.Key
		if key == MetaType || key == MetaRoot {
			key = MetaAttribute + a.Key
		}
		add(key, a.Value)
		if a.Key == icebergID {
			if _, err := strconv.ParseInt(a.Value, 10, 32); err == nil {
				add(MetaFieldID, a.Value)
			}
		}
	}
	return arrow.NewMetadata(keys, values)
}

// geoMetadata returns the metadata of GeoArrow's WKB.
func geoMetadata(t *Type) string {
	return geoarrow.Type{CRS: t.CRS, Geography: t.Kind == Geography, Algorithm: int(t.EdgeAlgorithm)}.Metadata()
}

// isWord reports whether s is letters and digits, at least one.
func isWord(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}
