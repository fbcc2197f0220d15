package trevni

import (
	"context"
	"math"

	"github.com/arrowio/arrowio/internal/trevniwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// decimalsFit looks at the first block of a decimal column and tells whether its values keep to their precision. Avro
// writers do not check that; a column which breaks it from the start is not decimals but bytes, and is shown as such
// with a note. One that breaks it later is an error that names trevni-decimals. failed is set where the file cannot be
// read: what a file looks like must not depend on that. seen has what is known already.
func (f *File) decimalsFit(ctx context.Context, seen map[int]sample, failed *error) func(column, precision int) bool {
	return func(i, precision int) bool {
		if f.opt.Decimals != "" {
			return f.opt.Decimals == "decimal"
		}
		col := &f.header.Columns[i]
		x, ok := seen[i]
		if !ok {
			x.fit, x.err = f.sampleDecimals(ctx, i, precision)
		}
		if x.err != nil && !isKind(x.err) {
			*failed = x.err
		}
		if x.fit || x.err != nil { // anything else that is wrong with the block is for those to know who read it
			return true
		}
		f.notes = append(f.notes, "column "+col.Name+": shown as bytes, since values exceed their decimal precision")
		return false
	}
}

// sample is what sampleDecimals returned.
type sample struct {
	fit bool
	err error
}

// sampleAll calls sampleDecimals for all columns of decimals of a far file, several at once: each is two requests. It also loads the
// descriptors of the widest column. failed is set where the file cannot be read.
func (f *File) sampleAll(ctx context.Context, schema *trevniwire.Avro) (seen map[int]sample, err, failed error) {
	var columns, precisions []int
	_, err = trevniwire.RecordsView(f.header, schema, f.limits, func(column, precision int) bool {
		columns, precisions = append(columns, column), append(precisions, precision)
		return true
	})
	if err != nil {
		return nil, err, nil
	}
	wide, _ := f.widest() // its descriptors are needed next: see cut
	all := make([]sample, len(columns))
	err = workers.Each(farColumns, len(columns)+1, func(i int) error {
		if i == len(columns) {
			if wide < 0 {
				return nil
			}
			if _, err := f.columnBlocks(ctx, wide); err != nil && !isKind(err) {
				failed = err
			}
			return nil // anything else that is wrong with it is for those to know who read it
		}
		x := &all[i]
		x.fit, x.err = f.sampleDecimals(ctx, columns[i], precisions[i])
		return nil
	})
	seen = make(map[int]sample, len(columns))
	for i, c := range columns {
		seen[c] = all[i]
	}
	return seen, err, failed
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
