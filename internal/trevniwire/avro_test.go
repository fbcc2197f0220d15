package trevniwire

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func parseAvro(t *testing.T, text string) *Avro {
	t.Helper()
	s, err := ParseAvro([]byte(text), limits)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// record wraps fields.
func record(fields string) string {
	return `{"type":"record","name":"R","namespace":"n.s","fields":[` + fields + `]}`
}

// Full names, as Avro's specification resolves them.
func TestAvroNames(t *testing.T) {
	for _, x := range []struct{ typ, want string }{
		{`{"type":"enum","name":"E","symbols":[]}`, "n.s.E"},
		{`{"type":"enum","name":"E","namespace":"","symbols":[]}`, "E"},
		{`{"type":"enum","name":"E","namespace":"o","symbols":[]}`, "o.E"},
		{`{"type":"enum","name":"p.q.E","namespace":"o","symbols":[]}`, "p.q.E"},
		{`{"type":"enum","name":".E","symbols":[]}`, "E"},
		{`{"type":"enum","name":"Outer$Inner","namespace":"a.b$c","symbols":[]}`, "a.b$c.Outer$Inner"},
		{`{"type":"fixed","name":"F","size":0}`, "n.s.F"},
		{`"int"`, "int"},
		{`{"type":"int"}`, "int"},
		{`{"type":{"type":"array","items":"int"}}`, "array"},
		{`{"type":"map","values":"int"}`, "map"},
		{`["null"]`, "union"},
		{`{"type":"error","name":"X","fields":[]}`, "n.s.X"},
	} {
		s := parseAvro(t, record(`{"name":"f","type":`+x.typ+`}`))
		if got := s.Fields[0].Type.Name; got != x.want {
			t.Errorf("%s is %q, want %q", x.typ, got, x.want)
		}
	}
}

// References look in the namespace around them, and then in none.
func TestAvroReferences(t *testing.T) {
	for _, x := range []struct{ fields, want string }{
		{`{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":"F"}`, "n.s.F"},
		{`{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":"n.s.F"}`, "n.s.F"},
		{`{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":{"type":"F"}}`, "n.s.F"},
		{`{"name":"a","type":{"type":"fixed","name":"F","namespace":"","size":1}},{"name":"b","type":"F"}`, "F"},
		{`{"name":"a","type":{"type":"record","name":"I","namespace":"x","fields":[{"name":"i","type":{"type":"fixed","name":"F","size":1}}]}},{"name":"b","type":"x.F"}`, "x.F"},
		{`{"name":"a","type":{"type":"record","name":"I","namespace":"","fields":[{"name":"i","type":{"type":"fixed","name":"F","size":1}}]}},{"name":"b","type":"F"}`, "F"},
		{`{"name":"a","type":{"type":"record","name":"y.I","fields":[{"name":"i","type":{"type":"fixed","name":"F","size":1}}]}},{"name":"b","type":"y.F"}`, "y.F"},
	} {
		s := parseAvro(t, record(x.fields))
		if got := s.Fields[1].Type.Name; got != x.want {
			t.Errorf("%s: b is %q, want %q", x.fields, got, x.want)
		}
	}
	if _, err := ParseAvro([]byte(record(`{"name":"a","type":"F"},{"name":"b","type":{"type":"fixed","name":"F","size":1}}`)), limits); err == nil {
		t.Error("a name before its definition")
	}
}

func TestAvroLogical(t *testing.T) {
	for _, x := range []struct{ typ, arrow, logical string }{
		{`{"type":"int","logicalType":"date"}`, "date32", ""},
		{`{"type":"int","logicalType":"time-millis"}`, "time32[ms]", ""},
		{`{"type":"long","logicalType":"time-micros"}`, "time64[us]", ""},
		{`{"type":"long","logicalType":"timestamp-millis"}`, "timestamp[ms, tz=UTC]", ""},
		{`{"type":"long","logicalType":"timestamp-micros"}`, "timestamp[us, tz=UTC]", ""},
		{`{"type":"long","logicalType":"local-timestamp-millis"}`, "timestamp[ms]", ""},
		{`{"type":"long","logicalType":"local-timestamp-micros"}`, "timestamp[us]", ""},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, "timestamp[ns, tz=UTC]", ""},
		{`{"type":"long","logicalType":"local-timestamp-nanos"}`, "timestamp[ns]", ""},
		{`{"type":"int","logicalType":"timestamp-nanos"}`, "int32", "timestamp-nanos"},
		{`{"type":"long","logicalType":"date"}`, "int64", "date"}, // on another type: none
		{`{"type":"string","logicalType":"uuid"}`, "utf8", "uuid"},
		{`{"type":"int","logicalType":5}`, "int32", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, "decimal(4, 2)", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":38}`, "decimal(38, 0)", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":39,"scale":39}`, "decimal256(39, 39)", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":77,"scale":2}`, "binary", "decimal"},
		{`{"type":"bytes","logicalType":"decimal"}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":0}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":3,"scale":4}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":3,"scale":-1}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":3.5}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":"3"}`, "binary", ""},
		{`{"type":"bytes","logicalType":"decimal","precision":99999999999}`, "binary", ""},
		{`{"type":"fixed","name":"F","size":4,"logicalType":"decimal","precision":9,"scale":1}`, "decimal(9, 1)", ""},
		{`{"type":"fixed","name":"F","size":12,"logicalType":"duration"}`, "fixed_size_binary[12]", "duration"},
		{`{"type":"fixed","name":"F","size":33,"logicalType":"decimal","precision":9}`, "fixed_size_binary[33]", "decimal"},
	} {
		tree, _, err := Shred(parseAvro(t, record(`{"name":"f","type":`+x.typ+`}`)), limits)
		if err != nil {
			t.Fatal(err)
		}
		f := tree.Schema.Field(0)
		logical, _ := f.Metadata.GetValue(MetaLogical)
		if fmt.Sprint(f.Type) != x.arrow || logical != x.logical {
			t.Errorf("%s is %v %q, want %s %q", x.typ, f.Type, logical, x.arrow, x.logical)
		}
	}
}

