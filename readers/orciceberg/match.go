package orciceberg

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// ids are those of a file's types by their numbers in it; -1 = it has none.
type ids []int32

// idsOf finds the ids of a file: those that its types carry, or, where none of them does, those of their names.
func idsOf(root *orcwire.Type, names func() []iceberg.Name) (ids, error) {
	out := make(ids, root.Last+1)
	for i := range out {
		out[i] = -1
	}
	seen := map[int32]*orcwire.Type{}
	if err := out.carried(root, seen); err != nil {
		return nil, err
	}
	if len(seen) == 0 {
		if m := names(); m != nil {
			out.named(root, m, map[int32]bool{})
		}
	}
	return out, nil
}

// carried notes the ids of the types below t.
func (x ids) carried(t *orcwire.Type, seen map[int32]*orcwire.Type) error {
	for _, c := range t.Children {
		if text, ok := c.Attribute(iceberg.AttrID); ok {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil || n < 0 {
				return typeError(c, errs.ErrCorrupt, "the id %q is no number", text)
			}
			id := int32(n)
			if other := seen[id]; other != nil {
				return typeError(c, errs.ErrCorrupt, "it has the id %d of %s", id, other.Path())
			}
			x[c.ID], seen[id] = id, c
		}
		if err := x.carried(c, seen); err != nil {
			return err
		}
	}
	return nil
}

// named gives the types below t the ids of their names. Of several that are called by one id's names the first has it.
func (x ids) named(t *orcwire.Type, mapping []iceberg.Name, taken map[int32]bool) {
	for i, c := range t.Children {
		var name string
		switch {
		case t.Kind == orcwire.Struct:
			name = t.Names[i]
		case t.Kind == orcwire.List:
			name = iceberg.ElementName
		case t.Kind == orcwire.Map && i == 0:
			name = iceberg.KeyName
		case t.Kind == orcwire.Map:
			name = iceberg.ValueName
		default:
			continue // Iceberg has no unions
		}
		n := iceberg.Lookup(mapping, name)
		if n == nil {
			continue
		}
		if n.ID >= 0 && taken[n.ID] {
			continue
		}
		x[c.ID] = n.ID
		if n.ID >= 0 {
			taken[n.ID] = true
		}
		x.named(c, n.Fields, taken)
	}
}

func typeError(t *orcwire.Type, kind errs.Kind, format string, args ...any) error {
	e := errs.Errorf(kind, format, args...)
	e.Op, e.Column = "schema", t.Path()
	return e
}

// matched is a file's schema under the names of another, and where that finds its columns.
type matched struct {
	fields  []arrow.Field // of the file, in its order
	columns []int         // of the file, by the fields that are asked for; -1 = it does not have it
	cast    bool          // some type is not Arrow's widened
}

// matcher compares a file with the fields that it is read as.
type matcher struct {
	ids ids
	out matched
}

// match finds fields in a file; shown are they in Arrow, and own is the schema of the file.
func match(root *orcwire.Type, own []arrow.Field, x ids, fields []iceberg.Field, shown []arrow.Field) (*matched, error) {
	if root.Kind != orcwire.Struct {
		return nil, typeError(root, errs.ErrSchema, "the root is %s, and a table of Iceberg a struct", root.Kind)
	}
	m := matcher{ids: x}
	var err error
	m.out.fields, m.out.columns, err = m.children(root, own, fields, shown)
	return &m.out, err
}

