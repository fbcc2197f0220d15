package trevniwire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Mapping says what becomes of one Arrow field in Avro.
type Mapping struct {
	Path, Type, Stored, Loss string
}

// AvroOf derives the Avro schema that holds data of an Arrow schema, one mapping a leaf field with what is lost.
// Types that Avro has no place for make an ErrSchema that names every such field. The schema keeps the fields' metadata that columns of
// Trevni do not keep: see Foreign.
func AvroOf(s *arrow.Schema) (*Avro, []Mapping, error) { return AvroFor(s, AvroOptions{}) }

// AvroOptions say how an Avro schema is derived.
type AvroOptions struct {
	Foreign func(key string) bool // which keys of the metadata of fields the schema keeps; nil = Foreign
	Micros  bool                  // timestamps in nanoseconds become timestamp-micros, which all versions of Avro know
}

// AvroFor is AvroOf with options.
func AvroFor(s *arrow.Schema, o AvroOptions) (*Avro, []Mapping, error) {
	if o.Foreign == nil {
		o.Foreign = Foreign
	}
	d := avroDeriver{names: map[string]bool{}, foreign: o.Foreign, micros: o.Micros}
	for word := range avroPrimitives {
		d.names[word] = true // Avro refuses types of these names
	}
	d.names["array"], d.names["map"] = true, true // a union tells these by their words
	top := &Avro{Kind: AvroRecord, Name: d.name("Row")}
	d.fields(top, s.Fields(), "")
	if len(d.refused) > 0 {
		return nil, nil, errs.Errorf(errs.ErrSchema, "Avro has no place for %s", strings.Join(d.refused, ", "))
	}
	return top, d.mappings, nil
}

type avroDeriver struct {
	micros   bool
	names    map[string]bool // full names given out
	mappings []Mapping
	refused  []string
	foreign  func(key string) bool
}

// name makes a full name that is not taken out of the wanted one.
func (d *avroDeriver) name(want string) string {
	base := AvroName(want)
	n := base
	for i := 2; d.names[n]; i++ {
		n = fmt.Sprintf("%s_%d", base, i)
	}
	d.names[n] = true
	return n
}

