package kudu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// clearFile makes a file all zeros.
func (s *realServer) clearFile(path string) {
	s.t.Helper()
	s.edit(path, func(b []byte) []byte { clear(b); return b })
}

// lossesOf returns the texts of warnings of losses.
func lossesOf(w []arrowio.Warning) (out []string) {
	for _, x := range w {
		if x.Kind == arrowio.WarnLost {
			out = append(out, x.Text)
		}
	}
	return out
}

// The log of a single server that ends before what files hold is cut short, and what it had is lost. Kudu's own logs never are: the
// tables of the fixture are read without such a loss, by TestWarnings.
func TestLogCutShort(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	id := f.tablets[0].id
	whole := f.rows()
	logs, err := filepath.Glob(s.path("wal", "wals", id, segmentPrefix+"*"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	s.saved(logs, func() {
		s.edit(logs[0], func(b []byte) []byte { return b[:len(b)/4] })
		f, w := s.warningsOf("kudu-table=changed")
		if l := lossesOf(w); f.rows() > whole || len(l) != 1 || !anyHas(l, "tablet "+id, "cut short", "ends with operation", "were not flushed") {
			t.Errorf("%d of %d rows: %+v", f.rows(), whole, w)
		}
		if faults := s.verify("kudu-table=changed"); !anyHas(faults, "cut short") {
			t.Errorf("verify: %q", faults)
		}
	})
	// So is that of a tablet of which files have inserts only, which undo deltas tell.
	inserts := 0
	for _, table := range realTables(t, "file") {
		if table.Table == "tombstoned" {
			continue
		}
		x := s.table(table.Table).tablets[0]
		if !slices.ContainsFunc(x.super.RowSets, func(r kuduwire.RowSet) bool { return len(r.Undo) > 0 }) ||
			slices.ContainsFunc(x.super.RowSets, func(r kuduwire.RowSet) bool { return len(r.Redo) > 0 }) {
			continue
		}
		inserts++
		segment := s.path("wal", "wals", x.id, segmentName(1))
		s.saved([]string{segment}, func() {
			s.edit(segment, func(b []byte) []byte { return b[:len(b)/6] })
			if _, w := s.warningsOf("kudu-table="+table.Table, "kudu-salvage=true"); !anyHas(lossesOf(w), "tablet "+x.id, "cut short", "were not flushed") {
				t.Errorf("%s: %+v", table.Table, w)
			}
		})
	}
	if inserts == 0 {
		t.Error("no table has inserts only")
	}
	// A log of zeros is as good as none.
	s.clearFile(logs[0])
	if _, w := s.warningsOf("kudu-table=changed"); !anyHas(lossesOf(w), "tablet "+id, "no write-ahead log", "not flushed") {
		t.Errorf("a log of zeros: %+v", w)
	}
}

// What the disk or the power left as zeros is told as damage.
func TestZeros(t *testing.T) {
	s := newRealServer(t, "log")
	id := s.table("changed").tablets[0].id
	instance, block := s.path("wal", instanceName), s.path("data", "data", dirInstanceName)
	for _, path := range []string{instance, block, s.superPath(id)} {
		s.saved([]string{path}, func() {
			s.clearFile(path)
			if _, err := s.openAs(arrowio.ForRows, "kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "all zeros") {
				t.Errorf("%s: %v", path, err)
			}
			s.edit(path, func(b []byte) []byte { copy(b, "kuducntr"); return b })
			if _, err := s.openAs(arrowio.ForRows, "kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "zeros") {
				t.Errorf("%s, but for its first bytes: %v", path, err)
			}
		})
	}
	data, err := filepath.Glob(s.path("data", "data", "*"+dataSuffix))
	if err != nil || len(data) == 0 {
		t.Fatal(data, err)
	}
	for _, path := range data {
		s.clearFile(path)
	}
	if faults := s.verify("kudu-table=changed"); !anyHas(faults, "zeros", "damaged") || anyHas(faults, "version") {
		t.Errorf("%q", faults)
	}
}

// Without any superblock that can be read there is nothing to list: an error names the way out, and a salvage tells it as a loss.
func TestNoSuperblocks(t *testing.T) {
	meta := func(s *realServer) string { return s.path("wal", tabletMetaName) }
	for name, damage := range map[string]func(s *realServer) error{
		"directory gone": func(s *realServer) error { return os.RemoveAll(meta(s)) },
		"files gone": func(s *realServer) error {
			return errors.Join(os.RemoveAll(meta(s)), os.Mkdir(meta(s), 0o700))
		},
		"zeros": func(s *realServer) error {
			for _, x := range s.superblocks() {
				s.clearFile(x)
			}
			return nil
		},
	} {
		s := newRealServer(t, "file")
		if err := damage(s); err != nil {
			t.Fatal(err)
		}
		_, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{})
		if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "--kudu-rebuild") {
			t.Errorf("%s: %v", name, err)
		}
		v, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{Salvage: true})
		if err != nil || !anyHas(lossesOf(v.Warnings()), "superblock", "--kudu-rebuild") && !anyHas(lossesOf(v.Warnings()), tabletMetaName, "--kudu-rebuild") {
			t.Errorf("%s, salvage: %v", name, err)
		}
		if err == nil {
			_ = v.Close()
		}
	}
}

func (s *realServer) superblocks() []string {
	s.t.Helper()
	paths, err := filepath.Glob(s.path("wal", tabletMetaName, "*"))
	if err != nil || len(paths) == 0 {
		s.t.Fatal(paths, err)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !isTabletID(filepath.Base(p)) })
}
