package kudu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// setHead is how much of a schema.json tells whether it is one of a set.
const setHead = 256

// isSet reports whether a directory holds a set of rowsets: one that convert writes, which no server has.
func isSet(ctx context.Context, t arrowio.Tree) (bool, error) {
	entries, err := t.List(ctx, "")
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(entries, func(e arrowio.TreeEntry) bool { return e.Name == kuduwire.SetFileName && !e.Dir })
	if i < 0 {
		return false, withoutText(t, entries)
	}
	b, err := readTree(ctx, t, kuduwire.SetFileName, setHead)
	return err == nil && kuduwire.IsSet(b), err
}

// withoutText returns an error about a directory that has the files of a set, but not the one that says which column each holds. Read
// one by one, the columns would become rows of one column.
func withoutText(t arrowio.Tree, entries []arrowio.TreeEntry) error {
	ext := path.Ext(strings.TrimRight(filepath.ToSlash(t.Path("")), "/"))
	named := ext == ".cfile" || ext == ".kudu"
	if !slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool {
		if e.Dir {
			digits, ok := strings.CutPrefix(e.Name, "rowset-")
			return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
		}
		return named && path.Ext(e.Name) == ".cfile"
	}) {
		return nil
	}
	e := corrupt("%s is not there, which says which column each file of the directory holds: copy the directory again; %w reads every file by itself, as rows of one column",
		kuduwire.SetFileName, errs.Opt("from", "cfile"))
	return errs.Locate(e, errs.At{File: t.Path("")})
}

