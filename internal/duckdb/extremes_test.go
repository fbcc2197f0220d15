//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// TestExtremes has the first and last values of tables come back as they are: to DuckDB they are infinite. Values that only SQL has made
// infinite are errors.
func TestExtremes(t *testing.T) {
	fields := []arrow.Field{
		{Name: "ns", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "in", Type: arrow.StructOf(arrow.Field{Name: "us", Type: arrow.ListOf(&arrow.TimestampType{Unit: arrow.Microsecond})}), Nullable: true},
	}
	b := array.NewRecordBuilder(Memory(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, v := range []int64{0, math.MaxInt64, -math.MaxInt64} {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(v))
		b.Field(1).(*array.Date32Builder).Append(arrow.Date32(v >> 32))
		in := b.Field(2).(*array.StructBuilder)
		in.Append(true)
		list := in.FieldBuilder(0).(*array.ListBuilder)
		list.Append(true)
		list.ValueBuilder().(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{1, arrow.Timestamp(v)}, nil)
	}
	b.Field(0).AppendNull()
	b.Field(1).(*array.Date32Builder).Append(math.MaxInt32)
	b.Field(2).AppendNull()
	rec := b.NewRecord()
	defer rec.Release()
	db := open(t, map[string]Table{"x": &fake{rec: rec, times: 1}})
	for _, sql := range []string{"SELECT 'infinity'::DATE AS c", "SELECT 'infinity'::TIMESTAMP_NS AS c", "SELECT '-infinity'::TIMESTAMP AS c"} {
		if _, err := all(t.Context(), db, sql); err == nil || !strings.Contains(err.Error(), "infinite") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	rows, err := db.Query(t.Context(), "SELECT * FROM x")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	for i := range fields {
		if fmt.Sprint(got.Column(i)) != fmt.Sprint(rec.Column(i)) { // names inside of lists are others
			t.Errorf("%s: %s, want %s", fields[i].Name, got.Column(i), rec.Column(i))
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := all(t.Context(), db, "SELECT 'infinity'::TIMESTAMP_S AS c"); err == nil || !strings.Contains(err.Error(), "infinite") {
		t.Errorf("a type that no table has: %v", err)
	}
}
