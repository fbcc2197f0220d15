package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/inferred"
)

// clash is why fields cannot be one: no type of ours holds all values of both, or equal values do not mean the same.
type clash struct {
	path string  // below the column: ".a.b"
	what string  // they do not agree in; "" = the type
	a, b string  // what they say of it
	text [2]bool // which of their types are text
	from [2]int  // the schemas that a and b are of
}

// part is a field of a schema, to be joined with those of others.
type part struct {
	arrow.Field
	schema int
}

func (p part) equal(o part) bool {
	return p.Nullable == o.Nullable && p.Metadata.Equal(o.Metadata) && equalTypes(p.Type, o.Type)
}

// typeClash is about the types of two fields that do not fit.
func typeClash(a, b part) *clash {
	return &clash{
		a: typeText(a.Field), b: typeText(b.Field), from: [2]int{a.schema, b.schema},
		text: [2]bool{bytesKind(a.Type) == 's', bytesKind(b.Type) == 's'},
	}
}

// joinFields returns the field that holds every value of all parts, under the name of the first. What their metadata says in one
// voice stays. The order of the parts decides only the order of children.
func joinFields(parts []part) (arrow.Field, *clash) {
	var distinct []part
	for _, p := range parts {
		if !slices.ContainsFunc(distinct, p.equal) {
			distinct = append(distinct, p)
		}
	}
	f, c := joinDistinct(distinct)
	if c == nil || c.path != "" || c.what != "" || len(distinct) == 2 {
		return f, c
	}
	for j, b := range distinct { // the first two that do not fit each other
		for _, a := range distinct[:j] {
			if _, two := joinDistinct([]part{a, b}); two != nil {
				return f, two
			}
		}
	}
	return f, c
}

func joinDistinct(parts []part) (arrow.Field, *clash) {
	if len(parts) == 1 {
		return parts[0].Field, nil
	}
	known := withoutMarks(parts)
	f := known[0].Field
	t, c := joinTypes(known)
	if c != nil {
		if c.path == "" && c.what == "" {
			c = typeClash(parts[0], parts[len(parts)-1])
		}
		return f, c
	}
	e, c := joinExtensions(known)
	if c != nil {
		return f, c
	}
	md := f.Metadata
	none := f.Type.ID() == arrow.NULL && md.Len() == 0
	for _, p := range known[1:] {
		switch {
		case p.Type.ID() == arrow.NULL && p.Metadata.Len() == 0: // a field of nulls that says nothing agrees with everything
		case none:
			md, none = p.Metadata, false
		default:
			md = agreed(md, p.Metadata)
		}
	}
	f.Type, f.Metadata = t, e.onto(md, t)
	for _, p := range known {
		f.Nullable = f.Nullable || p.Nullable
		if p.Type.ID() == arrow.NULL && t.ID() != arrow.NULL {
			f = optional(f)
		}
	}
	return f, nil
}

// withoutMarks returns the parts with the types that fields have whose types were inferred: the narrowest that holds all values
// seen and goes with the other parts. Without values it is null, unless nothing is known of any part.
func withoutMarks(parts []part) []part {
	fields := make([]arrow.Field, len(parts))
	for i, p := range parts {
		fields[i] = p.Field
	}
	known := slices.Clone(parts)
	put := func(fields []arrow.Field) {
		for i, f := range fields {
			known[i].Field = f
		}
	}
	choices := inferred.Join(fields)
	for i, fields := range choices {
		put(fields)
		if len(choices) == 1 {
			return known
		}
		// A wider type than is needed is read of text only if it is that of all files in the end.
		if t, c := joinTypes(known); c == nil && (i == 0 || slices.ContainsFunc(fields, func(f arrow.Field) bool { return arrow.TypeEqual(f.Type, t) })) {
			return known
		}
	}
	put(choices[0])
	return known
}

