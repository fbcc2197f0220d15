package tablediff

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// PairOptions say which columns are compared.
type PairOptions struct {
	Exclude    []string // paths; what is below them, too. They need not exist.
	IgnoreCase bool     // names of columns are the same in upper and lower case
	// Masked are the columns, of A and of B, that are not shown as they are since they are encrypted: paths with dots and without quotes.
	// What is in them is masked, too. Such a column is not compared.
	Masked [2][]string
}

// Column is a column that both tables have: a top-level column, or a field of a struct at any depth.
type Column struct {
	Path  string   // as expr.Quote writes it, with the names of A
	A, B  TypeInfo // of the two tables
	Note  string   // how values of the two types are compared, where a user should know it
	Apart string   // why its values cannot be compared; "" = they are
	// Metadata is that of the two fields. That of fields inside of lists, maps and unions has their names before its keys.
	Metadata [2]arrow.Metadata
	form     *form
	at       [2][]int // from the top to the field
	// presence: the column is a struct, of which only whether it is null is compared; its fields are columns of their own.
	presence bool
}

// TypeInfo is what a schema says of a column.
type TypeInfo struct {
	Type     string
	Nullable bool
}

// Pairing says which columns of two tables belong together.
type Pairing struct {
	Columns      []Column // in the order of A
	OnlyA, OnlyB []string // paths of columns of one table alone
	Moved        []Moved  // where the columns of both are in another order

	fold bool // names are the same in upper and lower case
}

// Moved is a column that stands in B before the one that it follows in A.
type Moved struct{ Path, Before string }

// Pair finds the columns that two tables have both, by name. Of columns of one name in a table the first belongs to the first of the
// other, and so on.
func Pair(a, b *arrow.Schema, o PairOptions) *Pairing {
	p := &Pairing{fold: o.IgnoreCase}
	x := pairer{p: p, o: o}
	for _, path := range o.Exclude {
		if names, ok := expr.Names(path); ok {
			x.exclude = append(x.exclude, names)
		}
	}
	x.fields(a.Fields(), b.Fields(), nil, nil, nil)
	return p
}

type pairer struct {
	p       *Pairing
	o       PairOptions
	exclude [][]string
}

func (x *pairer) same(a, b string) bool { return a == b || x.o.IgnoreCase && strings.EqualFold(a, b) }

func (x *pairer) excluded(names []string) bool {
	return slices.ContainsFunc(x.exclude, func(e []string) bool { return len(e) == len(names) && slices.EqualFunc(e, names, x.same) })
}

func (x *pairer) fields(a, b []arrow.Field, names []string, atA, atB []int) {
	taken := make([]bool, len(b))
	last, before := -1, ""
	for i, fa := range a {
		path := append(slices.Clone(names), fa.Name)
		// An exact name goes first, so that A and a of one table find A and a of the other.
		j := slices.IndexFunc(b, func(f arrow.Field) bool { return f.Name == fa.Name })
		for j >= 0 && j < len(b) && (taken[j] || b[j].Name != fa.Name) {
			if j++; j == len(b) {
				j = -1
			}
		}
		if j < 0 && x.o.IgnoreCase {
			for k, f := range b {
				if !taken[k] && x.same(f.Name, fa.Name) && !slices.ContainsFunc(a, func(o arrow.Field) bool { return o.Name == f.Name }) {
					j = k
					break
				}
			}
		}
		if j >= 0 {
			taken[j] = true
		}
		switch {
		case x.excluded(path):
		case j < 0:
			x.p.OnlyA = append(x.p.OnlyA, expr.Quote(path...))
		default:
			name := expr.Quote(path...)
			if j < last {
				x.p.Moved = append(x.p.Moved, Moved{name, before})
			}
			last, before = j, name
			x.field(fa, b[j], path, append(slices.Clone(atA), i), append(slices.Clone(atB), j))
		}
	}
	for j, f := range b {
		if path := append(slices.Clone(names), f.Name); !taken[j] && !x.excluded(path) {
			x.p.OnlyB = append(x.p.OnlyB, expr.Quote(path...))
		}
	}
}

func (x *pairer) field(a, b arrow.Field, path []string, atA, atB []int) {
	c := Column{
		Path: expr.Quote(path...), at: [2][]int{atA, atB},
		A: TypeInfo{a.Type.String(), a.Nullable}, B: TypeInfo{b.Type.String(), b.Nullable},
		Metadata: [2]arrow.Metadata{fieldMetadata(a), fieldMetadata(b)},
	}
	if c.Apart = x.masked(strings.Join(path, ".")); c.Apart != "" {
		x.p.Columns = append(x.p.Columns, c)
		return
	}
	sa, isA := a.Type.(*arrow.StructType)
	sb, isB := b.Type.(*arrow.StructType)
	if isA && isB {
		c.presence = true
		c.A.Type, c.B.Type = "struct", "struct"
		c.form = &form{kind: kindNull, load: both(loadPresence)}
		x.p.Columns = append(x.p.Columns, c)
		x.fields(sa.Fields(), sb.Fields(), path, atA, atB)
		return
	}
	if c.form, c.Apart = pairTypes(a.Type, b.Type); c.form != nil {
		c.Note = noted(c.form)
	}
	x.p.Columns = append(x.p.Columns, c)
}

