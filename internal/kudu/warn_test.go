package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

var (
	_ arrowio.Warner      = (*File)(nil)
	_ arrowio.Verifier    = (*File)(nil)
	_ arrowio.ByteCounter = (*File)(nil)
	_ arrowio.Warner      = (*Overview)(nil)
	_ arrowio.ByteCounter = (*Overview)(nil)
	_ arrowio.Warner      = (*blockFile)(nil)
	_ arrowio.Verifier    = (*blockFile)(nil)
	_ arrowio.ByteCounter = (*blockFile)(nil)
)

// told returns the texts of the warnings of a file.
func told(w arrowio.Warner) []string {
	var out []string
	for _, x := range w.Warnings() {
		out = append(out, x.Text)
	}
	return out
}

// Whatever there is, at most so many lines are kept, and the rest is counted.
func TestWarningsAreBounded(t *testing.T) {
	var f findings
	for i := range 3 * maxTold {
		f.lose(nil, at("", 1), "row %d", i)
		f.doubt("", "doubt %d", i)
	}
	w := told(&f)
	if len(w) != 2*maxTold+2 || w[0] != "lost: row 0" || w[maxTold] != "lost: and 2000 more" || w[maxTold+1] != "doubt 0" || w[2*maxTold+1] != "and 2000 more doubts like these" {
		t.Errorf("%d lines, %q, %q", len(w), w[maxTold], w[len(w)-1])
	}
	if len(f.faults) != maxTold {
		t.Errorf("%d faults", len(f.faults))
	}
}

// A server that was killed is nothing to warn of; what is not here is.
func TestWarnings(t *testing.T) {
	s := newRealServer(t, "file")
	for _, x := range realTables(t, "file") {
		if x.Table == "tombstoned" {
			continue
		}
		if w := told(s.table(x.Table)); len(w) > 0 {
			t.Errorf("%s: %q", x.Table, w)
		}
	}
	if _, err := s.openAs(arrowio.ForRows, "kudu-table=tombstoned"); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "is tombstoned") {
		t.Errorf("tombstoned: %v", err)
	}

	x := s.table("changed").tablets[0]
	wal := s.path("wal", "wals", x.id)
	if err := os.Rename(wal, wal+".gone"); err != nil {
		t.Fatal(err)
	}
	if w := told(s.table("changed")); len(w) != 1 || !anyHas(w, x.id, "has no write-ahead log: inserts, updates and deletes that were not flushed are missing") {
		t.Errorf("without a log: %q", w)
	}
	if w := told(s.must(arrowio.ForRows, "kudu-table=changed", "kudu-wal=skip").(*File)); len(w) > 0 { // it was asked for
		t.Errorf("without a log that was not asked for: %q", w)
	}
	if err := os.Rename(wal+".gone", wal); err != nil {
		t.Fatal(err)
	}
	s.saved([]string{s.superPath(x.id)}, func() {
		s.editSuper(x.id, func(m protoMsg) protoMsg {
			return m.str(15, string(protoMsg{}.str(1, "0000000000000000000000000000dead")))
		})
		if w := told(s.table("changed")); len(w) != 1 || !anyHas(w, x.id, "dead", "is not here") {
			t.Errorf("a data directory: %q", w)
		}
	})
	if err := os.Remove(s.path("data", "instance")); err != nil {
		t.Fatal(err)
	}
	if w := told(s.table("changed")); len(w) != 1 || !anyHas(w, "nothing proves whose directory this is") {
		t.Errorf("no instance file: %q", w)
	}
}

// Salvaging tells of every block, with its rows.
func TestWarningsOfSalvage(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	f := s.table("changed")
	first, second := &x.super.RowSets[0], &x.super.RowSets[1]
	path := func(id uint64) string {
		p, _, err := f.blocks.At(id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	flipped, gone, redo := first.Columns[2].Block, first.Columns[3].Block, second.Redo[0]
	s.edit(path(flipped), func(b []byte) []byte { b[20] ^= 1; return b })
	for _, id := range []uint64{gone, redo} {
		if err := os.Remove(path(id)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.openAs(arrowio.ForRows, "kudu-table=changed"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without salvage: %v", err)
	}
	w := told(s.must(arrowio.ForRows, "kudu-table=changed", "kudu-salvage=true").(*File))
	for _, words := range [][]string{
		{"lost: ", x.id, fmt.Sprintf("rowset %d: rows 0 to ", first.ID), kuduwire.BlockName(flipped), "column " + x.super.Schema.Columns[2].Name, " at 16"},
		{"lost: ", x.id, fmt.Sprintf("rowset %d: all ", first.ID), kuduwire.BlockName(gone), x.super.Schema.Columns[3].Name},
		{"lost: ", x.id, fmt.Sprintf("rowset %d: updates and deletes", second.ID), kuduwire.BlockName(redo)},
	} {
		if !anyHas(w, words...) {
			t.Errorf("%q is not in %q", words, w)
		}
	}
	if len(w) != 4 || !anyHas(w, "not closed", x.id, "whether more operations followed") {
		t.Errorf("%q", w)
	}
	// Every fault once, though files are opened in spite of them.
	faults := s.verify("kudu-table=changed")
	for _, id := range []uint64{flipped, gone, redo} {
		if n := strings.Count(strings.Join(faults, "\n"), "block "+kuduwire.BlockName(id)); n != 1 {
			t.Errorf("block %d: %d times in %q", id, n, faults)
		}
	}
	if err := os.WriteFile(s.superPath(madeTablet), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if faults = s.verify("kudu-table=changed"); !anyHas(faults, filepath.Join("tablet-meta", madeTablet)) {
		t.Errorf("a superblock that is none: %q", faults)
	}
}
