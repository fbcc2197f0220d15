package iceberg

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// nested is the example of the specification's Appendix C, and a field of each type.
const nested = `{"type": "struct", "schema-id": 3, "fields": [
	{"id": 1, "name": "id", "required": true, "type": "long"},
	{"id": 2, "name": "tags", "required": false, "type": {"type": "list", "element-id": 3, "element": "string", "element-required": true}},
	{"id": 4, "name": "m", "required": true, "type": {"type": "map", "key-id": 5, "key": "uuid", "value-id": 6, "value": "fixed[7]", "value-required": false}},
	{"id": 7, "name": "s", "required": false, "type": {"type": "struct", "fields": [
		{"id": 8, "name": "d", "required": true, "type": "decimal(9, 2)"}, {"id": 9, "name": "t", "required": false, "type": "timestamptz"}]}}]}`

func TestParse(t *testing.T) {
	table, err := Parse([]byte(nested))
	if err != nil {
		t.Fatal(err)
	}
	fields, err := Schema(table.Current, ArrowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := arrow.NewSchema(fields, nil)
	for i, want := range []string{
		"int64", "list<item: utf8, nullable>", "map<fixed_size_binary[16], fixed_size_binary[7], items_nullable>",
		"struct<d: decimal(9, 2), t: timestamp[us, tz=UTC]>",
	} {
		if got := s.Field(i).Type.String(); got != want {
			t.Errorf("column %d is %s, not %s", i, got, want)
		}
	}
	if s.Field(0).Nullable || !s.Field(1).Nullable || s.Field(2).Nullable {
		t.Error("wrong nulls", s)
	}
	// A required field of an optional struct may be missing.
	if st := s.Field(3).Type.(*arrow.StructType); !st.Field(0).Nullable {
		t.Error(st)
	}
	if v, _ := s.Field(3).Metadata.GetValue(MetaFieldID); v != "7" {
		t.Error(s.Field(3))
	}
	key := s.Field(2).Type.(*arrow.MapType).KeyField()
	if v, _ := key.Metadata.GetValue(MetaExtension); v != ExtensionUUID {
		t.Error(key)
	}
	text, err := SchemaJSON(table.Current)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(text, &a), json.Unmarshal([]byte(strings.Replace(nested, `"schema-id": 3`, `"schema-id": 0`, 1)), &b)); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	if y, _ := json.Marshal(b); string(x) != string(y) {
		t.Errorf("%s\nis not\n%s", x, y)
	}
}

