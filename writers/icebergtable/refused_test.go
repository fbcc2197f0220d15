package icebergtable_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// Values that a table has no place for, or that its readers refuse, are told by the plan; the error has the value, the column and the
// row. The greatest and the least that have one come back.
func TestRefusedValues(t *testing.T) {
	const day = 24 * 3600
	at := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u} }
	for _, c := range []struct {
		name    string
		version string
		t       arrow.DataType
		good    []int64
		bad     int64
		told    string
		err     string
	}{
		{"time32s", "2", arrow.FixedWidthTypes.Time32s, []int64{0, day - 1}, -1, "times outside of a day", "the time -1 s is outside of a day"},
		{"time32ms", "2", arrow.FixedWidthTypes.Time32ms, []int64{0, day*1e3 - 1}, day * 1e3, "times outside of a day", "the time 86400000 ms is outside"},
		{"time64us", "2", arrow.FixedWidthTypes.Time64us, []int64{0, day*1e6 - 1}, day * 1e6, "times outside of a day", "the time 86400000000 us is outside"},
		{"list of time64us", "2", arrow.ListOf(arrow.FixedWidthTypes.Time64us), []int64{0, 1}, -1, "times outside of a day", "the time -1 us is outside"},
		{"date64 that is not midnight", "2", arrow.FixedWidthTypes.Date64, []int64{0, day * 1e3}, 1, "not midnight", "the date64 value 1 ms is not midnight"},
		{"date64 too far", "2", arrow.FixedWidthTypes.Date64, []int64{0, (1<<31 - 1) * day * 1e3}, 1 << 31 * day * 1e3, "beyond date32", "2147483648 days from 1970"},
		{"seconds", "2", at(arrow.Second), []int64{0, 9223372036854}, -1 << 63, "values that microseconds cannot count", "the timestamp -9223372036854775808 s is beyond what microseconds"},
		{"milliseconds", "2", at(arrow.Millisecond), []int64{0, -9223372036854775}, 1<<63 - 1, "values that microseconds cannot count", "the timestamp 9223372036854775807 ms is beyond"},
		{"microseconds", "3", at(arrow.Microsecond), []int64{0, 1<<63 - 1}, 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := context.Background()
			s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.t, Nullable: true}}, nil)
			dir := filepath.Join(t.TempDir(), "table")
			o := mode("create", "iceberg-format-version", c.version, "iceberg-data-format", "parquet")
			table, err := icebergtable.Open(ctx, dir, changing(o))
			if err != nil {
				t.Fatal(err)
			}
			p, err := table.Format().Plan(s, arrowio.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if told := p.Columns[0].Refused; !strings.Contains(told, c.told) || (c.told == "") != (told == "") {
				t.Errorf("told %q", told)
			}
			if c.err != "" {
				err = write(ctx, dir+"2", o, s, integers(s, c.good...), integers(s, c.good[0], c.bad))
				if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "column x") || !strings.Contains(err.Error(), "row 3:") {
					t.Errorf("got %v", err)
				}
			}
			if err := write(ctx, dir, o, s, integers(s, c.good...)); err != nil {
				t.Fatal(err)
			}
			if got, _ := rows(t, dir); len(got) != len(c.good) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// integers makes a record of one column of numbers, whatever they stand for; of a list, lists of one.
func integers(s *arrow.Schema, values ...int64) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	to := b.Field(0)
	list, _ := to.(*array.ListBuilder)
	if list != nil {
		to = list.ValueBuilder()
	}
	for _, v := range values {
		if list != nil {
			list.Append(true)
		}
		switch to := to.(type) {
		case *array.Time32Builder:
			to.Append(arrow.Time32(v))
		case *array.Time64Builder:
			to.Append(arrow.Time64(v))
		case *array.Date64Builder:
			to.Append(arrow.Date64(v))
		case *array.TimestampBuilder:
			to.Append(arrow.Timestamp(v))
		}
	}
	return b.NewRecord()
}

// Where a table requires values, the plan says that nulls are refused.
func TestPlanTellsOfRequired(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	s, rec := numbered(t, 0, 3)
	if err := write(ctx, dir, mode("create"), s, rec); err != nil {
		t.Fatal(err)
	}
	table, err := icebergtable.Open(ctx, dir, changing(mode("append")))
	if err != nil {
		t.Fatal(err)
	}
	nullable := arrow.NewSchema([]arrow.Field{{Name: "word", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	p, err := table.Format().Plan(nullable, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Columns[0].Refused != "" || p.Columns[1].Refused != "nulls" {
		t.Errorf("got %+v", p.Columns)
	}
}

// TestNullElements refuses lists and maps whose values are all null: no file could have them.
func TestNullElements(t *testing.T) {
	for name, typ := range map[string]arrow.DataType{
		"list": arrow.ListOf(arrow.Null), "map": arrow.MapOf(arrow.BinaryTypes.String, arrow.Null), "inside": arrow.StructOf(arrow.Field{Name: "a", Type: arrow.ListOf(arrow.Null)}),
	} {
		s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}}, nil)
		for _, format := range []string{"orc", "parquet"} {
			b := array.NewRecordBuilder(memory.DefaultAllocator, s)
			b.Field(0).AppendNull()
			rec := b.NewRecord()
			b.Release()
			err := write(t.Context(), filepath.Join(t.TempDir(), "table"), mode("create", "iceberg-format-version", "3", "iceberg-data-format", format), s, rec)
			rec.Release()
			if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "lists and maps need values of a type") {
				t.Errorf("%s, %s: %v", name, format, err)
			}
		}
	}
}
