package trevni

import (
	"bytes"
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/readall"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Verify checks every block of every stored column: its sizes and checksum, and that its values and lengths fill it exactly.
// Then it checks the records as a whole: parents against children, enum symbols, text, decimals.
func (f *File) Verify(ctx context.Context, report func(error)) error {
	v := verifier{File: f, report: report}
	for _, doubt := range f.Doubts() {
		report(doubt) // the rows can be read all the same
	}
	for i := range f.header.Columns {
		if err := v.column(ctx, i); err != nil {
			return err
		}
	}
	if err := v.layout(ctx); err != nil {
		return err
	}
	if err := v.schema(ctx); err != nil {
		return err
	}
	if v.faults > 0 {
		return nil // rows would only say the same again
	}
	return v.rows(ctx)
}

// verifier is one run of Verify.
type verifier struct {
	*File
	report func(error)
	faults int
}

// fault reports what is wrong with the file. It returns what says nothing about the file: the end of ctx, trouble with
// reading.
func (v *verifier) fault(err error) error {
	if err == nil || !isKind(err) {
		return err
	}
	v.faults++
	v.report(err)
	return nil
}

// column checks blocks one by one, so that one bad block does not hide the next.
func (v *verifier) column(ctx context.Context, i int) error {
	col := &v.header.Columns[i]
	blocks, err := v.columnBlocks(ctx, i)
	if err != nil {
		return v.fault(err)
	}
	bounds := v.bounds(i, blocks)
	var r blockReader
	for k := range blocks {
		b := &blocks[k]
		raw, verdict, err := r.read(ctx, v.File, col, b)
		c := &column{Column: col, blocks: blocks, block: k, raw: raw}
		switch {
		case isKind(err):
			err = c.failAt(err, b.Off)
		case err != nil:
			return err
		case verdict == trevniwire.SumWrong:
			err = c.failAt(errs.Errorf(errs.ErrCorrupt, "the checksum is wrong"), b.Off+b.Packed)
		case col.Values:
			err = c.checkFirst(b.First)
		}
		if err := v.fault(err); err != nil {
			return err
		}
		if bounds != nil && err == nil && raw != nil {
			v.wrong(c.checkBounds(&bounds[k], ": filters may drop rows"))
		}
	}
	return nil
}

// bounds returns the statistics of column i, if it has any and they can be read.
func (v *verifier) bounds(i int, blocks []trevniwire.Block) []trevniwire.Bounds {
	col := &v.header.Columns[i]
	stats, ok := col.Meta.Get(trevniwire.KeyStats)
	if !ok {
		return nil
	}
	bounds, err := trevniwire.ParseStatistics(stats, col, blocks)
	if err != nil {
		v.wrong(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%s: %w", trevniwire.KeyStats, err), errs.At{Format: Name, Column: col.Name, Op: "header"}))
	}
	return bounds
}

// wrong reports what is wrong with statistics. The rows may be sound.
func (v *verifier) wrong(err error) {
	if err != nil {
		v.report(err)
	}
}

// checkFirst compares the first value of a descriptor with the block it describes. Numbers may be padded differently.
func (c *column) checkFirst(first []byte) error {
	got, err := c.one()
	if err != nil {
		return err
	}
	same := bytes.Equal(got, first)
	switch c.Type {
	case trevniwire.Boolean:
		same = got[0]&1 == first[0]&1
	case trevniwire.Int, trevniwire.Long:
		same = firstText(c.Type, got) == firstText(c.Type, first)
	}
	if !same {
		return c.fail(errs.Errorf(errs.ErrCorrupt, "the block begins with %s, its descriptor says %s", firstText(c.Type, got), firstText(c.Type, first)))
	}
	return nil
}

// one reads a value and returns it as a descriptor holds it: without the length of a string.
func (c *column) one() ([]byte, error) {
	at := c.p
	switch c.Type {
	case trevniwire.String, trevniwire.Bytes:
		return c.bytes()
	case trevniwire.Boolean:
		return c.raw[:min(1, len(c.raw))], c.skip(1)
	}
	err := c.skip(1)
	return c.raw[at:c.p], err
}

// unsoundSchema reports whether an avro.schema that gives no records is a fault.
func unsoundSchema(noView error) bool {
	return noView != nil && !errors.Is(noView, errs.ErrLimit) && !errors.Is(noView, errs.ErrUnsupported)
}

// schema reports an avro.schema that is damaged or does not fit the columns. One that is over a limit may be sound.
func (v *verifier) schema(ctx context.Context) error {
	if !unsoundSchema(v.noView) {
		return nil
	}
	b, err := readAt(ctx, v.src, 0, v.header.Size)
	if err != nil {
		return err
	}
	at := errs.At{Format: Name, Op: "header", Off: errs.N(int64(max(0, bytes.Index(b, []byte(trevniwire.KeyAvro)))))}
	return v.fault(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%w", v.noView), at))
}

// layout reports columns that overlap, and a second file behind the last one; gaps and other bytes are legal.
func (v *verifier) layout(ctx context.Context) error {
	known := true
	end, last := v.header.Size, "the header"
	for _, i := range v.byStart() {
		col := &v.header.Columns[i]
		if col.Start < end {
			e := errs.Errorf(errs.ErrCorrupt, "the column starts at %d, within %s, which ends at %d", col.Start, last, end)
			at := errs.At{Format: Name, Column: col.Name, Op: "column start", Off: errs.N(v.startField(i))}
			if err := v.fault(errs.Locate(e, at)); err != nil {
				return err
			}
		}
		blocks, err := v.columnBlocks(ctx, i)
		if err != nil {
			known = false
			continue // reported before
		}
		if e := columnEnd(col, blocks); e > end {
			end, last = e, "column "+col.Name
		}
	}
	if !known || v.second != nil { // Doubts has it
		return nil
	}
	second, err := v.findSecond(ctx, end)
	return v.fault(errors.Join(second, err))
}

// rows decodes everything, column by column, and drops it.
func (v *verifier) rows(ctx context.Context) error {
	for i := range v.tree.Roots {
		p := arrowio.Projection{Schema: selectField(v.tree.Schema, i), Fields: []arrowio.ProjectedField{{Index: i}}}
		for _, s := range v.splits {
			if err := v.fault(readall.Split(ctx, v.File, s, p, walkRows)); err != nil {
				return err
			}
		}
	}
	return nil
}
