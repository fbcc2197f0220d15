//go:build interop

package icebergtable_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/writertest"
)

// judged is a table of random rows, and the rows.
type judged struct {
	dir    string
	want   []string
	schema *arrow.Schema
}

// TestRandomTables has Iceberg's own library read tables of random schemas, partitions and histories, which are written here. It compares
// the rows, the partitions, counts and bounds of all files, and the totals; then it rewrites the manifests, and more rows are written here to
// the table that it has changed.
func TestRandomTables(t *testing.T) {
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	const tables = 12
	dir := t.TempDir()
	var all []*judged
	for seed := range tables {
		if j := randomTable(t, int64(seed), filepath.Join(dir, fmt.Sprintf("t%d", seed))); j != nil {
			all = append(all, j)
		}
	}
	if len(all) < tables*3/4 {
		t.Errorf("%d tables", len(all))
	}
	check(t, jar, all)
	for i, j := range all {
		r := newRandom(int64(1000 + i))
		j.step(t, r, "append")
	}
	check(t, jar, all)
}

func (j *judged) step(t *testing.T, r *writertest.Random, mode string) {
	t.Helper()
	rec := r.Record(j.schema, r.Intn(15))
	defer rec.Release()
	if err := write(context.Background(), j.dir, map[string]string{"iceberg-mode": mode}, j.schema, rec); err != nil {
		t.Errorf("%s: %s: %v", j.dir, mode, err)
		return
	}
	if mode == "overwrite" {
		j.want = nil
	}
	j.want = append(j.want, orctext.Rows(rec)...)
}

// check has the judge look at tables, and compares its rows with those that were written, and with those read here.
func check(t *testing.T, jar string, all []*judged) {
	t.Helper()
	var list bytes.Buffer
	for _, j := range all {
		fmt.Fprintf(&list, "%s\t%s\n", j.dir, j.dir+".rows")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := judge.Java(ctx, "1g", jar, "check")
	cmd.Stdin, cmd.Stderr = &list, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "checked\t") {
			t.Error(line)
		}
	}
	for _, j := range all {
		b, err := os.ReadFile(j.dir + ".rows")
		if err != nil {
			continue // it was told
		}
		java := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		if len(b) == 0 {
			java = nil
		}
		got, schema := rows(t, j.dir)
		sameRows(t, j.dir+" by Iceberg", java, slices.Clone(j.want), schema)
		sameRows(t, j.dir, got, slices.Clone(j.want), schema)
		for _, f := range faults(t, j.dir) {
			t.Errorf("%s: %s", j.dir, f)
		}
	}
}

// unsigned is a row without the signs of zeros: where a batch has no other floats, orc-core gives all the sign of the first.
func unsigned(line string) string {
	return strings.NewReplacer(`"f80000000"`, `"f00000000"`, `"d8000000000000000"`, `"d0000000000000000"`).Replace(line)
}

func newRandom(seed int64) *writertest.Random {
	r := writertest.NewRandom(rand.NewSource(seed), memory.NewGoAllocator())
	names := 0
	r.Name = func() string {
		names++
		return fmt.Sprintf("c%d", names)
	}
	r.Flat = func() arrow.DataType {
		if r.OneOf(6) {
			p := int32(1 + r.Intn(38))
			return &arrow.Decimal128Type{Precision: p, Scale: int32(r.Intn(int(p) + 1))}
		}
		return writertest.Pick[arrow.DataType](
			r,
			arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
			arrow.FixedWidthTypes.Time64us, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
			arrow.FixedWidthTypes.Date32, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary,
			&arrow.FixedSizeBinaryType{ByteWidth: 16}, &arrow.FixedSizeBinaryType{ByteWidth: 7},
			&arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
			&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Zurich"}, &arrow.TimestampType{Unit: arrow.Millisecond},
		)
	}
	r.Key = r.Flat
	r.Union = func(depth int) arrow.DataType { return r.DataType(depth - 1) }
	r.Field = func(f arrow.Field) arrow.Field {
		if b, ok := f.Type.(*arrow.FixedSizeBinaryType); ok && b.ByteWidth == 16 && r.OneOf(2) {
			f.Metadata = arrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid"})
		}
		return f
	}
	r.Fixed = fit(r)
	return r
}

// fit keeps numbers in the range of their types, and times in that of the readers.
func fit(r *writertest.Random) func(t arrow.DataType, b []byte) {
	return func(t arrow.DataType, b []byte) {
		switch t := t.(type) {
		case *arrow.Float32Type: // Avro in Java has one NaN
			for i, v := range arrow.Float32Traits.CastFromBytes(b) {
				if v != v {
					arrow.Uint32Traits.CastFromBytes(b)[i] = 0x7fc00000
				}
			}
		case *arrow.Float64Type:
			for i, v := range arrow.Float64Traits.CastFromBytes(b) {
				if v != v {
					arrow.Uint64Traits.CastFromBytes(b)[i] = 0x7ff8000000000000
				}
			}
		case *arrow.Decimal128Type:
			fitDecimals(t, b)
		case *arrow.TimestampType:
			most := int64(4e9) // seconds
			for u := t.Unit; u > arrow.Second; u-- {
				most *= 1000
			}
			v := arrow.Int64Traits.CastFromBytes(b)
			for i := range v {
				if v[i] = v[i] % most; v[i] < 0 && v[i] > -most/1000 { // the last second before 1970 is refused in ORC
					v[i] = -v[i]
				}
			}
		case *arrow.Time64Type:
			v := arrow.Int64Traits.CastFromBytes(b)
			for i := range v {
				v[i] = int64(uint64(v[i]) % 86_400_000_000)
			}
		case *arrow.Date32Type:
			v := arrow.Int32Traits.CastFromBytes(b)
			for i := range v {
				v[i] %= 50_000
			}
		}
	}
}

