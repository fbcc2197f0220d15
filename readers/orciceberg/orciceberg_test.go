package orciceberg_test

import (
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
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers/orc"
	"github.com/arrowio/arrowio/readers/orciceberg"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// column is a column of a test file: its field and its values in JSON.
type column struct {
	name, typ string // typ is Iceberg's, of the attributes
	id        int
	arrow     arrow.DataType
	values    string
	required  bool
}

// attributes are the metadata that become Iceberg's attributes.
func (c column) attributes() arrow.Metadata {
	md := map[string]string{}
	if c.id > 0 {
		md["orc.iceberg.id"] = fmt.Sprint(c.id)
	}
	for _, kv := range strings.Fields(c.typ) {
		k, v, _ := strings.Cut(kv, "=")
		md["orc.iceberg."+k] = v
	}
	return arrow.MetadataFrom(md)
}

// file writes a file of columns, with some row groups where there are rows enough.
func file(t testing.TB, metadata map[string]string, columns ...column) []byte {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.arrow, strings.NewReader(c.values))
		if err != nil {
			t.Fatal(c.name, err)
		}
		defer a.Release()
		fields = append(fields, arrow.Field{Name: c.name, Type: c.arrow, Nullable: true, Metadata: c.attributes()})
		arrays = append(arrays, a)
	}
	md := arrow.MetadataFrom(metadata)
	rec := array.NewRecord(arrow.NewSchema(fields, &md), arrays, int64(arrays[0].Len()))
	defer rec.Release()
	p, err := writer.Plan(rec.Schema(), arrowio.WriteOptions{Options: map[string]string{"orc-row-index-stride": "100", "orc-stripe-rows": "400"}})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err == nil {
		err = errors.Join(w.Write(rec), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	return nil
}

// openBytes opens a file under options.
func openBytes(b []byte, name string, o map[string]string) (arrowio.File, error) {
	return orciceberg.Format(orc.Format()).Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{Options: o, Name: name})
}

// rowsOf reads a file's rows as text, and checks that no memory is left.
func rowsOf(t testing.TB, f arrowio.File, o arrowio.ScanOptions) ([]string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	rr, err := arrowio.Scan(context.Background(), f, o)
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	var out []string
	for rr.Next() {
		out = append(out, orctext.Rows(rr.Record())...)
	}
	return out, rr.Err()
}

func schema(fields ...string) string {
	return `{"type": "struct", "fields": [` + strings.Join(fields, ",") + `]}`
}

func optional(id int, name, typ string) string {
	return fmt.Sprintf(`{"id": %d, "name": %q, "required": false, "type": %s}`, id, name, typ)
}

func required(id int, name, typ string) string {
	return strings.Replace(optional(id, name, typ), "false", "true", 1)
}

var (
	i32, i64, f32, f64 = arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	utf8, bin          = arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	micros             = &arrow.TimestampType{Unit: arrow.Microsecond}
)

