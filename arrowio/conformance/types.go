package conformance

import (
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// FlatTypes returns the types without children, those with parameters several times.
func FlatTypes() []arrow.DataType {
	return []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.PrimitiveTypes.Date32, arrow.PrimitiveTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_s, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Paris"}, &arrow.TimestampType{Unit: arrow.Microsecond},
		arrow.FixedWidthTypes.Duration_ms, arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 0}, &arrow.Decimal256Type{Precision: 76, Scale: 10},
		&arrow.FixedSizeBinaryType{ByteWidth: 1}, &arrow.FixedSizeBinaryType{ByteWidth: 13},
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
	}
}

// Types returns FlatTypes and nested types: every kind of list, structs, maps, unions, dictionaries, run ends, an extension
// type, and some of these inside others.
func Types() []arrow.DataType {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	point := arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
		arrow.Field{Name: "name", Type: str, Nullable: true},
		arrow.Field{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	)
	members := []arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: str, Nullable: true},
		{Name: "p", Type: point, Nullable: true},
	}
	codes := []arrow.UnionTypeCode{5, 0, 127}
	dict := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	nested := []arrow.DataType{
		arrow.ListOf(i32), arrow.ListOfNonNullable(str), arrow.LargeListOf(str), arrow.ListOf(arrow.ListOf(arrow.FixedWidthTypes.Boolean)),
		arrow.ListViewOf(i32), arrow.LargeListViewOf(str), arrow.ListViewOf(arrow.ListOf(str)),
		arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int16), arrow.FixedSizeListOf(2, str), arrow.FixedSizeListOf(1, arrow.FixedSizeListOf(2, i32)),
		point, arrow.StructOf(), arrow.StructOf(arrow.Field{Name: "p", Type: point, Nullable: true}, arrow.Field{Name: "l", Type: arrow.ListOf(point), Nullable: true}),
		arrow.MapOf(str, i32), arrow.MapOf(i32, arrow.ListOf(str)), arrow.MapOf(str, arrow.MapOf(i32, point)),
		arrow.SparseUnionOf(members, codes), arrow.DenseUnionOf(members, codes), arrow.ListOf(arrow.DenseUnionOf(members, codes)), arrow.ListOf(arrow.SparseUnionOf(members, codes)),
		dict(arrow.PrimitiveTypes.Int8, str), dict(arrow.PrimitiveTypes.Uint8, i32), dict(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.LargeString),
		dict(arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float64), dict(i32, str), dict(arrow.PrimitiveTypes.Uint32, arrow.FixedWidthTypes.Boolean),
		dict(arrow.PrimitiveTypes.Int64, arrow.ListOf(str)), dict(arrow.PrimitiveTypes.Uint64, point), dict(i32, arrow.MapOf(str, i32)),
		dict(i32, arrow.DenseUnionOf(members, codes)), dict(i32, arrow.SparseUnionOf(members, codes)), dict(i32, arrow.BinaryTypes.StringView),
		dict(i32, arrow.FixedSizeListOf(2, str)), dict(i32, arrow.ListViewOf(str)), dict(i32, dict(arrow.PrimitiveTypes.Int8, str)), dict(i32, arrow.RunEndEncodedOf(i32, str)),
		arrow.ListOf(dict(arrow.PrimitiveTypes.Int16, str)), arrow.StructOf(arrow.Field{Name: "d", Type: dict(arrow.PrimitiveTypes.Int8, str), Nullable: true}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, str), arrow.RunEndEncodedOf(i32, arrow.PrimitiveTypes.Int64), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.ListOf(i32)),
		arrow.ListOf(arrow.RunEndEncodedOf(i32, str)),
		LabelOf(str), LabelOf(arrow.ListOf(point)), LabelOf(dict(arrow.PrimitiveTypes.Int8, str)), arrow.ListOf(LabelOf(i32)),
	}
	return append(FlatTypes(), nested...)
}

// Label is an extension type for tests. It has any storage type and the name "label".
type Label struct{ arrow.ExtensionBase }

// LabelOf returns a Label over storage.
func LabelOf(storage arrow.DataType) *Label {
	return &Label{arrow.ExtensionBase{Storage: storage}}
}

// ArrayType returns LabelArray.
func (*Label) ArrayType() reflect.Type { return reflect.TypeOf(LabelArray{}) }

// ExtensionName returns "label".
func (*Label) ExtensionName() string { return "label" }

// String returns the name with the storage type.
func (l *Label) String() string { return "label<" + l.Storage.String() + ">" }

// ExtensionEquals reports whether o is a Label of the same storage.
func (l *Label) ExtensionEquals(o arrow.ExtensionType) bool {
	x, ok := o.(*Label)
	return ok && arrow.TypeEqual(l.Storage, x.Storage)
}

// Serialize returns "", since a Label has no parameters.
func (*Label) Serialize() string { return "" }

// Deserialize returns a Label of storage.
func (*Label) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return LabelOf(storage), nil
}

// LabelArray is an array of a Label.
type LabelArray struct{ array.ExtensionArrayBase }

// ValueStr returns the text of the stored value.
func (a LabelArray) ValueStr(i int) string { return a.Storage().ValueStr(i) }
