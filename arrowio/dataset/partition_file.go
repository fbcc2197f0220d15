package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
)

// ShowKeys returns a function that shows file i of inputs with the partition columns of its directories, after its own columns.
// As in a dataset, the types of these columns follow from the values of all inputs. Closing the result closes the file; if the
// function fails, it closes the file. Inputs below no directory KEY=VALUE are returned unchanged.
func ShowKeys(inputs []Input, o Partitions) (func(i int, f arrowio.File) (arrowio.File, error), error) {
	p, err := newPartitions(inputs, o, nil)
	if err != nil {
		return nil, err
	}
	return func(i int, f arrowio.File) (arrowio.File, error) {
		if p == nil {
			return f, nil
		}
		schema, own := p.behind(f.Schema())
		shown, err := view.Show(f, schema, p.adding(p.rows[i], f.Schema(), own))
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return shown, nil
	}, nil
}

// behind returns s with the partition columns after its own, or where the schema asked for has them, and for each column its number
// in s; -1 = not in s.
func (p *partitions) behind(s *arrow.Schema) (*arrow.Schema, []int) {
	var fields []arrow.Field
	var own []int
	for i, f := range s.Fields() {
		if !p.has(f.Name) {
			fields, own = append(fields, f), append(own, i)
		}
	}
	for _, f := range p.schema.Fields() {
		at := len(fields)
		if p.asked != nil && len(p.asked.FieldIndices(f.Name)) > 0 {
			at = p.placeOf(f.Name, fields)
		}
		fields, own = slices.Insert(fields, at, f), slices.Insert(own, at, -1)
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md), own
}

// placeOf returns where a column goes among fields: before the first that the schema asked for has after it.
func (p *partitions) placeOf(name string, fields []arrow.Field) int {
	behind := p.asked.Fields()[p.asked.FieldIndices(name)[0]+1:]
	at := slices.IndexFunc(fields, func(f arrow.Field) bool {
		return slices.ContainsFunc(behind, func(b arrow.Field) bool { return b.Name == f.Name })
	})
	if at < 0 {
		return len(fields)
	}
	return at
}

// ofFiles returns a schema without the partition columns.
func (p *partitions) ofFiles(s *arrow.Schema) *arrow.Schema {
	md := s.Metadata()
	return arrow.NewSchema(slices.DeleteFunc(slices.Clone(s.Fields()), func(f arrow.Field) bool { return p.has(f.Name) }), &md)
}

// noting returns open, extended to warn of columns of the files that the schema asked for has and that are left out.
func (p *partitions) noting(open func(ctx context.Context, i int) (arrowio.File, error), inputs []Input, warn func(arrowio.Warning)) func(ctx context.Context, i int) (arrowio.File, error) {
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err == nil {
			p.note(inputs[i].name(), f.Schema(), warn)
		}
		return f, err
	}
}

// over returns base, whose files are those of fragments, with the partition columns added.
func (p *partitions) over(base *Dataset, fragments []arrowio.Fragment) *Dataset {
	schema, own := p.behind(base.Schema)
	d := &Dataset{Schema: schema, Match: base.Match, Lost: base.Lost, LeftOut: base.LeftOut}
	for i, fr := range fragments {
		r := p.rows[i]
		d.Fragments = append(d.Fragments, arrowio.Fragment{
			Name: fr.Name,
			Far:  fr.Far,
			Open: func(ctx context.Context) (arrowio.File, error) {
				f, err := fr.Open(ctx)
				if err != nil {
					return nil, err
				}
				shown, err := base.Show(f)
				if err == nil {
					shown, err = view.Show(shown, d.Schema, p.adding(r, f.Schema(), own))
				}
				if err != nil {
					return nil, errors.Join(err, f.Close())
				}
				return shown, nil
			},
			Never: func(filter *expr.Bound) bool { return p.values.Never(filter, r.at) },
		})
	}
	return d
}

func (p *partitions) has(name string) bool { return len(p.schema.FieldIndices(name)) > 0 }

// adding returns the options that show a file of a schema with its partition columns; own are the numbers of the file's columns.
func (p *partitions) adding(r *partition, file *arrow.Schema, own []int) view.Options {
	o := view.Options{Columns: own, Constants: r.row}
	for _, kv := range r.keys {
		o.Facts = append(o.Facts, arrowio.Fact{Name: "partition " + kv.key, Value: kv.value})
	}
	for _, name := range p.shadowed(file) {
		o.Warnings = append(o.Warnings, leftOut(name))
	}
	return o
}

// shadowed lists the columns of a file that are replaced by partition columns of the same names.
func (p *partitions) shadowed(s *arrow.Schema) []string {
	var out []string
	for _, f := range p.schema.Fields() {
		if len(s.FieldIndices(f.Name)) > 0 {
			out = append(out, f.Name)
		}
	}
	return out
}

// leftOut returns the warning that a column of the files is left out.
func leftOut(name string) arrowio.Warning {
	w := arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("column %s of the file is left out: the directories say what it is", name))
	w.Columns = []string{name}
	return w
}

// note warns of the columns of a file that are left out, once for each column.
func (p *partitions) note(path string, s *arrow.Schema, warn func(arrowio.Warning)) {
	p.told.Lock()
	defer p.told.Unlock()
	for _, name := range p.shadowed(s) {
		if !p.warned[name] && (p.asked == nil || len(p.asked.FieldIndices(name)) > 0) {
			p.warned[name] = true
			w := leftOut(name)
			w.File, w.Text = path, w.Text+"; so it is with other files that have it"
			warn(w)
		}
	}
}
