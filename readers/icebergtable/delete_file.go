package icebergtable

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
)

// deleteFragments returns the delete files to be verified, each once: a Puffin file may have several deletion vectors.
func (p *planner) deleteFragments() (out []arrowio.Fragment) {
	vectors := map[string]*checkedVectors{}
	for _, d := range p.index.all {
		switch c := vectors[d.file.Path]; {
		case d.file.Vector == nil:
			out = append(out, p.deleteFragment(d))
		case c != nil:
			c.list = append(c.list, d)
		default:
			c = &checkedVectors{Empty: view.Empty{Format: formatPuffin, Fields: arrow.NewSchema(nil, nil)}, p: p, list: []*deleted{d}}
			vectors[d.file.Path] = c
			out = append(out, arrowio.Fragment{Name: d.file.Path, Open: func(context.Context) (arrowio.File, error) { return c, nil }})
		}
	}
	return out
}

// deleteFragment returns a delete file to be verified.
func (p *planner) deleteFragment(d *deleted) arrowio.Fragment {
	open := func(ctx context.Context) (arrowio.File, error) {
		fields := d.file.Equality
		if fields == nil {
			fields = positionFields
		}
		of := &file{Path: d.file.Path, Format: d.file.Format, Rows: d.entry.Rows, Bytes: d.entry.Bytes}
		f, err := p.table.openFile(ctx, of, fields, nil)
		if err != nil {
			return nil, errs.Locate(err, errs.At{File: of.Path})
		}
		return &checkedDeletes{shownFile: f, p: p, d: d}, nil
	}
	return arrowio.Fragment{Name: d.file.Path, Open: open}
}

// checkedDeletes is a delete file that is verified.
type checkedDeletes struct {
	*shownFile
	p *planner
	d *deleted

	strange int64  // rows about files that the snapshot does not have
	first   string // the first of these files
}

// Verify implements arrowio.Verifier: beside what is checked of each file, the rows that position deletes name must be there.
func (c *checkedDeletes) Verify(ctx context.Context, report func(error)) error {
	faults := 0
	err := c.shownFile.Verify(ctx, func(err error) { faults++; report(err) })
	if err != nil || faults > 0 {
		return err
	}
	if c.d.file.Equality != nil {
		return icebergfile.Scan(ctx, c.shownFile, nil, func(arrow.Record) error { return nil })
	}
	rows := c.p.rowsOfData()
	return icebergfile.Scan(ctx, c.shownFile, nil, func(rec arrow.Record) error {
		names, ok := rec.Column(0).(*array.String)
		at, ok2 := rec.Column(1).(*array.Int64)
		if !ok || !ok2 {
			return errs.Errorf(errs.ErrInternal, "columns %s and %s", rec.Column(0).DataType(), rec.Column(1).DataType())
		}
		return c.check(names, at, rows, report)
	})
}

// check checks a batch of position deletes. It reports one fault of each run of rows about the same file.
func (c *checkedDeletes) check(names *array.String, at *array.Int64, rows map[string]int64, report func(error)) error {
	fault := func(column, format string, args ...any) {
		report(errs.Locate(corrupt(format, args...), errs.At{Column: column}))
	}
	if names.NullN() > 0 {
		fault(iceberg.PathName, "%d deletes have no path", names.NullN())
	}
	if at.NullN() > 0 {
		fault(iceberg.PositionName, "%d deletes have no position", at.NullN())
	}
	if names.NullN()+at.NullN() > 0 {
		return nil
	}
	last, stored, known, told := "", int64(0), false, false
	for i, p := range at.Int64Values() {
		if name := names.Value(i); i == 0 || name != last {
			last, told = name, false
			stored, known = rows[pathKey(name)]
			if about := c.d.entry.About; about != "" && pathKey(about) != pathKey(name) {
				fault(iceberg.PathName, "a delete is about %s, and referenced_data_file in the manifest is %s", name, about)
			}
			if known && !c.d.mayName(name) {
				fault(iceberg.PathName, "a delete is about %s, which is not within lower_bounds and upper_bounds of the manifest", name)
			}
		}
		if !known {
			if c.strange++; c.first == "" {
				c.first = last
			}
		}
		if (p < 0 || known && p >= stored) && !told {
			told = true
			fault(iceberg.PositionName, "row %d of %s is deleted, which has %d rows", p, last, stored)
		}
	}
	return nil
}

// rowsOfData returns the numbers of rows of the data files, by pathKey.
func (p *planner) rowsOfData() map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows == nil {
		p.rows = make(map[string]int64, len(p.data))
		for _, e := range p.data {
			p.rows[pathKey(e.Path)] = e.Rows
		}
	}
	return p.rows
}

// Warnings implements arrowio.Warner.
func (c *checkedDeletes) Warnings() []arrowio.Warning {
	return append(c.shownFile.Warnings(), strangers(c.strange, "deletes", c.first)...)
}

// strangers is the warning of n deletes about files that the snapshot does not have; nil = there are none.
func strangers(n int64, what, first string) []arrowio.Warning {
	if n == 0 {
		return nil
	}
	return []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf(
		"%d %s are about files that the snapshot does not have, such as %s: the files were replaced, or the paths are wrong", n, what, first))}
}
