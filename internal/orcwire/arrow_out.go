package orcwire

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// OutOptions are what TypesFromArrow goes by.
type OutOptions struct {
	Limits errs.Limits // Columns and Depth, so that what is written can be read; 0 = their defaults
}

// OutColumn says what becomes of one Arrow field.
type OutColumn struct {
	Path    string // as Type.Path gives it; "" is the schema itself
	Type    string // Arrow's type; of nested ones the name alone, as their children have entries of their own
	Stored  string // ORC's, likewise
	ID      int    // of the ORC type
	Loss    string // what reading back will not show, "" = nothing
	Refusal string // why it cannot be written, "" = it can
}

// TypesFromArrow maps an Arrow schema to the types of a file and the user's metadata, the reverse of Schema: what that
// gives becomes the types that it was made from again. Types of decimals of Hive 0.11, which had no precision, are the
// exception: they have that of Type.DecimalType.
//
// The types are by id, in pre-order. The tree is parallel to the schema, with a root struct above it, but for these: a
// field with MetaRoot is itself the root; a list of structs with MetaType "map" is a map, whose children are those of
// the struct; and an extension type, a dictionary and run ends are what they hold.
//
// columns has an entry for each ORC type but the root struct, depth first. Its losses are of the field alone: all fields
// come back as nullable, but unions and keys of maps, and that is not said there, nor what becomes of the metadata of the
// schema. What lists, and maps, call their items is not kept and not told.
//
// Fields that cannot be written make an errs.ErrSchema that names them all; columns is complete then too. More
// columns than Limits.Columns are errs.ErrLimit.
func TypesFromArrow(s *arrow.Schema, o OutOptions) (types []*Type, columns []OutColumn, metadata []KeyValue, err error) {
	out := typesOut{lim: o.Limits.WithDefaults()}
	fields := s.Fields()
	wholeRow := len(fields) == 1 && isRoot(fields[0])
	user, attributes := userMetadata(s.Metadata(), !wholeRow)
	out.systems = &systems{user: user, left: mostProjJSON}
	if wholeRow {
		out.field(fields[0], nil, 0)
		if n := fields[0].Name; n != RootName {
			out.lose(0, "comes back with the name "+RootName)
		}
	} else {
		root := out.add(nil)
		root.Kind, root.Attributes = Struct, attributes
		out.fields(root, fields, 0)
	}
	for _, kv := range user {
		metadata = append(metadata, KeyValue(kv))
	}
	if len(out.types)-1 > out.lim.Columns {
		return nil, nil, nil, errs.Errorf(errs.ErrLimit, "more columns than the limit Columns = %d", out.lim.Columns)
	}
	columns, refused := out.finish()
	if len(refused) > 0 {
		return nil, columns, nil, errs.Errorf(errs.ErrSchema, "orc has no place for %s", strings.Join(refused, ", "))
	}
	return out.types, columns, metadata, nil
}

// isRoot reports whether the one field of a schema is the root of the types.
func isRoot(f arrow.Field) bool {
	v, _ := f.Metadata.GetValue(MetaRoot)
	return v == "true" && arrowtype.Value(f.Type).ID() != arrow.STRUCT
}

// typesOut makes types of fields.
type typesOut struct {
	lim     errs.Limits
	types   []*Type
	columns []OutColumn
	losses  [][]string // by column
	systems *systems   // of the file, once it is written
}

func (o *typesOut) add(parent *Type) *Type {
	t := &Type{ID: len(o.types), Last: len(o.types), Parent: parent}
	o.types = append(o.types, t)
	if parent != nil {
		parent.Children = append(parent.Children, t)
	}
	return t
}

// fields adds the children of a struct at a depth.
func (o *typesOut) fields(t *Type, fields []arrow.Field, depth int) {
	t.Names = make([]string, 0, len(fields))
	for _, f := range fields {
		t.Names = append(t.Names, f.Name)
		o.field(f, t, depth+1)
	}
	if len(t.Names) == 0 {
		t.Names = nil // as it is read
	}
	t.Last = len(o.types) - 1
}

// field adds the type of a field at a depth, and those below it.
func (o *typesOut) field(f arrow.Field, parent *Type, depth int) {
	if len(o.types) > o.lim.Columns+1 {
		return // it is over the limit already
	}
	t := o.add(parent)
	at := len(o.columns)
	o.columns = append(o.columns, OutColumn{Type: f.Type.String(), ID: t.ID})
	o.losses = append(o.losses, nil)
	if parent != nil && parent.Kind == Struct {
		switch {
		case !utf8.ValidString(f.Name):
			o.columns[at].Refusal = "the name is not UTF-8"
			return
		case f.Name == "":
			o.lose(at, "Java's reader refuses the empty name")
		}
	}
	if depth > o.lim.Depth {
		o.columns[at].Refusal = fmt.Sprintf("nested deeper than the limit Depth = %d", o.lim.Depth)
		return
	}
	x := newFieldOut(f)
	if nested, ok := x.inner.(arrow.NestedType); ok {
		o.columns[at].Refusal = o.nested(t, nested, x, at, depth)
	} else {
		o.columns[at].Refusal = x.scalar(t)
	}
	o.columns[at].Stored = t.Kind.String()
	if !t.Kind.Compound() {
		o.columns[at].Stored = t.String()
	}
	if o.columns[at].Refusal == "" {
		x.attributes(t)
		o.lose(at, x.losses(t, o.systems, parent == nil)...)
	}
	t.Last = len(o.types) - 1
}

