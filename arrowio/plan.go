package arrowio

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// plan is what a scan does, resolved once against its schema. Apart from the counters it does not change.
type plan struct {
	schema *arrow.Schema // of the files
	o      ScanOptions   // with defaults
	out    Projection    // what the records hold
	filter *filterPlan   // nil = all rows

	stats counters
	rate  atomic.Int64 // bytes of Arrow memory per 1024 rows, of the latest batch; 0 = none yet
}

// filterPlan says which columns a filtered scan reads in which pass, and where each column of its records comes from.
//
// Two passes: the predicate's columns, then, for the rows that satisfy it, what is missing for the record. One pass,
// where nothing would be missing or the split can be read only once: everything at once.
type filterPlan struct {
	*expr.Bound
	first pass       // the predicate's columns
	both  pass       // the predicate's and the record's columns
	rest  Projection // the record's columns that first does not have
	lists sync.Pool  // of *rowLists
}

// pass is a projection that the predicate can be computed on.
type pass struct {
	Projection
	give   *arrow.Schema        // the columns of the record that can be made from this projection, in its order,
	keep   []arrowbuf.Selection // what they are in this projection,
	column []int                // and in the record
}

func newPlan(schema *arrow.Schema, o ScanOptions) (*plan, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &plan{schema: schema, o: o}
	if p.out, err = Project(schema, o.Columns); err != nil {
		return nil, err
	}
	if err := arrowtype.CheckMaps(p.out.Schema); err != nil {
		return nil, err
	}
	if o.Filter == nil {
		return p, nil
	}
	f := &filterPlan{}
	if f.Bound, err = expr.Bind(o.Filter, schema); err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "filter %s: %w", o.Filter, err)
	}
	columns := append([]string{}, f.Columns()...) // not nil: a predicate on nothing reads nothing, not everything
	if f.first, err = p.newPass(columns); err != nil {
		return nil, err
	}
	all := o.Columns
	if all != nil {
		all = slices.Concat(all, columns)
	}
	if f.both, err = p.newPass(all); err != nil {
		return nil, err
	}
	f.rest = p.except(f.first.column)
	p.filter = f
	return p, nil
}

func (p *plan) newPass(columns []string) (pass, error) {
	pr, err := Project(p.schema, columns)
	if err != nil {
		return pass{}, err
	}
	w := pass{Projection: pr}
	var fields []arrow.Field
	for out, f := range p.out.Fields {
		in := slices.IndexFunc(pr.Fields, func(h ProjectedField) bool { return h.Index == f.Index })
		if in >= 0 && covers(pr.Fields[in], f) {
			fields = append(fields, p.out.Schema.Field(out))
			w.keep = append(w.keep, arrowbuf.Selection{Index: in, Children: within(pr.Fields[in].Children, f.Children)})
			w.column = append(w.column, out)
		}
	}
	w.give = arrow.NewSchema(fields, nil)
	return w, nil
}

// except returns the projection of the record's columns that are not in given.
func (p *plan) except(given []int) Projection {
	var pr Projection
	var fields []arrow.Field
	for i, f := range p.out.Fields {
		if !slices.Contains(given, i) {
			pr.Fields = append(pr.Fields, f)
			fields = append(fields, p.out.Schema.Field(i))
		}
	}
	md := p.out.Schema.Metadata()
	pr.Schema = arrow.NewSchema(fields, &md)
	return pr
}

// covers reports whether everything of want is in have; both are projections of one field.
func covers(have, want ProjectedField) bool {
	if have.Children == nil {
		return true
	}
	if want.Children == nil {
		return false
	}
	for _, w := range want.Children {
		h := slices.IndexFunc(have.Children, func(h ProjectedField) bool { return h.Index == w.Index })
		if h < 0 || !covers(have.Children[h], w) {
			return false
		}
	}
	return true
}

// within returns where, among the children that a projection has (nil = all), those that are wanted are. It returns nil
// where they are the same.
func within(have, want []ProjectedField) []arrowbuf.Selection {
	same := len(have) == len(want)
	var out []arrowbuf.Selection
	for i, w := range want {
		s := arrowbuf.Selection{Index: w.Index}
		var children []ProjectedField
		if have != nil {
			s.Index = slices.IndexFunc(have, func(h ProjectedField) bool { return h.Index == w.Index })
			children = have[s.Index].Children
		}
		s.Children = within(children, w.Children)
		same = same && s.Index == i && s.Children == nil
		out = append(out, s)
	}
	if same {
		return nil
	}
	return out
}
