package trevni

import (
	"context"
	"math"
)

// decimalsFit looks at the first block of a decimal column and tells whether its values keep to their precision. Avro
// writers do not check that; a column which breaks it from the start is not decimals but bytes, and is shown as such
// with a note. One that breaks it later is an error that names trevni-decimals. failed is set where the file cannot be
// read: what a file looks like must not depend on that.
func (f *File) decimalsFit(ctx context.Context, failed *error) func(column, precision int) bool {
	return func(i, precision int) bool {
		if f.opt.Decimals != "" {
			return f.opt.Decimals == "decimal"
		}
		col := &f.header.Columns[i]
		fit, err := f.sampleDecimals(ctx, i, precision)
		if err != nil && !isKind(err) {
			*failed = err
		}
		if fit || err != nil { // anything else that is wrong with the block is for those to know who read it
			return true
		}
		f.notes = append(f.notes, "column "+col.Name+": shown as bytes, since values exceed their decimal precision")
		return false
	}
}

// sampleDecimals looks through the first block of column i.
func (f *File) sampleDecimals(ctx context.Context, i, precision int) (fit bool, err error) {
	col := &f.header.Columns[i]
	blocks, err := f.columnBlocks(ctx, i)
	if err != nil || len(blocks) == 0 {
		return true, err
	}
	var r blockReader
	raw, _, err := r.read(ctx, f, col, &blocks[0])
	if err != nil {
		return true, err
	}
	c := &column{Column: col, raw: raw}
	k := newDecimalSink(precision, nil)
	for c.p < len(raw) {
		values := int64(1)
		if col.Array {
			entries, n, err := c.group(math.MaxInt32)
			if err != nil {
				return true, err
			}
			values = int64(entries) * int64(n)
		}
		for ; values > 0; values-- {
			v, err := c.bytes()
			if err != nil {
				return true, err
			}
			if !k.fits(v) {
				return false, nil
			}
		}
	}
	return true, nil
}
