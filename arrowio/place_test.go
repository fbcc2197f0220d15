package arrowio

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// The places of records go up, and a scan that starts where one ends gives the rows after it, whatever the filter.
func TestPlace(t *testing.T) {
	rec := anyRecord(t, 60, 1)
	defer rec.Release()
	fragment := func(name string) Fragment {
		return Fragment{Name: name, Open: func(context.Context) (File, error) { return newMemFile(t, rec), nil }}
	}
	fragments := []Fragment{fragment("a"), fragment("b")}
	for _, filter := range filters {
		for _, columns := range [][]string{nil, {"id"}, {}} {
			for _, o := range []ScanOptions{{BatchRows: 7, Parallelism: 1}, {BatchRows: 4, Parallelism: 3}, {BatchRows: 100, Parallelism: 2}} {
				o.Columns, o.Filter = columns, parseFilter(t, filter.text)
				o.Allocator = memory.NewGoAllocator()
				total := int64(0)
				places, rows := placesOf(t, rec.Schema(), fragments, o)
				for _, n := range rows {
					total += n
				}
				seen := int64(0)
				last := Place{}
				for i, p := range places {
					if p.Fragment < last.Fragment || p.Fragment == last.Fragment && p.Rows.Start < last.Rows.End || p.Rows.Len() < rows[i] {
						t.Fatalf("%q: %d rows at %+v after %+v", filter.text, rows[i], p, last)
					}
					if filter.text == "" && p.Rows.Len() != rows[i] {
						t.Fatalf("%d rows at %+v", rows[i], p)
					}
					last = p
					seen += rows[i]
					o := o
					o.Rows = RowRange{int64(p.Fragment)*60 + p.Rows.End, 120}
					if o.Rows.Start == 120 {
						o.Rows = RowRange{120, 121}
					}
					_, rest := placesOf(t, rec.Schema(), fragments, o)
					left := int64(0)
					for _, n := range rest {
						left += n
					}
					if seen+left != total {
						t.Fatalf("%q, %v: %d rows up to %+v, %d after it, %d in all", filter.text, columns, seen, p, left, total)
					}
				}
			}
		}
	}
}

func placesOf(t *testing.T, schema *arrow.Schema, fragments []Fragment, o ScanOptions) (places []Place, rows []int64) {
	t.Helper()
	s, err := ScanFragments(context.Background(), schema, fragments, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	for s.Next() {
		places, rows = append(places, s.Place()), append(rows, s.Record().NumRows())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	if p := s.Place(); p != (Place{}) {
		t.Fatal(fmt.Sprint("a place without a record: ", p))
	}
	return places, rows
}
