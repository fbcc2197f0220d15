package icebergtable_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
)

var i32, i64, utf8 = arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String

const idAndDay = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "day", "required": false, "type": "date"}]`

// rowsOf returns the rows of a table as text, and how many files a scan opened.
func rowsOf(t testing.TB, path string, o readers.Options, where string) (rows []string, opened int, err error) {
	t.Helper()
	ctx := context.Background()
	o = readers.Defaults(o)
	if where != "" {
		if o.Filter, err = expr.Parse(where); err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := dataset.List(ctx, path, o)
	if err != nil {
		return nil, 0, err
	}
	d, err := dataset.New(ctx, inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
		opened++
		return dataset.OpenInput(ctx, inputs[i], o)
	})
	if err != nil {
		return nil, opened, err
	}
	defer d.Close()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	s, err := d.Scan(ctx, arrowio.ScanOptions{Filter: o.Filter, Allocator: mem, Parallelism: 1})
	if err != nil {
		return nil, opened, err
	}
	defer s.Release()
	for s.Next() {
		rows = append(rows, orctext.Rows(s.Record())...)
	}
	return rows, opened, s.Err()
}

// deletesTable has files of both formats, deletes of both kinds and formats, and sequence numbers that decide which count.
func deletesTable(t testing.TB) *builder {
	b := newBuilder(t)
	b.schema = `[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 3, "name": "name", "required": false, "type": "string"}]`
	at := func(name string) string { return b.said + "/data/" + name }
	b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0,1,2,3,4,5]`}, column{"was", 3, utf8, `["a","b","c","d","e","f"]`})
	b.file(fileEntry{name: "b.parquet", sequence: 2}, column{"id", 1, i32, `[10,11,12,13]`}, column{"gone", 9, i64, `[1,1,1,1]`})
	b.file(fileEntry{name: "p.parquet", sequence: 2, content: 1},
		column{"file_path", 2147483546, utf8, `["` + at("a.orc") + `","` + at("b.parquet") + `","s3://elsewhere/` + "x" + `"]`}, column{"pos", 2147483545, i64, `[1,3,0]`})
	b.file(fileEntry{name: "old.orc", sequence: 1, content: 1}, // older than b.parquet
		column{"file_path", 2147483546, utf8, `["` + at("b.parquet") + `"]`}, column{"pos", 2147483545, i64, `[0]`})
	b.file(fileEntry{name: "e.orc", sequence: 2, content: 2, equality: []int32{1}}, column{"id", 1, i64, `[4, 11]`}) // not older than b.parquet
	b.file(fileEntry{name: "n.parquet", sequence: 3, content: 2, equality: []int32{3, 1}}, column{"id", 1, i64, `[5, 12, 2]`}, column{"name", 3, utf8, `["f", null, "x"]`})
	return b
}

// TestTable reads the rows of a table as its metadata say which they are.
func TestTable(t *testing.T) {
	dir := deletesTable(t).build()
	t.Chdir(filepath.Join(dir, "metadata"))
	for _, path := range []string{dir, filepath.Join(dir, "metadata", "v1.metadata.json"), "v1.metadata.json", "..", filepath.Join("..", "metadata", "v1.metadata.json")} {
		got, _, err := rowsOf(t, path, readers.Options{}, "")
		want := []string{`[0,"a"]`, `[2,"c"]`, `[3,"d"]`, `[10,null]`, `[11,null]`}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q: %v", path, got, want, err)
		}
		got, _, err = rowsOf(t, path, readers.Options{}, "id > 2 and id < 11")
		if want = []string{`[3,"d"]`, `[10,null]`}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q: %v", path, got, want, err)
		}
	}
}

// TestMovedTable reads a table that was moved only if it is told so.
func TestMovedTable(t *testing.T) {
	b := deletesTable(t)
	from := b.said
	dir := b.build()
	to := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, to); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rowsOf(t, to, readers.Options{}, ""); !errors.Is(err, errs.ErrOption) {
		t.Errorf("not told: %v", err)
	}
	for _, o := range []string{from + "=" + to, strings.TrimPrefix(from, "file:") + "=" + to} {
		got, _, err := rowsOf(t, to, readers.Options{Options: map[string]string{"iceberg-relocate": o}}, "")
		if err != nil || len(got) != 5 {
			t.Errorf("%s: %q %v", o, got, err)
		}
	}
	_, _, err := rowsOf(t, to, readers.Options{Options: map[string]string{"iceberg-outside": "read"}}, "")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("outside: %v", err)
	}
}

