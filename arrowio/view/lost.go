package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Lost returns what differs between the schemas and is therefore not in u.Schema: extension types, dictionaries, metadata of columns, and
// metadata of the schemas. It leaves out columns that have no common type, and keys that describe only one file.
func (u *Union) Lost() []arrowio.Loss { return u.lost }

// LeftOut returns the metadata of the schemas that describe only columns without a common type: who leaves these out, leaves them out.
func (u *Union) LeftOut() []arrowio.Loss { return u.leftOut }

// compare finds out what the schemas say in different ways. It is called once, when all columns have been joined.
func (u *Union) compare() {
	u.geo = make([]map[string]geoarrow.Type, len(u.schemas))
	for k, s := range u.schemas {
		if text, ok := s.Metadata().GetValue(geoarrow.GeoParquetKey); ok {
			u.geo[k] = geoarrow.GeoParquetColumns(text)
		}
	}
	for i := range u.fields {
		f := &u.fields[i]
		if f.clash != nil || u.alike(f) {
			continue
		}
		c := comparison{source: u.source, nodes: map[string]*node{}, geometries: map[string]*geometry{}}
		for _, o := range f.at {
			s := u.schemas[o.schema].Field(o.column)
			t, ok := u.geo[o.schema][s.Name]
			if s.Name = f.Name; ok && !c.geometry(expr.Quote(f.Name), "", t, o.schema) || !c.field(s, nil, o.schema) {
				f.clash = c.clash
				f.clash.column = f.Name
				break
			}
		}
		if f.clash == nil {
			u.lost = append(u.lost, c.lost...)
		}
	}
	md := u.metadata()
	for _, key := range md.leftOut {
		u.leftOut = append(u.leftOut, arrowio.Loss{Of: arrowio.LossOfMetadata, Key: key, Text: "describes only columns that are left out"})
	}
	for _, key := range md.contradicted {
		u.lost = append(u.lost, arrowio.Loss{Of: arrowio.LossOfMetadata, Key: key, Text: "differs between the files and is left out"})
	}
}

// alike reports whether all schemas that have a column say the same of it, and no metadata that it is a geometry.
func (u *Union) alike(f *unifiedField) bool {
	first := u.schemas[f.at[0].schema].Field(f.at[0].column)
	return !slices.ContainsFunc(f.at, func(o origin) bool {
		s := u.schemas[o.schema].Field(o.column)
		_, geo := u.geo[o.schema][s.Name]
		return geo || !s.Metadata.Equal(first.Metadata) || !arrow.TypeEqual(s.Type, first.Type, arrow.CheckMetadata())
	})
}

// comparison compares a column of several schemas, and the fields below it.
type comparison struct {
	source     func(int) Source     // of a schema
	nodes      map[string]*node     // by path
	geometries map[string]*geometry // by path, the first that says what its coordinates mean
	lost       []arrowio.Loss
	clash      *fieldClash
}

// node is a field, as the first schema has it.
type node struct {
	arrow.Field
	schema int
	told   map[string]bool // keys that differ; "" = the extension type
	plain  bool            // another schema has no dictionary, or one that does not go with that of this one
	loose  bool            // the dictionary of another schema is not ordered, and this one's is, or the other way round
}

// orderedIn reports whether one of two dictionaries is ordered and the other is not.
func orderedIn(a, b arrow.DataType) bool {
	x, ok := a.(*arrow.DictionaryType)
	y, also := b.(*arrow.DictionaryType)
	return ok && also && x.Ordered != y.Ordered
}

// plainIn reports whether one of two types is a dictionary and what holds the values of both is none.
func plainIn(a, b arrow.DataType) bool {
	some := a.ID() == arrow.DICTIONARY || b.ID() == arrow.DICTIONARY
	return some && a.ID() != arrow.NULL && b.ID() != arrow.NULL && joinDictionaries([]arrow.DataType{a, b}) == nil
}

// geometry is what a schema says of a geometry.
type geometry struct {
	geoarrow.Type
	schema int
}

