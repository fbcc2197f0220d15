package arrow18

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	extensions18 "github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/endian"
)

// FromSchema returns a schema of v18 as one of v15.
func FromSchema(s *arrow18.Schema) (*arrow.Schema, error) {
	fields, err := fromFields(s.Fields())
	if err != nil {
		return nil, err
	}
	md := fromMetadata(s.Metadata())
	return arrow.NewSchemaWithEndian(fields, &md, endian.Endianness(s.Endianness())), nil
}

// FromField returns a field of v18 as one of v15.
func FromField(f arrow18.Field) (arrow.Field, error) {
	out := arrow.Field{Name: f.Name, Nullable: f.Nullable, Metadata: fromMetadata(f.Metadata)}
	var err error
	if out.Type, err = FromType(f.Type); err != nil {
		return arrow.Field{}, inField(f.Name, err)
	}
	if e, ok := f.Type.(arrow18.ExtensionType); ok {
		if out.Type.ID() != arrow.EXTENSION {
			keys, values := keysOf(f.Metadata.Keys(), f.Metadata.Values())
			out.Metadata = arrow.NewMetadata(
				append(keys, ExtensionNameKey, ExtensionMetadataKey),
				append(values, e.ExtensionName(), e.Serialize()))
		}
		return out, nil
	}
	if name, ok := f.Metadata.GetValue(ExtensionNameKey); ok {
		data, _ := f.Metadata.GetValue(ExtensionMetadataKey)
		if e := arrow.GetExtensionType(name); e != nil {
			if t, err := e.Deserialize(out.Type, data); err == nil {
				out.Type, out.Metadata = t, arrow.NewMetadata(keysOf(f.Metadata.Keys(), f.Metadata.Values()))
			}
		}
	}
	return out, nil
}

func fromFields(fields []arrow18.Field) (out []arrow.Field, err error) {
	out = make([]arrow.Field, len(fields))
	for i, f := range fields {
		if out[i], err = FromField(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func fromMetadata(md arrow18.Metadata) arrow.Metadata {
	if md.Len() == 0 {
		return arrow.Metadata{}
	}
	return arrow.NewMetadata(md.Keys(), md.Values())
}

// FromType returns a type of v18 as one of v15. An extension type that is not registered with v15 becomes its storage type;
// FromField keeps its name and parameters in the metadata of the field.
func FromType(t arrow18.DataType) (arrow.DataType, error) {
	if t == nil {
		return nil, errNoType
	}
	if id := int(t.ID()); id < len(simple) && simple[id].v15 != nil {
		return simple[id].v15, nil
	}
	switch t := t.(type) {
	case *arrow18.FixedSizeBinaryType:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.ByteWidth}, nil
	case *arrow18.TimestampType:
		return &arrow.TimestampType{Unit: arrow.TimeUnit(t.Unit), TimeZone: t.TimeZone}, nil
	case *arrow18.Time32Type:
		return &arrow.Time32Type{Unit: arrow.TimeUnit(t.Unit)}, nil
	case *arrow18.Time64Type:
		return &arrow.Time64Type{Unit: arrow.TimeUnit(t.Unit)}, nil
	case *arrow18.DurationType:
		return &arrow.DurationType{Unit: arrow.TimeUnit(t.Unit)}, nil
	case *arrow18.Decimal128Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow18.Decimal256Type:
		return &arrow.Decimal256Type{Precision: t.Precision, Scale: t.Scale}, nil
	case *arrow18.DictionaryType:
		index, err := FromType(t.IndexType)
		if err != nil {
			return nil, err
		}
		value, err := fromValueType(t.ValueType, "a dictionary's values")
		if err != nil {
			return nil, err
		}
		return &arrow.DictionaryType{IndexType: index, ValueType: value, Ordered: t.Ordered}, nil
	case *arrow18.RunEndEncodedType:
		ends, err := FromType(t.RunEnds())
		if err != nil {
			return nil, err
		}
		value, err := fromValueType(t.Encoded(), "run-end encoded values")
		if err != nil {
			return nil, err
		}
		out := arrow.RunEndEncodedOf(ends, value)
		out.ValueNullable = t.ValueNullable
		return out, nil
	case arrow18.ExtensionType:
		if extensions18.IsVariantExtensionName(t.ExtensionName()) {
			return nil, noSuchType(t, 15)
		}
		storage, err := FromType(t.StorageType())
		if err != nil {
			return nil, err
		}
		if e := arrow.GetExtensionType(t.ExtensionName()); e != nil {
			if out, err := e.Deserialize(storage, t.Serialize()); err == nil {
				return out, nil
			}
		}
		return storage, nil
	case arrow18.NestedType:
		return fromNested(t)
	}
	return nil, noSuchType(t, 15)
}

// fromValueType is FromType where no field can keep an extension.
func fromValueType(t arrow18.DataType, where string) (arrow.DataType, error) {
	out, err := FromType(t)
	if e, ok := t.(arrow18.ExtensionType); ok && err == nil && out.ID() != arrow.EXTENSION {
		return nil, unknownExtension(e.ExtensionName(), where, 15)
	}
	return out, err
}

func fromNested(t arrow18.NestedType) (arrow.DataType, error) {
	if m, ok := t.(*arrow18.MapType); ok {
		key, err := FromField(m.KeyField())
		if err != nil {
			return nil, err
		}
		item, err := FromField(m.ItemField())
		if err != nil {
			return nil, err
		}
		out := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
		out.SetItemNullable(item.Nullable)
		out.KeysSorted = m.KeysSorted
		return out, nil
	}
	f, err := fromFields(t.Fields())
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *arrow18.StructType:
		return arrow.StructOf(f...), nil
	case *arrow18.ListType:
		return arrow.ListOfField(f[0]), nil
	case *arrow18.LargeListType:
		return arrow.LargeListOfField(f[0]), nil
	case *arrow18.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), f[0]), nil
	case *arrow18.ListViewType:
		return arrow.ListViewOfField(f[0]), nil
	case *arrow18.LargeListViewType:
		return arrow.LargeListViewOfField(f[0]), nil
	case arrow18.UnionType:
		if repeated(t.TypeCodes()) {
			return nil, errUnionCodes
		}
		return arrow.UnionOf(arrow.UnionMode(t.Mode()), f, t.TypeCodes()), nil
	}
	return nil, noSuchType(t, 15)
}