func (o *typesOut) lose(column int, texts ...string) {
	o.losses[column] = append(o.losses[column], texts...)
}

// nested makes t a type with children. It returns why it cannot.
func (o *typesOut) nested(t *Type, typ arrow.NestedType, x *fieldOut, column, depth int) (refusal string) {
	o.columns[column].Type = x.field.Type.Name()
	switch typ := typ.(type) {
	case *arrow.StructType:
		t.Kind = Struct
		o.fields(t, typ.Fields(), depth)
	case *arrow.MapType:
		t.Kind = Map
		o.field(typ.KeyField(), t, depth+1)
		o.field(typ.ItemField(), t, depth+1)
		if typ.KeysSorted {
			o.lose(column, "that keys are sorted is not kept")
		}
	case arrow.ListLikeType:
		if entry := mapEntry(typ, x); entry != nil {
			t.Kind = Map
			o.field(entry.Field(0), t, depth+1)
			o.field(entry.Field(1), t, depth+1)
			break
		}
		t.Kind = List
		o.field(typ.ElemField(), t, depth+1)
	case arrow.UnionType:
		t.Kind = Union
		for _, f := range typ.Fields() {
			o.field(f, t, depth+1)
		}
		if n := len(typ.Fields()); n == 0 || n > maxUnion {
			return fmt.Sprintf("a union of %d children, not 1 to %d", n, maxUnion)
		}
	default:
		return "no type of ORC has such children"
	}
	return ""
}

// mapEntry returns the struct of a list that was a map; nil if the list was none.
func mapEntry(typ arrow.ListLikeType, x *fieldOut) *arrow.StructType {
	entry, ok := typ.Elem().(*arrow.StructType)
	if x.orcType != Map.String() || !ok || len(entry.Fields()) != 2 {
		return nil
	}
	return entry
}

// userMetadata returns the user's metadata, and the attributes of the root if that is a struct.
func userMetadata(md arrow.Metadata, rootStruct bool) (user []arrowmeta.Pair, attributes []Attribute) {
	var keys, values []string
	for i, k := range md.Keys() {
		if key, ok := strings.CutPrefix(k, MetaAttribute); ok && rootStruct && utf8.ValidString(key) && utf8.ValidString(md.Values()[i]) {
			attributes = append(attributes, Attribute{Key: key, Value: md.Values()[i]})
		} else {
			keys, values = append(keys, k), append(values, md.Values()[i])
		}
	}
	return arrowmeta.Store(arrow.NewMetadata(keys, values), MetaPrefix, nil), attributes
}

// finish completes the columns. It returns those that cannot be written as texts.
func (o *typesOut) finish() (columns []OutColumn, refused []string) {
	for i := range o.columns {
		c := &o.columns[i]
		c.Path = o.types[c.ID].Path()
		if c.Refusal != "" {
			refused = append(refused, c.Path+" ("+c.Type+": "+c.Refusal+")")
			c.Stored = ""
			continue
		}
		c.Loss = strings.Join(o.losses[i], "; ")
	}
	return o.columns, refused
}

// fieldOut is a field whose type is being made.
type fieldOut struct {
	field     arrow.Field
	inner     arrow.DataType // what is stored
	dict      bool
	orcType   string // MetaType
	extension string // the name of its type, that of unregistered ones too
	extData   string
	shown     arrow.Metadata // as it comes back
	note      string         // how the type that comes back stands to the field's
}

func newFieldOut(f arrow.Field) *fieldOut {
	x := &fieldOut{field: f, inner: arrowtype.Value(f.Type)}
	x.orcType, _ = f.Metadata.GetValue(MetaType)
	x.extension, _ = f.Metadata.GetValue(metaExtension)
	x.extData, _ = f.Metadata.GetValue(metaExtensionData)
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		x.extension, x.extData = e.ExtensionName(), e.Serialize()
	}
	_, x.dict = f.Type.(*arrow.DictionaryType)
	return x
}