func TestParseTable(t *testing.T) {
	table, err := Parse([]byte(`{"format-version": 2, "current-schema-id": 1, "schemas": [
		{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "required": false, "type": "int"}]},
		{"type": "struct", "schema-id": 1, "fields": [{"id": 1, "name": "b", "required": false, "type": "long"}]}],
		"properties": {"schema.name-mapping.default": "[{\"field-id\": 1, \"names\": [\"a\", \"b\"], \"fields\": [{\"names\": [\"x\"]}]}]"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if table.Current[0].Name != "b" || len(table.Older) != 1 || table.Older[0][0].Type.Kind != Int {
		t.Errorf("%+v", table)
	}
	if n := Lookup(table.Mapping, "a"); n == nil || n.ID != 1 || n.Fields[0].ID != -1 || Lookup(table.Mapping, "A") != nil {
		t.Errorf("%+v", table.Mapping)
	}
	if table, err = Parse([]byte(`{"schema": {"type": "struct", "fields": []}}`)); err != nil || len(table.Current) != 0 || table.Mapping != nil {
		t.Error(table, err)
	}
}

var bads = []string{
	``, `1`, `[]`, `{}`, `{"type": "int"}`, `{"type": 1}`, `{"type": "struct", "fields": [{}]}`, `{"schemas": [{}]}`,
	`{"schemas": [{"type": "struct", "schema-id": 1}], "current-schema-id": 2}`,
	`{"schemas": [{"type": "struct", "schema-id": 1}, {"type": "struct", "schema-id": 1}], "current-schema-id": 1}`,
	`{"schema": {"type": "struct"}, "properties": {"schema.name-mapping.default": "{"}}`,
	`{"schema": {"type": "struct"}, "properties": {"schema.name-mapping.default": "[{\"field-id\": -1}]"}}`,
	field(`"what"`), field(`"decimal(39, 1)"`), field(`"decimal(3, 4)"`), field(`"fixed[0]"`), field(`"fixed[99999999999]"`), field(`"struct"`),
	field(`"decimal"`), field(`{"type": "list"}`), field(`{"type": "list", "element-id": 1, "element": "int"}`),
	field(`{"type": "map", "key-id": 2, "key": "int", "value-id": 2, "value": "int"}`), field(`{"type": "map", "key-id": 2, "key": "int"}`),
	`{"type": "struct", "fields": [{"id": 3000000000, "name": "a", "type": "int"}]}`, `{"type": "struct", "fields": [{"id": -1, "name": "a", "type": "int"}]}`,
	`{"type": "struct", "fields": [{"id": 1, "name": "a", "type": "int"}, {"id": 2, "name": "a", "type": "int"}]}`,
	deep(),
}

func field(typ string) string {
	return `{"type": "struct", "fields": [{"id": 1, "name": "a", "type": ` + typ + `}]}`
}

func deep() string {
	text := `"int"`
	for i := range 80 {
		text = strings.ReplaceAll(`{"type": "list", "element-id": N, "element": `, "N", strings.Repeat("1", 1+i%9)) + text + `}`
	}
	return field(text)
}

func TestParseBad(t *testing.T) {
	for _, text := range bads {
		if _, err := Parse([]byte(text)); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(nested)
	for _, text := range bads {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse([]byte(text))
		if err != nil {
			return
		}
		if _, err := Schema(table.Current, ArrowOptions{}); err != nil && !errors.Is(err, errs.ErrOption) {
			t.Error(err)
		}
	})
}

// TestDefaults reads single values of the specification's Appendix D as Arrow does.
func TestDefaults(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{`"boolean"`, `true`, "[true]"},
		{`"int"`, `34`, "[34]"},
		{`"long"`, `9007199254740993`, "[9007199254740993]"},
		{`"float"`, `1.0`, "[1]"},
		{`"double"`, `-2.5e300`, "[-2.5e+300]"},
		{`"decimal(9, 2)"`, `"14.20"`, "[14.2]"},
		{`"decimal(38, 0)"`, `"2E+20"`, "[200000000000000000000]"},
		{`"date"`, `"2017-11-16"`, "[17486]"},
		{`"time"`, `"22:31:08.123456"`, "[81068123456]"},
		{`"time"`, `"10:15"`, "[36900000000]"},
		{`"timestamp"`, `"2017-11-16T22:31:08.123456"`, "[1510871468123456]"},
		{`"timestamp"`, `"2017-11-16T22:31"`, "[1510871460000000]"},
		{`"timestamptz"`, `"2017-11-16T23:31+01:00"`, "[1510871460000000]"},
		{`"timestamp_ns"`, `"2017-11-16T22:31"`, "[1510871460000000000]"},
		{`"timestamp"`, `"2500-01-01T00:00:00"`, "[16725225600000000]"},
		{`"timestamptz"`, `"2017-11-16T22:31:08.123456+00:00"`, "[1510871468123456]"},
		{`"timestamptz"`, `"2017-11-16T23:31:08.123456+01:00"`, "[1510871468123456]"},
		{`"timestamp_ns"`, `"2017-11-16T22:31:08.123456789"`, "[1510871468123456789]"},
		{`"string"`, `"iceberg"`, `["iceberg"]`},
		{`"uuid"`, `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`, "f79c3e09677c4bbda4793f349cb785e7"},
		{`"fixed[4]"`, `"00010203"`, "00010203"},
		{`"binary"`, `"000102"`, "000102"},
		{`{"type": "list", "element-id": 2, "element": "int"}`, `[1, null, 3]`, `[[1 (null) 3]]`},
		{`{"type": "map", "key-id": 2, "key": "string", "value-id": 3, "value": "long"}`, `{"keys": ["a", "b"], "values": [1, null]}`, `[{["a" "b"] [1 (null)]}]`},
		{`{"type": "struct", "fields": [{"id": 2, "name": "x", "type": "int"}, {"id": 3, "name": "y", "type": "string", "initial-default": "d"}]}`, `{"2": 7}`, `{[7] ["d"]}`},
	} {
		table, err := Parse([]byte(`{"type": "struct", "fields": [{"id": 1, "name": "a", "type": ` + c.typ + `, "initial-default": ` + c.value + `}]}`))
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		fields, err := Schema(table.Current, ArrowOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		text, _ := fields[0].Metadata.GetValue(view.MetaDefault)
		a, _, err := array.FromJSON(memory.DefaultAllocator, fields[0].Type, strings.NewReader("["+text+"]"))
		if err != nil {
			t.Errorf("%s: %s: %v", c.typ, text, err)
			continue
		}
		if got := show(a); got != c.want {
			t.Errorf("%s: %s is %s, not %s", c.typ, c.value, got, c.want)
		}
		a.Release()
	}
}

// show is an array of one value as text.
func show(a arrow.Array) string {
	switch a := a.(type) {
	case *array.FixedSizeBinary:
		return hexOf(a.Value(0))
	case *array.Binary:
		return hexOf(a.Value(0))
	case *array.Timestamp:
		return "[" + jsonOf(int64(a.Value(0))) + "]"
	case *array.Time64:
		return "[" + jsonOf(int64(a.Value(0))) + "]"
	case *array.Date32:
		return "[" + jsonOf(int64(a.Value(0))) + "]"
	case *array.Decimal128:
		return "[" + a.ValueStr(0) + "]"
	}
	return a.String()
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

func TestBadDefaults(t *testing.T) {
	for _, c := range [][2]string{
		{`"boolean"`, `1`},
		{`"int"`, `3000000000`},
		{`"int"`, `1.5`},
		{`"long"`, `"1"`},
		{`"float"`, `1e300`},
		{`"decimal(3, 2)"`, `"14.20"`},
		{`"decimal(9, 2)"`, `"1.001"`},
		{`"decimal(9, 2)"`, `"1e999999999"`},
		{`"date"`, `"2017-02-30"`},
		{`"time"`, `"22:31:08.1234567"`},
		{`"time"`, `"22:31.5"`},
		{`"time"`, `"22"`},
		{`"timestamp"`, `"2017-11-16T22"`},
		{`"timestamp"`, `"2017-11-16"`},
		{`"timestamp"`, `"2017-11-16T22:31:08Z"`},
		{`"timestamptz"`, `"2017-11-16T22:31:08"`},
		{`"uuid"`, `"f79c3e09"`},
		{`"fixed[4]"`, `"0001"`},
		{`"binary"`, `"0g"`},
		{`"unknown"`, `1`},
		{`{"type": "list", "element-id": 2, "element": "int", "element-required": true}`, `[null]`},
		{`{"type": "map", "key-id": 2, "key": "string", "value-id": 3, "value": "long"}`, `{"keys": ["a"], "values": []}`},
		{`{"type": "struct", "fields": [{"id": 2, "name": "x", "required": true, "type": "int"}]}`, `{}`},
	} {
		table, err := Parse([]byte(`{"type": "struct", "fields": [{"id": 1, "name": "a", "type": ` + c[0] + `, "initial-default": ` + c[1] + `}]}`))
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if _, err := Schema(table.Current, ArrowOptions{}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %s: %v", c[0], c[1], err)
		}
	}
}

// TestAssignIDs numbers the fields of a struct before what is in them, as Iceberg's AssignFreshIds does.
func TestAssignIDs(t *testing.T) {
	n := func(name string, children ...Field) Field {
		return Field{ID: NoID, Name: name, Type: Type{Kind: Struct, Fields: children}}
	}
	fields := []Field{n("a"), n("b", n("c"), n("d", n("e"))), n("f", n("g"))}
	fields[0].ID = 10
	if err := AssignIDs(fields); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    Field
		want int32
	}{
		{fields[0], 10},
		{fields[1], 11},
		{fields[2], 12},
		{fields[1].Type.Fields[0], 13},
		{fields[1].Type.Fields[1], 14},
		{fields[1].Type.Fields[1].Type.Fields[0], 15},
		{fields[2].Type.Fields[0], 16},
	} {
		if c.f.ID != c.want {
			t.Errorf("%s has %d, not %d", c.f.Name, c.f.ID, c.want)
		}
	}
	fields[1].ID = 10
	if err := AssignIDs(fields); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
}
