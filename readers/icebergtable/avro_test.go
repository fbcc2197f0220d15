package icebergtable_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

// avroData writes rows as an Avro file and lists it.
func (b *builder) avroData(e fileEntry, schema string, rows ...map[string]any) {
	b.t.Helper()
	e.format, e.rows = "avro", len(rows)
	b.avroFile("data/"+e.name, schema, nil, rows)
	b.entries = append(b.entries, e)
}

// typesInAvro has a field of each type as the specification has it ("Appendix A: Avro"), under names that are not those of the table.
const typesInAvro = `{"type": "record", "name": "table", "fields": [
	{"name": "x1", "field-id": 1, "type": ["null", "int"]},
	{"name": "x2", "field-id": 2, "type": "float"},
	{"name": "x3", "field-id": 3, "type": {"type": "fixed", "name": "d", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}},
	{"name": "gone", "field-id": 99, "type": {"type": "map", "values": "string", "key-id": 98, "value-id": 97}},
	{"name": "x4", "field-id": 4, "type": {"type": "int", "logicalType": "date"}},
	{"name": "x5", "field-id": 5, "type": {"type": "long", "logicalType": "time-micros"}},
	{"name": "x6", "field-id": 6, "type": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": false}},
	{"name": "x7", "field-id": 7, "type": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": true}},
	{"name": "x8", "field-id": 8, "type": ["null", {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": true}]},
	{"name": "x9", "field-id": 9, "type": ["string", "null"]},
	{"name": "x10", "field-id": 10, "type": {"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"}},
	{"name": "x11", "field-id": 11, "type": {"type": "fixed", "name": "f", "size": 2}},
	{"name": "x12", "field-id": 12, "type": "bytes"},
	{"name": "x13", "field-id": 13, "type": ["null", {"type": "record", "name": "r13", "fields": [{"name": "y", "type": "null"}, {"name": "z", "field-id": 14, "type": ["null", "boolean"]}]}]},
	{"name": "x15", "field-id": 15, "type": {"type": "array", "element-id": 16, "items": ["null", "int"]}},
	{"name": "x17", "field-id": 17, "type": {"type": "map", "key-id": 18, "value-id": 19, "values": ["null", "double"]}},
	{"name": "x20", "field-id": 20, "type": {"type": "array", "logicalType": "map", "items": {"type": "record", "name": "k21_v22", "fields": [
		{"name": "key", "field-id": 21, "type": "int"}, {"name": "value", "field-id": 22, "type": ["null", "string"]}]}}}]}`

const typesInTable = `[
	{"id": 20, "name": "pairs", "required": true, "type": {"type": "map", "key-id": 21, "key": "long", "value-id": 22, "value": "string", "value-required": false}},
	{"id": 1, "name": "i", "required": false, "type": "long"}, {"id": 2, "name": "f", "required": true, "type": "double"},
	{"id": 3, "name": "d", "required": true, "type": "decimal(11, 2)"}, {"id": 4, "name": "day", "required": true, "type": "date"},
	{"id": 5, "name": "t", "required": true, "type": "time"}, {"id": 6, "name": "ts", "required": true, "type": "timestamp"},
	{"id": 7, "name": "tz", "required": true, "type": "timestamptz"}, {"id": 8, "name": "tzn", "required": false, "type": "timestamptz_ns"},
	{"id": 9, "name": "s", "required": false, "type": "string"}, {"id": 10, "name": "u", "required": true, "type": "uuid"},
	{"id": 11, "name": "fx", "required": true, "type": "fixed[2]"}, {"id": 12, "name": "b", "required": true, "type": "binary"},
	{"id": 13, "name": "st", "required": false, "type": {"type": "struct", "fields": [{"id": 23, "name": "new", "required": false, "type": "int", "initial-default": 7},
		{"id": 14, "name": "bool", "required": false, "type": "boolean"}]}},
	{"id": 15, "name": "l", "required": true, "type": {"type": "list", "element-id": 16, "element": "long", "element-required": false}},
	{"id": 17, "name": "m", "required": true, "type": {"type": "map", "key-id": 18, "key": "string", "value-id": 19, "value": "double", "value-required": false}},
	{"id": 24, "name": "none", "required": false, "type": "unknown"}, {"id": 25, "name": "later", "required": true, "type": "string", "initial-default": "x"}]`

