package kudu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

var testLimits = arrowio.Limits{}.WithDefaults()

func wantText(t *testing.T, st *logState, want ...string) {
	t.Helper()
	if got := st.text(t); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func wantKind(t *testing.T, err error, kind errs.Kind, part string) {
	t.Helper()
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Format != "kudu" || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, want %s with %q", err, kind, part)
	}
}

// oneSegment makes a log of one segment that is not closed.
func oneSegment(entries ...protoMsg) *madeSegment {
	s := newSegment(1, blockcodec.LZ4, false, schemaOf(madeColumns, true), 0)
	for _, e := range entries {
		s.add(e)
	}
	return s
}

func writeOp(index int64, rows ...madeRow) protoMsg {
	return replicateOf(1, index, uint64(index)*100, kw.OpWrite, writeOf(madeColumns, rows...))
}

func doneOp(index int64, results ...protoMsg) protoMsg {
	return commitOf(1, index, kw.OpWrite, results...)
}

// The rows of docs/formats/kudu.md, one by one: what goes to the memrowset.
func TestReplayMemory(t *testing.T) {
	l := newLog(t, oneSegment(
		writeOp(1, rowOp(kw.RowInsert, 3, int32(30), "three", int32(33)), rowOp(kw.RowInsert, 1, nil, nil, unset), rowOp(kw.RowInsert, 2, unset, "", int32(22))),
		doneOp(1, timesOp(3, inMRS(0))...),
		writeOp(2, rowOp(kw.RowUpdate, 1, int32(10), unset, unset), rowOp(kw.RowUpsert, 2, unset, "a longer string", unset), rowOp(kw.RowUpsert, 4, int32(40), unset, unset)),
		doneOp(2, timesOp(3, inMRS(0))...),
		writeOp(3, rowOp(kw.RowDelete, 3, unset, unset, unset), rowOp(kw.RowInsertIgnore, 1, int32(0), "", int32(0)), rowOp(kw.RowInsert, 1, int32(0), "", int32(0))),
		doneOp(3, inMRS(0), resultNone, resultFailed),
		// A row comes again with what it is given, not with what it had; the same row twice in one batch.
		writeOp(4, rowOp(kw.RowInsert, 3, unset, unset, unset), rowOp(kw.RowUpdateIgnore, 3, unset, "again", unset), rowOp(kw.RowDeleteIgnore, 2, unset, unset, unset)),
		doneOp(4, timesOp(3, inMRS(0))...),
		writeOp(5, rowOp(kw.RowUpdate, 1, nil, "s", int32(-1))),
		doneOp(5, resultSkip),
	))
	wantText(t, l.must(t, replayOptions{}), `1 10 null 7`, `3 null "again" 7`, `4 40 null 7`)
	wantText(t, l.must(t, replayOptions{Snapshot: 100}))
	wantText(t, l.must(t, replayOptions{Snapshot: 101}), `1 null null 7`, `2 null "" 22`, `3 30 "three" 33`)
	wantText(t, l.must(t, replayOptions{Snapshot: 300}), `1 10 null 7`, `2 null "a longer string" 22`, `3 30 "three" 33`, `4 40 null 7`)
	wantText(t, l.must(t, replayOptions{Snapshot: 301}), `1 10 null 7`, `2 null "a longer string" 22`, `4 40 null 7`)
	st := l.must(t, replayOptions{})
	if st.ops != 5 || st.applied != 10 || st.last != (kw.OpID{Term: 1, Index: 5}) || st.lastTime != 500 || len(st.notes) > 0 || st.segments != 1 {
		t.Errorf("%+v", st)
	}
	if st := l.must(t, replayOptions{Skip: true}); st.mem != nil || st.segments != 0 {
		t.Errorf("%+v", st)
	}
	l.super.State = kw.TabletTombstoned
	if st := l.must(t, replayOptions{}); st.mem != nil {
		t.Errorf("%+v", st)
	}
}

