package writers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/writers"
)

// A value that a format refuses, although its plan takes the type, is told by the plan; and a plan that tells of none takes it.
func TestPlansTellOfRefusedValues(t *testing.T) {
	seconds := func(zone string) arrow.DataType { return &arrow.TimestampType{Unit: arrow.Second, TimeZone: zone} }
	nanos := &arrow.TimestampType{Unit: arrow.Nanosecond}
	for _, c := range []struct {
		t    arrow.DataType
		rows string
		by   string // formats that refuse it
	}{
		{nanos, `[{"x": "2020-01-02 03:04:05.000000001"}]`, "cfile kudu"},
		{nanos, `[{"x": "1969-12-31 23:59:59.500"}]`, "orc"},
		{arrow.ListOf(nanos), `[{"x": ["2020-01-02 03:04:05.000000001"]}]`, ""},
		{arrow.StructOf(arrow.Field{Name: "y", Type: nanos, Nullable: true}), `[{"x": {"y": "2020-01-02 03:04:05.000000001"}}]`, ""},
		{arrow.ListOf(arrow.FixedWidthTypes.Time64ns), `[{"x": ["01:02:03.000000001"]}]`, "trevni avro"},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Uint64}, `[{"x": 18446744073709551615}]`, "orc trevni avro kudu"},
		{arrow.PrimitiveTypes.Uint64, `[{"x": 18446744073709551615}]`, "orc trevni avro kudu"},
		{arrow.FixedWidthTypes.Time64ns, `[{"x": "01:02:03.000000001"}]`, "trevni avro"},
		{arrow.FixedWidthTypes.Date64, "", "orc trevni avro parquet cfile kudu"},
		{arrow.FixedWidthTypes.Time32s, "", "trevni avro parquet csv jsonl"},
		{arrow.FixedWidthTypes.Time32ms, "", "csv jsonl"},
		{arrow.FixedWidthTypes.Time64us, "", "csv jsonl"},
		{arrow.ListOf(arrow.FixedWidthTypes.Time64us), "", "csv jsonl"},
		{seconds(""), "", "orc trevni avro parquet cfile kudu"},
		{seconds("UTC"), "", "orc trevni avro parquet cfile kudu"},
		{arrow.FixedWidthTypes.Date32, "", "kudu"},
	} {
		for _, f := range writers.All() {
			if !arrow.IsNested(c.t.ID()) || f.Name != "cfile" && f.Name != "kudu" {
				refusedBy(t, f, c.t, c.rows, strings.Contains(c.by, f.Name))
			}
		}
	}
}

func refusedBy(t *testing.T, f arrowio.OutputFormat, typ arrow.DataType, rows string, want bool) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	fields := []arrow.Field{{Name: "x", Type: typ, Nullable: true}}
	if f.Name == "kudu" {
		fields = append([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int8, Metadata: arrow.MetadataFrom(map[string]string{"kudu.key": "true"})}}, fields...)
		rows = strings.Replace(rows, "[{", `[{"k": 1, `, 1)
	}
	s := arrow.NewSchema(fields, nil)
	var rec arrow.Record
	if rows != "" {
		var err error
		if rec, _, err = array.RecordFromJSON(mem, s, strings.NewReader(rows)); err != nil {
			t.Fatal(err)
		}
	} else {
		b := array.NewRecordBuilder(mem, s)
		defer b.Release()
		if len(fields) > 1 {
			b.Field(0).(*array.Int8Builder).Append(1)
		}
		switch b := b.Field(len(fields) - 1).(type) {
		case *array.Date64Builder:
			b.Append(1)
		case *array.Date32Builder:
			b.Append(1 << 30)
		case *array.Time32Builder:
			b.Append(1 << 30)
		case *array.Time64Builder:
			b.Append(-1)
		case *array.ListBuilder:
			b.Append(true)
			b.ValueBuilder().(*array.Time64Builder).Append(24 * 3600 * 1e6)
		case *array.TimestampBuilder:
			b.Append(1 << 62)
		}
		rec = b.NewRecord()
	}
	defer rec.Release()
	p, err := f.Plan(s, arrowio.WriteOptions{})
	if err != nil {
		t.Errorf("%s: %s: %v", f.Name, typ, err)
		return
	}
	told := ""
	for _, c := range p.Columns {
		if c.Path != "k" {
			told += c.Refused
		}
	}
	w, err := arrowio.NewWriter(t.Context(), f, local.NewMemStore(), p)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Write(rec)
	if err == nil {
		err = w.Close()
	} else {
		_ = w.Abort() // the error of Write tells
	}
	switch {
	case want && (!errors.Is(err, errs.ErrSchema) || told == ""):
		t.Errorf("%s: %s: told %q, got %v", f.Name, typ, told, err)
	case !want && err != nil:
		t.Errorf("%s: %s: %v", f.Name, typ, err)
	}
}
