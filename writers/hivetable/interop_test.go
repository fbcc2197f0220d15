//go:build interop

package hivetable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/hivetable"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
)

// write adds rows, in JSON as Arrow reads it, to a table.
func write(t *testing.T, url string, s *arrow.Schema, rows string) error {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	rr, err := array.NewRecordReader(s, []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	table, err := hivetable.Open(t.Context(), url, hivetable.Options{Files: []arrowio.OutputFormat{orc.Format(), parquet.Format()}})
	if err != nil {
		return err
	}
	_, err = convert.Write(t.Context(), rr, table.Format(), table, convert.Options{})
	return err
}

// count returns how many rows arrowio reads.
func count(t *testing.T, url string) (n int64) {
	t.Helper()
	d, err := readers.OpenDataset(t.Context(), []string{url}, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rr, err := d.Scan(context.Background(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for rr.Next() {
		n += rr.Record().NumRows()
	}
	if err := errors.Join(rr.Err(), d.Close()); err != nil {
		t.Fatal(err)
	}
	rr.Release()
	return n
}

func fields(kv ...any) *arrow.Schema {
	var all []arrow.Field
	for i := 0; i < len(kv); i += 2 {
		all = append(all, arrow.Field{Name: kv[i].(string), Type: kv[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.NewSchema(all, nil)
}

var (
	i8, i32, i64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	utf8, date   = arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32
)

// TestHive writes to tables of Hive's own metastore, and Hive's readers say what is in them.
func TestHive(t *testing.T) {
	dir := t.TempDir()
	writtenTables(t, dir, metastorefake.StartHive(t, dir, 1))
}

// TestHive4 is TestHive with the metastore of Hive 4.
func TestHive4(t *testing.T) {
	dir := t.TempDir()
	writtenTables(t, dir, metastorefake.StartHive4(t, dir, 1))
}

func writtenTables(t *testing.T, dir string, hive *metastorefake.Hive) {
	ask := func(question string, want ...string) {
		t.Helper()
		if got := hive.Ask(t, question); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", question, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, format := range []string{"orc", "parquet"} {
		t.Run(format, func(t *testing.T) {
			wide(t, hive, format)
			partitioned(t, hive, format)
		})
	}
	ask("statistics wide_orc", "numRows=null accurate=null")

	// A partition with statistics loses them before it gets rows; one with other columns than the table gets none.
	older := fields("id", i64, "added", i32, "p", i32)
	if err := write(t, hive.URL+"older", older, `[{"id": 1, "added": 2, "p": 1}]`); err != nil {
		t.Error(err)
	}
	ask("rows older", "1\t"+`{"id":1,"added":2}`)
	for _, line := range hive.Ask(t, "statistics older") {
		if strings.HasPrefix(line, "1 ") && line != "1 numRows=null accurate=null" {
			t.Error(line)
		}
	}
	if err := write(t, hive.URL+"older", older, `[{"id": 1, "added": 2, "p": 3}, {"id": 1, "added": 2, "p": 0}]`); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Error(err)
	}
	ask("rows older", "1\t"+`{"id":1,"added":2}`)

	id := fields("id", i64)
	inCatalog(t, hive)
	for table, want := range map[string]string{
		"buckets": "bucketed", "acid0": "ACID", "inserts": "ACID", "a_view": "view", "lazy_plain": "TextInputFormat", "ice": "Iceberg", "none": "no table",
		"double_key": "double", "times_parquet": "INT96",
	} {
		if err := write(t, hive.URL+table, id, `[{"id": 1}]`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", table, err)
		}
	}
	// What is refused leaves no file.
	_ = filepath.WalkDir(filepath.Join(dir, "older"), func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(p, "p=3") {
			t.Errorf("%s is left", p)
		}
		return err
	})
}

// inCatalog writes to tables of another catalog, whose names the default one has, too.
func inCatalog(t *testing.T, hive *metastorefake.Hive) {
	url := strings.TrimSuffix(hive.URL, "d.") + "other.d."
	if err := write(t, url+"parts_orc", fields("id", i64, "p", utf8), `[{"id": 1, "p": "old"}, {"id": 2, "p": "new"}, {"id": 3, "p": null}]`); err != nil {
		t.Fatal(err)
	}
	if err := write(t, url+"wide_orc", fields("id", i64), `[{"id": 7}]`); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string][]string{
		"rows other.d.parts_orc":       {"__HIVE_DEFAULT_PARTITION__\t{\"id\":3}", "new\t{\"id\":2}", "old\t{\"id\":0}", "old\t{\"id\":1}"},
		"statistics other.d.parts_orc": {"numRows=null accurate=null", "__HIVE_DEFAULT_PARTITION__ numRows=null accurate=null", "new numRows=null accurate=null", "old numRows=null accurate=null"},
		"rows other.d.wide_orc":        {`{"id":7}`},
		"statistics other.d.wide_orc":  {"numRows=null accurate=null"},
	} {
		if got := hive.Ask(t, question); !slices.Equal(got, want) {
			t.Errorf("%s: %q", question, got)
		}
	}
	if err := write(t, url+"acid", fields("id", i64), `[{"id": 1}]`); err == nil || !strings.Contains(err.Error(), "ACID") {
		t.Error(err)
	}
	// More partitions than are asked for at once.
	var rows []string
	for i := range 300 {
		rows = append(rows, fmt.Sprintf(`{"id": %d, "p": "%d"}`, i, i))
	}
	if err := write(t, url+"parts_orc", fields("id", i64, "p", utf8), "["+strings.Join(rows, ",")+"]"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, url+"parts_orc"); n != 304 {
		t.Errorf("%d rows", n)
	}
}

// wide writes all types.
func wide(t *testing.T, hive *metastorefake.Hive, format string) {
	var list arrow.DataType = arrow.LargeListOf(i32)
	if format == "parquet" {
		list = arrow.ListOf(i32)
	}
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, i64, i64, i64, i64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.LargeString, utf8, utf8,
		arrow.BinaryTypes.Binary, date, &arrow.Decimal128Type{Precision: 8, Scale: 1}, list, arrow.MapOf(utf8, i64),
		arrow.StructOf(arrow.Field{Name: "Y", Type: utf8, Nullable: true}, arrow.Field{Name: "x", Type: i64, Nullable: true}), &arrow.TimestampType{Unit: arrow.Microsecond},
	}
	values := []string{
		"true", "-128", "32767", "-2147483648", "1099511627776", "1.5", "2.25", `"text\n\u00e9"`, `"vwxyz"`, `"ch"`, `"AAE="`, `"2024-02-29"`, `"1234567.8"`, "[1, null, 3]",
		`[{"key": "k", "value": 7}]`, `{"Y": "in", "x": 4}`, `"2024-02-29 23:59:59.123456"`,
	}
	want := []string{
		"true", "-128", "32767", "-2147483648", "1099511627776", "1.5", "2.25", `"text\né"`, `"vwxyz"`, `"ch  "`, "\x00\x01", `"2024-02-29"`, "1234567.8", "[1,null,3]",
		`{"k":7}`, `{"x":4,"y":"in"}`, `"2024-02-29 23:59:59.123456"`,
	}
	if format == "parquet" {
		types, values, want = types[:16], values[:16], want[:16]
	}
	var kv []any
	var row, nulls, hives, hivesNulls []string
	for i, typ := range types {
		name := fmt.Sprintf("c%d", i)
		kv = append(kv, strings.ToUpper(name), typ)
		row, nulls = append(row, fmt.Sprintf("%q: %s", strings.ToUpper(name), values[i])), append(nulls, fmt.Sprintf("%q: null", strings.ToUpper(name)))
		hives, hivesNulls = append(hives, fmt.Sprintf("%q:%s", name, want[i])), append(hivesNulls, fmt.Sprintf("%q:null", name))
	}
	url := hive.URL + "wide_" + format
	rows := "[{" + strings.Join(row, ", ") + "}, {" + strings.Join(nulls, ", ") + "}]"
	for range 2 { // the second time beside the first
		if err := write(t, url, fields(kv...), rows); err != nil {
			t.Fatal(err)
		}
	}
	got := hive.Ask(t, "rows wide_"+format)
	a, b := "{"+strings.Join(hives, ",")+"}", "{"+strings.Join(hivesNulls, ",")+"}"
	if !slices.Equal(got, slices.Sorted(slices.Values([]string{a, a, b, b}))) {
		t.Errorf("%q\nwant\n%q", got, a)
	}
	if n := count(t, url); n != 4 {
		t.Errorf("%d rows", n)
	}
	for rows, want := range map[string]string{
		`[{"c1": 128}]`: "128 does not fit into int8", `[{"c8": "längere"}]`: "varchar(5)", `[{"C9": "12345"}]`: "char(4)", `[{"none": "x"}]`: "no column none",
		`[{"c13": "x"}]`: "cannot hold", `[{"c3": 1, "C3": 2}]`: "two columns",
	} {
		var kv []any
		for _, name := range []string{"c1", "c8", "C9", "none", "c13", "c3", "C3"} {
			if strings.Contains(rows, `"`+name+`"`) {
				typ := arrow.DataType(utf8)
				if strings.HasSuffix(name, "1") || strings.HasSuffix(strings.ToLower(name), "c3") {
					typ = i64
				}
				kv = append(kv, name, typ)
			}
		}
		if err := write(t, url, fields(kv...), rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rows, err, want)
		}
	}
	if n := count(t, url); n != 4 {
		t.Errorf("%d rows after errors", n)
	}
}

// partitioned writes to partitions, new ones and those of a run before.
func partitioned(t *testing.T, hive *metastorefake.Hive, format string) {
	url := hive.URL + "parts_" + format
	s := fields("n", i8, "s", utf8, "amount", &arrow.Decimal128Type{Precision: 6, Scale: 2}, "day", date, "id", i64, "region", utf8)
	row := func(b *bytes.Buffer, n, id int, amount, day, region string) {
		fmt.Fprintf(b, `{"n": %d, "s": "s%d", "amount": %s, "day": %s, "id": %d, "region": %s},`, n, id, amount, day, id, region)
	}
	rows := func(b *bytes.Buffer) string { return "[" + strings.TrimSuffix(b.String(), ",") + "]" }
	var first, second bytes.Buffer
	row(&first, 1, 1, `"1.50"`, `"2024-03-01"`, `"a/b=c d:e%[é]{}"`)
	row(&first, -2, 2, `null`, `null`, `null`)
	row(&first, 1, 3, `"1.50"`, `"2024-03-01"`, `"a/b=c d:e%[é]{}"`)
	row(&first, 1, 4, `"2.00"`, `"2024-03-01"`, `"CASE"`)
	row(&second, 1, 5, `"2.00"`, `"2024-03-01"`, `"CASE"`)
	row(&second, 1, 6, `"2.00"`, `"2024-03-01"`, `"case"`)
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := write(t, url, s, rows(b)); err != nil {
			t.Fatal(err)
		}
	}
	null := "__HIVE_DEFAULT_PARTITION__"
	odd := "2024-03-01,a/b=c d:e%[é]{},1,1.5\t"
	want := []string{
		odd + `{"id":1,"s":"s1"}`, odd + `{"id":3,"s":"s3"}`, "2024-03-01,CASE,1,2\t" + `{"id":4,"s":"s4"}`, "2024-03-01,CASE,1,2\t" + `{"id":5,"s":"s5"}`,
		"2024-03-01,case,1,2\t" + `{"id":6,"s":"s6"}`, null + "," + null + ",-2," + null + "\t" + `{"id":2,"s":"s2"}`,
	}
	got := hive.Ask(t, "rows parts_"+format)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if n := count(t, url); n != 6 {
		t.Errorf("%d rows", n)
	}
	var empty, missing bytes.Buffer
	row(&empty, 1, 7, "null", "null", `""`)
	row(&missing, 1, 8, "null", "null", "null")
	if err := write(t, url, s, rows(&empty)); err == nil || !strings.Contains(err.Error(), "read back as null") {
		t.Error(err)
	}
	if err := write(t, url, fields("id", i64, "day", date, "n", i8), rows(&missing)); err == nil || !strings.Contains(err.Error(), "partitioned by") {
		t.Error(err)
	}
}
