package orciceberg

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/readers/orc"
)

// file is an ORC file without the rows that are deleted, its columns under the names that they are found by. What it is
// read as is another File over this one.
type file struct {
	*orc.File
	src      arrowio.Source
	limits   arrowio.Limits
	files    orc.Options
	schema   *arrow.Schema
	required []bool          // by column: it, or something in it, is never null
	gone     []gonerows.Rows // deleted rows of each split of the file; nil = none
	splits   []arrowio.Split
	stored   []int // which split of the file each of splits is
	deleted  int64
	lists    string // how the file's own rows say which rows of others are deleted; "" = they do not
	warnings []arrowio.Warning
	names    []string // of the columns in the file

	mu   sync.Mutex
	sums arrowio.Checksums // of the file, as Verify has found it
}

// openTable opens an ORC file as a file of an Iceberg table. What the schema asks for and the file cannot give is
// errs.ErrSchema; what deletes it are read whole here.
func openTable(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o tableOptions, files orc.Options) (arrowio.File, error) {
	f, err := o.openFile(ctx, src, limits, files)
	if err == nil {
		if in, ok := arrowio.As[*file](f); ok && in.lists != "" && !o.ofDeletes() {
			err = errors.Join(errs.Errorf(errs.ErrUnsupported, "this file lists deleted rows, by %s; its own rows are not rows of the table: leave it out, and name it with %w to leave out the rows that it lists", in.lists, errs.Opt("orc-deletes", "")), f.Close())
		}
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: orc.Name})
	}
	return f, nil
}

// ofDeletes reports whether the schema is that of position deletes, so that their rows are what is asked for.
func (o *tableOptions) ofDeletes() bool {
	return o.Table != nil && slices.ContainsFunc(o.Table.Current, func(f iceberg.Field) bool { return f.ID == iceberg.PathID })
}

func (o *tableOptions) openFile(ctx context.Context, src arrowio.Source, limits arrowio.Limits, files orc.Options) (arrowio.File, error) {
	in, err := orc.Open(ctx, src, limits, files)
	if err != nil {
		return nil, err
	}
	f := &file{File: in, src: src, limits: limits, files: files, schema: in.Schema(), splits: in.Splits(), lists: iceberg.Deletes(in.Schema())}
	show := func(f arrowio.File) (arrowio.File, error) { return f, nil }
	if o.Table != nil {
		if show, err = o.rename(f); err != nil {
			return nil, err
		}
	}
	shown, err := show(f)
	if err == nil && len(o.Deletes) > 0 {
		err = o.delete(ctx, f)
	}
	return shown, err
}

// rename gives a file's columns the names of what they are read as. It returns what shows the file as that.
func (o *tableOptions) rename(f *file) (func(arrowio.File) (arrowio.File, error), error) {
	shown, err := o.shown(f.files)
	if err != nil {
		return nil, err
	}
	md := f.File.Schema().Metadata()
	to := arrow.NewSchema(shown, &md)
	if len(f.File.Schema().Fields()) == 0 && f.Rows() == 0 && len(f.Splits()) == 0 { // a file of no bytes is an empty table
		shown = optional(shown)
		to = arrow.NewSchema(shown, &md)
	}
	x, err := idsOf(f.Root(), o.names)
	if err != nil {
		return nil, err
	}
	m, err := match(f.Root(), f.File.Schema().Fields(), x, o.Table.Current, shown)
	if err != nil {
		return nil, err
	}
	for _, c := range f.File.Schema().Fields() {
		f.names = append(f.names, c.Name)
	}
	f.schema = arrow.NewSchema(m.fields, &md)
	f.File.Rename(f.schema)
	for i, c := range m.fields {
		f.required = append(f.required, !c.Nullable && slices.Contains(m.columns, i))
	}
	a := view.Options{Columns: m.columns}
	if m.cast {
		a.Cast = cast
	}
	return func(in arrowio.File) (arrowio.File, error) { return view.Show(in, to, a) }, nil
}

func optional(fields []arrow.Field) []arrow.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Nullable = true
	}
	return out
}

