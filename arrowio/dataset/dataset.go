package dataset

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/workers"
)

// OpenAll returns one dataset of the files that paths and URLs stand for, in that order: see List and New. o.Match, or the option
// of a format that ends in "-by", says how the columns of the files are matched.
func OpenAll(ctx context.Context, paths []string, o Options) (*Dataset, error) {
	var inputs []Input
	var broken error // the first
	for _, p := range paths {
		in, err := List(ctx, p, o)
		if err != nil && o.SkipBroken && len(paths) > 1 && ctx.Err() == nil {
			o.leaveOut(p, err)
			if broken == nil {
				broken = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in...)
	}
	if len(inputs) == 0 && broken != nil {
		return nil, broken
	}
	if o.SkipBroken {
		var err error
		if inputs, err = Unbroken(ctx, inputs, o); err != nil {
			return nil, err
		}
	}
	by, err := Match(o.Options)
	if err != nil {
		return nil, err
	}
	o.Match = max(by, o.Match)
	return New(ctx, inputs, o, nil)
}

// Match returns how the columns of several files are matched. It reads the option of a format whose name ends in "-by": see
// view.MatchOf.
func Match(options map[string]string) (by view.Match, err error) {
	for name, value := range options {
		if strings.HasSuffix(name, "-by") {
			m, err := view.MatchOf(value)
			if err != nil {
				return by, errs.Errorf(errs.ErrOption, "%s: %w", name, err)
			}
			by = max(by, m)
		}
	}
	return by, nil
}

// New returns one dataset of all inputs, with a fragment for each. Files whose columns differ are read under one schema: see
// Join. After the columns of the files come the partition columns of directories named KEY=VALUE: see Partitions.
//
// open opens input i; nil = New calls OpenInput. New opens each file once for its schema, except files that o.Filter excludes and files of tables. A scan
// opens each file again when it reaches it. New opens local files one after the other, and remote files several at a time after
// the first.
func New(ctx context.Context, inputs []Input, o Options, open func(ctx context.Context, i int) (arrowio.File, error)) (*Dataset, error) {
	if len(inputs) == 0 {
		return nil, errs.Errorf(errs.ErrOption, "no files were named")
	}
	if open == nil {
		open = func(ctx context.Context, i int) (arrowio.File, error) {
			f, err := OpenInput(ctx, inputs[i], o)
			if err != nil {
				return nil, err // not a nil *File
			}
			return f, nil
		}
	}
	if o.For == arrowio.ForRows {
		open = noDeletes(open, inputs, o)
	}
	p, err := newPartitions(inputs, o.Partitions, o.Schema)
	if err != nil {
		return nil, err
	}
	b := builder{inputs: inputs, p: p}
	switch {
	case o.Schema != nil:
		if p != nil {
			if o.Warn != nil {
				open = p.noting(open, inputs, o.Warn)
			}
			o.Schema = p.ofFiles(o.Schema)
		}
		of := o // how columns are matched is of the files
		open = showing(open, of, func(i int, f arrowio.File) { b.unsaid.leftOut(i, f, p, of) })
		o.Match = view.ByName // they have one schema now
	case o.Match == view.ByNameFold:
		return nil, errs.Errorf(errs.ErrOption, "matching columns by name in any case needs a schema, which says how the names are written")
	}
	b.o = o
	b.open = b.unsaid.noting(b.absent.noting(open))
	some, err := b.needed()
	if err != nil {
		return nil, err
	}
	d, err := b.dataset(ctx, some)
	if err == nil && len(some) < len(inputs) && !b.resolves(d.Schema) {
		all := make([]int, len(inputs))
		for i := range all {
			all[i] = i
		}
		d, err = b.dataset(ctx, all)
	}
	if err == nil {
		b.unsaid.end(d)
		for _, w := range b.doubts {
			o.Warn(w)
		}
		err = b.absent.end(inputs, o, p)
	}
	return d, err
}

// builder makes a dataset.
type builder struct {
	inputs []Input
	o      Options
	open   func(ctx context.Context, i int) (arrowio.File, error)
	p      *partitions // nil = there are none
	absent absent
	unsaid unsaid
	doubts []arrowio.Warning // about the columns of the files that were joined last
}

// needed lists the inputs that may have rows of the filter: at least one, for its schema.
func (b *builder) needed() ([]int, error) {
	may := func(int) bool { return true }
	if b.p != nil && b.o.Filter != nil {
		possible, err := b.p.values.May(b.o.Filter)
		if err != nil {
			return nil, err
		}
		may = func(i int) bool { return possible.Has(b.p.rows[i].at) }
	}
	var out []int
	for i := range b.inputs {
		if may(i) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		out = []int{0}
	}
	return out, nil
}

// resolves reports whether a schema has all columns that Columns and the filter name.
func (b *builder) resolves(s *arrow.Schema) bool {
	columns := b.o.Columns
	if b.o.Filter != nil {
		columns = slices.Concat(columns, expr.Columns(b.o.Filter))
	}
	for _, c := range columns { // other files may have a name that fits to the case
		if _, err := expr.ResolveExact(s, c); err != nil {
			return false
		}
	}
	if b.o.Filter == nil {
		return true
	}
	_, err := expr.Bind(b.o.Filter, s)
	return err == nil
}

// dataset unifies the schemas of some of the inputs and adds the columns of the directories.
func (b *builder) dataset(ctx context.Context, some []int) (*Dataset, error) {
	fragments := make([]arrowio.Fragment, len(b.inputs))
	for i, in := range b.inputs {
		fragments[i] = arrowio.Fragment{
			Name: in.name(),
			Far:  stores.Far(in.Path),
			Open: func(ctx context.Context) (arrowio.File, error) { return b.open(ctx, i) },
		}
	}
	base, err := b.unify(ctx, fragments, some)
	if err != nil {
		return nil, err
	}
	if b.p == nil {
		base.Fragments = fragments
		b.prune(base)
		return base, nil
	}
	return b.p.over(base, fragments), nil
}

func (b *builder) unify(ctx context.Context, fragments []arrowio.Fragment, some []int) (*Dataset, error) {
	first := make([]arrowio.Fragment, len(some))
	for k, i := range some {
		first[k] = fragments[i]
		if s := b.inputs[i].Schema(); s != nil && b.o.Schema == nil {
			first[k].Open = func(context.Context) (arrowio.File, error) { return view.SchemaOnly(s), nil }
			continue
		}
		if b.p != nil && b.o.Warn != nil && b.o.Schema == nil {
			first[k].Open = func(ctx context.Context) (arrowio.File, error) {
				f, err := fragments[i].Open(ctx)
				if err == nil {
					b.p.note(fragments[i].Name, f.Schema(), b.o.Warn)
				}
				return f, err
			}
		}
	}
	if stores.Far(b.inputs[some[0]].Path) && b.inputs[some[0]].Schema() == nil {
		a := &workers.Ahead[arrowio.File]{
			Make: func(ctx context.Context, k int) (arrowio.File, error) { return first[k].Open(ctx) },
			Drop: func(f arrowio.File) { _ = f.Close() }, // nothing was read
			N:    len(first),
			Most: openers,
		}
		defer a.Stop()
		taken := slices.Clone(first)
		for k := range taken {
			taken[k].Open = func(ctx context.Context) (arrowio.File, error) { return a.Take(ctx, k) }
		}
		return Join(ctx, taken, b.joining())
	}
	return Join(ctx, first, b.joining())
}

// joining is how the inputs are joined. It forgets the doubts of another way.
func (b *builder) joining() JoinOptions {
	b.doubts = nil
	jo := JoinOptions{Match: b.o.Match, Columns: b.p.without(b.o.Columns), Exclude: b.o.Exclude}
	if b.o.Warn != nil {
		jo.Warn = func(w arrowio.Warning) { b.doubts = append(b.doubts, w) }
	}
	return jo
}
