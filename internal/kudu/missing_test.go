package kudu

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// warningsOf opens a table and returns what it warns of.
func (s *realServer) warningsOf(options ...string) (*File, []arrowio.Warning) {
	s.t.Helper()
	f := s.must(arrowio.ForRows, options...).(*File)
	return f, f.Warnings()
}

// addPeer gives a tablet a replica on another server.
func (s *realServer) addPeer(uuid, tablet string) {
	s.t.Helper()
	peers := protoMsg{}.num(1, 1)
	for _, uuid := range []string{uuid, "another server"} {
		peers = peers.sub(3, protoMsg{}.str(1, uuid).num(2, 1))
	}
	s.edit(s.path("wal", "consensus-meta", tablet), func([]byte) []byte {
		return protoContainer("kudu.consensus.ConsensusMetadataPB", protoMsg{}.sub(1, peers).num(2, 1))
	})
}

// Operations that are left out are counted in rows.
func TestUncommittedRows(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	x := f.tablets[0]
	const later = 7_353_454_000_000_000_000 // after all that the fixture has
	s.changedLog(x, insertChanged(x, 1, 1, later, 1000, 1001, 1002)[0])
	s.addPeer(f.dirs.UUID, x.id)
	if _, w := s.warningsOf("kudu-table=changed"); len(w) != 2 || w[1].Kind != arrowio.WarnDoubt || w[1].Rows != 3 || !strings.Contains(w[1].Text, "left out") || !strings.Contains(w[1].Text, "--kudu-uncommitted=apply") {
		t.Errorf("%+v", w)
	}
}

// A tablet of which nothing is left leaves a gap in the partitions of its table.
func TestTabletGone(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("partitioned")
	rows, gone := f.rows(), f.tablets[0].super
	left := f.tablets[1].id
	s.removeTablet(gone.TabletID)
	f, w := s.warningsOf("kudu-table=partitioned")
	bucket := partitionText(gone)
	if f.rows() >= rows || len(w) != 1 || w[0].Kind != arrowio.WarnLost || w[0].Place != "table partitioned" || !strings.Contains(w[0].Text, bucket) {
		t.Errorf("%d of %d rows, no word of %q: %+v", f.rows(), rows, bucket, w)
	}
	if faults := s.verify("kudu-table=partitioned"); len(faults) != 1 || !strings.Contains(faults[0], bucket) {
		t.Errorf("verify: %q", faults)
	}
	if w := s.must(arrowio.ForInfo).(arrowio.Warner).Warnings(); len(w) != 1 || !strings.Contains(w[0].Text, bucket) {
		t.Errorf("overview: %+v", w)
	}
	if _, w = s.warningsOf("kudu-tablet=" + left); len(w) > 0 { // it was asked for
		t.Errorf("one tablet: %+v", w)
	}

	// Where tablets have replicas on other servers, these may have the missing ones.
	s.addPeer(f.dirs.UUID, left)
	if _, w = s.warningsOf("kudu-table=partitioned"); len(w) != 2 || w[0].Kind != arrowio.WarnMissing || !strings.Contains(w[0].Text, "other servers may have them") {
		t.Errorf("with other servers: %+v", w)
	}
	if faults := s.verify("kudu-table=partitioned"); len(faults) > 0 {
		t.Errorf("verify with other servers: %q", faults)
	}
}

func TestNoLogs(t *testing.T) {
	s := newRealServer(t, "file")
	if err := os.RemoveAll(s.path("wal", "wals")); err != nil {
		t.Fatal(err)
	}
	_, w := s.warningsOf("kudu-table=changed")
	if len(w) == 0 || !anyHas(told(s.table("changed")), "has no write-ahead log") {
		t.Errorf("%+v", w)
	}
	// Rows of this table were deleted in memory only, and their keys inserted again.
	if _, err := s.openAs(arrowio.ForRows, "kudu-table=unflushed"); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, "2 keys live twice", "--kudu-salvage") {
		t.Errorf("keys twice: %v", err)
	}
	if f, _ := s.warningsOf("kudu-table=unflushed", "kudu-salvage=true"); f.rows() != 50 { // 40 and 12, less the two
		t.Errorf("salvage: %d rows", f.rows())
	}
	for _, w := range w {
		if w.Kind != arrowio.WarnLost && w.Kind != arrowio.WarnMissing {
			t.Errorf("%+v", w)
		}
	}
	if faults := s.verify("kudu-table=unflushed"); !anyHas(faults, "no write-ahead log") {
		t.Errorf("verify: %q", faults)
	}
}