// outScalars are the Arrow types that map to one kind each. note says of values what the type that comes back does not.
var outScalars = map[arrow.Type]struct {
	kind Kind
	note string
}{
	arrow.NULL:            {Boolean, ""}, // ORC has no type without values; any will do
	arrow.BOOL:            {Boolean, ""},
	arrow.INT8:            {Byte, ""},
	arrow.INT16:           {Short, ""},
	arrow.INT32:           {Int, ""},
	arrow.INT64:           {Long, ""},
	arrow.UINT8:           {Short, ""},
	arrow.UINT16:          {Int, ""},
	arrow.UINT32:          {Long, ""},
	arrow.UINT64:          {Long, ""},
	arrow.FLOAT16:         {Float, ""},
	arrow.FLOAT32:         {Float, ""},
	arrow.FLOAT64:         {Double, ""},
	arrow.DATE32:          {Date, ""},
	arrow.DATE64:          {Date, ""},
	arrow.INTERVAL_MONTHS: {Int, ", the number of months"},
}

var unitNames = map[arrow.TimeUnit]string{
	arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds",
}

// scalar makes t a type without children. It returns why it cannot.
func (x *fieldOut) scalar(t *Type) (refusal string) {
	if s, ok := outScalars[x.inner.ID()]; ok {
		t.Kind, x.note = s.kind, s.note
		return ""
	}
	switch typ := x.inner.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		x.bytes(t, String)
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		x.bytes(t, Binary)
	case *arrow.TimestampType:
		x.timestamp(t, typ)
	case *arrow.Time32Type:
		t.Kind, x.note = Int, ", the "+unitNames[typ.Unit]+" since midnight"
	case *arrow.Time64Type:
		t.Kind, x.note = Long, ", the "+unitNames[typ.Unit]+" since midnight"
	case *arrow.DurationType:
		t.Kind, x.note = Long, ", the number of "+unitNames[typ.Unit]
	case arrow.DecimalType:
		return decimalOut(t, typ)
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return "an interval in several units"
	default:
		return "no type of ORC holds it"
	}
	return ""
}

// bytes makes t a type of strings or binary: what the metadata says, else kind.
func (x *fieldOut) bytes(t *Type, kind Kind) {
	t.Kind = kind
	switch {
	case parseBytesType(t, x.orcType, kind):
	case kind == Binary && x.extension == geoarrow.Name:
		geoType(t, x.extData)
	}
	text := t.Kind == String || t.Kind == Char || t.Kind == Varchar
	switch {
	case text && kind == Binary:
		x.note = " unless --orc-strings=binary is given"
	case text && x.dict:
		x.note = " unless --dictionary is given"
	}
}

// timestamp keeps the instant, or the wall clock where there is no zone.
func (x *fieldOut) timestamp(t *Type, typ *arrow.TimestampType) {
	t.Kind = Timestamp
	if typ.TimeZone != "" {
		t.Kind = TimestampInstant
	}
	if typ.Unit != arrow.Nanosecond {
		far := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: typ.TimeZone}
		if typ.TimeZone != "" {
			far.TimeZone = "UTC"
		}
		x.note = ", or as " + far.String() + " if there are times before 1677 or after 2262 (Go, Flight and Python: with --timestamp-unit=us)"
		if typ.Unit != arrow.Microsecond {
			x.note += ", and times beyond the years -290308 to 294247 need --timestamp-unit=" + typ.Unit.String()
		}
	}
	if typ.TimeZone != "" && typ.TimeZone != "UTC" {
		x.note += "; the same instants, zone UTC instead of " + typ.TimeZone
	}
}

func decimalOut(t *Type, typ arrow.DecimalType) (refusal string) {
	p, s := typ.GetPrecision(), typ.GetScale()
	switch {
	case s < 0:
		return "the scale is negative"
	case p < 1 || p > 38 || s > 38:
		return "more than 38 digits"
	}
	t.Kind, t.Precision, t.Scale = Decimal, uint32(max(p, s)), uint32(s)
	return ""
}

// parseBytesType makes t what the text says if that can hold values of kind, String or Binary.
func parseBytesType(t *Type, text string, kind Kind) bool {
	word, args, has := strings.Cut(text, "(")
	if has {
		var whole bool
		if args, whole = strings.CutSuffix(args, ")"); !whole {
			return false
		}
	}
	switch word {
	case "string", "binary":
		if has {
			return false
		}
		t.Kind = String
		if word == "binary" {
			t.Kind = Binary
		}
		return true
	case "varchar", "char":
		n, err := strconv.ParseUint(args, 10, 32)
		if has && (err != nil || n == 0 || n > math.MaxInt32) {
			return false
		}
		t.Kind, t.MaxLength = Varchar, uint32(n)
		if word == "char" {
			t.Kind = Char
		}
		return true
	}
	if kind != Binary {
		return false
	}
	switch word {
	case "geometry":
		t.Kind, t.CRS = Geometry, args
		return true
	case "geography":
		i := strings.LastIndexByte(args, ',') // systems may have commas, algorithms have none
		edges := slices.Index(geoarrow.Algorithms[:], args[i+1:])
		if has && (i < 0 || edges < 0) {
			return false
		}
		t.Kind = Geography
		if has {
			t.CRS, t.EdgeAlgorithm = args[:i], uint8(edges)
		}
		return true
	}
	return false
}

