package schemadiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Aspect says in what a field differs.
type Aspect string

// Aspects.
const (
	Type     Aspect = "type"
	Nullable Aspect = "nullable"
	Name     Aspect = "name"
	Metadata Aspect = "metadata"
)

// Difference is one thing in which a field comes back otherwise.
type Difference struct {
	Column int    // of the schema
	Path   string // as the function Path makes it
	Aspect Aspect
	Type   arrow.DataType // of the field that is compared
	Text   string         // "comes back as int32"
	Lost   []string       // keys of metadata
	Strict bool           // of Nullable: the field comes back as never null, not the reverse
}

// Names of the metadata by which extension types are known where they are not registered.
const (
	ExtensionName     = "ARROW:extension:name"
	ExtensionMetadata = "ARROW:extension:metadata"
)

// Fields compares fields with those that come back in their places, and everything below them. Metadata that only the
// latter have is no difference: nothing is lost. Neither is what lists call their items, nor an extension type that comes
// back as what it stores under its own name, as readers show those that are not registered.
func Fields(want, back []arrow.Field) []Difference {
	var d differ
	for i, w := range want {
		d.column = i
		if i >= len(back) {
			d.add(Path(w.Name), Type, "does not come back")
			continue
		}
		d.named(Path(w.Name), w, back[i])
	}
	return d.found
}

// Keys returns the keys of want whose values got does not have, in order.
func Keys(want, got arrow.Metadata) (lost []string) {
	for i, k := range want.Keys() {
		if !has(got, k, want.Values()[i]) {
			lost = append(lost, k)
		}
	}
	return lost
}

func has(md arrow.Metadata, key, value string) bool {
	for i, k := range md.Keys() {
		if k == key && md.Values()[i] == value {
			return true
		}
	}
	return false
}

// WithoutMetadata says that keys are lost.
func WithoutMetadata(keys []string) string {
	return "comes back without metadata " + strings.Join(keys, ", ")
}

type differ struct {
	column int
	typ    arrow.DataType // of the field that is looked at
	found  []Difference
}

func (d *differ) add(path string, a Aspect, format string, args ...any) {
	d.found = append(d.found, Difference{Column: d.column, Path: path, Aspect: a, Type: d.typ, Text: fmt.Sprintf(format, args...)})
}

// named compares fields whose names count.
func (d *differ) named(path string, w, b arrow.Field) {
	if d.typ = w.Type; w.Name != b.Name {
		d.add(path, Name, "comes back with the name %q", b.Name)
	}
	d.field(path, w, b)
}

func (d *differ) field(path string, w, b arrow.Field) {
	d.typ = w.Type
	if w.Nullable != b.Nullable {
		text := "comes back as nullable"
		if w.Nullable {
			text = "comes back as never null"
		}
		d.add(path, Nullable, "%s", text)
		d.found[len(d.found)-1].Strict = w.Nullable
	}
	if lost := Keys(w.Metadata, b.Metadata); len(lost) > 0 {
		d.add(path, Metadata, "%s", WithoutMetadata(lost))
		d.found[len(d.found)-1].Lost = lost
	}
	d.types(path, w.Type, b)
}

// types compares a type with that of a field.
func (d *differ) types(path string, w arrow.DataType, b arrow.Field) {
	if e, ok := w.(arrow.ExtensionType); ok {
		if o, ok := b.Type.(arrow.ExtensionType); ok && arrow.TypeEqual(e, o) {
			return
		}
		if !shownAs(e, b.Metadata) {
			d.add(path, Type, "comes back without its extension type %s", e.ExtensionName())
		}
		d.types(path, e.StorageType(), b)
		return
	}
	if w, ok := w.(*arrow.DictionaryType); ok {
		if o, ok := b.Type.(*arrow.DictionaryType); ok && arrow.TypeEqual(w.IndexType, o.IndexType) && w.Ordered == o.Ordered {
			d.types(path, w.ValueType, arrow.Field{Type: o.ValueType, Metadata: b.Metadata})
			return
		}
	}
	if !d.nested(path, w, b.Type) && !arrow.TypeEqual(w, b.Type) {
		d.add(path, Type, "comes back as %s", word(b.Type))
	}
}

// shownAs reports whether metadata tell an extension type.
func shownAs(e arrow.ExtensionType, md arrow.Metadata) bool {
	name, _ := md.GetValue(ExtensionName)
	data, _ := md.GetValue(ExtensionMetadata)
	return name == e.ExtensionName() && data == e.Serialize()
}

// nested compares types of the same shape child by child. It returns false if they are not.
func (d *differ) nested(path string, w, b arrow.DataType) bool {
	switch w := w.(type) {
	case *arrow.StructType:
		b, ok := b.(*arrow.StructType)
		if !ok || len(b.Fields()) != len(w.Fields()) {
			return false
		}
		for i, f := range w.Fields() {
			d.named(Below(path, f.Name), f, b.Field(i))
		}
		return true
	case *arrow.MapType:
		b, ok := b.(*arrow.MapType)
		if !ok {
			return false
		}
		if w.KeysSorted && !b.KeysSorted {
			d.add(path, Type, "comes back as a map whose keys are not said to be sorted")
		}
		d.field(Below(path, "key"), w.KeyField(), b.KeyField())
		d.field(Below(path, "value"), w.ItemField(), b.ItemField())
		return true
	case arrow.ListLikeType:
		b, ok := b.(arrow.ListLikeType)
		if !ok || b.ID() == arrow.MAP {
			return false
		}
		if w.ID() != b.ID() || !sameSize(w, b) {
			d.add(path, Type, "comes back as %s", b.Name())
		}
		d.field(Below(path, "item"), w.ElemField(), b.ElemField())
		return true
	case arrow.UnionType:
		b, ok := b.(arrow.UnionType)
		if !ok || w.Mode() != b.Mode() || !slices.Equal(w.TypeCodes(), b.TypeCodes()) {
			return false
		}
		for i, f := range w.Fields() {
			d.named(Below(path, f.Name), f, b.Fields()[i])
		}
		return true
	}
	return false
}

func sameSize(a, b arrow.DataType) bool {
	x, ok := a.(*arrow.FixedSizeListType)
	y, both := b.(*arrow.FixedSizeListType)
	return !ok || !both || x.Len() == y.Len()
}

// word is the name of a type, without what is below it.
func word(t arrow.DataType) string {
	if _, ok := t.(arrow.NestedType); ok {
		return t.Name()
	}
	return t.String()
}
