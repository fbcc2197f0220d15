//go:build cgo

package arrowc

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/cdata"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// sample returns a batch of columns of many kinds, in memory of mem.
func sample(t *testing.T, mem memory.Allocator) arrow.Record {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"a"})},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8), Nullable: true},
		{Name: "st", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}), Nullable: true},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String, Ordered: true}, Nullable: true},
		{Name: "n", Type: arrow.Null, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Zurich"}, Nullable: true},
		{Name: "f", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}, Nullable: true},
		{Name: "fl", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for i := range 9 {
		for c := range s.NumFields() {
			if i == 4 {
				b.Field(c).AppendNull()
				continue
			}
			switch x := b.Field(c).(type) {
			case *array.Int64Builder:
				x.Append(int64(i))
			case *array.StringBuilder:
				x.Append(strings.Repeat("x", i))
			case *array.MapBuilder:
				x.Append(true)
				x.KeyBuilder().(*array.StringBuilder).Append("k")
				x.ItemBuilder().(*array.Int8Builder).Append(int8(i))
			case *array.ListBuilder:
				x.Append(true)
				x.ValueBuilder().(*array.Int32Builder).Append(int32(i))
			case *array.StructBuilder:
				x.Append(true)
				x.FieldBuilder(0).AppendNull()
			case *array.BinaryDictionaryBuilder:
				if err := x.AppendString([]string{"red", "blue"}[i%2]); err != nil {
					t.Fatal(err)
				}
			case *array.FixedSizeBinaryBuilder:
				x.Append([]byte{1, 2, byte(i)})
			case *array.FixedSizeListBuilder:
				x.Append(true)
				x.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, 2}, nil)
			default:
				b.Field(c).AppendEmptyValue()
			}
		}
	}
	return b.NewRecord()
}

// exported returns a stream of records, whose reference it takes.
func exported(t *testing.T, schema *arrow.Schema, recs ...arrow.Record) *cdata.CArrowArrayStream {
	t.Helper()
	r, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		rec.Release()
	}
	out := new(cdata.CArrowArrayStream)
	if err := (&Stream{Reader: r}).Export(unsafe.Pointer(out)); err != nil {
		t.Fatal(err)
	}
	return out
}

// readAll imports a stream and compares its batches with want.
func readAll(t *testing.T, stream *cdata.CArrowArrayStream, want ...arrow.Record) {
	t.Helper()
	in, err := Import(unsafe.Pointer(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, w := range want {
		rec, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Schema().Equal(w.Schema()) {
			t.Errorf("schema %v, want %v", rec.Schema(), w.Schema())
		}
		if !array.RecordEqual(rec, w) {
			t.Errorf("got %v, want %v", rec, w)
		}
		rec.Release()
	}
	if _, err := in.Read(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestThereAndBack(t *testing.T) {
	before := Allocated()
	want := sample(t, memory.NewGoAllocator())
	for name, mem := range map[string]memory.Allocator{"C": cleanMemory(), "Go": memory.NewGoAllocator()} { // Go's is pinned
		rec := sample(t, mem)
		slice := rec.NewSlice(2, 7)
		readAll(t, exported(t, rec.Schema(), rec, slice), want, want.NewSlice(2, 7))
		if n := Allocated(); n != before {
			t.Errorf("%s: %d bytes left", name, n-before)
		}
	}
}

func TestNoColumns(t *testing.T) {
	s := arrow.NewSchema(nil, nil)
	rec := array.NewRecord(s, nil, 77)
	readAll(t, exported(t, s, rec), array.NewRecord(s, nil, 77))
}

// TestMovedChild releases a child after its parent, as the format allows.
func TestMovedChild(t *testing.T) {
	before := Allocated()
	rec := sample(t, cleanMemory())
	moveChildren(t, rec)
	if n := Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

func TestReleasedStream(t *testing.T) {
	if _, err := Import(unsafe.Pointer(new(cdata.CArrowArrayStream))); !errors.Is(err, errs.ErrOption) {
		t.Errorf("%v", err)
	}
}

// failing is a reader that fails after a batch.
type failing struct {
	array.RecordReader
	n int
}

func (f *failing) Next() bool {
	f.n++
	if f.n == 3 {
		panic("three")
	}
	return f.n == 1 && f.RecordReader.Next()
}

func (f *failing) Err() error {
	return errs.Locate(errs.Errorf(errs.ErrCorrupt, "bad byte"), errs.At{Format: "orc", Split: errs.N(2), Off: errs.N(7)})
}

func TestErrors(t *testing.T) {
	rec := sample(t, memory.NewGoAllocator())
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	out := new(cdata.CArrowArrayStream)
	if err := (&Stream{Reader: &failing{RecordReader: r}, Done: func() { done++ }}).Export(unsafe.Pointer(out)); err != nil {
		t.Fatal(err)
	}
	in, err := Import(unsafe.Pointer(out))
	if err != nil {
		t.Fatal(err)
	}
	if first, err := in.Read(); err != nil {
		t.Fatal(err)
	} else {
		first.Release()
	}
	for range 2 { // it stays so
		if _, err := in.Read(); err == nil || !strings.Contains(err.Error(), "orc: split 2: at 7: bad byte") {
			t.Errorf("%v", err)
		}
	}
	in.Close()
	in.Close()
	if done != 1 {
		t.Errorf("released %d times", done)
	}
}

func TestTypesOfFormats(t *testing.T) {
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Uint16, &arrow.Decimal128Type{Precision: 38, Scale: -2}, &arrow.Decimal256Type{Precision: 76, Scale: 5},
		arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Duration_us, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "+05:30"},
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.BinaryView,
	} {
		f, err := formatOf(dt)
		if err != nil {
			t.Fatal(err)
		}
		if got := typeOf(f, nil, 0); got == nil || !arrow.TypeEqual(got, dt) {
			t.Errorf("%s: %q is %v", dt, f, got)
		}
	}
}

func FuzzFormats(f *testing.F) {
	for _, s := range []string{"", "ts", "tsn", "tsn:UTC", "w:", "w:-1", "w:3", "d:", "d:1", "d:38,10", "d:99,1", "d:1,1,64", "+", "+w", "+w:0", "+w:9", "+ud:0", "+ud:-1", "+us:0,1", "+vl", "+m", "+r", "x"} {
		f.Add(s)
	}
	children := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}
	f.Fuzz(func(t *testing.T, format string) {
		for n := range 2 {
			if dt := typeOf(format, children[:n], 0); dt != nil {
				if _, err := formatOf(dt); err != nil {
					t.Errorf("%q: %v", format, err)
				}
			}
		}
	})
}
