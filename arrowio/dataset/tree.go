package dataset

import (
	"context"
	"errors"
	"os"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// directory returns the format that o names if its files are directories (arrowio.Format.OpenPath). Otherwise, or if o names
// none, it returns the zero Format without an error.
func (o Options) directory() (arrowio.Format, error) {
	if o.Format == "" {
		return arrowio.Format{}, nil
	}
	f, err := Lookup(o.Formats, o.Format)
	if err != nil || f.OpenPath == nil {
		return arrowio.Format{}, err
	}
	return f, nil
}

func openDirectory(ctx context.Context, f arrowio.Format, path string, o Options, s *sideFiles) (*File, error) {
	local, ok := stores.Local(path)
	if !ok { // a directory that other programs than its own server take, perhaps
		t, err := treeAt(ctx, path, o)
		if err != nil || t.files != nil {
			if err == nil {
				return t.open(ctx, o, s)
			}
			return nil, err
		}
		if readsFiles(f) {
			src, err := o.source(ctx, path)
			if err == nil {
				return openSource(ctx, src, src, path, o, s)
			}
			if !errors.Is(err, stores.ErrIsDirectory) {
				return nil, err
			}
		}
		return nil, errs.Errorf(errs.ErrUnsupported, "%s is read from directories of this machine only, not from %s://: copy the directory to this machine, and name the copy", f.Name, stores.Scheme(path))
	}
	fi, err := os.Stat(local)
	if err != nil {
		return nil, err
	}
	switch {
	case fi.IsDir():
	case !readsFiles(f):
		return nil, errs.Errorf(errs.ErrOption, "%s is the format of a directory, and this is a file", f.Name)
	default:
		src, err := o.source(ctx, path)
		if err != nil {
			return nil, err
		}
		return openSource(ctx, src, src, path, o, s)
	}
	to, err := o.forFormat(f, "")
	if err != nil {
		return nil, err
	}
	in, err := f.OpenPath(ctx, local, to)
	if err != nil {
		return nil, err
	}
	return &File{File: in, format: f.Name, sides: s}, nil
}

// tree is a directory that a format reads as a whole. The zero value is no directory.
type tree struct {
	files  arrowio.Tree
	format arrowio.Format
}

func (t tree) open(ctx context.Context, o Options, s *sideFiles) (*File, error) {
	to, err := o.forFormat(t.format, "")
	if err != nil {
		return nil, err
	}
	f, err := t.format.OpenTree(ctx, t.files, to)
	if err != nil {
		return nil, err
	}
	return &File{File: f, format: t.format.Name, sides: s}, nil
}

// treeAt returns the directory at a path or URL if the format that o names, or any format if it names none, reads it as a whole
// (arrowio.Format.MatchTree).
func treeAt(ctx context.Context, path string, o Options) (tree, error) {
	if e, err := o.stores().Stat(ctx, path); err != nil || !e.Dir {
		return tree{}, ctx.Err() // whatever it is, opening it will tell
	}
	t, err := o.stores().Tree(path)
	if err != nil {
		return tree{}, err
	}
	t = confine(t, o)
	f, err := matchTree(ctx, t, o)
	if err != nil || f.OpenTree == nil {
		return tree{}, err
	}
	return tree{t, f}, nil
}

// matchTree returns the format that reads a tree as a whole, or the zero Format if none does.
func matchTree(ctx context.Context, t arrowio.Tree, o Options) (found arrowio.Format, err error) {
	for _, f := range o.Formats {
		if f.MatchTree == nil || o.Format != "" && o.Format != f.Name {
			continue
		}
		ok, err := f.MatchTree(ctx, t)
		if err != nil {
			return arrowio.Format{}, err
		}
		if ok && found.OpenTree != nil {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "%s: the directory could be one of %s or of %s; say which with %w", t.Path(""), found.Name, f.Name, errs.Opt("from", ""))
		}
		if ok {
			found = f
		}
	}
	return found, nil
}
