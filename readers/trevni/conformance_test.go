package trevni

import (
	"context"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// Files of all shapes behave as the contract says, in both views, in one split and in many small ones.
func TestConformance(t *testing.T) {
	for _, x := range []struct {
		file  string
		rows  int64 // of a split
		scans int
	}{
		{"java-1.12.1/rows0.trv", 1, 10},
		{"java-1.12.1/rows1.trv", 1, 10},
		{"java-1.12.1/columns0-rows5.trv", 2, 10},
		{"java-1.12.1/prim-snappy-crc32.trv", 30, 12},
		{"java-1.12.1/arrays-all-types.trv", 25, 12},
		{"java-1.12.1/nested3.trv", 40, 12},
		{"java-1.12.1/avro-arrays.trv", 20, 12},
		{"java-1.12.1/avro-maps.trv", 20, 12},
		{"java-1.12.1/avro-nested.trv", 20, 12},
		{"java-1.12.1/avro-union.trv", 50, 12},
		{"java-1.12.1/avro-union-records.trv", 50, 12},
		{"java-1.12.1/avro-optional.trv", 50, 12},
		{"java-1.12.1/avro-logical.trv", 20, 12},
		{"java-1.12.1/avro-enum-fixed.trv", 20, 12},
		{"java-1.12.1/avro-empty-record.trv", 20, 12},
		{"java-1.12.1/avro-top-array.trv", 7, 12},
		{"java-1.12.1/avro-random-3.trv", 10, 12},
		{"foreign/uneven-blocks.trv", 20, 12},
		{"foreign/parent-child-blocks.trv", 7, 12},
		{"foreign/one-row-blocks-snappy.trv", 2, 12},
		{"foreign/blocks-of-no-rows.trv", 7, 12},
		{"foreign/order-gaps-tail.trv", 20, 12},
	} {
		src := local.NewBytesSource(fixtures.Read(t, data+x.file))
		for _, view := range []string{"columns", "records"} {
			avro := strings.Contains(x.file, "avro-")
			if view == "records" && !avro {
				continue
			}
			for _, rows := range []int64{splitRows, x.rows} {
				if avro && view == "columns" && rows != x.rows {
					continue
				}
				name := strings.TrimSuffix(x.file[strings.Index(x.file, "/")+1:], ".trv")
				if rows == x.rows {
					name += "/small-splits"
				}
				t.Run(name+"/"+view, func(t *testing.T) {
					conformance.Run(t, conformance.Harness{
						Source: src,
						Scans:  x.scans,
						Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
							f, err := Open(ctx, src, arrowio.Limits{}, Options{View: view})
							if err != nil {
								return nil, err
							}
							return f, recut(ctx, f, rows)
						},
					})
				})
			}
		}
	}
}

// recut cuts an open file into splits of about the given number of rows.
func recut(ctx context.Context, f *File, rows int64) (err error) {
	f.splitRows = rows
	f.splits, err = f.cut(ctx)
	return err
}
