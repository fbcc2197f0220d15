package orctable

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orccast"
	"github.com/arrowio/arrowio/readers/orc"
)

// eventsOf writes inserts whose rows are given as JSON.
func eventsOf(t testing.TB, write int64, fields []arrow.Field, rows string) []byte {
	t.Helper()
	st := arrow.StructOf(fields...)
	a, _, err := array.FromJSON(memory.DefaultAllocator, st, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(eventFields, nil))
	defer b.Release()
	for i := range a.Len() {
		b.Field(0).(*array.Int32Builder).Append(0)
		b.Field(1).(*array.Int64Builder).Append(write)
		b.Field(2).(*array.Int32Builder).Append(b0)
		b.Field(3).(*array.Int64Builder).Append(int64(i))
		b.Field(4).(*array.Int64Builder).Append(write)
	}
	five := b.NewRecord()
	defer five.Release()
	s := arrow.NewSchema(append(slices.Clone(eventFields), arrow.Field{Name: eventRowName, Type: st, Nullable: true}), nil)
	rec := array.NewRecord(s, append(slices.Clone(five.Columns()), a), int64(a.Len()))
	defer rec.Release()
	return orcFile(t, rec, map[string]string{"hive.acid.version": "2", "table": "t"}, nil)
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

var (
	i16, i32, i64 = arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	f32, f64      = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	text          = arrow.BinaryTypes.String
)

// The newest file's rows say what the columns are; in older files they are found by name, whatever the case, at every
// depth, and widened.
func TestEvolvedSchema(t *testing.T) {
	m := memTree{
		"delta_1_1_0/bucket_00000": eventsOf(t, 1, []arrow.Field{field("ID", i16), field("st", arrow.StructOf(field("X", i32))), field("gone", i32)},
			`[{"ID": 1, "st": {"X": 10}, "gone": 7}, {"ID": null, "st": null, "gone": 8}]`),
		"delta_2_2_0/bucket_00000": eventsOf(t, 2, []arrow.Field{field("st", arrow.StructOf(field("y", text), field("x", i64))), field("id", i64), field("l", arrow.ListOf(arrow.StructOf(field("A", f32))))},
			`[{"id": 2, "st": {"x": 20, "y": "b"}, "l": [{"A": 0.5}]}]`),
		"delta_3_3_0/bucket_00000": eventsOf(t, 3, []arrow.Field{field("id", i64), field("st", arrow.StructOf(field("x", i64), field("y", text))), field("l", arrow.ListOf(arrow.StructOf(field("a", f64)))), field("new", text)},
			`[{"id": 3, "st": {"x": 30, "y": "c"}, "l": [{"a": 1.5}, null], "new": "n"}]`),
	}
	f := openTable(t, m, Options{})
	want := []string{
		`{"id":1,"l":null,"new":null,"st":{"x":10,"y":null}}`,
		`{"id":null,"l":null,"new":null,"st":null}`,
		`{"id":2,"l":[{"a":0.5}],"new":null,"st":{"x":20,"y":"b"}}`,
		`{"id":3,"l":[{"a":1.5},null],"new":"n","st":{"x":30,"y":"c"}}`,
	}
	if got := linesOf(t, f, arrowio.ScanOptions{}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]int{"st.x >= 20": 2, "id = 1": 1, "new = 'n'": 1, "new IS NULL AND id > 0": 2, "l IS NULL": 2} {
		x, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := linesOf(t, f, arrowio.ScanOptions{Filter: x}); len(got) != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got, ok := f.Schema().Metadata().GetValue("orc.table"); got != "t" || f.Schema().Metadata().FindKey("orc.hive.acid.version") >= 0 || !ok {
		t.Errorf("metadata %v", f.Schema().Metadata())
	}
	// An older list has an older schema.
	if got := fieldNames(openTable(t, m, Options{WriteIDs: "1"}).Schema()); !slices.Equal(got, []string{"ID", "st", "gone"}) {
		t.Errorf("%q", got)
	}
	// What the newer type does not hold is refused, and the file named.
	m["delta_4_4_0/bucket_00000"] = eventsOf(t, 4, []arrow.Field{field("id", i32)}, `[{"id": 4}]`)
	if _, err := Open(context.Background(), m, arrowio.Limits{}, Options{}, orc.Options{}); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "delta_2_2_0/bucket_00000") || !strings.Contains(err.Error(), "column id") {
		t.Error(err)
	}
}

// Numbers that became text read as Hive writes them, and NaN, which Hive drops, is an error.
func TestNumbersAsText(t *testing.T) {
	fields := []arrow.Field{field("b", arrow.FixedWidthTypes.Boolean), field("t", arrow.PrimitiveTypes.Int8), field("s", i16), field("i", i32), field("l", i64), field("f", f32), field("d", f64)}
	texts := make([]arrow.Field, len(fields))
	for i, f := range fields {
		texts[i] = field(f.Name, text)
	}
	m := memTree{
		"delta_1_1_0/bucket_00000": eventsOf(t, 1, fields, `[{"b": true, "t": -8, "s": 300, "i": -70000, "l": 5000000000, "f": 0.1, "d": 3000000000}, {"b": false, "f": 78.75, "d": 0.001}, {"f": -0.0, "d": 1e-4}]`),
		"delta_2_2_0/bucket_00000": eventsOf(t, 2, texts, `[{"b": "x"}]`),
	}
	want := []string{
		`{"b":"TRUE","d":"3.0E9","f":"0.10000000149011612","i":"-70000","l":"5000000000","s":"300","t":"-8"}`,
		`{"b":"FALSE","d":"0.001","f":"78.75","i":null,"l":null,"s":null,"t":null}`,
		`{"b":null,"d":"1.0E-4","f":"-0.0","i":null,"l":null,"s":null,"t":null}`,
		`{"b":"x","d":null,"f":null,"i":null,"l":null,"s":null,"t":null}`,
	}
	f := openTable(t, m, Options{})
	if got := linesOf(t, f, arrowio.ScanOptions{}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// The table under its own schema is the table, and Explain says so.
	for name, cast := range map[string]view.Cast{"none": nil, "exact": orccast.Exact} {
		shown, err := view.Show(f, f.Schema(), view.Options{Cast: cast})
		if err != nil {
			t.Fatal(err)
		}
		if got := linesOf(t, shown, arrowio.ScanOptions{}); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		if _, ok, err := view.ExplainFile(f, f.Schema(), view.Options{Cast: cast}); err != nil || !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	x, err := expr.Parse("d = '3.0E9'") // which no statistics of numbers answer
	if err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, f, arrowio.ScanOptions{Filter: x, Columns: []string{"i"}}); len(got) != 1 {
		t.Errorf("%q", got)
	}
	for v, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 1: "1.0", 1e7: "1.0E7", 9999999: "9999999.0", 12345678.5: "1.23456785E7", 1e-3: "0.001", 9.99e-4: "9.99E-4",
		math.Inf(1): "Infinity", math.Inf(-1): "-Infinity", math.MaxFloat64: "1.7976931348623157E308", -425141.0373554796: "-425141.0373554796",
	} {
		if got, err := appendFloat(nil, v); string(got) != want || err != nil {
			t.Errorf("%v: %s, %v", v, got, err)
		}
	}
	if _, err := appendFloat(nil, math.NaN()); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
	short := field("i", text)
	short.Metadata = arrow.NewMetadata([]string{"orc.type"}, []string{"varchar(2)"})
	if asText(field("i", i32), short) != nil || asText(field("i", arrow.FixedWidthTypes.Date32), field("i", text)) != nil || asText(field("i", text), field("i", i32)) != nil {
		t.Error("what may lose something is cast")
	}
}

// Columns without names are found by position, also where the table has names.
func TestUnnamedColumns(t *testing.T) {
	m := memTree{
		"000000_0":                 rowsAs(t, []arrow.Field{field("_col0", i32), field("_col1", text)}, `[{"_col0": 1, "_col1": "a"}]`),
		"delta_1_1_0/bucket_00000": eventsOf(t, 1, []arrow.Field{field("id", i64), field("s", text), field("n", i64)}, `[{"id": 2, "s": "b", "n": 5}]`),
		"delta_2_2_0/000000_0":     rowsAs(t, []arrow.Field{field("_col0", i64), field("_col1", text)}, `[{"_col0": 3, "_col1": "c"}]`),
	}
	want := []string{`{"id":1,"n":null,"s":"a"}`, `{"id":2,"n":5,"s":"b"}`, `{"id":3,"n":null,"s":"c"}`}
	if got := linesOf(t, openTable(t, m, Options{}), arrowio.ScanOptions{}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// rowsAs writes rows that are given as JSON.
func rowsAs(t testing.TB, fields []arrow.Field, rows string) []byte {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return orcFile(t, rec, nil, nil)
}

// Partitions are chosen one by one, and their names are columns.
func TestPartitions(t *testing.T) {
	m := memTree{
		"p=1/q=a%2Fb/delta_1_1_0/bucket_00000":                      eventsFile(t, inserts(1, b0, 10, 3), nil),
		"p=1/q=a%2Fb/delete_delta_3_3_0/bucket_00000":               eventsFile(t, deletes(3, 1, b0, 1), nil),
		"p=1/q=__HIVE_DEFAULT_PARTITION__/base_2_v5/bucket_00000":   eventsFile(t, inserts(1, b0, 20, 3), nil),
		"p=1/q=__HIVE_DEFAULT_PARTITION__/delta_1_1_0/bucket_00000": []byte("hidden, and never opened"),
		"p=2/q=c/000000_0": rowsFile(t, []row{{30, ""}, {31, ""}}),
		"p=2/q=d/_SUCCESS": nil,
		"p=2/.hidden/x":    nil,
		"_SUCCESS":         nil,
	}
	f := openTable(t, m, Options{RowIDs: true})
	want := []string{
		`{"id":20,"p":"1","q":null}`, `{"id":21,"p":"1","q":null}`, `{"id":22,"p":"1","q":null}`,
		`{"id":10,"p":"1","q":"a/b"}`, `{"id":12,"p":"1","q":"a/b"}`,
		`{"id":30,"p":"2","q":"c"}`, `{"id":31,"p":"2","q":"c"}`,
	}
	if got := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"id", "p", "q"}}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"q"}, BatchRows: 2}); len(got) != 7 || got[3] != `{"q":"a/b"}` {
		t.Errorf("%q", got)
	}
	// A filter on partitions opens none of the others.
	for text, want := range map[string]int64{"p = '2'": 2, "q IS NULL": 3, "q = 'a/b' AND id > 10": 1, "q <> 'c'": 2, "p = '3'": 0, "p = '1' OR id = 31": 6} {
		x, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Filter: x})
		if err != nil {
			t.Fatal(err)
		}
		for s.Next() {
		}
		if st := s.Stats(); s.Err() != nil || st.Rows != want {
			t.Errorf("%s: %d rows, %v", text, st.Rows, s.Err())
		}
		if st := s.Stats(); text == "p = '2'" && st.RowsPruned != 5 || text == "p = '3'" && st.RowsPruned != 7 {
			t.Errorf("%s: %d rows are pruned", text, st.RowsPruned)
		}
		s.Release()
	}
	// The same triple is another row in another partition.
	lines := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"row__id"}})
	if lines[0] != lines[3] {
		t.Errorf("%q", lines)
	}
}

