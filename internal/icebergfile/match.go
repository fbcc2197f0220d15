package icebergfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// metaType is metadata of a field whose Arrow type does not tell what it is in an ORC file.
const metaType = "orc.type"

// matched is a file's schema under the names of another, and where that finds its columns.
type matched struct {
	fields  []arrow.Field // of the file, in its order
	columns []int         // of the file, by the fields that are asked for; -1 = it does not have it
	cast    bool          // some type is not Arrow's widened
	times   bool          // some timestamps are decoded to other units than the file's
}

// matcher compares a file with the fields that it is read as.
type matcher struct{ out matched }

// match finds fields in a file with columns own of these ids; shown are the fields in Arrow.
func match(own []arrow.Field, ids IDs, fields []iceberg.Field, shown []arrow.Field) (*matched, error) {
	var m matcher
	var err error
	m.out.fields, m.out.columns, err = m.children(own, ids, fields, shown, "")
	return &m.out, err
}

// children finds fields among the children of a struct.
func (m *matcher) children(own []arrow.Field, ids IDs, fields []iceberg.Field, shown []arrow.Field, path string) ([]arrow.Field, []int, error) {
	names := make(map[string]bool, len(fields))
	byID := make(map[int32]int, len(fields))
	at := make([]int, len(fields))
	for i := range fields {
		names[fields[i].Name], byID[fields[i].ID], at[i] = true, i, -1
	}
	out := slices.Clone(own)
	for i := range own {
		k, ok := byID[ids[i].ID]
		// A column that was of the type unknown may have become any other.
		if ids[i].ID < 0 || !ok || fields[k].Type.Kind == iceberg.Unknown || own[i].Type.ID() == arrow.NULL {
			out[i].Name = unused(names, own[i].Name)
			continue
		}
		f, err := m.field(own[i], ids[i], &fields[k], shown[k], path+own[i].Name)
		if err != nil {
			return nil, nil, err
		}
		out[i], at[k] = f, i
	}
	return out, at, nil
}

// unused returns a name that is none of names, and adds it.
func unused(names map[string]bool, name string) string {
	for n := 0; ; n++ {
		try := fmt.Sprintf("(%s)%d", name, n)
		if !names[try] {
			names[try] = true
			return try
		}
	}
}

// field returns the field of a file as the one that it is found to be: its own types under other names.
func (m *matcher) field(own arrow.Field, id FieldID, f *iceberg.Field, shown arrow.Field, path string) (arrow.Field, error) {
	out := arrow.Field{Name: shown.Name, Type: own.Type, Nullable: shown.Nullable, Metadata: shown.Metadata}
	if err := compare(own, &f.Type, path); err != nil {
		return out, id.explain(err, path)
	}
	switch f.Type.Kind {
	case iceberg.Struct:
		children, _, err := m.children(childrenOf(own.Type), id.Children, f.Type.Fields, childrenOf(shown.Type), path+".")
		if err == nil {
			out.Type = arrow.StructOf(children...)
		}
		return out, err
	case iceberg.List, iceberg.Map:
		children := childrenOf(own.Type)
		for i, c := range children {
			want := &f.Type.Fields[i]
			at := path + "." + want.Name
			if id := id.Children[i].ID; id >= 0 && id != want.ID {
				return out, schemaError(at, errs.ErrSchema, "its id is %d, and %s of %s has %d", id, want.Name, f.Name, want.ID)
			}
			var err error
			if children[i], err = m.field(c, id.Children[i], want, childrenOf(shown.Type)[i], at); err != nil {
				return out, err
			}
		}
		out.Type = iceberg.Nested(f.Type.Kind, children)
	case iceberg.Timestamp, iceberg.TimestampTZ, iceberg.TimestampNS, iceberg.TimestampTZNS:
		if own.Type.ID() == arrow.DATE32 {
			m.out.cast = true
			break
		}
		m.out.times = m.out.times || !arrow.TypeEqual(own.Type, shown.Type)
		out.Type = shown.Type
	case iceberg.UUID, iceberg.Fixed, iceberg.Time:
		m.out.cast = true
	}
	return out, nil
}