// readTree reads the first bytes of a file, at most n.
func readTree(ctx context.Context, t arrowio.Tree, name string, n int64) ([]byte, error) {
	src, err := t.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	b := make([]byte, min(n, src.Size()))
	if k, err := src.ReadAt(b, 0); k < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// setTablet is the id of the tablet that a set is shown as.
const setTablet = "set"

// OpenSet opens a set of rowsets (docs/formats/kudu.md, "Sets"): the table that they are of. It must not change meanwhile. Only
// the options Salvage and StringsBinary may be set, since a set has no server, no log and no history.
func OpenSet(ctx context.Context, t arrowio.Tree, limits arrowio.Limits, o Options) (*File, error) {
	if err := o.forSet(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	b, err := readTree(ctx, t, kuduwire.SetFileName, limits.MetadataBytes+1)
	if err != nil {
		return nil, err
	}
	set, err := kuduwire.ParseSet(b, limits)
	if err != nil {
		return nil, err
	}
	blocks := &setBlocks{tree: t}
	f := &File{blocks: blocks, limits: limits, opt: o, sizes: usualSizes, table: set.Table, set: set}
	if o.sizes.rows > 0 {
		f.sizes = o.sizes
	}
	f.verify = o.verify
	f.tablets = []*tablet{{id: setTablet, super: blocks.superBlock(set)}}
	if set.Writer != "" {
		f.note("written by %s", set.Writer)
	}
	if err := f.openTablets(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for i, rs := range f.tablets[0].rowsets {
		if n := set.RowSets[i].Rows; len(f.tablets[0].rowsets) == len(set.RowSets) && rs.rows != n {
			err := inRowSet(corrupt("%s says that it has %d rows, its files have %d", kuduwire.SetFileName, n, rs.rows), rs)
			if !o.verify && !o.Salvage {
				return nil, errors.Join(err, f.Close())
			}
			f.lose(err, at("", arrowio.UnknownRows), "%v", err)
		}
	}
	return f, nil
}

// forSet refuses options that are about servers.
func (o *Options) forSet() error {
	for _, x := range []struct {
		name  string
		given bool
	}{
		{"kudu-data-dir", len(o.Data) > 0},
		{"kudu-metadata-dir", o.Metadata != ""},
		{"kudu-encryption-key", o.Key != ""},
		{"kudu-tablet", o.Tablet != ""},
		{"kudu-table", o.Table != ""},
		{"kudu-block", o.Block != ""},
		{"kudu-snapshot", o.Snapshot > 0},
		{"kudu-uncommitted", o.Uncommitted != ""},
		{"kudu-rebuild", o.Rebuild != ""},
	} {
		if x.given {
			return errs.Errorf(errs.ErrOption, "%s is about the directories of a server, and this is a set of rowsets", x.name)
		}
	}
	return nil
}

// setBlocks are the files of a set: block 1 is the first, as a superblock that is made for them counts.
type setBlocks struct {
	tree  arrowio.Tree
	files []kuduwire.SetFile
}

// superBlock describes the set as a server would.
func (b *setBlocks) superBlock(set *kuduwire.Set) *kuduwire.SuperBlock {
	s := &kuduwire.SuperBlock{
		TabletID: setTablet, TableName: set.Table, Schema: &set.Schema, State: kuduwire.TabletReady, LastDurableMRS: -1, CountsLiveRows: true,
	}
	add := func(f kuduwire.SetFile) uint64 {
		b.files = append(b.files, f)
		return uint64(len(b.files))
	}
	for i := range set.RowSets {
		from := &set.RowSets[i]
		r := kuduwire.RowSet{ID: int64(i), LastDurableDMS: -1, LiveRows: from.Rows, MinKey: from.MinKey, MaxKey: from.MaxKey}
		for j, f := range from.Columns {
			r.Columns = append(r.Columns, kuduwire.ColumnBlock{Block: add(f), ID: set.Schema.Columns[j].ID})
		}
		if from.Keys != nil {
			r.AdHoc, r.HasAdHoc = add(*from.Keys), true
		}
		if from.Bloom != nil {
			r.Bloom, r.HasBloom = add(*from.Bloom), true
		}
		s.RowSets = append(s.RowSets, r)
	}
	return s
}

func (b *setBlocks) file(id uint64) (*kuduwire.SetFile, error) {
	if id < 1 || id > uint64(len(b.files)) {
		return nil, errs.Errorf(errs.ErrInternal, "a set of %d files has no block %d", len(b.files), id)
	}
	return &b.files[id-1], nil
}

func (b *setBlocks) open(ctx context.Context, id uint64) (arrowio.Source, io.Closer, error) {
	f, err := b.file(id)
	if err != nil {
		return nil, nil, err
	}
	src, err := b.tree.Open(ctx, f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, corrupt("%w", absent("there is no such file, although "+kuduwire.SetFileName+" names it"))
	case err != nil:
		return nil, nil, err
	}
	if src.Size() != f.Bytes {
		return nil, nil, errors.Join(corrupt("%s says that it has %d bytes, it has %d", kuduwire.SetFileName, f.Bytes, src.Size()), src.Close())
	}
	return src, src, nil
}

func (b *setBlocks) At(id uint64) (string, arrowio.ByteRange, error) {
	f, err := b.file(id)
	if err != nil {
		return "", arrowio.ByteRange{}, err
	}
	return b.tree.Path(f.Name), arrowio.ByteRange{Len: f.Bytes}, nil
}

func (b *setBlocks) Close() error { return nil }

// setFacts describe a set.
func (f *File) setFacts() []arrowio.Fact {
	t := f.tablets[0]
	rows := int64(0)
	for _, rs := range t.rowsets {
		rows += rs.rows
	}
	var key bytes.Buffer
	for i := range t.schema.Keys() {
		if i > 0 {
			key.WriteString(", ")
		}
		key.WriteString(t.schema.Columns[i].Name)
	}
	facts := []arrowio.Fact{{Name: "set", Value: fmt.Sprintf("%s, %s", count(int64(len(t.super.RowSets)), "rowset"), count(rows, "row"))}}
	if f.table != "" {
		facts = append(facts, arrowio.Fact{Name: "table", Value: f.table})
	}
	if key.Len() > 0 {
		facts = append(facts, arrowio.Fact{Name: "key", Value: key.String()})
	}
	return facts
}