// What nothing depends on is not looked at, however wrong.
func TestAvroLenient(t *testing.T) {
	for _, text := range []string{
		record(`{"name":"f","type":"int","default":"no number","order":"sideways","aliases":7,"doc":[]}`),
		record(`{"name":"f","type":["null","int"],"default":5}`),
		record(`{"name":"f","type":{"type":"array","items":"int","default":{}}}`),
		record(`{"name":"a b","type":"int"},{"name":"","type":"int"},{"name":"1","type":"int"},{"name":"é","type":"int"}`),
		record(`{"name":"e","type":{"type":"enum","name":"E","symbols":["A-B",""],"default":"C"}}`),
		record(`{"name":"x","type":{"type":"record","name":"X","fields":[],"aliases":["R"]}}`),
		` "int" `,
	} {
		if _, err := ParseAvro([]byte(text), limits); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAvroRefused(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 300) + `"int"` + strings.Repeat(`}`, 300)
	doubling := `{"name":"f0","type":{"type":"record","name":"D0","fields":[{"name":"x","type":"int"}]}}`
	for i := 1; i < 40; i++ {
		doubling += fmt.Sprintf(`,{"name":"f%d","type":{"type":"record","name":"D%d","fields":[{"name":"x","type":"D%d"},{"name":"y","type":"D%d"}]}}`, i, i, i-1, i-1)
	}
	for _, x := range []struct {
		name, text string
		is         error
	}{
		{"no JSON", `{"type":`, nil},
		{"nothing", ``, nil},
		{"number", `5`, nil},
		{"null", `null`, nil},
		{"no type", `{}`, nil},
		{"unknown type", `"integer"`, nil},
		{"no name", `{"type":"record","fields":[]}`, nil},
		{"no fields", `{"type":"record","name":"R"}`, nil},
		{"field without a name", record(`{"type":"int"}`), nil},
		{"field that is none", record(`5`), nil},
		{"field without a type", record(`{"name":"f"}`), nil},
		{"named after a primitive", `{"type":"record","name":"int","fields":[]}`, nil},
		{"field twice", record(`{"name":"f","type":"int"},{"name":"f","type":"long"}`), nil},
		{"type twice", record(`{"name":"a","type":{"type":"fixed","name":"F","size":1}},{"name":"b","type":{"type":"fixed","name":"F","size":1}}`), nil},
		{"branch twice", `["int","string","int"]`, nil},
		{"two nulls", `["null","null"]`, nil},
		{"two arrays", `[{"type":"array","items":"int"},{"type":"array","items":"long"}]`, nil},
		{"union in a union", `["null",["int"]]`, nil},
		{"symbol twice", `{"type":"enum","name":"E","symbols":["A","A"]}`, nil},
		{"symbol that is no text", `{"type":"enum","name":"E","symbols":[1]}`, nil},
		{"array of nothing", `{"type":"array"}`, nil},
		{"map of nothing", `{"type":"map"}`, nil},
		{"fixed without size", `{"type":"fixed","name":"F"}`, nil},
		{"fixed of negative size", `{"type":"fixed","name":"F","size":-1}`, nil},
		{"fixed too large", `{"type":"fixed","name":"F","size":1000000000}`, nil},
		{"fixed of half a byte", `{"type":"fixed","name":"F","size":0.5}`, nil},
		{"recursive", record(`{"name":"next","type":["null","R"]}`), ErrRecursive},
		{"recursive through an array", record(`{"name":"children","type":{"type":"array","items":"n.s.R"}}`), ErrRecursive},
		{"recursive through another", record(`{"name":"a","type":{"type":"record","name":"A","fields":[{"name":"m","type":{"type":"map","values":"R"}}]}}`), ErrRecursive},
		{"deep", deep, errs.ErrLimit},
		{"brackets", strings.Repeat("[", 20_000), nil},
		{"exponential", record(doubling), errs.ErrLimit},
		{"long", `"int"` + strings.Repeat(" ", 3<<20), errs.ErrLimit},
		{"many branches", `[` + strings.Join(branches(128), ",") + `]`, nil},
	} {
		_, err := ParseAvro([]byte(x.text), limits)
		if err == nil || x.is != nil && !errors.Is(err, x.is) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if _, err := ParseAvro([]byte(`[`+strings.Join(branches(127), ",")+`]`), limits); err != nil {
		t.Errorf("127 branches: %v", err)
	}
}

func branches(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(`{"type":"fixed","name":"F%d","size":1}`, i))
	}
	return out
}

