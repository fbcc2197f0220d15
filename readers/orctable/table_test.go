package orctable

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers/orc"
)

// inserts are events of rows of one write id and bucket, numbered from 0: their ids count from id.
func inserts(write int64, bucket int32, id int64, n int) []event {
	var out []event
	for i := range n {
		out = append(out, event{write: write, bucket: bucket, id: int64(i), current: write, row: row{id + int64(i), fmt.Sprint("row ", id+int64(i))}})
	}
	return out
}

// deletes are events that take rows away.
func deletes(current, write int64, bucket int32, ids ...int64) []event {
	var out []event
	for _, id := range ids {
		out = append(out, event{op: 2, write: write, bucket: bucket, id: id, current: current, none: true})
	}
	return out
}

// ids returns the ids of the rows of a table.
func ids(t testing.TB, f arrowio.File, so arrowio.ScanOptions) []int64 {
	t.Helper()
	so.Columns = []string{"id"}
	r, err := arrowio.Scan(context.Background(), f, so)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var out []int64
	for r.Next() {
		a := r.Record().Column(0).(*array.Int64)
		for i := range a.Len() {
			if a.IsNull(i) {
				out = append(out, -1)
			} else {
				out = append(out, a.Value(i))
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func sameIDs64(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

const (
	b0 = 536870912 // bucket 0, statement 0
	b1 = 536936448 // bucket 1
)

// smallTable has a base, a delta, deletes of both, and what is passed over.
func smallTable(t testing.TB) memTree {
	return memTree{
		"base_0000001/bucket_00000":                             eventsFile(t, inserts(1, b0, 100, 5), nil),
		"base_0000001/bucket_00001":                             eventsFile(t, inserts(1, b1, 200, 3), nil),
		"base_0000001/_orc_acid_version":                        []byte("2"),
		"delta_0000002_0000002_0000/bucket_00000":               eventsFile(t, inserts(2, b0, 300, 4), nil),
		"delete_delta_0000003_0000003_0000/bucket_00000":        eventsFile(t, slices.Concat(deletes(3, 1, b0, 0, 3), deletes(3, 2, b0, 1)), nil),
		"delete_delta_0000003_0000003_0000/bucket_00001":        eventsFile(t, deletes(3, 1, b1, 2), nil),
		"delta_0000003_0000003_0000/bucket_00000":               eventsFile(t, inserts(3, b0, 400, 1), nil),
		"delta_0000004_0000004_0000/bucket_00000":               {}, // of no rows
		"_tmp_space.db/x":                                       []byte("rubbish"),
		".hive-staging/delta_0000009_0000009_0000/bucket_00000": []byte("rubbish"),
		"delta_0000001_0000001_0000/bucket_00000":               eventsFile(t, inserts(1, b0, 900, 5), nil), // hidden by the base
		"delta_0000001_0000001_0000/_orc_acid_version":          []byte("2"),
		"_SUCCESS": {},
	}
}

func TestTable(t *testing.T) {
	m := smallTable(t)
	f := openTable(t, m, Options{})
	sameIDs64(t, "rows", ids(t, f, arrowio.ScanOptions{}), 101, 102, 104, 200, 201, 300, 302, 303, 400)
	if got := strings.Join(fieldNames(f.Schema()), " "); got != "id s" {
		t.Error(got)
	}
	sameIDs64(t, "a range", ids(t, f, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 2, End: 6}}), 104, 200, 201, 300)
	x, err := expr.Parse("id < 103 OR s = 'row 303'")
	if err != nil {
		t.Fatal(err)
	}
	sameIDs64(t, "a filter", ids(t, f, arrowio.ScanOptions{Filter: x}), 101, 102, 303)
	sameIDs64(t, "as of 1", ids(t, openTable(t, m, Options{WriteIDs: "1"}), arrowio.ScanOptions{}), 100, 101, 102, 103, 104, 200, 201, 202)
	sameIDs64(t, "3 is open", ids(t, openTable(t, m, Options{WriteIDs: "4:3"}), arrowio.ScanOptions{}), 100, 101, 102, 103, 104, 200, 201, 202, 300, 301, 302, 303)

	lines := linesOf(t, openTable(t, m, Options{RowIDs: true}), arrowio.ScanOptions{Columns: []string{"row__id", "id"}})
	if want := `{"id":104,"row__id":{"bucketid":536870912,"rowid":4,"writeid":1}}`; lines[2] != want {
		t.Errorf("%s, want %s", lines[2], want)
	}
	lines = linesOf(t, openTable(t, m, Options{RowIDs: true}), arrowio.ScanOptions{Columns: []string{"row__id.rowid"}})
	if want := `{"row__id":{"rowid":4}}`; lines[2] != want {
		t.Errorf("%s, want %s", lines[2], want)
	}
	lines = linesOf(t, openTable(t, m, Options{Events: true}), arrowio.ScanOptions{})
	if len(lines) != 5+3+4+4+1 {
		t.Errorf("%d events", len(lines))
	}
	if want := `{"bucket":536870912,"currentTransaction":3,"operation":2,"originalTransaction":2,"row":null,"rowId":1}`; !slices.Contains(lines, want) {
		t.Errorf("%s is not among %q", want, lines)
	}
}

func fieldNames(s *arrow.Schema) []string {
	var out []string
	for _, f := range s.Fields() {
		out = append(out, f.Name)
	}
	return out
}

// Match knows a table by its directories.
func TestMatch(t *testing.T) {
	orcBytes := []byte("ORC...")
	for name, k := range map[string]struct {
		files []string
		want  bool
	}{
		"a table":               {[]string{"delta_1_1_0/bucket_00000"}, true},
		"with originals":        {[]string{"000000_0", "base_1/bucket_00000"}, true},
		"partitions":            {[]string{"p=1/000000_0", "p=2/q=3/delete_delta_1_1/bucket_00000"}, true},
		"originals alone":       {[]string{"000000_0", "000000_0_copy_1", "HIVE_UNION_SUBDIR_1/000000_0"}, false},
		"plain partitions":      {[]string{"p=1/000000_0", "p=2/000000_0"}, false},
		"hidden directories":    {[]string{"_delta_1_1/bucket_00000", ".base_1/x", "000000_0"}, false},
		"names of other things": {[]string{"delta_force/x", "base_camp/x", "delta_2_1/x"}, false},
		"a file of such a name": {[]string{"base_1", "delta_1_1_0"}, false},
		"nothing":               {nil, false},
	} {
		m := memTree{}
		for _, f := range k.files {
			m[f] = orcBytes
		}
		if got, err := Match(context.Background(), m); got != k.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
	// What lies in it counts, if anything does.
	for content, want := range map[string]bool{"PAR1": false, "": true, "O": false, "ORC": true} {
		m := memTree{"base_1/000000_0": []byte(content), "base_1/_orc_acid_version": []byte("2")}
		if got, err := Match(context.Background(), m); got != want || err != nil {
			t.Errorf("%q: %t, %v", content, got, err)
		}
	}
}

// A delete names the whole triple, and counts in its own transaction, too.
func TestDeletesMatchTriples(t *testing.T) {
	stmt2, _ := bucketBits(0, 2)
	m := memTree{
		"delta_1_1_0/bucket_00000":        eventsFile(t, inserts(1, b0, 0, 2), nil),
		"delta_1_1_2/bucket_00000":        eventsFile(t, inserts(1, stmt2, 10, 2), nil),
		"delta_1_1_0/bucket_00001":        eventsFile(t, inserts(1, b1, 20, 2), nil),
		"delta_2_2_0/bucket_00000":        eventsFile(t, inserts(2, b0, 30, 2), nil),
		"delete_delta_1_1_3/bucket_00000": eventsFile(t, deletes(1, 1, stmt2, 1), nil),
		"delete_delta_2_2_1/bucket_00000": eventsFile(t, slices.Concat(deletes(2, 1, b0, 0), deletes(2, 2, b0, 0), deletes(2, 7, b0, 0), deletes(2, 1, b0, 99)), nil),
	}
	sameIDs64(t, "rows", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 1, 20, 21, 10, 31)
	// In Hive 2 two statements of a transaction can give one triple to two rows: both are there, or both are not.
	m = memTree{
		"delta_1_1_0/bucket_00000":        eventsFile(t, inserts(1, 0, 0, 3), nil),
		"delta_1_1_1/bucket_00000":        eventsFile(t, inserts(1, 0, 10, 2), nil),
		"delete_delta_2_2_0/bucket_00000": eventsFile(t, deletes(2, 1, 0, 1), nil),
	}
	sameIDs64(t, "codec 0", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 0, 2, 10)
}

// Files are read right whatever order their events are in.
func TestUnsorted(t *testing.T) {
	rows := slices.Concat(inserts(2, b1, 0, 4), inserts(1, b0, 10, 4))
	slices.Reverse(rows)
	rows[0], rows[5] = rows[5], rows[0]
	gone := slices.Concat(deletes(3, 2, b1, 3, 0), deletes(3, 1, b0, 2), deletes(3, 2, b1, 1))
	m := memTree{"base_2/bucket_00000": eventsFile(t, rows, nil), "delete_delta_3_3_0/bucket_00000": eventsFile(t, gone, nil)}
	got := ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{})
	slices.Sort(got)
	sameIDs64(t, "rows", got, 2, 10, 11, 13)
}

// Rows of files without ids have those that follow from their place: files of a bucket are numbered through in the order
// of their paths as texts, in which copy_10 comes before copy_2.
func TestOriginals(t *testing.T) {
	one := func(id int64) []row { return []row{{id, "a"}, {id + 1, "b"}} }
	m := memTree{
		"000000_0":                        rowsFile(t, one(0)),
		"000000_0_copy_1":                 rowsFile(t, one(10)),
		"000000_0_copy_2":                 rowsFile(t, one(20)),
		"000000_0_copy_10":                rowsFile(t, one(30)),
		"000001_0":                        rowsFile(t, one(40)),
		"HIVE_UNION_SUBDIR_1/000001_0":    rowsFile(t, one(50)),
		".hidden":                         []byte("rubbish"),
		"delete_delta_1_1_0/bucket_00000": eventsFile(t, slices.Concat(deletes(1, 0, b0, 1, 4, 6), deletes(1, 0, b1, 0, 3)), nil),
		"delta_1_1_0/bucket_00000":        eventsFile(t, inserts(1, b0, 60, 1), nil),
	}
	f := openTable(t, m, Options{RowIDs: true})
	sameIDs64(t, "rows", ids(t, f, arrowio.ScanOptions{}), 0, 10, 11, 31, 21, 41, 50, 60)
	lines := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"id", "row__id"}, Rows: arrowio.RowRange{Start: 3, End: 7}})
	for i, want := range []string{
		`{"id":31,"row__id":{"bucketid":536870912,"rowid":5,"writeid":0}}`,
		`{"id":21,"row__id":{"bucketid":536870912,"rowid":7,"writeid":0}}`,
		`{"id":41,"row__id":{"bucketid":536936448,"rowid":1,"writeid":0}}`,
		`{"id":50,"row__id":{"bucketid":536936448,"rowid":2,"writeid":0}}`,
	} {
		if lines[i] != want {
			t.Errorf("%s, want %s", lines[i], want)
		}
	}
	// Hive 2 has the plain bucket in the deletes of such rows.
	m["delete_delta_1_1_0/bucket_00000"] = eventsFile(t, slices.Concat(deletes(1, 0, 0, 0), deletes(1, 0, 1, 1)), nil)
	sameIDs64(t, "deleted by Hive 2", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 1, 10, 11, 30, 31, 20, 21, 40, 50, 51, 60)
	// A base stands for them.
	m["base_2/bucket_00000"] = eventsFile(t, inserts(2, b0, 70, 1), nil)
	sameIDs64(t, "behind a base", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 70)
	sameIDs64(t, "before it", ids(t, openTable(t, m, Options{WriteIDs: "0"}), arrowio.ScanOptions{}), 0, 1, 10, 11, 30, 31, 20, 21, 40, 41, 50, 51)
}

