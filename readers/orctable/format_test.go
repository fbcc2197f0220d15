package orctable

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// A table that is not read is no File: one that is a nil *Table would be taken for an open one.
func TestNoTableNoFile(t *testing.T) {
	m := memTree{"base_0000002_v0000009/bucket_00000": eventsFile(t, inserts(2, b0, 0, 1), nil)}
	for ids, kind := range map[string]error{"1": errs.ErrOption, "x": errs.ErrOption} {
		f, err := Format().OpenTree(t.Context(), m, arrowio.OpenOptions{Options: map[string]string{"orc-write-ids": ids}})
		if f != nil || !errors.Is(err, kind) {
			t.Errorf("%s: %v, %v", ids, f, err)
		}
	}
	m["base_2_v9/bucket_00000"] = m["base_0000002_v0000009/bucket_00000"]
	if f, err := Format().OpenTree(t.Context(), m, arrowio.OpenOptions{}); f != nil || !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("two bases of one write id: %v, %v", f, err)
	}
}
