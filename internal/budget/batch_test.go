package budget

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestBatch(t *testing.T) {
	b := NewBatch(errs.Limits{BatchBytes: 100, BatchElements: 10})
	for range 2 {
		if err := errors.Join(b.Take(60), b.Take(40), b.Count(10)); err != nil {
			t.Error(err)
		}
		if b.Left() != 0 || b.Taken() != 100 {
			t.Errorf("%d taken, %d left", b.Taken(), b.Left())
		}
		b.Give(1)
		if err := b.Take(1); err != nil {
			t.Error(err)
		}
		if err := b.Take(1); !errors.Is(err, errs.ErrLimit) {
			t.Error(err)
		}
		if err := b.Count(1); !errors.Is(err, errs.ErrLimit) {
			t.Error(err)
		}
		b.Reset()
	}
	if b := NewBatch(errs.Limits{}); b.Left() != (errs.Limits{}).WithDefaults().BatchBytes {
		t.Errorf("by default %d", b.Left())
	}
}
