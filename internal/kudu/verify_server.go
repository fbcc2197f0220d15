package kudu

import (
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// openToVerify opens the table or the tablet that the options name, or the only table. Where none is named and there are
// several, or superblocks that cannot be read, it opens all of them.
func openToVerify(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	o.PassDenied = true
	s, err := openServer(ctx, path, limits, o)
	if err != nil {
		return nil, err
	}
	if o.Table == "" && o.Tablet == "" {
		v, err := s.overview(ctx)
		if err != nil {
			return nil, errors.Join(err, s.blocks.Close())
		}
		if len(v.tables) > 1 || len(v.damaged) > 0 {
			return v, nil
		}
	}
	f, err := s.table(ctx)
	if err != nil {
		return nil, err // not a File that is a nil *File
	}
	return f, nil
}

// Verify checks all tables of the server, one after the other, as File.Verify does; and that all superblocks can be read,
// and that no tablet has lost its own. Superblocks that may not be read are an error, when all else was checked. Each fault of a table says which. What is not checked is in Warnings.
func (v *Overview) Verify(ctx context.Context, report func(error)) error {
	v.mu.Lock()
	faults := v.faults
	v.sums = arrowio.Checksums{Unit: "block"}
	v.mu.Unlock()
	for _, err := range faults {
		report(err)
	}
	for _, t := range v.tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.here() {
			continue
		}
		err := v.verifyTable(ctx, t, func(err error) { report(inTable(err, t.Name)) })
		if err != nil {
			return inTable(err, t.Name)
		}
	}
	return v.Denied()
}

// here reports whether the server has, or should have, rows of the table.
func (t *tableMember) here() bool {
	for _, m := range t.tablets {
		if s := m.State; s != kuduwire.TabletTombstoned.String() && s != kuduwire.TabletDeleted.String() {
			return true
		}
	}
	return false
}

func (v *Overview) verifyTable(ctx context.Context, t *tableMember, report func(error)) error {
	f := &File{dirs: v.dirs, blocks: v.blocks, limits: v.limits, opt: v.opt, sizes: usualSizes, apart: v.apart}
	f.opt.Table, f.opt.Salvage, f.opt.verify, f.verify = t.ID, true, true, true
	err := f.openThose(ctx, t)
	faults := 0
	if err == nil {
		err = f.Verify(ctx, func(err error) { faults++; report(err) })
	}
	if err == nil && faults == 0 {
		err = v.addChecksums(ctx, f)
	}
	v.read.Add(f.BytesRead())
	for _, w := range f.Warnings() {
		v.mu.Lock()
		v.doubts.add(w)
		v.mu.Unlock()
	}
	var e *errs.Error
	if errors.As(err, &e) && e.Kind != errs.ErrOption && ctx.Err() == nil {
		report(err)
		return nil
	}
	return err
}

// openThose opens a table of which it is known which tablets it has.
func (f *File) openThose(ctx context.Context, t *tableMember) error {
	var tablets []*tablet
	for _, m := range t.tablets {
		sb, err := f.dirs.SuperBlock(m.ID)
		if err != nil && !errors.Is(err, kuduwire.ErrDescription) { // which the overview has reported
			return err
		}
		tablets = append(tablets, &tablet{id: m.ID, super: sb})
	}
	if err := f.withData(tablets); err != nil {
		return err
	}
	if err := f.needData(); err != nil {
		return err
	}
	return f.openTablets(ctx)
}

// inTable says in which table an error is.
func inTable(err error, name string) error {
	var e *errs.Error
	if !errors.As(err, &e) || e.Op == "" {
		return errs.Locate(err, errs.At{Format: Name, Op: "table " + name})
	}
	c := *e
	c.Op = "table " + name + ", " + e.Op
	return &c
}

var _ arrowio.Verifier = (*Overview)(nil)
