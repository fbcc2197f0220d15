package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowmeta"
)

// Doubts returns a warning where matching columns by name has probably not done what was meant: names that differ only in case, or
// in spaces at their ends, and no schema has both; one name for fields of different ids; two names for one id. It returns those that concern a scan of
// the given columns, which are dotted paths; nil = all. Each warning is about two schemas, and names an example and the other
// columns.
func (u *Union) Doubts(columns []string) []arrowio.Warning {
	if u.same {
		return nil
	}
	d := doubts{u: u, spellings: map[string]*spellings{}, ids: map[string]fieldID{}, names: map[string]*names{}, columns: columns}
	for k, s := range u.schemas {
		if !u.byPosition && unnamed(s.Fields()) {
			continue // its columns have the names of other files
		}
		d.iceberg = d.iceberg || u.source(k).Iceberg
		d.fields(s.Fields(), nil, k)
	}
	for _, s := range d.order {
		d.spelled(s)
	}
	d.renamed()
	var out []arrowio.Warning
	for _, g := range d.groups {
		out = append(out, g.warning(d))
	}
	return out
}

// doubts are found while the fields of all schemas are gone through.
type doubts struct {
	u         *Union
	columns   []string
	spellings map[string]*spellings
	order     []*spellings
	ids       map[string]fieldID // by path, the first
	groups    []*doubtGroup
	names     map[string]*names // by the path of the parent and the id
	nameOrder []*names
	iceberg   bool // some schema is known to be that of an Iceberg table
}

// spellings are the names of one parent that are alike but for case and spaces.
type spellings struct {
	list     []spelling
	together bool // one schema has several of them, so that they are meant to be several
}

type spelling struct {
	path   []string
	schema int // the first that has it
}

func (s spelling) name() string { return s.path[len(s.path)-1] }

type fieldID struct {
	id     string
	schema int
}

// fields goes through the fields below a path of schema k.
func (d *doubts) fields(fields []arrow.Field, above []string, k int) {
	here := map[*spellings]bool{}
	for i, f := range fields {
		if len(above) == 0 && d.u.byPosition {
			f.Name = d.u.fields[i].Name
		}
		path := append(slices.Clone(above), f.Name)
		if len(above) > 0 || !d.u.byPosition {
			s := d.spelling(path, k)
			s.together = s.together || here[s]
			here[s] = true
		}
		if id, ok := f.Metadata.GetValue(arrowmeta.FieldID); ok {
			d.id(expr.Quote(path...), fieldID{id, k})
			d.named(path, id, f, k)
		}
		d.fields(fieldsIn(f.Type), path, k)
	}
}

func (d *doubts) spelling(path []string, k int) *spellings {
	name := path[len(path)-1]
	key := expr.Quote(append(slices.Clone(path[:len(path)-1]), strings.ToLower(strings.TrimSpace(name)))...)
	s := d.spellings[key]
	if s == nil {
		s = &spellings{}
		d.spellings[key] = s
		d.order = append(d.order, s)
	}
	if !slices.ContainsFunc(s.list, func(o spelling) bool { return o.name() == name }) {
		s.list = append(s.list, spelling{path, k})
	}
	return s
}

// spelled adds a doubt for each name but the first.
func (d *doubts) spelled(s *spellings) {
	if s.together || len(s.list) < 2 {
		return
	}
	a := s.list[0]
	for _, b := range s.list[1:] {
		one, other, how := expr.Quote(a.path...), expr.Quote(b.path...), "case"
		if strings.TrimSpace(a.name()) != a.name() || strings.TrimSpace(b.name()) != b.name() {
			how = "spaces at the ends"
			if !strings.EqualFold(a.name(), b.name()) && strings.TrimSpace(a.name()) != strings.TrimSpace(b.name()) {
				how = "case and in " + how
			}
		}
		example := fmt.Sprintf("%s (%s) and %s (%s) differ only in %s and are two columns", one, d.name(a.schema), other, d.name(b.schema), how)
		d.add(doubtGroup{kind: how, a: a.schema, b: b.schema, text: example}, one+" and "+other, one, other)
	}
}

// id adds a doubt if a field has another id than in the first schema that gives it one.
func (d *doubts) id(path string, at fieldID) {
	first, ok := d.ids[path]
	if !ok {
		d.ids[path] = at
		return
	}
	if first.id == at.id {
		return
	}
	example := fmt.Sprintf("%s is field %s in %s and field %s in %s", path, first.id, d.name(first.schema), at.id, d.name(at.schema))
	d.add(doubtGroup{kind: "id", a: first.schema, b: at.schema, text: example}, path, path)
}

func (d *doubts) name(schema int) string { return d.u.source(schema).Name }

// doubtGroup is a warning about two schemas.
type doubtGroup struct {
	kind  string
	a, b  int    // the schemas
	text  string // about the first columns
	more  []string
	paths []string
}

// add puts the columns of the given paths into the warning about their schemas, if the scan reads one of them.
func (d *doubts) add(g doubtGroup, short string, paths ...string) {
	w := arrowio.Warning{Columns: paths}
	if _, ok := w.For(d.columns); !ok {
		return
	}
	for _, o := range d.groups {
		if o.kind == g.kind && o.a == g.a && (o.b == g.b || g.kind == "id" || g.kind == "renamed") {
			if !slices.Contains(o.paths, paths[0]) {
				o.more = append(o.more, short)
				o.paths = append(o.paths, paths...)
			}
			return
		}
	}
	g.paths = paths
	d.groups = append(d.groups, &g)
}

func (g *doubtGroup) warning(d doubts) arrowio.Warning {
	text := g.text
	var options []errs.Option
	if g.kind == "id" || g.kind == "renamed" {
		if d.iceberg {
			text += ": the files are of an Iceberg table whose columns were renamed"
		} else {
			text += ": if the files are of an Iceberg table, its columns were renamed"
		}
		for _, k := range []int{g.a, g.b} {
			if cure := d.u.source(k).ByID; cure != nil {
				text += "; " + cure.Error()
				options = errs.OptionsOf(cure)
				break
			}
		}
	}
	const most = 20
	more := g.more
	if n := len(more) - most; n > 0 {
		more = append(slices.Clone(more[:most]), fmt.Sprintf("and %d more", n))
	}
	if len(more) > 0 {
		text += "; the same holds of " + strings.Join(more, ", ")
	}
	w := arrowio.Warnf(arrowio.WarnDoubt, text)
	w.File, w.Columns, w.Options = d.name(g.a), g.paths, options
	return w
}
