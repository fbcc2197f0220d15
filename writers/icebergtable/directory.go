package icebergtable

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// directory is a table that no catalog keeps: its versions are files vN.metadata.json, of which each is made once.
type directory struct {
	place
	dir   string // absolute, or a URL
	local bool
	tree  arrowio.Tree
	most  int64
}

func newDirectory(name string, p place, most int64) (*directory, error) {
	d := &directory{place: p, most: most}
	dir, ok := stores.Local(name)
	switch {
	case ok:
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		d.dir, d.local = dir, true
	case isS3(name), isHDFS(name):
		d.dir = found(name)
	case stores.Scheme(name) == "hive":
		return nil, errs.Errorf(errs.ErrUnsupported, "this names a table of Hive: if it is one of Iceberg (table_type=ICEBERG), name it iceberg://CATALOG/DATABASE.TABLE, with a catalog of type hive; what other tables of Hive have is deleted and compacted by Hive alone")
	default:
		return nil, errs.Errorf(errs.ErrUnsupported, "a table in %s:// without a catalog is not written, because that store does not create a file only where there is none: name it iceberg://CATALOG/NAMESPACE.TABLE", stores.Scheme(name))
	}
	tree, err := p.st.Tree(d.dir)
	d.tree = tree
	return d, err
}

// isS3 reports whether a name is of S3, where whether a file can be created only where there is none depends on the store.
func isS3(name string) bool { return stores.Scheme(found(name)) == "s3" }

// isHDFS reports whether a name is of HDFS, where files are in directories that have to be made.
func isHDFS(name string) bool { return stores.Scheme(name) == "hdfs" }

// prepare returns an error if the next version cannot be made. It writes.
func (d *directory) prepare(ctx context.Context) error {
	err := d.st.CanCreateNew(ctx, d.at(icebergmeta.Dir+"/v0.metadata.json"))
	if errors.Is(err, errs.ErrUnsupported) {
		return errs.Errorf(errs.ErrUnsupported, "%w; a table without a catalog needs that: name it iceberg://CATALOG/NAMESPACE.TABLE", err)
	}
	return err
}

// at returns the path or URL of a file of the table.
func (d *directory) at(name string) string {
	if d.local {
		return filepath.Join(d.dir, filepath.FromSlash(name))
	}
	return d.dir + "/" + name
}

// versionForm is the name of metadata that no catalog keeps.
var versionForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v(\d{1,18})(?:\.gz)?\.metadata\.json(?:\.gz)?$`) })

func (d *directory) load(ctx context.Context) (*base, error) {
	entries, err := d.tree.List(ctx, icebergmeta.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if fi, serr := os.Stat(d.dir); d.local && serr == nil && !fi.IsDir() {
			return nil, fmt.Errorf("this is a file, and a table is a directory: %w", err)
		}
		return nil, err
	}
	found := false
	for _, e := range entries {
		found = found || strings.HasSuffix(e.Name, ".metadata.json") || strings.HasSuffix(e.Name, ".metadata.json.gz")
	}
	if !found {
		return nil, fmt.Errorf("no file %s/*.metadata.json: %w", icebergmeta.Dir, fs.ErrNotExist)
	}
	name, err := icebergmeta.Current(ctx, d.tree)
	if err != nil {
		return nil, err
	}
	m := versionForm().FindStringSubmatch(path.Base(name))
	if m == nil {
		return nil, errs.Errorf(errs.ErrUnsupported, "the table in %s is kept by a catalog, which would not know what is written: name it iceberg://CATALOG/NAMESPACE.TABLE", d.dir)
	}
	at := d.at(name)
	src, err := d.st.Open(ctx, at)
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
	if d.local {
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(says)); err == nil {
			says = real
		}
	}
	if says != d.dir {
		return errs.Errorf(errs.ErrUnsupported, "the table in %s says that it lies in %s: only there it is written", d.dir, b.meta.Location)
	}
	return nil
}

func (d *directory) canCreate(ctx context.Context) error {
	entries, err := d.tree.List(ctx, "")
	switch {
	case errors.Is(err, fs.ErrNotExist) && !d.local:
		return nil // there are no directories, or they are made
	case errors.Is(err, fs.ErrNotExist):
		parent := filepath.Dir(d.dir)
		if fi, err := os.Stat(parent); err != nil || !fi.IsDir() {
			return &fs.PathError{Op: "create", Path: d.dir, Err: fmt.Errorf("there is no directory %s: %w", parent, fs.ErrNotExist)}
		}
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return errs.Errorf(errs.ErrOption, "the directory %s is not empty, and no table: it has %s. If a run was killed while it made a table there, it has left data and metadata without a file metadata/*.metadata.json: then remove the directory",
			d.dir, firstNames(entries))
	}
	return nil
}

// firstNames lists some of the entries of a directory.
func firstNames(entries []arrowio.TreeEntry) string {
	const most = 3
	var names []string
	for _, e := range entries[:min(most, len(entries))] {
		names = append(names, fmt.Sprintf("%.60q", e.Name))
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

func (d *directory) stage(_ context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	location := d.dir
	if d.local {
		location = "file://" + filepath.ToSlash(d.dir)
	}
	return newTable(location, version, fields, spec, props)
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
	if err := d.prepare(ctx); err != nil {
		return err
	}
	switch err := d.st.CreateNew(ctx, d.at(icebergmeta.Dir+"/"+name), text); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: %w", errConflict, err)
	case errors.Is(err, stores.ErrUnavailable):
		return fmt.Errorf("%w: %w", errUnknown, err)
	case err != nil:
		return err
	}
	d.hint(ctx, strconv.FormatInt(version, 10))
	return nil
}

// hint says which version is the current one. It only spares others looking: who finds an older hint, or none, looks for later versions.
func (d *directory) hint(ctx context.Context, version string) {
	if !d.local {
		st, err := d.st.Create(ctx, d.at(icebergmeta.Dir+"/"+icebergmeta.HintFile), local.FileStoreOptions{Force: true})
		if err != nil {
			return
		}
		k, err := st.Create(ctx, icebergmeta.HintFile)
		if err == nil {
			_, err = k.Write([]byte(version))
			err = errors.Join(err, k.Close())
		}
		if err == nil {
			err = st.Commit()
		}
		if err != nil {
			_ = st.Abort() // the version is there all the same
		}
		return
	}
	dir := d.at(icebergmeta.Dir)
	hint, err := os.CreateTemp(dir, ".version-hint-*.tmp")
	if err != nil {
		return // the version is there
	}
	_, err = hint.WriteString(version)
	if err = errors.Join(err, hint.Close()); err == nil {
		if err = os.Chmod(hint.Name(), 0o644); err == nil { //nolint:gosec // as the other files
			err = os.Rename(hint.Name(), filepath.Join(dir, icebergmeta.HintFile))
		}
	}
	if err != nil {
		_ = os.Remove(hint.Name()) // likewise
	}
}
