package kudu

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// changedColumns are those of the table `changed`, as a client has them.
var changedColumns = []madeColumn{
	{id: 0, name: "id", typ: cfilewire.Int32, key: true},
	{id: 2, name: "word", typ: cfilewire.String},
	{id: 3, name: "flag", typ: cfilewire.Bool},
}

// changedLog replaces the log of a tablet of the table `changed`.
func (s *realServer) changedLog(x *tablet, entries ...protoMsg) {
	s.t.Helper()
	var schema protoMsg
	s.editSuper(x.id, func(m protoMsg) protoMsg {
		return eachField(s.t, m, 8, func(_ int, v []byte) []byte { schema = v; return v })
	})
	segment := newSegmentOf(x.id, 2, blockcodec.None, false, schema, int64(x.super.SchemaVersion))
	for _, e := range entries {
		segment.add(e)
	}
	dir := s.path("wal", "wals", x.id)
	if err := os.RemoveAll(dir); err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path("wal", "wals", x.id, segmentName(2)), segment.b, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// insertChanged is an operation that inserts rows into memory, and its COMMIT.
func insertChanged(x *tablet, term, index int64, time uint64, keys ...int32) []protoMsg {
	var rows []madeRow
	for _, k := range keys {
		rows = append(rows, rowOp(kw.RowInsert, k, "new", true))
	}
	done := timesOp(len(keys), inMRS(x.super.LastDurableMRS+1))
	return []protoMsg{replicateOf(term, index, time, kw.OpWrite, writeOf(changedColumns, rows...)), commitOf(term, index, kw.OpWrite, done...)}
}

// A log whose first segment is lost looks like one whose first segment the server has deleted. Kudu 1.17.1 starts with both
// (kudu perf tablet_scan). Keys that are live twice tell them apart.
func TestFirstSegmentLost(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	whole, _, err := s.scanAll("kudu-table=changed")
	if err != nil {
		t.Fatal(err)
	}
	const later = 7_353_454_000_000_000_000 // after all that the fixture has

	s.changedLog(x, insertChanged(x, 2, 14, later, 1000, 1001)...)
	got, w, err := s.scanAll("kudu-table=changed")
	if err != nil || len(w) > 0 || len(got) != len(whole)+2 {
		t.Errorf("new keys: %d rows, %q, %v", len(got), w, err)
	}

	s.changedLog(x, insertChanged(x, 2, 14, later, 1, 2, 1000)...)
	_, _, err = s.scanAll("kudu-table=changed")
	if !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, x.id, "2 keys live twice, the first is 1, in the log and in rowset 0", "2.14", "--kudu-salvage") {
		t.Errorf("keys of rows on disk: %v", err)
	}
	got, _, err = s.scanAll("kudu-table=changed", "kudu-salvage=true")
	if err != nil || len(got) != len(whole)+1 || keysTwice(t, got) {
		t.Errorf("salvage: %d rows of %d, %v", len(got), len(whole)+1, err)
	}
	f := s.must(arrowio.ForRows, "kudu-table=changed", "kudu-salvage=true").(*File)
	ws := f.Warnings()
	if len(ws) != 3 || !strings.Contains(ws[2].Text, "not closed") || ws[1].Kind != arrowio.WarnLost || ws[1].Rows != 2 || !strings.Contains(ws[1].Place, "rowset 0") ||
		ws[0].Kind != arrowio.WarnLost || ws[0].Rows != arrowio.UnknownRows || !strings.Contains(ws[0].Text, "begins with operation 2.14, and operations before it that were not flushed are missing") {
		t.Errorf("salvage tells %+v", ws)
	}
	if got, w, err = s.scanAll("kudu-table=changed", "kudu-snapshot=7353453999999999999"); err != nil || len(got) != len(whole) || len(w) > 0 {
		t.Errorf("before the operation: %d rows, %q, %v", len(got), w, err)
	}
	if faults := s.verify("kudu-table=changed"); len(faults) != 1 || !anyHas(faults, "2 keys live both in the log and in rowset 0") {
		t.Errorf("verify: %q", faults)
	}
}

