package trevni

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// decimalsFit looks at the first block of a decimal column and tells whether its values keep to their precision. Avro
// writers do not check that; a column which breaks it from the start is not decimals but bytes, and is shown as such
// with a note. One that breaks it later is an error that names trevni-decimals.
func (f *File) decimalsFit(ctx context.Context) func(column, precision int) bool {
	return func(i, precision int) bool {
		if f.opt.Decimals != "" {
			return f.opt.Decimals == "decimal"
		}
		col := &f.header.Columns[i]
		if f.sampleDecimals(ctx, i, precision) {
			return true
		}
		f.notes = append(f.notes, "column "+col.Name+": shown as bytes, since values exceed their decimal precision")
		return false
	}
}

// sampleDecimals decodes the first block of column i; anything else that is wrong with it is not for now.
func (f *File) sampleDecimals(ctx context.Context, i, precision int) bool {
	col := &f.header.Columns[i]
	blocks, err := f.columnBlocks(ctx, i)
	if err != nil || len(blocks) == 0 {
		return true
	}
	var r blockReader
	raw, _, err := r.read(ctx, f, col, &blocks[0])
	if err != nil {
		return true
	}
	c := &column{Column: col, blocks: blocks[:1], raw: raw, limit: f.limits.BatchElements}
	k := newDecimalSink(precision, memory.NewGoAllocator())
	defer k.release()
	lens := make([]int32, 1)
	for c.p < len(raw) {
		if col.Array {
			_, err = c.entries(lens, k)
		} else {
			err = c.values(1, k)
		}
		if err != nil {
			return !isPrecision(err)
		}
	}
	return true
}
