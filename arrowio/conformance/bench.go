package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Bench measures scans of the file: everything, each column alone, and everything with several workers. It reports
// bytes of Arrow memory a second, rows a second and allocations.
func Bench(b *testing.B, h Harness) {
	s := newSuite(b, h)
	defer s.close()
	f := s.open(b)
	defer f.Close()
	b.Run("all", func(b *testing.B) { s.bench(b, f, arrowio.ScanOptions{Parallelism: 1}) })
	b.Run("all/workers=4", func(b *testing.B) { s.bench(b, f, arrowio.ScanOptions{Parallelism: 4}) })
	columns, _ := paths(f.Schema())
	for _, c := range columns {
		b.Run(fmt.Sprintf("column=%s", c), func(b *testing.B) {
			s.bench(b, f, arrowio.ScanOptions{Columns: []string{c}, Parallelism: 1})
		})
	}
}

func (s *suite) bench(b *testing.B, f arrowio.File, o arrowio.ScanOptions) {
	want := s.project(b, o.Columns)
	defer want.Release()
	b.SetBytes(arrowbuf.RecordSize(want))
	b.ReportAllocs()
	for b.Loop() {
		rows := int64(0)
		r, err := arrowio.Scan(context.Background(), f, o)
		if err != nil {
			b.Fatal(err)
		}
		for r.Next() {
			rows += r.Record().NumRows()
		}
		err = r.Err()
		r.Release()
		if err != nil || rows != s.rows() {
			b.Fatalf("%d rows of %d: %v", rows, s.rows(), err)
		}
	}
	b.ReportMetric(float64(s.rows())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
