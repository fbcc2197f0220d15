package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// over returns the dataset of fragments, whose files base shows under one schema, with the columns of their directories.
func (p *partitions) over(base *arrowio.Dataset, fragments []arrowio.Fragment) *arrowio.Dataset {
	var fields []arrow.Field
	var own []int // of base, by column of the dataset
	for i, f := range base.Schema.Fields() {
		if !p.has(f.Name) {
			fields, own = append(fields, f), append(own, i)
		}
	}
	md := base.Schema.Metadata()
	d := &arrowio.Dataset{Schema: arrow.NewSchema(append(fields, p.schema.Fields()...), &md), Match: base.Match}
	for i, fr := range fragments {
		r := p.rows[i]
		d.Fragments = append(d.Fragments, arrowio.Fragment{
			Name: fr.Name,
			Open: func(ctx context.Context) (arrowio.File, error) {
				f, err := fr.Open(ctx)
				if err != nil {
					return nil, err
				}
				shown, err := base.Show(f)
				if err != nil {
					return nil, errors.Join(err, f.Close())
				}
				return p.wrap(r, f, shown, d.Schema, own), nil
			},
			Never: func(filter *expr.Bound) bool {
				t, err := p.of(filter)
				return err == nil && !t.possible(r)
			},
		})
	}
	return d
}

func (p *partitions) has(name string) bool { return len(p.schema.FieldIndices(name)) > 0 }

// wrap returns a file with the columns of its directories; shown is raw, or closes it.
func (p *partitions) wrap(r *partition, raw, shown arrowio.File, schema *arrow.Schema, own []int) arrowio.File {
	return &partitioned{File: shown, raw: raw, p: p, r: r, schema: schema, own: own}
}

// shadowed lists the columns of a file that its directories take the place of.
func (p *partitions) shadowed(s *arrow.Schema) []string {
	var out []string
	for _, f := range p.schema.Fields() {
		if len(s.FieldIndices(f.Name)) > 0 {
			out = append(out, f.Name)
		}
	}
	return out
}

// leftOut says so of a column.
func leftOut(name string) arrowio.Warning {
	w := arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("column %s of the file is left out: the directories say what it is", name))
	w.Columns = []string{name}
	return w
}

// note tells of the columns of a file that are left out, each once.
func (p *partitions) note(path string, s *arrow.Schema, warn func(arrowio.Warning)) {
	p.told.Lock()
	defer p.told.Unlock()
	for _, name := range p.shadowed(s) {
		if !p.warned[name] {
			p.warned[name] = true
			w := leftOut(name)
			w.File, w.Text = path, w.Text+"; so it is with other files that have it"
			warn(w)
		}
	}
}

// partitioned is a file with the columns of its directories behind its own.
type partitioned struct {
	arrowio.File // under the schema of the dataset's files
	raw          arrowio.File
	p            *partitions
	r            *partition
	schema       *arrow.Schema
	own          []int // of File, by column of schema; those of directories follow
	pruning      atomic.Pointer[ownFilter]
}

// ownFilter is what a filter asks of the file.
type ownFilter struct {
	of    *expr.Bound
	bound *expr.Bound // nil = nothing
	never bool
}

// Schema is that of the dataset.
func (f *partitioned) Schema() *arrow.Schema { return f.schema }

// Info describes the file as it is, but for the schema.
func (f *partitioned) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	if o.Filter != nil {
		// What the file's schema does not take is not told of.
		o.Filter, _ = expr.Bind(f.rest(o.Filter), f.raw.Schema())
	}
	info, err := f.raw.Info(ctx, o)
	if err != nil {
		return nil, err
	}
	shown := *info
	shown.Schema = f.schema
	shown.Facts = slices.Clone(info.Facts)
	for _, kv := range f.r.keys {
		shown.Facts = append(shown.Facts, arrowio.Fact{Name: "partition " + kv.key, Value: kv.value})
	}
	return &shown, nil
}

// Warnings implements arrowio.Warner.
func (f *partitioned) Warnings() []arrowio.Warning {
	out := slices.Clone(arrowio.WarningsOf(f.raw))
	for _, name := range f.p.shadowed(f.raw.Schema()) {
		out = append(out, leftOut(name))
	}
	return out
}

// Unwrap returns the file without the columns of its directories: see arrowio.As.
func (f *partitioned) Unwrap() arrowio.File { return f.File }

// filter translates a filter on the dataset's schema.
func (f *partitioned) filter(pred *expr.Bound) *ownFilter {
	if l := f.pruning.Load(); l != nil && l.of == pred {
		return l
	}
	e := f.rest(pred)
	o := &ownFilter{of: pred, never: isConst(e, false)}
	if !o.never && !isConst(e, true) {
		// What the files' schema does not take (two columns of one name) prunes nothing.
		o.bound, _ = expr.Bind(e, f.File.Schema())
	}
	f.pruning.Store(o)
	return o
}

// rest is what the directories leave of a filter.
func (f *partitioned) rest(pred *expr.Bound) expr.Expr {
	t, err := f.p.of(pred)
	if err != nil { // it is not about this dataset
		return always
	}
	row := f.p.row(f.r)
	defer row.Release()
	return t.rest(row, false)
}

// Prune asks the file with what the directories leave of the predicate.
func (f *partitioned) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	o := f.filter(pred)
	switch {
	case o.never:
		return nil, nil
	case o.bound == nil:
		return arrowio.RowSet{}.Add(s.Rows), nil
	}
	return f.File.Prune(ctx, s, o.bound)
}

// Read reads what the file has of p; the rest is the same in every row.
func (f *partitioned) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	own := arrowio.Projection{Fields: []arrowio.ProjectedField{}}
	var fields []arrow.Field
	r := &partitionedReader{schema: p.Schema, mem: mem, columns: make([]partitionedColumn, len(p.Fields))}
	for i, pf := range p.Fields {
		if k := pf.Index - len(f.own); k >= 0 {
			t := f.schema.Field(pf.Index).Type
			r.columns[i] = partitionedColumn{from: -1, typ: t, value: f.r.vals[k]}
			r.extra += constantBytes(t, f.r.vals[k])
			continue
		}
		r.columns[i].from = len(fields)
		pf.Index = f.own[pf.Index]
		own.Fields = append(own.Fields, pf)
		fields = append(fields, p.Schema.Field(i))
	}
	if len(fields) == 0 && s.Known() {
		return &sizedReader{r, nil}, nil // nothing of the file is needed to count its rows
	}
	md := p.Schema.Metadata()
	own.Schema = arrow.NewSchema(fields, &md)
	if len(fields) == len(p.Fields) {
		own.Schema = p.Schema
	}
	inner, err := f.File.Read(ctx, s, rows, own, mem)
	if err != nil || len(fields) == len(p.Fields) {
		return inner, err
	}
	r.SplitReader = inner
	if z, ok := inner.(arrowio.Sizer); ok {
		return &sizedReader{r, z}, nil
	}
	return r, nil
}
