package kudu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// rowset is a rowset on disk: columns of equal length, and the changes to them.
type rowset struct {
	file   *File
	tablet *tablet
	meta   *kuduwire.RowSet
	rows   int64            // stored, those that are gone included
	undo   []deltaFile      // that the snapshot needs, newest first
	redo   []deltaFile      // that the snapshot needs, oldest first
	log    logDeltas        // after those
	lost   map[int32]losses // by column id, of a salvage
	stale  bool             // changes of its rows are lost
	reach  reach            // with a snapshot
	hidden []byte           // a bit for each row that another replica has in a newer version; nil = there are none

	lookup *lookup // while a log is replayed
}

// deltaFile is a file of changes.
type deltaFile struct {
	block uint64
	stats cfilewire.DeltaStats
}

// column returns the block of a column; false = the rowset is older than the column.
func (rs *rowset) column(id int32) (uint64, bool) {
	for _, c := range rs.meta.Columns {
		if c.ID == id {
			return c.Block, true
		}
	}
	return 0, false
}

// block opens a block as a CFile. Closing the closer ends the use of it.
func (f *File) block(ctx context.Context, id uint64, what string) (*cfile.Reader, io.Closer, error) {
	src, c, err := f.blocks.open(ctx, id)
	if err != nil {
		return nil, nil, f.inBlock(err, id, what)
	}
	if f.opt.through != nil {
		src = f.opt.through(id, src)
	}
	b := &openBlock{CountingSource: arrowio.NewCountingSource(src), file: f, closer: c}
	r, err := cfile.OpenReader(ctx, b.CountingSource, f.limits)
	if err != nil {
		_ = b.Close()
		return nil, nil, f.inBlock(err, id, what)
	}
	if f.opt.Trust && !f.opt.verify {
		r.Trust()
	}
	return r, b, nil
}

// openBlock is a block in use.
type openBlock struct {
	*arrowio.CountingSource
	file   *File
	closer io.Closer
}

// Close ends the use of the block, and counts what was read of it.
func (b *openBlock) Close() error {
	b.file.bytes.Add(b.Bytes())
	return b.closer.Close()
}

// columnName says which column a block is of.
func columnName(s *kuduwire.Schema, id int32) string {
	if i := s.Index(id); i >= 0 {
		return "column " + s.Columns[i].Name
	}
	return fmt.Sprintf("dropped column with id %d", id)
}

// inBlock says which block an error is about; what is "column", a space and the column's name, or says what the block is.
// Of a set it says which file.
func (f *File) inBlock(err error, id uint64, what string) error {
	if err == nil {
		return nil
	}
	if f.set != nil {
		return f.inSetFile(err, id, what)
	}
	where := "block " + kuduwire.BlockName(id)
	column, ok := strings.CutPrefix(what, "column ")
	if !ok {
		column = ""
		if what != "" {
			where = what + ", " + where
		}
	}
	var e *errs.Error
	if !errors.As(err, &e) {
		return errs.Locate(err, errs.At{Format: Name, Op: where, Column: column})
	}
	c := *e
	c.Format = Name
	if column != "" {
		c.Column = column
	}
	if strings.HasPrefix(e.Op, "block ") { // it says already which
		return &c
	}
	c.Op = where
	if e.Op != "" {
		c.Op += ", " + e.Op
	}
	return &c
}

// inSetFile is inBlock for a set.
func (f *File) inSetFile(err error, id uint64, what string) error {
	at := errs.At{Format: Name}
	at.File, _, _ = f.blocks.At(id) // of a block that the set has not there is nothing to say
	if column, ok := strings.CutPrefix(what, "column "); ok {
		at.Column = column
	}
	var e *errs.Error
	if errors.As(err, &e) && e.Format != Name { // it is one of CFiles
		c := *e
		c.Format = Name
		err = &c
	}
	return errs.Locate(err, at)
}

