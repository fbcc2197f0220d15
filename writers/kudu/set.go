package kudu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// mostBlockBytes is how large a block may be before compression that Kudu reads (--max_cfile_block_size).
const mostBlockBytes = 16 << 20

// setRowSet is a rowset of the set.
type setRowSet struct {
	number   int // in the set
	rows     int64
	min, max []byte // encoded keys
	files    []*setFile
	keys     *setFile // that has the encoded keys in its value index
}

// setFile is a file of the set, which becomes a block.
type setFile struct {
	kuduwire.SetFile
	role   kuduwire.BlockRole
	column int // of the set
	what   string
	sum    uint32 // CRC-32C of all of it
}

// bytes returns how many bytes all files of the set have.
func (im *importer) bytes() (n int64) {
	for _, r := range im.rowsets {
		for _, f := range r.files {
			n += f.Bytes
		}
	}
	return n
}

// readSet reads the description of the set at path.
func (im *importer) readSet(path string) ([]byte, error) {
	if fi, err := os.Stat(path); err == nil && !fi.IsDir() {
		return nil, badOption("%s is a file, and a set of rowsets is a directory; arrowio convert FILE OUT.kudu/ writes one", path)
	}
	b, err := im.readFile(kuduwire.SetFileName)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no set of rowsets, a directory with %s, which arrowio convert FILE OUT.kudu/ writes: %w", kuduwire.SetFileName, fs.ErrNotExist)
		return nil, errs.Locate(err, errs.At{File: path})
	}
	return b, err
}

// openSet reads what the set says of itself.
func (im *importer) openSet() error {
	if im.Set == "" {
		return badOption("which set? A directory with %s", kuduwire.SetFileName)
	}
	im.tree = local.DirTree(im.Set)
	b, err := im.readSet(im.Set)
	if err != nil {
		return err
	}
	if im.set, err = kuduwire.ParseSet(b, im.Limits); err != nil {
		return err
	}
	switch {
	case im.set.Schema.Keys() == 0:
		return refuse("the set has no key: it is one of columns; write it as a .kudu set, with --kudu-key")
	case im.set.Table != "" && im.set.Table != im.tablet.Super.TableName:
		im.note("the set is of table %s, the tablet of table %s", im.set.Table, im.tablet.Super.TableName)
	}
	for i := range im.set.RowSets {
		from := &im.set.RowSets[i]
		if from.Rows == 0 {
			im.note("rowset %d of the set has no rows, and is left out", i)
			continue
		}
		r := &setRowSet{number: i, rows: from.Rows, min: from.MinKey, max: from.MaxKey}
		for j, f := range from.Columns {
			r.files = append(r.files, &setFile{SetFile: f, role: kuduwire.BlockOfColumn, column: j, what: "column " + im.set.Schema.Columns[j].Name})
		}
		r.keys = r.files[0]
		if from.Keys != nil {
			r.keys = &setFile{SetFile: *from.Keys, role: kuduwire.BlockOfAdHoc, what: "key index"}
			r.files = append(r.files, r.keys)
		}
		r.files = append(r.files, &setFile{SetFile: *from.Bloom, role: kuduwire.BlockOfBloom, what: "bloom filters"})
		im.rowsets = append(im.rowsets, r)
	}
	if len(im.rowsets) == 0 {
		return refuse("the set has no rows")
	}
	return nil
}

