package kudu

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// smallTable makes a table of 25 rows in one rowset: a key, a string and a number that is never null. Row 3 has both
// changed, row 4 is deleted.
func smallTable(tb testing.TB) *madeTable {
	tb.Helper()
	x := keyedTable(tb, 1, keysFrom(0, 10, 25))
	x.per = 10
	x.columns = append(x.columns[:1],
		&tableColumn{id: 9, name: "s", typ: cfilewire.String, null: true}, &tableColumn{id: 10, name: "n", typ: cfilewire.Int32})
	rs := x.tablets[0].rowsets[0]
	for i, row := range rs.rows {
		row.events[0].cells = map[int32][]byte{9: fmt.Appendf(nil, "text %d", i), 10: []byte(madeInt32(int32(i)))}
	}
	x.now += 10
	rs.rows[3].events = append(rs.rows[3].events, event{x.now, cfilewire.Update, map[int32][]byte{9: []byte("new"), 10: []byte(madeInt32(-3))}})
	rs.rows[4].events = append(rs.rows[4].events, event{x.now, cfilewire.Delete, nil})
	x.now++
	rs.redos = append(rs.redos, x.now)
	return x
}

// readAll opens a table and reads it, within bounds of time and memory.
func readAll(t testing.TB, wal string, o Options) (rows int64, warnings []string, err error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := fixtures.CPUTime()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	err = func() error {
		f, err := Open(t.Context(), wal, testLimits, o)
		if err != nil {
			return err
		}
		defer f.Close()
		warnings = told(f)
		r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Allocator: mem, Parallelism: 1})
		if err != nil {
			return err
		}
		defer r.Release()
		for r.Next() && rows < 1<<20 {
			rows += r.Record().NumRows()
		}
		return r.Err()
	}()
	mem.AssertSize(t, 0)
	runtime.ReadMemStats(&after)
	if d := fixtures.CPUTime() - start; d > 10*time.Second {
		t.Errorf("it took %v of processor time", d)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		t.Errorf("it took %d MiB", n>>20)
	}
	return rows, warnings, err
}