// What is on disk is not done again; rowsets are asked by key only for what is not.
func TestReplayStores(t *testing.T) {
	l := newLog(t, oneSegment(
		writeOp(1, rowOp(kw.RowInsert, 1, unset, unset, unset), rowOp(kw.RowInsert, 2, unset, unset, unset)),
		doneOp(1, inMRS(0), inMRS(1)),
		writeOp(2, rowOp(kw.RowUpdate, 5, int32(5), unset, unset), rowOp(kw.RowUpdate, 6, nil, unset, unset), rowOp(kw.RowDelete, 7, unset, unset, unset), rowOp(kw.RowUpdate, 8, int32(8), unset, unset)),
		doneOp(2, inDMS(3, 4), inDMS(3, 5), inDMS(3, 5), inDMS(9, 1)),
		// During a flush or a compaction an operation goes to both sides.
		writeOp(3, rowOp(kw.RowUpsert, 6, unset, "both", unset), rowOp(kw.RowDelete, 1, unset, unset, unset)),
		doneOp(3, bothIn(inDMS(9, 0), inDMS(3, 5)), bothIn(inMRS(0), inDMS(4, 0))),
	))
	l.super.LastDurableMRS = 0
	d := l.rowset(3, 4)
	d.add(5, true)
	d.add(6, true)
	d.add(7, true)
	l.rowset(4, -1).add(1, true)
	wantText(t, l.must(t, replayOptions{}), `2 null null 7`,
		`3/1 @200 update a=null`, `3/1 @300 update s="both"`, `3/2 @200 delete`, `4/0 @300 delete`)
	wantText(t, l.must(t, replayOptions{Snapshot: 300}), `2 null null 7`, `3/1 @200 update a=null`, `3/2 @200 delete`)
	if d.asked != 4 {
		t.Errorf("asked %d times", d.asked)
	}
	// A row that its rowset does not have, or no more.
	d.alive[1] = false
	_, err := l.replay(t, replayOptions{})
	wantKind(t, err, errs.ErrCorrupt, "operation 1.2: it changes a row that is not there")
	st := l.must(t, replayOptions{Salvage: true})
	wantText(t, st, `2 null null 7`, `3/2 @200 delete`, `4/0 @300 delete`)
	if st.lostOps != 2 || st.lostRows != 2 || !slices.Equal(st.lost, []string{"2 operations, 1.2 to 1.3 (2 rows): they change rows that are not there"}) {
		t.Errorf("%d, %d, %q", st.lostOps, st.lostRows, st.lost)
	}
	// Two stores in memory at once.
	l = newLog(t, oneSegment(writeOp(1, rowOp(kw.RowDelete, 1, unset, unset, unset)), doneOp(1, bothIn(inMRS(0), inDMS(4, 0)))))
	l.rowset(4, -1).add(1, true)
	_, err = l.replay(t, replayOptions{})
	wantKind(t, err, errs.ErrCorrupt, "two stores")
}

