package dataset

import (
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// Open opens the file at a path or URL, or a directory that a format reads as a whole. Closing the File closes everything that
// was opened for it.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	if o.catalog(path).OpenNamed != nil {
		return nil, errs.Errorf(errs.ErrOption, "%s names a table, which may have any number of files: open it as a dataset", path)
	}
	d, err := o.directory()
	if err != nil {
		return nil, err
	}
	s, err := o.sideFiles(ctx)
	if err != nil {
		return nil, err
	}
	if d.OpenPath != nil {
		return openDirectory(ctx, d, path, o, s)
	}
	src, tree, err := find(ctx, path, o)
	switch {
	case err != nil:
		return nil, err
	case src == nil:
		return tree.open(ctx, o, s)
	}
	return openSource(ctx, src, src, path, o, s)
}

// OpenSource opens src. The name decides the format only if the content does not. The caller closes src after it has closed the
// File.
func OpenSource(ctx context.Context, src arrowio.Source, name string, o Options) (*File, error) {
	s, err := o.sideFiles(ctx)
	if err != nil {
		return nil, err
	}
	return openSource(ctx, src, nil, name, o, s)
}

// OpenOwned is OpenSource for a source that the File owns. Closing the File closes src. If OpenOwned fails, it closes src.
func OpenOwned(ctx context.Context, src arrowio.OpenSource, name string, o Options) (*File, error) {
	s, err := o.sideFiles(ctx)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return openSource(ctx, src, src, name, o, s)
}

// openSource opens src. What closes it, if anything, belongs to the File, and is closed after an error.
func openSource(ctx context.Context, src arrowio.Source, closer io.Closer, name string, o Options, s *sideFiles) (*File, error) {
	f := &File{counted: arrowio.NewCountingSource(src), src: src, closer: closer, sides: s}
	opened := false
	err := until(ctx, src, func() (err error) {
		f.File, f.format, err = open(ctx, f.counted, name, o)
		opened = err == nil
		return err
	})
	if err != nil {
		if opened { // too late
			_ = f.File.Close()
		}
		if closer != nil {
			_ = closer.Close() // a file that was only read has nothing to lose when it is closed
		}
		return nil, err
	}
	return f, nil
}

// until calls use, which reads src. Where the source is of a store, reads that have no context end with ctx, too.
func until(ctx context.Context, src arrowio.Source, use func() error) error {
	s, ok := src.(interface {
		Until(context.Context) (stop func() bool)
	})
	if !ok {
		return use()
	}
	stop := s.Until(ctx)
	err := use()
	if !stop() && err == nil {
		return ctx.Err()
	}
	return err
}

// open opens src, which stays the caller's to close, and returns the name of its format.
func open(ctx context.Context, src arrowio.Source, name string, o Options) (arrowio.File, string, error) {
	format, err := choose(ctx, src, name, o)
	if err != nil {
		return nil, "", err
	}
	to, err := o.forFormat(format, name)
	if err != nil {
		return nil, "", err
	}
	f, err := format.Open(ctx, src, to)
	return f, format.Name, err
}

// find opens what lies at a path or URL: the bytes of a file, or a directory that is of a format as a whole
// (arrowio.Format.MatchTree), of the one that o names or of any. Any other directory is an error.
func find(ctx context.Context, path string, o Options) (arrowio.OpenSource, tree, error) {
	if local, ok := stores.Local(path); ok {
		t, err := treeAt(ctx, path, o)
		if err != nil || t.files != nil {
			return nil, t, err
		}
		src, err := o.source(ctx, local)
		return src, tree{}, err
	}
	// Elsewhere looking costs as much as opening, and most are files.
	src, err := o.source(ctx, path)
	if !errors.Is(err, stores.ErrIsDirectory) {
		return src, tree{}, err
	}
	t, terr := treeAt(ctx, path, o)
	if terr != nil || t.files != nil {
		return nil, t, terr
	}
	return nil, tree{}, err
}

// source opens the bytes of a file. Where a format knows, by what lies beside it, that only a part of it was finished (see
// arrowio.Format.Finished), the source ends there.
func (o Options) source(ctx context.Context, name string) (arrowio.OpenSource, error) {
	return o.hold(ctx, name, 1)
}

// hold is source, and has o.Again hold the file for so many openings more.
func (o Options) hold(ctx context.Context, name string, times int) (arrowio.OpenSource, error) {
	open := o.stores().Open
	if _, local := stores.Local(name); local && o.Mapped {
		open = mapFile
	}
	if src := o.Again.take(name); src != nil {
		return src, nil
	}
	src, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Formats {
		if f.Finished == nil {
			continue
		}
		n, ok, err := f.Finished(ctx, name, o.stores().Open)
		if err != nil {
			return nil, errors.Join(err, src.Close())
		}
		if s, can := src.(interface{ Shorten(n int64) }); ok && can {
			s.Shorten(n)
		}
	}
	o.Again.hold(name, src, times)
	return src, nil
}

func mapFile(_ context.Context, path string) (arrowio.OpenSource, error) {
	src, err := local.MapFile(path)
	if err != nil {
		return nil, err // not a nil *MappedSource
	}
	return src, nil
}
