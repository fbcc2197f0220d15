package kudu

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Kudu does not start a tablet without its consensus metadata.
func TestConsensusLost(t *testing.T) {
	s := newRealServer(t, "file")
	id := s.table("changed").tablets[0].id
	path := s.path("wal", "consensus-meta", id)
	s.saved([]string{path}, func() {
		s.edit(path, func(b []byte) []byte { b[len(b)-3] ^= 1; return b })
		if faults := s.verify("kudu-table=changed"); len(faults) != 1 || !anyHas(faults, id, path) {
			t.Errorf("damaged: %q", faults)
		}
	})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if faults := s.verify("kudu-table=changed"); len(faults) != 1 || !anyHas(faults, id, "no consensus metadata") {
		t.Errorf("missing: %q", faults)
	}
	if w := s.must(arrowio.ForInfo).(arrowio.Warner).Warnings(); len(w) != 1 || w[0].Kind != arrowio.WarnMissing || !strings.Contains(w[0].Text, "no consensus metadata") {
		t.Errorf("overview: %+v", w)
	}
	if faults := s.verify("kudu-table=altered"); len(faults) > 0 {
		t.Errorf("another table: %q", faults)
	}
}

// Blocks that are known to be missing when a table is opened are told, though rows can be counted without them.
func TestBlocksMissingAreTold(t *testing.T) {
	for _, emptied := range []bool{false, true} {
		s := newRealServer(t, "file")
		f := s.table("changed")
		rs := f.tablets[0].super.RowSets[0]
		path, _, err := f.blocks.At(rs.Columns[len(rs.Columns)-1].Block)
		if err == nil && emptied {
			err = os.Truncate(path, 0)
		} else if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, w := s.warningsOf("kudu-table=changed"); len(w) != 1 || w[0].Kind != arrowio.WarnMissing || !strings.Contains(w[0].Text, "1 of its") {
			t.Errorf("emptied %v: %+v", emptied, w)
		}
	}
}

