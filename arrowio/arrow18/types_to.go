package arrow18

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	endian18 "github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow/go/v15/arrow"
)

// ToSchema returns a schema of v15 as one of v18.
func ToSchema(s *arrow.Schema) (*arrow18.Schema, error) {
	fields, err := toFields(s.Fields())
	if err != nil {
		return nil, err
	}
	md := toMetadata(s.Metadata())
	return arrow18.NewSchemaWithEndian(fields, &md, endian18.Endianness(s.Endianness())), nil
}

// ToField returns a field of v15 as one of v18.
func ToField(f arrow.Field) (arrow18.Field, error) {
	out := arrow18.Field{Name: f.Name, Nullable: f.Nullable, Metadata: toMetadata(f.Metadata)}
	var err error
	if out.Type, err = ToType(f.Type); err != nil {
		return arrow18.Field{}, inField(f.Name, err)
	}
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		if out.Type.ID() != arrow18.EXTENSION {
			keys, values := keysOf(f.Metadata.Keys(), f.Metadata.Values())
			out.Metadata = arrow18.NewMetadata(
				append(keys, ExtensionNameKey, ExtensionMetadataKey),
				append(values, e.ExtensionName(), e.Serialize()))
		}
		return out, nil
	}
	if name, ok := f.Metadata.GetValue(ExtensionNameKey); ok {
		data, _ := f.Metadata.GetValue(ExtensionMetadataKey)
		if e := arrow18.GetExtensionType(name); e != nil {
			if t, err := e.Deserialize(out.Type, data); err == nil {
				out.Type, out.Metadata = t, arrow18.NewMetadata(keysOf(f.Metadata.Keys(), f.Metadata.Values()))
			}
		}
	}
	return out, nil
}

func toFields(fields []arrow.Field) (out []arrow18.Field, err error) {
	out = make([]arrow18.Field, len(fields))
	for i, f := range fields {
		if out[i], err = ToField(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func toMetadata(md arrow.Metadata) arrow18.Metadata {
	if md.Len() == 0 {
		return arrow18.Metadata{}
	}
	return arrow18.NewMetadata(md.Keys(), md.Values())
}

// ToType returns a type of v15 as one of v18. An extension type that is not registered with v18 becomes its storage type;
// ToField keeps its name and parameters in the metadata of the field.
func ToType(t arrow.DataType) (arrow18.DataType, error) {
	if t == nil {
		return nil, errNoType
	}
	if id := int(t.ID()); id < len(simple) && simple[id].v18 != nil {
		return simple[id].v18, nil
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		return &arrow18.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *arrow.TimestampType:
		return &arrow18.TimestampType{Unit: arrow18.TimeUnit(t.Unit), TimeZone: t.TimeZone}, nil
	case *arrow.Time32Type:
		return &arrow18.Time32Type{Unit: arrow18.TimeUnit(t.Unit)}, nil
	case *arrow.Time64Type:
		return &arrow18.Time64Type{Unit: arrow18.TimeUnit(t.Unit)}, nil
	case *arrow.DurationType:
		return &arrow18.DurationType{Unit: arrow18.TimeUnit(t.Unit)}, nil
	case *arrow.Decimal128Type:
		return &arrow18.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow.Decimal256Type:
		return &arrow18.Decimal256Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow.DictionaryType:
		index, err := ToType(t.IndexType)
		if err != nil {
			return nil, err
		}
		value, err := toValueType(t.ValueType, "a dictionary's values")
		if err != nil {
			return nil, err
		}
		return &arrow18.DictionaryType{IndexType: index, ValueType: value, Ordered: t.Ordered}, nil
	case *arrow.RunEndEncodedType:
		ends, err := ToType(t.RunEnds())
		if err != nil {
			return nil, err
		}
		value, err := toValueType(t.Encoded(), "run-end encoded values")
		if err != nil {
			return nil, err
		}
		out := arrow18.RunEndEncodedOf(ends, value)
		out.ValueNullable = t.ValueNullable
		return out, nil
	case arrow.ExtensionType:
		storage, err := ToType(t.StorageType())
		if err != nil {
			return nil, err
		}
		if e := arrow18.GetExtensionType(t.ExtensionName()); e != nil {
			if out, err := e.Deserialize(storage, t.Serialize()); err == nil {
				return out, nil
			}
		}
		return storage, nil
	case arrow.NestedType:
		return toNested(t)
	}
	return nil, noSuchType(t, 18)
}

// toValueType is ToType where no field can keep an extension.
func toValueType(t arrow.DataType, where string) (arrow18.DataType, error) {
	out, err := ToType(t)
	if e, ok := t.(arrow.ExtensionType); ok && err == nil && out.ID() != arrow18.EXTENSION {
		return nil, unknownExtension(e.ExtensionName(), where, 18)
	}
	return out, err
}

func toNested(t arrow.NestedType) (arrow18.DataType, error) {
	if m, ok := t.(*arrow.MapType); ok {
		key, err := ToField(m.KeyField())
		if err != nil {
			return nil, err
		}
		item, err := ToField(m.ItemField())
		if err != nil {
			return nil, err
		}
		key.Nullable = false
		out := arrow18.MapOfFields(key, item)
		out.KeysSorted = m.KeysSorted
		return out, nil
	}
	f, err := toFields(t.Fields())
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *arrow.StructType:
		return arrow18.StructOf(f...), nil
	case *arrow.ListType:
		return arrow18.ListOfField(f[0]), nil
	case *arrow.LargeListType:
		return arrow18.LargeListOfField(f[0]), nil
	case *arrow.FixedSizeListType:
		return arrow18.FixedSizeListOfField(t.Len(), f[0]), nil
	case *arrow.ListViewType:
		return arrow18.ListViewOfField(f[0]), nil
	case *arrow.LargeListViewType:
		return arrow18.LargeListViewOfField(f[0]), nil
	case arrow.UnionType:
		if repeated(t.TypeCodes()) {
			return nil, errUnionCodes
		}
		return arrow18.UnionOf(arrow18.UnionMode(t.Mode()), f, t.TypeCodes()), nil
	}
	return nil, noSuchType(t, 18)
}

func repeated(codes []int8) bool {
	var seen [256]bool
	for _, c := range codes {
		if seen[uint8(c)] {
			return true
		}
		seen[uint8(c)] = true
	}
	return false
}
