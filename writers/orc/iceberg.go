package orc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// schemaKey is the user metadata that holds the schema in Iceberg's JSON, where it is asked for.
const schemaKey = "iceberg.schema"

// forIceberg gives types the ids and attributes by which Iceberg reads them (Iceberg table specification, "Appendix A: ORC").
// Ids that the fields have are kept; the others are assigned behind them. Names and types that Iceberg does not have are
// an errs.ErrSchema that lists them all.
func (d *driver) forIceberg(s *arrow.Schema) error {
	root := d.types[0]
	if root.Kind != orcwire.Struct {
		return errs.Errorf(errs.ErrSchema, "%w: the root is %s, and a table of Iceberg a struct", errs.Opt("orc-iceberg", ""), root.Kind)
	}
	if d.kind == orcwire.CompressionBrotli {
		return errs.Errorf(errs.ErrOption, "%w: Iceberg's reader does not know brotli: take zstd, zlib, snappy, lz4 or none", errs.Opt("orc-iceberg", ""))
	}
	var p icebergPlan
	fields := p.children(root, s.Fields())
	if len(p.refused) > 0 {
		return errs.Errorf(errs.ErrSchema, "%w: Iceberg has no place for %s", errs.Opt("orc-iceberg", ""), strings.Join(p.refused, ", "))
	}
	if err := iceberg.AssignIDs(fields); err != nil {
		return err
	}
	attach(root, fields)
	if d.opt.Iceberg == IcebergSchema {
		text, err := iceberg.SchemaJSON(fields)
		if err != nil {
			return err
		}
		d.meta = slices.DeleteFunc(slices.Clone(d.meta), func(kv orcwire.KeyValue) bool { return kv.Key == schemaKey })
		d.meta = append(d.meta, orcwire.KeyValue{Key: schemaKey, Value: text})
	}
	return nil
}

// attach replaces what types say to Iceberg.
func attach(t *orcwire.Type, fields []iceberg.Field) {
	for i, c := range t.Children {
		f := &fields[i]
		c.Attributes = slices.DeleteFunc(slices.Clone(c.Attributes), func(a orcwire.Attribute) bool {
			return strings.HasPrefix(a.Key, "iceberg.")
		})
		for _, a := range iceberg.Attributes(f) {
			c.Attributes = append(c.Attributes, orcwire.Attribute{Key: a.Key, Value: a.Value})
		}
		attach(c, f.Type.Fields)
	}
}

// icebergPlan finds Iceberg's fields for those of Arrow and the types that they become.
type icebergPlan struct{ refused []string }

func (p *icebergPlan) refuse(t *orcwire.Type, why string) {
	p.refused = append(p.refused, t.Path()+" ("+why+")")
}

// children finds the fields of a struct.
func (p *icebergPlan) children(t *orcwire.Type, fields []arrow.Field) []iceberg.Field {
	seen := map[string]bool{}
	out := make([]iceberg.Field, len(t.Children))
	for i, c := range t.Children {
		if seen[t.Names[i]] {
			p.refuse(c, "two fields have this name")
		}
		seen[t.Names[i]] = true
		out[i] = p.field(c, fields[i], t.Names[i])
	}
	return out
}

func (p *icebergPlan) field(t *orcwire.Type, f arrow.Field, name string) iceberg.Field {
	out := iceberg.Field{ID: iceberg.NoID, Name: name, Required: !f.Nullable}
	if v, ok := t.Attribute(iceberg.AttrRequired); ok && v == "true" {
		out.Required = true
	}
	if v, ok := t.Attribute(iceberg.AttrID); ok {
		id, err := strconv.ParseInt(v, 10, 32)
		if err != nil || id < 0 {
			p.refuse(t, "the id "+strconv.Quote(v)+" is no number")
		} else {
			out.ID = int32(id)
		}
	}
	var why string
	if out.Type, why = p.typeOf(t, arrowtype.Value(f.Type), f); why != "" {
		p.refuse(t, why)
	}
	return out
}

