package kudu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// rebuildChecks looks into blocks for rebuild.Group.
type rebuildChecks struct{ *File }

// no is the error with which a check ends: damage is a no, and none.
func (c rebuildChecks) no(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil || isData(err) || errors.Is(err, errs.ErrLimit) {
		return nil
	}
	return err
}

// InBloom implements rebuild.Checks.
func (c rebuildChecks) InBloom(ctx context.Context, bloom, keys *rebuild.Piece) (bool, error) {
	if keys.Rows == 0 {
		return false, nil
	}
	filters, fc, err := c.block(ctx, bloom.ID, whatBloom)
	if err != nil {
		return false, c.no(ctx, err)
	}
	defer fc.Close()
	r, rc, err := c.block(ctx, keys.ID, whatIndex)
	if err != nil {
		return false, c.no(ctx, err)
	}
	defer rc.Close()
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	missed := false
	err = cfile.CheckBloom(until, filters, r, func(error) {
		missed = true
		cancel()
	})
	if missed || err != nil {
		return false, c.no(ctx, nil)
	}
	return true, nil
}

// KeyColumns implements rebuild.Checks: the first row, whose key is in the footer of the index, decides how many columns it may
// be; then all rows are compared.
func (c rebuildChecks) KeyColumns(ctx context.Context, columns []*rebuild.Piece, index *rebuild.Piece) (int, error) {
	r, closer, err := c.block(ctx, index.ID, whatIndex)
	if err != nil {
		return 0, c.no(ctx, err)
	}
	defer closer.Close()
	key, ok := r.Footer().Lookup(cfilewire.MetaMinKey)
	if !ok || index.Rows == 0 {
		return 0, nil
	}
	check := &rowsetCheck{verifier: &verifier{File: c.File, ctx: ctx}, rs: &rowset{file: c.File, tablet: &tablet{schema: &kuduwire.Schema{}}, rows: index.Rows}}
	schema := check.rs.tablet.schema
	for i, p := range columns {
		if p.Nullable || p.Array || !p.Type.IsKey() {
			return 0, nil
		}
		schema.Columns = append(schema.Columns, kuduwire.Column{ID: int32(i), Name: fmt.Sprintf("c%d", i), Type: p.Type, Key: true})
		check.keys = append(check.keys, p.ID)
		cell, err := c.firstCell(ctx, p)
		if err != nil {
			return 0, c.no(ctx, err)
		}
		if i > 0 {
			if part, err := cfilewire.AppendKey(nil, p.Type, cell, true); err == nil && string(part) == string(key) {
				switch err := check.compareKeys(r); {
				case err == nil:
					return i + 1, nil
				case ctx.Err() != nil:
					return 0, ctx.Err()
				}
			}
		}
		part, err := cfilewire.AppendKey(nil, p.Type, cell, false)
		if err != nil || len(part) > len(key) || string(key[:len(part)]) != string(part) {
			return 0, nil
		}
		key = key[len(part):]
	}
	return 0, nil
}

// firstCell returns the first value of a column, as keys have it.
func (c rebuildChecks) firstCell(ctx context.Context, p *rebuild.Piece) ([]byte, error) {
	one := &rowsetCheck{verifier: &verifier{File: c.File, ctx: ctx}, keys: []uint64{p.ID}, rs: &rowset{
		file: c.File, rows: 1, tablet: &tablet{schema: &kuduwire.Schema{Columns: []kuduwire.Column{{Type: p.Type, Key: true}}}},
	}}
	columns, err := one.openKeys()
	defer func() {
		for _, k := range columns {
			k.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := columns[0].read(1); err != nil {
		return nil, err
	}
	return slices.Clone(columns[0].cell(0)), nil
}

// Born implements rebuild.Checks. A row that the UNDO file does not tell of was inserted before all that it tells.
func (c rebuildChecks) Born(ctx context.Context, undo, deltas *rebuild.Piece) (bool, error) {
	changes, closer, err := c.walk(ctx, deltas)
	if changes == nil {
		return true, err
	}
	defer closer.Close()
	born, closer, err := c.walk(ctx, undo)
	if born == nil {
		return true, err
	}
	defer closer.Close()
	ok := bornBefore(born, changes)
	return ok, c.no(ctx, errors.Join(born.Err, changes.Err))
}

// walk opens deltas; nil where they cannot be read.
func (c rebuildChecks) walk(ctx context.Context, p *rebuild.Piece) (*cfile.Deltas, io.Closer, error) {
	r, closer, err := c.block(ctx, p.ID, "deltas")
	if err != nil {
		return nil, nil, c.no(ctx, err)
	}
	d, err := r.NewDeltas(ctx, arrowio.RowRange{End: math.MaxInt64}, nil)
	if err != nil {
		_ = closer.Close()
		return nil, nil, c.no(ctx, err)
	}
	d.Pass = func(error) {}
	return d, closer, nil
}

// bornBefore walks over the deletes of an UNDO file, which are inserts, and over changes, both by row: no change may be older
// than all inserts of its row.
func bornBefore(born, changes *cfile.Deltas) bool {
	more := born.Next()
	for changes.Next() {
		for more && born.Key.Row < changes.Key.Row {
			more = born.Next()
		}
		oldest := uint64(0)
		for more && born.Key.Row == changes.Key.Row {
			if len(born.Change) > 0 && cfilewire.Op(born.Change[0]) == cfilewire.Delete {
				oldest = born.Key.Time // they are newest first
			}
			more = born.Next()
		}
		if oldest > changes.Key.Time {
			return false
		}
	}
	return true
}