// fitDecimals keeps unscaled values below 10^precision.
func fitDecimals(t *arrow.Decimal128Type, b []byte) {
	most := int64(1)
	for range min(t.Precision, 18) {
		most *= 10
	}
	v := arrow.Int64Traits.CastFromBytes(b)
	for i := 0; i+1 < len(v); i += 2 {
		v[i] %= most
		v[i+1] = v[i] >> 63
	}
}

// dataType makes a type that tables have.
func dataType(r *writertest.Random, depth int) arrow.DataType {
	if depth <= 0 || r.OneOf(2) {
		return r.Flat()
	}
	elem := func() arrow.Field {
		return r.Field(arrow.Field{Name: "item", Type: dataType(r, depth-1), Nullable: r.OneOf(2)})
	}
	switch r.Intn(7) {
	case 0:
		return arrow.ListOfField(elem())
	case 1:
		return arrow.LargeListOfField(elem())
	case 2:
		return arrow.FixedSizeListOfField(int32(1+r.Intn(3)), elem())
	case 3:
		return arrow.MapOf(r.Key(), dataType(r, depth-1))
	case 4:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	}
	return arrow.StructOf(fields(r, 1+r.Intn(4), depth-1)...)
}

func fields(r *writertest.Random, n, depth int) []arrow.Field {
	out := make([]arrow.Field, n)
	for i := range out {
		out[i] = r.Field(arrow.Field{Name: r.Name(), Type: dataType(r, depth), Nullable: r.OneOf(2)})
	}
	return out
}

// transformOf returns what a column may be partitioned by; "" = nothing.
func transformOf(r *writertest.Random, f arrow.Field) string {
	few := func(of ...string) string { return fmt.Sprintf(writertest.Pick(r, of...), f.Name) }
	switch t := f.Type.(type) {
	case *arrow.TimestampType:
		if t.Unit == arrow.Nanosecond { // Iceberg's reader does not convert their values of identity partitions
			return few("year(%s)", "hour(%s)", "bucket(3, %s)")
		}
		return few("year(%s)", "month(%s)", "day(%s)", "hour(%s)", "bucket(3, %s)", "%s")
	case *arrow.Date32Type:
		return few("year(%s)", "month(%s)", "day(%s)", "bucket(5, %s)", "%s")
	case *arrow.StringType, *arrow.LargeStringType, *arrow.Int32Type, *arrow.Int64Type, *arrow.Decimal128Type, *arrow.BinaryType, *arrow.Time64Type:
		if f.Type.ID() == arrow.TIME64 {
			return few("%s", "bucket(4, %s)")
		}
		return few("%s", "bucket(4, %s)", "truncate(2, %s)")
	case *arrow.FixedSizeBinaryType:
		return few("bucket(2, %s)")
	case *arrow.BooleanType, *arrow.Float32Type, *arrow.Float64Type:
		return few("%s")
	case *arrow.StructType:
		child := t.Field(r.Intn(t.NumFields()))
		child.Name = f.Name + "." + child.Name
		return transformOf(r, child)
	}
	return ""
}

// randomTable makes a table and changes it a few times.
func randomTable(t *testing.T, seed int64, dir string) *judged {
	t.Helper()
	r := newRandom(seed)
	version := 1 + r.Intn(3)
	flat := r.Flat
	r.Flat = func() arrow.DataType {
		if version == 3 && r.OneOf(10) {
			return writertest.Pick[arrow.DataType](r, &arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"})
		}
		return flat()
	}
	s := arrow.NewSchema(fields(r, 1+r.Intn(6), r.Intn(3)), nil)
	options := map[string]string{
		"iceberg-format-version": fmt.Sprint(version), "iceberg-data-format": writertest.Pick(r, "orc", "orc", "parquet"),
	}
	var parts []string
	for _, f := range s.Fields() {
		if p := transformOf(r, f); p != "" && r.OneOf(3) {
			parts = append(parts, p)
		}
	}
	options["iceberg-partition"] = strings.Join(parts, ", ")
	props := []string{"write.target-file-size-bytes=" + writertest.Pick(r, "20000", "500000000")}
	if r.OneOf(2) {
		props = append(props, "write.metadata.metrics.default="+writertest.Pick(r, "none", "counts", "truncate(1)", "truncate(5)", "full"))
	}
	if r.OneOf(4) {
		props = append(props, "write.metadata.compression-codec=gzip")
	}
	options["iceberg-property"] = strings.Join(props, "\n")
	j := &judged{dir: dir, schema: s}
	r.Gen.Nulls = writertest.Pick(r, 0, 0.05, 0.5, 0.95)
	var recs []arrow.Record
	for range r.Intn(4) {
		rec := r.Record(s, r.Intn(25))
		defer rec.Release()
		recs, j.want = append(recs, rec), append(j.want, orctext.Rows(rec)...)
	}
	if err := write(context.Background(), dir, options, s, recs...); err != nil {
		t.Errorf("%d: %s: %v", seed, s, err)
		return nil
	}
	for range r.Intn(4) {
		j.step(t, r, writertest.Pick(r, "append", "append", "overwrite"))
	}
	return j
}