func TestReplayInconsistent(t *testing.T) {
	for what, entries := range map[string][]protoMsg{
		"inserts a row that is there":     {writeOp(1, rowOp(kw.RowInsert, 1), rowOp(kw.RowInsert, 1)), doneOp(1, timesOp(2, inMRS(0))...)},
		"changes a row that is not there": {writeOp(1, rowOp(kw.RowUpdate, 1, int32(1))), doneOp(1, inMRS(0))},
		"done to a rowset":                {writeOp(1, rowOp(kw.RowInsert, 1)), doneOp(1, inDMS(0, 0))},
		"must not be null":                {writeOp(1, rowOp(kw.RowInsert, 1), rowOp(kw.RowUpdate, 1, unset, unset, nil)), doneOp(1, timesOp(2, inMRS(0))...)},
		"column n has no value":           {writeOp(1, rowOp(kw.RowInsert, 1, unset, unset, nil)), doneOp(1, inMRS(0))},
		"key is not set":                  {writeOp(1, rowOp(kw.RowInsert, unset, int32(1))), doneOp(1, inMRS(0))},
		"results of 1 row operations":     {writeOp(1, rowOp(kw.RowInsert, 1), rowOp(kw.RowInsert, 2)), doneOp(1, inMRS(0))},
		"results of 2 row operations":     {writeOp(1, rowOp(kw.RowInsert, 1)), doneOp(1, timesOp(2, inMRS(0))...)},
		"row operation 4":                 {writeOp(1, rowOp(4, 1)), doneOp(1, inMRS(0))},
		"the log has 1.1":                 {writeOp(1, rowOp(kw.RowInsert, 1)), commitOf(2, 1, kw.OpWrite, inMRS(0))},
		"but not the operation":           {doneOp(1, inMRS(0))},
		"was committed before":            {writeOp(1, rowOp(kw.RowInsert, 1)), doneOp(1, inMRS(0)), writeOp(1, rowOp(kw.RowInsert, 2))},
		"operation 1.3 follows 1.1: the operation with index 2 is missing": {writeOp(1), doneOp(1), writeOp(3), doneOp(3)},
		"operation type 2 is not known":                                    {replicateOf(1, 1, 1, 2, nil)},
		"memrowset 1, rowset 1":                                            {writeOp(1, rowOp(kw.RowInsert, 1)), doneOp(1, protoMsg{}.sub(3, protoMsg{}.num(1, 1).num(2, 1).num(3, 1)))},
		"without its request":                                              {protoMsg{}.num(1, 1).sub(2, protoMsg{}.sub(1, idOf(1, 1)).fixed64(2, 1).num(4, 3)), doneOp(1, inMRS(0))},
	} {
		l := newLog(t, oneSegment(append(entries, writeOp(4, rowOp(kw.RowInsert, 99)), doneOp(4, inMRS(0)))...))
		if strings.Contains(what, "was committed") || strings.Contains(what, "3 follows") || strings.Contains(what, "results of") {
			l = newLog(t, oneSegment(entries...))
		} else if !strings.Contains(what, "1.3") {
			l = newLog(t, oneSegment(append(entries, writeOp(2, rowOp(kw.RowInsert, 99)), doneOp(2, inMRS(0)))...))
		}
		l.rowset(0, -1)
		_, err := l.replay(t, replayOptions{})
		wantKind(t, err, errs.ErrCorrupt, what)
		if err != nil && !strings.Contains(err.Error(), "wal-000000001") {
			t.Errorf("%v: no segment", err)
		}
		if st := l.must(t, replayOptions{Salvage: true}); len(st.lost) == 0 && len(st.notes) == 0 {
			t.Errorf("%s: a salvage says nothing", what)
		}
	}
}

func TestReplayTransactions(t *testing.T) {
	txn := replicateOf(1, 1, 1, kw.OpWrite, writeOf(madeColumns, rowOp(kw.RowInsert, 1)).num(7, 3))
	for _, entries := range [][]protoMsg{
		{replicateOf(1, 1, 1, kw.OpParticipant, nil), commitOf(1, 1, kw.OpParticipant)},
		{txn, doneOp(1, inMRS(0))},
		{writeOp(1, rowOp(kw.RowInsert, 1)), doneOp(1, protoMsg{}.sub(3, protoMsg{}.num(1, 0).num(4, 5)))},
	} {
		l := newLog(t, oneSegment(entries...))
		_, err := l.replay(t, replayOptions{})
		wantKind(t, err, errs.ErrUnsupported, "transactions over several rows")
		if st := l.must(t, replayOptions{Salvage: true}); st.lostOps != 1 || st.mem != nil {
			t.Errorf("%+v", st)
		}
	}
	l := newLog(t, oneSegment(txn, doneOp(1, inMRS(0))))
	l.super.LastDurableMRS = 0
	if st := l.must(t, replayOptions{}); st.mem != nil {
		t.Errorf("%+v", st)
	}
	l.super.TxnMetadata = true
	_, err := l.replay(t, replayOptions{})
	wantKind(t, err, errs.ErrUnsupported, "transactions over several rows")
}

