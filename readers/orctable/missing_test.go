package orctable

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// faultsOf returns what Verify reports.
func faultsOf(t *testing.T, f *Table) []string {
	t.Helper()
	var out []string
	if err := f.Verify(t.Context(), func(err error) { out = append(out, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// strangeFile is an ORC file of one row, of other columns than rowType has.
func strangeFile(t *testing.T, names ...string) []byte {
	var fields []arrow.Field
	for _, n := range names {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, f := range b.Fields() {
		f.(*array.Int64Builder).Append(7)
	}
	rec := b.NewRecord()
	defer rec.Release()
	return orcFile(t, rec, nil, nil)
}

// Hive shows another table's file as rows of nulls.
func TestFileOfAnotherTable(t *testing.T) {
	m := smallTable(t)
	m["delta_0000003_0000003_0000/bucket_00003"] = strangeFile(t, "x", "y")
	open := func(o Options) (*Table, error) {
		return Open(context.Background(), m, arrowio.Limits{}, o, orc.Options{})
	}
	if _, err := open(Options{}); err == nil || !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "bucket_00003") || !strings.Contains(err.Error(), "x, y") {
		t.Errorf("%v", err)
	}
	f := openTable(t, m, Options{Events: true}) // shows what is there
	if w := warnings(f); !slices.ContainsFunc(w, func(s string) bool { return strings.Contains(s, "x, y") }) {
		t.Errorf("%q", w)
	}
	// As of an older list of write ids it is not read.
	sameIDs64(t, "as of 2", ids(t, openTable(t, m, Options{WriteIDs: "2"}), arrowio.ScanOptions{}), 100, 101, 102, 103, 104, 200, 201, 202, 300, 301, 302, 303)

	// One column in common is a table whose columns have changed.
	m["delta_0000003_0000003_0000/bucket_00003"] = strangeFile(t, "ID", "y")
	f = openTable(t, m, Options{})
	sameIDs64(t, "one column", ids(t, f, arrowio.ScanOptions{}), 101, 102, 104, 200, 201, 300, 302, 303, 400, 7)
	if w := warnings(f); !slices.ContainsFunc(w, func(s string) bool { return strings.HasSuffix(s, "not shown: y") }) {
		t.Errorf("%q", w)
	}
	m["delta_0000003_0000003_0000/bucket_00003"] = []byte("PAR1 and so on")
	if _, err := open(Options{}); err == nil || !strings.Contains(err.Error(), "not ORC") {
		t.Errorf("%v", err)
	}
}

// Hive finds the columns of a file by name: where all were renamed, those of older files are null.
func TestEveryColumnRenamed(t *testing.T) {
	file := func(fields ...arrow.Field) []byte {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
		defer b.Release()
		for _, c := range b.Fields() {
			if err := c.AppendValueFromString("7"); err != nil {
				t.Fatal(err)
			}
		}
		rec := b.NewRecord()
		defer rec.Release()
		return orcFile(t, rec, nil, nil)
	}
	x := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	y := arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}
	z := arrow.Field{Name: "z", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	for _, fields := range [][]arrow.Field{{x, y}, {x, y, z}} {
		m := smallTable(t)
		delete(m, "delta_0000004_0000004_0000/bucket_00000")
		m["delta_0000005_0000005_0000/bucket_00000"] = file(fields...)
		f := openTable(t, m, Options{})
		lines := linesOf(t, f, arrowio.ScanOptions{})
		if n := len(lines); n != 10 || !strings.HasPrefix(lines[9], `{"x":7,"y":"7"`) {
			t.Fatalf("%q", lines)
		}
		for _, l := range lines[:9] {
			if !strings.HasPrefix(l, `{"x":null,"y":null`) {
				t.Errorf("%s", l)
			}
		}
		w := warnings(f)
		if len(w) != 4 { // one for each older file with rows
			t.Errorf("%q", w)
		}
		for _, s := range w {
			if !strings.Contains(s, "id, s") || !strings.Contains(s, "x, y") || !strings.Contains(s, "null in all its rows") {
				t.Errorf("%s", s)
			}
		}
	}
	// Other types, or more columns than the table has, are another table's.
	for _, fields := range [][]arrow.Field{{y, x}, {x}} {
		m := smallTable(t)
		m["delta_0000005_0000005_0000/bucket_00000"] = file(fields...)
		if _, err := Open(t.Context(), m, arrowio.Limits{}, Options{}, orc.Options{}); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "not of this table") {
			t.Errorf("%v: %v", fields, err)
		}
	}
}

// Errors name columns as the table has them, not with the struct that files of events hold them in.
func TestColumnsAreNamedAsTheTableDoes(t *testing.T) {
	when := &arrow.TimestampType{Unit: arrow.Second} // the year 3170843, which microseconds cannot hold either
	row := arrow.StructOf(
		arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "far", Type: when, Nullable: true},
		arrow.Field{Name: "farther", Type: arrow.StructOf(arrow.Field{Name: "when", Type: when, Nullable: true}), Nullable: true},
	)
	schema := arrow.NewSchema(append(slices.Clone(eventFields), arrow.Field{Name: eventRowName, Type: row, Nullable: true}), nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"operation":0,"originalTransaction":1,"bucket":536870912,"rowId":0,`+
		`"currentTransaction":1,"row":{"id":1,"far":100000000000000,"farther":{"when":100000000000000}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	m := memTree{"delta_0000001_0000001_0000/bucket_00000": orcFile(t, rec, map[string]string{"hive.acid.stats": "1,0,0"}, nil)}
	f := openTable(t, m, Options{})
	if faults := faultsOf(t, f); len(faults) != 0 {
		t.Errorf("%q", faults)
	}
	sums, err := f.CountChecksums(t.Context())
	if want := []string{"far", "farther"}; err != nil || !slices.Equal(sums.Undecoded, want) {
		t.Errorf("%q, want %q: %v", sums.Undecoded, want, err)
	}
	for column, path := range map[string]string{"far": "far", "farther": "farther.when"} {
		r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Columns: []string{column}})
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			t.Errorf("%s is read", column)
		}
		var e *errs.Error
		if !errors.As(r.Err(), &e) || e.Column != path {
			t.Errorf("%s: %v", column, r.Err())
		}
		r.Release()
	}
}

func warnings(f *Table) (out []string) {
	for _, w := range f.Warnings() {
		out = append(out, w.String())
	}
	return out
}

// Hive writes files of no bytes, and so do disks that are full.
func TestFileOfNoBytes(t *testing.T) {
	m := smallTable(t)
	f := openTable(t, m, Options{})
	if w := f.Warnings(); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || w[0].Place != "delta_0000004_0000004_0000/bucket_00000" || !strings.HasPrefix(w[0].Text, w[0].Place+": the file has no bytes") {
		t.Errorf("%+v", w)
	}
	if faults := faultsOf(t, f); len(faults) != 0 {
		t.Errorf("%q", faults)
	}
	m["delta_0000004_0000004_0000/bucket_00000_flush_length"] = []byte{} // a stream that nothing was written to yet
	if w := openTable(t, m, Options{}).Warnings(); len(w) != 0 {
		t.Errorf("%+v", w)
	}
}

// Delete events name rows that were there.
func TestDeletedRowsThatAreNotThere(t *testing.T) {
	base := smallTable(t)
	delete(base, "delta_0000004_0000004_0000/bucket_00000")
	deltas := memTree{ // the same without a base
		"000000_0": rowsFile(t, []row{{1, "a"}, {2, "b"}}), "000001_0": rowsFile(t, []row{{3, "c"}}),
		"delta_1_1_0/bucket_00000": eventsFile(t, inserts(1, b0, 100, 5), nil), "delta_2_2_0/bucket_00000": eventsFile(t, inserts(2, b0, 200, 5), nil),
		"delta_2_2_0/bucket_00001":        eventsFile(t, inserts(2, b1, 200, 5), nil),
		"delete_delta_3_3_0/bucket_00000": eventsFile(t, slices.Concat(deletes(3, 0, b0, 1), deletes(3, 0, b1, 0), deletes(3, 1, b0, 0, 2), deletes(3, 2, b0, 0, 0)), nil),
		"delete_delta_4_4_0/bucket_00001": eventsFile(t, deletes(4, 2, b1, 0), nil),
	}
	for _, c := range []struct {
		what  string
		table memTree
		gone  string
		fault string // "" = none
		warns bool
	}{
		{"nothing", base, "", "", false},
		{"nothing", deltas, "", "", false},
		{"a bucket of the base", base, "base_0000001/bucket_00001", "1 row that was deleted is in no file, the first of them row 2 of write id 1, bucket 1 (536936448)", false},
		{"a delta behind a base", base, "delta_0000002_0000002_0000/bucket_00000", "1 row that was deleted is in no file, the first of them row 1 of write id 2, bucket 0 (536870912)", false},
		{"a delta of which nothing was deleted", base, "delta_0000003_0000003_0000/bucket_00000", "", false},
		{"deletes", base, "delete_delta_0000003_0000003_0000/bucket_00001", "", false},
		{"an original", deltas, "000001_0", "1 row that was deleted is in no file, the first of them row 0 of write id 0, bucket 1 (536936448)", true},
		{"a delta", deltas, "delta_1_1_0/bucket_00000", "2 rows that were deleted are in no file, the first of them row 0 of write id 1, bucket 0 (536870912)", true},
		{"a bucket", deltas, "delta_2_2_0/bucket_00001", "1 row that was deleted is in no file, the first of them row 0 of write id 2, bucket 1 (536936448)", true},
	} {
		m := maps.Clone(c.table)
		delete(m, c.gone)
		f := openTable(t, m, Options{})
		faults, warned := faultsOf(t, f), warnings(f)
		if (c.fault != "") != (len(faults) == 1) || len(faults) > 1 || len(faults) == 1 && !strings.Contains(faults[0], c.fault) {
			t.Errorf("without %s: %q", c.what, faults)
		}
		if c.warns != (len(warned) == 1) || len(warned) > 1 || len(warned) == 1 && !strings.Contains(warned[0], "in no file") {
			t.Errorf("without %s: %q", c.what, warned)
		}
	}
	// Two transactions deleted the same row, the first was compacted, the second aborted.
	m := memTree{
		"base_0000003_v7/bucket_00000":                   eventsFile(t, inserts(1, b0, 100, 3), nil),
		"delete_delta_0000004_0000004_0000/bucket_00000": eventsFile(t, deletes(4, 1, b0, 3), nil),
	}
	f := openTable(t, m, Options{})
	if faults, warned := faultsOf(t, f), warnings(f); len(faults) != 0 || len(warned) != 0 {
		t.Errorf("%q, %q", faults, warned)
	}
	// With a list of write ids that one does not count, and nothing is missing by right.
	if faults := faultsOf(t, openTable(t, m, Options{WriteIDs: "4"})); len(faults) != 1 {
		t.Errorf("%q", faults)
	}
	if faults := faultsOf(t, openTable(t, m, Options{WriteIDs: "4::4"})); len(faults) != 0 {
		t.Errorf("%q", faults)
	}
	// Rows of a write id that the list leaves out are not missing.
	m = smallTable(t)
	delete(m, "delta_0000004_0000004_0000/bucket_00000")
	f = openTable(t, m, Options{WriteIDs: "4::2"})
	if faults, warned := faultsOf(t, f), warnings(f); len(faults) != 0 || len(warned) != 0 {
		t.Errorf("%q, %q", faults, warned)
	}
}

// A data file that was joined with another is told by the table, and is one fault.
func TestJoinedFile(t *testing.T) {
	m := smallTable(t)
	const name = "base_0000001/bucket_00000"
	m[name] = slices.Concat(m[name], m[name])
	f := openTable(t, m, Options{})
	warnings := slices.DeleteFunc(arrowio.WarningsOf(f), func(w arrowio.Warning) bool { return strings.Contains(w.Text, "no bytes") })
	faults := faultsOf(t, f)
	if len(warnings) != 1 || warnings[0].Kind != arrowio.WarnDoubt || len(faults) != 1 || warnings[0].Text != faults[0] {
		t.Errorf("warnings %v, faults %q", warnings, faults)
	}
}