// Rows that only the log has need no data directory; a table on disk does, and verify says so as a fault.
func TestDataDirectoryLost(t *testing.T) {
	s := newRealServer(t, "file")
	tables := realTables(t, "file")
	super := map[string]bool{} // whether tables have blocks
	for _, x := range tables {
		for _, tablet := range s.overview().tables {
			if tablet.Name == x.Table {
				super[x.Table] = slices.ContainsFunc(tablet.tablets, func(m arrowio.MemberInfo) bool { return m.Parts > 0 })
			}
		}
	}
	if err := os.RemoveAll(s.path("data")); err != nil {
		t.Fatal(err)
	}
	for _, x := range tables {
		_, _, err := s.scanAll("kudu-table=" + x.Table)
		faults := s.verify("kudu-table=" + x.Table)
		if !super[x.Table] {
			if err != nil && !errors.Is(err, errs.ErrUnsupported) {
				t.Errorf("%s: %v", x.Table, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "no data directory") {
			t.Errorf("%s: %v", x.Table, err)
		}
		if !anyHas(faults, "no data directory", "blocks") || len(faults) > 2 {
			t.Errorf("verify %s: %q", x.Table, faults)
		}
		_, w, err := s.scanAll("kudu-table="+x.Table, "kudu-salvage=true")
		if err != nil || anyHas(w, "file does not exist") || anyHas(w, "not in no") || !anyHas(w, "cannot be found", "no data directory") {
			t.Errorf("salvage of %s: %v, %q", x.Table, err, w)
		}
	}
}

// overview opens the server as kudu list does.
func (s *realServer) overview() *Overview {
	s.t.Helper()
	v, err := OpenOverview(s.t.Context(), s.path("wal"), arrowio.Limits{}, Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = v.Close() })
	return v
}

// A data directory beside that of the logs that belongs to another server is named.
func TestDataDirectoryOfAnother(t *testing.T) {
	s := newRealServer(t, "file")
	other := newRealServer(t, "log")
	s.edit(s.path("wal", "instance"), func([]byte) []byte { return fixtures.Read(t, other.path("wal", "instance")) })
	_, _, err := s.scanAll("kudu-table=changed")
	if !errors.Is(err, errs.ErrOption) || !anyHas([]string{err.Error()}, s.path("data"), "is of server", s.path("wal")) {
		t.Errorf("%v", err)
	}
	_, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true")
	if err != nil || !anyHas(w, s.path("data"), "is of server") {
		t.Errorf("salvage: %v, %q", err, w)
	}
}

// Without a table, verify checks all of them, and the superblocks of which nothing tells a table.
func TestVerifyServer(t *testing.T) {
	for _, manager := range managers {
		s := newRealServer(t, manager)
		if faults := s.verify(); len(faults) > 0 {
			t.Errorf("a sound server: %q", faults)
		}
		gone, hurt := s.table("partitioned").tablets[0], s.table("altered").tablets[0]
		s.edit(s.superPath(gone.id), func(b []byte) []byte { return b[:len(b)/4] })
		path, at, err := s.table("changed").blocks.At(s.table("changed").tablets[0].super.RowSets[0].Columns[0].Block)
		if err != nil {
			t.Fatal(err)
		}
		s.edit(path, func(b []byte) []byte { b[at.Off+at.Len/2] ^= 1; return b })
		if err := os.Remove(s.path("wal", "consensus-meta", hurt.id)); err != nil {
			t.Fatal(err)
		}
		faults := s.verify()
		if !anyHas(faults, "superblock", gone.id) || !anyHas(faults, "table changed") || !anyHas(faults, "table altered", "no consensus metadata") {
			t.Errorf("%q", faults)
		}
		for i, f := range faults {
			if slices.Contains(faults[:i], f) {
				t.Errorf("told twice: %s", f)
			}
		}
	}
}

// Each operation is told once, however often a part of it is lost, and in the right number.
func TestLostOperationsToldOnce(t *testing.T) {
	var r logReport
	for _, index := range []int64{3, 6, 6, 3, 4, 9, 3} {
		r.loseOp(kuduwire.OpID{Term: 1, Index: index}, 2, noRow)
	}
	r.loseOp(kuduwire.OpID{Term: 1, Index: 5}, -1, noRequest)
	_, lost := r.done()
	want := []string{
		"2 operations, 1.3 to 1.4 (8 rows): they change rows that are not there",
		"operation 1.6 (4 rows): " + noRow.text(false), "operation 1.9 (2 rows): " + noRow.text(false), "operation 1.5: " + noRequest.text(false),
	}
	if !slices.Equal(lost, want) || r.ops != 5 || r.rows != 14 {
		t.Errorf("%q, %d operations, %d rows", lost, r.ops, r.rows)
	}
}

// What is not known is not 0, and nothing is said of logs that are not there.
func TestOverviewWithoutDirectories(t *testing.T) {
	s := newRealServer(t, "file")
	for _, name := range []string{"data", "wal/wals"} {
		if err := os.RemoveAll(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	v := s.overview()
	info := infoOf(t, v, arrowio.InfoOptions{})
	unknown := 0
	for _, m := range info.Members {
		if m.Bytes == 0 && m.Kind == kindTablet && m.Parts > 0 {
			t.Errorf("%+v", m)
		}
		if m.Bytes < 0 {
			unknown++
		}
	}
	if b, err := json.Marshal(info.Members); err != nil || strings.Contains(string(b), "-1") || unknown == 0 {
		t.Errorf("%s, %v", b, err)
	}
	if noted(info.Notes, "more in the logs") {
		t.Errorf("%q", info.Notes)
	}
}

// Bounds of ranges are values.
func TestRangesAreValues(t *testing.T) {
	s := readOnlyServer(t, "file")
	for _, x := range s.table("partitioned").tablets {
		if text := partitionText(x.super); !strings.Contains(text, "hash bucket") || strings.Contains(text, " x") {
			t.Error(text)
		}
	}
}

// A data directory that is found from itself is not named twice.
func TestDataDirectoryFoundOnce(t *testing.T) {
	s := newRealServer(t, "file")
	if err := os.RemoveAll(s.path("wal")); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDirs(DirOptions{Wal: s.path("data")})
	if err != nil || noted(d.Notes(), "twice") {
		t.Errorf("%v, %q", err, d.Notes())
	}
}
