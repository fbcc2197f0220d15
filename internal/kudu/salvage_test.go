package kudu

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// cellsOfLine takes a printed row apart.
func cellsOfLine(t testing.TB, line string) []string {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(line), &raw); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	out := make([]string, len(raw))
	for i, r := range raw {
		out[i] = string(r)
	}
	return out
}

// scanAll opens a table and scans it.
func (s *realServer) scanAll(options ...string) (lines, warnings []string, err error) {
	f, err := s.openAs(arrowio.ForRows, options...)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r, err := arrowio.Scan(s.t.Context(), f, arrowio.ScanOptions{BatchRows: 9})
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	for r.Next() {
		lines = append(lines, linesOf(r.Record())...)
	}
	return lines, told(f.(arrowio.Warner)), r.Err()
}

// damages are what happens to a file.
var damages = []struct {
	name   string
	change func(r *rand.Rand, b []byte) []byte
}{
	{"a flip at the beginning", func(_ *rand.Rand, b []byte) []byte { b[3] ^= 1; return b }},
	{"a flip in the footer", func(_ *rand.Rand, b []byte) []byte { b[len(b)-20] ^= 0x40; return b }},
	{"a flip", func(r *rand.Rand, b []byte) []byte { b[r.Intn(len(b))] ^= 1 << r.Intn(8); return b }},
	{"another flip", func(r *rand.Rand, b []byte) []byte { b[12+r.Intn(max(1, len(b)/2))] ^= 1 << r.Intn(8); return b }},
	{"the first half", func(_ *rand.Rand, b []byte) []byte { return b[:len(b)/2] }},
	{"zeros", func(_ *rand.Rand, b []byte) []byte { clear(b); return b }},
	{"nothing", func(*rand.Rand, []byte) []byte { return nil }},
}

// Each block of real tables in turn is damaged, or gone. Without salvaging, the error says which, and whose it is; with it,
// all other cells are what they were, and what is lost is told.
func TestSalvageBlocks(t *testing.T) {
	s := newRealServer(t, "file")
	rows := realRows(t)
	r := rand.New(rand.NewSource(1))
	strict := 0
	for _, name := range []string{"changed", "partitioned", "altered"} {
		table := "kudu-table=" + name
		f := s.table(name)
		whole, _, err := s.scanAll(table)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{} // keys that the table ever had
		for _, line := range slices.Concat(clientRows(t, rows, name), clientRows(t, rows, name+"@1"), clientRows(t, rows, name+"@2")) {
			known[printedKey(t, f, line)] = true
		}
		for _, x := range f.tablets {
			for _, u := range x.super.Blocks() {
				path, _, err := f.blocks.At(u.Block)
				if err != nil {
					t.Fatal(err)
				}
				column := x.schema.Index(u.Column)
				if u.Role != kuduwire.BlockOfColumn {
					column = -1
				}
				for i, d := range damages {
					if (i+int(u.Block))%(3*sampled) > 0 {
						continue
					}
					what := fmt.Sprintf("%s, %v, block %d: %s", name, u, u.Block, d.name)
					s.saved([]string{path}, func() {
						s.edit(path, func(b []byte) []byte { return d.change(r, b) })
						got, _, err := s.scanAll(table)
						switch {
						case err != nil:
							strict++
							checkStrict(t, what, err, x, u, column)
						case u.Role == kuduwire.BlockOfColumn && column >= 0 && d.name != "a flip" && d.name != "another flip" && d.name != "a flip at the beginning":
							t.Errorf("%s: nobody noticed", what)
						case !slices.Equal(got, whole):
							t.Errorf("%s: other rows, and no error", what)
						}
						got, warnings, err2 := s.scanAll(table, "kudu-salvage=true")
						if err2 != nil {
							t.Errorf("%s: %v", what, err2)
							return
						}
						told := anyHas(warnings, "lost: ", kuduwire.BlockName(u.Block), x.id, fmt.Sprintf("rowset %d", u.RowSet))
						if slices.Equal(got, whole) {
							return
						}
						if !told {
							t.Errorf("%s: other rows, and nothing is told: %q", what, warnings)
						}
						checkSalvaged(t, what, f, u, column, got, whole, known)
					})
				}
			}
		}
	}
	if strict < 100/sampled {
		t.Errorf("only %d errors", strict)
	}
}

// checkStrict tests that an error says where it is.
func checkStrict(t *testing.T, what string, err error, x *tablet, u kuduwire.BlockUse, column int) {
	t.Helper()
	var e *errs.Error
	if !errors.As(err, &e) || !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("%s: %v", what, err)
		return
	}
	text := err.Error()
	for _, w := range []string{"tablet " + x.id, fmt.Sprintf("rowset %d", u.RowSet), kuduwire.BlockName(u.Block), "--kudu-salvage"} {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q does not say %q", what, text, w)
		}
	}
	if column >= 0 && e.Column != x.schema.Columns[column].Name {
		t.Errorf("%s: %q is about column %q", what, text, e.Column)
	}
}

