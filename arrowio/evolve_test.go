package arrowio

import (
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var (
	tI8, tI16, tI32, tI64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	tU8, tU16, tU32, tU64 = arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64
	tF32, tF64            = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	tStr, tBin            = arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
)

func dec(p, s int32) arrow.DataType    { return &arrow.Decimal128Type{Precision: p, Scale: s} }
func dec256(p, s int32) arrow.DataType { return &arrow.Decimal256Type{Precision: p, Scale: s} }
func stamp(u arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: zone}
}

func opt(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}
func req(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

// columnsOf makes optional columns: "a", int32, "b", utf8.
func columnsOf(t ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(t); i += 2 {
		fields = append(fields, opt(t[i].(string), t[i+1].(arrow.DataType)))
	}
	return schemaOf(fields...)
}

// fromJSON makes a record in Go memory.
func fromJSON(t testing.TB, s *arrow.Schema, text string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), s, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// scanOf reads everything and returns the rows, checking for leaks.
func scanOf(t testing.TB, d *Dataset, o ScanOptions) ([]map[string]any, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	s, err := d.Scan(context.Background(), o)
	if err != nil {
		return nil, err
	}
	rows, _, err := drain(t, s)
	return rows, err
}

func fragment(t testing.TB, name string, rec arrow.Record) Fragment {
	return Fragment{Name: name, Open: func(context.Context) (File, error) { return newMemFile(t, rec), nil }}
}

func sameJSON(a, b map[string]any) bool { return len(a)+len(b) == 0 || reflect.DeepEqual(a, b) }

func TestDatasetOfDifferentFiles(t *testing.T) {
	one := fromJSON(t, schemaOf(req("id", tI32), opt("name", tStr), opt("s", arrow.StructOf(req("x", tI8)))), `[{"id":1,"name":"a","s":{"x":1}},{"id":2,"name":null,"s":null}]`)
	two := fromJSON(t, schemaOf(opt("s", arrow.StructOf(opt("y", tStr), req("x", tI16))), req("id", tI64), opt("extra", tF32)), `[{"s":{"y":"why","x":300},"id":30000000000,"extra":0.5}]`)
	defer one.Release()
	defer two.Release()
	want := []map[string]any{
		{"id": 1.0, "name": "a", "s": map[string]any{"x": 1.0, "y": nil}, "extra": nil},
		{"id": 2.0, "name": nil, "s": nil, "extra": nil},
		{"id": 3e10, "name": nil, "s": map[string]any{"x": 300.0, "y": "why"}, "extra": 0.5},
	}
	d, err := NewDataset(context.Background(), []Fragment{fragment(t, "one", one), fragment(t, "two", two)}, DatasetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []int{1, 2} {
		for _, c := range []struct {
			columns []string
			filter  string
			rows    []int
		}{
			{nil, "", []int{0, 1, 2}},
			{[]string{"extra"}, "", []int{0, 1, 2}},
			{[]string{"s.y", "id"}, "", []int{0, 1, 2}},
			{[]string{"name", "s.x"}, "", []int{0, 1, 2}},
			{[]string{}, "", []int{0, 1, 2}},
			{nil, "extra IS NULL", []int{0, 1}},
			{nil, "extra = 0.5 OR id = 2", []int{1, 2}},
			{[]string{"extra"}, "s.y IS NULL", []int{0, 1}},
			{[]string{"s.y"}, "s.x >= 1", []int{0, 2}},
			{nil, "NOT (extra = 1)", []int{2}},
			{[]string{"extra"}, "id > 29999999999.5", []int{2}},
		} {
			o := ScanOptions{Columns: c.columns, Parallelism: parallel}
			if c.filter != "" {
				o.Filter = parseFilter(t, c.filter)
			}
			rows, err := scanOf(t, d, o)
			if err != nil || len(rows) != len(c.rows) {
				t.Errorf("%v, %s: %d rows, %v", c.columns, c.filter, len(rows), err)
				continue
			}
			for i, k := range c.rows {
				if w := project(want[k], c.columns); !sameJSON(rows[i], w) {
					t.Errorf("%v, %s: row %d is %v, want %v", c.columns, c.filter, i, rows[i], w)
				}
			}
		}
	}
}

// A column without a common type is refused unless other columns are asked for.
func TestDatasetClash(t *testing.T) {
	one := fromJSON(t, columnsOf("id", tI32, "v", tI64, "w", tStr), `[{"id":1,"v":1,"w":"x"}]`)
	two := fromJSON(t, columnsOf("id", tI32, "v", tF64, "w", tStr), `[{"id":2,"v":1,"w":"y"}]`)
	defer one.Release()
	defer two.Release()
	fragments := []Fragment{fragment(t, "one", one), fragment(t, "two", two)}
	for _, by := range []Match{ByName, ByPosition} {
		for _, columns := range [][]string{nil, {"v"}, {"id", "v"}} {
			_, err := NewDataset(context.Background(), fragments, DatasetOptions{Match: by, Columns: columns})
			var e *errs.Error
			if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != "v" {
				t.Errorf("%v: %v", columns, err)
			} else if text := err.Error(); !strings.HasPrefix(text, "two: ") || !strings.Contains(text, "int64 in one") || !strings.Contains(text, "float64 here") {
				t.Errorf("%v: %v", columns, err)
			}
		}
		d, err := NewDataset(context.Background(), fragments, DatasetOptions{Match: by, Columns: []string{"w", "id"}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := scanOf(t, d, ScanOptions{Columns: []string{"w", "id"}})
		if want := []map[string]any{{"id": 1.0, "w": "x"}, {"id": 2.0, "w": "y"}}; err != nil || !slices.EqualFunc(rows, want, func(a, b map[string]any) bool { return sameJSON(a, b) }) {
			t.Errorf("%v, %v", rows, err)
		}
		if d.Schema.HasField("v") {
			t.Errorf("%s", d.Schema)
		}
	}
}

// A dataset with a schema of its own leaves nothing out.
func TestDatasetExtraColumns(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32, "s", arrow.StructOf(opt("x", tI8), opt("y", tI8))), `[{"a":1,"s":{"x":1,"y":2}}]`)
	defer rec.Release()
	for _, c := range []struct {
		schema *arrow.Schema
		column string
	}{
		{columnsOf("a", tI32), "s"},
		{columnsOf("a", tI32, "s", arrow.StructOf(opt("x", tI8))), "s.y"},
		{columnsOf("a", tI8, "s", arrow.StructOf(opt("x", tI8), opt("y", tI8))), "a"},
		{schemaOf(req("a", tI32), opt("s", rec.Schema().Field(1).Type)), "a"},
		{schemaOf(opt("a", tI32), opt("s", rec.Schema().Field(1).Type), req("new", tI8)), "new"},
	} {
		_, err := scanOf(t, &Dataset{Schema: c.schema, Fragments: []Fragment{fragment(t, "f", rec)}}, ScanOptions{})
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != c.column || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%s: %v", c.schema, err)
		}
	}
	f, err := Adapt(newMemFile(t, rec), columnsOf("s", arrow.StructOf(opt("y", tI16))), ByName)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scanOf(t, FileDataset("f", f), ScanOptions{})
	if err != nil || len(rows) != 1 || !sameJSON(rows[0], map[string]any{"s": map[string]any{"y": 2.0}}) {
		t.Errorf("%v, %v", rows, err)
	}
}

// Values that do not fit are errors that name the column, unless they are no values.
func TestConversionErrors(t *testing.T) {
	big := `[{"t":"2019-01-01 00:00:00"},{"t":"9999-01-01 00:00:00"}]`
	rec := fromJSON(t, columnsOf("t", stamp(arrow.Second, "")), big)
	defer rec.Release()
	f, err := Adapt(newMemFile(t, rec), columnsOf("t", stamp(arrow.Nanosecond, "")), ByName)
	if err != nil {
		t.Fatal(err)
	}
	_, err = scanOf(t, FileDataset("f", f), ScanOptions{})
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != "t" {
		t.Errorf("%v", err)
	}
	rows, err := scanOf(t, FileDataset("f", f), ScanOptions{Rows: RowRange{0, 1}})
	if err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

// What lies under a null, or in no list, need not convert.
func TestConversionOfWhatDoesNotCount(t *testing.T) {
	const huge = math.MaxInt64
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	leaf := func(v []int64, valid []byte) arrow.ArrayData {
		bufs := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(v))}
		if valid != nil {
			bufs[0] = memory.NewBufferBytes(valid)
		}
		return array.NewData(stamp(arrow.Second, ""), len(v), bufs, nil, -1, 0)
	}
	bits := func(b byte) *memory.Buffer { return memory.NewBufferBytes([]byte{b}) }
	offsets := func(o ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(o)) }
	st := func(t arrow.DataType) arrow.DataType { return arrow.StructOf(opt("x", t)) }
	s, ns := stamp(arrow.Second, ""), stamp(arrow.Nanosecond, "")
	dense := func(t arrow.DataType) arrow.DataType {
		return arrow.DenseUnionOf([]arrow.Field{opt("x", t), opt("i", arrow.Null)}, []int8{4, 7})
	}
	codes := func(c ...byte) *memory.Buffer { return memory.NewBufferBytes(c) }
	nulls := array.NewData(arrow.Null, 3, []*memory.Buffer{nil}, nil, 3, 0)
	for name, c := range map[string]struct {
		d  arrow.ArrayData
		to arrow.DataType
		ok bool
	}{
		"null":               {leaf([]int64{1, huge, 3}, []byte{0b101}), ns, true},
		"value":              {leaf([]int64{1, huge, 3}, []byte{0b111}), ns, false},
		"under a struct":     {array.NewData(st(s), 3, []*memory.Buffer{bits(0b101)}, []arrow.ArrayData{leaf([]int64{1, huge, 3}, nil)}, 1, 0), st(ns), true},
		"in a struct":        {array.NewData(st(s), 3, []*memory.Buffer{bits(0b110)}, []arrow.ArrayData{leaf([]int64{1, huge, 3}, nil)}, 1, 0), st(ns), false},
		"in a slice":         {array.NewData(st(s), 2, []*memory.Buffer{bits(0b1010)}, []arrow.ArrayData{leaf([]int64{huge, 1, huge, huge}, nil)}, -1, 1), st(ns), true},
		"outside of a slice": {array.NewData(st(s), 1, []*memory.Buffer{nil}, []arrow.ArrayData{leaf([]int64{huge, 1, huge}, nil)}, 0, 1), st(ns), true},
		"in no list":         {array.NewData(arrow.ListOf(s), 2, []*memory.Buffer{bits(0b10), offsets(1, 2, 3)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, huge}, nil)}, 1, 0), arrow.ListOf(ns), true},
		"in a list":          {array.NewData(arrow.ListOf(s), 2, []*memory.Buffer{bits(0b01), offsets(1, 2, 3)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, huge}, nil)}, 1, 0), arrow.ListOf(ns), false},
		"in no fixed list":   {array.NewData(arrow.FixedSizeListOf(2, s), 2, []*memory.Buffer{bits(0b10)}, []arrow.ArrayData{leaf([]int64{huge, huge, 3, 4, huge}, nil)}, 1, 0), arrow.FixedSizeListOf(2, ns), true},
		"list of structs under null": {array.NewData(arrow.ListOf(st(s)), 2, []*memory.Buffer{bits(0b10), offsets(0, 1, 2)},
			[]arrow.ArrayData{array.NewData(st(s), 2, []*memory.Buffer{nil}, []arrow.ArrayData{leaf([]int64{huge, 1}, nil)}, 0, 0)}, 1, 0), arrow.ListOf(st(ns)), true},
		"in a union":    {array.NewData(dense(s), 2, []*memory.Buffer{nil, codes(4, 7), offsets(1, 0)}, []arrow.ArrayData{leaf([]int64{huge, 2}, nil), nulls}, 0, 0), dense(ns), true},
		"used by union": {array.NewData(dense(s), 2, []*memory.Buffer{nil, codes(4, 7), offsets(0, 0)}, []arrow.ArrayData{leaf([]int64{huge, 2}, nil), nulls}, 0, 0), dense(ns), false},
	} {
		convert, err := (rules{}).conversionOfType(arrow.Field{Type: c.d.DataType()}, arrow.Field{Type: c.to}, "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := convert(c.d, nil, mem)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			out.Release()
		}
	}
}