// LOAD DATA puts files without ids into deltas and bases: their ids have that write id and statement.
func TestLoadedFiles(t *testing.T) {
	stmt3, _ := bucketBits(1, 3)
	m := memTree{
		"base_2/000000_0":                 rowsFile(t, []row{{0, ""}, {1, ""}}),
		"base_2/000000_0_copy_1":          rowsFile(t, []row{{2, ""}}),
		"delta_3_3_3/000001_0":            rowsFile(t, []row{{3, ""}, {4, ""}}),
		"delta_3_3_3/bucket_00000":        eventsFile(t, inserts(3, b0, 5, 1), nil),
		"delete_delta_4_4_0/bucket_00000": eventsFile(t, slices.Concat(deletes(4, 2, b0, 0, 2), deletes(4, 3, stmt3, 1)), nil),
	}
	f := openTable(t, m, Options{RowIDs: true})
	sameIDs64(t, "rows", ids(t, f, arrowio.ScanOptions{}), 1, 3, 5)
	lines := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"row__id"}})
	if want := `{"row__id":{"bucketid":536936451,"rowid":0,"writeid":3}}`; lines[1] != want {
		t.Errorf("%s, want %s", lines[1], want)
	}
	lines = linesOf(t, openTable(t, m, Options{Events: true}), arrowio.ScanOptions{})
	for _, want := range []string{
		`{"bucket":536870912,"currentTransaction":2,"operation":0,"originalTransaction":2,"row":{"id":2,"s":null},"rowId":2}`,
		`{"bucket":536936451,"currentTransaction":3,"operation":0,"originalTransaction":3,"row":{"id":4,"s":null},"rowId":1}`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is not among %q", want, lines)
		}
	}
	// Where a file's name tells no bucket its rows have no ids: fine, unless some of that write id were deleted.
	odd := memTree{"delta_1_1_0/part-0.orc": rowsFile(t, []row{{7, ""}}), "delta_2_2_0/bucket_00000": eventsFile(t, inserts(2, b0, 8, 2), nil), "delete_delta_3_3_0/x": eventsFile(t, deletes(3, 2, b0, 0), nil)}
	lines = linesOf(t, openTable(t, odd, Options{RowIDs: true}), arrowio.ScanOptions{Columns: []string{"row__id"}})
	if len(lines) != 2 || lines[0] != `{"row__id":null}` {
		t.Errorf("%q", lines)
	}
	odd["delete_delta_4_4_0/bucket_00000"] = eventsFile(t, deletes(4, 1, b0, 0), nil)
	if _, err := Open(context.Background(), odd, arrowio.Limits{}, Options{}, orc.Options{}); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "part-0.orc") {
		t.Error(err)
	}
}