// TestShown reads columns under other names, orders and types.
func TestShown(t *testing.T) {
	st := arrow.StructOf(
		arrow.Field{Name: "x", Type: i32, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"orc.iceberg.id": "11"})},
		arrow.Field{Name: "y", Type: utf8, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"orc.iceberg.id": "12"})},
	)
	b := file(t, nil,
		column{"a", "", 1, i32, `[1, null, -3]`, false},
		column{"b", "", 2, f32, `[0.5, 1, null]`, false},
		column{"c", "", 3, &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.25", null, "-7"]`, false},
		column{"u", "binary-type=UUID", 4, bin, `["AAECAwQFBgcICQoLDA0ODw==", null, "Dw4NDAsKCQgHBgUEAwIBAA=="]`, false},
		column{"f", "binary-type=FIXED length=2", 5, bin, `["AAE=", "AgM=", "BAU="]`, false},
		column{"t", "long-type=TIME", 6, i64, `[0, null, 86399999999]`, false},
		column{"ts", "timestamp-unit=MICROS", 7, micros, `["1970-01-01T00:00:01.5", null, "9999-12-31T23:59:59.999999"]`, false},
		column{"s", "", 8, st, `[{"x": 1, "y": "p"}, null, {"x": 3, "y": "q"}]`, false},
		column{"gone", "", 9, utf8, `["g", "h", "i"]`, false},
		column{"_col9", "", 0, utf8, `["none", "has", "id"]`, false},
	)
	for _, c := range []struct {
		schema string
		want   []string // nil = an error
	}{
		{schema(optional(2, "a", `"double"`), optional(1, "b", `"long"`)), []string{`["d3fe0000000000000",1]`, `["d3ff0000000000000",null]`, `[null,-3]`}},
		{schema(required(5, "f", `"fixed[2]"`), optional(4, "u", `"uuid"`)), []string{`["0001","000102030405060708090a0b0c0d0e0f"]`, `["0203",null]`, `["0405","0f0e0d0c0b0a09080706050403020100"]`}},
		{schema(optional(6, "t", `"time"`), optional(7, "x", `"timestamp"`)), []string{`[0,[1,500000000]]`, `[null,null]`, `[86399999999,[253402300799,999999000]]`}},
		{schema(optional(3, "c", `"decimal(38, 2)"`)), []string{`["1.25"]`, `[null]`, `["-7.00"]`}},
		{schema(optional(8, "n", `{"type": "struct", "fields": [`+optional(13, "x", `"int"`)+`,`+required(11, "y", `"long"`)+`]}`)), []string{`[[null,1]]`, `[null]`, `[[null,3]]`}},
		{schema(optional(20, "gone", `"string"`), optional(21, "l", `{"type": "list", "element-id": 22, "element": "int"}`)), []string{`[null,null]`, `[null,null]`, `[null,null]`}},
		{schema(optional(20, "_col0", `"int"`), optional(1, "_col1", `"int"`)), []string{`[null,1]`, `[null,null]`, `[null,-3]`}},
		{schema(), []string{`[]`, `[]`, `[]`}},
		{
			schema(`{"id": 20, "name": "d", "required": true, "type": "uuid", "initial-default": "f79c3e09-677c-4bbd-a479-3f349cb785e7"}`),
			[]string{`["f79c3e09677c4bbda4793f349cb785e7"]`, `["f79c3e09677c4bbda4793f349cb785e7"]`, `["f79c3e09677c4bbda4793f349cb785e7"]`},
		},
		{schema(optional(20, "nothing", `"unknown"`), optional(9, "g", `"string"`)), []string{`[null,"g"]`, `[null,"h"]`, `[null,"i"]`}},

		{schema(required(20, "gone", `"string"`)), nil},               // missing
		{schema(required(1, "a", `"int"`)), nil},                      // null in a row
		{schema(optional(1, "a", `"string"`)), nil},                   // promotions that there are not
		{schema(optional(6, "t", `"int"`)), nil},                      //
		{schema(optional(6, "t", `"long"`)), nil},                     // a time
		{schema(optional(3, "c", `"decimal(9, 3)"`)), nil},            //
		{schema(optional(3, "c", `"decimal(8, 2)"`)), nil},            //
		{schema(optional(4, "u", `"fixed[16]"`)), nil},                //
		{schema(optional(5, "f", `"fixed[3]"`)), nil},                 //
		{schema(optional(7, "x", `"timestamptz"`)), nil},              //
		{schema(optional(7, "x", `"timestamp_ns"`)), nil},             //
		{schema(optional(8, "n", `"int"`)), nil},                      //
		{schema(`{"id": 1, "name": "a", "type": "wha"}`), nil},        //
		{schema(optional(1, "a", `"int"`) + `, {"id": 1, "x"}`), nil}, //
	} {
		f, err := openBytes(b, "", map[string]string{"orc-iceberg-schema": c.schema})
		var got []string
		if err == nil {
			got, err = rowsOf(t, f, arrowio.ScanOptions{})
		}
		var e *errs.Error
		switch {
		case c.want == nil && (err == nil || !errors.As(err, &e)):
			t.Errorf("%s: %v", c.schema, err)
		case c.want != nil && (err != nil || !slices.Equal(got, c.want)):
			t.Errorf("%s: %q, not %q: %v", c.schema, got, c.want, err)
		}
	}
}

// TestNames finds columns of a file without ids.
func TestNames(t *testing.T) {
	b := file(t, nil, column{"A", "", 0, i32, `[1]`, false}, column{"a", "", 0, i32, `[2]`, false}, column{"old", "", 0, i32, `[3]`, false})
	two := schema(optional(5, "a", `"int"`), optional(6, "b", `"long"`))
	for _, c := range []struct{ schema, names, want string }{
		{two, "", `[2,null]`},
		{two, `[{"field-id": 5, "names": ["A", "a"]}, {"field-id": 6, "names": ["old"]}]`, `[1,3]`},
		{two, `[]`, `[null,null]`},
		{`{"current-schema-id": 0, "schemas": [` + strings.Replace(two, "{", `{"schema-id": 0, `, 1) + `], "properties": {"schema.name-mapping.default": "[{\"field-id\": 6, \"names\": [\"old\"]}]"}}`, "", `[null,3]`},
	} {
		o := map[string]string{"orc-iceberg-schema": c.schema}
		if c.names != "" {
			o["orc-name-mapping"] = c.names
		}
		f, err := openBytes(b, "", o)
		if err != nil {
			t.Error(c, err)
			continue
		}
		if got, err := rowsOf(t, f, arrowio.ScanOptions{}); err != nil || !slices.Equal(got, []string{c.want}) {
			t.Errorf("%v: %q %v", c, got, err)
		}
	}
}

