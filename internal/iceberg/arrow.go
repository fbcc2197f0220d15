package iceberg

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowmeta"
)

// Metadata of Arrow fields, and attributes of ORC's types (Iceberg table specification, "Appendix A: ORC").
const (
	MetaFieldID = arrowmeta.FieldID
	MetaORC     = "orc." // before an attribute's key

	AttrID       = "iceberg.id"
	AttrRequired = "iceberg.required"
	AttrLong     = "iceberg.long-type"
	AttrBinary   = "iceberg.binary-type"
	AttrLength   = "iceberg.length"
	AttrUnit     = "iceberg.timestamp-unit"

	MetaExtension     = "ARROW:extension:name"
	MetaExtensionData = "ARROW:extension:metadata"
	ExtensionUUID     = "arrow.uuid"
)

// Attribute is a key and a value of an ORC type.
type Attribute struct{ Key, Value string }

// Attributes returns what Iceberg's writer attaches to the ORC type of a field.
func Attributes(f *Field) []Attribute {
	var out []Attribute
	add := func(k, v string) { out = append(out, Attribute{k, v}) }
	switch f.Type.Kind {
	case Long:
		add(AttrLong, "LONG")
	case Time:
		add(AttrLong, "TIME")
	case UUID:
		add(AttrBinary, "UUID")
	case Fixed:
		add(AttrBinary, "FIXED")
		add(AttrLength, strconv.Itoa(int(f.Type.Length)))
	case Binary:
		add(AttrBinary, "BINARY")
	case Timestamp, TimestampTZ:
		add(AttrUnit, "MICROS")
	case TimestampNS, TimestampTZNS:
		add(AttrUnit, "NANOS")
	}
	add(AttrID, strconv.Itoa(int(f.ID)))
	add(AttrRequired, strconv.FormatBool(f.Required))
	return out
}

// Metadata returns what an Arrow field keeps of an Iceberg field: its id, what makes a uuid known to others, and the
// attributes of its ORC type.
func Metadata(f *Field) arrow.Metadata {
	keys, values := []string{MetaFieldID}, []string{strconv.Itoa(int(f.ID))}
	if f.Type.Kind == UUID {
		keys, values = append(keys, MetaExtension, MetaExtensionData), append(values, ExtensionUUID, "")
	}
	for _, a := range Attributes(f) {
		keys, values = append(keys, MetaORC+a.Key), append(values, a.Value)
	}
	return arrow.NewMetadata(keys, values)
}

// ArrowOptions choose between possible Arrow types.
type ArrowOptions struct {
	StringsAsBinary bool
	Dictionary      bool // strings without a default as dictionary<int32, utf8>
}

// Schema returns fields as Arrow's. A field is not nullable where it and all that it is inside of are required: a required
// field of an optional struct may be missing in a file, and is null there, as Iceberg reads it.
//
// A default becomes view.MetaDefault. One that is no value of its type is errs.ErrOption.
func Schema(fields []Field, o ArrowOptions) ([]arrow.Field, error) { return o.fields(fields, true, "") }

func (o ArrowOptions) fields(fields []Field, required bool, path string) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(fields))
	for i := range fields {
		var err error
		if out[i], err = o.field(&fields[i], required, path); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// field maps one; required = all that it is inside of is.
func (o ArrowOptions) field(f *Field, required bool, path string) (arrow.Field, error) {
	if path != "" {
		path += "."
	}
	path += f.Name
	required = required && f.Required
	t, err := o.dataType(f, required, path)
	if err != nil {
		return arrow.Field{}, err
	}
	out := arrow.Field{Name: f.Name, Type: t, Nullable: !required, Metadata: Metadata(f)}
	if f.Default != nil {
		text, err := defaultJSON(&f.Type, f.Default, 0)
		if err != nil {
			e := errs.Errorf(errs.ErrOption, "the schema: the initial default: %w", err)
			e.Column = path
			return out, e
		}
		md := out.Metadata
		out.Metadata = arrow.NewMetadata(append(md.Keys(), view.MetaDefault), append(md.Values(), text))
	}
	return out, nil
}

var plainTypes = map[Kind]arrow.DataType{
	Unknown: arrow.Null, Boolean: arrow.FixedWidthTypes.Boolean, Int: arrow.PrimitiveTypes.Int32, Long: arrow.PrimitiveTypes.Int64,
	Float: arrow.PrimitiveTypes.Float32, Double: arrow.PrimitiveTypes.Float64, Date: arrow.FixedWidthTypes.Date32,
	Time:          arrow.FixedWidthTypes.Time64us,
	Timestamp:     &arrow.TimestampType{Unit: arrow.Microsecond},
	TimestampTZ:   &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	TimestampNS:   &arrow.TimestampType{Unit: arrow.Nanosecond},
	TimestampTZNS: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"},
	Binary:        arrow.BinaryTypes.Binary, UUID: &arrow.FixedSizeBinaryType{ByteWidth: 16},
}

func (o ArrowOptions) dataType(f *Field, required bool, path string) (arrow.DataType, error) {
	t := &f.Type
	switch t.Kind {
	case Decimal:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case Fixed:
		return &arrow.FixedSizeBinaryType{ByteWidth: int(t.Length)}, nil
	case String:
		var a arrow.DataType = arrow.BinaryTypes.String
		if o.StringsAsBinary {
			a = arrow.BinaryTypes.Binary
		}
		if o.Dictionary && f.Default == nil {
			a = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: a}
		}
		return a, nil
	case Struct, List, Map:
		children, err := o.fields(t.Fields, required, path)
		if err != nil {
			return nil, err
		}
		return Nested(t.Kind, children), nil
	}
	return plainTypes[t.Kind], nil
}

// Nested returns the Arrow type of a struct, a list or a map of fields. Elements and entries have the names that readers
// of ORC give them.
func Nested(k Kind, children []arrow.Field) arrow.DataType {
	switch k {
	case List:
		children[0].Name = "item"
		return arrow.ListOfField(children[0])
	case Map:
		m := arrow.MapOfWithMetadata(children[0].Type, children[0].Metadata, children[1].Type, children[1].Metadata)
		m.SetItemNullable(children[1].Nullable)
		return m
	}
	return arrow.StructOf(children...)
}
