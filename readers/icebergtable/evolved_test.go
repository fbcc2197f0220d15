package icebergtable_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
)

// TestDefaults fills in initial defaults, in this process and in another one, in all formats.
func TestDefaults(t *testing.T) {
	b := newBuilder(t)
	b.version = 3
	b.schema = `[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "d", "required": true, "type": "decimal(5, 1)", "initial-default": "1.5"},
		{"id": 3, "name": "s", "required": false, "type": {"type": "struct", "fields": [{"id": 4, "name": "a", "required": false, "type": "int", "initial-default": 9}]}},
		{"id": 5, "name": "t", "required": false, "type": "timestamp_ns", "initial-default": "1970-01-01T00:00:00.000000001", "write-default": "2000-01-01T00:00:00"}]`
	b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0]`})
	b.file(fileEntry{name: "b.parquet", sequence: 1}, column{"id", 1, i64, `[1]`})
	b.avroData(fileEntry{name: "c.avro", sequence: 1}, longAndText(`, "field-id": 1`, ""), map[string]any{"id": int64(2), "n": nil})
	dir := b.build()
	want := []string{`[0,"1.5",null,[0,1]]`, `[1,"1.5",null,[0,1]]`, `[2,"1.5",null,[0,1]]`}
	got, _, err := rowsOf(t, dir, readers.Options{}, "d > 1")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, err)
	}
	ctx := context.Background()
	o := readers.Defaults(readers.Options{})
	inputs, err := dataset.List(ctx, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "metadata")); err != nil {
		t.Fatal(err)
	}
	var received []dataset.Input
	if err := json.Unmarshal(text, &received); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.New(ctx, received, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Scan(ctx, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	got = nil
	for s.Next() {
		got = append(got, orctext.Rows(s.Record())...)
	}
	if s.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("in another process: %q, not %q: %v", got, want, s.Err())
	}
}

var date32, micros, nanos = arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Nanosecond}

// TestDateToTimestamp reads dates of columns that have become timestamps ("Schema Evolution"): from files, with bounds and partitions that
// are dates.
func TestDateToTimestamp(t *testing.T) {
	for _, c := range []struct {
		table string
		file  column
		want  string // "" = an error
		kind  errs.Kind
	}{
		{"timestamp", column{"t", 1, date32, `[1, null, -1]`}, `[[86400,0]] [null] [[-86400,0]]`, 0},
		{"timestamp_ns", column{"t", 1, date32, `[1, null, -1]`}, `[[86400,0]] [null] [[-86400,0]]`, 0},
		{"timestamptz", column{"t", 1, date32, `[1]`}, "", errs.ErrSchema},
		{"timestamptz_ns", column{"t", 1, date32, `[1]`}, "", errs.ErrSchema},
		{"timestamp_ns", column{"t", 1, date32, `[200000]`}, "", errs.ErrCorrupt},
		{"timestamp", column{"t", 1, date32, `[200000000]`}, "", errs.ErrCorrupt},
	} {
		for _, name := range []string{"a.orc", "b.parquet"} {
			b := newBuilder(t)
			b.version = 3
			b.schema = `[{"id": 1, "name": "t", "required": false, "type": "` + c.table + `"}]`
			b.file(fileEntry{name: name, sequence: 1}, c.file)
			got, _, err := rowsOf(t, b.build(), readers.Options{}, "")
			all := ""
			for i, s := range got {
				if i > 0 {
					all += " "
				}
				all += s
			}
			if c.want != "" && (err != nil || all != c.want) || c.want == "" && !errors.Is(err, c.kind) {
				t.Errorf("%s of %s as %s: %q %v", name, c.file.values, c.table, all, err)
			}
		}
	}
	le := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
	b := newBuilder(t)
	b.version = 3
	b.schema = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "t", "required": false, "type": "timestamp"}]`
	b.spec = `[{"source-id": 2, "field-id": 1000, "name": "t", "transform": "identity"}]`
	b.avro = `{"name": "t", "field-id": 1000, "type": ["null", {"type": "int", "logicalType": "date"}]}`
	b.file(fileEntry{name: "a.orc", sequence: 1, partition: map[string]any{"t": 1}}, column{"id", 1, i64, `[0]`})
	b.file(fileEntry{name: "b.orc", sequence: 1, partition: map[string]any{"t": 2}, lower: map[int32][]byte{2: le(2)}, upper: map[int32][]byte{2: le(2)}}, column{"id", 1, i64, `[1]`}, column{"t", 2, date32, `[2]`})
	dir := b.build()
	for where, want := range map[string]struct {
		rows   []string
		opened int
	}{
		"":                                       {[]string{`[0,[86400,0]]`, `[1,[172800,0]]`}, 2},
		"t = TIMESTAMP '1970-01-03 00:00:00'":    {[]string{`[1,[172800,0]]`}, 1},
		"t < TIMESTAMP '1970-01-02 00:00:00.01'": {[]string{`[0,[86400,0]]`}, 1},
	} {
		got, opened, err := rowsOf(t, dir, readers.Options{}, where)
		if err != nil || !slices.Equal(got, want.rows) || opened != want.opened {
			t.Errorf("%s: %q of %d files, not %q of %d: %v", where, got, opened, want.rows, want.opened, err)
		}
	}
}

