package icebergtable_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
)

var lineageOption = map[string]string{"iceberg-row-lineage": "true"}

// lineageTable has files whose rows have ids: three of one manifest from 100 on, one with its own, one that stores them, in part, and
// one of a manifest that was there before rows had ids.
func lineageTable(t testing.TB) *builder {
	b := newBuilder(t)
	b.version, b.together = 3, true
	b.schema = idAndDay
	b.file(fileEntry{name: "a.orc", sequence: 2}, column{"id", 1, i64, `[0,1,2,3]`})
	b.file(fileEntry{name: "gone.orc", sequence: 2, status: 2}, column{"id", 1, i64, `[8,9]`}) // it was deleted, and takes no ids
	b.file(fileEntry{name: "own.parquet", sequence: 2, firstRow: int64(7)}, column{"id", 1, i64, `[10,11]`})
	b.file(fileEntry{name: "b.parquet", sequence: 2}, column{"id", 1, i64, `[20,21]`})
	b.file(fileEntry{name: "stored.parquet", sequence: 2}, column{"id", 1, i64, `[30,31,32]`}, column{"x", 2147483540, i64, `[5,null,null]`}, column{"y", 2147483539, i64, `[1,null,2]`})
	b.file(fileEntry{name: "before.orc", sequence: 1}, column{"id", 1, i64, `[40,41]`})
	b.puffin("dv.puffin", 3, []string{"a.orc"}, []uint64{1})
	b.listed = func(m map[string]any) {
		if m["content"] == 0 && m["sequence_number"] == int64(2) {
			m["first_row_id"] = int64(100)
		}
	}
	return b
}

// TestRowLineage reads row ids and the sequence numbers of rows, as the specification has them ("Row Lineage"): stored values count, then
// what the file, or its manifest, says.
func TestRowLineage(t *testing.T) {
	dir := lineageTable(t).build()
	o := readers.Options{Options: lineageOption}
	all := []string{
		`[0,null,100,2]`, `[2,null,102,2]`, `[3,null,103,2]`, `[10,null,7,2]`, `[11,null,8,2]`, `[20,null,104,2]`, `[21,null,105,2]`,
		`[30,null,5,1]`, `[31,null,107,2]`, `[32,null,108,2]`, `[40,null,null,1]`, `[41,null,null,1]`,
	}
	for where, want := range map[string][]string{
		"":                                       all,
		"id = 21":                                all[6:7],
		"_row_id = 108":                          all[9:10],
		"_row_id = 107 and id > 5":               all[8:9],
		"_row_id is null":                        all[10:],
		"_last_updated_sequence_number = 1":      {all[7], all[10], all[11]},
		"_row_id >= 102 and _row_id <= 104":      {all[1], all[2], all[5]},
		"id = 3 and _row_id = 103":               all[2:3],
		"_last_updated_sequence_number is null":  nil,
		"id in (3, 32) and _row_id in (103, 50)": all[2:3],
	} {
		got, _, err := rowsOf(t, dir, o, where)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q: %v", where, got, want, err)
		}
	}
	got, _, err := rowsOf(t, dir, readers.Options{}, "id < 3")
	if want := []string{`[0,null]`, `[2,null]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("without lineage: %q, not %q: %v", got, want, err)
	}
}

// TestRowLineageColumns reads some columns of a table with row lineage, in another order.
func TestRowLineageColumns(t *testing.T) {
	ctx := context.Background()
	d, err := readers.OpenDataset(ctx, []string{lineageTable(t).build()}, readers.Options{Options: lineageOption})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		columns []string
		last    string
	}{
		{[]string{"_row_id"}, `[null]`},
		{[]string{"_last_updated_sequence_number", "id"}, `[1,41]`},
		{[]string{"id", "_row_id"}, `[41,null]`},
		{[]string{"day"}, `[null]`},
	} {
		s, err := d.Scan(ctx, arrowio.ScanOptions{Columns: c.columns, BatchRows: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for s.Next() {
			got = append(got, orctext.Rows(s.Record())...)
		}
		if s.Err() != nil || len(got) != 12 || got[11] != c.last {
			t.Errorf("%q: %q %v", c.columns, got, s.Err())
		}
		s.Release()
	}
}

// TestRowLineageParts reads row ids in another process, and tells files apart whose rows have other ids.
func TestRowLineageParts(t *testing.T) {
	ctx := context.Background()
	o := readers.Defaults(readers.Options{Options: lineageOption})
	seen := map[string]bool{}
	for _, first := range []int64{0, 5} {
		b := newBuilder(t)
		b.version, b.schema = 3, idAndDay
		b.file(fileEntry{name: "a.orc", sequence: 2, firstRow: first}, column{"id", 1, i64, `[0,1]`})
		dir := b.build()
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
		f, err := dataset.OpenInput(ctx, received[0], o)
		if err != nil {
			t.Fatal(err)
		}
		if n := f.Schema().NumFields(); n != 4 {
			t.Errorf("%s", f.Schema())
		}
		id, err := arrowio.Identity(ctx, f)
		if err != nil || seen[id] {
			t.Errorf("first row %d: the identity is %s: %v", first, id, err)
		}
		seen[id] = true
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRowLineageRefused refuses row lineage where there is none, and ids that no long holds.
func TestRowLineageRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   errs.Kind
		change func(b *builder)
	}{
		{"format version 2", errs.ErrOption, func(b *builder) { b.version = 2 }},
		{"a column of that name", errs.ErrOption, func(b *builder) {
			b.schema = `[{"id": 1, "name": "_row_id", "required": false, "type": "long"}]`
		}},
		{"ids beyond a long", errs.ErrCorrupt, func(b *builder) { b.entries[0].firstRow = int64(math.MaxInt64) }},
		{"inherited ids beyond a long", errs.ErrCorrupt, func(b *builder) {
			b.listed = func(m map[string]any) { m["first_row_id"] = int64(math.MaxInt64 - 1) }
		}},
		{"a stored column of text", errs.ErrSchema, func(b *builder) {
			b.file(fileEntry{name: "t.orc", sequence: 1}, column{"id", 1, i64, `[1]`}, column{"_row_id", 2147483540, utf8, `["a"]`})
		}},
		{"a stored column of int", errs.ErrSchema, func(b *builder) {
			b.file(fileEntry{name: "t.orc", sequence: 1}, column{"id", 1, i64, `[1]`}, column{"_row_id", 2147483540, i32, `[1]`})
		}},
	} {
		b := newBuilder(t)
		b.version, b.schema = 3, idAndDay
		b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0,1]`})
		c.change(b)
		if _, _, err := rowsOf(t, b.build(), readers.Options{Options: lineageOption}, ""); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, not %v", c.name, err, c.kind)
		}
	}
}

// TestVerifyRowLineage does not take stored row ids, of some rows, for a fault.
func TestVerifyRowLineage(t *testing.T) {
	b := lineageTable(t)
	for i := range b.entries {
		if b.entries[i].name == "stored.parquet" {
			b.entries[i].nulls = map[int32]int64{2147483540: 2}
		}
	}
	if got, texts := faultsOf(t, b.build()); len(got) > 0 {
		t.Errorf("%q %q", got, texts)
	}
}