// typeOf finds the type of Iceberg's for one of ORC that holds values of Arrow's, or why there is none.
func (p *icebergPlan) typeOf(t *orcwire.Type, a arrow.DataType, f arrow.Field) (out iceberg.Type, why string) {
	switch t.Kind {
	case orcwire.Boolean:
		out.Kind = iceberg.Boolean
	case orcwire.Byte, orcwire.Short, orcwire.Int:
		if a.ID() == arrow.TIME32 || a.ID() == arrow.INTERVAL_MONTHS {
			return out, a.String() + ": its times are in microseconds, and it has no intervals"
		}
		out.Kind = iceberg.Int
	case orcwire.Long:
		return longType(t, a)
	case orcwire.Float:
		out.Kind = iceberg.Float
	case orcwire.Double:
		out.Kind = iceberg.Double
	case orcwire.Decimal:
		out = iceberg.Type{Kind: iceberg.Decimal, Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case orcwire.Date:
		out.Kind = iceberg.Date
	case orcwire.Timestamp, orcwire.TimestampInstant:
		out.Kind = iceberg.Timestamp
		unit, told := t.Attribute(iceberg.AttrUnit)
		nanos := unit == "NANOS"
		if ts, ok := a.(*arrow.TimestampType); ok && !told {
			nanos = ts.Unit == arrow.Nanosecond
		}
		if nanos {
			out.Kind = iceberg.TimestampNS
		}
		if t.Kind == orcwire.TimestampInstant {
			out.Kind++ // those with a zone
		}
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		out.Kind = iceberg.String
	case orcwire.Binary:
		return binaryType(t, a, f)
	case orcwire.Struct:
		st, ok := a.(*arrow.StructType)
		if !ok {
			return out, a.String()
		}
		if st.NumFields() == 0 {
			return out, "a struct without fields"
		}
		out = iceberg.Type{Kind: iceberg.Struct, Fields: p.children(t, st.Fields())}
	case orcwire.List:
		l, ok := a.(arrow.ListLikeType)
		if !ok {
			return out, a.String()
		}
		out = iceberg.Type{Kind: iceberg.List, Fields: []iceberg.Field{p.field(t.Children[0], l.ElemField(), iceberg.ElementName)}}
	case orcwire.Map:
		m, ok := a.(*arrow.MapType)
		if !ok {
			return out, "a map whose keys may be null"
		}
		key := p.field(t.Children[0], m.KeyField(), iceberg.KeyName)
		key.Required = true
		out = iceberg.Type{Kind: iceberg.Map, Fields: []iceberg.Field{key, p.field(t.Children[1], m.ItemField(), iceberg.ValueName)}}
	default:
		return out, t.Kind.String()
	}
	return out, ""
}

// longType tells times from numbers.
func longType(t *orcwire.Type, a arrow.DataType) (iceberg.Type, string) {
	switch a := a.(type) {
	case *arrow.Time64Type:
		if a.Unit != arrow.Microsecond {
			return iceberg.Type{}, a.String() + ": its times are in microseconds"
		}
		return iceberg.Type{Kind: iceberg.Time}, ""
	case *arrow.DurationType:
		return iceberg.Type{}, a.String()
	}
	if v, _ := t.Attribute(iceberg.AttrLong); v == "TIME" {
		return iceberg.Type{Kind: iceberg.Time}, ""
	}
	return iceberg.Type{Kind: iceberg.Long}, ""
}

// binaryType tells bytes of one length, and uuids, from others.
func binaryType(t *orcwire.Type, a arrow.DataType, f arrow.Field) (iceberg.Type, string) {
	if fixed, ok := a.(*arrow.FixedSizeBinaryType); ok {
		name, _ := f.Metadata.GetValue(iceberg.MetaExtension)
		if e, ok := f.Type.(arrow.ExtensionType); ok {
			name = e.ExtensionName()
		}
		kind, _ := t.Attribute(iceberg.AttrBinary)
		switch {
		case fixed.ByteWidth == 16 && (name == iceberg.ExtensionUUID || kind == "UUID"):
			return iceberg.Type{Kind: iceberg.UUID}, ""
		case fixed.ByteWidth < 1:
			return iceberg.Type{}, fixed.String()
		}
		return iceberg.Type{Kind: iceberg.Fixed, Length: int32(fixed.ByteWidth)}, ""
	}
	if f.Type.ID() == arrow.DICTIONARY {
		return iceberg.Type{Kind: iceberg.Binary}, ""
	}
	// What a file of Iceberg's said of bytes is kept, and checked as they are written.
	switch kind, _ := t.Attribute(iceberg.AttrBinary); kind {
	case "UUID":
		return iceberg.Type{Kind: iceberg.UUID}, ""
	case "FIXED":
		text, _ := t.Attribute(iceberg.AttrLength)
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return iceberg.Type{}, "fixed of the length " + strconv.Quote(text)
		}
		return iceberg.Type{Kind: iceberg.Fixed, Length: int32(n)}, ""
	}
	return iceberg.Type{Kind: iceberg.Binary}, ""
}

// promise is what a type says of its values to Iceberg. A nil one says nothing.
type promise struct {
	required bool
	width    int // of bytes that Arrow does not know to be of one length; 0 = any
}

func (d *driver) promise(t *orcwire.Type, a arrow.DataType) *promise {
	if d.opt.Iceberg == "" || t.Parent == nil {
		return nil
	}
	var p promise
	v, _ := t.Attribute(iceberg.AttrRequired)
	p.required = v == "true"
	if a.ID() != arrow.FIXED_SIZE_BINARY {
		switch kind, _ := t.Attribute(iceberg.AttrBinary); kind {
		case "UUID":
			p.width = 16
		case "FIXED":
			text, _ := t.Attribute(iceberg.AttrLength)
			p.width, _ = strconv.Atoi(text) // it was made of a number
		}
	}
	return &p
}

// check looks at values, none of which is null, of n slots.
func (p *promise) check(values arrow.Array, n int) error {
	if p == nil {
		return nil
	}
	if p.required && values.Len() < n {
		return errs.Errorf(errs.ErrSchema, "a row has no value, and the field is required in Iceberg")
	}
	if b, ok := values.(array.BinaryLike); ok && p.width > 0 {
		for i := range b.Len() {
			if k := b.ValueLen(i); k != p.width {
				return errs.Errorf(errs.ErrSchema, "a value of %d bytes, and in Iceberg all have %d", k, p.width)
			}
		}
	}
	return nil
}

// calendar is what the footer says of days. Iceberg's reader converts those of the proleptic calendar, and so its writer,
// which counts in it, says otherwise; the ids tell who knows (docs/formats/orc.md, "Iceberg").
func (d *driver) calendar() uint32 {
	if d.opt.Iceberg != "" {
		return orcwire.CalendarHybrid
	}
	return orcwire.CalendarProleptic
}