// TestAvroTypes reads every type from Avro, by ids, with those that were promoted, added and renamed.
func TestAvroTypes(t *testing.T) {
	b := newBuilder(t)
	b.version, b.schema = 3, typesInTable
	row := func(n int64, more map[string]any) map[string]any {
		out := map[string]any{
			"x1": int32(n), "x2": float32(1.5), "x3": []byte{0xff, 0xff, 0xff, 0x85}, "gone": map[string]string{"a": "b"}, "x4": int32(1), "x5": int64(2), "x6": int64(3), "x7": int64(4),
			"x8": int64(5), "x9": "é", "x10": [16]byte{15: 1}, "x11": [2]byte{1, 2}, "x12": []byte{3}, "x13": map[string]any{"y": nil, "z": true},
			"x15": []any{int32(1), nil}, "x17": map[string]any{"k": 2.5}, "x20": []any{map[string]any{"key": int32(7), "value": "seven"}, map[string]any{"key": int32(8), "value": nil}},
		}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	plain := row(0, map[string]any{"x1": nil, "x8": nil, "x9": nil, "x13": nil, "x15": []any{}, "x17": map[string]any{}, "x20": []any{}})
	b.avroData(fileEntry{name: "a.avro", sequence: 1}, typesInAvro, row(1, nil), plain)
	got, _, err := rowsOf(t, b.build(), readers.Options{}, "")
	want := []string{ // floats by their bits, moments as seconds and nanoseconds
		`[[[7,"seven"],[8,null]],1,"d3ff8000000000000","-1.23",1,2,[0,3000],[0,4000],[0,5],"\u00e9","00000000000000000000000000000001","0102","03",[7,true],[1,null],[["k","d4004000000000000"]],null,"x"]`,
		`[[],null,"d3ff8000000000000","-1.23",1,2,[0,3000],[0,4000],null,null,"00000000000000000000000000000001","0102","03",null,[],[],null,"x"]`,
	}
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s\nnot\n%s", got[i], want[i])
		}
	}
}

// longAndText is the schema of files with two columns; the second placeholders are properties of their fields.
func longAndText(id, name string) string {
	return `{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"` + id + `}, {"name": "n", "type": ["null", "string"]` + name + `}]}`
}

