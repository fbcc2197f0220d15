package cfile

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// TestNarrowNumbers: Kudu stores bit-shuffled UINT32 in as few bytes as all of a block need, not only codes of
// dictionaries.
func TestNarrowNumbers(t *testing.T) {
	for _, most := range []uint32{0, 200, 60_000, 1 << 31} {
		var values, file []byte
		for i := range uint32(1000) {
			values = binary.LittleEndian.AppendUint32(values, most-min(most, i%7))
		}
		var c cfilewire.ColumnOut
		if err := c.Open(cfilewire.ColumnSettings(cfilewire.UInt32, cfilewire.EncodingBitShuffle, 0, false, false), func(b []byte) error { file = append(file, b...); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := c.PutFixed(values, 1000, nil, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Finish(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(context.Background(), local.NewBytesSource(file), arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{BatchRows: 300, Rows: arrowio.RowRange{Start: 5, End: 995}})
		if err != nil {
			t.Fatal(err)
		}
		row := 5
		for rr.Next() {
			for _, v := range rr.Record().Column(0).(*array.Uint32).Uint32Values() {
				if want := binary.LittleEndian.Uint32(values[4*row:]); v != want {
					t.Fatalf("at most %d: row %d: %d, want %d", most, row, v, want)
				}
				row++
			}
		}
		if err := rr.Err(); err != nil || row != 995 {
			t.Errorf("at most %d: %d rows, %v", most, row-5, err)
		}
		rr.Release()
		if err := f.Verify(context.Background(), func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
	}
}