// Operations at the end without a COMMIT: who decides, and what they do.
func TestReplayUncommitted(t *testing.T) {
	immutable := append(slices.Clone(madeColumns), madeColumn{id: 14, name: "i", typ: cfilewire.Int32, null: true, immutable: true})
	seg := newSegment(1, blockcodec.None, false, schemaOf(immutable, true), 0)
	rows := func(index int64, rs ...madeRow) protoMsg {
		return replicateOf(1, index, uint64(index)*100, kw.OpWrite, writeOf(immutable, rs...))
	}
	seg.add(rows(1, rowOp(kw.RowInsert, 1), rowOp(kw.RowInsert, 2, unset, unset, unset, int32(2)))).add(doneOp(1, timesOp(2, inMRS(0))...))
	seg.add(rows(2,
		rowOp(kw.RowInsert, 1, int32(1)),                            // there
		rowOp(kw.RowInsertIgnore, 1, int32(1)),                      // there
		rowOp(kw.RowInsert, 3, int32(3)),                            //
		rowOp(kw.RowInsert, unset, int32(4)),                        // no key
		rowOp(kw.RowInsert, 5, unset, unset, nil),                   // null in a column that has none
		rowOp(kw.RowUpsert, 6, int32(6)),                            // absent: insert
		rowOp(kw.RowUpsert, 2, int32(2)),                            // present: update
		rowOp(kw.RowUpsert, 2, int32(3), unset, unset, int32(3)),    // sets what cannot be changed
		rowOp(kw.RowUpsertIgnore, 2, unset, "x", unset, int32(3)),   // the rest of it counts
		rowOp(kw.RowUpdate, 20, int32(-20)), rowOp(kw.RowDelete, 8), // on disk, and nowhere
		rowOp(kw.RowUpdate, 21, unset, unset, unset, int32(1)),         // cannot be changed
		rowOp(kw.RowUpdateIgnore, 21, int32(1), unset, unset, nil),     //
		rowOp(kw.RowDelete, 22), rowOp(kw.RowInsert, 22, unset, "new"), // from disk to memory
		rowOp(kw.RowInsert, 23, int32(0)), rowOp(kw.RowUpdate, 24, int32(9)),
	))
	l := newLog(t, seg)
	l.super.Schema = tableOf(t, immutable, 0).Schema
	l.super.LastDurableMRS = -1
	d, ghosts := l.rowset(7, 0), l.rowset(2, 0)
	for _, k := range []int64{20, 21, 22, 23} {
		d.add(k, true)
		ghosts.add(k, false)
	}
	ghosts.add(24, false)
	applied := []string{
		`1 null null 7 null`, `2 2 "x" 7 2`, `3 3 null 7 null`, `6 6 null 7 null`, `22 null "new" 7 null`,
		`7/0 @200 update a=-20`, `7/1 @200 update a=1`, `7/2 @200 delete`,
	}
	without := []string{`1 null null 7 null`, `2 null null 7 2`}
	st := l.must(t, replayOptions{})
	wantText(t, st, applied...)
	if len(st.notes) != 1 || !strings.Contains(st.notes[0], "operation 1.2 (17 rows) is above the highest COMMIT, and applied, because") {
		t.Errorf("%q", st.notes)
	}
	wantText(t, l.must(t, replayOptions{Uncommitted: "skip"}), without...)
	l.peers = append(l.peers, protoMsg{}.str(1, "another").num(2, 1))
	st = l.must(t, replayOptions{})
	wantText(t, st, without...)
	if len(st.notes) != 1 || !strings.Contains(st.notes[0], "(17 rows) is above the highest COMMIT, and left out, because") || st.lost != nil {
		t.Errorf("%q", st.notes)
	}
	wantText(t, l.must(t, replayOptions{Uncommitted: "apply"}), applied...)
	// A later COMMIT proves that all before it count, whatever the others say; from the first without one on, results are
	// not looked at.
	seg.add(rows(3, rowOp(kw.RowDelete, 3), rowOp(kw.RowDelete, 999))).add(doneOp(3, resultFailed, inMRS(0)))
	l.files[segmentName(1)] = seg.b
	after := slices.Delete(slices.Clone(applied), 2, 3)
	wantText(t, l.must(t, replayOptions{Uncommitted: "skip"}), after...)
}

