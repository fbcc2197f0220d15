package orc

import (
	"context"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// Files of all shapes behave as the contract says, in one split a stripe and in many small ones.
func TestConformance(t *testing.T) {
	us := map[string]string{"timestamp-unit": "us"}
	for i, x := range []struct {
		file    string
		options map[string]string
		rows    int64 // of a small split
	}{
		{"java-2.3.1/all-zlib-v11", nil, 7},
		{"java-2.3.1/all-zstd-v12", nil, 10},
		{"java-2.3.1/all-none-v12", map[string]string{"dictionary": "true"}, 10},
		{"java-2.3.1/zero-rows", nil, 1},
		{"java-2.3.1/one-row", nil, 1},
		{"java-2.3.1/empty-struct", nil, 3},
		{"java-2.3.1/root-int", nil, 30},
		{"java-2.3.1/root-map", nil, 30},
		{"java-2.3.1/root-uniontype", nil, 30},
		{"java-2.3.1/nested-v12", nil, 17},
		{"java-2.3.1/deep-12", nil, 40},
		{"java-2.3.1/map-null-keys", map[string]string{"orc-null-keys": "list"}, 30},
		{"java-2.3.1/nulls-stripe2-v12", nil, 60},
		{"java-2.3.1/strings-v12", nil, 70},
		{"java-2.3.1/calendar-hybrid", us, 50},
		{"java-2.3.1/strides-none", nil, 1000},
		{"java-2.3.1/strides-zstd", nil, 1000},
		{"java-2.3.1/bloom-utf8", nil, 1000},
		{"java-2.3.1/many-stripes", nil, 25},
		{"java-2.3.1/pruning", nil, 1000},
		{"java-2.3.1/encrypted-strides", map[string]string{"orc-keys": keysFile}, 1000},
		{"java-2.3.1/merged", nil, 25},
		{"pyarrow-26.0.1/strides", nil, 50},
		{"foreign/chunks-of-five", nil, 7},
		{"foreign/stripe-of-no-rows", nil, 7},
	} {
		src := local.NewBytesSource(fixtures.Read(t, data+x.file+".orc"))
		o := optionsOf(t, x.options)
		for k, small := range []bool{false, true} {
			name := x.file
			if (2*i+k)%(1+sampled/2) > 0 {
				continue // with the tag interop every file is tried both ways
			}
			if small {
				name += "/small-splits"
			}
			t.Run(name, func(t *testing.T) {
				conformance.Run(t, conformance.Harness{
					Source: src,
					Scans:  8 / sampled,
					Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
						f, err := Open(ctx, src, arrowio.Limits{}, o)
						if err == nil && small {
							recut(f, x.rows)
						}
						if err != nil {
							return nil, err
						}
						return f, nil
					},
				})
			})
		}
	}
}

// recut cuts an open file into splits of about so many rows.
func recut(f *File, rows int64) {
	cuts := f.cuts
	f.cuts, f.splits = nil, nil
	for _, c := range cuts {
		for at := c.rows.Start; at < c.rows.End; at += rows {
			f.add(cut{stripe: c.stripe, rows: arrowio.RowRange{Start: at, End: min(at+rows, c.rows.End)}}, 1)
		}
	}
}
