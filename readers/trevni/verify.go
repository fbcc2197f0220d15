package trevni

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Verify checks every block of every stored column: sizes, checksum, and that its values and lengths use it up; then
// the records as a whole (parents against children, enum symbols, text, decimals).
func (f *File) Verify(ctx context.Context, report func(error)) error {
	faults := 0
	note := func(err error) {
		faults++
		report(err)
	}
	for i := range f.header.Columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.verifyColumn(ctx, i, note); err != nil {
			return err
		}
	}
	f.verifyLayout(ctx, note)
	if faults > 0 {
		return nil
	}
	return f.verifyRows(ctx, note)
}

// verifyColumn checks blocks one by one, so that one bad block does not hide the next.
func (f *File) verifyColumn(ctx context.Context, i int, report func(error)) error {
	col := &f.header.Columns[i]
	blocks, err := f.columnBlocks(ctx, i)
	if err != nil {
		report(err)
		return ctx.Err()
	}
	var r blockReader
	for k := range blocks {
		b := &blocks[k]
		raw, verdict, err := r.read(ctx, f, col, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c := &column{Column: col, blocks: blocks, block: k, raw: raw, loaded: true, limit: f.limits.BatchElements}
		switch {
		case err != nil:
			report(c.failAt(err, b.Off))
			continue
		case verdict == trevniwire.SumWrong:
			report(c.failAt(arrowio.Errorf(arrowio.ErrCorrupt, "the checksum is wrong"), b.Off+b.Packed))
			continue
		}
		if col.Values {
			if err := c.checkFirst(b.First); err != nil {
				report(err)
			}
		}
	}
	return nil
}

// checkFirst compares the first value of a descriptor with the block it describes.
func (c *column) checkFirst(first []byte) error {
	c.p, c.bits = 0, 0
	if err := c.values(1, nil); err != nil {
		return err
	}
	want, got := firstText(c.Type, c.content(first)), ""
	if c.Type == trevniwire.Boolean {
		got = firstText(c.Type, c.raw[:1])
	} else {
		got = firstText(c.Type, c.content(c.raw[:c.p]))
	}
	if got != want {
		return c.fail(arrowio.Errorf(arrowio.ErrCorrupt, "the block begins with %s, its descriptor says %s", got, want))
	}
	return nil
}

// content strips the length of a string; a descriptor's first value has lost its own already.
func (c *column) content(b []byte) []byte {
	if c.Type != trevniwire.String && c.Type != trevniwire.Bytes {
		return b
	}
	if len(b) == 0 || &b[0] != &c.raw[0] {
		return b
	}
	d := column{Column: c.Column, raw: b}
	v, err := d.bytes()
	if err != nil {
		return b
	}
	return v
}

// verifyLayout reports columns that overlap; gaps are legal.
func (f *File) verifyLayout(ctx context.Context, report func(error)) {
	end, last := f.header.Size, "the header"
	for _, i := range f.byStart() {
		col := &f.header.Columns[i]
		if col.Start < end {
			e := arrowio.Errorf(arrowio.ErrCorrupt, "the column begins within %s, which ends at %d", last, end)
			report(arrowio.Locate(e, arrowio.At{Format: Name, Column: col.Name, Op: "column start", Split: -1, Off: col.Start}))
		}
		blocks, err := f.columnBlocks(ctx, i)
		if err != nil {
			continue // reported before
		}
		end, last = col.Start+4, "column "+col.Name
		if n := len(blocks); n > 0 {
			end = blocks[n-1].Off + blocks[n-1].Packed + col.Checksum.Size()
		}
	}
}

// verifyRows decodes everything, column by column, and drops it.
func (f *File) verifyRows(ctx context.Context, report func(error)) error {
	for i := range f.tree.Roots {
		p := arrowio.Projection{Schema: selectField(f.tree.Schema, i), Fields: []arrowio.ProjectedField{{Index: i}}}
		for _, s := range f.splits {
			err := f.verifySplit(ctx, s, p, arrowbuf.Shared())
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				report(err)
			}
		}
	}
	return nil
}

func (f *File) verifySplit(ctx context.Context, s arrowio.Split, p arrowio.Projection, mem memory.Allocator) error {
	r, err := f.Read(ctx, s, arrowio.RowSet{s.Rows}, p, mem)
	if err != nil {
		return err
	}
	defer r.Close()
	for left := s.Rows.Len(); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := r.(arrowio.Sizer).Fit(int(min(left, walkRows)), 64<<20)
		if _, err := r.Read(n); err != nil {
			return err
		}
		rec, err := r.Take()
		if err != nil {
			return err
		}
		rec.Release()
		left -= int64(n)
	}
	return nil
}