func TestReplayOrder(t *testing.T) {
	insert := func(k int) madeRow { return rowOp(kw.RowInsert, k) }
	update := func(k int, a int32) madeRow { return rowOp(kw.RowUpdate, k, a) }
	want := []string{`1 4 null 7`, `2 null null 7`}
	for what, entries := range map[string][]protoMsg{
		"COMMITs in reverse": {
			writeOp(1, insert(1)), writeOp(2, insert(2)), writeOp(3, update(1, 3)), writeOp(4, update(1, 4)),
			doneOp(4, inMRS(0)), doneOp(3, inMRS(0)), doneOp(2, inMRS(0)), doneOp(1, inMRS(0)),
		},
		"a new leader": {
			writeOp(1, insert(1)), writeOp(2, insert(7)), writeOp(3, insert(8)), doneOp(1, inMRS(0)),
			replicateOf(2, 2, 200, kw.OpWrite, writeOf(madeColumns, insert(2))), replicateOf(2, 3, 300, kw.OpNoOp, nil),
			replicateOf(2, 4, 400, kw.OpWrite, writeOf(madeColumns, update(1, 4))),
			commitOf(2, 3, kw.OpNoOp), commitOf(2, 2, kw.OpWrite, inMRS(0)), commitOf(2, 4, kw.OpWrite, inMRS(0)),
		},
		"orphans of what is on disk": {
			commitOf(1, 1, kw.OpNoOp), doneOp(2, resultFailed, resultNone, inDMS(77, 1)),
			writeOp(3, insert(1), insert(2)), doneOp(3, timesOp(2, inMRS(0))...), writeOp(4, update(1, 4)), doneOp(4, inMRS(0)),
			replicateOf(1, 5, 500, kw.OpChangeConfig, nil), commitOf(1, 5, kw.OpChangeConfig),
		},
	} {
		for _, old := range []bool{false, true} {
			one := newSegment(1, blockcodec.None, old, schemaOf(madeColumns, true), 0).add(entries...)
			many := []*madeSegment{}
			for i, e := range entries {
				s := newSegment(int64(i+5), []blockcodec.Codec{blockcodec.LZ4, blockcodec.Zlib, blockcodec.Snappy}[i%3], false, schemaOf(madeColumns, true), 0)
				many = append(many, s.add(e).close())
			}
			for _, l := range []*madeLog{newLog(t, one), newLog(t, many...)} {
				st := l.must(t, replayOptions{})
				if got := st.text(t); !slices.Equal(got, want) {
					t.Errorf("%s: %q", what, got)
				}
			}
		}
	}
}