// TestUnknown reads columns of the type unknown, and of those that have become another one: they are null, whatever files hold.
func TestUnknown(t *testing.T) {
	b := newBuilder(t)
	b.version = 3
	b.schema = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "u", "required": false, "type": "unknown"},
		{"id": 3, "name": "was", "required": false, "type": "string"}]`
	b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0]`})
	b.avroData(fileEntry{name: "b.avro", sequence: 1}, `{"type": "record", "name": "r", "fields": [{"name": "id", "field-id": 1, "type": "long"}, {"name": "u", "field-id": 2, "type": "null"},
		{"name": "was", "field-id": 3, "type": "null"}]}`, map[string]any{"id": int64(1), "u": nil, "was": nil})
	got, _, err := rowsOf(t, b.build(), readers.Options{}, "was is null")
	if want := []string{`[0,null,null]`, `[1,null,null]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, err)
	}
}

// TestNanoseconds reads timestamps in nanoseconds, and passes over files by their bounds. Bounds of ORC files are not trusted: Iceberg's
// library stores them in microseconds.
func TestNanoseconds(t *testing.T) {
	le := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	b := newBuilder(t)
	b.version = 3
	b.schema = `[{"id": 1, "name": "t", "required": false, "type": "timestamp_ns"}]`
	for i, name := range []string{"a.orc", "b.parquet", "c.parquet"} {
		e := fileEntry{name: name, sequence: 1}
		n := uint64(5_000_000_001 + i*1_000_000_000)
		if e.lower, e.upper = map[int32][]byte{1: le(n)}, map[int32][]byte{1: le(n)}; i == 0 {
			e.lower, e.upper = map[int32][]byte{1: le(n / 1000)}, map[int32][]byte{1: le(n / 1000)}
		}
		b.file(e, column{"t", 1, nanos, []string{`["1970-01-01 00:00:05.000000001"]`, `["1970-01-01 00:00:06.000000001"]`, `["1970-01-01 00:00:07.000000001"]`}[i]})
	}
	dir := b.build()
	for where, want := range map[string]struct {
		rows   []string
		opened int
	}{
		"": {[]string{`[[5,1]]`, `[[6,1]]`, `[[7,1]]`}, 3},
		"t = TIMESTAMP '1970-01-01 00:00:05.000000001'": {[]string{`[[5,1]]`}, 1},
		"t = TIMESTAMP '1970-01-01 00:00:06.000000001'": {[]string{`[[6,1]]`}, 2},
	} {
		got, opened, err := rowsOf(t, dir, readers.Options{}, where)
		if err != nil || !slices.Equal(got, want.rows) || opened != want.opened {
			t.Errorf("%s: %q of %d files, not %q of %d: %v", where, got, opened, want.rows, want.opened, err)
		}
	}
	// A file in microseconds of a column that was made anew is no such column.
	b = newBuilder(t)
	b.version = 3
	b.schema = `[{"id": 1, "name": "t", "required": false, "type": "timestamp_ns"}]`
	b.file(fileEntry{name: "a.orc", sequence: 1}, column{"t", 1, micros, `["1970-01-01 00:00:05.000001"]`})
	got, _, err := rowsOf(t, b.build(), readers.Options{}, "")
	if err != nil || !slices.Equal(got, []string{`[[5,1000]]`}) {
		t.Errorf("%q %v", got, err)
	}
}

// TestSeveralSources reads a table with a transform of several columns, and with one that is not known.
func TestSeveralSources(t *testing.T) {
	b := newBuilder(t)
	b.version, b.schema = 3, idAndDay
	b.spec = `[{"source-ids": [1, 2], "field-id": 1000, "name": "b", "transform": "bucketV2[4]"}, {"source-ids": [1], "field-id": 1001, "name": "n", "transform": "later"}]`
	b.avro = `{"name": "b", "field-id": 1000, "type": ["null", "int"]}, {"name": "n", "field-id": 1001, "type": ["null", "int"]}`
	b.file(fileEntry{name: "a.orc", sequence: 1, partition: map[string]any{"b": 1, "n": nil}}, column{"id", 1, i64, `[5]`})
	b.file(fileEntry{name: "e.orc", sequence: 2, content: 2, equality: []int32{1}, partition: map[string]any{"b": 2, "n": nil}}, column{"id", 1, i64, `[5]`}) // of another partition
	got, opened, err := rowsOf(t, b.build(), readers.Options{}, "id = 5 and day is null")
	if err != nil || !slices.Equal(got, []string{`[5,null]`}) || opened != 1 {
		t.Errorf("%q of %d files: %v", got, opened, err)
	}
}

// TestNestedPartition refuses to make up a column inside of a struct from a partition.
func TestNestedPartition(t *testing.T) {
	b := newBuilder(t)
	b.schema = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "s", "required": false, "type": {"type": "struct", "fields": [
		{"id": 3, "name": "a", "required": false, "type": "int"}]}}]`
	b.spec = `[{"source-id": 3, "field-id": 1000, "name": "a", "transform": "identity"}]`
	b.avro = `{"name": "a", "field-id": 1000, "type": ["null", "int"]}`
	b.file(fileEntry{name: "a.orc", sequence: 1, partition: map[string]any{"a": 1}}, column{"id", 1, i64, `[5]`})
	if _, _, err := rowsOf(t, b.build(), readers.Options{}, ""); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
}
