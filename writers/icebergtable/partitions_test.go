package icebergtable_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/orctext"
)

var partitioned = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "word", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "amount", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}, Nullable: true},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
	{Name: "raw", Type: arrow.BinaryTypes.Binary, Nullable: true},
	{Name: "run", Type: arrow.PrimitiveTypes.Int32},
}, nil)

// spread makes a row for each number, and all columns but run are functions of it.
func spread(t *testing.T, run int, numbers ...int) arrow.Record {
	t.Helper()
	var b strings.Builder
	for _, n := range numbers {
		if b.Len() > 0 {
			b.WriteString(",")
		}
		if n == 0 {
			fmt.Fprintf(&b, `{"run": %d}`, run)
			continue
		}
		fmt.Fprintf(&b, `{"id": %d, "word": "w%d", "amount": "-%d.50", "day": "2024-%02d-03", "at": "2024-01-0%d 10:00:00.000001", "raw": "AAA=", "run": %d}`, n, n, n, n, n, run)
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, partitioned, strings.NewReader("["+b.String()+"]"))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestReplacePartitions replaces the rows of the partitions that new rows are in, and of no others, by all transforms, and files with deleted rows, too.
func TestReplacePartitions(t *testing.T) {
	ctx := context.Background()
	for i, spec := range []string{"id", "word", "amount", "day", "at", "month(day)", "hour(at)", "day(at), word", "truncate(2, word), bucket(2, raw)", "truncate(1, id), truncate(1, amount)"} {
		dir := filepath.Join(t.TempDir(), "table")
		for run, m := range []map[string]string{
			mode("create", "iceberg-partition", spec, "iceberg-format-version", fmt.Sprint(1+i%3), "iceberg-data-format", []string{"orc", "parquet"}[i%2]), mode("append"),
		} {
			if err := write(ctx, dir, m, partitioned, spread(t, run, 0, 1, 2, 3, 4, 4)); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
		}
		deleteWhere(t, dir, "id = 4 AND run = 0")
		if err := write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 2, 0, 4, 4, 4, 7, 2)); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		var want []string
		for _, rec := range []arrow.Record{spread(t, 0, 1, 3), spread(t, 1, 1, 3), spread(t, 2, 0, 4, 4, 4, 7, 2)} {
			want = append(want, orctext.Rows(rec)...)
		}
		slices.Sort(want)
		if got, _ := rows(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: rows\n%s\nnot\n%s", spec, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, f := range faults(t, dir) {
			t.Errorf("%s: %s", spec, f)
		}
		before := tree(t, dir)
		if err := write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 3)); err != nil || !slices.Equal(tree(t, dir), before) {
			t.Errorf("%s: no rows: %v, %v", spec, err, tree(t, dir))
		}
	}
}

// TestPartitionsOfZeros writes -0 and 0 to partitions of their own: readers take the values of the column from the partition.
func TestPartitionsOfZeros(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"x": 0.0}, {"x": -0.0}, {"x": 0.0}, {"x": -0.0}, {"x": 1}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	dir := filepath.Join(t.TempDir(), "table")
	if err := write(t.Context(), dir, mode("create", "iceberg-partition", "x"), schema, rec); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, name := range tree(t, dir) {
		if strings.HasPrefix(name, "data/") {
			got, _ := rows(t, filepath.Join(dir, name))
			texts = append(texts, strings.Join(got, " "))
		}
	}
	slices.Sort(texts)
	if want := []string{`["d0000000000000000"] ["d0000000000000000"]`, `["d3ff0000000000000"]`, `["d8000000000000000"] ["d8000000000000000"]`}; !slices.Equal(texts, want) {
		t.Errorf("files of %q, want %q", texts, want)
	}
	for _, f := range faults(t, dir) {
		t.Error(f)
	}
}

// TestReplacePartitionsTogether replaces partitions of one table at the same time.
func TestReplacePartitionsTogether(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	if err := write(ctx, dir, mode("create", "iceberg-partition", "id"), partitioned, spread(t, 0, 1, 2, 3, 4, 5)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for p := 1; p <= 4; p++ {
		all.Go(func() {
			for run := 1; run <= 3; run++ {
				if err := write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, run, p, p)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	want := append(orctext.Rows(spread(t, 3, 1, 1, 2, 2, 3, 3, 4, 4)), orctext.Rows(spread(t, 0, 5))...)
	slices.Sort(want)
	if got, _ := rows(t, dir); !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if left := orphans(t, dir); len(left) > 0 {
		t.Errorf("%s are left", left)
	}
}

// TestReplacePartitionsRefused refuses tables of which no partition can be told.
func TestReplacePartitionsRefused(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	err := write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 0, 1))
	if err == nil || !strings.Contains(err.Error(), "there is no table") {
		t.Error(err)
	}
	if err := write(ctx, dir, mode("create"), partitioned, spread(t, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if err = write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 0, 1)); err == nil || !strings.Contains(err.Error(), "not partitioned") {
		t.Error(err)
	}
}

// TestReplacePartitionsOlderSpec refuses a table whose files are of an older partition spec, changes nothing, and leaves no file.
func TestReplacePartitionsOlderSpec(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	if err := write(ctx, dir, mode("create", "iceberg-partition", "day(at)"), partitioned, spread(t, 0, 1, 2)); err != nil {
		t.Fatal(err)
	}
	// as ALTER TABLE … ADD PARTITION FIELD does
	name := filepath.Join(dir, "metadata", "v1.metadata.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // ids of snapshots have more digits than floats
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	m["partition-specs"] = append(m["partition-specs"].([]any), map[string]any{
		"spec-id": 1, "fields": []any{map[string]any{"source-id": 1, "field-id": 1001, "name": "id", "transform": "identity"}},
	})
	m["default-spec-id"], m["last-partition-id"] = 1, 1001
	if text, err = json.Marshal(m); err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	want, _ := rows(t, dir)
	err = write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 1, 1))
	if err == nil || !strings.Contains(err.Error(), "older partition spec") || !strings.Contains(err.Error(), "iceberg-overwrite-where") {
		t.Error(err)
	}
	if after := tree(t, dir); !slices.Equal(after, before) {
		t.Errorf("%s, not %s", after, before)
	}
	if got, _ := rows(t, dir); !slices.Equal(got, want) {
		t.Errorf("rows\n%s", strings.Join(got, "\n"))
	}
	// Once all files are of the new spec, partitions are replaced.
	if err := write(ctx, dir, mode("overwrite"), partitioned, spread(t, 2, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, dir, mode("replace-partitions"), partitioned, spread(t, 3, 2)); err != nil {
		t.Fatal(err)
	}
	want = append(orctext.Rows(spread(t, 2, 1)), orctext.Rows(spread(t, 3, 2))...)
	slices.Sort(want)
	if got, _ := rows(t, dir); !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