func TestReplayAlter(t *testing.T) {
	renamed := slices.Clone(madeColumns)
	renamed[1].name = "b"
	added := append(slices.Clone(renamed), madeColumn{id: 14, name: "new", typ: cfilewire.String, read: "read", write: "write"})
	added = slices.Delete(added, 2, 3)
	alter := func(index int64, cols []madeColumn, version int64) protoMsg {
		return replicateOf(1, index, uint64(index)*100, kw.OpAlterSchema, protoMsg{}.str(1, madeTablet).sub(2, schemaOf(cols, true)).num(3, version))
	}
	seg := oneSegment(
		writeOp(1, rowOp(kw.RowInsert, 1, int32(1), "s", int32(11)), rowOp(kw.RowUpdate, 5, int32(55), "gone", unset)), doneOp(1, inMRS(0), inDMS(3, 0)),
		alter(2, renamed, 1), commitOf(1, 2, kw.OpAlterSchema),
		replicateOf(1, 3, 300, kw.OpWrite, writeOf(renamed[:2], rowOp(kw.RowInsert, 2, int32(2)))), doneOp(3, inMRS(0)),
		alter(4, madeColumns, 9), commitOf(1, 4, kw.OpAlterSchema, resultFailed),
		alter(5, added, 2), commitOf(1, 5, kw.OpAlterSchema),
		alter(6, madeColumns, 2), commitOf(1, 6, kw.OpAlterSchema),
		// A client that does not know of the new column; an update of a row that is older than it.
		replicateOf(1, 7, 700, kw.OpWrite, writeOf(renamed[:2], rowOp(kw.RowInsert, 3, int32(3)), rowOp(kw.RowUpdate, 1, int32(-1)))), doneOp(7, timesOp(2, inMRS(0))...),
	)
	l := newLog(t, seg)
	l.rowset(3, -1).add(5, true)
	want := []string{`1 -1 11 "read"`, `2 2 7 -`, `3 3 7 "write"`, `3/0 @100 update b=55`}
	st := l.must(t, replayOptions{})
	wantText(t, st, want...)
	if st.schemaVersion != 2 || st.schema.Columns[1].Name != "b" {
		t.Errorf("version %d: %+v", st.schemaVersion, st.schema)
	}
	// The superblock may know more than the log.
	l.super.Schema, l.super.SchemaVersion = tableOf(t, added[:3], 3).Schema, 3
	st = l.must(t, replayOptions{})
	wantText(t, st, `1 -1 11`, `2 2 7`, `3 3 7`, `3/0 @100 update b=55`)
	// A column that nobody knows.
	other := slices.Clone(madeColumns)
	other[1].name = "other"
	l = newLog(t, oneSegment(replicateOf(1, 1, 1, kw.OpWrite, writeOf(other, rowOp(kw.RowInsert, 1))), doneOp(1, inMRS(0))))
	_, err := l.replay(t, replayOptions{})
	wantKind(t, err, errs.ErrCorrupt, `"other" is not in the table's schema`)
	// Unless the superblock does: the header of a segment has no checksum.
	l.super.Schema = tableOf(t, other, 0).Schema
	st = l.must(t, replayOptions{Salvage: true})
	wantText(t, st, `1 null null 7`)
	other[1].typ = cfilewire.Int64
	l = newLog(t, oneSegment(replicateOf(1, 1, 1, kw.OpWrite, writeOf(other, rowOp(kw.RowInsert, 1))), doneOp(1, inMRS(0))))
	st = l.must(t, replayOptions{Salvage: true})
	if st.mem != nil || st.lostOps != 1 {
		t.Errorf("%+v", st)
	}
}

func TestReplayCounter(t *testing.T) {
	cols := []madeColumn{
		{id: 1, name: "k", typ: cfilewire.Int32, key: true},
		{id: 2, name: "auto", typ: cfilewire.Int64, key: true, counting: true},
		{id: 3, name: "v", typ: cfilewire.String, null: true},
	}
	client := []madeColumn{cols[0], cols[1], cols[2]}
	seg := newSegment(1, blockcodec.LZ4, false, schemaOf(cols, true), 0)
	w := writeOf(client, rowOp(kw.RowInsert, int32(5), unset, "a"), rowOp(kw.RowInsertIgnore, int32(5), unset, "b"), rowOp(kw.RowUpsert, int32(5), 200, "c"), rowOp(kw.RowInsert, int32(4), unset, "d"))
	seg.add(replicateOf(1, 1, 1, kw.OpWrite, w.sub(8, protoMsg{}.num(1, 100)))).add(doneOp(1, inMRS(0), resultFailed, inMRS(0), inMRS(0)))
	l := newLog(t, seg)
	l.super.Schema = tableOf(t, cols, 0).Schema
	wantText(t, l.must(t, replayOptions{}), `4 201 "d"`, `5 101 "a"`, `5 200 "c"`)
}

