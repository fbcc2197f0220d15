package icebergtable

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// directory is a table that no catalog keeps: its versions are files vN.metadata.json, of which each is made once.
type directory struct {
	place
	dir  string // absolute
	most int64
}

func newDirectory(name string, p place, most int64) (*directory, error) {
	dir, ok := stores.Local(name)
	if !ok {
		return nil, errs.Errorf(errs.ErrUnsupported, "a table in %s:// without a catalog is not written, because that store does not create a file only where there is none: name it iceberg://CATALOG/NAMESPACE.TABLE", stores.Scheme(name))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return &directory{p, dir, most}, nil
}

// versionForm is the name of metadata that no catalog keeps.
var versionForm = regexp.MustCompile(`^v(\d{1,18})(?:\.gz)?\.metadata\.json(?:\.gz)?$`)

func (d *directory) load(ctx context.Context) (*base, error) {
	entries, err := os.ReadDir(filepath.Join(d.dir, icebergmeta.Dir))
	if err != nil {
		return nil, err // there is no directory: fs.ErrNotExist
	}
	found := false
	for _, e := range entries {
		found = found || strings.HasSuffix(e.Name(), ".metadata.json") || strings.HasSuffix(e.Name(), ".metadata.json.gz")
	}
	if !found {
		return nil, &fs.PathError{Op: "open", Path: d.dir, Err: fs.ErrNotExist}
	}
	name, err := icebergmeta.Current(ctx, local.DirTree(d.dir))
	if err != nil {
		return nil, err
	}
	m := versionForm.FindStringSubmatch(filepath.Base(name))
	if m == nil {
		return nil, errs.Errorf(errs.ErrUnsupported, "the table in %s is kept by a catalog, which would not know what is written: name it iceberg://CATALOG/NAMESPACE.TABLE", d.dir)
	}
	at := filepath.Join(d.dir, filepath.FromSlash(name))
	src, err := local.OpenFile(at)
	if err != nil {
		return nil, err
	}
	text, err := icebergmeta.Read(src, d.most)
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: at})
	}
	b, err := parseBase(text, "")
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: at, Format: Name})
	}
	if b.version, err = strconv.ParseInt(m[1], 10, 64); err != nil {
		return nil, err
	}
	if err := d.atHome(b); err != nil {
		return nil, err
	}
	b.where = b.location() + "/" + name
	return b, nil
}

// atHome returns an error for tables that say that they lie elsewhere.
func (d *directory) atHome(b *base) error {
	says := found(b.location())
	if real, err := filepath.EvalSymlinks(filepath.FromSlash(says)); err == nil {
		says = real
	}
	if says != d.dir {
		return errs.Errorf(errs.ErrUnsupported, "the table in %s says that it lies in %s: only there it is written", d.dir, b.meta.Location)
	}
	return nil
}

func (d *directory) canCreate(context.Context) error {
	entries, err := os.ReadDir(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		parent := filepath.Dir(d.dir)
		if fi, err := os.Stat(parent); err != nil || !fi.IsDir() {
			return &fs.PathError{Op: "create", Path: d.dir, Err: fmt.Errorf("there is no directory %s: %w", parent, fs.ErrNotExist)}
		}
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return errs.Errorf(errs.ErrOption, "the directory %s is not empty, and no table", d.dir)
	}
	return nil
}

func (d *directory) stage(_ context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	return newTable("file://"+filepath.ToSlash(d.dir), version, fields, spec, props)
}

// commit makes the next version, if nobody else has.
func (d *directory) commit(ctx context.Context, _ *writer, b *base, p *prepared) error {
	text, err := b.next(p)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Join(d.dir, icebergmeta.Dir)
	version := b.version + 1
	name := fmt.Sprintf("v%d.metadata.json", version)
	if strings.EqualFold(b.meta.Props["write.metadata.compression-codec"], "gzip") {
		// Who else writes the version must write the same file.
		name = fmt.Sprintf("v%d.gz.metadata.json", version)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(text)
		if err = errors.Join(err, z.Close()); err != nil {
			return err
		}
		text = packed.Bytes()
	}
	if err := createNew(dir, name, text); err != nil {
		return err
	}
	// The hint only spares others looking: who finds an older one looks for later versions.
	hint, err := os.CreateTemp(dir, ".version-hint-*.tmp")
	if err != nil {
		return nil //nolint:nilerr // the version is there
	}
	_, err = hint.WriteString(strconv.FormatInt(version, 10))
	if err = errors.Join(err, hint.Close()); err == nil {
		if err = os.Chmod(hint.Name(), 0o644); err == nil { //nolint:gosec // as the other files
			err = os.Rename(hint.Name(), filepath.Join(dir, icebergmeta.HintFile))
		}
	}
	if err != nil {
		_ = os.Remove(hint.Name()) // likewise
	}
	return nil
}

// createNew makes a file with a content, whole and durable, if there is none of that name; otherwise the error is errConflict.
func createNew(dir, name string, content []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, "."+name+"."+newName()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a hidden file, if it stays
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: %w", errConflict, err)
	case err != nil:
		return errs.Errorf(errs.ErrUnsupported, "the file system cannot create a file only where there is none (hard links), which tables without a catalog need: %w", err)
	}
	syncDir(dir)
	return nil
}