// openRowSet reads what is needed to know about a rowset before it is read.
func (f *File) openRowSet(ctx context.Context, t *tablet, meta *kuduwire.RowSet) (*rowset, error) {
	rs := &rowset{file: f, tablet: t, meta: meta}
	if len(meta.Columns) == 0 {
		return nil, errs.Errorf(errs.ErrCorrupt, "it has no columns")
	}
	var err error
	for _, c := range meta.Columns { // all have the same number of rows: reading compares them
		var r *cfile.Reader
		var closer io.Closer
		if r, closer, err = f.block(ctx, c.Block, columnName(t.schema, c.ID)); err == nil {
			rs.rows = r.Rows()
			_ = closer.Close()
			break
		}
		if !f.opt.Salvage || isDenied(err) {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if f.opt.Snapshot > 0 {
		if rs.undo, err = f.openDeltas(ctx, rs, meta.Undo, func(s *cfilewire.DeltaStats) bool {
			rs.reach.undo(s)
			return s.MaxTime >= f.opt.Snapshot
		}); err != nil {
			return nil, err
		}
	}
	rs.redo, err = f.openDeltas(ctx, rs, meta.Redo, func(s *cfilewire.DeltaStats) bool {
		rs.reach.redo(s)
		return f.opt.Snapshot == 0 || s.MinTime < f.opt.Snapshot
	})
	return rs, err
}

// openDeltas reads the statistics of delta files and keeps those that matter. To salvage, it leaves out files of which
// nothing can be read, and tells what is lost.
func (f *File) openDeltas(ctx context.Context, rs *rowset, blocks []uint64, matters func(*cfilewire.DeltaStats) bool) ([]deltaFile, error) {
	var out []deltaFile
	for _, id := range blocks {
		r, c, err := f.block(ctx, id, "deltas")
		if err == nil {
			if r.Kind() != cfilewire.DeltaFile {
				err = f.inBlock(errs.Errorf(errs.ErrCorrupt, "it is a %v file", r.Kind()), id, "deltas")
			} else if f.opt.Salvage && !f.opt.verify {
				err = f.tryDeltas(ctx, rs, r, id)
			}
			_ = c.Close()
		}
		if err != nil {
			if f.opt.Salvage && ctx.Err() == nil && !isDenied(err) {
				rs.stale = true
				f.loseBlocks(at(rs.place(), arrowio.UnknownRows), "%s: %s: %v", rs.place(), lostChanges, err)
				continue
			}
			return nil, err
		}
		if st := r.DeltaStats(); matters(&st) {
			out = append(out, deltaFile{block: id, stats: st})
		}
	}
	return out, nil
}

// lookup finds rows by key and tells whether they are there, for the replay of a log.
type lookup struct {
	finder *cfile.Finder
	closer io.Closer
	redo   []deltaFile
	live   map[int64][]byte // after all changes on disk, by chunk of sizes.rows; nil = all rows of it
	seen   map[int64][]byte // by the snapshot, after the log's changes, too: of the last chunk asked for
}

// find implements diskRows.
func (rs *rowset) find(ctx context.Context, key []byte) (int64, bool, error) {
	if rs.lookup == nil {
		rs.lookup = &lookup{}
	}
	l := rs.lookup
	if l.finder == nil {
		id, what := rs.meta.AdHoc, "key index"
		if !rs.meta.HasAdHoc {
			var ok bool
			if id, ok = rs.column(rs.tablet.schema.Columns[0].ID); !ok {
				return 0, false, inRowSet(errs.Errorf(errs.ErrCorrupt, "it has no column of the key"), rs)
			}
			what = "key column"
		}
		r, c, err := rs.file.block(ctx, id, what)
		if err != nil {
			return 0, false, inRowSet(err, rs)
		}
		if l.finder, err = r.NewFinder(ctx); err != nil {
			_ = c.Close()
			return 0, false, inRowSet(rs.file.inBlock(err, id, what), rs)
		}
		l.closer = c
	}
	row, ok, err := l.finder.Find(key)
	if err == nil && ok && row >= rs.rows {
		err = errs.Errorf(errs.ErrCorrupt, "a key of row %d, the rowset has %d", row, rs.rows)
	}
	return row, ok, inRowSet(err, rs)
}

// live implements diskRows.
func (rs *rowset) live(ctx context.Context, row int64) (bool, error) {
	if rs.lookup == nil {
		rs.lookup = &lookup{}
	}
	l := rs.lookup
	size := rs.file.sizes.rows // what is kept goes by the rows that the log changes, not by how many the rowset claims
	chunk := row / size
	live, known := l.live[chunk]
	if !known {
		latest := *rs
		latest.undo = nil
		if l.live == nil {
			var err error
			if l.redo, err = rs.file.openDeltas(ctx, rs, rs.meta.Redo, func(*cfilewire.DeltaStats) bool { return true }); err != nil {
				return false, inRowSet(err, rs)
			}
			l.live = map[int64][]byte{}
		}
		latest.redo = l.redo
		s := newState(arrowio.RowRange{Start: chunk * size, End: min(rs.rows, (chunk+1)*size)}, nil)
		s.snapshot = 0
		if err := s.apply(ctx, &latest); err != nil {
			return false, inRowSet(err, rs)
		}
		live = s.live
		l.live[chunk] = live
	}
	at := row % size
	return live == nil || live[at>>3]>>(at&7)&1 == 1, nil
}

// endLookup frees what the replay needed.
func (rs *rowset) endLookup() {
	if rs.lookup != nil && rs.lookup.closer != nil {
		_ = rs.lookup.closer.Close()
	}
	rs.lookup = nil
}
