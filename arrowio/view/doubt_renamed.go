package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// names are the names that the field of one id has below one parent.
type names struct {
	id   string
	list []spelling
	part []part // of each, as the first schema has it
}

// named takes note of the name of a field with an id.
func (d *doubts) named(path []string, id string, f arrow.Field, k int) {
	key := expr.Quote(append(slices.Clone(path[:len(path)-1]), id)...)
	n := d.names[key]
	if n == nil {
		n = &names{id: id}
		d.names[key] = n
		d.nameOrder = append(d.nameOrder, n)
	}
	name := path[len(path)-1]
	if !slices.ContainsFunc(n.list, func(o spelling) bool { return o.name() == name }) {
		n.list, n.part = append(n.list, spelling{path, k}), append(n.part, part{f, k})
	}
}

// renamed adds a doubt for each id whose field has another name than in the first schema, unless another doubt is about these columns,
// their types are not read as one, or some schema has both names.
func (d *doubts) renamed() {
	var told []string
	for _, g := range d.groups {
		told = append(told, g.paths...)
	}
	for _, n := range d.nameOrder {
		for i, b := range n.list[1:] {
			a := n.list[0]
			one, other := expr.Quote(a.path...), expr.Quote(b.path...)
			if _, c := joinFields([]part{n.part[0], n.part[i+1]}); c != nil || slices.Contains(told, one) || slices.Contains(told, other) || d.together(a, b) {
				continue
			}
			text := fmt.Sprintf("field %s is %s in %s and %s in %s, and is read as two columns", n.id, one, d.name(a.schema), other, d.name(b.schema))
			d.add(doubtGroup{kind: "renamed", a: a.schema, b: b.schema, text: text}, one+" and "+other, one, other)
		}
	}
}

// together reports whether a schema has two names below one parent.
func (d *doubts) together(a, b spelling) bool {
	return slices.ContainsFunc(d.u.schemas, func(s *arrow.Schema) bool {
		fields := s.Fields()
		for _, name := range a.path[:len(a.path)-1] {
			i := slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == name })
			if i < 0 {
				return false
			}
			fields = fieldsIn(fields[i].Type)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(fields, func(f arrow.Field) bool { return f.Name == name })
		}
		return !strings.EqualFold(a.name(), b.name()) && has(a.name()) && has(b.name())
	})
}
