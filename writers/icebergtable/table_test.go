package icebergtable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/arrowio/arrowio/arrowio/view"
)

// numbered has rows with ids and words.
func numbered(t testing.TB, from, n int) (*arrow.Schema, arrow.Record) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "word", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := from; i < from+n; i++ {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%5 == 4 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("w%d", i%5))
		}
	}
	return s, b.NewRecord()
}

func mode(m string, more ...string) map[string]string {
	out := map[string]string{"iceberg-mode": m}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// TestHistory makes a table, adds rows to it, and replaces them, in all versions of the format.
func TestHistory(t *testing.T) {
	ctx := context.Background()
	for _, version := range []string{"1", "2", "3"} {
		for _, format := range []string{"orc", "parquet"} {
			dir := filepath.Join(t.TempDir(), "table")
			s, rec := numbered(t, 0, 100)
			o := mode("create", "iceberg-format-version", version, "iceberg-data-format", format, "iceberg-partition", "word, bucket(3, id)")
			if err := write(ctx, dir, o, s, rec, rec); err != nil {
				t.Fatal(err)
			}
			if err := write(ctx, dir, mode("append"), s, rec); err != nil {
				t.Fatal(err)
			}
			if got, _ := rows(t, dir); len(got) != 300 {
				t.Errorf("version %s: %d rows", version, len(got))
			}
			_, few := numbered(t, 7, 3)
			if err := write(ctx, dir, mode("overwrite"), s, few); err != nil {
				t.Fatal(err)
			}
			got, schema := rows(t, dir)
			if want := []string{`[7,"w2"]`, `[8,"w3"]`, `[9,null]`}; !slices.Equal(got, want) {
				t.Errorf("version %s: %q", version, got)
			}
			if schema.Field(0).Nullable || !schema.Field(1).Nullable {
				t.Errorf("version %s: %s", version, schema)
			}
			if f := faults(t, dir); len(f) > 0 {
				t.Errorf("version %s: %q", version, f)
			}
			for _, name := range tree(t, dir) {
				if strings.HasPrefix(name, "data/") && !strings.HasSuffix(name, "."+format) || strings.HasSuffix(name, ".tmp") {
					t.Errorf("version %s: %s", version, name)
				}
			}
		}
	}
}

// TestRefused refuses tables and rows that do not go together, and leaves nothing behind.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	table := filepath.Join(dir, "table")
	s, rec := numbered(t, 0, 10)
	if err := write(ctx, table, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	one := func(f arrow.Field) *arrow.Schema { return arrow.NewSchema([]arrow.Field{f}, nil) }
	ts := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u} }
	for _, c := range []struct {
		name    string
		options map[string]string
		schema  *arrow.Schema
		want    string
	}{
		{"table", mode("create"), s, "iceberg-mode"},
		{"other", mode("append"), s, "no table"},
		{"none/other", mode("create"), s, "no directory"},
		{"table", mode("append", "iceberg-format-version", "3"), s, "new tables"},
		{"table", mode("append", "iceberg-catalog", "uri=x"), s, "iceberg://"},
		{"table", mode("append"), one(s.Field(1)), "requires the column"},
		{"table", mode("append"), arrow.NewSchema(append(s.Fields(), arrow.Field{Name: "more", Type: arrow.Null, Nullable: true}), nil), "no column more"},
		{"table", mode("append"), one(arrow.Field{Name: "id", Type: arrow.BinaryTypes.String}), "cannot hold every"},
		{"other", mode("create", "iceberg-partition", "day(id)"), s, "long, of which day makes nothing"},
		{"other", mode("create", "iceberg-partition", "nine"), s, "no column"},
		{"other", mode("create", "iceberg-partition", "bucket(0, id)"), s, "at least 1"},
		{"other", mode("create", "iceberg-partition", "id, id"), s, "twice"},
		{"other", mode("create", "iceberg-partition", "f(id)"), s, "bucket(N, COLUMN)"},
		{"other", mode("create"), one(arrow.Field{Name: "d", Type: arrow.FixedWidthTypes.Duration_s}), "d (duration[s])"},
		{"other", mode("create"), one(arrow.Field{Name: "t", Type: ts(arrow.Nanosecond)}), "t (timestamp[ns]: nanoseconds are from format version 3 on); --timestamp-unit=us cuts those of ORC to microseconds, and a new table of --iceberg-format-version=3 keeps"},
		{"other", mode("create"), one(arrow.Field{Name: "n", Type: arrow.Null, Nullable: true}), "format version 3"},
		{"iceberg://", mode("create"), s, "iceberg://CATALOG"},
		{"gs://bucket/table", mode("create"), s, "without a catalog"},
	} {
		name := c.name
		if !strings.Contains(name, "://") {
			name = filepath.Join(dir, name)
		}
		err := write(ctx, name, c.options, c.schema)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, not %q", c.name, c.options, err, c.want)
		}
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("%q, not %q", after, before)
	}
	if err := write(ctx, table, mode("create"), s); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}

