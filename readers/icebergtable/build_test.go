package icebergtable_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	orcwriter "github.com/arrowio/arrowio/writers/orc"
	parquetwriter "github.com/arrowio/arrowio/writers/parquet"
)

// builder makes a table: its files, and metadata of one snapshot.
type builder struct {
	t       testing.TB
	dir     string // of the table
	said    string // where the metadata say that it lies
	schema  string // JSON of its fields
	spec    string // JSON of the fields of its partition spec
	avro    string // of the partition: fields of an Avro record
	list    string // location of the manifest list; "" = the usual one
	entries []fileEntry
	version int
	// together puts files of one sequence number and content into one manifest; false = each has its own.
	together bool
	edit     func(metadata map[string]any)
	listed   func(m map[string]any) // changes what the manifest list says of a manifest
}

// fileEntry is a file in a manifest.
type fileEntry struct {
	name      string // below data/
	format    string
	content   int
	rows      int
	sequence  int64
	equality  []int32
	partition map[string]any
	lower     map[int32][]byte
	upper     map[int32][]byte
	key       []byte
	status    int
	nulls     map[int32]int64
	about     string // a data file
	offset    any    // of a deletion vector, and its size
	size      any
	firstRow  any // id of its first row
}

func newBuilder(t testing.TB) *builder {
	dir := filepath.Join(t.TempDir(), "table")
	for _, d := range []string{"data", "metadata"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &builder{t: t, dir: dir, said: "file:" + filepath.ToSlash(dir), version: 2}
}

// column is a column of a file.
type column struct {
	name   string
	id     int
	typ    arrow.DataType
	values string // JSON
}

// file writes a data file or a delete file and lists it. The extension of its name is its format.
func (b *builder) file(e fileEntry, columns ...column) {
	b.t.Helper()
	e.format = strings.TrimPrefix(filepath.Ext(e.name), ".")
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		md := arrow.Metadata{}
		if c.id > 0 {
			md = arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(c.id)})
		}
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, strings.NewReader(c.values))
		if err != nil {
			b.t.Fatal(err)
		}
		fields, arrays = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true, Metadata: md}), append(arrays, a)
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), arrays, -1)
	e.rows = int(rec.NumRows())
	f := orcwriter.Format()
	if e.format == "parquet" {
		f = parquetwriter.Format()
	}
	st := local.NewMemStore()
	p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		b.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	for _, content := range st.Objects() {
		b.write("data/"+e.name, content)
	}
	b.entries = append(b.entries, e)
}

// avroFile writes an Avro file below the directory of the table.
func (b *builder) avroFile(name, schema string, metadata map[string][]byte, entries []map[string]any) {
	b.t.Helper()
	s, err := avro.Parse(schema)
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := ocf.NewWriter(&out, s, ocf.WithCodec(ocf.DeflateCodec(-1)), ocf.WithMetadata(metadata), ocf.WithSchema(schema))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		if err := w.Encode(e); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.write(name, out.Bytes())
}

func (b *builder) write(name string, content []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, filepath.FromSlash(name)), content, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

const manifestSchema = `{"type": "record", "name": "manifest_entry", "fields": [
	{"name": "status", "type": "int", "field-id": 0},
	{"name": "snapshot_id", "type": ["null", "long"], "field-id": 1},
	{"name": "sequence_number", "type": ["null", "long"], "field-id": 3},
	{"name": "data_file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [
		{"name": "content", "type": "int", "field-id": 134},
		{"name": "file_path", "type": "string", "field-id": 100},
		{"name": "file_format", "type": "string", "field-id": 101},
		{"name": "partition", "field-id": 102, "type": {"type": "record", "name": "r102", "fields": [%s]}},
		{"name": "record_count", "type": "long", "field-id": 103},
		{"name": "file_size_in_bytes", "type": "long", "field-id": 104},
		{"name": "null_value_counts", "field-id": 110, "type": ["null", {"type": "array", "logicalType": "map", "items":
			{"type": "record", "name": "k121_v122", "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "long"}]}}]},
		{"name": "lower_bounds", "field-id": 125, "type": ["null", {"type": "array", "logicalType": "map", "items":
			{"type": "record", "name": "k126_v127", "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "bytes"}]}}]},
		{"name": "upper_bounds", "field-id": 128, "type": ["null", {"type": "array", "logicalType": "map", "items":
			{"type": "record", "name": "k129_v130", "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "bytes"}]}}]},
		{"name": "key_metadata", "type": ["null", "bytes"], "field-id": 131},
		{"name": "equality_ids", "type": ["null", {"type": "array", "items": "int"}], "field-id": 135},
		{"name": "referenced_data_file", "type": ["null", "string"], "field-id": 143},
		{"name": "first_row_id", "type": ["null", "long"], "field-id": 142},
		{"name": "content_offset", "type": ["null", "long"], "field-id": 144},
		{"name": "content_size_in_bytes", "type": ["null", "long"], "field-id": 145}]}}]}`