// printedKey returns the key of a printed row.
func printedKey(t testing.TB, f *File, line string) string {
	t.Helper()
	return strings.Join(cellsOfLine(t, line)[:f.tablets[0].schema.Keys()], ",")
}

// checkSalvaged compares what a salvage gives with all rows: where a column is damaged, rows differ in its cells, which are
// null; where deltas are, there is no key that there never was.
func checkSalvaged(t *testing.T, what string, f *File, u kuduwire.BlockUse, column int, got, whole []string, known map[string]bool) {
	t.Helper()
	switch u.Role {
	case kuduwire.BlockOfColumn:
		if len(got) != len(whole) || column < 0 {
			t.Errorf("%s: %d rows, want %d", what, len(got), len(whole))
			return
		}
		for i := range got {
			a, b := cellsOfLine(t, got[i]), cellsOfLine(t, whole[i])
			for k := range a {
				if a[k] != b[k] && (k != column || a[k] != "null") {
					t.Errorf("%s: row %d: %s, want %s", what, i, got[i], whole[i])
					return
				}
			}
		}
	case kuduwire.BlockOfRedo:
		for _, line := range got {
			if !known[printedKey(t, f, line)] {
				t.Errorf("%s: a row that never was: %s", what, line)
			}
		}
	default:
		t.Errorf("%s: rows differ: %d, want %d", what, len(got), len(whole))
	}
}

// Columns of many blocks: only the rows of a damaged one are lost, which the report says exactly; a change to a lost cell
// still shows.
func TestSalvageRows(t *testing.T) {
	for seed := range int64(6) {
		r := rand.New(rand.NewSource(seed))
		x := newTable(t, r, history{keys: 1 + int(seed)%2, columns: 3, tablets: 1, steps: 300, span: 500, single: true, settled: true, fixed: true})
		x.per = 10
		s := x.serve(t)
		f, err := s.open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		rs := f.tablets[0].rowsets[0]
		whole := scanText(t, f, arrowio.ScanOptions{})
		for column, c := range f.columns {
			id, _ := rs.column(c.ID)
			at := s.blocks[id]
			container := s.path("data", "data", "c.data")
			for try := range 4 {
				b := fixtures.Read(t, container)
				off := at.Off + 16 + r.Int63n(at.Len/2)
				b[off] ^= 0x10
				s.write(b, "data", "data", "c.data")
				bad, err := s.open(Options{Salvage: true, sizes: sizes{rows: 37, bytes: 1 << 20, updates: 100, kept: 1}})
				if err != nil {
					t.Fatal(err)
				}
				got := scanText(t, bad, arrowio.ScanOptions{Parallelism: 1 + try%2, BatchRows: 1 + r.Intn(40)})
				lost := arrowio.RowSet{}
				for _, w := range told(bad) {
					var start, end int64
					_, text, ok := strings.Cut(w, "rowset 0: rows ")
					if n, _ := fmt.Sscanf(text, "%d to %d of", &start, &end); ok && n == 2 {
						lost = lost.Add(arrowio.RowRange{Start: start, End: end})
						if !strings.Contains(w, c.Name) || !strings.Contains(w, kuduwire.BlockName(id)) {
							t.Errorf("%q", w)
						}
					}
				}
				most := int64(10)
				if anyHas(told(bad), "rowset 0: all ", kuduwire.BlockName(id), "index") { // the index that leads to them is hit
					lost, most = arrowio.RowSet{{End: rs.rows}}, rs.rows
				}
				if len(got) != len(whole) || lost.Len() == 0 || lost.Len() > most {
					t.Fatalf("column %d, %d: %d rows, want %d; lost %v: %q", column, off-at.Off, len(got), len(whole), lost, told(bad))
				}
				byRow := rowUpdates(f, c.ID)
				for i := range got {
					a, b := cellsOfLine(t, got[i]), cellsOfLine(t, whole[i])
					in := lost.Clip(arrowio.RowRange{Start: int64(i), End: int64(i) + 1}).Len() > 0
					if in && !byRow[int64(i)] {
						b[column] = "null"
					}
					if !slices.Equal(a, b) {
						t.Errorf("column %d, row %d: %q, want %q", column, i, a, b)
					}
				}
				// Rows whose key is lost have none.
				e := expr.IsNull{Col: f.columns[0].Name}
				want := 0
				if column == 0 {
					want = int(lost.Len())
				}
				if n := len(scanText(t, bad, arrowio.ScanOptions{Filter: e})); n != want {
					t.Errorf("column %d: %d rows have no key, want %d", column, n, want)
				}
				_ = bad.Close()
				b[off] ^= 0x10
				s.write(b, "data", "data", "c.data")
			}
		}
		_ = f.Close()
	}
}

// rowUpdates returns the rows of the first rowset that have a change of a column.
func rowUpdates(f *File, id int32) map[int64]bool {
	rows := map[int64]bool{}
	rs := f.tablets[0].rowsets[0]
	st := newState(arrowio.RowRange{End: rs.rows}, []int32{id})
	if err := st.apply(context.Background(), rs); err != nil {
		panic(err)
	}
	for _, c := range st.columns[id].cells {
		rows[int64(c.row)] = true
	}
	return rows
}

