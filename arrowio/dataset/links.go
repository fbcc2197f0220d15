package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// rootOf returns the directory out of which no link below a local path, or pattern, may lead, without links in its own path; "" = any
// may.
func (o Options) rootOf(path string) (string, error) {
	if !o.LinksInside {
		return "", nil
	}
	root := o.Root
	if root == "" {
		root = path
		for i := strings.IndexAny(root, "*?["); i >= 0; i = strings.IndexAny(root, "*?[") {
			if _, err := filepath.EvalSymlinks(root); err == nil {
				break // a name that looks like a pattern
			}
			root = filepath.Dir(root[:i] + "x")
		}
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return filepath.Abs(root) // it is not there: what opens it says so
	}
	return filepath.Abs(real)
}

// danglingLink is a symbolic link to what is not there.
type danglingLink struct{ to string }

func (e danglingLink) Error() string {
	return "it is a symbolic link to " + e.to + ", which is not there"
}
func (e danglingLink) Is(target error) bool { return target == fs.ErrNotExist }

// dangling returns err, or, if that is because a link leads to nothing, an error that says so.
func dangling(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	to, notLink := os.Readlink(path)
	if notLink != nil {
		return err
	}
	return errs.Locate(danglingLink{to}, errs.At{File: path})
}

// passes reports whether a link in a directory or below a pattern is left out because it leads to nothing, and tells of it.
func (o Options) passes(path string, err error) bool {
	var link danglingLink
	if !o.PassDangling || !errors.As(err, &link) {
		return false
	}
	o.leaveOut(path, link)
	return true
}

// inside returns an error if a path leads out of a directory. root is the result of rootOf.
func inside(root, path string) error {
	if root == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return errs.Errorf(errs.ErrOption, "it is a symbolic link that leads out of its directory, and is not followed: %w allows it", errs.Opt("follow-links", ""))
	}
	return nil
}

// confine has no link lead out of a directory that is read as a whole.
func confine(t arrowio.Tree, o Options) arrowio.Tree {
	path, local := stores.Local(t.Path(""))
	if !local || !o.LinksInside {
		return t
	}
	root, err := o.rootOf(path)
	if err != nil {
		return t // opening it says why
	}
	return confined(t, root)
}

func confined(t arrowio.Tree, root string) arrowio.Tree {
	if root == "" {
		return t
	}
	return confinedTree{t, root}
}

// confinedTree is a directory of this machine in which links out of root are listed, and cannot be opened: a table without some of its
// files would have other rows.
type confinedTree struct {
	arrowio.Tree
	root string
}

func (t confinedTree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if err := inside(t.root, t.Path(dir)); err != nil {
		return nil, errs.Locate(err, errs.At{File: t.Path(dir)})
	}
	return t.Tree.List(ctx, dir)
}

func (t confinedTree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	if err := inside(t.root, t.Path(name)); err != nil {
		return nil, errs.Locate(err, errs.At{File: t.Path(name)})
	}
	return t.Tree.Open(ctx, name)
}
