package readall

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// countdown is a file whose rows can be read up to a row.
type countdown struct {
	arrowio.File
	good  int64
	taken []int // rows of each batch
}

func (c *countdown) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return &countdownReader{c: c}, nil
}

type countdownReader struct {
	arrowio.SplitReader
	c    *countdown
	at   int64
	rows int
}

var errBad = errors.New("a bad row")

func (r *countdownReader) Read(n int) (int, error) {
	if r.at += int64(n); r.at > r.c.good {
		return 0, errBad
	}
	r.rows = n
	return n, nil
}

func (r *countdownReader) Take() (arrow.Record, error) {
	r.c.taken = append(r.c.taken, r.rows)
	return array.NewRecord(arrow.NewSchema(nil, nil), nil, int64(r.rows)), nil
}

func (r *countdownReader) Fit(n int, _ int64) int { return min(n, 4) }
func (r *countdownReader) Close() error           { return nil }

func TestSplit(t *testing.T) {
	s := arrowio.Split{Rows: arrowio.RowRange{Start: 100, End: 110}}
	c := &countdown{good: 10}
	if err := Split(t.Context(), c, s, arrowio.Projection{}, 1000); err != nil || len(c.taken) != 3 || c.taken[2] != 2 {
		t.Errorf("%v, %v", c.taken, err)
	}
	c = &countdown{good: 9}
	if err := Split(t.Context(), c, s, arrowio.Projection{}, 3); !errors.Is(err, errBad) || len(c.taken) != 3 {
		t.Errorf("%v, %v", c.taken, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Split(ctx, c, s, arrowio.Projection{}, 3); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
