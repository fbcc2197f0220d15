package hivetable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/metastore"
)

// file is a data file. It is hidden until its store is committed.
type file struct {
	in    *partition
	path  string
	st    arrowio.Store
	shown bool
}

// Create implements arrowio.Store: it opens a file PARTITION/NAME, or NAME in a table without partitions. Its name is made unique.
func (t *Table) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, base := path.Split(name)
	p := t.parts[strings.TrimSuffix(dir, "/")]
	if t.done || p == nil {
		return nil, errs.Errorf(errs.ErrInternal, "%s: %w", name, errDone)
	}
	in, err := metastore.Place(p.location, t.opt.moves)
	if err != nil {
		return nil, err
	}
	if err := t.makeDirectory(ctx, in); err != nil {
		return nil, err
	}
	stem, ending, _ := strings.Cut(base, ".")
	f := &file{in: p, path: in + "/" + stem + "-" + t.run + "." + ending}
	if f.st, err = t.o.Stores.Create(ctx, f.path, local.FileStoreOptions{}); err != nil {
		return nil, err
	}
	t.made = append(t.made, f)
	return f.st.Create(ctx, path.Base(f.path))
}

// makeDirectory makes a directory, and remembers which are new.
func (t *Table) makeDirectory(ctx context.Context, dir string) error {
	if at, ok := stores.Local(dir); ok {
		for at := filepath.Clean(at); ; at = filepath.Dir(at) {
			if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
				break
			}
			t.fresh = append(t.fresh, at)
		}
	}
	return t.o.Stores.MakeDirectory(ctx, dir)
}