func TestDecimalDigits(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rec := fromJSON(t, columnsOf("d", dec(38, 0)), `[{"d":"99999"},{"d":"-99999"},{"d":"100000"}]`)
	defer rec.Release()
	whole := rec.Column(0).Data()
	d := array.NewData(dec(5, 0), 3, whole.Buffers(), nil, 0, 0) // the last has too many digits
	defer d.Release()
	convert, err := (rules{}).conversionOfType(arrow.Field{Type: d.DataType()}, arrow.Field{Type: dec256(70, 60)}, "d")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := convert(d, nil, mem); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("six digits in five: %v", err)
	}
	part := array.NewSliceData(d, 0, 2)
	defer part.Release()
	out, err := convert(part, nil, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	arr := array.MakeFromData(out)
	defer arr.Release()
	zeros := strings.Repeat("0", 60)
	for i, want := range []string{"99999" + zeros, "-99999" + zeros} {
		if got := arr.(*array.Decimal256).Value(i).BigInt().String(); got != want {
			t.Errorf("row %d is %s", i, got)
		}
	}
}

// A column that files do not have is not made larger than a batch may be, whatever its type says.
func TestHugeNulls(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1},{"a":2}]`)
	defer rec.Release()
	wide := arrow.FixedSizeListOf(math.MaxInt32, arrow.FixedSizeListOf(math.MaxInt32, tI64))
	f, err := Adapt(newMemFile(t, rec), columnsOf("a", tI32, "w", wide), ByName)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scanOf(t, FileDataset("f", f), ScanOptions{}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// Values of dictionaries are looked up, nulls among them and among the indices.
func TestLookUp(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	values := fromJSON(t, columnsOf("v", tStr), `[{"v":"zero"},{"v":null},{"v":"two"}]`)
	defer values.Release()
	for name, indices := range map[string]string{"null indices": `[2, null, 1, 0, null, 2]`, "none": `[2, 1, 1, 0, 1, 2]`} {
		for _, index := range []arrow.DataType{tI8, tU8, tI16, tU16, tI32, tU32, tI64, tU64} {
			idx, _, err := array.FromJSON(memory.NewGoAllocator(), index, strings.NewReader(indices))
			if err != nil {
				t.Fatal(err)
			}
			dt := &arrow.DictionaryType{IndexType: index, ValueType: tStr}
			arr := array.NewDictionaryArray(dt, idx, values.Column(0))
			convert, err := (rules{}).conversionOfType(arrow.Field{Type: dt}, arrow.Field{Type: tStr}, "x")
			if err != nil {
				t.Fatal(err)
			}
			for from := range 5 {
				part := array.NewSlice(arr, int64(from), 6)
				d, err := convert(part.Data(), nil, mem)
				if err != nil {
					t.Fatal(err)
				}
				got := array.MakeFromData(d)
				for i := range got.Len() {
					want := "(null)"
					if k := arr.IsNull(from + i); !k && !values.Column(0).IsNull(arr.GetValueIndex(from+i)) {
						want = values.Column(0).ValueStr(arr.GetValueIndex(from + i))
					}
					if s := got.ValueStr(i); s != want {
						t.Errorf("%s, %s: row %d is %s, want %s", name, index, from+i, s, want)
					}
				}
				nulls := 0
				for i := range got.Len() {
					if got.IsNull(i) {
						nulls++
					}
				}
				if got.NullN() != nulls {
					t.Errorf("%s: %d nulls, counted %d", name, got.NullN(), nulls)
				}
				got.Release()
				d.Release()
				part.Release()
			}
			arr.Release()
			idx.Release()
		}
	}
}

type checkedFile struct{ *memFile }

func (checkedFile) Verify(context.Context, func(error)) error { return errDisk }
func (checkedFile) Dump(context.Context, io.Writer) error     { return errDisk }

// What else a file can do is not hidden.
func TestAdaptedVerifies(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1}]`)
	defer rec.Release()
	plain := newMemFile(t, rec)
	to := columnsOf("a", tI64)
	for _, c := range []struct {
		f              File
		verifies, dump bool
	}{
		{plain, false, false},
		{checkedFile{plain}, true, true},
		{struct {
			File
			Verifier
		}{plain, checkedFile{plain}}, true, false},
		{struct {
			File
			Dumper
		}{plain, checkedFile{plain}}, false, true},
	} {
		f, err := Adapt(c.f, to, ByName)
		if err != nil {
			t.Fatal(err)
		}
		_, v := As[Verifier](f)
		_, d := As[Dumper](f)
		if v != c.verifies || d != c.dump || f.Schema() != to {
			t.Errorf("%T verifies: %v, dumps: %v", f, v, d)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := plain.closed.Load(); n != 4 {
		t.Errorf("closed %d times", n)
	}
	if f, err := Adapt(plain, columnsOf("a", tI32), ByName); err != nil || f != File(plain) {
		t.Errorf("a file that has the schema: %v, %v", f, err)
	}
}

func TestMatchOption(t *testing.T) {
	for _, v := range append(MatchOption("orc").Values, "") {
		if m, err := MatchOf(v); err != nil || (m == ByPosition) != (v == "position") {
			t.Errorf("%s: %v, %v", v, m, err)
		}
	}
	if _, err := MatchOf("id"); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// Every fragment is closed after NewDataset, and errors name it.
func TestNewDatasetOpens(t *testing.T) {
	rec := fromJSON(t, columnsOf("a", tI32), `[{"a":1}]`)
	defer rec.Release()
	f := newMemFile(t, rec)
	same := Fragment{Name: "same", Open: func(context.Context) (File, error) { return f, nil }}
	d, err := NewDataset(context.Background(), []Fragment{same, same, same}, DatasetOptions{})
	if err != nil || d.Schema != rec.Schema() || f.closed.Load() != 3 {
		t.Errorf("%v, %v, closed %d times", d, err, f.closed.Load())
	}
	bad := Fragment{Name: "bad", Open: func(context.Context) (File, error) { return nil, errDisk }}
	if _, err := NewDataset(context.Background(), []Fragment{same, bad}, DatasetOptions{}); !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "bad: ") {
		t.Error(err)
	}
	panics := Fragment{Name: "panics", Open: func(context.Context) (File, error) { panic("a bug") }}
	if !rePanic {
		if _, err := NewDataset(context.Background(), []Fragment{panics}, DatasetOptions{}); !errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
	}
	if _, err := NewDataset(context.Background(), nil, DatasetOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewDataset(ctx, []Fragment{same}, DatasetOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
