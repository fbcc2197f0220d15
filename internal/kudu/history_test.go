package kudu

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
)

// withoutField is a message without the fields of a number.
func withoutField(t testing.TB, m protoMsg, number protowire.Number) (out protoMsg) {
	t.Helper()
	for len(m) > 0 {
		num, _, n := protowire.ConsumeField(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		if num != number {
			out = append(out, m[:n]...)
		}
		m = m[n:]
	}
	return out
}

// A snapshot from before the history that is left shows rows that were not there: that is told. One that the history
// reaches, and one after all there is, is not.
func TestSnapshotBeforeHistory(t *testing.T) {
	x := newTable(t, rand.New(rand.NewSource(3)), history{keys: 1, columns: 2, tablets: 1, steps: 60, span: 500, single: true, settled: true, fixed: true})
	whole := newTableServer(t)
	cut := newTableServer(t)
	for _, s := range []*tableServer{whole, cut} {
		for _, tablet := range x.tablets {
			var rowsets []protoMsg
			for i, rs := range tablet.rowsets {
				m := s.rowset(int64(i), x.files(rs))
				if s == cut {
					m = withoutField(t, m, 5) // undo deltas, which Kudu drops after a week
				}
				rowsets = append(rowsets, m)
			}
			s.tablet(x, tablet.id, rowsets...)
		}
		s.finish()
	}
	for _, c := range []struct {
		what     string
		s        *tableServer
		snapshot uint64
		want     bool
	}{
		{"with all undos", whole, x.first() + 1, false},
		{"with all undos, in the middle", whole, 1030, false},
		{"without undos", cut, 1, true},
		{"without undos, the latest", cut, 0, false},
		{"without undos, later than the files", cut, 1 << 63, false},
	} {
		f, err := c.s.open(Options{Snapshot: c.snapshot})
		if err != nil {
			t.Fatal(err)
		}
		w := f.Warnings()
		if got := len(w) == 1 && w[0].Kind == arrowio.WarnHistory && w[0].Rows == f.rows() && strings.Contains(w[0].Place, x.tablets[0].id); got != c.want || !c.want && len(w) > 0 {
			t.Errorf("%s: %d rows, %+v", c.what, f.rows(), w)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A tablet whose superblock is gone is told, and so is one whose log is: rows are missing.
func TestLostTablets(t *testing.T) {
	s := newRealServer(t, "file")
	var several *File
	for _, x := range realTables(t, "file") {
		if x.Table == "tombstoned" {
			continue
		}
		if f := s.table(x.Table); len(f.tablets) > 1 {
			several = f
		}
	}
	if several == nil {
		t.Fatal("no table has several tablets")
	}
	id, rows := several.tablets[1].id, several.rows()
	s.saved([]string{s.superPath(id)}, func() {
		if err := os.Remove(s.superPath(id)); err != nil {
			t.Fatal(err)
		}
		f := s.table(several.table)
		w := f.Warnings()
		if f.rows() >= rows || len(w) != 2 || w[1].Kind != arrowio.WarnLost || !strings.Contains(w[1].Text, "hash bucket") || w[0].Kind != arrowio.WarnLost || w[0].Place != "tablet "+id || !strings.Contains(w[0].Text, "no superblock") {
			t.Errorf("%d of %d rows, %+v", f.rows(), rows, w)
		}
		if faults := s.verify("kudu-table=" + several.table); len(faults) != 2 || !strings.Contains(faults[0], id) || !strings.Contains(faults[1], "hash bucket") {
			t.Errorf("faults: %q", faults)
		}
		if w := s.must(arrowio.ForInfo).(arrowio.Warner).Warnings(); len(w) != 2 {
			t.Errorf("overview: %+v", w)
		}
	})

	id = s.table("unflushed").tablets[0].id
	segments, err := filepath.Glob(s.path("wal", "wals", id, segmentPrefix+"*"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	s.editSuper(id, func(m protoMsg) protoMsg { return withoutField(t, m, 6) }) // no rowsets: all rows were in the log
	for _, path := range segments {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	f := s.table("unflushed")
	if w := f.Warnings(); f.rows() > 0 || len(w) != 1 || w[0].Kind != arrowio.WarnLost || !strings.Contains(w[0].Text, "no write-ahead log") {
		t.Errorf("%d rows, %+v", f.rows(), w)
	}
	if faults := s.verify("kudu-table=unflushed"); len(faults) != 1 || !strings.Contains(faults[0], "no write-ahead log") {
		t.Errorf("faults: %q", faults)
	}
}
