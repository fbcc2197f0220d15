package rebuild

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Table is rowsets that may be of one table.
type Table struct {
	Hint    *Hint            // nil = none tells the name
	Schema  *kuduwire.Schema // of Hint, or of columns named by position and type
	RowSets []*RowSet
	Certainty
	Why string
}

// Tables puts rowsets of equal columns into tables. A key is live once in a table, so that rowsets that clash are of several:
// clash reports whether a key is live in both. Of several tables that a rowset may be of, it gets that of the rowset that was
// written last before it.
func Tables(rowsets []*RowSet, hints []Hint, clash func(a, b *RowSet) bool) []*Table {
	var out []*Table
	kinds := map[string][]*Table{}
	var order []string
	for _, r := range rowsets {
		kind := r.kind()
		if _, ok := kinds[kind]; !ok {
			order = append(order, kind)
		}
		var free []*Table
		for _, t := range kinds[kind] {
			if !slices.ContainsFunc(t.RowSets, func(o *RowSet) bool { return clash(o, r) }) {
				free = append(free, t)
			}
		}
		if len(free) == 0 {
			t := newTable(r, hints)
			t.RowSets = []*RowSet{r}
			kinds[kind] = append(kinds[kind], t)
			continue
		}
		best := free[0]
		for _, t := range free[1:] {
			if t.last().first > best.last().first {
				best = t
			}
		}
		best.RowSets = append(best.RowSets, r)
		if len(free) > 1 {
			best.doubt(fmt.Sprintf("its rowset %d may be of %d tables of the same columns", r.ID(), len(free)))
			best.Certainty = Doubtful
		}
	}
	for _, kind := range order {
		for _, t := range kinds[kind] {
			t.certain(len(kinds[kind]))
			out = append(out, t)
		}
	}
	return out
}

func (t *Table) last() *RowSet { return t.RowSets[len(t.RowSets)-1] }

func (t *Table) doubt(why string) {
	if t.Why != "" {
		t.Why += "; "
	}
	t.Why += why
}

// certain decides how sure it is that the rowsets are of one table.
func (t *Table) certain(tables int) {
	switch {
	case t.Certainty == Doubtful:
	case t.Hint == nil && len(t.RowSets) > 1:
		t.Certainty = Likely
		t.doubt("its rowsets have the same columns and no key in common, and nothing else tells that they are of one table")
	case t.Hint != nil && tables > 1:
		t.Certainty = Likely
		t.doubt("keys are live twice: some rowsets are of another table of the same columns, or older than the others")
	case t.Hint != nil:
		t.Certainty = Likely
		t.doubt("its rowsets have the columns of this table, as those of another could")
	default:
		t.Certainty = Sure
	}
}

// kind is what rowsets of one table have in common.
func (r *RowSet) kind() string {
	if r.Match != nil && len(r.Match.Hints) == 1 {
		return fmt.Sprint("hint ", r.Match.Hints[0])
	}
	var b strings.Builder
	fmt.Fprint(&b, r.Keys)
	for _, p := range r.Columns {
		if p == nil {
			b.WriteString(" ?")
			continue
		}
		fmt.Fprintf(&b, " %v %v %v", p.Type, p.Nullable, p.Array)
	}
	return b.String()
}

func newTable(r *RowSet, hints []Hint) *Table {
	t := &Table{}
	if r.Match == nil {
		t.Schema = r.positional()
		return t
	}
	first := &hints[r.Match.Hints[0]]
	if len(r.Match.Hints) == 1 {
		t.Hint, t.Schema = first, first.Schema
		return t
	}
	var names []string
	for _, i := range r.Match.Hints {
		if !slices.Contains(names, hints[i].Table) {
			names = append(names, hints[i].Table)
		}
	}
	t.doubt("it may be a part of " + strings.Join(names, ", or of "))
	for _, i := range r.Match.Hints[1:] {
		if !sameNames(r.Match.IDs, first.Schema, hints[i].Schema) {
			t.Schema = r.positional()
			return t
		}
	}
	t.Schema = &kuduwire.Schema{}
	plain := r.positional()
	for k, id := range r.Match.IDs {
		c := plain.Columns[k]
		if i := first.Schema.Index(id); i >= 0 {
			c = first.Schema.Columns[i]
		}
		t.Schema.Columns = append(t.Schema.Columns, c)
	}
	return t
}

// sameNames reports whether columns are the same in two schemas.
func sameNames(ids []int32, a, b *kuduwire.Schema) bool {
	for _, id := range ids {
		i, k := a.Index(id), b.Index(id)
		if (i < 0) != (k < 0) || i >= 0 && (a.Columns[i].Name != b.Columns[k].Name || a.Columns[i].Scale != b.Columns[k].Scale || a.Columns[i].Precision != b.Columns[k].Precision) {
			return false
		}
	}
	return true
}

// positional is a schema of columns that are named by position and type. Decimals have no scale, and the greatest precision.
func (r *RowSet) positional() *kuduwire.Schema {
	s := &kuduwire.Schema{}
	for i, p := range r.Columns {
		c := kuduwire.Column{ID: r.columnID(i), HasID: true, Name: fmt.Sprintf("c%d", i), Key: i < r.Keys}
		x := Column{}
		switch {
		case p != nil:
			x = p.column()
		case i < len(r.known):
			x = r.known[i]
		}
		c.Name += "_" + x.Type.String()
		c.Type, c.Nullable, c.Array = x.Type, x.Nullable, x.Array
		c.Precision = x.Type.Decimal()
		s.Columns = append(s.Columns, c)
	}
	return s
}