// field compares a field of schema k with that of the first that has it. It is false if the two cannot be one.
func (c *comparison) field(f arrow.Field, above []string, k int) bool {
	path := append(slices.Clone(above), f.Name)
	f = inferred.Known(f)
	if f.Type.ID() == arrow.NULL && f.Metadata.Len() == 0 {
		return true // it has no values
	}
	quoted := expr.Quote(path...)
	n := c.nodes[quoted]
	switch {
	case n == nil:
		n = &node{Field: f, schema: k, told: map[string]bool{}}
		c.nodes[quoted] = n
	case n.schema == k:
		return true // another of the same name: they are matched by where they stand
	}
	if g, _, ok := geometries(extensionOf(f), extensionOf(f)); ok && !c.geometry(quoted, strings.Join(path[1:], "."), g, k) {
		return false
	}
	if e, o := extensionOf(n.Field), extensionOf(f); !n.told[""] && !e.same(o) {
		n.told[""] = true
		a, b := typeText(n.Field), typeText(f)
		if e.name == o.name {
			a, b = fmt.Sprintf("%s with the metadata %s", a, short(e.data)), fmt.Sprintf("%s with the metadata %s", b, short(o.data))
		}
		c.lose(quoted, "", fmt.Sprintf("it is %s in %s and %s in %s, so the extension type is left out", a, c.source(n.schema).Name, b, c.source(k).Name))
	}
	if a, b := arrowtype.Storage(n.Type), arrowtype.Storage(f.Type); !n.plain && plainIn(a, b) {
		n.plain = true
		c.lose(quoted, "", fmt.Sprintf("it is %s in %s and %s in %s, so it has plain values and no dictionary", a, c.source(n.schema).Name, b, c.source(k).Name))
	} else if !n.plain && !n.loose && orderedIn(a, b) {
		n.loose = true
		with, without := n.schema, k
		if b.(*arrow.DictionaryType).Ordered {
			with, without = k, n.schema
		}
		c.lose(quoted, "", fmt.Sprintf("its dictionary is ordered in %s and not in %s, so it is not ordered", c.source(with).Name, c.source(without).Name))
	}
	for _, key := range slices.Concat(schemadiff.Keys(n.Metadata, f.Metadata), schemadiff.Keys(f.Metadata, n.Metadata)) {
		if !n.told[key] && !isStorage(key) {
			n.told[key] = true
			c.lose(quoted, key, fmt.Sprintf("metadata %s differs between the files and is left out", key))
		}
	}
	for _, child := range fieldsIn(f.Type) {
		if !c.field(child, path, k) {
			return false
		}
	}
	return true
}

func (c *comparison) lose(path, key, text string) {
	c.lost = append(c.lost, arrowio.Loss{Of: arrowio.LossOfColumn, Path: path, Key: key, Text: text})
}

// geometry compares a geometry with the first of its path; below is its path below the column. It is false if the coordinates of the two
// do not mean the same: between them may be a file that does not say what its coordinates mean.
func (c *comparison) geometry(path, below string, g geoarrow.Type, k int) bool {
	if g.Unknown {
		return true
	}
	first := c.geometries[path]
	if first == nil {
		c.geometries[path] = &geometry{g, k}
		return true
	}
	no := geometryClash(first.Type, g)
	if no == nil {
		return true
	}
	if below != "" {
		no.path = "." + below
	}
	no.from = [2]int{first.schema, k}
	c.clash = &fieldClash{clash: *no}
	return false
}

// fieldsIn returns the fields that a type is made of, as paths name them.
func fieldsIn(t arrow.DataType) []arrow.Field {
	named := func(f arrow.Field, name string) arrow.Field {
		f.Name = name
		return f
	}
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.Field{named(t.KeyField(), "key"), named(t.ItemField(), "value")}
	case arrow.ListLikeType:
		return []arrow.Field{named(t.ElemField(), "item")}
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}

// short returns the beginning of a text for a message.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	if s == "" {
		return `""`
	}
	return s
}