// Blocks that say what cannot be are refused, by an error that names the rowset; a salvage goes on without them, and tells.
func TestHostileBlocks(t *testing.T) {
	const first, text, number = 0, 9, 10
	redo := func(row int64, change ...byte) func(b *builtRowSet) {
		return func(b *builtRowSet) { b.redo = append(b.redo, deltaFileOf([]madeDelta{{row, 5000, change}})) }
	}
	cells := func(op cfilewire.Op, id int32, v string) []byte { return changeOf(op, map[int32][]byte{id: []byte(v)}) }
	wider := func(n int) string { return string(make([]byte, n)) }
	for _, c := range []struct {
		name   string
		change func(b *builtRowSet)
		says   string // of the error; "" = there is none
		rows   int64  // of a salvage, -1 = as many as the files say
		told   string // by a salvage, "" = nothing
	}{
		{"nothing", func(*builtRowSet) {}, "", 24, ""},
		{"a delta of the row behind the last", redo(25, cells(cfilewire.Update, number, "1234")...), "a delta of row 25, the rowset has 25", 24, "row 25"},
		{"a delta of row 2^32-1", redo(1<<32-1, byte(cfilewire.Delete)), "a delta of row 4294967295", 24, "row 4294967295"},
		{"a cell too narrow", redo(7, cells(cfilewire.Update, number, "123")...), "a cell of 3 bytes for type int32", 24, "row 7, column n"},
		{"a cell too wide", redo(7, cells(cfilewire.Update, number, wider(9))...), "a cell of 9 bytes for type int32", 24, "row 7, column n"},
		{"a cell of nothing", redo(7, cells(cfilewire.Update, number, "")...), "a cell of 0 bytes for type int32", 24, "row 7, column n"},
		{"null where there is none", redo(7, changeOf(cfilewire.Update, map[int32][]byte{number: nil})...), "changed to null", 24, "row 7, column n"},
		{"text that is none", redo(7, cells(cfilewire.Update, text, "\xff")...), "not UTF-8", 24, "row 7, column s"},
		{"a reinsert that is too wide", redo(4, cells(cfilewire.Reinsert, number, wider(16))...), "a cell of 16 bytes", 25, "row 4, column n"},
		{"an unknown change", redo(7, 9, 1), "", 24, "row 7"},
		{"an unknown change, and a known one", func(b *builtRowSet) {
			b.redo = append(b.redo, deltaFileOf([]madeDelta{{6, 5000, cells(cfilewire.Update, number, "1234")}, {7, 5000, []byte{9}}}))
		}, "change 9 is not known", 24, "row 7"},
		{"a change cut short", func(b *builtRowSet) {
			b.redo = append(b.redo, deltaFileOf([]madeDelta{{6, 5000, cells(cfilewire.Update, number, "1234")}, {7, 5000, []byte{1, number, 40, 1}}}))
		}, "has 1 bytes of 39", 24, "row 7"},
		{"deltas out of order", func(b *builtRowSet) {
			b.redo = append(b.redo, deltaFileOf([]madeDelta{{9, 5000, cells(cfilewire.Update, number, "1234")}, {7, 5000, []byte{2}}}))
		}, "a delta of row 7 follows one of row 9", 24, "row 7 follows"},
		{"a column in the place of deltas", func(b *builtRowSet) { b.redo = append(b.redo, b.columns[number]) }, "deltas", 24, "updates and deletes of its rows"},
		{"filters in the place of deltas", func(b *builtRowSet) { b.redo = append(b.redo, b.bloom) }, "it is a bloom file", 24, "updates and deletes of its rows"},
		{"deltas in the place of a column", func(b *builtRowSet) { b.columns[number] = b.redo[0] }, "column n", 24, "all 25 rows"},
		{"a column too short", func(b *builtRowSet) { b.columns[text].values = b.columns[text].values[:24] }, "it has 24 rows, another column of the rowset 25", 24, "all 25 rows"},
		{"a column too long", func(b *builtRowSet) { b.columns[text].values = append(b.columns[text].values, nil) }, "it has 26 rows, another column of the rowset 25", 24, "all 25 rows"},
		{"a column of another type", func(b *builtRowSet) { b.columns[number].typ = cfilewire.Float }, "it holds values of type float", 24, "all 25 rows"},
		{"nulls where there are none", func(b *builtRowSet) {
			b.columns[number].nullable = true
			b.columns[number].values[12] = nil
		}, "it may hold nulls", 24, "all 25 rows"},
		{"a column that says that it has more rows", func(b *builtRowSet) { b.columns[text].count = 26 }, "26", 24, "all 25 rows"},
		{"all columns say that they have 2^31 rows", func(b *builtRowSet) {
			for _, f := range b.columns {
				f.count = 1 << 31
			}
		}, "rows", -1, "rows 20 to 2147483648 of"},
		{"all columns say that they have 2^32-1 rows", func(b *builtRowSet) {
			for _, f := range b.columns {
				f.count = 1<<32 - 1
			}
		}, "rows", -1, "rows 20 to 4294967295 of"},
		{"no columns", func(b *builtRowSet) { clear(b.columns) }, "it has no columns", 0, "all rows"},
		{"a column is missing that has no default", func(b *builtRowSet) { delete(b.columns, number) }, "has no column n", 24, "all 25 rows of column n"},
		{"the key column is missing", func(b *builtRowSet) { delete(b.columns, first) }, "has no column a", 24, "all 25 rows of column a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := smallTable(t)
			b := x.files(x.tablets[0].rowsets[0])
			c.change(b)
			s := newTableServer(t)
			s.tablet(x, madeTablet, s.rowset(0, b))
			s.finish()
			rows, _, err := readAll(t, s.path("wal"), Options{})
			if c.says != "" || err != nil {
				checkHostile(t, err, c.says)
			} else if rows != c.rows {
				t.Errorf("%d rows, want %d", rows, c.rows)
			}
			rows, w, err := readAll(t, s.path("wal"), Options{Salvage: true})
			if err != nil || c.rows >= 0 && rows != c.rows {
				t.Errorf("salvaged: %d rows, want %d: %v", rows, c.rows, err)
			}
			if c.told != "" && !anyHas(w, "lost: tablet "+madeTablet+", rowset 0", c.told) || c.told == "" && anyHas(w, "lost") {
				t.Errorf("salvaged: %q, want %q", w, c.told)
			}
		})
	}
}

// checkHostile tests that an error is one of data, and says where.
func checkHostile(t *testing.T, err error, says string) {
	t.Helper()
	var e *errs.Error
	if !errors.As(err, &e) || !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, errs.ErrLimit) {
		t.Errorf("%v, want %q", err, says)
		return
	}
	for _, w := range []string{says, "tablet " + madeTablet, "rowset 0"} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

// A superblock with very many rowsets, or columns, or blocks that are not there.
func TestHostileSuperBlocks(t *testing.T) {
	x := smallTable(t)
	s := newTableServer(t)
	s.finish()
	var many []protoMsg
	for i := range int64(50_000) {
		many = append(many, protoMsg{}.num(1, i).sub(3, protoMsg{}.block(2, uint64(i+1)).num(4, 0)))
	}
	s.tablet(x, madeTablet, many...)
	if _, _, err := readAll(t, s.path("wal"), Options{}); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "rowset 0") {
		t.Error(err)
	}
	rows, w, err := readAll(t, s.path("wal"), Options{Salvage: true})
	if err != nil || rows != 0 || len(w) > 2*maxTold+2 || !anyHas(w, "lost: and 49000 more") {
		t.Errorf("%d rows, %d lines, %v", rows, len(w), err)
	}
	for name, rowset := range map[string]protoMsg{
		"one block twice":  protoMsg{}.num(1, 0).sub(3, protoMsg{}.block(2, 1).num(4, 0)).sub(3, protoMsg{}.block(2, 1).num(4, 9)),
		"one column twice": protoMsg{}.num(1, 0).sub(3, protoMsg{}.block(2, 1).num(4, 0)).sub(3, protoMsg{}.block(2, 2).num(4, 0)),
		"no id":            protoMsg{}.sub(3, protoMsg{}.block(2, 1).num(4, 0)),
	} {
		s.tablet(x, madeTablet, rowset)
		if _, _, err := readAll(t, s.path("wal"), Options{}); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), madeTablet) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
