package cfilewire

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Names in Arrow schemas.
const (
	ValueName  = "value"     // the one field of a lone file
	MetaPrefix = "cfile."    // of a schema: metadata of the footer
	MetaKey    = "cfile.key" // of a field of a set without a key: its file has an index of values
	MetaType   = "kudu.type" // of a field: Kudu's type where Arrow's does not lead back to it: "varchar(7)"
)

// ArrowOptions choose between possible Arrow types, and add what a lone file does not know.
type ArrowOptions struct {
	Precision     int32 // of decimals; 0 = as many digits as the type has room for
	Scale         int32 // of decimals; may be given with a precision only
	Length        int32 // of varchar, in code points; 0 = not known
	Int128Binary  bool  // int128 as fixed_size_binary(16), little-endian, instead of decimal128(38, 0)
	StringsBinary bool  // string and varchar as binary
}

// arrowTypes are the types that need no options.
var arrowTypes = [...]arrow.DataType{
	UInt8:          arrow.PrimitiveTypes.Uint8,
	Int8:           arrow.PrimitiveTypes.Int8,
	UInt16:         arrow.PrimitiveTypes.Uint16,
	Int16:          arrow.PrimitiveTypes.Int16,
	UInt32:         arrow.PrimitiveTypes.Uint32,
	Int32:          arrow.PrimitiveTypes.Int32,
	UInt64:         arrow.PrimitiveTypes.Uint64,
	Int64:          arrow.PrimitiveTypes.Int64,
	String:         arrow.BinaryTypes.String,
	Bool:           arrow.FixedWidthTypes.Boolean,
	Float:          arrow.PrimitiveTypes.Float32,
	Double:         arrow.PrimitiveTypes.Float64,
	Binary:         arrow.BinaryTypes.Binary,
	UnixtimeMicros: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	Varchar:        arrow.BinaryTypes.String,
	Date:           arrow.FixedWidthTypes.Date32,
}

// ArrowType maps a type to Arrow. kuduType is Kudu's type where the Arrow type would not lead back to it, "" otherwise.
// Types that are never stored are errs.ErrUnsupported; a precision that the type has no room for, or a scale above
// it, is errs.ErrOption.
func ArrowType(t DataType, o ArrowOptions) (a arrow.DataType, kuduType string, err error) {
	switch {
	case t.Decimal() > 0:
		return decimalType(t, o)
	case t == Int128 && o.Int128Binary:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}, t.String(), nil
	case t == Int128:
		return &arrow.Decimal128Type{Precision: 38}, t.String(), nil
	case int(t) >= len(arrowTypes) || arrowTypes[t] == nil:
		return nil, "", errs.Errorf(errs.ErrUnsupported, "columns of %s are not stored", t)
	}
	a = arrowTypes[t]
	if t == Varchar {
		kuduType = t.String()
		if o.Length > 0 {
			kuduType += "(" + strconv.Itoa(int(o.Length)) + ")"
		}
	}
	if o.StringsBinary && a == arrow.BinaryTypes.String {
		a = arrow.BinaryTypes.Binary
		if kuduType == "" {
			kuduType = t.String()
		}
	}
	return a, kuduType, nil
}

// decimalType names the Kudu type where the precision alone would make it a narrower one.
func decimalType(t DataType, o ArrowOptions) (arrow.DataType, string, error) {
	p, most := o.Precision, t.Decimal()
	if p == 0 && o.Scale == 0 {
		p = most
	}
	if p < 1 || p > most || o.Scale < 0 || o.Scale > p {
		return nil, "", errs.Errorf(errs.ErrOption, "decimal(%d, %d) for %s, which has at most %d digits", p, o.Scale, t, most)
	}
	kuduType := ""
	if t == Decimal64 && p <= 9 || t == Decimal128 && p <= 18 {
		kuduType = t.String()
	}
	return &arrow.Decimal128Type{Precision: p, Scale: o.Scale}, kuduType, nil
}

// ArrowField maps the column of a lone file to a field named ValueName, with Kudu's type as metadata where Arrow's does
// not lead back to it. An array column is a list whose elements may be null; the metadata is then of the elements.
func ArrowField(f *Footer, o ArrowOptions) (arrow.Field, error) {
	a, kuduType, err := ArrowType(f.Type, o)
	if err != nil {
		return arrow.Field{}, err
	}
	field := arrow.Field{Name: ValueName, Type: a, Nullable: f.Nullable}
	if kuduType != "" {
		field.Metadata = arrow.NewMetadata([]string{MetaType}, []string{kuduType})
	}
	if f.Array {
		field.Name, field.Nullable = "item", true
		field = arrow.Field{Name: ValueName, Type: arrow.ListOfField(field), Nullable: f.Nullable}
	}
	return field, nil
}

// Schema maps a lone file: one column named ValueName, the footer's metadata as the schema's. A delta file has the
// columns that DeltaFields says; a bloom file has no rows to show and is errs.ErrUnsupported.
func Schema(f *Footer, o ArrowOptions) (*arrow.Schema, error) {
	var fields []arrow.Field
	switch f.Kind() {
	case BloomFile:
		return nil, errs.Errorf(errs.ErrUnsupported, "a bloom file has no rows")
	case DeltaFile:
		fields = DeltaFields()
	default:
		field, err := ArrowField(f, o)
		if err != nil {
			return nil, err
		}
		fields = []arrow.Field{field}
	}
	var keys, values []string
	for _, kv := range f.Meta {
		keys, values = append(keys, MetaPrefix+kv.Key), append(values, string(kv.Value))
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md), nil
}

// DeltaFields are the columns that a delta file is shown as: the row's ordinal in its rowset, the hybrid time, what
// happened, and the cells that it set.
func DeltaFields() []arrow.Field {
	change := arrow.StructOf(
		arrow.Field{Name: "column_id", Type: arrow.PrimitiveTypes.Int32},
		arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary, Nullable: true},
	)
	return []arrow.Field{
		{Name: "row", Type: arrow.PrimitiveTypes.Int64},
		{Name: "timestamp", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "op", Type: arrow.BinaryTypes.String},
		{Name: "changes", Type: arrow.ListOfField(arrow.Field{Name: "item", Type: change})},
	}
}