// attributes gives t the attributes that the field's metadata keeps.
func (x *fieldOut) attributes(t *Type) {
	md := arrowmeta.OfField(x.field)
	add := func(k, v string) {
		if _, twice := t.Attribute(k); !twice {
			t.Attributes = append(t.Attributes, Attribute{Key: k, Value: v})
		}
	}
	foreign := func(k, v string) {
		if k, v, ok := arrowmeta.StoreField(k, v); ok {
			add(k, v)
		}
	}
	for i, k := range md.Keys() {
		v := md.Values()[i]
		key, ours := strings.CutPrefix(k, MetaPrefix)
		if k == MetaAttribute+"type" || k == MetaAttribute+"root" {
			key, ours = strings.TrimPrefix(k, MetaAttribute), true
		}
		switch {
		case k == MetaRoot || k == MetaType || k == MetaFieldID || geographic(t) && (k == metaExtension || k == metaExtensionData):
			// the type tells, or what follows
		case ours && utf8.ValidString(key) && utf8.ValidString(v):
			add(key, v)
		default:
			foreign(k, v)
		}
	}
	if v, ok := md.GetValue(MetaFieldID); ok {
		_, has := t.Attribute(icebergID)
		switch _, err := strconv.ParseInt(v, 10, 32); {
		case err != nil:
			foreign(MetaFieldID, v)
		case !has:
			add(icebergID, v)
		}
	}
}

func geographic(t *Type) bool { return t.Kind == Geometry || t.Kind == Geography }

// losses says what reading the field back with the usual options does not show. s are those of the file.
func (x *fieldOut) losses(t *Type, s *systems, root bool) (texts []string) {
	t = s.resolved(t)
	was := x.field.Type
	var back arrow.DataType
	var orcType string
	if !t.Kind.Compound() {
		back, orcType = scalarType(t, ArrowOptions{TimestampUnit: arrow.Nanosecond})
	}
	geo := geographic(t)
	if x.shown = fieldMetadata(t, orcType); !geo && x.extension != "" {
		kept := len(schemadiff.Keys(extensionKeys(arrowmeta.OfField(x.field)), x.shown)) == 0
		for e, ok := was.(arrow.ExtensionType); ok && kept; e, ok = was.(arrow.ExtensionType) {
			was = e.StorageType()
		}
	}
	if e, ok := was.(arrow.ExtensionType); ok && geo {
		was = e.StorageType() // the field's metadata tells the type
	}
	switch {
	case back != nil && !arrow.TypeEqual(back, was):
		texts = append(texts, "comes back as "+back.String()+x.note)
	case t.Kind == Map && was.ID() != arrow.MAP:
		text := "comes back as map"
		if was.ID() == arrow.LIST {
			text += " unless --orc-null-keys=list is given"
		}
		texts = append(texts, text)
	case t.Kind == List && was.ID() != arrow.LIST:
		texts = append(texts, "comes back as list")
	case t.Kind == Struct && was.ID() != arrow.STRUCT:
		texts = append(texts, "comes back as struct")
	case t.Kind == Union && !plainUnion(was):
		texts = append(texts, "comes back as dense_union, its children named by their positions")
	}
	if geo && x.extension == geoarrow.Name && !geoarrow.SameJSON(geoMetadata(t), x.extData) {
		texts = append(texts, "its extension's metadata comes back "+geoComesBack(geoMetadata(t), x.extData))
	}
	lost := slices.DeleteFunc(schemadiff.Keys(x.field.Metadata, x.shown), func(k string) bool {
		return k == metaExtensionData && geo && x.extension == geoarrow.Name || k == MetaRoot && root
	})
	if len(lost) > 0 {
		texts = append(texts, schemadiff.WithoutMetadata(lost))
	}
	return texts
}

// extensionKeys returns the metadata that tell an extension type.
func extensionKeys(md arrow.Metadata) arrow.Metadata {
	name, _ := md.GetValue(metaExtension)
	data, _ := md.GetValue(metaExtensionData)
	return arrow.NewMetadata([]string{metaExtension, metaExtensionData}, []string{name, data})
}

// plainUnion reports whether a union is as one of ORC is read.
func plainUnion(t arrow.DataType) bool {
	u, ok := t.(*arrow.DenseUnionType)
	if !ok {
		return false
	}
	for i, f := range u.Fields() {
		if f.Name != unionName(i) || int(u.TypeCodes()[i]) != i {
			return false
		}
	}
	return true
}
