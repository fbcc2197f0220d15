package icebergtable

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// mapper finds the fields of a new table for those of Arrow.
type mapper struct {
	version int // of the format
	refused []string
	nanos   bool // are among what is refused
}

// newFields returns the fields of a new table, with ids. Types that Iceberg does not have are an errs.ErrSchema that lists them all.
func newFields(s *arrow.Schema, version int) ([]iceberg.Field, error) {
	m := mapper{version: version}
	fields := m.fields(s.Fields(), "")
	if len(m.refused) > 0 {
		err := errs.Errorf(errs.ErrSchema, "a table of format version %d has no place for %s", version, strings.Join(m.refused, ", "))
		if m.nanos {
			return nil, errs.Errorf(errs.ErrSchema, "%w; %w cuts those of ORC to microseconds, and a new table of %w keeps nanoseconds", err, errs.Opt("timestamp-unit", "us"), errs.Opt(optionVersion, "3"))
		}
		return nil, err
	}
	if len(fields) == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "a table needs a column")
	}
	return fields, iceberg.AssignIDs(fields)
}

func (m *mapper) refuse(path, why string) { m.refused = append(m.refused, path+" ("+why+")") }

func (m *mapper) fields(in []arrow.Field, path string) []iceberg.Field {
	seen := map[string]bool{}
	out := make([]iceberg.Field, len(in))
	for i, f := range in {
		at := path + f.Name
		switch {
		case f.Name == "":
			m.refuse("a column", "it has no name")
		case seen[f.Name]:
			m.refuse(at, "two columns have this name")
		}
		seen[f.Name] = true
		out[i] = m.field(f, f.Name, at)
	}
	return out
}

func (m *mapper) field(f arrow.Field, name, path string) iceberg.Field {
	return iceberg.Field{ID: iceberg.NoID, Name: name, Required: !f.Nullable && f.Type.ID() != arrow.NULL, Type: m.typeOf(f, path)}
}

var flatKinds = map[arrow.Type]iceberg.Kind{
	arrow.BOOL: iceberg.Boolean, arrow.INT8: iceberg.Int, arrow.INT16: iceberg.Int, arrow.INT32: iceberg.Int, arrow.UINT8: iceberg.Int, arrow.UINT16: iceberg.Int,
	arrow.UINT32: iceberg.Long, arrow.INT64: iceberg.Long, arrow.FLOAT16: iceberg.Float, arrow.FLOAT32: iceberg.Float, arrow.FLOAT64: iceberg.Double,
	arrow.DATE32: iceberg.Date, arrow.DATE64: iceberg.Date, arrow.TIME32: iceberg.Time,
	arrow.STRING: iceberg.String, arrow.LARGE_STRING: iceberg.String, arrow.STRING_VIEW: iceberg.String,
	arrow.BINARY: iceberg.Binary, arrow.LARGE_BINARY: iceberg.Binary, arrow.BINARY_VIEW: iceberg.Binary,
}

// maxUint64Digits is how many digits an unsigned number of 64 bits may have.
const maxUint64Digits = 20

// typeOf finds the type of Iceberg's.
func (m *mapper) typeOf(f arrow.Field, path string) (out iceberg.Type) {
	t := arrowtype.Value(f.Type)
	if k, ok := flatKinds[t.ID()]; ok {
		return iceberg.Type{Kind: k}
	}
	switch t := t.(type) {
	case *arrow.NullType:
		if m.version < 3 {
			m.refuse(path, "null: the type unknown is from format version 3 on")
		}
		return iceberg.Type{Kind: iceberg.Unknown}
	case *arrow.Uint64Type:
		return iceberg.Type{Kind: iceberg.Decimal, Precision: maxUint64Digits}
	case *arrow.Decimal128Type:
		if t.Precision < 1 || t.Precision > 38 || t.Scale < 0 || t.Scale > t.Precision {
			m.refuse(path, t.String())
		}
		return iceberg.Type{Kind: iceberg.Decimal, Precision: t.Precision, Scale: t.Scale}
	case *arrow.Time64Type:
		if t.Unit != arrow.Microsecond {
			m.refuse(path, t.String()+": its times are in microseconds")
		}
		return iceberg.Type{Kind: iceberg.Time}
	case *arrow.TimestampType:
		out.Kind = iceberg.Timestamp
		if t.Unit == arrow.Nanosecond {
			if m.version < 3 {
				m.refuse(path, t.String()+": nanoseconds are from format version 3 on")
				m.nanos = true
			}
			out.Kind = iceberg.TimestampNS
		}
		if t.TimeZone != "" {
			out.Kind++ // those with a zone
		}
		return out
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == 16 && isUUID(f) {
			return iceberg.Type{Kind: iceberg.UUID}
		}
		if t.ByteWidth < 1 {
			m.refuse(path, t.String())
		}
		return iceberg.Type{Kind: iceberg.Fixed, Length: int32(t.ByteWidth)}
	case *arrow.StructType:
		if t.NumFields() == 0 {
			m.refuse(path, "a struct without fields")
		}
		return iceberg.Type{Kind: iceberg.Struct, Fields: m.fields(t.Fields(), path+".")}
	case *arrow.MapType:
		m.refuseNull(t.ItemField(), path+"."+iceberg.ValueName)
		key, item := t.KeyField(), t.ItemField()
		key.Nullable = false
		return iceberg.Type{Kind: iceberg.Map, Fields: []iceberg.Field{
			m.field(key, iceberg.KeyName, path+"."+iceberg.KeyName), m.field(item, iceberg.ValueName, path+"."+iceberg.ValueName),
		}}
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		elem := t.(arrow.ListLikeType).ElemField()
		m.refuseNull(elem, path+"."+iceberg.ElementName)
		return iceberg.Type{Kind: iceberg.List, Fields: []iceberg.Field{m.field(elem, iceberg.ElementName, path+"."+iceberg.ElementName)}}
	}
	m.refuse(path, t.String())
	return out
}

// refuseNull refuses values of lists and maps that are all null: files do not have columns of the type unknown, and a list needs its elements.
func (m *mapper) refuseNull(f arrow.Field, path string) {
	if m.version >= 3 && f.Type.ID() == arrow.NULL {
		m.refuse(path, "null: lists and maps need values of a type, which --schema can give them")
	}
}

func isUUID(f arrow.Field) bool {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		return e.ExtensionName() == iceberg.ExtensionUUID
	}
	name, _ := f.Metadata.GetValue(iceberg.MetaExtension)
	return name == iceberg.ExtensionUUID
}