// Of a table whose only superblock is lost there are still the log and the consensus metadata.
func TestSuperblockLost(t *testing.T) {
	s := newRealServer(t, "file")
	id := s.table("changed").tablets[0].id
	if err := os.Remove(s.superPath(id)); err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"kudu-table=changed", "kudu-tablet=" + id} {
		_, err := s.openAs(arrowio.ForRows, option)
		if !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, id, "no superblock", "id, number, word, flag, amount") || strings.Contains(err.Error(), "--kudu-salvage") {
			t.Errorf("%s: %v", option, err)
		}
	}
	if _, w := s.warningsOf("kudu-table=altered"); len(w) != 1 || w[0].Kind != arrowio.WarnLost || !strings.Contains(w[0].Text, id) {
		t.Errorf("another table: %+v", w)
	}
}

// A superblock that cannot be read stops the reading of its own table only.
func TestSuperblockDamaged(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("partitioned").tablets[0]
	whole := s.table("altered").rows()
	s.saved([]string{s.superPath(x.id)}, func() {
		s.edit(s.superPath(x.id), func(b []byte) []byte { b[len(b)-3] ^= 1; return b })
		f, w := s.warningsOf("kudu-table=altered")
		if f.rows() != whole || len(w) > 0 { // the superblock names another table, which is here
			t.Errorf("another table: %d rows of %d, %+v", f.rows(), whole, w)
		}
		if _, err := s.openAs(arrowio.ForRows, "kudu-table=partitioned"); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, x.id, "--kudu-salvage") {
			t.Errorf("the table itself: %v", err)
		}
		if faults := s.verify("kudu-table=altered"); len(faults) > 0 {
			t.Errorf("verify of another table: %q", faults)
		}
	})
	s.edit(s.superPath(x.id), func(b []byte) []byte { return b[:len(b)/4] })
	f, w := s.warningsOf("kudu-table=altered")
	if f.rows() != whole || len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || !strings.Contains(w[0].Text, x.id) {
		t.Errorf("it may be of any table: %d rows of %d, %+v", f.rows(), whole, w)
	}
	if _, err := s.openAs(arrowio.ForRows, "kudu-table=nothing"); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), x.id) {
		t.Errorf("a table that is not there: %v", err)
	}
	if faults := s.verify("kudu-table=altered"); len(faults) != 1 || !strings.Contains(faults[0], x.id) {
		t.Errorf("verify: %q", faults)
	}
}

