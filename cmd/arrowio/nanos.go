package main

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/convert"
)

// A column that another file has in nanoseconds stays in nanoseconds: to read it in microseconds would only cut off digits.

// coarseColumn is a column that coarsen has chosen.
type coarseColumn struct {
	path   string   // of the column, as warnings have it
	names  []string // in the files
	option *optionValue
}

// undo has a column read as if coarsen had not chosen it.
func (c coarseColumn) undo() {
	left := slices.DeleteFunc(strings.Split(c.option.text, "\n"), func(name string) bool { return slices.Contains(c.names, name) })
	if c.option.text = strings.Join(left, "\n"); len(left) == 0 {
		*c.option = optionValue{words: c.option.words, repeated: c.option.repeated}
	}
}

// settle takes back what coarsen has chosen in vain, since the schema of all files has the column in nanoseconds all the same. It
// reports whether there was any.
func (r *readFlags) settle(schema *arrow.Schema) bool {
	n := len(r.coarse)
	r.coarse = slices.DeleteFunc(r.coarse, func(c coarseColumn) bool {
		if unit, ok := unitAt(schema, c.path); !ok || unit != arrow.Nanosecond {
			return false
		}
		c.undo()
		r.nanos = append(r.nanos, c.path)
		return true
	})
	return len(r.coarse) < n
}

// settled returns warnings of coarsen without what settle has taken back.
func (r *readFlags) settled(told []arrowio.Warning) (left []arrowio.Warning) {
	for _, w := range told {
		w.Columns = slices.DeleteFunc(slices.Clone(w.Columns), func(c string) bool { return slices.Contains(r.nanos, c) })
		if len(w.Columns) > 0 {
			left = append(left, w)
		}
	}
	return left
}

// unitAt returns the unit of the timestamps at a path, and false if there are none.
func unitAt(schema *arrow.Schema, path string) (arrow.TimeUnit, bool) {
	names, ok := expr.Names(path)
	fields := schema.Fields()
	for i, name := range names {
		k := slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == name })
		if !ok || k < 0 {
			return 0, false
		}
		t := fields[k].Type
		if ts, is := t.(*arrow.TimestampType); is {
			return ts.Unit, i == len(names)-1
		}
		fields = inside(t)
	}
	return 0, false
}

// inside returns the fields in a type by the names that paths have for them.
func inside(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.Field{{Name: "key", Type: t.KeyType()}, {Name: "value", Type: t.ItemType()}}
	case arrow.ListLikeType:
		return []arrow.Field{{Name: "item", Type: t.Elem()}}
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}

// coarserUnit is where a column has a unit that is coarser than nanoseconds.
type coarserUnit struct {
	path, file string
	unit       arrow.TimeUnit
}

// noteUnits takes note of the timestamps of a file that are in a coarser unit than nanoseconds, of each column once.
func (d *inputSet) noteUnits(file string, fields []arrow.Field, above ...string) {
	for _, f := range fields {
		at := append(above[:len(above):len(above)], f.Name)
		t, ok := f.Type.(*arrow.TimestampType)
		if !ok {
			d.noteUnits(file, inside(f.Type), at...)
			continue
		}
		path := expr.Quote(at...)
		if t.Unit != arrow.Nanosecond && !slices.ContainsFunc(d.units, func(u coarserUnit) bool { return u.path == path }) {
			d.units = append(d.units, coarserUnit{path, file, t.Unit})
		}
	}
}

var unitNames = map[arrow.TimeUnit]string{arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds"}

// planFar adds to a plan that times before 1677 and after 2262 are refused in columns that are read in nanoseconds and may have
// such times.
func (r *readFlags) planFar(p *arrowio.WritePlan, ds *inputSet, in []string) {
	unit := r.options.values["timestamp-unit"]
	if unit == nil || unit.set && unit.text != "ns" {
		return
	}
	refuse := func(path, where string) {
		const refused = "times before 1677 or after 2262, unless --timestamp-unit=us is given"
		if i := planned(p, path); i >= 0 && !strings.Contains(p.Columns[i].Refused, refused) {
			p.Columns[i].Refused = strings.TrimPrefix(p.Columns[i].Refused+"; "+refused+where, "; ")
		}
	}
	may := r.mayCoarsen(in)
	for _, u := range ds.units {
		if joint, ok := unitAt(ds.Schema, u.path); ok && joint == arrow.Nanosecond {
			refuse(u.path, " ("+u.file+" has "+unitNames[u.unit]+")")
		}
	}
	for _, f := range ds.far {
		for _, c := range slices.Concat(f.columns, f.unknown, f.coarser) {
			if !may || slices.Contains(r.nanos, c) {
				refuse(c, "")
			}
		}
	}
}

// coarsePlan returns the plan of a conversion that reads the undecided columns in microseconds; nil = there are none, or they stay in
// nanoseconds.
func (a *app) coarsePlan(ctx context.Context, f *convertFlags, ds *inputSet, in []string, plan func(*inputSet) (*convert.Report, error)) (p *arrowio.WritePlan, err error) {
	r := f.readFlags
	if len(ds.undecided(f.selectFlags)) == 0 || !r.mayCoarsen(in) {
		return nil, nil
	}
	far := slices.Clone(ds.far)
	for i := range far {
		far[i].columns = far[i].unknown
	}
	had := len(r.coarse)
	if told := r.coarsen(far, f.paths()); len(told) == 0 {
		return nil, nil
	}
	defer func() {
		for _, c := range r.coarse[had:] {
			c.undo()
		}
		r.coarse = r.coarse[:had]
	}()
	other, err := a.openFiles(ctx, in, r, f.selectFlags)
	if err != nil {
		return nil, err
	}
	defer other.close()
	if r.settle(other.Schema); len(r.coarse) == had {
		return nil, nil
	}
	report, err := plan(other)
	if err != nil {
		return nil, err
	}
	r.planFiner(report.Plan)
	return report.Plan, nil
}

// addCoarse adds to a plan what another says of columns that are read in microseconds.
func addCoarse(p, coarse *arrowio.WritePlan) {
	if coarse == nil || len(coarse.Columns) != len(p.Columns) {
		return
	}
	add := func(to *string, more string) {
		if more != "" && more != *to {
			*to = strings.TrimPrefix(*to+"; where it is read in microseconds: "+more, "; ")
		}
	}
	for i := range p.Columns {
		add(&p.Columns[i].Loss, coarse.Columns[i].Loss)
		add(&p.Columns[i].Refused, coarse.Columns[i].Refused)
	}
}