// A new leader goes on with the next index, so a change of the term does not explain a gap.
func TestGapAtNewTerm(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	whole, _, _ := s.scanAll("kudu-table=changed")
	const later = 7_353_454_000_000_000_000 // after all that the fixture has
	s.changedLog(x, append(insertChanged(x, 1, 2, later, 1000), insertChanged(x, 2, 14, later+1, 1001)...)...)
	if _, _, err := s.scanAll("kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, "operation 2.14 follows 1.2: the operations with indices 3 to 13 are missing", "--kudu-salvage") {
		t.Errorf("a gap: %v", err)
	}
	got, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true")
	if err != nil || len(got) != len(whole)+1 || !anyHas(w, "lost", "2.14 follows 1.2") || !anyHas(w, "lost", "2.14 (1 row)") {
		t.Errorf("salvage: %d rows, %q, %v", len(got), w, err)
	}
	if faults := s.verify("kudu-table=changed"); !anyHas(faults, "2.14 follows 1.2") || strings.Count(strings.Join(faults, "\n"), "follows 1.2") != 1 {
		t.Errorf("verify: %q", faults)
	}
	s.changedLog(x, append(insertChanged(x, 1, 13, later, 1000), insertChanged(x, 2, 14, later+1, 1001)...)...)
	if got, w, err := s.scanAll("kudu-table=changed"); err != nil || len(got) != len(whole)+2 || len(w) > 0 {
		t.Errorf("a new term without a gap: %d rows, %q, %v", len(got), w, err)
	}
}

// Verify reports a fault of the log once: what ends the replay is left out of what a salvage then loses, and no more.
func TestVerifyLogFaultOnce(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	const later = 7_353_454_000_000_000_000 // after all that the fixture has
	insert := func(index int64, keys ...int32) []protoMsg {
		return insertChanged(x, 1, index, later+uint64(index), keys...)
	}
	unknown := replicateOf(1, 3, later+3, kw.OpType(77), nil)
	for _, c := range []struct {
		what string
		log  []protoMsg
		want []string // of each fault
	}{
		{"a key twice", slices.Concat(insert(2, 1000), insert(3, 1000)), []string{"operation 1.3: it inserts a row that is there already"}},
		{
			"a key four times", slices.Concat(insert(2, 1000), insert(3, 1000), insert(4, 1000), insert(5, 1000)),
			[]string{"operation 1.3: it inserts a row that is there already", "2 operations, 1.4 to 1.5 (2 rows): they insert rows that are there already"},
		},
		{"a type that is not known", slices.Concat(insert(2, 1000), []protoMsg{unknown}), []string{"operation 1.3: "}},
		{"a column without a value", slices.Concat(insert(2, 1000), insert(3)[:1], insert(3, 1001)[1:]), []string{"operation 1.3: "}},
	} {
		s.changedLog(x, c.log...)
		faults := s.verify("kudu-table=changed")
		ok := len(faults) == len(c.want)
		for i := 0; ok && i < len(faults); i++ {
			ok = strings.Contains(faults[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: %q, want %q", c.what, faults, c.want)
		}
	}
}

// Without any log, deletions of rows whose keys were inserted again may be missing: all keys are compared.
func TestKeysTwiceWithoutLog(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	x := f.tablets[0]
	whole, _, _ := s.scanAll("kudu-table=changed")
	if err := os.RemoveAll(s.path("wal", "wals", x.id)); err != nil {
		t.Fatal(err)
	}
	if got, w, err := s.scanAll("kudu-table=changed"); err != nil || !slices.Equal(got, whole) || !anyHas(w, "no write-ahead log") {
		t.Errorf("no key twice: %d rows, %q, %v", len(got), w, err)
	}
	s.copyRowSet(f, x)
	if _, _, err := s.scanAll("kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, "48 keys live twice", "rowset 0", "rowset 77", "--kudu-salvage") {
		t.Errorf("keys twice: %v", err)
	}
	got, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true")
	slices.Sort(got)
	slices.Sort(whole)
	if err != nil || !slices.Equal(got, whole) || !anyHas(w, "lost", "rowset 0: 48 rows are left out, because newer rows have their keys") {
		t.Errorf("salvage: %d rows, %q, %v", len(got), w, err)
	}
}

// TestKeysTwiceWithoutDeltas loses a file of changes with the deletions of rows whose keys were inserted again later.
func TestKeysTwiceWithoutDeltas(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	whole, _, _ := s.scanAll("kudu-table=changed")
	inserted := map[string]bool{} // keys of the rows as they are
	for _, l := range whole {
		inserted[printedKey(t, f, l)] = true
	}
	for _, rs := range f.tablets[0].rowsets {
		for _, d := range rs.redo {
			path, _, err := f.blocks.At(d.block)
			if err != nil {
				t.Fatal(err)
			}
			s.saved([]string{path}, func() {
				s.clearFile(path)
				got, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true")
				if err != nil || keysTwice(t, got) || !anyHas(w, "lost", "updates and deletes") {
					t.Errorf("block %d: %d rows, %q, %v", d.block, len(got), w, err)
				}
				missing := maps.Clone(inserted)
				for _, l := range got {
					delete(missing, printedKey(t, f, l))
				}
				if len(missing) > 0 {
					t.Errorf("block %d: keys are missing: %v", d.block, missing)
				}
			})
		}
	}
}

func keysTwice(t *testing.T, lines []string) bool {
	t.Helper()
	seen := map[string]bool{}
	for _, l := range lines {
		k := cellsOfLine(t, l)[0]
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}
