package ipc

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	goipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// pyarrow 26 has written this stream: a is decimal32(9, 2) of -1.25, null, 9999999.99; b is decimal64(18, 6) of
// -123456789012.345678, 0.000001, null.
const narrowDecimals = "/////7AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABIAAAABAAAAND///8AAAEHEAAAABQAAAAEAAAAAAAAAAEAAABiAAAAwv///xIAAAAGAAAAQAAAABAAFAAIAAYABwAMAAAAEAAQAAAAAAABBxAAAAAcAAAABAAAAAAAAAABAAAAYQAKABAABAAIAAwACgAAAAkAAAACAAAAIAAAAP////+4AAAAFAAAAAAAAAAMABYABgAFAAgADAAMAAAAAAMEABgAAAA4AAAAAAAAAAAACgAYAAwABAAIAAoAAABcAAAAEAAAAAMAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAEAAAAAAAAACAAAAAAAAAAMAAAAAAAAABgAAAAAAAAAAQAAAAAAAAAgAAAAAAAAABgAAAAAAAAAAAAAAAIAAAADAAAAAAAAAAEAAAAAAAAAAwAAAAAAAAABAAAAAAAAAAUAAAAAAAAAg////wAAAAD/yZo7AAAAAAMAAAAAAAAAsgzPWbRkSf4BAAAAAAAAAAAAAAAAAAAA/////wAAAAA="

func openAs(t *testing.T, f arrowio.Format, b []byte) arrowio.File {
	t.Helper()
	file, err := f.Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Decimals of 32 and 64 bits are read as decimals of 128 bits.
func TestNarrowDecimals(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(narrowDecimals)
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rr, err := arrowio.Scan(context.Background(), openAs(t, StreamFormat(), b), arrowio.ScanOptions{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	if !rr.Next() {
		t.Fatal(rr.Err())
	}
	got := rr.Record()
	for i, want := range [][]string{{"-1.25", array.NullValueStr, "9999999.99"}, {"-123456789012.345678", "0.000001", array.NullValueStr}} {
		col := got.Column(i).(*array.Decimal128)
		for k, text := range want {
			is := array.NullValueStr
			if !col.IsNull(k) {
				is = col.Value(k).ToString(col.DataType().(*arrow.Decimal128Type).Scale)
			}
			if is != text {
				t.Errorf("column %d, row %d: %s, want %s", i, k, is, text)
			}
		}
	}
	if s := got.Schema().Field(1).Type.String(); s != "decimal(18, 6)" {
		t.Error(s)
	}
}

// A column of integers of 128 bits is refused by name, and the others are read.
func TestWideIntegers(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer rb.Release()
	rb.Field(0).(*array.Int32Builder).Append(7)
	rb.Field(1).(*array.Int64Builder).Append(8)
	rec := rb.NewRecord()
	defer rec.Release()
	var buf bytes.Buffer
	w := goipc.NewWriter(&buf, goipc.WithSchema(s))
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	var f arrowio.File
	for i := 0; i+4 <= buf.Len() && f == nil; i++ { // the width of b is a 64 in the schema
		c := bytes.Clone(buf.Bytes())
		if binary.LittleEndian.Uint32(c[i:]) != 64 {
			continue
		}
		binary.LittleEndian.PutUint32(c[i:], 128)
		g, err := StreamFormat().Open(context.Background(), local.NewBytesSource(c), arrowio.OpenOptions{})
		if err == nil && g.(arrowio.Refuser).Refuses() {
			f = g
		}
	}
	if f == nil {
		t.Fatal("the schema has no integer of 64 bits")
	}
	for _, columns := range [][]string{nil, {"b"}} {
		rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		if rr.Next() {
			t.Error("rows of a column that is refused")
		}
		var e *errs.Error
		if err := rr.Err(); !errors.As(err, &e) || e.Kind != errs.ErrUnsupported || e.Column != "b" || !strings.Contains(err.Error(), "integers of 128 bits are not supported; --exclude=b leaves it out") {
			t.Errorf("%v: %v", columns, err)
		}
		rr.Release()
	}
	rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Columns: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	if !rr.Next() || rr.Record().Column(0).(*array.Int32).Value(0) != 7 {
		t.Errorf("the other column: %v", rr.Err())
	}
}
