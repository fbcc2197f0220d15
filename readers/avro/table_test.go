package avro

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
)

// tableSchema is a schema as tables of Iceberg have it.
const tableSchema = `{"type": "record", "name": "r", "fields": [
	{"name": "a", "field-id": 1, "type": ["null", {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": false}]},
	{"name": "b", "field-id": 2, "type": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": true}},
	{"name": "c", "field-id": 3, "type": {"type": "array", "element-id": 4, "items": {"type": "long", "logicalType": "timestamp-micros"}}},
	{"name": "d", "field-id": 5, "type": {"type": "map", "key-id": 6, "value-id": 7, "values": "int"}},
	{"name": "e", "field-id": 8, "type": {"type": "array", "logicalType": "map", "items": {"type": "record", "name": "kv", "fields": [
		{"name": "key", "field-id": 9, "type": "long"}, {"name": "value", "field-id": 10, "type": ["null", {"type": "record", "name": "v", "fields": [
			{"name": "f", "field-id": 11, "type": "int"}, {"name": "g", "field-id": 12, "type": "string"}]}]}]}}}]}`

func tableFile(t *testing.T) arrowio.File {
	t.Helper()
	s, err := avro.Parse(tableSchema)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := ocf.NewWriter(&out, s, ocf.WithSchema(tableSchema))
	if err != nil {
		t.Fatal(err)
	}
	pair := func(k int64, v any) map[string]any { return map[string]any{"key": k, "value": v} }
	for i := range int64(3) {
		row := map[string]any{"a": nil, "b": i, "c": []any{i, i}, "d": map[string]any{"x": int32(i)}, "e": []any{pair(i, nil), pair(i+1, map[string]any{"f": int32(i), "g": "g"})}}
		if err := w.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Format().Open(context.Background(), local.NewBytesSource(out.Bytes()), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ids returns the ids of fields and of those inside them, in order.
func ids(fields []arrow.Field) (out string) {
	for _, f := range fields {
		id, _ := f.Metadata.GetValue("PARQUET:field_id")
		out += id + " "
		switch x := f.Type.(type) {
		case *arrow.MapType:
			out += ids([]arrow.Field{x.KeyField(), x.ItemField()})
		case arrow.NestedType:
			out += ids(x.Fields())
		}
	}
	return out
}

// TestTableFile shows a file as one of a table, and otherwise as any other.
func TestTableFile(t *testing.T) {
	f := tableFile(t)
	plain := f.Schema()
	if got := ids(plain.Fields()); strings.TrimSpace(got) != "" {
		t.Errorf("a file of no table has the ids %q", got)
	}
	if _, ok := plain.Field(4).Type.(*arrow.ListType); !ok || plain.Field(0).Type.(*arrow.TimestampType).TimeZone != "UTC" {
		t.Errorf("%s", plain)
	}
	if err := f.(*file).AsTableFile(); err != nil {
		t.Fatal(err)
	}
	s := f.Schema()
	if got, want := ids(s.Fields()), "1 2 3 4 5 6 7 8 9 10 11 12 "; got != want {
		t.Errorf("the ids are %q, not %q", got, want)
	}
	for i, want := range map[int]string{0: "timestamp[us]", 1: "timestamp[us, tz=UTC]"} {
		if got := s.Field(i).Type; got.String() != want {
			t.Errorf("column %d is %s, not %s", i, got, want)
		}
	}
	if _, ok := s.Field(2).Type.(*arrow.ListType).ElemField().Metadata.GetValue("iceberg.zone-unsaid"); !ok {
		t.Error("that a zone is not said is not told")
	}
	all := s.Fields()
	all[1].Name = "renamed"
	f.(*file).Rename(arrow.NewSchema(all, nil))
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rec, err := conformance.Collect(t, f, mem, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if rec.ColumnName(1) != "renamed" || rec.Column(0).NullN() != 3 {
		t.Errorf("%s, %d nulls", rec.Schema(), rec.Column(0).NullN())
	}
	b, err := rec.Column(4).MarshalJSON()
	if want := `[[{"key":0,"value":null},{"key":1,"value":{"f":0,"g":"g"}}],[{"key":1,"value":null},{"key":2,"value":{"f":1,"g":"g"}}],[{"key":2,"value":null},{"key":3,"value":{"f":2,"g":"g"}}]]`; err != nil || strings.Join(strings.Fields(string(b)), "") != want {
		t.Errorf("%s, not %s: %v", b, want, err)
	}
	// A part of the values of a map.
	p, err := arrowio.Project(f.Schema(), []string{"e.value.g"})
	if err != nil {
		t.Fatal(err)
	}
	split := f.Splits()[0]
	r, err := f.Read(context.Background(), split, arrowio.RowSet{split.Rows}, p, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(3); err != nil {
		t.Fatal(err)
	}
	part, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer part.Release()
	b, err = part.Column(0).MarshalJSON()
	if want := `[[{"key":0,"value":null},{"key":1,"value":{"g":"g"}}],[{"key":1,"value":null},{"key":2,"value":{"g":"g"}}],[{"key":2,"value":null},{"key":3,"value":{"g":"g"}}]]`; err != nil || strings.Join(strings.Fields(string(b)), "") != want {
		t.Errorf("%s, not %s: %v", b, want, err)
	}
}