// readFile reads a small file of the set.
func (im *importer) readFile(name string) ([]byte, error) {
	src, err := im.tree.Open(im.ctx, name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if n := src.Size(); n > im.Limits.MetadataBytes {
		return nil, errs.Errorf(errs.ErrLimit, "%s: %d bytes, over the limit of %d (MetadataBytes)", im.tree.Path(name), n, im.Limits.MetadataBytes)
	}
	b := make([]byte, src.Size())
	if n, err := src.ReadAt(b, 0); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// openFiles looks at the footers of all files: what Kudu takes for granted, and what is said of them elsewhere.
func (im *importer) openFiles() error {
	for _, r := range im.rowsets {
		for _, f := range r.files {
			if err := im.ctx.Err(); err != nil {
				return err
			}
			if err := im.openFile(r, f); err != nil {
				return errs.Locate(err, errs.At{Format: format, Op: im.tree.Path(f.Name)})
			}
		}
	}
	steps := int64(stepsOfImport)
	if im.DryRun {
		steps = stepsOfCheck
	}
	im.steps.start(im.Progress, steps*im.bytes())
	return nil
}

func (im *importer) openFile(r *setRowSet, f *setFile) error {
	src, err := im.tree.Open(im.ctx, f.Name)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.Size() != f.Bytes {
		return corrupt("%s says that it has %d bytes, it has %d", kuduwire.SetFileName, f.Bytes, src.Size())
	}
	c, err := cfile.OpenReader(im.ctx, src, im.Limits)
	if err != nil {
		return err
	}
	footer := c.Footer()
	if footer.Array {
		return unsupported("arrays cannot be imported")
	}
	switch f.role {
	case kuduwire.BlockOfColumn:
		s := &im.set.Schema.Columns[f.column]
		switch {
		case c.Kind() != cfilewire.ColumnFile:
			return corrupt("it is a %v file, not one of a column", c.Kind())
		case footer.Type != s.Type:
			return corrupt("it is of type %s, column %s of type %s", footer.Type, s.Name, s.Type)
		case footer.Nullable && !s.Nullable:
			return corrupt("it may hold nulls, and column %s has none", s.Name)
		case footer.Pos == nil:
			return corrupt("it has no positional index")
		}
	case kuduwire.BlockOfAdHoc:
		if c.Kind() != cfilewire.KeyIndexFile {
			return corrupt("it is a %v file, not a key index", c.Kind())
		}
	case kuduwire.BlockOfBloom:
		if c.Kind() != cfilewire.BloomFile {
			return corrupt("it is a %v file, not one of bloom filters", c.Kind())
		}
		return nil
	}
	if c.Rows() != r.rows {
		return corrupt("it has %d rows, the rowset %d", c.Rows(), r.rows)
	}
	if f != r.keys {
		return nil
	}
	if footer.Val == nil {
		return corrupt("it has no index of keys")
	}
	for _, x := range []struct {
		name string
		said *[]byte
	}{{cfilewire.MetaMinKey, &r.min}, {cfilewire.MetaMaxKey, &r.max}} {
		is, ok := footer.Lookup(x.name)
		switch {
		case !ok:
			return corrupt("its footer has no %s, without which Kudu does not open a rowset", x.name)
		case *x.said != nil && !bytes.Equal(*x.said, is):
			return corrupt("its %s is %x, %s says %x", x.name, is, kuduwire.SetFileName, *x.said)
		}
		*x.said = bytes.Clone(is)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// copyBytes is how much of a file is read at a time.
const copyBytes = 1 << 20

// sumFiles takes a sum of each file: what is checked from now on is what will be copied.
func (im *importer) sumFiles() error {
	buf := make([]byte, copyBytes)
	for _, r := range im.rowsets {
		for _, f := range r.files {
			src, err := im.tree.Open(im.ctx, f.Name)
			if err != nil {
				return err
			}
			f.sum, err = im.eachPart(src, f.Bytes, buf, func([]byte) error { return nil })
			if err = errors.Join(err, src.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachPart reads size bytes from the beginning and returns the sum of them.
func (im *importer) eachPart(src io.ReaderAt, size int64, buf []byte, do func(b []byte) error) (sum uint32, err error) {
	for off := int64(0); off < size; {
		if err := im.ctx.Err(); err != nil {
			return 0, err
		}
		b := buf[:min(int64(len(buf)), size-off)]
		n, err := src.ReadAt(b, off)
		if n < len(b) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, b)
		if err := do(b); err != nil {
			return 0, err
		}
		off += int64(n)
		im.steps.add(int64(n))
	}
	return sum, nil
}

// maxFaults is how many faults of a set are told.
const maxFaults = 5

// verifySet checks all that the files say against all that they hold: checksums, indexes, values, keys against key columns,
// filters against keys, and that no key is in two rowsets.
func (im *importer) verifySet() error {
	limits := im.Limits
	limits.BlockBytes = min(limits.BlockBytes, mostBlockBytes)
	t := &countedTree{Tree: im.tree, steps: &im.steps, read: map[string]int64{}}
	f, err := reader.Format().OpenTree(im.ctx, t, arrowio.OpenOptions{Limits: limits, For: arrowio.ForVerify})
	if err != nil {
		return err
	}
	defer f.Close()
	v, ok := arrowio.As[arrowio.Verifier](f)
	if !ok {
		return internal("a set that cannot be verified")
	}
	n := 0
	var first []string
	var kind errs.Kind
	err = v.Verify(im.ctx, func(err error) {
		if n++; n <= maxFaults {
			first = append(first, err.Error())
		}
		var e *errs.Error
		if errors.As(err, &e) && kind == 0 {
			kind = e.Kind
		}
	})
	switch {
	case err != nil:
		return err
	case n > 0 && kind == errs.ErrLimit && limits.BlockBytes == mostBlockBytes:
		return refuse("Kudu reads no block of more than %d bytes: %s", limits.BlockBytes, first[0])
	case n == 1:
		return errs.Errorf(kind, "the set has a fault: %s", first[0])
	case n > 1:
		return errs.Errorf(kind, "the set has %d faults: %s", n, strings.Join(first, "; "))
	}
	im.steps.reach(stepsOfCheck * im.bytes())
	return nil
}

// countedTree counts what is read of the set's files, each at most once.
type countedTree struct {
	arrowio.Tree
	steps *progress
	read  map[string]int64
}

// Open implements arrowio.Tree.
func (t *countedTree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	src, err := t.Tree.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &countedSource{OpenSource: src, tree: t, name: name}, nil
}

// countedSource is a file of a countedTree.
type countedSource struct {
	arrowio.OpenSource
	tree *countedTree
	name string
}

// ReadAt implements io.ReaderAt.
func (s *countedSource) ReadAt(b []byte, off int64) (int, error) {
	n, err := s.OpenSource.ReadAt(b, off)
	s.tree.steps.count(func() int64 {
		more := min(int64(n), s.Size()-s.tree.read[s.name])
		s.tree.read[s.name] += more
		return more
	})
	return n, err
}