// typesOf are the Arrow types that are read as a type of Iceberg's: the one that its writers' files have, what others use for the
// same (Iceberg table specification, "Appendix A: Format-specific Requirements"), and what may be promoted ("Schema Evolution").
var typesOf = map[iceberg.Kind][]arrow.Type{
	iceberg.Boolean:       {arrow.BOOL},
	iceberg.Int:           {arrow.INT32, arrow.INT16, arrow.INT8},
	iceberg.Long:          {arrow.INT64, arrow.INT32},
	iceberg.Float:         {arrow.FLOAT32},
	iceberg.Double:        {arrow.FLOAT64, arrow.FLOAT32},
	iceberg.Decimal:       {arrow.DECIMAL128},
	iceberg.Date:          {arrow.DATE32},
	iceberg.Time:          {arrow.INT64, arrow.TIME64},
	iceberg.Timestamp:     {arrow.TIMESTAMP, arrow.DATE32},
	iceberg.TimestampTZ:   {arrow.TIMESTAMP},
	iceberg.TimestampNS:   {arrow.TIMESTAMP, arrow.DATE32},
	iceberg.TimestampTZNS: {arrow.TIMESTAMP},
	iceberg.String:        {arrow.STRING, arrow.BINARY},
	iceberg.UUID:          {arrow.BINARY, arrow.FIXED_SIZE_BINARY},
	iceberg.Fixed:         {arrow.BINARY, arrow.FIXED_SIZE_BINARY},
	iceberg.Binary:        {arrow.BINARY},
	iceberg.Struct:        {arrow.STRUCT},
	iceberg.List:          {arrow.LIST},
	iceberg.Map:           {arrow.MAP},
}

// attributesOf are those that tell types of Iceberg's apart that ORC has one kind for. What a file does not say fits.
var attributesOf = map[iceberg.Kind]iceberg.Attribute{
	iceberg.Long:          {Key: iceberg.AttrLong, Value: "LONG"},
	iceberg.Time:          {Key: iceberg.AttrLong, Value: "TIME"},
	iceberg.UUID:          {Key: iceberg.AttrBinary, Value: "UUID"},
	iceberg.Fixed:         {Key: iceberg.AttrBinary, Value: "FIXED"},
	iceberg.Binary:        {Key: iceberg.AttrBinary, Value: "BINARY"},
	iceberg.Timestamp:     {Key: iceberg.AttrUnit, Value: "MICROS"},
	iceberg.TimestampTZ:   {Key: iceberg.AttrUnit, Value: "MICROS"},
	iceberg.TimestampNS:   {Key: iceberg.AttrUnit, Value: "NANOS"},
	iceberg.TimestampTZNS: {Key: iceberg.AttrUnit, Value: "NANOS"},
}

// compare checks that a field is read as a type of Iceberg's.
func compare(own arrow.Field, want *iceberg.Type, path string) error {
	fail := func(is string) error {
		return schemaError(path, errs.ErrSchema, "it is %s in the file, which is not promoted to %s", is, want)
	}
	t := own.Type
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	if x, ok := t.(arrow.ExtensionType); ok {
		t = x.StorageType()
	}
	is := t.String()
	stored, told := own.Metadata.GetValue(metaType)
	if told {
		is = stored
	}
	text := strings.HasPrefix(stored, "string") || strings.HasPrefix(stored, "varchar") || strings.HasPrefix(stored, "char")
	switch {
	case want.Kind == iceberg.Map && t.ID() == arrow.LIST && stored == "map":
		return schemaError(path, errs.ErrOption, "maps of Iceberg have no null keys: %w is not for them", errs.Opt("orc-null-keys", "list"))
	case !slices.Contains(typesOf[want.Kind], t.ID()),
		t.ID() == arrow.BINARY && told && text != (want.Kind == iceberg.String),
		t.ID() == arrow.BINARY && !told && want.Kind == iceberg.String,
		t.ID() == arrow.LIST && stored == "map":
		return fail(is)
	}
	if a, ok := attributesOf[want.Kind]; ok {
		if v, there := own.Metadata.GetValue(iceberg.MetaORC + a.Key); there && v != a.Value {
			return fail(is + " of " + a.Key + " " + v)
		}
	}
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		if t.Scale != want.Scale || t.Precision > want.Precision {
			return fail(is)
		}
	case *arrow.TimestampType:
		_, unsaid := own.Metadata.GetValue(arrowmeta.ZoneUnsaid)
		if zoned := want.Kind == iceberg.TimestampTZ || want.Kind == iceberg.TimestampTZNS; !unsaid && zoned != (t.TimeZone != "") {
			return fail(is)
		}
	case *arrow.FixedSizeBinaryType:
		if n := map[bool]int{true: 16, false: int(want.Length)}[want.Kind == iceberg.UUID]; t.ByteWidth != n {
			return fail(is)
		}
	}
	if want.Kind == iceberg.Fixed {
		if v, ok := own.Metadata.GetValue(iceberg.MetaORC + iceberg.AttrLength); ok && v != strconv.Itoa(int(want.Length)) {
			return fail("fixed[" + v + "]")
		}
	}
	return nil
}
