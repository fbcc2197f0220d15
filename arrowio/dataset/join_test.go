package dataset_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/recordfile"
	"github.com/arrowio/arrowio/internal/workers"
)

var (
	tI8, tI16, tI32, tI64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	tF32, tF64            = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	tStr                  = arrow.BinaryTypes.String
)

func stamp(u arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: zone}
}

func opt(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}
func req(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

// columnsOf makes optional columns: "a", int32, "b", utf8.
func columnsOf(t ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(t); i += 2 {
		fields = append(fields, opt(t[i].(string), t[i+1].(arrow.DataType)))
	}
	return schemaOf(fields...)
}

// fromJSON makes a record in Go memory.
func fromJSON(t testing.TB, s *arrow.Schema, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), s, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// scanOf reads everything and returns the rows, checking for leaks.
func scanOf(t testing.TB, d *dataset.Dataset, o arrowio.ScanOptions) ([]map[string]any, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	s, err := d.Scan(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return drain(t, s)
}

// drain reads a scan to its end and releases it.
func drain(t testing.TB, s *arrowio.Scanner) (rows []map[string]any, err error) {
	t.Helper()
	defer s.Release()
	for s.Next() {
		rec := s.Record()
		if rec.Schema() != s.Schema() {
			t.Error("a record does not have the schema of the scan")
		}
		text, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var batch []map[string]any
		if err := json.Unmarshal(text, &batch); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, batch...)
	}
	return rows, s.Err()
}

// project keeps the named columns of a row, and of a struct its named children; nil = all.
func project(row map[string]any, columns []string) map[string]any {
	if columns == nil {
		return row
	}
	out := map[string]any{}
	for _, c := range columns {
		name, child, nested := strings.Cut(c, ".")
		if inner, ok := row[name].(map[string]any); nested && ok {
			out[name] = map[string]any{child: inner[child]}
		} else {
			out[name] = row[name]
		}
	}
	return out
}

func parseFilter(t testing.TB, text string) expr.Expr {
	t.Helper()
	if text == "" {
		return nil
	}
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func fragment(t testing.TB, name string, rec arrow.Record) arrowio.Fragment {
	return arrowio.Fragment{Name: name, Open: func(context.Context) (arrowio.File, error) { return recordfile.File{Record: rec}, nil }}
}

func sameJSON(a, b map[string]any) bool { return len(a)+len(b) == 0 || reflect.DeepEqual(a, b) }

func TestJoinOfDifferentFiles(t *testing.T) {
	one := fromJSON(t, schemaOf(req("id", tI32), opt("name", tStr), opt("s", arrow.StructOf(req("x", tI8)))), `[{"id":1,"name":"a","s":{"x":1}},{"id":2,"name":null,"s":null}]`)
	two := fromJSON(t, schemaOf(opt("s", arrow.StructOf(opt("y", tStr), req("x", tI16))), req("id", tI64), opt("extra", tF32)), `[{"s":{"y":"why","x":300},"id":30000000000,"extra":0.5}]`)
	defer one.Release()
	defer two.Release()
	want := []map[string]any{
		{"id": 1.0, "name": "a", "s": map[string]any{"x": 1.0, "y": nil}, "extra": nil},
		{"id": 2.0, "name": nil, "s": nil, "extra": nil},
		{"id": 3e10, "name": nil, "s": map[string]any{"x": 300.0, "y": "why"}, "extra": 0.5},
	}
	d, err := dataset.Join(context.Background(), []arrowio.Fragment{fragment(t, "one", one), fragment(t, "two", two)}, dataset.JoinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []int{1, 2} {
		for _, c := range []struct {
			columns []string
			filter  string
			rows    []int
		}{
			{nil, "", []int{0, 1, 2}},
			{[]string{"extra"}, "", []int{0, 1, 2}},
			{[]string{"s.y", "id"}, "", []int{0, 1, 2}},
			{[]string{"name", "s.x"}, "", []int{0, 1, 2}},
			{[]string{}, "", []int{0, 1, 2}},
			{nil, "extra IS NULL", []int{0, 1}},
			{nil, "extra = 0.5 OR id = 2", []int{1, 2}},
			{[]string{"extra"}, "s.y IS NULL", []int{0, 1}},
			{[]string{"s.y"}, "s.x >= 1", []int{0, 2}},
			{nil, "NOT (extra = 1)", []int{2}},
			{[]string{"extra"}, "id > 29999999999.5", []int{2}},
		} {
			o := arrowio.ScanOptions{Columns: c.columns, Parallelism: parallel}
			if c.filter != "" {
				o.Filter = parseFilter(t, c.filter)
			}
			rows, err := scanOf(t, d, o)
			if err != nil || len(rows) != len(c.rows) {
				t.Errorf("%v, %s: %d rows, %v", c.columns, c.filter, len(rows), err)
				continue
			}
			for i, k := range c.rows {
				if w := project(want[k], c.columns); !sameJSON(rows[i], w) {
					t.Errorf("%v, %s: row %d is %v, want %v", c.columns, c.filter, i, rows[i], w)
				}
			}
		}
	}
}

// A column without a common type is refused unless other columns are asked for.
func TestDatasetClash(t *testing.T) {
	one := fromJSON(t, columnsOf("id", tI32, "v", tI64, "w", tStr), `[{"id":1,"v":1,"w":"x"}]`)
	two := fromJSON(t, columnsOf("id", tI32, "v", tF64, "w", tStr), `[{"id":2,"v":1,"w":"y"}]`)
	defer one.Release()
	defer two.Release()
	fragments := []arrowio.Fragment{fragment(t, "one", one), fragment(t, "two", two)}
	for _, by := range []view.Match{view.ByName, view.ByPosition} {
		for _, columns := range [][]string{nil, {"v"}, {"id", "v"}} {
			_, err := dataset.Join(context.Background(), fragments, dataset.JoinOptions{Match: by, Columns: columns})
			var e *errs.Error
			if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != "v" {
				t.Errorf("%v: %v", columns, err)
			} else if text := err.Error(); !strings.HasPrefix(text, "two: ") || !strings.Contains(text, "int64 in one") || !strings.Contains(text, "float64 here") {
				t.Errorf("%v: %v", columns, err)
			}
		}
		d, err := dataset.Join(context.Background(), fragments, dataset.JoinOptions{Match: by, Columns: []string{"w", "id"}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := scanOf(t, d, arrowio.ScanOptions{Columns: []string{"w", "id"}})
		if want := []map[string]any{{"id": 1.0, "w": "x"}, {"id": 2.0, "w": "y"}}; err != nil || !slices.EqualFunc(rows, want, func(a, b map[string]any) bool { return sameJSON(a, b) }) {
			t.Errorf("%v, %v", rows, err)
		}
		if d.Schema.HasField("v") {
			t.Errorf("%s", d.Schema)
		}
	}
}

// A dataset with a schema of its own leaves nothing out.
func TestDatasetExtraColumns(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32, "s", arrow.StructOf(opt("x", tI8), opt("y", tI8))), `[{"a":1,"s":{"x":1,"y":2}}]`)
	defer rec.Release()
	for _, c := range []struct {
		schema *arrow.Schema
		column string
	}{
		{columnsOf("a", tI32), "s"},
		{columnsOf("a", tI32, "s", arrow.StructOf(opt("x", tI8))), "s.y"},
		{columnsOf("a", tI8, "s", arrow.StructOf(opt("x", tI8), opt("y", tI8))), "a"},
		{schemaOf(req("a", tI32), opt("s", rec.Schema().Field(1).Type)), "a"},
		{schemaOf(opt("a", tI32), opt("s", rec.Schema().Field(1).Type), req("new", tI8)), "new"},
	} {
		_, err := scanOf(t, &dataset.Dataset{Schema: c.schema, Fragments: []arrowio.Fragment{fragment(t, "f", rec)}}, arrowio.ScanOptions{})
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != c.column || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%s: %v", c.schema, err)
		}
	}
	f, err := view.Show(recordfile.File{Record: rec}, columnsOf("s", arrow.StructOf(opt("y", tI16))), view.Options{Match: view.ByName})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scanOf(t, dataset.FromFile("f", f), arrowio.ScanOptions{})
	if err != nil || len(rows) != 1 || !sameJSON(rows[0], map[string]any{"s": map[string]any{"y": 2.0}}) {
		t.Errorf("%v, %v", rows, err)
	}
}

// Values that do not fit are errors that name the column, unless they are no values.
func TestConversionErrors(t *testing.T) {
	big := `[{"t":"2019-01-01 00:00:00"},{"t":"9999-01-01 00:00:00"}]`
	rec := fromJSON(t, columnsOf("t", stamp(arrow.Second, "")), big)
	defer rec.Release()
	f, err := view.Show(recordfile.File{Record: rec}, columnsOf("t", stamp(arrow.Nanosecond, "")), view.Options{Match: view.ByName})
	if err != nil {
		t.Fatal(err)
	}
	_, err = scanOf(t, dataset.FromFile("f", f), arrowio.ScanOptions{})
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != "t" {
		t.Errorf("%v", err)
	}
	rows, err := scanOf(t, dataset.FromFile("f", f), arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 0, End: 1}})
	if err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

// A column that files do not have is not made larger than a batch may be, whatever its type says.
func TestHugeNulls(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1},{"a":2}]`)
	defer rec.Release()
	wide := arrow.FixedSizeListOf(math.MaxInt32, arrow.FixedSizeListOf(math.MaxInt32, tI64))
	f, err := view.Show(recordfile.File{Record: rec}, columnsOf("a", tI32, "w", wide), view.Options{Match: view.ByName})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scanOf(t, dataset.FromFile("f", f), arrowio.ScanOptions{}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

var errDisk = errors.New("the disk is on fire")

type checkedFile struct{ arrowio.File }

func (checkedFile) Verify(context.Context, func(error)) error { return errDisk }
func (checkedFile) Dump(context.Context, io.Writer) error     { return errDisk }

// What else a file can do is not hidden.
func TestAdaptedVerifies(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1}]`)
	defer rec.Release()
	closed := 0
	plain := recordfile.File{Record: rec, Closed: &closed}
	to := columnsOf("a", tI64)
	for _, c := range []struct {
		f              arrowio.File
		verifies, dump bool
	}{
		{plain, false, false},
		{checkedFile{plain}, true, true},
		{struct {
			arrowio.File
			arrowio.Verifier
		}{plain, checkedFile{plain}}, true, false},
		{struct {
			arrowio.File
			arrowio.Dumper
		}{plain, checkedFile{plain}}, false, true},
	} {
		f, err := view.Show(c.f, to, view.Options{Match: view.ByName})
		if err != nil {
			t.Fatal(err)
		}
		_, v := arrowio.As[arrowio.Verifier](f)
		_, d := arrowio.As[arrowio.Dumper](f)
		if v != c.verifies || d != c.dump || f.Schema() != to {
			t.Errorf("%T verifies: %v, dumps: %v", f, v, d)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if closed != 4 {
		t.Errorf("closed %d times", closed)
	}
	if f, err := view.Show(plain, columnsOf("a", tI32), view.Options{Match: view.ByName}); err != nil || f != arrowio.File(plain) {
		t.Errorf("a file that has the schema: %v, %v", f, err)
	}
}

// Every fragment is closed after Join, and errors name it.
func TestJoinOpens(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1}]`)
	defer rec.Release()
	closed := 0
	f := recordfile.File{Record: rec, Closed: &closed}
	same := arrowio.Fragment{Name: "same", Open: func(context.Context) (arrowio.File, error) { return f, nil }}
	d, err := dataset.Join(context.Background(), []arrowio.Fragment{same, same, same}, dataset.JoinOptions{})
	if err != nil || d.Schema != rec.Schema() || closed != 3 {
		t.Errorf("%v, %v, closed %d times", d, err, closed)
	}
	bad := arrowio.Fragment{Name: "bad", Open: func(context.Context) (arrowio.File, error) { return nil, errDisk }}
	if _, err := dataset.Join(context.Background(), []arrowio.Fragment{same, bad}, dataset.JoinOptions{}); !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "bad: ") {
		t.Error(err)
	}
	panics := arrowio.Fragment{Name: "panics", Open: func(context.Context) (arrowio.File, error) { panic("a bug") }}
	if !workers.Debug {
		if _, err := dataset.Join(context.Background(), []arrowio.Fragment{panics}, dataset.JoinOptions{}); !errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
	}
	if _, err := dataset.Join(context.Background(), nil, dataset.JoinOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := dataset.Join(ctx, []arrowio.Fragment{same}, dataset.JoinOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDatasetErrors(t *testing.T) {
	rows := `[{"id":1},{"id":2},{"id":3}]`
	rec := fromJSON(t, columnsOf("id", tI32, "nil", arrow.Null), rows)
	defer rec.Release()
	other := fromJSON(t, columnsOf("id", tI32, "nil", tI8), rows)
	defer other.Release()
	file := func(r arrow.Record) func(context.Context) (arrowio.File, error) {
		return func(context.Context) (arrowio.File, error) { return recordfile.File{Record: r}, nil }
	}
	for _, p := range []int{1, 2} {
		for _, c := range []struct {
			open func(context.Context) (arrowio.File, error)
			is   error
			text []string
		}{
			{file(other), errs.ErrSchema, []string{"second", "column nil", "int8", "null"}},
			{func(context.Context) (arrowio.File, error) { return nil, errDisk }, errDisk, []string{"second"}},
		} {
			d := &dataset.Dataset{Schema: rec.Schema(), Fragments: []arrowio.Fragment{{Name: "first", Open: file(rec)}, {Name: "second", Open: c.open}, {Name: "third", Open: file(rec)}}}
			s, err := d.Scan(context.Background(), arrowio.ScanOptions{Parallelism: p})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s)
			if len(rows) != 3 || !errors.Is(err, c.is) {
				t.Errorf("%d rows, error %v; want 3 and %v", len(rows), err, c.is)
			}
			for _, w := range c.text {
				if err != nil && !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not name %s", err, w)
				}
			}
		}
	}
	if _, err := (&dataset.Dataset{}).Scan(context.Background(), arrowio.ScanOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("a dataset without a schema: %v", err)
	}
}

func TestFromFile(t *testing.T) {
	rec := fromJSON(t, columnsOf("id", tI32), `[{"id":1},{"id":2},{"id":3}]`)
	defer rec.Release()
	closed := 0
	f := recordfile.File{Record: rec, Closed: &closed}
	d := dataset.FromFile("one", f)
	for range 2 {
		s, err := d.Scan(context.Background(), arrowio.ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := drain(t, s); len(rows) != 3 || err != nil {
			t.Fatalf("%d rows, error %v", len(rows), err)
		}
	}
	if closed != 0 {
		t.Error("a scan closed the file")
	}
	if err := d.Close(); err != nil || closed != 1 {
		t.Errorf("closed %d times, error %v", closed, err)
	}
}

// Metadata may differ between the files of a dataset; records have that of the dataset.
func TestDatasetMetadata(t *testing.T) {
	rec := fromJSON(t, columnsOf("id", tI32), `[{"id":1},{"id":2},{"id":3}]`)
	defer rec.Release()
	fields := rec.Schema().Fields()
	for i := range fields {
		fields[i].Metadata = arrow.NewMetadata([]string{"of"}, []string{"the dataset"})
	}
	md := arrow.NewMetadata([]string{"k"}, []string{"v"})
	d := &dataset.Dataset{Schema: arrow.NewSchema(fields, &md), Fragments: []arrowio.Fragment{{Open: func(context.Context) (arrowio.File, error) { return recordfile.File{Record: rec}, nil }}}}
	s, err := d.Scan(context.Background(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if !s.Next() || s.Record().Schema() != d.Schema {
		t.Errorf("error %v, schema %v", s.Err(), s.Schema())
	}
}