// TestPartitions takes the values of identity partitions from the manifest, with the types of the schema, and passes over files by
// partitions and bounds without opening them.
func TestPartitions(t *testing.T) {
	b := newBuilder(t)
	b.schema = idAndDay
	b.spec = `[{"source-id": 2, "field-id": 1000, "name": "day", "transform": "identity"}]`
	b.avro = `{"name": "day", "field-id": 1000, "type": ["null", {"type": "int", "logicalType": "date"}]}`
	le := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	for i, name := range []string{"x.orc", "y.parquet"} {
		e := fileEntry{name: name, sequence: 1, partition: map[string]any{"day": 19723 + i}}
		e.lower, e.upper = map[int32][]byte{1: le(uint64(i * 10))}, map[int32][]byte{1: le(uint64(i*10 + 1))}
		b.file(e, column{"id", 1, i64, []string{`[0,1]`, `[10,11]`}[i]})
	}
	b.file(fileEntry{name: "z.orc", sequence: 1, partition: map[string]any{"day": nil}}, column{"id", 1, i64, `[20]`})
	dir := b.build()
	for _, c := range []struct {
		where  string
		rows   []string
		opened int
	}{
		{"", []string{`[0,19723]`, `[1,19723]`, `[10,19724]`, `[11,19724]`, `[20,null]`}, 3},
		{"day = DATE '2024-01-02'", []string{`[10,19724]`, `[11,19724]`}, 1},
		{"day is null", []string{`[20,null]`}, 1},
		{"day > DATE '2025-01-01'", nil, 0},
		{"id = 1", []string{`[1,19723]`}, 2}, // z.orc has no bounds
		{"id = 11 and day is not null", []string{`[11,19724]`}, 1},
	} {
		got, opened, err := rowsOf(t, dir, readers.Options{}, c.where)
		if err != nil || !slices.Equal(got, c.rows) || opened != c.opened {
			t.Errorf("%s: %q of %d files, not %q of %d: %v", c.where, got, opened, c.rows, c.opened, err)
		}
	}
}

// TestSnapshots chooses the state of a table by id, time and name.
func TestSnapshots(t *testing.T) {
	b := newBuilder(t)
	b.schema = idAndDay
	b.file(fileEntry{name: "x.orc", sequence: 1}, column{"id", 1, i64, `[0,1]`})
	b.edit = func(m map[string]any) {
		var s []any
		for id := range 3 { // the first has no files
			list := b.said + "/metadata/list.avro"
			one := map[string]any{"snapshot-id": 5 + id, "timestamp-ms": 1000 * id, "manifest-list": list, "schema-id": 0}
			if id == 0 {
				delete(one, "manifest-list")
				one["manifests"] = []any{}
			}
			s = append(s, one)
		}
		m["snapshots"] = s
		m["snapshot-log"] = []any{map[string]any{"snapshot-id": 5, "timestamp-ms": 0}, map[string]any{"snapshot-id": 6, "timestamp-ms": 1000}, map[string]any{"snapshot-id": 4, "timestamp-ms": 1500}, map[string]any{"snapshot-id": 7, "timestamp-ms": 2000}}
		m["refs"] = map[string]any{"old": map[string]any{"snapshot-id": 5, "type": "tag"}, "lost": map[string]any{"snapshot-id": 1, "type": "tag"}}
	}
	dir := b.build()
	for _, c := range []struct {
		name, value string
		rows        int // -1 = an error
	}{
		{"snapshot", "5", 0},
		{"snapshot", "6", 2},
		{"snapshot", "8", -1},
		{"snapshot", "x", -1},
		{"as-of", "1970-01-01", 0},
		{"as-of", "1970-01-01T00:00:01Z", 2},
		{"as-of", "1499", 2},
		{"as-of", "1501", -1}, // expired
		{"as-of", "2024-01-01T00:00:00+02:00", 2},
		{"as-of", "1969-12-31", -1},
		{"as-of", "yesterday", -1},
		{"ref", "old", 0},
		{"ref", "main", 2},
		{"ref", "lost", -1},
		{"ref", "new", -1},
	} {
		got, _, err := rowsOf(t, dir, readers.Options{Options: map[string]string{"iceberg-" + c.name: c.value}}, "")
		var e *errs.Error
		if c.rows < 0 && !errors.As(err, &e) || c.rows >= 0 && (err != nil || len(got) != c.rows) {
			t.Errorf("%s %s: %d rows, not %d: %v", c.name, c.value, len(got), c.rows, err)
		}
	}
}

