//go:build interop

package icebergtable_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/writertest"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// condition is a filter on the column id, as text and in Go, so that what is expected does not come from the filters tested.
type condition struct {
	text string
	is   func(id int64) bool // of ids that are not null
	null bool                // whether it is true where id is null
}

func conditionOf(r *writertest.Random, ids []*int64) condition {
	pick := func() int64 {
		for range 10 {
			if len(ids) > 0 {
				if id := ids[r.Intn(len(ids))]; id != nil {
					return *id
				}
			}
		}
		return 7
	}
	p, q := pick(), pick()
	if p > q {
		p, q = q, p
	}
	return []condition{
		{fmt.Sprintf("id < %d", q), func(id int64) bool { return id < q }, false},
		{fmt.Sprintf("id >= %d", q), func(id int64) bool { return id >= q }, false},
		{fmt.Sprintf("id = %d", p), func(id int64) bool { return id == p }, false},
		{fmt.Sprintf("id <> %d", p), func(id int64) bool { return id != p }, false},
		{fmt.Sprintf("NOT (id BETWEEN %d AND %d)", p, q), func(id int64) bool { return id < p || id > q }, false},
		{fmt.Sprintf("id IN (%d, %d, 3)", p, q), func(id int64) bool { return id == p || id == q || id == 3 }, false},
		{"id IS NULL", func(int64) bool { return false }, true},
		{"id IS NOT NULL", func(int64) bool { return true }, false},
		{fmt.Sprintf("id > %d OR id IS NULL", p), func(id int64) bool { return id > p }, true},
	}[r.Intn(9)]
}

func (c *condition) holds(id *int64) bool {
	if id == nil {
		return c.null
	}
	return c.is(*id)
}

// changed is a table of random rows that are deleted, replaced and compacted.
type changed struct {
	judged
	ids []*int64 // by row of want
}

func idsOf(rec arrow.Record) (out []*int64) {
	a := rec.Column(0).(*array.Int64)
	for i := range a.Len() {
		if a.IsNull(i) {
			out = append(out, nil)
			continue
		}
		id := a.Value(i)
		out = append(out, &id)
	}
	return out
}

// small makes ids of a record small numbers, so that conditions find several rows.
func small(rec arrow.Record) {
	a := rec.Column(0).(*array.Int64)
	for i, v := range a.Int64Values() {
		a.Int64Values()[i] = v % 50
	}
}

func (c *changed) add(rec arrow.Record) {
	c.want, c.ids = append(c.want, orctext.Rows(rec)...), append(c.ids, idsOf(rec)...)
}

func (c *changed) remove(x *condition) (n int64) {
	var want []string
	var ids []*int64
	for i, id := range c.ids {
		if x.holds(id) {
			n++
			continue
		}
		want, ids = append(want, c.want[i]), append(ids, id)
	}
	c.want, c.ids = want, ids
	return n
}

// change does one random thing.
func (c *changed) change(t *testing.T, r *writertest.Random) {
	t.Helper()
	ctx := context.Background()
	rec := r.Record(c.schema, r.Intn(15))
	defer rec.Release()
	small(rec)
	x := conditionOf(r, c.ids)
	e, err := expr.Parse(x.text)
	if err != nil {
		t.Fatal(err)
	}
	op := writertest.Pick(r, "append", "append", "delete", "delete", "delete", "overwrite", "compact")
	switch op {
	case "append":
		if err = write(ctx, c.dir, mode("append"), c.schema, rec); err == nil {
			c.add(rec)
		}
	case "delete":
		var out *icebergtable.Outcome
		out, err = icebergtable.Delete(ctx, c.dir, changing(nil), e)
		if n := c.remove(&x); err == nil && out.Rows != n {
			t.Errorf("%s: %s: %d rows deleted, not %d", c.dir, x.text, out.Rows, n)
		}
	case "overwrite":
		var parts []arrow.Record
		c.remove(&x)
		for i, id := range idsOf(rec) {
			if x.holds(id) {
				part := rec.NewSlice(int64(i), int64(i+1))
				defer part.Release()
				parts = append(parts, part)
				c.add(part)
			}
		}
		err = write(ctx, c.dir, mode("overwrite", "iceberg-overwrite-where", x.text), c.schema, parts...)
	case "compact":
		o := icebergtable.CompactOptions{}
		if r.OneOf(3) {
			o.Where = e
		}
		_, err = icebergtable.Compact(ctx, c.dir, changing(nil), o)
	}
	if err != nil {
		t.Errorf("%s: %s %s: %v", c.dir, op, x.text, err)
	}
}

// TestRandomChanges has Iceberg's own library read tables from which rows were deleted and replaced here, and that were compacted: their
// rows, metrics and totals. ARROWIO_ICEBERG_CHANGES is how many tables there are, if it is set.
func TestRandomChanges(t *testing.T) {
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	tables := 12
	if n, err := strconv.Atoi(os.Getenv("ARROWIO_ICEBERG_CHANGES")); err == nil {
		tables = n
	}
	dir := t.TempDir()
	var all []*judged
	for seed := range tables {
		if j := randomChanged(t, int64(seed), filepath.Join(dir, fmt.Sprintf("t%d", seed))); j != nil {
			all = append(all, j)
		}
	}
	if len(all) < tables*3/4 {
		t.Errorf("%d tables", len(all))
	}
	for part := range slices.Chunk(all, 50) {
		check(t, jar, part)
	}
}

// randomChanged makes a table and changes it a few times.
func randomChanged(t *testing.T, seed int64, dir string) *judged {
	t.Helper()
	r := newRandom(5000 + seed)
	s := arrow.NewSchema(append([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, fields(r, r.Intn(4), r.Intn(2))...), nil)
	var parts []string
	for _, f := range s.Fields() {
		if p := transformOf(r, f); p != "" && r.OneOf(3) {
			parts = append(parts, p)
		}
	}
	props := "write.target-file-size-bytes=" + writertest.Pick(r, "3000", "500000000")
	if r.OneOf(3) {
		props += "\nwrite.delete.format.default=" + writertest.Pick(r, "orc", "parquet")
	}
	if r.OneOf(6) {
		props += "\nwrite.delete.mode=copy-on-write"
	}
	if r.OneOf(4) {
		props += "\nwrite.metadata.metrics.default=" + writertest.Pick(r, "none", "counts", "truncate(1)", "full")
	}
	o := mode("create", "iceberg-format-version", fmt.Sprint(1+seed%3), "iceberg-data-format", writertest.Pick(r, "orc", "parquet"),
		"iceberg-partition", strings.Join(parts, ", "), "iceberg-property", props)
	c := &changed{judged: judged{dir: dir, schema: s}}
	r.Gen.Nulls = writertest.Pick(r, 0, 0.05, 0.5)
	rec := r.Record(s, r.Intn(40))
	small(rec)
	if err := write(context.Background(), c.dir, o, s, rec); err != nil {
		t.Errorf("%d: %s: %v", seed, s, err)
		return nil
	}
	c.add(rec)
	rec.Release()
	for range 2 + r.Intn(5) {
		c.change(t, r)
	}
	return &c.judged
}