// A table without rows still has columns.
func TestEmptyTables(t *testing.T) {
	none := eventsFile(t, nil, nil)
	hidden := eventsFile(t, inserts(1, b0, 1, 2), nil)
	for name, m := range map[string]memTree{
		"files without rows":            {"base_2_v5/bucket_00000": none, "base_2_v5/bucket_00001": {}},
		"a base without files":          {"base_2_v5/": nil, "delta_1_1_0/bucket_00000": hidden},
		"all is deleted":                {"base_1/bucket_00000": hidden, "delete_delta_2_2_0/bucket_00000": eventsFile(t, deletes(2, 1, b0, 0, 1), nil)},
		"all rows are of a hidden base": {"base_1/bucket_00000": hidden, "base_2/": nil},
	} {
		f := openTable(t, m, Options{})
		if got := fieldNames(f.Schema()); !slices.Equal(got, []string{"id", "s"}) || len(f.Splits()) != 0 {
			t.Errorf("%s: %q, %v", name, got, f.Splits())
		}
		if got := linesOf(t, f, arrowio.ScanOptions{}); len(got) != 1 || got[0] != "" {
			if len(got) != 0 {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	f := openTable(t, memTree{"delta_1_1/": nil}, Options{})
	if f.Schema().NumFields() != 0 {
		t.Error(f.Schema())
	}
}
