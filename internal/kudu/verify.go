package kudu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Verify checks the table: every block as a CFile (cfile.Reader.Check), and all of them against each other and against the
// superblocks:
//
//   - columns of a rowset have as many rows as each other, and the types of the schema;
//   - the key index has the keys of the key columns, row by row, and bloom filters have every key; the least and the
//     greatest key are those that the superblock has;
//   - deltas are of rows that there are, in the order of their kind, and set no key and no cell of a wrong width;
//   - live rows are as many as the superblock counts;
//   - no block is of two tablets, or is called orphaned and still used;
//   - no key is live in two rowsets, or in a rowset and in memory, at the same time;
//   - the write-ahead logs: checksums, order and footers, and whether the operations fit the rows, which opening the table
//     has found out.
//
// report is called once for each fault, with tablet, rowset, column and block, and the offset in the block. What a fault
// hides is not checked. What is not checked for other reasons is in Warnings.
func (f *File) Verify(ctx context.Context, report func(error)) error {
	v := &verifier{File: f, ctx: ctx, report: report, bad: map[uint64]bool{}, ways: mergeWays}
	f.findings.mu.Lock()
	faults := f.faults
	f.findings.mu.Unlock()
	for _, err := range slices.Concat(f.Doubts(), faults) {
		report(err)
	}
	if v.dirs != nil && !f.apart {
		if err := v.shared(); err != nil {
			return err
		}
	}
	for _, t := range f.tablets {
		if !t.blind {
			for i := range t.super.RowSets {
				if err := v.rowset(t, &t.super.RowSets[i]); err != nil {
					return err
				}
			}
			if err := v.liveOnce(t); err != nil {
				return err
			}
		}
		if v.dirs == nil {
			continue
		}
		if err := v.log(t); err != nil {
			return err
		}
	}
	return nil
}

