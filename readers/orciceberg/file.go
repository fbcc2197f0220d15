package orciceberg

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/readers/orc"
)

// file is an ORC file, its columns under the names that they are found by.
type file struct {
	*orc.File
	src      arrowio.Source
	limits   arrowio.Limits
	files    orc.Options
	lists    string // how the file's own rows say which rows of others are deleted; "" = they do not
	warnings []arrowio.Warning

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
	f := &file{File: in, src: src, limits: limits, files: files, lists: iceberg.Deletes(in.Schema())}
	if o.Table == nil {
		if len(o.Deletes) == 0 {
			return f, nil
		}
		return o.delete(ctx, f, f)
	}
	// A view of it finds the columns by the names that they now have.
	r, err := icebergfile.Rename(f, icebergfile.Read{Fields: o.Table.Current, Mapping: o.names(), Arrow: o.shown(files)})
	if err != nil {
		return nil, err
	}
	var left arrowio.File = r
	if len(o.Deletes) > 0 {
		if left, err = o.delete(ctx, f, r); err != nil {
			return nil, err
		}
	}
	return r.Show(left, nil)
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
