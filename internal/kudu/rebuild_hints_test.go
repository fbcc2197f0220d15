package kudu

import (
	"os"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// Superblocks that are given for a server which has lost its own say the table of each tablet that has a log here: the older columns in the log are
// not taken for another table.
func TestRebuildJoinsTable(t *testing.T) {
	for _, manager := range managers {
		s := newRealServer(t, manager)
		table := s.table("altered")
		id, rowsets := table.tablets[0].super.TableID, len(table.tablets[0].super.RowSets)
		given := t.TempDir()
		if err := os.CopyFS(given, os.DirFS(s.path("wal", tabletMetaName))); err != nil {
			t.Fatal(err)
		}
		for _, path := range s.superblocks() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		v, err := OpenOverview(t.Context(), s.path("wal"), arrowio.Limits{}, Options{Rebuild: "likely", Schemas: []string{given}})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, x := range v.tables {
			if x.ID != id {
				continue
			}
			for _, m := range x.tablets {
				if m.Kind == kindRowSet {
					found++
				}
			}
		}
		if found != rowsets {
			t.Errorf("%s: %d rowsets of table altered, want %d", manager, found, rowsets)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}
