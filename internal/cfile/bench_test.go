package cfile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// benchFiles are one of each encoding, in blocks of about the size of Kudu's.
func benchFiles() (out []*built) {
	r := rand.New(rand.NewSource(1))
	for _, x := range []struct {
		typ       cfilewire.DataType
		encodings []cfilewire.Encoding
		most      int64
	}{
		{cfilewire.Int64, []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingBitShuffle, cfilewire.EncodingRLE}, 1 << 20},
		{cfilewire.Int32, []cfilewire.Encoding{cfilewire.EncodingBitShuffle}, 1 << 12},
		{cfilewire.UInt32, []cfilewire.Encoding{cfilewire.EncodingGroupVarint}, 1 << 16},
		{cfilewire.Decimal64, []cfilewire.Encoding{cfilewire.EncodingBitShuffle}, 1 << 20},
		{cfilewire.Decimal128, []cfilewire.Encoding{cfilewire.EncodingBitShuffle}, 1 << 20},
		{cfilewire.Bool, []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingRLE}, 2},
		{cfilewire.String, []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingPrefix, cfilewire.EncodingDict}, 1000},
	} {
		for _, e := range x.encodings {
			for _, nullable := range []bool{false, true} {
				f := &built{typ: x.typ, encoding: e, compression: cfilewire.LZ4, nullable: nullable, perBlock: 32 << 10}
				for range 1 << 18 {
					switch v := r.Int63n(x.most); {
					case nullable && r.Intn(10) == 0:
						f.rows = append(f.rows, nil)
					case x.typ.Binary():
						f.rows = append(f.rows, fmt.Appendf(nil, "customer-%05d", v))
					default:
						f.rows = append(f.rows, cellFrom(x.typ, v))
					}
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// BenchmarkRead scans columns of each encoding.
func BenchmarkRead(b *testing.B) {
	for _, f := range benchFiles() {
		src := local.NewBytesSource(f.build(b))
		b.Run(fmt.Sprintf("cfile/%v", f), func(b *testing.B) {
			conformance.Bench(b, conformance.Harness{Source: src, Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
				return Open(ctx, src, arrowio.Limits{}, Options{})
			}})
		})
	}
}

// BenchmarkFind looks for keys in order, which reads each block once, and all over the file.
func BenchmarkFind(b *testing.B) {
	f := numbered(1 << 18)
	f.encoding, f.compression, f.perBlock, f.fanout = cfilewire.EncodingBitShuffle, cfilewire.LZ4, 32<<10, 0
	r, err := OpenReader(context.Background(), local.NewBytesSource(f.build(b)), arrowio.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, step := range []int{1, 100_003} {
		b.Run(fmt.Sprintf("step=%d", step), func(b *testing.B) {
			d, err := r.NewFinder(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			at := 0
			for b.Loop() {
				if row, ok, err := d.Find(encodeKey(f.typ, f.rows[at], true)); row != int64(at) || !ok || err != nil {
					b.Fatal(row, ok, err)
				}
				at = (at + step) % len(f.rows)
			}
		})
	}
}

// BenchmarkDeltas walks over the changes of a file.
func BenchmarkDeltas(b *testing.B) {
	f := deltaFile(changes(rand.New(rand.NewSource(1)), 100_000), cfilewire.EncodingPlain)
	f.perBlock, f.fanout = 1000, 0
	raw := f.build(b)
	r, err := OpenReader(context.Background(), local.NewBytesSource(raw), arrowio.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(bytes.Join(f.rows, nil))))
	b.ReportAllocs()
	for b.Loop() {
		d, err := r.NewDeltas(context.Background(), arrowio.RowRange{End: 1 << 32}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for d.Next() {
		}
		if d.Err != nil {
			b.Fatal(d.Err)
		}
	}
}