// fieldMetadata returns the metadata of a column: of a struct alone that of the field, as the fields of it are columns of their own.
func fieldMetadata(f arrow.Field) arrow.Metadata {
	var keys, values []string
	var add func(f arrow.Field, prefix string)
	add = func(f arrow.Field, prefix string) {
		for i, k := range f.Metadata.Keys() {
			keys, values = append(keys, prefix+k), append(values, f.Metadata.Values()[i])
		}
		if t, ok := f.Type.(arrow.NestedType); ok && (prefix != "" || f.Type.ID() != arrow.STRUCT) {
			for _, child := range t.Fields() {
				add(child, prefix+child.Name+".")
			}
		}
	}
	add(f, "")
	return arrow.NewMetadata(keys, values)
}

// masked says where a column is masked; "" = in neither table.
func (x *pairer) masked(path string) string {
	in := func(masked []string) bool {
		return slices.ContainsFunc(masked, func(m string) bool { return x.same(m, path) })
	}
	switch a, b := in(x.o.Masked[0]), in(x.o.Masked[1]); {
	case a && b:
		return "it is encrypted, and shown masked in both"
	case a:
		return "it is encrypted, and shown masked in A"
	case b:
		return "it is encrypted, and shown masked in B"
	}
	return ""
}

// Comparable returns the number of columns whose values are compared; of structs alone whether they are null does not count.
func (p *Pairing) Comparable() (n int) {
	for _, c := range p.Columns {
		if c.Apart == "" && !c.presence {
			n++
		}
	}
	return n
}

// noted returns the first note of a form or of what is in it.
func noted(f *form) string {
	note := f.note
	for _, c := range f.child {
		if note == "" {
			note = noted(c)
		}
	}
	return note
}

func loadPresence(v *vec, d arrow.ArrayData, at, n int) error {
	v.begin(d, at, n)
	return nil
}

// CheckKey refuses columns that cannot be the key.
func (p *Pairing) CheckKey(key []string) error {
	_, err := p.compared(key)
	return err
}

// compared returns the numbers of the columns whose values are compared, those of the key first.
func (p *Pairing) compared(key []string) (order []int, err error) {
	for _, name := range key {
		names, ok := expr.Names(name)
		i := slices.IndexFunc(p.Columns, func(c Column) bool { return ok && c.Path == expr.Quote(names...) })
		if i < 0 && ok && p.fold {
			i = slices.IndexFunc(p.Columns, func(c Column) bool { return strings.EqualFold(c.Path, expr.Quote(names...)) })
		}
		switch {
		case i < 0:
			return nil, errs.Errorf(errs.ErrOption, "the key names column %s, which is not a column of both", name)
		case p.Columns[i].Apart != "":
			return nil, errs.Errorf(errs.ErrOption, "column %s cannot be part of the key: %s", name, p.Columns[i].Apart)
		case p.Columns[i].presence:
			return nil, errs.Errorf(errs.ErrOption, "column %s is a struct: name its fields in the key", name)
		case slices.Contains(order, i):
			return nil, errs.Errorf(errs.ErrOption, "the key names column %s twice", name)
		}
		order = append(order, i)
	}
	for i, c := range p.Columns {
		if c.Apart == "" && !slices.Contains(order[:len(key)], i) {
			order = append(order, i)
		}
	}
	return order, nil
}

// Paths returns the names by which a scan of one side, 0 or 1, reads what is compared, of a schema that has these columns; nil = all
// columns must be read, since several have one name.
func (p *Pairing) Paths(side int, s *arrow.Schema) []string {
	paths := []string{}
	for _, c := range p.Columns {
		if c.Apart != "" {
			continue
		}
		var names []string
		fields := s.Fields()
		for depth, i := range c.at[side] {
			f := fields[i]
			if n := slices.IndexFunc(fields, func(o arrow.Field) bool { return o.Name == f.Name }); n != i {
				return nil
			}
			names = append(names, f.Name)
			if depth < len(c.at[side])-1 {
				fields = f.Type.(*arrow.StructType).Fields()
			}
		}
		if c.presence && slices.ContainsFunc(p.Columns, func(o Column) bool {
			return o.Apart == "" && len(o.at[side]) > len(names) && slices.Equal(o.at[side][:len(names)], c.at[side])
		}) {
			continue // it comes with its fields
		}
		paths = append(paths, expr.Quote(names...))
	}
	return paths
}