// names is what names stand for.
func (o *tableOptions) names() []iceberg.Name {
	switch {
	case o.Names != nil:
		return o.Names
	case o.Table.Mapping != nil:
		return o.Table.Mapping
	}
	return iceberg.NamesOf(o.Table.Current)
}

// BeyondNanoseconds is orc.File.BeyondNanoseconds; under the schema of a table times have the units of that.
func (f *file) BeyondNanoseconds() (beyond, unknown []string) {
	if f.names != nil {
		return nil, nil
	}
	return f.File.BeyondNanoseconds()
}

// StoredColumns returns the names of the columns in the file.
func (f *file) StoredColumns() []string { return f.names }

// Schema returns the columns of the file under the names that they are found by.
func (f *file) Schema() *arrow.Schema { return f.schema }

// Splits lists the splits of the file in which rows are left.
func (f *file) Splits() []arrowio.Split { return f.splits }

// Info describes the file, and counts the rows that are left.
func (f *file) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	if f.gone != nil {
		o.Filter = nil // it would be explained for the splits as they are stored
	}
	info, err := f.File.Info(ctx, o)
	if err != nil || f.gone == nil {
		return info, err
	}
	info.Rows -= f.deleted
	info.Splits = nil
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	info.Facts = append(info.Facts, arrowio.Fact{Name: "deleted rows", Value: strconv.FormatInt(f.deleted, 10)})
	return info, nil
}

// Warnings implements arrowio.Warner.
func (f *file) Warnings() []arrowio.Warning { return append(f.File.Warnings(), f.warnings...) }

// Verify implements arrowio.Verifier: the file is checked as what it is.
func (f *file) Verify(ctx context.Context, report func(error)) error {
	return f.plain(ctx, func(in *orc.File) error {
		if err := in.Verify(ctx, report); err != nil {
			return err
		}
		sums, err := in.CountChecksums(ctx)
		f.mu.Lock()
		f.sums = sums
		f.mu.Unlock()
		return err
	})
}

// CountChecksums implements arrowio.ChecksumCounter, for the file as what it is.
func (f *file) CountChecksums(context.Context) (arrowio.Checksums, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sums, nil
}

// Dump implements arrowio.Dumper, likewise.
func (f *file) Dump(ctx context.Context, w io.Writer) error {
	return f.plain(ctx, func(in *orc.File) error { return in.Dump(ctx, w) })
}

func (f *file) plain(ctx context.Context, do func(in *orc.File) error) error {
	in, err := orc.Open(ctx, f.src, f.limits, f.files)
	if err != nil {
		return err
	}
	return errors.Join(do(in), in.Close())
}

// Prune asks the file.
func (f *file) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	if f.gone == nil {
		return f.File.Prune(ctx, s, pred)
	}
	k := f.stored[s.Ordinal]
	in := f.File.Splits()[k]
	first, gone := in.Rows.Start, &f.gone[k]
	set, err := f.File.Prune(ctx, in, pred)
	if err != nil {
		return nil, err
	}
	return gone.Left(set, first, s.Rows.Start), nil
}

// Read opens the rows of a split.
func (f *file) Read(ctx context.Context, s arrowio.Split, set arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	var never []int
	for i, pf := range p.Fields {
		if pf.Index < len(f.required) && f.required[pf.Index] {
			never = append(never, i)
		}
	}
	if f.gone == nil {
		in, err := f.File.Read(ctx, s, set, p, mem)
		if err != nil || len(never) == 0 {
			return in, err
		}
		return &reader{SplitReader: in, never: never}, nil
	}
	k := f.stored[s.Ordinal]
	first, gone := f.File.Splits()[k].Rows.Start, &f.gone[k]
	in, err := f.File.Read(ctx, f.File.Splits()[k], gone.Around(set.Clip(s.Rows), s.Rows.Start, first), p, mem)
	if err != nil {
		return nil, err
	}
	return &reader{SplitReader: in, never: never, gone: gone, left: gonerows.NewReader(in, first), split: s, row: s.Rows.Start, first: first}, nil
}