// agreed returns the entries of a that b has, too.
func agreed(a, b arrow.Metadata) arrow.Metadata {
	if a.Equal(b) {
		return a
	}
	var keys, values []string
	for i, k := range a.Keys() {
		if j := b.FindKey(k); j >= 0 && b.Values()[j] == a.Values()[i] {
			keys, values = append(keys, k), append(values, a.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// optional returns f such that it can be null. A union is null where the value of a branch is: one must be able to.
func optional(f arrow.Field) arrow.Field {
	f.Nullable = true
	if u, ok := f.Type.(arrow.UnionType); ok && !canBeNull(u) && len(u.Fields()) > 0 {
		fields := append([]arrow.Field{}, u.Fields()...)
		fields[0] = optional(fields[0])
		f.Type = unionOf(u.Mode(), fields, u.TypeCodes())
	}
	return f
}

// nullBranch returns the first branch of a union that can be null, -1 = none.
func nullBranch(u arrow.UnionType) int {
	for i, f := range u.Fields() {
		if (f.Nullable || f.Type.ID() == arrow.NULL) && canBeNull(f.Type) {
			return i
		}
	}
	return -1
}

// canBeNull tells whether a type has a null: unions have those of their branches alone.
func canBeNull(t arrow.DataType) bool {
	u, ok := t.(arrow.UnionType)
	return !ok || nullBranch(u) >= 0
}

func unionOf(mode arrow.UnionMode, fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.DataType {
	if mode == arrow.SparseMode {
		return arrow.SparseUnionOf(fields, codes)
	}
	return arrow.DenseUnionOf(fields, codes)
}

// joinTypes returns the type that holds every value of all parts, of which there is at least one.
func joinTypes(parts []part) (arrow.DataType, *clash) {
	some := make([]part, 0, len(parts)) // that have values
	for _, p := range parts {
		if p.Type.ID() != arrow.NULL {
			some = append(some, p)
		}
	}
	if len(some) == 0 {
		return parts[0].Type, nil
	}
	first := some[0].Type
	if !slices.ContainsFunc(some, func(p part) bool { return !equalTypes(first, p.Type) }) {
		return first, nil
	}
	for i := range some {
		some[i].Type = arrowtype.Storage(some[i].Type)
	}
	switch {
	case all[*arrow.StructType](some):
		return joinStructs(some)
	case all[*arrow.MapType](some):
		return joinMaps(some)
	case all[arrow.ListLikeType](some):
		return joinLists(some)
	case all[arrow.UnionType](some):
		return joinUnions(some)
	}
	types := make([]arrow.DataType, len(some))
	for i, p := range some {
		types[i] = p.Type
	}
	if t := joinFlat(types); t != nil {
		return t, nil
	}
	return first, misfit(some)
}

// misfit is a clash of the types of parts; joinFields finds out which do not fit each other.
func misfit(parts []part) *clash { return typeClash(parts[0], parts[len(parts)-1]) }

// all reports whether the types of all parts are of one Go type.
func all[T arrow.DataType](parts []part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool {
		_, ok := p.Type.(T)
		return !ok
	})
}

// joinInside joins a field of the type of every part, and returns the place of a clash below that type.
func joinInside(parts []part, field func(arrow.DataType) arrow.Field) (arrow.Field, *clash) {
	inside := make([]part, len(parts))
	for i, p := range parts {
		inside[i] = part{field(p.Type), p.schema}
	}
	f, c := joinFields(inside)
	if c != nil {
		c.path = "." + inside[0].Name + c.path
	}
	return f, c
}

func joinStructs(parts []part) (arrow.DataType, *clash) {
	first := parts[0].Type.(*arrow.StructType)
	var fields []arrow.Field
	if !slices.ContainsFunc(parts, func(p part) bool { return !arrow.TypeEqual(first, p.Type) }) { // by place, because two children may have one name
		for i := range first.Fields() {
			f, c := joinInside(parts, func(t arrow.DataType) arrow.Field { return t.(*arrow.StructType).Field(i) })
			if c != nil {
				return first, c
			}
			fields = append(fields, f)
		}
		return arrow.StructOf(fields...), nil
	}
	have := map[string][]part{} // by the name of a child
	var names []string
	for _, p := range parts {
		s := p.Type.(*arrow.StructType)
		if twoOfOneName(s) {
			return first, misfit(parts)
		}
		for _, f := range s.Fields() {
			if have[f.Name] == nil {
				names = append(names, f.Name)
			}
			have[f.Name] = append(have[f.Name], part{f, p.schema})
		}
	}
	for _, name := range names {
		f, c := joinFields(have[name])
		if c != nil {
			c.path = "." + name + c.path
			return first, c
		}
		if len(have[name]) < len(parts) {
			f = optional(f)
		}
		fields = append(fields, f)
	}
	return arrow.StructOf(fields...), nil
}

func twoOfOneName(t *arrow.StructType) bool {
	seen := make(map[string]struct{}, t.NumFields())
	for _, f := range t.Fields() {
		seen[f.Name] = struct{}{}
	}
	return len(seen) < t.NumFields()
}

func joinMaps(parts []part) (arrow.DataType, *clash) {
	first := parts[0].Type.(*arrow.MapType)
	keyOf := func(t arrow.DataType) arrow.Field { return t.(*arrow.MapType).KeyField() }
	key, c := joinInside(parts, keyOf)
	if c != nil {
		return first, c
	}
	if i := slices.IndexFunc(parts, func(p part) bool { return !keyOf(p.Type).Nullable }); i >= 0 && key.Nullable { // other keys are of type null
		k := max(0, slices.IndexFunc(parts, func(p part) bool { return keyOf(p.Type).Nullable || keyOf(p.Type).Type.ID() == arrow.NULL }))
		i, k = min(i, k), max(i, k)
		c = typeClash(part{keyOf(parts[i].Type), parts[i].schema}, part{keyOf(parts[k].Type), parts[k].schema})
		c.path = "." + first.KeyField().Name
		return first, c
	}
	item, c := joinInside(parts, func(t arrow.DataType) arrow.Field { return t.(*arrow.MapType).ItemField() })
	if c != nil {
		return first, c
	}
	m := arrowtype.WithChildren(first, []arrow.Field{key, item}).(*arrow.MapType)
	m.KeysSorted = !slices.ContainsFunc(parts, func(p part) bool { return !p.Type.(*arrow.MapType).KeysSorted })
	return m, nil
}

func joinLists(parts []part) (arrow.DataType, *clash) {
	first := parts[0].Type.(arrow.ListLikeType)
	if slices.ContainsFunc(parts, func(p part) bool {
		return p.Type.ID() != first.ID() || listLen(p.Type.(arrow.ListLikeType)) != listLen(first)
	}) {
		return first, misfit(parts)
	}
	e, c := joinInside(parts, func(t arrow.DataType) arrow.Field { return t.(arrow.ListLikeType).ElemField() })
	if c != nil {
		return first, c
	}
	return arrowtype.WithChildren(first, []arrow.Field{e}), nil
}

// joinUnions joins branches in place: codes and names must be the same.
func joinUnions(parts []part) (arrow.DataType, *clash) {
	first := parts[0].Type.(arrow.UnionType)
	if slices.ContainsFunc(parts, func(p part) bool { return !sameBranches(first, p.Type.(arrow.UnionType)) }) {
		return first, misfit(parts)
	}
	fields := make([]arrow.Field, len(first.Fields()))
	for i := range fields {
		var c *clash
		if fields[i], c = joinInside(parts, func(t arrow.DataType) arrow.Field { return t.(arrow.UnionType).Fields()[i] }); c != nil {
			return first, c
		}
	}
	return unionOf(first.Mode(), fields, first.TypeCodes()), nil
}

// sameBranches reports whether two unions have the same codes and names of branches.
func sameBranches(a, b arrow.UnionType) bool {
	return a.Mode() == b.Mode() && slices.Equal(a.TypeCodes(), b.TypeCodes()) &&
		slices.EqualFunc(a.Fields(), b.Fields(), func(x, y arrow.Field) bool { return x.Name == y.Name })
}