// What is around blocks: superblocks, records of containers, directories.
func TestSalvageServer(t *testing.T) {
	s := newRealServer(t, "log")
	f := s.table("partitioned")
	whole, _, _ := s.scanAll("kudu-table=partitioned")
	first, second := f.tablets[0], f.tablets[1]
	part, _, _ := s.scanAll("kudu-table=partitioned", "kudu-tablet="+second.id)
	if len(part) == 0 || len(part) == len(whole) {
		t.Fatalf("%d rows of %d", len(part), len(whole))
	}
	path := s.superPath(first.id)
	s.saved([]string{path}, func() {
		s.edit(path, func(b []byte) []byte { b[len(b)-20] ^= 1; return b })
		if _, _, err := s.scanAll("kudu-table=partitioned"); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), first.id) {
			t.Errorf("a superblock: %v", err)
		}
		got, w, err := s.scanAll("kudu-table=partitioned", "kudu-salvage=true")
		if err != nil || !slices.Equal(got, part) || !anyHas(w, "lost", first.id, "superblock") {
			t.Errorf("a superblock: %d rows, %v, %q", len(got), err, w)
		}
	})
	rs := first.super.RowSets[0]
	id := rs.Columns[len(rs.Columns)-1].Block
	path, _, err := f.blocks.At(id)
	if err != nil {
		t.Fatal(err)
	}
	meta := strings.TrimSuffix(path, ".data") + ".metadata"
	for _, c := range []struct {
		name   string
		path   string
		change func(b []byte) []byte
	}{
		{"metadata cut", meta, func(b []byte) []byte { return b[:len(b)/2] }},
		{"metadata flipped", meta, func(b []byte) []byte { b[len(b)-len(b)/4] ^= 1; return b }},
		{"data cut", path, func(b []byte) []byte { return b[:len(b)/2] }},
		{"data zeros", path, func(b []byte) []byte { clear(b); return b }},
	} {
		s.saved([]string{c.path}, func() {
			s.edit(c.path, c.change)
			broken := 0
			for _, x := range realTables(t, "log") {
				if x.Table == "tombstoned" {
					continue
				}
				got, _, err := s.scanAll("kudu-table=" + x.Table)
				if err == nil && int64(len(got)) == x.Rows {
					continue
				}
				broken++
				var e *errs.Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), "tablet ") || !strings.Contains(err.Error(), "block ") {
					t.Errorf("%s, %s: %d rows of %d: %v", c.name, x.Table, len(got), x.Rows, err)
				}
				got, w, err := s.scanAll("kudu-table="+x.Table, "kudu-salvage=true")
				if err != nil || int64(len(got)) < x.Rows && !anyHas(w, "all rows") && !anyHas(w, "changes") || !anyHas(w, "lost", "block ") {
					t.Errorf("%s, %s: %d rows of %d, %v, %q", c.name, x.Table, len(got), x.Rows, err, w)
				}
			}
			if broken == 0 {
				t.Errorf("%s: no table was hurt", c.name)
			}
		})
	}
	// No data directory at all.
	if err := os.Rename(s.path("data"), s.path("away")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.scanAll("kudu-table=partitioned"); err == nil {
		t.Error("without the data directory")
	}
	got, w, err := s.scanAll("kudu-table=unflushed", "kudu-salvage=true")
	if err != nil || !anyHas(w, "lost", "rowset 0", "all rows") {
		t.Errorf("without the data directory: %d rows, %v, %q", len(got), err, w)
	}
}

// Each error of a log that a salvage reads past says so, whether the log is damaged or needs what this reader lacks.
func TestSalvageNamed(t *testing.T) {
	s := newRealServer(t, "file")
	const table = "kudu-table=unflushed"
	path := s.path("wal", "wals", s.table("unflushed").tablets[0].id, "wal-000000001")
	for _, c := range []struct {
		what   string
		kind   error
		change func(b []byte) []byte
	}{
		{"feature", errs.ErrUnsupported, func(b []byte) []byte {
			feature := protoMsg{}.num(10, 5)
			n := binary.LittleEndian.Uint32(b[8:])
			b = slices.Insert(b, 12+int(n), feature...)
			binary.LittleEndian.PutUint32(b[8:], n+uint32(len(feature)))
			return b
		}},
		{"encrypted", errs.ErrUnsupported, func(b []byte) []byte { copy(b, "kuduenc1"); return b }},
		{"magic", errs.ErrCorrupt, func(b []byte) []byte { b[3] ^= 1; return b }},
		{"too short", errs.ErrCorrupt, func(b []byte) []byte { return b[:5] }},
	} {
		s.saved([]string{path}, func() {
			s.edit(path, c.change)
			if _, _, err := s.scanAll(table); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), "--kudu-salvage") {
				t.Errorf("%s: %v", c.what, err)
			}
			if got, w, err := s.scanAll(table, "kudu-salvage=true"); err != nil || len(got) == 0 || !anyHas(w, "wal-000000001") {
				t.Errorf("%s: %d rows, %q, %v", c.what, len(got), w, err)
			}
		})
	}
}
