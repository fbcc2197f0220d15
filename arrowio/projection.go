package arrowio

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/geoarrow"
)

// Projection is the part of a file's schema that a scan wants, nested fields included.
type Projection struct {
	Schema *arrow.Schema // what SplitReader.Take returns
	Fields []ProjectedField
}

// ProjectedField is one field of a projected schema.
type ProjectedField struct {
	Index int // position among its siblings in the file's schema
	// Children lists the wanted children of a struct, or of the struct inside a list or a map's value; nil = all of them.
	Children []ProjectedField
}

// Columns returns the positions of the top-level fields.
func (p Projection) Columns() []int {
	out := make([]int, len(p.Fields))
	for i, f := range p.Fields {
		out[i] = f.Index
	}
	return out
}

// Project resolves dotted paths (see expr.Resolve) against s. Fields come in the order in which columns first names them; several
// paths into one struct keep its children in the struct's own order. If columns is nil, the projection has all columns; if it is
// empty but not nil, the projection has none. A path that names no field is errs.ErrSchema; the error lists the fields that
// exist. The metadata of GeoParquet (the key "geo") keeps only the columns of the projection.
func Project(s *arrow.Schema, columns []string) (Projection, error) {
	if columns == nil {
		p := Projection{Schema: s, Fields: make([]ProjectedField, s.NumFields())}
		for i := range p.Fields {
			p.Fields[i].Index = i
		}
		return p, nil
	}
	var roots []*want
	for _, c := range columns {
		path, err := expr.Resolve(s, c)
		if err != nil {
			return Projection{}, errs.Errorf(errs.ErrSchema, "%w", err)
		}
		roots = addPath(roots, path)
	}
	p := Projection{}
	fields := make([]arrow.Field, 0, len(roots))
	for _, w := range roots {
		pf := w.projected()
		fields = append(fields, pf.Narrow(s.Field(w.index)))
		p.Fields = append(p.Fields, pf)
	}
	md := p.metadata(s)
	p.Schema = arrow.NewSchema(fields, &md)
	return p, nil
}

// metadata returns the metadata of the schema that p is a projection of. GeoParquet's describes columns: only those of p stay, as far
// as they are whole.
func (p Projection) metadata(s *arrow.Schema) arrow.Metadata {
	md := s.Metadata()
	i := md.FindKey(geoarrow.GeoParquetKey)
	if i < 0 {
		return md
	}
	var whole []string
	for _, f := range p.Fields {
		if f.Children == nil {
			whole = append(whole, s.Field(f.Index).Name)
		}
	}
	keys, values := slices.Clone(md.Keys()), slices.Clone(md.Values())
	text, ok := geoarrow.GeoParquetOf(values[i], whole)
	if values[i] = text; !ok {
		keys, values = slices.Delete(keys, i, i+1), slices.Delete(values, i, i+1)
	}
	return arrow.NewMetadata(keys, values)
}

// want is a node of the tree of asked-for paths; whole = the subtree below it.
type want struct {
	index    int
	whole    bool
	children []*want
}

func addPath(level []*want, path []int) []*want {
	for _, w := range level {
		if w.index == path[0] {
			w.add(path[1:])
			return level
		}
	}
	w := &want{index: path[0]}
	w.add(path[1:])
	return append(level, w)
}

func (w *want) add(rest []int) {
	if len(rest) == 0 {
		w.whole = true
	} else {
		w.children = addPath(w.children, rest)
	}
}

// projected is w as part of a projection, its children in their struct's own order.
func (w *want) projected() ProjectedField {
	p := ProjectedField{Index: w.index}
	if w.whole || len(w.children) == 0 {
		return p
	}
	for _, k := range w.children {
		p.Children = append(p.Children, k.projected())
	}
	slices.SortStableFunc(p.Children, func(a, b ProjectedField) int { return a.Index - b.Index })
	return p
}

// Narrow returns f, the field at p.Index, with only the children that p wants. For a list or map, these are the children of the
// struct inside it.
func (p ProjectedField) Narrow(f arrow.Field) arrow.Field {
	if p.Children != nil {
		f.Type = narrow(f.Type, p.Children)
	}
	return f
}

func narrow(t arrow.DataType, wanted []ProjectedField) arrow.DataType {
	switch t := t.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, len(wanted))
		for i, p := range wanted {
			fields[i] = p.Narrow(t.Field(p.Index))
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		e := t.ElemField()
		e.Type = narrow(e.Type, wanted)
		return arrow.ListOfField(e)
	case *arrow.LargeListType:
		e := t.ElemField()
		e.Type = narrow(e.Type, wanted)
		return arrow.LargeListOfField(e)
	case *arrow.FixedSizeListType:
		e := t.ElemField()
		e.Type = narrow(e.Type, wanted)
		return arrow.FixedSizeListOfField(t.Len(), e)
	case *arrow.MapType:
		m := arrow.MapOf(t.KeyType(), narrow(t.ItemType(), wanted))
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	}
	return t
}
