package icebergtable_test

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

// opened opens what a description or a verification of a table is about, and calls do with each.
func opened(t *testing.T, dir string, purpose arrowio.Purpose, do func(name string, f arrowio.File)) {
	t.Helper()
	ctx := context.Background()
	o := readers.Defaults(readers.Options{For: purpose})
	inputs, err := dataset.List(ctx, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range inputs {
		f, err := dataset.OpenInput(ctx, in, o)
		if err != nil {
			t.Fatal(err)
		}
		do(filepath.Base(in.Path), f)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// faultsOf verifies a table and returns the faults as "file column kind", and the warnings as "file warning".
func faultsOf(t *testing.T, dir string) (out, texts []string) {
	t.Helper()
	opened(t, dir, arrowio.ForVerify, func(name string, f arrowio.File) {
		v, ok := arrowio.As[arrowio.Verifier](f)
		if !ok {
			t.Fatalf("%s cannot be verified", name)
		}
		report := func(err error) {
			var e *errs.Error
			if !errors.As(err, &e) || !errors.Is(err, errs.ErrCorrupt) {
				t.Fatalf("%s: %v", name, err)
			}
			if e.File != "" {
				name = filepath.Base(e.File)
			}
			out, texts = append(out, strings.TrimSpace(name+" "+e.Column)), append(texts, err.Error())
		}
		if err := v.Verify(context.Background(), report); err != nil {
			t.Fatal(err)
		}
		for _, w := range arrowio.WarningsOf(f) {
			out, texts = append(out, name+" warning"), append(texts, w.Text)
		}
	})
	return out, texts
}

// TestVerify finds what metadata and delete files say wrongly, one fault each.
func TestVerify(t *testing.T) {
	le := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	bounds := func(e *fileEntry, lower, upper uint64) {
		e.lower, e.upper = map[int32][]byte{1: le(lower)}, map[int32][]byte{1: le(upper)}
	}
	for _, c := range []struct {
		name  string
		make  func(b *builder)
		fault string
		field string
	}{
		{"nothing wrong", func(b *builder) {
			bounds(&b.entries[0], 0, 2)
			b.entries[0].nulls = map[int32]int64{1: 0, 2: 3}
		}, "", ""},
		{"added files", func(b *builder) { b.listed = func(m map[string]any) { m["added_files_count"] = 5 } }, "m0.avro", "added_files_count"},
		{"deleted rows", func(b *builder) { b.listed = func(m map[string]any) { m["deleted_rows_count"] = int64(5) } }, "m0.avro", "deleted_rows_count"},
		{"existing rows", func(b *builder) { b.listed = func(m map[string]any) { m["existing_rows_count"] = int64(5) } }, "m0.avro", "existing_rows_count"},
		{"length", func(b *builder) { b.listed = func(m map[string]any) { m["manifest_length"] = int64(5) } }, "m0.avro", "manifest_length"},
		{"lowest sequence number", func(b *builder) { b.listed = func(m map[string]any) { m["min_sequence_number"] = int64(8) } }, "m0.avro", "min_sequence_number"},
		{"sequence number of a manifest", func(b *builder) { b.entries[0].sequence = 10 }, "m0.avro", "sequence number 10"},
		{"last sequence number", func(b *builder) { b.edit = func(m map[string]any) { m["last-sequence-number"] = 8 } }, "table", "last-sequence-number"},
		{"rows", func(b *builder) { b.entries[0].rows = 4 }, "x.orc", "the manifest says 4"},
		{"lower bound", func(b *builder) { bounds(&b.entries[0], 1, 2) }, "x.orc id", "lower_bounds"},
		{"upper bound", func(b *builder) { bounds(&b.entries[0], 0, 1) }, "x.orc id", "upper_bounds"},
		{"a bound of another type", func(b *builder) { b.entries[0].lower = map[int32][]byte{1: {1}} }, "x.orc id", "lower_bounds"},
		{"nulls", func(b *builder) { b.entries[0].nulls = map[int32]int64{2: 1} }, "x.orc day", "null_value_counts"},
		{"rows of a delete file", func(b *builder) {
			b.deleting("d.parquet", "x.orc", `[1]`)
			b.entries[1].rows = 2
		}, "d.parquet", "the manifest says 2"},
		{"deletes", func(b *builder) { b.deleting("d.parquet", "x.orc", `[1]`) }, "", ""},
		{"deletes of rows that are not there", func(b *builder) { b.deleting("d.orc", "x.orc", `[3]`) }, "d.orc pos", "row 3"},
		{"deletes before the first row", func(b *builder) { b.deleting("d.orc", "x.orc", `[-1]`) }, "d.orc pos", "row -1"},
		{"deletes of another file", func(b *builder) { b.deleting("d.orc", "y.orc", `[7]`) }, "d.orc warning", "y.orc"},
		{"deletes beyond their bounds", func(b *builder) {
			b.deleting("d.orc", "x.orc", `[1]`)
			path := []byte(b.said + "/data/w.orc")
			b.entries[1].lower, b.entries[1].upper = map[int32][]byte{2147483546: path}, map[int32][]byte{2147483546: path}
		}, "d.orc file_path", "lower_bounds"},
	} {
		b := newBuilder(t)
		b.schema = idAndDay
		b.file(fileEntry{name: "x.orc", sequence: 1}, column{"id", 1, i64, `[0,1,2]`})
		c.make(b)
		dir := b.build()
		got, texts := faultsOf(t, dir)
		if c.name == "deletes of rows that are not there" || c.name == "deletes before the first row" { // the data file warns of them, too
			got = slices.DeleteFunc(got, func(s string) bool { return s == "x.orc warning" })
		}
		if c.fault == "" && len(got) > 0 || c.fault != "" && (len(got) != 1 || got[0] != c.fault || !strings.Contains(texts[0], c.field)) {
			t.Errorf("%s: %q %q, not %q %q", c.name, got, texts, c.fault, c.field)
		}
	}
}

// deleting adds a file of position deletes.
func (b *builder) deleting(name, of, positions string) {
	b.t.Helper()
	path := `["` + b.said + "/data/" + of + `"]`
	b.file(fileEntry{name: name, sequence: 2, content: 1}, column{"file_path", 2147483546, utf8, path}, column{"pos", 2147483545, i64, positions})
}

// TestVerifyDeletes verifies a table with deletes of both kinds, of which all is right but a path of no file.
func TestVerifyDeletes(t *testing.T) {
	got, texts := faultsOf(t, deletesTable(t).build())
	if !slices.Equal(got, []string{"p.parquet warning"}) || !strings.Contains(texts[0], "s3://elsewhere/x") {
		t.Errorf("%q %q", got, texts)
	}
}

// TestDescribe describes a table before its files.
func TestDescribe(t *testing.T) {
	b := deletesTable(t)
	b.edit = func(m map[string]any) {
		m["default-sort-order-id"] = 1
		m["sort-orders"] = []any{map[string]any{"order-id": 1, "fields": []any{
			map[string]any{"source-id": 3, "transform": "truncate[2]", "direction": "desc", "null-order": "nulls-last"},
			map[string]any{"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"},
		}}}
		m["partition-specs"] = []any{map[string]any{"spec-id": 0, "fields": []any{map[string]any{"source-id": 1, "field-id": 1000, "name": "b", "transform": "bucket[4]"}}}}
	}
	var names []string
	opened(t, b.build(), arrowio.ForInfo, func(name string, f arrowio.File) {
		names = append(names, name)
		x, err := f.Info(context.Background(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(names) > 1 {
			return
		}
		facts := map[string]string{}
		for _, f := range x.Facts {
			facts[f.Name] += f.Value + "\n"
		}
		for name, want := range map[string]string{
			"location": b.said, "uuid": "u", "snapshot": "7, the current one, 1970-01-01T00:00:01.000Z", "snapshots": "1", "schema": "0, of 1",
			"partition": "bucket[4](id)", "order": "truncate[2](name) descending, nulls last; id, nulls first",
			"data":    "data files in orc: 1, with 6 rows in ",
			"deletes": "files of position deletes in orc: 1, with 1 rows in ",
		} {
			if !strings.HasPrefix(facts[name], want) {
				t.Errorf("%s is %q, not %q", name, facts[name], want)
			}
		}
		if x.Format != "iceberg" || x.Version != "2" || x.Rows != arrowio.UnknownRows || len(x.Columns) != 2 || x.Columns[1].Stored != "string" || len(x.Members) != 3 {
			t.Errorf("%+v", x)
		}
	})
	if want := []string{"table", "a.orc", "b.parquet"}; !slices.Equal(names, want) {
		t.Errorf("%q, not %q", names, want)
	}
}
