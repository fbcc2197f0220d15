package orcwire

import (
	"fmt"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

// wideFooter has so many columns and stripes, and statistics for each column.
func wideFooter(columns, stripes int) pbtest.Message {
	ids := make([]uint64, columns)
	root := typeMsg(Struct)
	for i := range ids {
		ids[i] = uint64(i + 1)
		root = root.Text(3, fmt.Sprint("column_", i))
	}
	if columns > 0 {
		root = root.Packed(2, ids...)
	}
	w := pbtest.Message(nil).Bytes(4, root)
	for i := range columns {
		w = w.Bytes(4, typeMsg(Kind(i%9)))
	}
	for i := range stripes {
		w = w.Bytes(3, pbtest.Message(nil).Uint(1, uint64(i)<<26).Uint(2, 1000).Uint(3, 1<<25).Uint(4, 1000).Uint(5, 1<<20))
	}
	for range columns + 1 {
		w = w.Bytes(7, intStats())
	}
	return w
}

func intStats() pbtest.Message {
	return pbtest.Message(nil).Uint(1, 1000).Bytes(2, pbtest.Message(nil).Sint(1, -100000).Sint(2, 1<<40).Sint(3, 77)).Uint(10, 1).Uint(11, 12345)
}

// BenchmarkOpen reads the footer of a file and makes its schema.
func BenchmarkOpen(b *testing.B) {
	for _, c := range []struct{ columns, stripes int }{{20, 1}, {10000, 1}, {1, 10000}, {10000, 10000}} {
		b.Run(fmt.Sprintf("columns=%d/stripes=%d", c.columns, c.stripes), func(b *testing.B) {
			msg := wideFooter(c.columns, c.stripes)
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				f, err := ParseFooter(msg, errs.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				NewQuirks(&PostScript{}, f).Hybrid(f)
				if _, err := Schema(f, nanos); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMetadata reads stripe statistics, and those of one column of each stripe.
func BenchmarkMetadata(b *testing.B) {
	for _, c := range []struct{ columns, stripes int }{{10000, 10}, {10, 10000}, {100, 10000}} {
		b.Run(fmt.Sprintf("columns=%d/stripes=%d", c.columns, c.stripes), func(b *testing.B) {
			var stripe pbtest.Message
			for range c.columns {
				stripe = stripe.Bytes(1, intStats())
			}
			var msg pbtest.Message
			for range c.stripes {
				msg = msg.Bytes(1, stripe)
			}
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := ParseMetadata(msg, errs.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				for _, l := range m {
					if _, err := l.At(c.columns / 2); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkStripeFooter reads the footer of a stripe with three streams for each column.
func BenchmarkStripeFooter(b *testing.B) {
	for _, columns := range []int{20, 10000} {
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			w := encodings(columns + 1)
			for i := range columns {
				for _, k := range []uint64{6, 0, 1} {
					w = w.Bytes(1, streamMsg(k, uint64(i+1), 1000))
				}
			}
			b.SetBytes(int64(len(w)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseStripeFooter(w, columns+1, 1<<40); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