// verifier is one run of Verify.
type verifier struct {
	*File
	ctx    context.Context
	report func(error)
	bad    map[uint64]bool // blocks with faults: what depends on them is not checked
	// reading means that nothing was verified before: what hides keys is an error.
	reading bool
	ways    int // rowsets whose keys are merged at once
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

// fault reports err where it is one of the data, and returns it otherwise.
func (v *verifier) fault(err error) error {
	var e *errs.Error
	switch {
	case err == nil:
		return nil
	case v.ctx.Err() != nil:
		return v.ctx.Err()
	case !errors.As(err, &e):
		return err
	}
	v.report(err)
	return nil
}

// shared looks for blocks of the table that are used twice, or given up and used.
func (v *verifier) shared() error {
	ours := map[uint64]*tablet{}
	for _, t := range v.tablets {
		for _, u := range t.super.Blocks() {
			if other := ours[u.Block]; other != nil {
				err := corrupt("%v is also a block of tablet %s", u, other.id)
				if err := v.fault(inTablet(v.inBlock(err, u.Block, ""), t)); err != nil {
					return err
				}
			}
			ours[u.Block] = t
		}
	}
	ids, err := v.dirs.Tablets()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		s, err := v.dirs.SuperBlock(id)
		if err != nil {
			continue // reported, if it can be of this table
		}
		for _, b := range s.Orphaned {
			if t := ours[b]; t != nil {
				if err := v.fault(inTablet(v.inBlock(corrupt("tablet %s calls it orphaned, and it is used", id), b, ""), t)); err != nil {
					return err
				}
			}
		}
		for _, u := range s.Blocks() {
			if t := ours[u.Block]; t != nil && t.id != id && !v.has(id) {
				if err := v.fault(inTablet(v.inBlock(corrupt("it is also %v of tablet %s of table %s", u, id, s.TableName), u.Block, ""), t)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// has reports whether a tablet is one of the table's.
func (v *verifier) has(id string) bool {
	for _, t := range v.tablets {
		if t.id == id {
			return true
		}
	}
	return false
}

// rowsetCheck is the check of one rowset.
type rowsetCheck struct {
	*verifier
	rs   *rowset
	keys []uint64 // blocks of the key columns, in the order of the key
}

func (v *verifier) rowset(t *tablet, meta *kuduwire.RowSet) error {
	c := &rowsetCheck{verifier: v, rs: &rowset{file: v.File, tablet: t, meta: meta, rows: -1}}
	if len(meta.Columns) == 0 {
		return v.fault(inRowSet(corrupt("it has no columns"), c.rs))
	}
	for _, b := range meta.Columns {
		if err := c.column(b); err != nil {
			return err
		}
	}
	for i := range t.schema.Keys() {
		id, ok := c.rs.column(t.schema.Columns[i].ID)
		if !ok {
			if err := v.fault(inRowSet(corrupt("it has no column %s, which is of the key", t.schema.Columns[i].Name), c.rs)); err != nil {
				return err
			}
			c.keys = nil
			break
		}
		c.keys = append(c.keys, id)
	}
	for _, step := range []func() error{c.index, c.bloom, c.deltas} {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// check opens a block and checks it by itself; then calls more, if that is not nil, for what else is to be compared. A
// block that cannot be opened is a fault.
func (c *rowsetCheck) check(id uint64, what string, o cfile.CheckOptions, more func(r *cfile.Reader) error) error {
	r, closer, err := c.File.block(c.ctx, id, what)
	if err != nil {
		c.bad[id] = true
		return c.fault(inRowSet(err, c.rs))
	}
	defer closer.Close()
	report := func(err error) {
		c.bad[id] = true
		c.report(inRowSet(c.inBlock(err, id, what), c.rs))
	}
	if err := r.Check(c.ctx, o, report); err != nil {
		return err
	}
	if more == nil {
		return nil
	}
	if err := more(r); err != nil {
		c.bad[id] = true
		return c.fault(inRowSet(c.inBlock(err, id, what), c.rs))
	}
	return nil
}

// column checks the block of a column.
func (c *rowsetCheck) column(b kuduwire.ColumnBlock) error {
	s := c.rs.tablet.schema
	i := s.Index(b.ID)
	var o cfile.CheckOptions
	if i >= 0 {
		k := s.Columns[i] // text that is none is no fault of Kudu's
		dt, _, err := cfilewire.ArrowType(k.Type, cfilewire.ArrowOptions{Precision: k.Precision, Scale: k.Scale, StringsBinary: true})
		if err == nil && !k.Array {
			o.Field.Type, o.Field.Name, o.Field.Nullable = dt, k.Name, true
		}
	}
	return c.check(b.Block, columnName(s, b.ID), o, func(r *cfile.Reader) error {
		if k := r.Kind(); k != cfilewire.ColumnFile {
			return corrupt("it is a %v file", k)
		}
		if c.rs.rows < 0 {
			c.rs.rows = r.Rows()
		}
		if r.Rows() != c.rs.rows {
			return corrupt("it has %d rows, another column of the rowset %d", r.Rows(), c.rs.rows)
		}
		if i < 0 {
			return nil
		}
		if err := checkColumn(r, &s.Columns[i], c.rs); err != nil {
			return err
		}
		if f := r.Footer(); f.Nullable && !s.Columns[i].Nullable {
			return corrupt("it may hold nulls, which the column may not")
		}
		return nil
	})
}

// deltas checks the delta files, and how many rows they leave.
func (c *rowsetCheck) deltas() error {
	s, meta := c.rs.tablet.schema, c.rs.meta
	cell := func(id int32, value []byte, null bool) error {
		i := s.Index(id)
		if i < 0 {
			return nil // dropped
		}
		k := &s.Columns[i]
		switch {
		case k.Key:
			return corrupt("a change of column %s, which is of the key", k.Name)
		case null && !k.Nullable:
			return corrupt("a null for column %s, which has none", k.Name)
		case null || k.Array:
			return nil
		}
		if err := checkCell(k, value); err != nil {
			return fmt.Errorf("column %s: %w", k.Name, err)
		}
		return nil
	}
	whole := true
	for _, x := range []struct {
		blocks []uint64
		what   string
		order  cfile.DeltaOrder
	}{{meta.Redo, "redo deltas", cfile.Forward}, {meta.Undo, "undo deltas", cfile.Backward}} {
		for _, id := range x.blocks {
			o := cfile.CheckOptions{Order: x.order, Rows: max(0, c.rs.rows), Cell: cell}
			err := c.check(id, x.what, o, func(r *cfile.Reader) error {
				if k := r.Kind(); k != cfilewire.DeltaFile {
					return corrupt("it is a %v file", k)
				}
				return nil
			})
			if err != nil {
				return err
			}
			whole = whole && (!c.bad[id] || x.order == cfile.Backward)
		}
	}
	if !whole || c.rs.rows < 0 || !c.rs.tablet.super.CountsLiveRows || meta.LiveRows < 0 {
		return nil
	}
	live, err := c.liveOnDisk()
	if err == nil && live != meta.LiveRows {
		err = corrupt("the superblock counts %d live rows, there are %d", meta.LiveRows, live)
	}
	return c.fault(inRowSet(err, c.rs))
}
