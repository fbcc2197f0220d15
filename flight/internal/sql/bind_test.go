package sql

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

func recordOf(t testing.TB, text string, fields ...arrow.Field) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// boundStream is a stream of one row of parameters, as a client writes it.
func boundStream(t testing.TB) []byte {
	t.Helper()
	rec := recordOf(t, `[{"1": 7, "2": "x"}]`, arrow.Field{Name: "1", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "2", Type: arrow.BinaryTypes.String})
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// No row is no values, except where there is nothing to bind.
func TestParametersEmpty(t *testing.T) {
	for _, fields := range [][]arrow.Field{nil, {{Name: "1", Type: arrow.PrimitiveTypes.Int64}}} {
		var b bytes.Buffer
		if err := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		if got, _, err := parameterValues(t.Context(), b.Bytes()); (err != nil) != (fields != nil) || len(got) != 0 {
			t.Error(fields, got, err)
		}
	}
}

// Views of text and bytes are text and bytes: newer clients bind them.
func TestParameterViews(t *testing.T) {
	s := array.NewStringViewBuilder(memory.DefaultAllocator)
	defer s.Release()
	s.Append("it's longer than twelve bytes")
	b := array.NewBinaryViewBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Append([]byte{0, 0xFF})
	for _, q := range []struct {
		col  arrow.Array
		want string
	}{{s.NewArray(), "'it''s longer than twelve bytes'"}, {b.NewArray(), "X'00FF'"}} {
		got, err := literal(q.col)
		if err != nil || !strings.EqualFold(got, q.want) {
			t.Errorf("%s: %s, %v; want %s", q.col.DataType(), got, err, q.want)
		}
		q.col.Release()
	}
}

// refused reports whether an error is nil, or says what is wrong with what a client has sent.
func refused(err error) bool {
	var code *rpcerr.Error
	var kind *errs.Error
	return err == nil || errors.As(err, &code) && code.Code == codes.InvalidArgument || errors.As(err, &kind) && !errors.Is(err, errs.ErrInternal)
}

// A stream that is cut, or has any byte changed, is refused or has values: it ends nothing.
func TestParametersHostile(t *testing.T) {
	b := boundStream(t)
	got, _, err := parameterValues(t.Context(), b)
	if err != nil || len(got) != 2 || got[0] != "7" || got[1] != "'x'" {
		t.Fatal(got, err)
	}
	check := func(b []byte, what string, at int) {
		if _, _, err := parameterValues(t.Context(), b); !refused(err) {
			t.Fatalf("%s %d: %v", what, at, err)
		}
	}
	for n := range b {
		check(b[:n], "cut at", n)
		for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
			c := bytes.Clone(b)
			c[n] = v
			check(c, "changed at", n)
		}
	}
}

// Whatever a client sends as parameters, it is refused or has values.
func FuzzParameters(f *testing.F) {
	b := boundStream(f)
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxBindBytes {
			return
		}
		if _, _, err := parameterValues(t.Context(), b); !refused(err) {
			t.Fatal(err)
		}
	})
}

// Every flat type can be bound, and means the value that it is.
func TestLiterals(t *testing.T) {
	for _, q := range []struct {
		t            arrow.DataType
		values, want string
	}{
		{arrow.FixedWidthTypes.Boolean, `true`, "TRUE"},
		{arrow.PrimitiveTypes.Uint64, `9223372036854775808`, "9223372036854775808"},
		{arrow.PrimitiveTypes.Int8, `-128`, "-128"},
		{arrow.BinaryTypes.LargeString, `"it's"`, "'it''s'"},
		{arrow.BinaryTypes.Binary, `"AP8="`, "X'00ff'"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1}, `"AQ=="`, "X'01'"},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, `"-12.50"`, "-12.50"},
		{arrow.FixedWidthTypes.Date32, `"2020-02-29"`, "DATE '2020-02-29'"},
		{arrow.FixedWidthTypes.Date64, `"2020-02-29"`, "DATE '2020-02-29'"},
		{arrow.FixedWidthTypes.Timestamp_us, `"2020-02-29T10:11:12.5Z"`, "TIMESTAMP '2020-02-29 10:11:12.500000Z'"},
		{arrow.FixedWidthTypes.Time64ns, `"10:11:12.000000001"`, "TIME '10:11:12.000000001'"},
		{arrow.PrimitiveTypes.Int32, `null`, "NULL"},
		{arrow.Null, `null`, "NULL"},
	} {
		rec := recordOf(t, `[{"v": `+q.values+`}]`, arrow.Field{Name: "v", Type: q.t, Nullable: true})
		got, err := literal(rec.Column(0))
		if err != nil || got != q.want {
			t.Errorf("%s %s: %s, want %s (%v)", q.t, q.values, got, q.want, err)
		}
	}
	rec := recordOf(t, `[{"v": [1]}]`, arrow.Field{Name: "v", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32)})
	if _, err := literal(rec.Column(0)); err == nil {
		t.Error("a list is a value")
	}
}