// numbers is the JSON of n numbers.
func numbers(n int, of func(i int) int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(of(i))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// positions is a file that deletes rows of paths.
func positions(t testing.TB, paths []string, at []int) []byte {
	return file(t, map[string]string{"orc.delete-type": "position"},
		column{"file_path", "", 2147483546, utf8, `["` + strings.Join(paths, `","`) + `"]`, true},
		column{"pos", "", 2147483545, i64, numbers(len(at), func(i int) int { return at[i] }), true})
}

// write puts files into a directory.
func write(t testing.TB, dir string, files map[string][]byte) {
	t.Helper()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeletes leaves out what delete files name: every row by itself, whatever is asked of the file besides.
func TestDeletes(t *testing.T) {
	const n = 1000
	dir := t.TempDir()
	path := filepath.Join(dir, "data.orc")
	data := file(t, nil, column{"id", "", 1, i64, numbers(n, func(i int) int { return i }), false},
		column{"k", "", 2, i32, numbers(n, func(i int) int { return i % 50 }), false})
	gone := map[int]bool{}
	var paths []string
	var at []int
	for i := range n {
		if i%7 == 0 || i >= 400 && i < 800 || i%13 == 5 { // a whole stripe, runs and single rows
			paths, at = append(paths, "file:"+path), append(at, i)
			gone[i] = true
		}
	}
	paths, at = append(paths, "/elsewhere/other.orc"), append(at, 1)
	for i := range n {
		if i%50 == 3 {
			gone[i] = true
		}
	}
	write(t, dir, map[string][]byte{
		"pos.orc": positions(t, paths, at),
		"eq.orc":  file(t, map[string]string{"orc.delete-type": "equality", "orc.delete-field-ids": "2"}, column{"k", "", 2, i32, `[3, 77]`, false}),
	})
	o := map[string]string{
		"orc-iceberg-schema": schema(optional(2, "key", `"long"`), required(1, "row", `"long"`)),
		"orc-deletes":        filepath.Join(dir, "pos.orc") + "\n" + filepath.Join(dir, "eq.orc"),
	}
	f, err := openBytes(data, path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want []string
	for i := range n {
		if !gone[i] {
			want = append(want, fmt.Sprintf("[%d,%d]", i%50, i))
		}
	}
	for _, batch := range []int{0, 1, 17, 300} {
		got, err := rowsOf(t, f, arrowio.ScanOptions{BatchRows: batch})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("batches of %d: %d rows, not %d: %v", batch, len(got), len(want), err)
		}
	}
	for _, r := range []arrowio.RowRange{{Start: 0, End: 1}, {Start: 10, End: 333}, {Start: 300, End: int64(len(want))}} {
		got, err := rowsOf(t, f, arrowio.ScanOptions{Rows: r})
		if err != nil || !slices.Equal(got, want[r.Start:r.End]) {
			t.Errorf("%v: %d rows: %v", r, len(got), err)
		}
	}
	for i := 0; i < n; i += 29 {
		where := parse(t, fmt.Sprintf("row >= %d AND row < %d", i, i+40))
		var some []string
		for k := i; k < min(n, i+40); k++ {
			if !gone[k] {
				some = append(some, fmt.Sprintf("[%d,%d]", k%50, k))
			}
		}
		got, err := rowsOf(t, f, arrowio.ScanOptions{Filter: where})
		if err != nil || !slices.Equal(got, some) {
			t.Errorf("from %d: %d rows, not %d: %v", i, len(got), len(some), err)
		}
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{})
	if err != nil || info.Rows != int64(len(want)) {
		t.Errorf("%d rows told: %v", info.Rows, err)
	}
	if v, ok := arrowio.As[arrowio.Verifier](f); !ok {
		t.Error("it does not verify itself")
	} else if err := v.Verify(context.Background(), func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
}

// TestPaths finds what a position delete is about.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	data := file(t, nil, column{"id", "", 1, i64, `[0, 1, 2]`, false})
	write(t, dir, map[string][]byte{
		"moved.orc":  positions(t, []string{"s3://b/t/data.orc"}, []int{1}),
		"others.orc": positions(t, []string{"s3://b/t/x.orc"}, []int{1}),
		"far.orc":    positions(t, []string{"/t/data.orc", "/t/data.orc", "/t/data.orc"}, []int{-1, 2, 3}),
	})
	all, less := []string{"[0]", "[1]", "[2]"}, []string{"[0]", "[2]"}
	for _, c := range []struct {
		name, deletes, paths, move string
		want                       []string
	}{
		{"s3://b/t/data.orc", "moved.orc", "", "", less},
		{"s3a://b/t/data.orc", "moved.orc", "", "", less},
		{"/t/data.orc", "moved.orc", "", "", nil},
		{"/t/data.orc", "moved.orc", "full", "", all},
		{"/t/data.orc", "moved.orc", "suffix", "", less},
		{"/t/data.orc", "moved.orc", "", "s3://b/=/", less},
		{"/t/data.orc", "moved.orc", "", "s3://c/=/\ns3://b/t=/t", less},
		{"/t/data.orc", "others.orc", "", "", all},
		{"/t/data.orc", "others.orc", "suffix", "", all},
		{"/t/data.orc", "far.orc", "", "", []string{"[0]", "[1]"}},
		{"/t/data.orc", "none.orc", "", "", nil},
	} {
		o := map[string]string{"orc-deletes": filepath.Join(dir, c.deletes)}
		if c.deletes == "far.orc" {
			o["orc-iceberg-schema"] = schema(optional(1, "x", `"long"`), optional(2, "y", `"time"`))
			for i := range c.want {
				c.want[i] = strings.Replace(c.want[i], "]", ",null]", 1)
			}
		}
		if c.paths != "" {
			o["orc-delete-paths"] = c.paths
		}
		if c.move != "" {
			o["orc-delete-move"] = c.move
		}
		f, err := openBytes(data, c.name, o)
		if err != nil {
			if c.want != nil {
				t.Error(c, err)
			}
			continue
		}
		got, err := rowsOf(t, f, arrowio.ScanOptions{})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %q %v", c, got, err)
		}
		if w := arrowio.WarningsOf(f); (len(w) > 0) != (c.deletes == "far.orc") {
			t.Errorf("%v: %q", c, w)
		}
	}
}

// TestEquality compares values as Iceberg does: nulls and NaNs are equal to one another, zeros are not.
func TestEquality(t *testing.T) {
	dir := t.TempDir()
	data := file(t, nil,
		column{"id", "", 1, i32, `[0, 1, 2, 3, 4, 5]`, false},
		column{"s", "", 2, utf8, `["a", null, "", "b", "a", null]`, false},
		column{"f", "", 3, f64, `[0, 1, -0, null, 2, null]`, false})
	for i, c := range []struct {
		columns []column
		ids     string
		want    []string
	}{
		{[]column{{"s", "", 2, utf8, `["a"]`, false}}, "", []string{"1", "2", "3", "5"}},
		{[]column{{"s", "", 2, utf8, `[null]`, false}}, "", []string{"0", "2", "3", "4"}},
		{[]column{{"s", "", 2, utf8, `[null, "a"]`, false}, {"f", "", 3, f32, `[null, 2]`, false}}, "", []string{"0", "1", "2", "3"}},
		{[]column{{"s", "", 2, utf8, `["b"]`, false}, {"f", "", 3, f64, `[9]`, false}}, "2", []string{"0", "1", "2", "4", "5"}},
		{[]column{{"s", "", 2, utf8, `[]`, false}}, "", []string{"0", "1", "2", "3", "4", "5"}},
		{[]column{{"x", "", 9, utf8, `["a"]`, false}}, "", nil},
		{[]column{{"s", "", 2, i32, `[1]`, false}}, "", nil},
		{[]column{{"s", "", 0, utf8, `["a"]`, false}}, "", nil},
		{[]column{{"s", "", 2, utf8, `["a"]`, false}}, "x", nil},
	} {
		md := map[string]string{"orc.delete-type": "equality"}
		if c.ids != "" {
			md["orc.delete-field-ids"] = c.ids
		}
		name := fmt.Sprintf("eq%d.orc", i)
		write(t, dir, map[string][]byte{name: file(t, md, c.columns...)})
		for _, dictionary := range []string{"false", "true"} {
			f, err := openBytes(data, "", map[string]string{
				"orc-iceberg-schema": schema(optional(1, "id", `"int"`), optional(2, "s", `"string"`), optional(3, "f", `"double"`)),
				"orc-deletes":        filepath.Join(dir, name), "dictionary": dictionary,
			})
			var got []string
			if err == nil {
				got, err = rowsOf(t, f, arrowio.ScanOptions{Columns: []string{"id"}})
			}
			for k := range got {
				got[k] = strings.Trim(got[k], "[]")
			}
			if (err == nil) != (c.want != nil) || !slices.Equal(got, c.want) {
				t.Errorf("%v: %q, not %q: %v", c.columns, got, c.want, err)
			}
		}
	}
	// A column that the table has dropped deletes still.
	both := fmt.Sprintf(`{"current-schema-id": 1, "schemas": [%s, %s]}`,
		strings.Replace(schema(required(2, "s", `"string"`)), "{", `{"schema-id": 0, `, 1), strings.Replace(schema(optional(1, "s", `"int"`)), "{", `{"schema-id": 1, `, 1))
	f, err := openBytes(data, "", map[string]string{"orc-iceberg-schema": both, "orc-deletes": filepath.Join(dir, "eq0.orc")})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rowsOf(t, f, arrowio.ScanOptions{}); err != nil || strings.Join(got, "") != "[1][2][3][5]" {
		t.Error(got, err)
	}
	// Values need a schema to be about.
	if _, err := openBytes(data, "", map[string]string{"orc-deletes": filepath.Join(dir, "eq0.orc")}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// TestBounds refuses more deletes than are allowed.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	at := []int{0, 1, 2, 3}
	write(t, dir, map[string][]byte{
		"pos.orc": positions(t, []string{"/d", "/d", "/d", "/d"}, at),
		"eq.orc":  file(t, nil, column{"id", "", 1, i64, `[0, 1, 2]`, false}),
	})
	data := file(t, nil, column{"id", "", 1, i64, `[0, 1, 2, 3, 4]`, false})
	for _, name := range []string{"pos.orc", "eq.orc"} {
		_, err := openBytes(data, "/d", map[string]string{
			"orc-deletes": filepath.Join(dir, name), "orc-delete-events": "3", "orc-iceberg-schema": schema(optional(1, "id", `"long"`)),
		})
		if !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamaged opens data files and delete files cut at every byte, and with every byte changed: no panic, no wrong kind of error.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	data := file(t, nil, column{"id", "long-type=LONG", 1, i64, `[0, 1, 2]`, false}, column{"u", "binary-type=UUID", 2, bin, `[null, "AAECAwQFBgcICQoLDA0ODw==", null]`, false})
	deletes := positions(t, []string{"/d", "/d"}, []int{0, 2})
	try := func(data, deletes []byte) {
		write(t, dir, map[string][]byte{"pos.orc": deletes})
		f, err := openBytes(data, "/d", map[string]string{
			"orc-deletes": filepath.Join(dir, "pos.orc"), "orc-iceberg-schema": schema(optional(1, "id", `"long"`), optional(2, "u", `"uuid"`)),
		})
		if err == nil {
			_, err = rowsOf(t, f, arrowio.ScanOptions{})
		}
		if errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
	}
	for i := range max(len(data), len(deletes)) {
		if i < len(data) {
			try(data[:i], deletes)
			c := slices.Clone(data)
			c[i] ^= 0x41
			try(c, deletes)
		}
		if i < len(deletes) {
			try(data, deletes[:i])
			c := slices.Clone(deletes)
			c[i] ^= 0x41
			try(data, c)
		}
	}
}

// TestOptions refuses what makes no sense.
func TestOptions(t *testing.T) {
	data := file(t, nil, column{"id", "", 1, i64, `[0]`, false})
	one := schema(optional(1, "id", `"long"`))
	for _, o := range []map[string]string{
		{"orc-iceberg-schema": "/no/such/file"},
		{"orc-iceberg-schema": "{"},
		{"orc-iceberg-schema": one, "orc-name-mapping": "[1]"},
		{"orc-name-mapping": "[]"},
		{"orc-iceberg-schema": one, "orc-delete-paths": "x"},
		{"orc-iceberg-schema": one, "orc-delete-move": "x"},
		{"orc-iceberg-schema": one, "orc-delete-events": "0"},
	} {
		if _, err := openBytes(data, "", o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%v: %v", o, err)
		}
	}
	if f, err := openBytes(nil, "", map[string]string{"orc-iceberg-schema": schema(required(1, "id", `"long"`))}); err != nil {
		t.Error("an empty table:", err)
	} else if got, err := rowsOf(t, f, arrowio.ScanOptions{}); err != nil || len(got) > 0 {
		t.Error(got, err)
	}
}
