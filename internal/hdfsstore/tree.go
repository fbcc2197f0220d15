package hdfsstore

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
)

// tree is a directory.
type tree struct {
	c *Client
	l location // of the top
}

// Tree returns the directory at a URL. Nothing is asked of the cluster yet.
func (c *Client) Tree(url string) (arrowio.Tree, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	return &tree{c, l}, nil
}

func (t *tree) Path(name string) string { return t.l.with(t.l.join(name)) }

func (t *tree) check(op, name string) error {
	if name != "" && (name == "." || !fs.ValidPath(name)) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

func (t *tree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if err := t.check("list", dir); err != nil {
		return nil, err
	}
	var out []arrowio.TreeEntry
	err := t.c.cluster(t.l.authority).do(ctx, "list", t.Path(dir), func(ns namesystem) error {
		list, err := ns.ReadDir(t.l.join(dir))
		if err != nil {
			return err
		}
		out = make([]arrowio.TreeEntry, len(list))
		for i, fi := range list {
			out[i] = entryOf(fi)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (t *tree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	if err := t.check("open", name); err != nil {
		return nil, err
	}
	src, err := t.c.Open(ctx, t.Path(name))
	if err != nil {
		return nil, err
	}
	return src, nil
}