// A directory that was moved into another of its name would give rows twice.
func TestDirectoryWithinAnother(t *testing.T) {
	for _, name := range []string{"delta_1_8/delta_1_8/bucket_00000", "base_8/HIVE_UNION_SUBDIR_1/base_8/bucket_00000", "HIVE_UNION_SUBDIR_1/delete_delta_2_2_0/bucket_00000"} {
		m := memTree{"delta_9_9_0/bucket_00000": eventsFile(t, inserts(9, b0, 0, 2), nil), name: eventsFile(t, inserts(1, b0, 10, 2), nil)}
		_, err := Open(context.Background(), m, arrowio.Limits{}, Options{}, orc.Options{})
		if dir := name[:strings.LastIndex(name, "/")]; !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file of deletes that was cut off brings rows back: Hive says nothing, here it is a warning and a fault.
func TestDeletesWithoutBytes(t *testing.T) {
	m := smallTable(t)
	delete(m, "delta_0000004_0000004_0000/bucket_00000") // of no bytes as well
	name := ""
	for k := range m {
		if strings.HasPrefix(k, "delete_delta_") && strings.Contains(k, "/bucket_") {
			name = k
		}
	}
	if w := openTable(t, m, Options{}).Warnings(); len(w) > 0 || name == "" {
		t.Fatalf("%q: %q", name, w)
	}
	m[name] = nil
	f := openTable(t, m, Options{})
	if w := f.Warnings(); len(w) != 1 || w[0].Place != name || w[0].Kind != arrowio.WarnDoubt {
		t.Errorf("%q", w)
	}
	var faults []error
	if err := f.Verify(t.Context(), func(err error) { faults = append(faults, err) }); err != nil || len(faults) != 1 || !strings.Contains(faults[0].Error(), name) {
		t.Errorf("%v, %q", err, faults)
	}
}

// In an insert-only table no file has ids; the same directories are chosen.
func TestInsertOnly(t *testing.T) {
	m := memTree{
		"base_2_v9/part-1":                             rowsFile(t, []row{{1, ""}}),
		"delta_1_1_0/000000_0":                         rowsFile(t, []row{{2, ""}}),
		"delta_3_3_0/000000_0":                         rowsFile(t, []row{{3, ""}}),
		"delta_3_3_1/HIVE_UNION_SUBDIR_1/000000_0":     rowsFile(t, []row{{4, ""}}),
		"delta_4_4_0/_tmp.000000_1":                    []byte("rubbish"),
		"delta_4_4_0/000000_0":                         rowsFile(t, []row{{5, ""}}),
		"delta_4_4_0/HIVE_UNION_SUBDIR_2/_hidden/more": []byte("rubbish"),
	}
	sameIDs64(t, "rows", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 1, 3, 4, 5)
	sameIDs64(t, "without 3", ids(t, openTable(t, m, Options{WriteIDs: "4::3"}), arrowio.ScanOptions{}), 1, 5)
	// Rows of a compacted delta do not tell their write ids: all are shown, and a warning says so.
	m["delta_3_4_v12/000000_0"] = rowsFile(t, []row{{3, ""}, {4, ""}, {5, ""}})
	f := openTable(t, m, Options{WriteIDs: "3"})
	sameIDs64(t, "as of 3", ids(t, f, arrowio.ScanOptions{}), 1, 3, 4, 5)
	if w := f.Warnings(); len(w) != 1 || !strings.Contains(w[0].Text, "delta_3_4_v12") {
		t.Errorf("%q", w)
	}
	if w := openTable(t, m, Options{}).Warnings(); len(w) != 0 {
		t.Errorf("%q", w)
	}
}

// What streaming writers have not flushed is not read, and what was written under write ids that are not valid is not
// shown.
func TestStreaming(t *testing.T) {
	var batch []event
	for w := int64(1); w <= 4; w++ {
		batch = append(batch, inserts(w, b0, 10*w, 2)...)
	}
	whole := eventsFile(t, batch, nil)
	length := func(ns ...int) (b []byte) {
		for _, n := range ns {
			b = binary.BigEndian.AppendUint64(b, uint64(n))
		}
		return b
	}
	m := memTree{"delta_1_4/bucket_00000": append(slices.Clone(whole), "an unfinished stripe"...), "delta_1_4/bucket_00000_flush_length": length(17, len(whole))}
	sameIDs64(t, "rows", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 10, 11, 20, 21, 30, 31, 40, 41)
	sameIDs64(t, "some are open", ids(t, openTable(t, m, Options{WriteIDs: "3:2"}), arrowio.ScanOptions{}), 10, 11, 30, 31)
	m["delta_1_4/bucket_00000_flush_length"] = append(length(17, len(whole)), 0, 0, 1) // being written
	sameIDs64(t, "half a length", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 10, 11, 20, 21, 30, 31, 40, 41)
	m["delta_1_4/bucket_00000_flush_length"] = nil
	if f := openTable(t, m, Options{}); len(f.Splits()) > 0 {
		t.Error("rows that were not flushed")
	}
	for name, b := range map[string][]byte{"too long": length(1 << 40), "negative": length(-1)} {
		m["delta_1_4/bucket_00000_flush_length"] = b
		if _, err := Open(context.Background(), m, arrowio.Limits{}, Options{}, orc.Options{}); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