// Column names, types, flags and parents, as AvroColumnator makes them (docs/formats/trevni.md).
func TestShred(t *testing.T) {
	point := `{"type":"record","name":"Point","namespace":"geo","fields":[{"name":"x","type":"int"},{"name":"y","type":["null","double"]}]}`
	for _, x := range []struct {
		schema string
		want   string // name type [flags], one column after another
	}{
		{`"int"`, "int int"},
		{`{"type":"enum","name":"Color","namespace":"x.y","symbols":["R"]}`, "x.y.Color int"},
		{`{"type":"fixed","name":"F","size":3}`, "F bytes"},
		{`["null"]`, ""},
		{`"null"`, "null null"},
		{`["null","string"]`, "string string array"},
		{`{"type":"array","items":"long"}`, "[] long array"},
		{`{"type":"map","values":"long"}`, "> null array; >key string of >; >value long of >"},
		{record(``), ""},
		{record(`{"name":"a","type":"boolean"},{"name":"b","type":"bytes"},{"name":"n","type":"null"}`), "a boolean; b bytes; n null"},
		{record(`{"name":"p","type":` + point + `}`), "p#x int; p#y/double double array"},
		{record(`{"name":"p","type":["null",` + point + `]}`), "p/geo.Point null array; p/geo.Point#x int of p/geo.Point; p/geo.Point#y/double double array of p/geo.Point"},
		{record(`{"name":"a","type":{"type":"array","items":` + point + `}}`), "a[] null array; a[]#x int of a[]; a[]#y/double double array of a[]"},
		{record(`{"name":"a","type":{"type":"array","items":{"type":"array","items":"int"}}}`), "a[] null array; a[][] int array of a[]"},
		{record(`{"name":"a","type":{"type":"array","items":{"type":"map","values":"int"}}}`), "a[] null array; a[]> null array of a[]; a[]>key string of a[]>; a[]>value int of a[]>"},
		{record(`{"name":"a","type":{"type":"array","items":["null","int"]}}`), "a[] null array; a[]/int int array of a[]"},
		{record(`{"name":"m","type":{"type":"map","values":` + point + `}}`), "m> null array; m>key string of m>; m>value#x int of m>; m>value#y/double double array of m>"},
		{
			record(`{"name":"u","type":["int",{"type":"array","items":"int"},{"type":"map","values":"int"},"null",{"type":"enum","name":"E","symbols":[]}]}`),
			"u/int int array; u/array null array; u/array[] int array of u/array; u/map null array; u/map> null array of u/map; u/map>key string of u/map>; u/map>value int of u/map>; u/n.s.E int array",
		},
		{record(`{"name":"u","type":["int"]}`), "u/int int array"},
	} {
		_, columns, err := Shred(parseAvro(t, x.schema), limits)
		if err != nil {
			t.Errorf("%s: %v", x.schema, err)
			continue
		}
		var got []string
		for _, c := range columns {
			s := c.Name + " " + c.Type.String()
			if c.Array {
				s += " array"
			}
			if c.Parent >= 0 {
				s += " of " + columns[c.Parent].Name
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "; "); g != x.want {
			t.Errorf("%s:\n got %s\nwant %s", x.schema, g, x.want)
		}
	}
}

// The columns of every Avro file that Java wrote are those that its schema shreds into, and the schema's text, read and
// written, says the same.
func TestShredFixtures(t *testing.T) {
	seen := 0
	for _, path := range files(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := ParseHeader(b, int64(len(b)), limits)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := h.Meta.Get(KeyAvro)
		if !ok {
			continue
		}
		seen++
		s := parseAvro(t, string(text))
		tree, columns, err := Shred(s, limits)
		if err != nil {
			t.Fatal(err)
		}
		for i := range max(len(columns), len(h.Columns)) {
			if i >= len(columns) || i >= len(h.Columns) {
				t.Errorf("%s: %d columns, the file has %d", path, len(columns), len(h.Columns))
				break
			}
			if a, b := columns[i], h.Columns[i]; a.Name != b.Name || a.Type != b.Type || a.Array != b.Array || a.Parent != b.Parent || !reflect.DeepEqual(a.Children, b.Children) {
				t.Errorf("%s: column %d is %+v, the file has %+v", path, i, a, b)
			}
		}
		view, err := RecordsView(h, s, limits, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if !sameTypes(view, tree) {
			t.Errorf("%s: %v\nshredded %v", path, view.Schema, tree.Schema)
		}
		if again := parseAvro(t, string(s.JSON())); !reflect.DeepEqual(s, again) {
			t.Errorf("%s: %s\nis not %s", path, s.JSON(), text)
		}
	}
	if seen < 20 {
		t.Errorf("only %d files", seen)
	}
}

func sameTypes(a, b *Tree) bool {
	if len(a.Roots) != len(b.Roots) {
		return false
	}
	for i := range a.Roots {
		if a.Roots[i].Field.Type.Fingerprint() != b.Roots[i].Field.Type.Fingerprint() || a.Roots[i].Field.Name != b.Roots[i].Field.Name {
			return false
		}
	}
	return true
}

// A schema that does not describe the columns is refused, and says where it leaves them.
func TestRecordsViewRefused(t *testing.T) {
	int1, long1 := meta(KeyName, "a", KeyType, "int"), meta(KeyName, "a", KeyType, "long")
	for _, x := range []struct {
		schema  string
		columns []Meta
	}{
		{record(`{"name":"a","type":"int"}`), nil},
		{record(`{"name":"a","type":"int"}`), []Meta{long1}},
		{record(`{"name":"b","type":"int"}`), []Meta{int1}},
		{record(`{"name":"a","type":"int"}`), []Meta{int1, long1}},
		{record(`{"name":"a","type":["null","int"]}`), []Meta{int1}},
		{record(``), []Meta{int1}},
		{record(`{"name":"a","type":{"type":"array","items":"int"}}`), []Meta{meta(KeyName, "a[]", KeyType, "int")}},
		{record(`{"name":"a","type":{"type":"array","items":["null","int"]}}`), []Meta{meta(KeyName, "a[]", KeyType, "null", KeyArray, ""), meta(KeyName, "a[]/int", KeyType, "int", KeyArray, "")}},
	} {
		h, err := parse(nil, x.columns...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RecordsView(h, parseAvro(t, x.schema), limits, nil); err == nil {
			t.Errorf("%s over %v", x.schema, x.columns)
		}
	}
}

// Arrow's idea of a view, written by hand.
func TestViews(t *testing.T) {
	h, err := parse(nil,
		meta(KeyName, "id", KeyType, "long", "unit", "ms"),
		meta(KeyName, "tags", KeyType, "string", KeyArray, ""),
		meta(KeyName, "a", KeyType, "int", KeyArray, ""),
		meta(KeyName, "b", KeyType, "null", KeyArray, "", KeyParent, "a"),
		meta(KeyName, "value", KeyType, "double", KeyParent, "b"),
		meta(KeyName, "c", KeyType, "boolean", KeyParent, "a"),
	)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := ColumnsView(h, limits)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range tree.Schema.Fields() {
		got = append(got, fmt.Sprintf("%s: %v", f.Name, f.Type))
	}
	want := []string{
		"id: int64",
		"tags: list<item: utf8>",
		"a: list<item: struct<value: int32, b: list<item: struct<value: float64>>, c: bool>>",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if v, ok := tree.Schema.Field(0).Metadata.GetValue(MetaUser + "unit"); !ok || v != "ms" {
		t.Errorf("metadata %v", tree.Schema.Field(0).Metadata)
	}
}