const idAndName = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 3, "name": "name", "required": false, "type": "string"}]`

// TestAvroFiles reads data files and delete files in Avro beside others: columns without ids by a mapping of names, values of
// partitions, and both kinds of deletes, of files in every format by files in every format.
func TestAvroFiles(t *testing.T) {
	ids := longAndText(`, "field-id": 1`, `, "field-id": 3`)
	line := func(id int64, name any) map[string]any { return map[string]any{"id": id, "n": name} }
	b := newBuilder(t)
	b.schema = idAndName
	b.edit = func(m map[string]any) {
		m["properties"] = map[string]string{"schema.name-mapping.default": `[{"field-id": 1, "names": ["id"]}, {"field-id": 3, "names": ["n", "name"]}]`}
	}
	b.avroData(fileEntry{name: "a.avro", sequence: 1}, ids, line(0, "a"), line(1, "b"), line(2, nil), line(3, "d"))
	b.avroData(fileEntry{name: "names.avro", sequence: 1}, longAndText("", ""), line(10, "j"), line(11, "k"), line(12, "l"))
	b.file(fileEntry{name: "o.orc", sequence: 1}, column{"id", 1, i64, `[20,21,22]`})
	b.file(fileEntry{name: "p.parquet", sequence: 1}, column{"id", 1, i64, `[30,31,32]`})
	positions := `{"type": "record", "name": "p", "fields": [{"name": "file_path", "type": "string", "field-id": 2147483546}, {"name": "pos", "type": "long", "field-id": 2147483545}]}`
	var rows []map[string]any
	for _, name := range []string{"a.avro", "names.avro", "o.orc", "p.parquet"} {
		rows = append(rows, map[string]any{"file_path": b.said + "/data/" + name, "pos": int64(1)})
	}
	b.avroData(fileEntry{name: "pos.avro", sequence: 2, content: 1}, positions, rows...)
	b.avroData(fileEntry{name: "eq.avro", sequence: 2, content: 2, equality: []int32{3}}, ids, line(0, "d"), line(0, "l"))
	b.avroData(fileEntry{name: "eq1.avro", sequence: 2, content: 2, equality: []int32{1}}, ids, line(22, ""), line(32, ""))
	b.file(fileEntry{name: "eq.orc", sequence: 2, content: 2, equality: []int32{1}}, column{"id", 1, i64, `[2]`})
	dir := b.build()
	want := []string{`[0,"a"]`, `[10,"j"]`, `[20,null]`, `[30,null]`}
	got, _, err := rowsOf(t, dir, readers.Options{}, "")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, err)
	}
	if got, _, err = rowsOf(t, dir, readers.Options{}, "name = 'j'"); err != nil || !slices.Equal(got, want[1:2]) {
		t.Errorf("%q, not %q: %v", got, want[1:2], err)
	}
	if got, texts := faultsOf(t, dir); len(got) > 0 {
		t.Errorf("%q %q", got, texts)
	}
}

// TestMappingContradicts has a mapping of names that gives a column of text the id of a number.
func TestMappingContradicts(t *testing.T) {
	b := newBuilder(t)
	b.schema = idAndName
	b.edit = func(m map[string]any) {
		m["properties"] = map[string]string{"schema.name-mapping.default": `[{"field-id": 3, "names": ["id"]}, {"field-id": 1, "names": ["n", "name"]}]`}
	}
	b.avroData(fileEntry{name: "names.avro", sequence: 1}, longAndText("", ""), map[string]any{"id": int64(10), "n": "j"})
	_, _, err := rowsOf(t, b.build(), readers.Options{}, "")
	for _, want := range []string{"names.avro", "is not promoted to", `{"field-id": 3, "names": ["id"]}`} {
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %s", err, want)
		}
	}
}

// TestAvroPartitions takes a column from the partition of an Avro file that does not have it.
func TestAvroPartitions(t *testing.T) {
	b := newBuilder(t)
	b.schema = idAndDay
	b.spec = `[{"source-id": 2, "field-id": 1000, "name": "day", "transform": "identity"}]`
	b.avro = `{"name": "day", "field-id": 1000, "type": ["null", {"type": "int", "logicalType": "date"}]}`
	b.avroData(fileEntry{name: "a.avro", sequence: 1, partition: map[string]any{"day": 19723}}, longAndText(`, "field-id": 1`, ""), map[string]any{"id": int64(5), "n": nil})
	if got, _, err := rowsOf(t, b.build(), readers.Options{}, ""); err != nil || !slices.Equal(got, []string{`[5,19723]`}) {
		t.Errorf("%q %v", got, err)
	}
}

// TestAvroTimes reads timestamps of files that do not say whether they are instants as what the table says, in the file's unit.
func TestAvroTimes(t *testing.T) {
	for _, c := range []struct {
		logical string
		table   string
		value   int64
		want    string // "" = an error
	}{
		{`"timestamp-micros"`, "timestamp", 7, `[[0,7000]]`},
		{`"timestamp-micros"`, "timestamptz", 7, `[[0,7000]]`},
		{`"timestamp-millis"`, "timestamp", 7, `[[0,7000000]]`},
		{`"timestamp-millis"`, "timestamptz", 7, `[[0,7000000]]`},
		{`"timestamp-micros", "adjust-to-utc": true`, "timestamp", 7, ""},
		{`"timestamp-micros", "adjust-to-utc": false`, "timestamptz", 7, ""},
		{`"local-timestamp-micros"`, "timestamp", 7, `[[0,7000]]`},
		{`"local-timestamp-micros"`, "timestamptz", 7, ""},
	} {
		b := newBuilder(t)
		b.schema = `[{"id": 1, "name": "t", "required": false, "type": "` + c.table + `"}]`
		b.avroData(fileEntry{name: "a.avro", sequence: 1}, `{"type": "record", "name": "r", "fields": [{"name": "t", "field-id": 1, "type": {"type": "long", "logicalType": `+c.logical+`}}]}`, map[string]any{"t": c.value})
		got, _, err := rowsOf(t, b.build(), readers.Options{}, "")
		if c.want == "" && !errors.Is(err, errs.ErrSchema) || c.want != "" && (err != nil || !slices.Equal(got, []string{c.want})) {
			t.Errorf("%s as %s: %q %v", c.logical, c.table, got, err)
		}
	}
}

// TestAvroRefused refuses what a file does not have in the way the table wants it.
func TestAvroRefused(t *testing.T) {
	for _, c := range []struct {
		name, table, avro string
		value             any
		kind              errs.Kind
	}{
		{"a null in a required column", `"required": true, "type": "long"`, `["null", "long"]`, nil, errs.ErrCorrupt},
		{
			"a null in a required part", `"required": true, "type": {"type": "struct", "fields": [{"id": 2, "name": "b", "required": true, "type": "long"}]}`,
			`{"type": "record", "name": "s", "fields": [{"name": "b", "field-id": 2, "type": ["null", "long"]}]}`,
			map[string]any{"b": nil},
			errs.ErrCorrupt,
		},
		{"another type", `"required": false, "type": "int"`, `"string"`, "x", errs.ErrSchema},
		{"a type that became narrower", `"required": false, "type": "int"`, `"long"`, int64(1), errs.ErrSchema},
		{"another scale", `"required": false, "type": "decimal(9, 3)"`, `{"type": "fixed", "name": "d", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}`, []byte{0, 0, 0, 1}, errs.ErrSchema},
		{"a decimal beyond its precision", `"required": false, "type": "decimal(2, 0)"`, `{"type": "fixed", "name": "d", "size": 4, "logicalType": "decimal", "precision": 2, "scale": 0}`, []byte{0, 0, 0, 100}, errs.ErrCorrupt},
		{"text for a uuid", `"required": false, "type": "uuid"`, `{"type": "string", "logicalType": "uuid"}`, "00000000-0000-0000-0000-000000000001", errs.ErrSchema},
		{
			"an array that is no map", `"required": false, "type": {"type": "map", "key-id": 2, "key": "int", "value-id": 3, "value": "int", "value-required": false}`,
			`{"type": "array", "items": {"type": "record", "name": "kv", "fields": [{"name": "key", "field-id": 2, "type": "int"}, {"name": "value", "field-id": 3, "type": "int"}]}}`,
			[]any{},
			errs.ErrSchema,
		},
		{"an id that is none", `"required": false, "type": "int"`, `"int", "field-id": "x"`, int32(1), errs.ErrCorrupt},
	} {
		b := newBuilder(t)
		b.schema = `[{"id": 1, "name": "a", ` + c.table + `}]`
		id := `, "field-id": 1`
		if strings.Contains(c.avro, `"field-id": "x"`) {
			id = ""
		}
		b.avroData(fileEntry{name: "a.avro", sequence: 1}, `{"type": "record", "name": "r", "fields": [{"name": "a"`+id+`, "type": `+c.avro+`}]}`, map[string]any{"a": c.value})
		if _, _, err := rowsOf(t, b.build(), readers.Options{}, ""); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, not %v", c.name, err, c.kind)
		}
	}
	b := newBuilder(t)
	b.schema = idAndDay
	b.avroFile("data/a.avro", `"long"`, nil, nil)
	b.entries = append(b.entries, fileEntry{name: "a.avro", format: "avro", sequence: 1})
	if _, _, err := rowsOf(t, b.build(), readers.Options{}, ""); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("rows that are no records: %v", err)
	}
}
