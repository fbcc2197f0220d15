package jsonl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	ipcreader "github.com/arrowio/arrowio/readers/ipc"
	reader "github.com/arrowio/arrowio/readers/jsonl"
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
	return string(st.Objects()["part-00000.jsonl"]), nil
}

// read returns all of f's first split, up to n rows.
func read(t *testing.T, format arrowio.Format, b []byte, columns []string, n int) arrow.Record {
	t.Helper()
	ctx := context.Background()
	f, err := format.Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Splits()[0]
	r, err := f.Read(ctx, s, arrowio.RowSet{s.Rows}, p, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(n); err != nil {
		t.Fatal(err)
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func fixture(t *testing.T) []byte {
	b, err := os.ReadFile("../../testdata/ipc/pyarrow-26.0.1/types.arrow")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestValues writes a batch that pyarrow made; the expectations follow from what the script that made it put in.
func TestValues(t *testing.T) {
	columns := []string{"int64", "uint64", "float64", "utf8_view", "binary", "decimal256", "timestamp_ns_tz", "list_view", "map", "dense_union", "sparse_union", "dictionary", "run_end", "null", "list_struct"}
	rec := read(t, ipcreader.Format(), fixture(t), columns, 5)
	defer rec.Release()
	got, err := write(rec, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"int64":0,"uint64":0,"float64":0.5,"utf8_view":"","binary":"","decimal256":"0.00","timestamp_ns_tz":"1970-01-01T00:00:00Z","list_view":[],"map":[],"dense_union":{"n":1},"sparse_union":{"n":1},"dictionary":"red","run_end":"x","null":null,"list_struct":[{"a":1,"b":[1.0]}]}`,
		`{"int64":null,"uint64":null,"float64":null,"utf8_view":null,"binary":null,"decimal256":null,"timestamp_ns_tz":null,"list_view":null,"map":null,"dense_union":{"s":"a"},"sparse_union":{"s":"b"},"dictionary":null,"run_end":"x","null":null,"list_struct":null}`,
		`{"int64":-1,"uint64":1,"float64":-0.0,"utf8_view":"twelve bytes","binary":"AA==","decimal256":"-1.25","timestamp_ns_tz":"1969-12-31T23:59:59.999999999Z","list_view":[1],"map":[{"key":"k","value":1}],"dense_union":{"n":null},"sparse_union":{"n":3},"dictionary":"green","run_end":null,"null":null,"list_struct":[]}`,
		`{"int64":9223372036854775807,"uint64":9223372036854775808,"float64":"-Infinity","utf8_view":"thirteen byte","binary":"//4=","decimal256":"` + strings.Repeat("9", 74) + `.99","timestamp_ns_tz":"1970-01-01T00:00:01.700000000Z","list_view":[null,2],"map":[{"key":"k","value":null},{"key":"l","value":2}],"dense_union":{"s":"b"},"sparse_union":{"s":"d"},"dictionary":"red","run_end":null,"null":null,"list_struct":[{"a":null,"b":null},{"a":2,"b":[null,2.0]}]}`,
		`{"int64":-9223372036854775808,"uint64":18446744073709551615,"float64":1e+308,"utf8_view":"` + strings.Repeat("x", 40) + `","binary":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OQ==","decimal256":"0.01","timestamp_ns_tz":"1970-01-01T00:00:00.000000001Z","list_view":[3,4,5],"map":[{"key":"m","value":3}],"dense_union":{"n":3},"sparse_union":{"n":null},"dictionary":"blue","run_end":"y","null":null,"list_struct":[null]}`,
	}
	for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if line != want[i] {
			t.Errorf("line %d:\n%s, want\n%s", i, line, want[i])
		}
	}
}

// TestRoundTrip writes and reads what the plan says has no loss.
func TestRoundTrip(t *testing.T) {
	all := read(t, ipcreader.Format(), fixture(t), nil, 5)
	defer all.Release()
	plain, err := convert.MetadataEdit{Drop: []string{"*"}}.Apply(all.Schema())
	if err != nil {
		t.Fatal(err)
	}
	p, err := Format().Plan(plain, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var lossless []string
	for _, c := range p.Columns {
		if c.Loss == "" {
			lossless = append(lossless, c.Path)
		}
	}
	if want := "[int64 bool null float64 utf8 struct list_struct required]"; fmt.Sprint(lossless) != want {
		t.Errorf("%v are without loss, want %s", lossless, want)
	}
	rec := read(t, ipcreader.Format(), fixture(t), lossless, 5)
	defer rec.Release()
	s, err := write(rec, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	back := read(t, reader.Format(), []byte(s), nil, 100)
	defer back.Release()
	for c := range lossless {
		if !arrow.TypeEqual(back.Column(c).DataType(), rec.Column(c).DataType()) {
			t.Errorf("%s: %s, want %s", lossless[c], back.Column(c).DataType(), rec.Column(c).DataType())
		} else if err := conformance.EqualArrays(rec.Column(c), back.Column(c)); err != nil {
			t.Errorf("%s: %v", lossless[c], err)
		}
	}
}

func TestNoColumns(t *testing.T) {
	s, err := write(array.NewRecord(arrow.NewSchema(nil, nil), nil, 2), arrowio.WriteOptions{})
	if err != nil || s != "{}\n{}\n" {
		t.Errorf("%q, %v", s, err)
	}
}

func TestPlan(t *testing.T) {
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.Null}, arrow.Field{Name: "a", Type: arrow.Null})
	for _, typ := range []arrow.DataType{inner, arrow.ListOf(inner), arrow.MapOf(arrow.BinaryTypes.String, inner)} {
		_, err := Format().Plan(arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ}}, nil), arrowio.WriteOptions{})
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), `"c.`) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.Null}}, nil)
	for _, o := range []arrowio.WriteOptions{{Compression: "snappy"}, {Options: map[string]string{"x": "y"}}} {
		if _, err := Format().Plan(s, o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	t := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, t)
	defer rb.Release()
	for i := range 10_000 {
		rb.Field(0).(*array.Int64Builder).Append(int64(i))
		rb.Field(1).(*array.StringBuilder).Append("some text that is a little longer")
	}
	rec := rb.NewRecord()
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