// What superblocks tell is listed without data directories.
func TestListWithoutData(t *testing.T) {
	for _, named := range []bool{false, true} {
		s := newRealServer(t, "log")
		if err := os.RemoveAll(s.path("data")); err != nil {
			t.Fatal(err)
		}
		o := Options{}
		if named {
			o.Data = []string{s.path("data")}
		}
		v, err := OpenOverview(t.Context(), s.path("wal"), arrowio.Limits{}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		info, err := v.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tables := 0
		for _, m := range info.Members {
			if m.Kind == kindTable {
				tables++
			}
		}
		if w := v.Warnings(); tables != len(realTables(t, "log")) || len(w) != 1 || w[0].Kind != arrowio.WarnMissing {
			t.Errorf("%d tables, %+v", tables, w)
		}
		if f := s.must(arrowio.ForInfo); len(f.(*Overview).tables) != tables {
			t.Errorf("inspect: %T", f)
		}
		if _, err := s.openAs(arrowio.ForRows, "kudu-table=changed"); err == nil {
			t.Error("rows without a data directory")
		}
	}
}

// The directory of logs is found beside a data directory, if it is the same server's.
func TestListDataDirectory(t *testing.T) {
	s := newRealServer(t, "log")
	v, err := OpenOverview(t.Context(), s.path("data"), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if n := len(v.tables); n != len(realTables(t, "log")) || !noted(v.allNotes(), "is a data directory", s.path("wal")) {
		t.Errorf("%d tables, %q", n, v.allNotes())
	}
	if err := os.Rename(s.path("wal"), s.path("away")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOverview(t.Context(), s.path("data"), arrowio.Limits{}, Options{}); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "--fs_wal_dir") || !strings.Contains(err.Error(), "--kudu-rebuild") {
		t.Errorf("without superblocks: %v", err)
	}
}

// A block whose record was torn may have been in any container that ends so: the error names them.
func TestTornContainer(t *testing.T) {
	s := newRealServer(t, "log")
	metas, err := filepath.Glob(s.path("data", "data", "*"+metadataSuffix))
	if err != nil || len(metas) == 0 {
		t.Fatal(err)
	}
	hurt := 0
	for _, path := range metas {
		s.saved([]string{path}, func() {
			s.edit(path, func(b []byte) []byte { return b[:len(b)-5] })
			for _, x := range realTables(t, "log") {
				_, _, err := s.scanAll("kudu-table=" + x.Table)
				if err == nil || errors.Is(err, errs.ErrUnsupported) {
					continue
				}
				hurt++
				if !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v", x.Table, err)
				}
				if faults := s.verify("kudu-table=" + x.Table); !anyHas(faults, path) {
					t.Errorf("verify %s: %q", x.Table, faults)
				}
			}
		})
	}
	if hurt == 0 {
		t.Error("no table was hurt")
	}
}

// A data directory whose uuid cannot be read may be the one that a tablet names: it is not said to be missing.
func TestDataDirectoryUnknown(t *testing.T) {
	s := newRealServer(t, "file")
	rows := s.table("changed").rows()
	if err := os.Remove(s.path("data", "data", "block_manager_instance")); err != nil {
		t.Fatal(err)
	}
	f, w := s.warningsOf("kudu-table=changed")
	if f.rows() != rows || len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || !strings.Contains(w[0].Text, "block_manager_instance") {
		t.Errorf("%d of %d rows: %+v", f.rows(), rows, w)
	}

	// Nor is it where another data directory names it.
	d := Dirs{Data: []DataDir{{Path: "a"}, {Path: "b", UUID: "b", AllUUIDs: []string{"a", "b"}}}}
	if err := d.compareData(); err != nil || len(d.Notes()) > 0 {
		t.Errorf("%v, %q", err, d.Notes())
	}
	d.Data[1].AllUUIDs = append(d.Data[1].AllUUIDs, "c")
	d.Missing = nil
	if err := d.compareData(); err != nil || len(d.Notes()) != 1 || !strings.Contains(d.Notes()[0], "2 of 4") {
		t.Errorf("%v, %q", err, d.Notes())
	}
}

// Where no data directory is found, a salvage says so as the error does.
func TestSalvageWithoutData(t *testing.T) {
	s := newRealServer(t, "file")
	if err := os.RemoveAll(s.path("data")); err != nil {
		t.Fatal(err)
	}
	_, w := s.warningsOf("kudu-table=changed", "kudu-salvage=true")
	if !slices.ContainsFunc(w, func(w arrowio.Warning) bool {
		return w.Kind == arrowio.WarnMissing && strings.HasPrefix(w.Text, "no data directory in ")
	}) {
		t.Errorf("%+v", w)
	}
}

// The bounds of a range are values, on both sides of the columns.
func TestRangeText(t *testing.T) {
	schema := &kuduwire.Schema{Columns: []kuduwire.Column{{Name: "a", Type: cfilewire.Int32, Key: true}, {Name: "b", Type: cfilewire.String, Key: true}}}
	key := func(n uint32, s string) []byte {
		k, err := cfilewire.AppendKey(nil, cfilewire.Int32, binary.LittleEndian.AppendUint32(nil, n), false)
		if err == nil {
			k, err = cfilewire.AppendKey(k, cfilewire.String, []byte(s), true)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for want, c := range map[string]struct {
		columns      []int
		lower, upper []byte
	}{
		"hash bucket 1, 0 <= a < 100":                      {[]int{0}, key(0, "")[:4], key(100, "")[:4]},
		"hash bucket 1, a >= 7":                            {[]int{0}, key(7, "")[:4], nil},
		"hash bucket 1, a < 7":                             {[]int{0}, nil, key(7, "")[:4]},
		`hash bucket 1, (1, "x") <= (a, b) < (1, "y\x00")`: {[]int{0, 1}, key(1, "x"), key(1, "y\x00")},
		"hash bucket 1":                                    {nil, nil, nil},
	} {
		x := kuduwire.Partition{Buckets: []int32{1}, Lower: c.lower, Upper: c.upper}
		if got := partitionName(&x, &kuduwire.Partitioning{Range: c.columns}, schema); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
