package view

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// extension is the extension type of a field, registered or known by the field's metadata alone.
type extension struct {
	name string // "" = there is none
	data string // its metadata
}

func extensionOf(f arrow.Field) extension {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		return extension{e.ExtensionName(), e.Serialize()}
	}
	name, _ := f.Metadata.GetValue(schemadiff.ExtensionName)
	data, _ := f.Metadata.GetValue(schemadiff.ExtensionMetadata)
	if name == "" {
		data = ""
	}
	return extension{name, data}
}

// same reports whether two extension types mean the same.
func (e extension) same(o extension) bool {
	if e == o || e.name == o.name && geoarrow.SameJSON(e.data, o.data) {
		return true
	}
	a, b, ok := geometries(e, o)
	return ok && e.name == o.name && a.Unknown == b.Unknown && geometryClash(a, b) == nil
}

// geometries returns what the metadata of two extension types of GeoArrow say.
func geometries(e, o extension) (a, b geoarrow.Type, ok bool) {
	if !geoarrow.IsName(e.name) || !geoarrow.IsName(o.name) {
		return a, b, false
	}
	a, ok = geoarrow.Parse(e.data)
	b, both := geoarrow.Parse(o.data)
	return a, b, ok && both
}

// geometryClash says why the coordinates of two columns do not mean the same; nil = they do, or one does not say what its mean.
func geometryClash(a, b geoarrow.Type) *clash {
	switch {
	case !a.Unknown && !b.Unknown && !geoarrow.SameCRS(a.CRS, b.CRS):
		return &clash{what: "its coordinate reference system is", a: geoarrow.ShortCRS(a.CRS), b: geoarrow.ShortCRS(b.CRS)}
	case a.Geography != b.Geography || a.Algorithm != b.Algorithm:
		return &clash{what: "its edges are", a: a.Edges(), b: b.Edges()}
	}
	return nil
}

// joinExtensions returns the extension type of the values of all parts, which is none where they differ. Geometries of different
// reference systems clash.
func joinExtensions(parts []part) (extension, *clash) {
	var first *part
	var e extension
	same := true
	for i, p := range parts {
		o := extensionOf(p.Field)
		switch {
		case p.Type.ID() == arrow.NULL && o.name == "": // it has no values
		case first == nil:
			first, e = &parts[i], o
		case !e.same(o):
			same = false
			if g, h, ok := geometries(e, o); ok {
				if c := geometryClash(g, h); c != nil {
					c.from = [2]int{first.schema, p.schema}
					return extension{}, c
				}
			}
		}
	}
	if !same {
		return extension{}, nil
	}
	return e, nil
}

// onto returns the metadata of a field of a type with those of the extension type, which a registered type does not have there.
func (e extension) onto(md arrow.Metadata, t arrow.DataType) arrow.Metadata {
	f := schemadiff.WithoutExtension(arrow.Field{Type: arrow.Null, Metadata: md})
	if e.name == "" || t.ID() == arrow.EXTENSION {
		return f.Metadata
	}
	keys, values := append(slices.Clone(f.Metadata.Keys()), schemadiff.ExtensionName), append(slices.Clone(f.Metadata.Values()), e.name)
	if e.data != "" {
		keys, values = append(keys, schemadiff.ExtensionMetadata), append(values, e.data)
	}
	return arrow.NewMetadata(keys, values)
}

// typeText is the type of a field for messages, with the name of its extension type.
func typeText(f arrow.Field) string {
	t := arrowtype.Storage(f.Type).String()
	if e := extensionOf(f); e.name != "" {
		return fmt.Sprintf("%s of the extension type %s", t, e.name)
	}
	return t
}

// extensionConversion shows values of an extension type as what they are stored as, converted where stored is not nil. Arrow v15 has
// no extension types of dictionaries.
func extensionConversion(storage arrow.DataType, stored convertFunc) convertFunc {
	own := relabel(storage)
	if stored == nil {
		return own
	}
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		d, err := own(d, s, mem)
		if err != nil {
			return nil, err
		}
		defer d.Release()
		return stored(d, s, mem)
	}
}