// children finds fields among the children of a struct.
func (m *matcher) children(t *orcwire.Type, own []arrow.Field, fields []iceberg.Field, shown []arrow.Field) ([]arrow.Field, []int, error) {
	names := make(map[string]bool, len(fields))
	byID := make(map[int32]int, len(fields))
	at := make([]int, len(fields))
	for i := range fields {
		names[fields[i].Name], byID[fields[i].ID], at[i] = true, i, -1
	}
	out := slices.Clone(own)
	for i, c := range t.Children {
		k, ok := byID[m.ids[c.ID]]
		if m.ids[c.ID] < 0 || !ok || fields[k].Type.Kind == iceberg.Unknown {
			out[i].Name = unused(names, own[i].Name)
			continue
		}
		f, err := m.field(c, own[i], &fields[k], shown[k])
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
func (m *matcher) field(t *orcwire.Type, own arrow.Field, f *iceberg.Field, shown arrow.Field) (arrow.Field, error) {
	out := arrow.Field{Name: shown.Name, Type: own.Type, Nullable: shown.Nullable, Metadata: shown.Metadata}
	if err := m.compare(t, &f.Type); err != nil {
		return out, err
	}
	var children, childrenShown []arrow.Field
	switch f.Type.Kind {
	case iceberg.Struct:
		var err error
		children, _, err = m.children(t, own.Type.(*arrow.StructType).Fields(), f.Type.Fields, shown.Type.(*arrow.StructType).Fields())
		if err != nil {
			return out, err
		}
		out.Type = arrow.StructOf(children...)
		return out, nil
	case iceberg.List:
		children, childrenShown = []arrow.Field{own.Type.(*arrow.ListType).ElemField()}, []arrow.Field{shown.Type.(*arrow.ListType).ElemField()}
	case iceberg.Map:
		a, ok := own.Type.(*arrow.MapType)
		if !ok {
			return out, typeError(t, errs.ErrOption, "maps of Iceberg have no null keys: %w is not for them", errs.Opt("orc-null-keys", "list"))
		}
		b := shown.Type.(*arrow.MapType)
		children, childrenShown = []arrow.Field{a.KeyField(), a.ItemField()}, []arrow.Field{b.KeyField(), b.ItemField()}
	case iceberg.Timestamp, iceberg.TimestampTZ, iceberg.TimestampNS, iceberg.TimestampTZNS:
		out.Type = shown.Type
		return out, nil
	case iceberg.UUID, iceberg.Fixed, iceberg.Time:
		m.out.cast = true
		return out, nil
	default:
		return out, nil
	}
	for i, c := range t.Children {
		want := &f.Type.Fields[i]
		if id := m.ids[c.ID]; id >= 0 && id != want.ID {
			return out, typeError(c, errs.ErrSchema, "its id is %d, and %s of %s has %d", id, want.Name, f.Name, want.ID)
		}
		var err error
		if children[i], err = m.field(c, children[i], want, childrenShown[i]); err != nil {
			return out, err
		}
	}
	out.Type = iceberg.Nested(f.Type.Kind, children)
	return out, nil
}

// kindsOf are the kinds of ORC that are read as a type of Iceberg's: the one that its writer uses, what others use for the
// same (Iceberg table specification, "Appendix A: ORC"), and what may be promoted ("Schema Evolution").
var kindsOf = map[iceberg.Kind][]orcwire.Kind{
	iceberg.Boolean:       {orcwire.Boolean},
	iceberg.Int:           {orcwire.Int, orcwire.Short, orcwire.Byte},
	iceberg.Long:          {orcwire.Long, orcwire.Int},
	iceberg.Float:         {orcwire.Float},
	iceberg.Double:        {orcwire.Double, orcwire.Float},
	iceberg.Decimal:       {orcwire.Decimal},
	iceberg.Date:          {orcwire.Date},
	iceberg.Time:          {orcwire.Long},
	iceberg.Timestamp:     {orcwire.Timestamp},
	iceberg.TimestampTZ:   {orcwire.TimestampInstant},
	iceberg.TimestampNS:   {orcwire.Timestamp},
	iceberg.TimestampTZNS: {orcwire.TimestampInstant},
	iceberg.String:        {orcwire.String, orcwire.Varchar, orcwire.Char},
	iceberg.UUID:          {orcwire.Binary},
	iceberg.Fixed:         {orcwire.Binary},
	iceberg.Binary:        {orcwire.Binary},
	iceberg.Struct:        {orcwire.Struct},
	iceberg.List:          {orcwire.List},
	iceberg.Map:           {orcwire.Map},
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

// compare checks that a type is read as one of Iceberg's.
func (m *matcher) compare(t *orcwire.Type, want *iceberg.Type) error {
	fail := func(is string) error {
		return typeError(t, errs.ErrSchema, "it is %s in the file, which is not promoted to %s", is, want)
	}
	if !slices.Contains(kindsOf[want.Kind], t.Kind) {
		return fail(t.String())
	}
	if a, ok := attributesOf[want.Kind]; ok {
		if v, there := t.Attribute(a.Key); there && v != a.Value {
			return fail(t.String() + " of " + a.Key + " " + v)
		}
	}
	switch want.Kind {
	case iceberg.Decimal:
		if p, s := t.DecimalType(); s != want.Scale || p > want.Precision {
			return fail(t.String())
		}
	case iceberg.Fixed:
		if v, ok := t.Attribute(iceberg.AttrLength); ok && v != strconv.Itoa(int(want.Length)) {
			return fail("fixed[" + v + "]")
		}
	}
	return nil
}