// TestNothingLeft ends a writer in several ways: nothing is left of what it wrote.
func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "table")
	s, rec := numbered(t, 0, 50_000)
	if err := write(context.Background(), table, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	for _, c := range []struct{ name, mode string }{{"table", "append"}, {"table", "overwrite"}, {"new", "create"}} {
		for _, how := range []string{"abort", "cancel", "null"} {
			ctx, cancel := context.WithCancel(context.Background())
			o := mode(c.mode)
			if c.mode == "create" {
				o["iceberg-property"] = "write.target-file-size-bytes=1000"
			}
			tb, err := open(ctx, filepath.Join(dir, c.name), o)
			if err != nil {
				t.Fatal(err)
			}
			nullable := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, s.Field(1)}, nil)
			of := s
			if c.mode != "create" {
				of = nullable
			}
			f := tb.Format()
			p, err := f.Plan(of, arrowio.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := arrowio.NewWriter(ctx, f, tb, p)
			if err != nil {
				t.Fatal(err)
			}
			again := array.NewRecord(of, rec.Columns(), rec.NumRows())
			if err := w.Write(again); err != nil {
				t.Fatal(err)
			}
			switch how {
			case "abort":
				err = w.Abort()
			case "cancel":
				cancel()
				if err = w.Close(); errors.Is(err, context.Canceled) {
					err = nil
				}
			case "null":
				none := array.MakeArrayOfNull(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, 1)
				words := array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, 1)
				if err = w.Write(array.NewRecord(of, []arrow.Array{none, words}, 1)); errors.Is(err, errs.ErrSchema) {
					err = nil
				}
			}
			cancel()
			if err != nil {
				t.Errorf("%s %s: %v", c.mode, how, err)
			}
			if after := tree(t, dir); !slices.Equal(before, after) {
				t.Errorf("%s %s: %q is left", c.mode, how, after)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestFirstVersion reads the metadata of a table of format version 1 as those do who know no newer one: with one schema and one spec, in JSON.
func TestFirstVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	s, rec := numbered(t, 0, 3)
	if err := write(context.Background(), dir, mode("create", "iceberg-format-version", "1", "iceberg-partition", "word"), s, rec); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "metadata", "v1.metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Schema struct {
			Type   string
			Fields []struct{ Name string }
		}
		Spec []struct{ Name string } `json:"partition-spec"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Schema.Type != "struct" || len(m.Schema.Fields) != s.NumFields() || len(m.Spec) != 1 || m.Spec[0].Name != "word" {
		t.Errorf("%+v", m)
	}
}

// TestCatalogsTable refuses to write past a catalog.
func TestCatalogsTable(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	s, rec := numbered(t, 0, 10)
	if err := write(ctx, dir, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "metadata")
	if err := os.Rename(filepath.Join(at, "v1.metadata.json"), filepath.Join(at, "00001-x.metadata.json")); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, dir, mode("append"), s, rec); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "kept by a catalog") {
		t.Error(err)
	}
	moved := filepath.Join(filepath.Dir(dir), "moved")
	if err := os.Rename(filepath.Join(at, "00001-x.metadata.json"), filepath.Join(at, "v1.metadata.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, moved, mode("append"), s, rec); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "says that it lies in") {
		t.Error(err)
	}
}

// TestTypes casts what Arrow has more types for than Iceberg.
func TestTypes(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	list := func(of arrow.DataType) arrow.Field { return arrow.Field{Name: "item", Type: of, Nullable: true} }
	var fields []arrow.Field
	var cols []arrow.Array
	want := []string{}
	add := func(typ arrow.DataType, values, text string) {
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(values))
		if err != nil {
			t.Fatal(typ, err)
		}
		fields, cols = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", len(fields)), Type: typ, Nullable: true}), append(cols, a)
		want = append(want, text)
	}
	add(arrow.PrimitiveTypes.Uint8, `[255, null]`, "255")
	add(arrow.PrimitiveTypes.Uint32, `[4294967295, null]`, "4294967295")
	add(arrow.PrimitiveTypes.Uint64, `["18446744073709551615", null]`, `"18446744073709551615"`)
	add(arrow.FixedWidthTypes.Float16, `[1.5, null]`, `"f3fc00000"`)
	add(arrow.FixedWidthTypes.Date64, `["2024-01-02", null]`, "19724")
	add(arrow.FixedWidthTypes.Time32s, `["01:00:00", null]`, "3600000000")
	add(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Zurich"}, `["2024-01-02T00:00:00Z", null]`, "[1704153600,0]")
	add(arrow.BinaryTypes.LargeString, `["ä", null]`, `"\u00e4"`)
	add(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["x", null]`, `"x"`)
	add(arrow.LargeListOfField(list(arrow.PrimitiveTypes.Int8)), `[[1, null], null]`, "[1,null]")
	add(arrow.FixedSizeListOfField(2, list(arrow.BinaryTypes.LargeBinary)), `[["AQ==", null], null]`, `["01",null]`)
	s := arrow.NewSchema(fields, nil)
	rec := array.NewRecord(s, cols, 2)
	if err := write(ctx, dir, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	got, _ := rows(t, dir)
	nulls := strings.TrimSuffix(strings.Repeat("null,", len(fields)), ",")
	if len(got) != 2 || got[0] != "["+strings.Join(want, ",")+"]" || got[1] != "["+nulls+"]" {
		t.Errorf("%s, not %s", got, want)
	}
	tb, err := open(ctx, dir, mode("append"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := tb.Format().Plan(s, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if losses := p.Losses(); len(losses) < 9 {
		text, _ := json.Marshal(losses)
		t.Errorf("%s", text)
	}
}

// TestHostile refuses metadata that name files elsewhere, and damaged ones.
func TestHostile(t *testing.T) {
	ctx := context.Background()
	s, rec := numbered(t, 0, 10)
	for _, c := range []struct {
		name string
		edit func(dir, metadata string) string
		kind errs.Kind
	}{
		{"a manifest list elsewhere", func(dir, m string) string {
			return strings.Replace(m, `"manifest-list":"file://`+dir+`/metadata/`, `"manifest-list":"file://`+dir+`/../other/`, 1)
		}, errs.ErrUnsupported},
		{"no JSON", func(_, m string) string { return m[:len(m)/2] }, errs.ErrCorrupt},
		{"a later format", func(_, m string) string {
			return strings.Replace(m, `"format-version":2`, `"format-version":4`, 1)
		}, errs.ErrUnsupported},
		{"a spec of no column", func(_, m string) string { return strings.Replace(m, `"source-id":1`, `"source-id":77`, 1) }, errs.ErrUnsupported},
	} {
		dir := filepath.Join(t.TempDir(), "table")
		if err := write(ctx, dir, mode("create", "iceberg-partition", "bucket(2, id)"), s, rec); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "metadata", "v1.metadata.json")
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		edited := c.edit(filepath.ToSlash(dir), string(b))
		if edited == string(b) {
			t.Fatal(c.name)
		}
		if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		for _, m := range []string{"append", "overwrite"} {
			if err := write(ctx, dir, mode(m), s, rec); !errors.Is(err, c.kind) {
				t.Errorf("%s, %s: %v", c.name, m, err)
			}
		}
		if after := tree(t, dir); !slices.Equal(before, after) {
			t.Errorf("%s: %q is left", c.name, after)
		}
	}
	dir := filepath.Join(t.TempDir(), "table")
	if err := write(ctx, dir, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	for _, name := range tree(t, dir) { // a cut manifest, then a cut list
		if !strings.HasSuffix(name, ".avro") {
			continue
		}
		if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(name)), 300); err != nil {
			t.Fatal(err)
		}
		if err := write(ctx, dir, mode("overwrite"), s, rec); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCreatedTogether makes one table twice at the same time: the second is told that it exists now.
func TestCreatedTogether(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	s, rec := numbered(t, 0, 10)
	defer rec.Release()
	var both []arrowio.Writer
	for range 2 {
		table, err := open(ctx, dir, mode("create"))
		if err != nil {
			t.Fatal(err)
		}
		f := table.Format()
		p, err := f.Plan(s, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(ctx, f, table, p)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, w)
	}
	for _, w := range both {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := both[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := both[1].Close(); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "exists now") || !strings.Contains(err.Error(), "append") {
		t.Error(err)
	}
	if got, _ := rows(t, dir); len(got) != 10 {
		t.Error(got)
	}
}

// TestWider appends rows of a wider type than the table's.
func TestWider(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	narrow := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	if err := write(ctx, dir, mode("create"), narrow); err != nil {
		t.Fatal(err)
	}
	wide := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	err := write(ctx, dir, mode("append"), wide)
	var w *view.WiderError
	if !errors.Is(err, errs.ErrSchema) || errors.As(err, &w) || !strings.Contains(err.Error(), "column n") || !strings.Contains(err.Error(), "schema="+dir) {
		t.Error(err)
	}
}
