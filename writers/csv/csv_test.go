package csv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/readers/csv"
)

func write(rec arrow.Record, o arrowio.WriteOptions) (string, error) {
	p, err := Format().Plan(rec.Schema(), o)
	if err != nil {
		return "", err
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), Format(), st, p)
	if err != nil {
		return "", err
	}
	if err := w.Write(rec); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return string(st.Objects()["part-00000.csv"]), nil
}

// texts makes a record of text columns, nil being null.
func texts(names []string, rows ...[]any) arrow.Record {
	fields := make([]arrow.Field, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, r := range rows {
		for i, v := range r {
			if v == nil {
				b.Field(i).AppendNull()
			} else {
				b.Field(i).(*array.StringBuilder).Append(v.(string))
			}
		}
	}
	return b.NewRecord()
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name string
		o    map[string]string
		rec  arrow.Record
		want string
	}{
		{"plain", nil, texts([]string{"a", "b"}, []any{"x", "y z"}), "a,b\nx,y z\n"},
		{"quotes", nil, texts([]string{"a,b", `c"`}, []any{"x,y", `say "no"`}, []any{"1\n2", "\r"}), "\"a,b\",\"c\"\"\"\n\"x,y\",\"say \"\"no\"\"\"\n\"1\n2\",\"\r\"\n"},
		{"null and nothing", nil, texts([]string{"a", "b"}, []any{nil, ""}), "a,b\n,\"\"\n"},
		{"one column", nil, texts([]string{"a"}, []any{nil}, []any{""}), "a\n\n\"\"\n"},
		{"byte order mark", nil, texts([]string{"\ufeffa"}, []any{"x"}), "\"\ufeffa\"\nx\n"},
		{"no header", map[string]string{"csv-header": "false"}, texts([]string{"a"}, []any{"x"}), "x\n"},
		{"tabs", map[string]string{"csv-delimiter": "tab"}, texts([]string{"a", "b"}, []any{"x,y", "\t"}), "a\tb\nx,y\t\"\t\"\n"},
		{"spelled null", map[string]string{"csv-null": "NA"}, texts([]string{"a", "b"}, []any{nil, "NA"}, []any{"", "x"}), "a,b\nNA,\"NA\"\n\"\",x\n"},
		{"line ends", map[string]string{"csv-line-end": "crlf"}, texts([]string{"a"}, []any{"x"}), "a\r\nx\r\n"},
	} {
		got, err := write(c.rec, arrowio.WriteOptions{Options: c.o})
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestRoundTrip reads back what was written: text with everything that needs care, and the types that are inferred.
func TestRoundTrip(t *testing.T) {
	var rows [][]any
	parts := []string{"", ",", "\"", "\n", "\r\n", "\r", " ", "é", "x", "NULL", "\ufeff", "\t", "\"\"", "a\"b,c\nd"}
	for _, a := range parts {
		for _, b := range parts {
			rows = append(rows, []any{a + b, nil, b}, []any{nil, a, nil})
		}
	}
	rec := texts([]string{"a", "", "a"}, rows...)
	for _, o := range []map[string]string{nil, {"csv-delimiter": ";"}, {"csv-null": "NULL"}, {"csv-header": "false"}} {
		s, err := write(rec, arrowio.WriteOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]string{"csv-types": "utf8"}
		for k, v := range o {
			in[k] = v
		}
		got := read(t, s, in)
		defer got.Release()
		if got.NumRows() != rec.NumRows() {
			t.Fatalf("%v: %d rows, want %d", o, got.NumRows(), rec.NumRows())
		}
		for c := range 3 {
			if !array.Equal(got.Column(c), rec.Column(c)) {
				t.Errorf("%v: column %d differs", o, c)
			}
		}
	}
}

func read(t *testing.T, s string, o map[string]string) arrow.Record {
	t.Helper()
	ctx := context.Background()
	f, err := reader.Format().Open(ctx, local.NewBytesSource([]byte(s)), arrowio.OpenOptions{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := arrowio.Project(f.Schema(), nil)
	r, err := f.Read(ctx, f.Splits()[0], nil, p, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(1 << 20); err != nil {
		t.Fatal(err)
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestTypesComeBack(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
		{Name: "z", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{-9223372036854775808, 0, 7}, []bool{true, false, true})
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{1, 0, 1e-300}, []bool{true, false, true})
	b.Field(2).(*array.BooleanBuilder).AppendValues([]bool{true, false, false}, []bool{true, false, true})
	b.Field(3).(*array.Date32Builder).AppendValues([]arrow.Date32{-719528, 0, 20000}, []bool{true, false, true})
	b.Field(4).(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{-1, 0, 1700000000000000}, []bool{true, false, true})
	b.Field(5).(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{-1, 0, 1700000000000000}, []bool{true, false, true})
	b.Field(6).(*array.StringBuilder).AppendValues([]string{"", "", "x"}, []bool{true, false, true})
	rec := b.NewRecord()
	defer rec.Release()
	p, err := Format().Plan(schema, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := write(rec, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, s, nil)
	defer got.Release()
	if !got.Schema().Equal(schema) {
		t.Errorf("schema %v", got.Schema())
	}
	for c := range schema.NumFields() {
		if !array.Equal(got.Column(c), rec.Column(c)) {
			t.Errorf("%s: %v, want %v", schema.Field(c).Name, got.Column(c), rec.Column(c))
		}
		loss := ""
		if strings.Contains("dtz", schema.Field(c).Name) {
			loss = "comes back as utf8 where a year is outside 0 to 9999"
		}
		if p.Columns[c].Loss != loss {
			t.Errorf("%s: the plan says loss %q", schema.Field(c).Name, p.Columns[c].Loss)
		}
	}
}

func TestPlan(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.Null)}, {Name: "z", Type: &arrow.TimestampType{TimeZone: "Asia/Tokyo"}}}, nil)
	p, err := Format().Plan(s, arrowio.WriteOptions{})
	if err != nil || !strings.Contains(p.Columns[0].Loss, "JSON") || !strings.Contains(p.Columns[1].Loss, "zone") {
		t.Errorf("%+v, %v", p, err)
	}
	twice := texts([]string{"a", "b", "a"}).Schema()
	if p, err = Format().Plan(twice, arrowio.WriteOptions{}); err != nil || !strings.Contains(p.Columns[0].Loss, "2 columns") || p.Columns[1].Loss != "" || p.Columns[2].Loss != p.Columns[0].Loss {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := Format().Plan(arrow.NewSchema(nil, nil), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("no columns: %v", err)
	}
	for _, o := range []arrowio.WriteOptions{
		{Compression: "snappy"},
		{Options: map[string]string{"x": ""}},
		{Options: map[string]string{"csv-delimiter": "\n"}},
		{Options: map[string]string{"csv-delimiter": "ab"}},
		{Options: map[string]string{"csv-null": "a,b"}},
		{Options: map[string]string{"csv-header": "no"}},
	} {
		if _, err := Format().Plan(s, o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestNotUTF8(t *testing.T) {
	if _, err := write(texts([]string{"a"}, []any{"\xff"}), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) || !strings.Contains(fmt.Sprint(err), "column a") {
		t.Errorf("got %v", err)
	}
	if _, err := write(texts([]string{"\xff"}), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	var rows [][]any
	for i := range 10_000 {
		rows = append(rows, []any{fmt.Sprint(i), "some text that is a little longer"})
	}
	rec := texts([]string{"a", "b"}, rows...)
	defer rec.Release()
	s, err := write(rec, arrowio.WriteOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := write(rec, arrowio.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