// AvroName turns any text into an Avro name: letters, digits and underscores, no digit in front.
func AvroName(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			if i == 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// fields adds the fields of a struct or of the schema to record r.
func (d *avroDeriver) fields(r *Avro, fields []arrow.Field, path string) {
	taken := map[string]bool{}
	for _, f := range fields {
		taken[f.Name] = true
	}
	used := map[string]bool{}
	for _, f := range fields {
		name := AvroName(f.Name)
		for i := 2; used[name] || name != f.Name && taken[name]; i++ {
			name = fmt.Sprintf("%s_%d", AvroName(f.Name), i)
		}
		used[name] = true
		af := AvroField{Name: name, Type: d.field(f, joinPath(path, f.Name)), Meta: d.storedMeta(f)}
		if name != f.Name {
			af.Arrow = &f.Name
		}
		r.Fields = append(r.Fields, af)
	}
}

func joinPath(path, name string) string {
	if path == "" {
		return schemadiff.Path(name)
	}
	return schemadiff.Below(path, name)
}

// field wraps the type of a nullable field in a union with null; unions and nulls carry their own.
func (d *avroDeriver) field(f arrow.Field, path string) *Avro {
	t := d.typeOf(f, path)
	if !f.Nullable || t.Kind == AvroUnion || t.IsNull() {
		return t
	}
	return &Avro{Kind: AvroUnion, Name: "union", Branches: []*Avro{{Name: "null", Type: Null}, t}}
}

func (d *avroDeriver) typeOf(f arrow.Field, path string) *Avro {
	switch t := f.Type.(type) {
	case *arrow.StructType:
		r := &Avro{Kind: AvroRecord, Name: d.name(path)}
		d.fields(r, t.Fields(), path)
		return r
	case *arrow.MapType:
		if !isText(t.KeyType()) {
			return d.refuse(path, f.Type, "keys are not text")
		}
		if t.KeyType().ID() != arrow.STRING {
			d.note(path, t, "map", "keys come back as utf8")
		}
		return &Avro{Kind: AvroMap, Name: "map", Items: d.field(t.ItemField(), joinPath(path, "value")), ItemMeta: d.storedMeta(t.ItemField())}
	case arrow.ListLikeType: // lists of all kinds
		if t.ID() != arrow.LIST {
			d.note(path, t, "array", "comes back as list")
		}
		return &Avro{Kind: AvroArray, Name: "array", Items: d.field(t.ElemField(), joinPath(path, "item")), ItemMeta: d.storedMeta(t.ElemField())}
	case arrow.UnionType:
		return d.union(t, path)
	case arrow.ExtensionType:
		return d.inside(f, t.StorageType(), path)
	case *arrow.RunEndEncodedType:
		return d.inside(f, t.Encoded(), path)
	case *arrow.DictionaryType:
		at := len(d.mappings)
		s := d.inside(f, t.ValueType, path)
		if s.Kind == AvroUnion && f.Nullable && !slices.ContainsFunc(s.Branches, (*Avro).IsNull) {
			s.Branches = append(s.Branches, &Avro{Name: "null", Type: Null}) // a null index is of no branch
			d.nullChild(at, path, t)
		}
		return s
	}
	return d.leaf(f, path)
}

// ForeignMeta returns how what is not the format's own of a field's metadata is stored. The columns say the rest themselves.
func ForeignMeta(md arrow.Metadata) (m Meta) { return metaOfKeys(md, Foreign) }

// metaOfKeys returns how those metadata are stored that keep reports.
func metaOfKeys(md arrow.Metadata, keep func(key string) bool) (m Meta) {
	for i, k := range md.Keys() {
		if !keep(k) {
			continue
		}
		if k, v, ok := arrowmeta.StoreField(k, md.Values()[i]); ok {
			m = append(m, Pair{Key: k, Value: []byte(v)})
		}
	}
	return m
}

// Foreign reports whether a key of a field's metadata is not the format's own.
func Foreign(key string) bool {
	return key != MetaLogical && key != MetaName && key != MetaType && key != MetaCodec && !strings.HasPrefix(key, MetaUser) && !strings.HasPrefix(key, MetaUserHex)
}

// storedMeta returns the metadata of a field that the schema keeps, as a list.
func (d *avroDeriver) storedMeta(f arrow.Field) (kv []string) {
	for _, p := range metaOfKeys(arrowmeta.OfField(f), d.foreign) {
		kv = append(kv, p.Key, string(p.Value))
	}
	return kv
}

// addMeta adds metadata that storedMeta kept.
func (n *Node) addMeta(kv []string) {
	if len(kv) == 0 {
		return
	}
	keys, values := slices.Clone(n.Field.Metadata.Keys()), slices.Clone(n.Field.Metadata.Values())
	for i := 0; i+1 < len(kv); i += 2 {
		if k, v, ok := arrowmeta.ShowField(kv[i], kv[i+1]); ok {
			keys, values = append(keys, k), append(values, v)
		}
	}
	n.Field.Metadata = arrow.NewMetadata(keys, values)
}

// inside maps what an extension type, run ends or a dictionary hold: the values alone are stored.
func (d *avroDeriver) inside(f arrow.Field, t arrow.DataType, path string) *Avro {
	outer, at := f.Type, len(d.mappings)
	f.Type = t
	s := d.typeOf(f, path)
	loss := "comes back as " + t.String()
	if _, ok := outer.(arrow.ExtensionType); ok {
		loss = "" // the metadata keep it
	}
	if at == len(d.mappings) || d.mappings[at].Path != path {
		d.mappings = slices.Insert(d.mappings, at, Mapping{path, outer.String(), s.Name, loss})
		return s
	}
	m := &d.mappings[at]
	m.Type = outer.String()
	if m.Loss == "" {
		m.Loss = loss
	}
	return s
}

// union maps a union. Avro tells branches apart by their types' names, so each may stand once.
func (d *avroDeriver) union(t arrow.UnionType, path string) *Avro {
	u := &Avro{Kind: AvroUnion, Name: "union"}
	seen := map[string]bool{}
	at := len(d.mappings)
	renamed, null, nullable := t.Mode() == arrow.SparseMode, false, false
	for i, f := range t.Fields() {
		nullable = nullable || f.Nullable
		f.Nullable = false
		b := d.typeOf(f, joinPath(path, f.Name))
		if b.Kind == AvroUnion {
			return d.refuse(path, t, "a union within a union")
		}
		if seen[b.Name] {
			return d.refuse(path, t, "two branches are "+b.Name)
		}
		seen[b.Name] = true
		renamed = renamed || f.Name != b.Name || int(t.TypeCodes()[i]) != i
		null = null || b.IsNull()
		u.Branches = append(u.Branches, b)
	}
	if nullable && !null {
		u.Branches = append(u.Branches, &Avro{Name: "null", Type: Null})
	}
	switch {
	case u.Optional() != nil:
		d.mappings = slices.Insert(d.mappings, at, Mapping{path, t.String(), "union", "comes back as a nullable field of the one type"})
	case renamed:
		d.mappings = slices.Insert(d.mappings, at, Mapping{path, t.String(), "union", "comes back as dense_union, its children named by their types"})
	}
	if nullable && !null && u.Optional() == nil {
		d.nullChild(at, path, t)
	}
	if len(u.Branches) > maxBranches {
		return d.refuse(path, t, fmt.Sprintf("more than %d branches", maxBranches))
	}
	return u
}

// nullChild says that a union gets a child more. Its mapping is number at, in front of those of its branches, if it has one.
func (d *avroDeriver) nullChild(at int, path string, t arrow.DataType) {
	if at == len(d.mappings) || d.mappings[at].Path != path {
		d.mappings = slices.Insert(d.mappings, at, Mapping{Path: path, Type: t.String(), Stored: "union"})
	}
	m := &d.mappings[at]
	if !strings.HasPrefix(m.Loss, "comes back as dense_union, ") {
		m.Loss = "comes back as dense_union"
	}
	m.Loss += ", with a child null for nulls"
}

func isText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}

