//go:build !race

package orc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/writertest"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// paddedRows makes rows of about 60 bytes that do not pack, in batches.
func paddedRows(rows int) []arrow.Record {
	r := rand.New(rand.NewSource(11))
	s := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.Binary}, {Name: "d", Type: arrow.PrimitiveTypes.Float64}}, nil)
	var recs []arrow.Record
	for at := 0; at < rows; at += 3_333 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for range min(3_333, rows-at) {
			noise := make([]byte, 20+r.Intn(40))
			_, _ = r.Read(noise)
			b.Field(0).(*array.Int64Builder).Append(int64(r.Uint64()))
			b.Field(1).(*array.BinaryBuilder).Append(noise)
			b.Field(2).(*array.Float64Builder).Append(r.NormFloat64())
		}
		recs = append(recs, b.NewRecord())
		b.Release()
	}
	return recs
}

// TestStripesWithinBlocks: no stripe lies across the edge of a block, whether it is the store's or of a size that was asked for;
// little of the blocks is padding, and without the option nothing is.
func TestStripesWithinBlocks(t *testing.T) {
	recs := paddedRows(60_000)
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	for _, c := range []struct {
		store          int64 // 0 = without blocks
		padding        string
		stride, codec  string
		stripe         int64
		block, asked   int64 // of the file; 0 = none
		least, stripes int   // of what is not padding, in percent; at least so many stripes
	}{
		{0, "auto", "1000", "none", 0, 0, 0, 100, 1},
		{0, "none", "1000", "none", 0, 0, 0, 100, 1},
		{0, "512KiB", "1000", "none", 0, 512 << 10, 0, 80, 6},
		{256 << 10, "", "1000", "none", 0, 256 << 10, 0, 75, 12},
		{256 << 10, "", "100", "zstd", 0, 256 << 10, 0, 90, 12},
		{256 << 10, "none", "100", "none", 0, 0, 0, 100, 1},
		{256 << 10, "1MiB", "500", "snappy", 300 << 10, 1 << 20, 1 << 20, 85, 9},
		{1 << 20, "auto", "0", "none", 200 << 10, 1 << 20, 0, 40, 6}, // without an index steps are of 10,000 rows
		{64 << 10, "auto", "1000", "none", 0, 64 << 10, 0, 50, 60},   // a row group is more than a block
	} {
		name := fmt.Sprintf("%+v", c)
		st := writertest.NewBlockStore(c.store)
		var store arrowio.Store = st
		if c.store == 0 {
			store = st.MemStore
		}
		o := arrowio.WriteOptions{Compression: c.codec, RowGroupBytes: c.stripe, Options: map[string]string{"orc-row-index-stride": c.stride}}
		if c.padding != "" {
			o.Options["orc-block-padding"] = c.padding
		}
		p, err := writer.Plan(recs[0].Schema(), o)
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(context.Background(), writer.Format(), store, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		objects := st.Objects()
		b := one(t, objects)
		if got := st.Asked["part-00000.orc"]; got != c.asked {
			t.Errorf("%s: the writer asked for blocks of %d bytes", name, got)
		}
		f := open(t, name, b, readerOptions())
		info, err := f.Info(context.Background(), arrowio.InfoOptions{Groups: true})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if len(info.Groups) < c.stripes {
			t.Errorf("%s: %d stripes", name, len(info.Groups))
		}
		used, last := int64(0), int64(3)
		for i, s := range info.Groups {
			if c.block > 0 && s.Off/c.block != (s.Off+s.Bytes-1)/c.block && s.Bytes <= c.block {
				t.Errorf("%s: stripe %d, of %d bytes at %d, lies across the edge of a block", name, i, s.Bytes, s.Off)
			}
			for _, zero := range b[last:s.Off] {
				if zero != 0 {
					t.Fatalf("%s: what is before stripe %d is not zeros", name, i)
				}
			}
			used, last = used+s.Bytes, s.Off+s.Bytes
		}
		if share := int(100 * used / (last - 3)); share < c.least {
			t.Errorf("%s: only %d %% is no padding", name, share)
		} else {
			t.Logf("%s: %d stripes, %d %% is no padding", name, len(info.Groups), share)
		}
		check(t, objects, recs...)
	}
	for _, given := range []string{"1", "always", "2TiB"} {
		if _, err := writer.Plan(recs[0].Schema(), arrowio.WriteOptions{Options: map[string]string{"orc-block-padding": given}}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", given, err)
		}
	}
}
