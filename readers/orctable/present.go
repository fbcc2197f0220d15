package orctable

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// presentation is how a table is shown: under the schema of its newest file, or under the one that ShowFiles is asked for.
type presentation struct {
	schema  *arrow.Schema
	by      view.Match        // how the columns of files are matched with the schema
	asked   bool              // the schema was asked for
	shown   []arrowio.File    // the fragments under it
	unshown []arrowio.Warning // about files whose columns it does not have
}

// Schema returns the columns of the rows in the newest chosen file, row__id if Options.RowIDs is set, and the partition columns.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// NamedByCatalog says that Hive can rename every column of the table without changing the files: see view.Absent.
func (t *Table) NamedByCatalog() bool { return true }

// ShowFiles implements view.Composed. Names are matched without regard to case.
func (t *Table) ShowFiles(to *arrow.Schema, o view.Options) (arrowio.File, error) {
	s := &Table{contents: t.contents, presentation: presentation{schema: to, by: matchOf(o), asked: true}}
	if err := s.show(o.Cast); err != nil {
		return nil, at("", err)
	}
	s.warnOfNulls()
	return s, nil
}

// MatchFiles implements view.Composed.
func (t *Table) MatchFiles(to *arrow.Schema, o view.Options) []view.FileMatch {
	s := &Table{contents: t.contents, presentation: presentation{schema: to, by: matchOf(o)}}
	var out []view.FileMatch
	for _, g := range t.frags {
		named, columns := s.match(g)
		i := slices.IndexFunc(out, func(m view.FileMatch) bool { return m.Schema == named.schema || m.Schema.Equal(named.schema) })
		if i < 0 {
			i = len(out)
			out = append(out, view.FileMatch{Schema: named.schema, Columns: columns, Cast: alsoText(o.Cast)})
		}
		out[i].Files++
	}
	if len(out) == 0 { // no file has rows
		return []view.FileMatch{{Schema: t.schema, Columns: view.MatchFields(t.schema.Fields(), to.Fields(), s.by)}}
	}
	return out
}

func matchOf(o view.Options) view.Match {
	if o.Match == view.ByName {
		return view.ByNameOrFold
	}
	return o.Match
}

// show shows the fragments under the schema. Numbers are shown as text where the schema has text and the cast does not convert them,
// as in Hive.
func (t *Table) show(cast view.Cast) error {
	t.shown = make([]arrowio.File, len(t.frags))
	for i, g := range t.frags {
		named, columns := t.match(g)
		o := view.Options{Columns: columns, Match: t.by, Cast: cast}
		if o.Match == view.ByPosition { // which is meant for the columns, not for what is inside of them
			o.Match = view.ByNameOrFold
		}
		var err error
		if t.shown[i], err = view.Show(named, t.schema, o); err != nil {
			o.Cast = alsoText(cast)
			t.shown[i], err = view.Show(named, t.schema, o)
		}
		if err != nil {
			return at(g.part.path, at(g.of.path, err))
		}
	}
	return nil
}

// match returns which column of a fragment each column of the schema is; -1 = none. The fragment may come back with other names inside
// of its rows: see named.
func (t *Table) match(g *fragment) (*fragment, []int) {
	own := g.schema.Fields()
	added := slices.IndexFunc(g.sorts, func(c column) bool { return c.sort == fromRowID || c.sort == fromPartition })
	if added < 0 {
		added = len(own)
	}
	columns := t.matchColumns(own[:added], own[added:])
	if t.opt.Events {
		if i := slices.Index(columns, len(eventFields)); i >= 0 {
			g = g.named(t.schema.Field(i).Type, t.by)
		}
	}
	return g, columns
}

// matchColumns returns for each column of the schema its place among the columns of a file and, behind these, those that the table
// adds, the row id and the columns of the partition; -1 = it has none. What the table adds goes by name, and does not count where the
// columns of the file are matched by position.
func (t *Table) matchColumns(file, added []arrow.Field) []int {
	columns := make([]int, t.schema.NumFields())
	var rest []int
	var fields []arrow.Field // of the schema: rest
	for i, f := range t.schema.Fields() {
		k := slices.IndexFunc(added, func(o arrow.Field) bool { return strings.EqualFold(o.Name, f.Name) })
		if k >= 0 {
			columns[i] = len(file) + k
			continue
		}
		rest, fields = append(rest, i), append(fields, f)
	}
	for k, found := range view.MatchFields(file, fields, t.by) {
		columns[rest[k]] = found
	}
	return columns
}

// named returns a fragment of events in which the columns inside of the row have the names that they are matched with by position in
// the type `to`, where they are matched so.
func (g *fragment) named(to arrow.DataType, by view.Match) *fragment {
	row := g.schema.Field(len(eventFields))
	own, ok := row.Type.(*arrow.StructType)
	want, ok2 := to.(*arrow.StructType)
	if !ok || !ok2 || by != view.ByPosition && unnamed(own.Fields()) == unnamed(want.Fields()) {
		return g
	}
	children := slices.Clone(own.Fields())
	for i := range children {
		if i < want.NumFields() {
			children[i].Name = want.Field(i).Name
		} else {
			children[i].Name = "_col" + strconv.Itoa(i) // it is shown nowhere
		}
	}
	fields := slices.Clone(g.schema.Fields())
	row.Type = arrow.StructOf(children...)
	fields[len(eventFields)] = row
	other := *g
	other.schema, other.renamed = arrow.NewSchema(fields, nil), true
	return &other
}

// warnOfNulls tells of files that have no column of the schema, unless none has any.
func (t *Table) warnOfNulls() {
	var first *fragment
	files := 0
	for _, g := range t.frags {
		if _, columns := t.match(g); !slices.ContainsFunc(columns, func(k int) bool { return k >= 0 }) {
			if files++; first == nil {
				first = g
			}
		}
	}
	if files == 0 || files == len(t.frags) || t.schema.NumFields() == 0 {
		return
	}
	where := andMore(first.of.path, files)
	w := arrowio.Warnf(arrowio.WarnDoubt, where+": no column of the schema is there, and all are null in its rows")
	w.Place = where
	t.unshown = append(t.unshown, w)
}
