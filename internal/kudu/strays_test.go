package kudu

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// A superblock under another name is named, whatever else there is of its tablet. A copy beside the superblock is no matter.
func TestSuperblockRenamed(t *testing.T) {
	for _, suffix := range []string{".bak", ".tmp", ".bak.1699999999000000"} {
		s := newRealServer(t, "log")
		id := s.table("changed").tablets[0].id
		path := s.superPath(id)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, w := s.warningsOf("kudu-table=changed"); anyHas(warned(w), suffix) {
			t.Errorf("%s, a copy: %+v", suffix, w)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		says := []string{"tablet " + id, path + suffix + " has it", "table changed", "renamed to " + id}
		v, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !anyHas(lossesOf(v.Warnings()), says...) {
			t.Errorf("%s: %+v", suffix, v.Warnings())
		}
		_ = v.Close()
		if _, err = s.openAs(arrowio.ForRows, "kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, says...) {
			t.Errorf("%s: %v", suffix, err)
		}
		if faults := s.verify(); !anyHas(faults, says...) {
			t.Errorf("%s: %q", suffix, faults)
		}
		// Of a tablet without a log and without consensus metadata.
		s.removeTablet(id)
		if v, err = OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{}); err != nil || !anyHas(lossesOf(v.Warnings()), says...) {
			t.Errorf("%s, nothing else of it: %v", suffix, err)
		}
		_ = v.Close()
		for _, path := range s.superblocks() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{}); err == nil || !anyHas([]string{err.Error()}, append(says, "no superblock in")...) {
			t.Errorf("%s, no other superblock: %v", suffix, err)
		}
	}
}