func TestReplayBounds(t *testing.T) {
	var rows []madeRow
	for k := range 2000 {
		rows = append(rows, rowOp(kw.RowInsert, k, int32(k), strings.Repeat("x", 100)))
	}
	l := newLog(t, oneSegment(writeOp(1, rows...), doneOp(1, timesOp(len(rows), inMRS(0))...)))
	for _, salvage := range []bool{false, true} {
		_, err := l.replay(t, replayOptions{Memory: 200_000, Salvage: salvage})
		wantKind(t, err, errs.ErrLimit, "kudu-wal-memory")
		_, err = l.replay(t, replayOptions{Limits: arrowio.Limits{BlockBytes: 1000}, Salvage: salvage})
		wantKind(t, err, errs.ErrLimit, "BlockBytes")
	}
	if st := l.must(t, replayOptions{Memory: 1 << 20}); len(st.text(t)) != 2000 {
		t.Error("rows are missing")
	}
	// Operations that wait count too.
	var entries []protoMsg
	for i := range 50 {
		entries = append(entries, writeOp(int64(i+1), rows[:100]...))
	}
	_, err := newLog(t, oneSegment(entries...)).replay(t, replayOptions{Memory: 200_000})
	wantKind(t, err, errs.ErrLimit, "kudu-wal-memory")
}

func TestReplayNotes(t *testing.T) {
	insert := []protoMsg{writeOp(9, rowOp(kw.RowInsert, 1)), doneOp(9, inMRS(0))}
	seg := func(seq int64) *madeSegment {
		return newSegment(seq, blockcodec.LZ4, false, schemaOf(madeColumns, true), 0)
	}
	notes := func(l *madeLog) string {
		st := l.must(t, replayOptions{})
		wantText(t, st, `1 null null 7`)
		return strings.Join(st.notes, "\n")
	}
	if n := notes(newLog(t, seg(4).add(insert...))); !strings.Contains(n, "the log begins with operation 1.9") {
		t.Errorf("%q", n)
	}
	l := newLog(t, seg(4).add(insert...).close(), seg(5))
	l.rowset(0, 0)
	l.files["notes.txt"], l.files["index.000000000"], l.files[".kudutmp.newsegment123456"] = nil, nil, nil
	if n := notes(l); n != "" {
		t.Errorf("%q", n)
	}
	l.files[segmentName(2)] = seg(5).close().b
	if n := notes(l); !strings.Contains(n, "wal-000000002, is closed") {
		t.Errorf("%q", n)
	}
	l.files[segmentName(2)] = make([]byte, 100)
	if st := l.must(t, replayOptions{}); !anyHas(st.lost, "wal-000000002 is not read") {
		t.Errorf("%q, %q", st.notes, st.lost)
	}
	l.files[segmentName(2)] = newSegment(5, blockcodec.LZ4, false, schemaOf(madeColumns[:2], true), 0).b
	if n := notes(l); !strings.Contains(n, "has another schema") {
		t.Errorf("%q", n)
	}
	l.dir += ".recovery"
	if n := notes(l); !strings.Contains(n, "is read instead") {
		t.Errorf("%q", n)
	}
	l.dir = "no log"
	if st := l.must(t, replayOptions{}); st.mem != nil || len(st.notes) > 0 || !strings.Contains(st.absent, "no segment") {
		t.Errorf("%+v", st)
	}
	for _, n := range l.must(t, replayOptions{}).notes {
		if strings.Contains(n, "secret") {
			t.Error(n)
		}
	}
}