const listSchema = `{"type": "record", "name": "manifest_file", "fields": [
	{"name": "manifest_path", "type": "string", "field-id": 500},
	{"name": "manifest_length", "type": "long", "field-id": 501},
	{"name": "partition_spec_id", "type": "int", "field-id": 502},
	{"name": "content", "type": "int", "field-id": 517},
	{"name": "sequence_number", "type": "long", "field-id": 515},
	{"name": "min_sequence_number", "type": "long", "field-id": 516},
	{"name": "added_snapshot_id", "type": "long", "field-id": 503},
	{"name": "added_files_count", "type": "int", "field-id": 504},
	{"name": "existing_files_count", "type": "int", "field-id": 505},
	{"name": "deleted_files_count", "type": "int", "field-id": 506},
	{"name": "added_rows_count", "type": "long", "field-id": 512},
	{"name": "existing_rows_count", "type": "long", "field-id": 513},
	{"name": "deleted_rows_count", "type": "long", "field-id": 514},
	{"name": "first_row_id", "type": ["null", "long"], "field-id": 520}]}`

// build writes the manifests, one for each sequence number and content, and the metadata.
func (b *builder) build() string {
	b.t.Helper()
	bounds := func(m map[int32][]byte) any {
		if m == nil {
			return nil
		}
		var out []any
		for k, v := range m {
			out = append(out, map[string]any{"key": k, "value": v})
		}
		return out
	}
	var list, of []map[string]any
	for i, e := range b.entries {
		content := map[bool]int{true: 1}[e.content > 0]
		size := int64(0)
		if fi, err := os.Stat(filepath.Join(b.dir, "data", e.name)); err == nil {
			size = fi.Size()
		}
		partition := e.partition
		if partition == nil {
			partition = map[string]any{}
		}
		file := map[string]any{
			"content": e.content, "file_path": b.said + "/data/" + e.name, "file_format": strings.ToUpper(e.format), "partition": partition,
			"record_count": e.rows, "file_size_in_bytes": size, "lower_bounds": bounds(e.lower), "upper_bounds": bounds(e.upper),
			"key_metadata": nil, "equality_ids": nil, "null_value_counts": nil, "referenced_data_file": nil, "first_row_id": e.firstRow, "content_offset": e.offset, "content_size_in_bytes": e.size,
		}
		if e.about != "" {
			file["referenced_data_file"] = b.said + "/data/" + e.about
		}
		if e.nulls != nil {
			var counts []any
			for k, v := range e.nulls {
				counts = append(counts, map[string]any{"key": k, "value": v})
			}
			file["null_value_counts"] = counts
		}
		if e.key != nil {
			file["key_metadata"] = e.key
		}
		if e.equality != nil {
			file["equality_ids"] = e.equality
		}
		status := e.status
		if status == 0 {
			status = 1
		}
		of = append(of, map[string]any{"status": status, "snapshot_id": nil, "sequence_number": nil, "data_file": file})
		if next := i + 1; b.together && next < len(b.entries) && b.entries[next].sequence == e.sequence && b.entries[next].content == e.content {
			continue
		}
		name := fmt.Sprintf("m%d.avro", i)
		b.avroFile("metadata/"+name, fmt.Sprintf(manifestSchema, b.avro), map[string][]byte{"format-version": []byte("2"), "content": []byte([]string{"data", "deletes"}[content])},
			of)
		fi, err := os.Stat(filepath.Join(b.dir, "metadata", name))
		if err != nil {
			b.t.Fatal(err)
		}
		m := map[string]any{
			"manifest_path": b.said + "/metadata/" + name, "manifest_length": fi.Size(), "partition_spec_id": 0, "content": content,
			"sequence_number": e.sequence, "min_sequence_number": e.sequence, "added_snapshot_id": int64(7), "first_row_id": nil,
		}
		for i, status := range []string{"existing", "added", "deleted"} {
			files, rows := 0, int64(0)
			for _, x := range of {
				if x["status"] == i {
					files, rows = files+1, rows+int64(x["data_file"].(map[string]any)["record_count"].(int))
				}
			}
			m[status+"_files_count"], m[status+"_rows_count"] = files, rows
		}
		of = nil
		if b.listed != nil {
			b.listed(m)
		}
		list = append(list, m)
	}
	b.avroFile("metadata/list.avro", listSchema, nil, list)
	at := b.list
	if at == "" {
		at = b.said + "/metadata/list.avro"
	}
	spec := b.spec
	if spec == "" {
		spec = "[]"
	}
	metadata := map[string]any{
		"format-version": b.version, "table-uuid": "u", "location": b.said, "last-updated-ms": 1000, "last-column-id": 9, "last-sequence-number": 9,
		"current-schema-id": 0, "schemas": []any{map[string]any{"type": "struct", "schema-id": 0, "fields": json.RawMessage(b.schema)}},
		"default-spec-id": 0, "partition-specs": []any{map[string]any{"spec-id": 0, "fields": json.RawMessage(spec)}},
		"current-snapshot-id": 7, "snapshots": []any{map[string]any{"snapshot-id": 7, "sequence-number": 9, "timestamp-ms": 1000, "manifest-list": at, "schema-id": 0}},
		"refs": map[string]any{"main": map[string]any{"snapshot-id": 7, "type": "branch"}, "old": map[string]any{"snapshot-id": 7, "type": "tag"}},
	}
	if b.edit != nil {
		b.edit(metadata)
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("metadata/v1.metadata.json", text)
	return b.dir
}