// TestParts sends the files of a table to another process, which needs none of its metadata.
func TestParts(t *testing.T) {
	ctx := context.Background()
	dir := deletesTable(t).build()
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
	var got []string
	for s.Next() {
		got = append(got, orctext.Rows(s.Record())...)
	}
	if want := []string{`[0,"a"]`, `[2,"c"]`, `[3,"d"]`, `[10,null]`, `[11,null]`}; s.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %v", got, want, s.Err())
	}
}

// TestIdentity tells a file from the same file with other deletes, of as many rows, so that who planned to read it notices.
func TestIdentity(t *testing.T) {
	ctx := context.Background()
	o := readers.Defaults(readers.Options{})
	b := newBuilder(t)
	b.schema = idAndDay
	b.file(fileEntry{name: "x.orc", sequence: 1}, column{"id", 1, i64, `[0,1,2]`})
	for i, name := range []string{"a.orc", "b.orc"} {
		b.file(fileEntry{name: name, sequence: 2, content: 2, equality: []int32{1}}, column{"id", 1, i64, []string{`[0]`, `[1]`}[i]})
	}
	all := b.entries
	identity := func(entries ...int) string {
		t.Helper()
		b.entries = all[:1:1]
		for _, i := range entries {
			b.entries = append(b.entries, all[i])
		}
		inputs, err := dataset.List(ctx, b.build(), o)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		last := ""
		for range 2 { // it stays the same
			f, err := dataset.OpenInput(ctx, inputs[0], o)
			if err != nil {
				t.Fatal(err)
			}
			if last, err = arrowio.Identity(ctx, f); err != nil {
				t.Fatal(err)
			}
			ids[last] = true
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(ids) != 1 {
			t.Errorf("%v: %v", entries, ids)
		}
		return last
	}
	seen := map[string]bool{}
	for _, entries := range [][]int{nil, {1}, {2}, {1, 2}} {
		id := identity(entries...)
		if seen[id] {
			t.Errorf("%v: the identity %s is that of other deletes", entries, id)
		}
		seen[id] = true
	}
}

// TestRefused refuses what cannot be read, by its name, and what is damaged.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		kind errs.Kind
		make func(b *builder)
	}{
		{"format version 4", errs.ErrUnsupported, func(b *builder) { b.version = 4 }},
		{"a view", errs.ErrUnsupported, func(b *builder) { b.edit = func(m map[string]any) { m["view-uuid"] = "v" } }},
		{"no schema", errs.ErrCorrupt, func(b *builder) { b.edit = func(m map[string]any) { m["current-schema-id"] = 3 } }},
		{"variant", errs.ErrUnsupported, func(b *builder) { b.schema = `[{"id": 1, "name": "v", "required": false, "type": "variant"}]` }},
		{"geometry", errs.ErrUnsupported, func(b *builder) {
			b.schema = `[{"id": 1, "name": "v", "required": false, "type": "geometry(OGC:CRS84)"}]`
		}},
		{"a snapshot that is not there", errs.ErrCorrupt, func(b *builder) { b.edit = func(m map[string]any) { m["current-snapshot-id"] = 3 } }},
		{"an encrypted list", errs.ErrUnsupported, func(b *builder) {
			b.edit = func(m map[string]any) { m["snapshots"].([]any)[0].(map[string]any)["key-id"] = "k" }
		}},
		{"an encrypted file", errs.ErrUnsupported, func(b *builder) { b.entries[0].key = []byte("k") }},
		{"a format that is not known", errs.ErrUnsupported, func(b *builder) { b.entries[0].format = "lance" }},
		{"another format", errs.ErrCorrupt, func(b *builder) { b.entries[0].format = "avro" }},
		{"a path that leads out", errs.ErrOption, func(b *builder) { b.entries[0].name = "../../x.orc" }},
		{"a list elsewhere", errs.ErrOption, func(b *builder) { b.list = "/etc/passwd" }},
		{"another store", errs.ErrOption, func(b *builder) { b.list = "s3://bucket/list.avro" }},
		{"status", errs.ErrCorrupt, func(b *builder) { b.entries[0].status = 9 }},
		{"content", errs.ErrCorrupt, func(b *builder) { b.entries[0].content = 9 }},
		{"negative rows", errs.ErrCorrupt, func(b *builder) { b.entries[0].rows = -1 }},
		{"deletes by unknown columns", errs.ErrCorrupt, func(b *builder) { b.entries[0].content, b.entries[0].equality = 2, []int32{77} }},
		{"a snapshot without manifests", errs.ErrCorrupt, func(b *builder) {
			b.edit = func(m map[string]any) { delete(m["snapshots"].([]any)[0].(map[string]any), "manifest-list") }
		}},
		{"a spec that is not there", errs.ErrCorrupt, func(b *builder) {
			b.edit = func(m map[string]any) { m["partition-specs"] = []any{map[string]any{"spec-id": 5, "fields": []any{}}} }
		}},
	} {
		b := newBuilder(t)
		b.schema = idAndDay
		b.file(fileEntry{name: "x.orc", sequence: 1}, column{"id", 1, i64, `[0,1]`})
		c.make(b)
		if _, _, err := rowsOf(t, b.build(), readers.Options{}, ""); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestDamaged cuts and changes the files of a table: whatever happens, an error is one of the kinds of this module.
func TestDamaged(t *testing.T) {
	b := newBuilder(t)
	b.schema = idAndDay
	b.file(fileEntry{name: "x.orc", sequence: 1}, column{"id", 1, i64, `[0,1]`})
	dir := b.build()
	for _, name := range []string{"list.avro", "m0.avro", "v1.metadata.json"} {
		path := filepath.Join(dir, "metadata", name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, content []byte, must bool) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := rowsOf(t, dir, readers.Options{}, "")
			var e *errs.Error
			if must && err == nil || err != nil && !errors.As(err, &e) && !errors.Is(err, os.ErrNotExist) || errors.Is(err, errs.ErrInternal) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		for n := 0; n < len(whole); n += 1 + len(whole)/60 {
			check("cut", whole[:n], true)
			changed := slices.Clone(whole)
			changed[n] ^= 0xff
			check("changed", changed, false)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "metadata", "m0.avro")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rowsOf(t, dir, readers.Options{}, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
}

// TestCurrent finds the current metadata among several files.
func TestCurrent(t *testing.T) {
	for _, c := range []struct {
		files []string
		hint  string
		want  int // version; -1 = an error
	}{
		{[]string{"v1.metadata.json", "v2.metadata.json", "v10.metadata.json"}, "", 10},
		{[]string{"v1.metadata.json", "v2.metadata.json", "v4.metadata.json"}, "1\n", -1}, // 3 is lost
		{[]string{"v1.metadata.json", "v2.metadata.json", "v3.metadata.json"}, "1\n", 3},
		{[]string{"v1.metadata.json", "v2.metadata.json"}, "7", -1},
		{[]string{"v1.metadata.json"}, "2", -1},
		{[]string{"v3.metadata.json"}, "2", -1},
		{[]string{"v1.metadata.json", "v2.metadata.json"}, "nonsense", -1},
		{[]string{"v1.metadata.json", "v2.metadata.json"}, "\n", 2},
		{[]string{"00001-a.metadata.json", "00002-b.metadata.json"}, "00003-c", -1},
		{[]string{"00001-a.metadata.json", "00002-b.metadata.json"}, "", 2},
		{[]string{"00001-a.metadata.json", "00001-b.metadata.json"}, "", -1},
		{[]string{"00001-a.metadata.json", "00002-b.metadata.json"}, "00001-a", 1},
		{[]string{"x.metadata.json"}, "", -1},
		{[]string{"v3.gz.metadata.json", "v2.metadata.json.gz"}, "", 3},
	} {
		b := newBuilder(t)
		b.schema = idAndDay
		dir := b.build()
		text, err := os.ReadFile(filepath.Join(dir, "metadata", "v1.metadata.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "metadata", "v1.metadata.json")); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.files {
			version := strings.TrimLeft(digits(name), "0")
			b.write("metadata/"+name, []byte(strings.Replace(string(text), `"name":"id"`, `"name":"v`+version+`"`, 1)))
		}
		if c.hint != "" {
			b.write("metadata/version-hint.text", []byte(c.hint))
		}
		inputs, err := dataset.List(context.Background(), dir, readers.Defaults(readers.Options{}))
		if c.want < 0 {
			if err == nil {
				t.Errorf("%v, %q: no error", c.files, c.hint)
			}
			if lost := c.hint != ""; lost && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "name metadata/")) {
				t.Errorf("%v, %q: %v", c.files, c.hint, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v, %q: %v", c.files, c.hint, err)
			continue
		}
		if got, want := inputs[0].Schema().Field(0).Name, "v"+string(rune('0'+c.want%10)); c.want < 10 && got != want || c.want == 10 && got != "v10" {
			t.Errorf("%v: %s, not version %d", c.files, got, c.want)
		}
	}
}

// digits returns the first number in a name.
func digits(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) == 0 {
		return "0"
	}
	return parts[0]
}