// leaf maps a flat type. Loss is what reading back does not show; values are all kept, or refused when written.
func (d *avroDeriver) leaf(f arrow.Field, path string) *Avro {
	prim := func(t Type, loss string) *Avro {
		d.note(path, f.Type, t.String(), loss)
		return &Avro{Name: t.String(), Type: t}
	}
	logical := func(t Type, l, loss string) *Avro {
		d.note(path, f.Type, t.String()+" ("+l+")", loss)
		return &Avro{Name: t.String(), Type: t, Logical: l}
	}
	switch t := f.Type.(type) {
	case *arrow.NullType:
		return prim(Null, "")
	case *arrow.BooleanType:
		return prim(Boolean, "")
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Uint8Type, *arrow.Uint16Type:
		return prim(Int, "comes back as int32")
	case *arrow.Int32Type:
		return prim(Int, "")
	case *arrow.Uint32Type:
		return prim(Long, "comes back as int64")
	case *arrow.Int64Type:
		return prim(Long, "")
	case *arrow.Uint64Type:
		return prim(Long, "comes back as int64")
	case *arrow.Float16Type:
		return prim(Float, "comes back as float32")
	case *arrow.Float32Type:
		return prim(Float, "")
	case *arrow.Float64Type:
		return prim(Double, "")
	case *arrow.StringType:
		if l, _ := f.Metadata.GetValue(MetaLogical); l == "uuid" {
			return logical(String, l, "")
		}
		return prim(String, "")
	case *arrow.LargeStringType, *arrow.StringViewType:
		return prim(String, "comes back as utf8")
	case *arrow.BinaryType:
		return prim(Bytes, "")
	case *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return prim(Bytes, "comes back as binary")
	case *arrow.FixedSizeBinaryType:
		d.note(path, f.Type, fmt.Sprintf("fixed(%d)", t.ByteWidth), "")
		return &Avro{Kind: AvroFixed, Name: d.name(path), Type: Bytes, Size: t.ByteWidth}
	case *arrow.Date32Type:
		return logical(Int, "date", "")
	case *arrow.Date64Type:
		return logical(Int, "date", "comes back as date32")
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return logical(Int, "time-millis", "comes back as time32[ms]")
		}
		return logical(Int, "time-millis", "")
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return logical(Long, "time-micros", "comes back as time64[us]")
		}
		return logical(Long, "time-micros", "")
	case *arrow.TimestampType:
		return d.timestamp(t, logical)
	case *arrow.DurationType:
		return prim(Long, "comes back as int64 "+t.Unit.String())
	case arrow.DecimalType:
		if t.GetScale() < 0 || t.GetScale() > t.GetPrecision() {
			return d.refuse(path, f.Type, "Avro wants a scale between 0 and the precision")
		}
		d.note(path, f.Type, fmt.Sprintf("bytes (decimal %d,%d)", t.GetPrecision(), t.GetScale()), "")
		return &Avro{Name: "bytes", Type: Bytes, Logical: "decimal", Precision: int(t.GetPrecision()), Scale: int(t.GetScale())}
	}
	return d.refuse(path, f.Type, "")
}

func (d *avroDeriver) timestamp(t *arrow.TimestampType, logical func(Type, string, string) *Avro) *Avro {
	local, loss := "local-", ""
	if t.TimeZone != "" {
		local = ""
		if t.TimeZone != "UTC" {
			loss = "the same instants, zone UTC instead of " + t.TimeZone
		}
	}
	more := func(s string) string {
		if loss != "" {
			return s + "; " + loss
		}
		return s
	}
	switch t.Unit {
	case arrow.Second:
		return logical(Long, local+"timestamp-millis", more("comes back in milliseconds"))
	case arrow.Millisecond:
		return logical(Long, local+"timestamp-millis", loss)
	case arrow.Nanosecond:
		if d.micros {
			return logical(Long, local+"timestamp-micros", more("comes back in microseconds"))
		}
		return logical(Long, local+"timestamp-nanos", loss)
	}
	return logical(Long, local+"timestamp-micros", loss)
}

func (d *avroDeriver) note(path string, t arrow.DataType, stored, loss string) {
	d.mappings = append(d.mappings, Mapping{path, t.String(), stored, loss})
}

func (d *avroDeriver) refuse(path string, t arrow.DataType, why string) *Avro {
	s := path + " (" + t.String()
	if why != "" {
		s += ": " + why
	}
	d.refused = append(d.refused, s+")")
	return &Avro{Name: "null", Type: Null}
}
