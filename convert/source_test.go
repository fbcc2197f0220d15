package convert_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
)

// scanOf reads a file of numbers.
func scanOf(t *testing.T, f *numbers, o arrowio.ScanOptions) array.RecordReader {
	t.Helper()
	s, err := dataset.FromFile("numbers", f).Scan(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Release)
	return s
}

// Rows of a reader are written as those of a dataset are: in order, sorted, and as a plan alone.
func TestWrite(t *testing.T) {
	o := checked(t, 2)
	backwards := func() *numbers {
		return &numbers{rows: 10, splitRows: 4, value: func(row int64) int64 { return 9 - row }}
	}
	for want, by := range map[string][]convert.SortColumn{
		"n=30\nsquare=230\nn=14\nsquare=54\nn=1\nsquare=1\n": nil, // 9..6, 5..2, 1..0
		"n=45\nsquare=285\n": {{Column: "n"}},
	} {
		st := local.NewMemStore()
		r, err := convert.Write(t.Context(), scanOf(t, backwards(), o), sums("a"), st, convert.Options{Sort: by, Scan: arrowio.ScanOptions{Allocator: o.Allocator}})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(st.Objects()["a"]); got != want || r.Rows != 10 || r.BytesOut != int64(len(want)) {
			t.Errorf("%q, %+v", got, r)
		}
	}
	r, err := convert.Write(t.Context(), scanOf(t, backwards(), o), sums("a"), nil, convert.Options{DryRun: true})
	if err != nil || !r.DryRun || len(r.Plan.Columns) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Nothing is left where the reader fails, or the context ends.
func TestWriteFails(t *testing.T) {
	o := checked(t, 1)
	bad := errors.New("a bad page")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		rows *numbers
		o    convert.Options
		want error
	}{
		{t.Context(), &numbers{rows: 10, splitRows: 4, failAt: 5, err: bad}, convert.Options{}, bad},
		{t.Context(), &numbers{rows: 10, splitRows: 4, failAt: 5, err: bad}, convert.Options{Sort: []convert.SortColumn{{Column: "n"}}}, bad},
		{ended, &numbers{rows: 10, splitRows: 4}, convert.Options{}, context.Canceled},
		{t.Context(), &numbers{rows: 10, splitRows: 4}, convert.Options{Scan: arrowio.ScanOptions{Columns: []string{"n"}}}, errs.ErrOption},
	} {
		st := local.NewMemStore()
		if _, err := convert.Write(c.ctx, scanOf(t, c.rows, o), sums("a"), st, c.o); !errors.Is(err, c.want) || len(st.Objects()) > 0 {
			t.Errorf("%v, want %v; objects %v", err, c.want, st.Objects())
		}
	}
}
