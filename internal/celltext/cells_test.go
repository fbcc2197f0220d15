package celltext

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// cellsOf builds an array from JSON and returns its cells.
func cellsOf(t *testing.T, dt arrow.DataType, json string) []string {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	a, _, err := array.FromJSON(mem, dt, strings.NewReader(json))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	return cells(a)
}

func cells(a arrow.Array) []string {
	write := New(a)
	out := make([]string, a.Len())
	for i := range out {
		c := &Cell{Limit: 400}
		write(c, i)
		out[i] = string(c.Text)
	}
	return out
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		name string
		dt   arrow.DataType
		json string
		want string // joined by ;
	}{
		{"bool", arrow.FixedWidthTypes.Boolean, `[true, false, null]`, "true;false;NULL"},
		{"int8", arrow.PrimitiveTypes.Int8, `[-128, 127, null]`, "-128;127;NULL"},
		{"uint64", arrow.PrimitiveTypes.Uint64, `[9223372036854775808]`, "9223372036854775808"},
		{"float64", arrow.PrimitiveTypes.Float64, `[0.1, -0.0, 1e300, 1e-9, 123456789.5, null]`, "0.1;-0;1e+300;1e-09;123456789.5;NULL"},
		{"float32", arrow.PrimitiveTypes.Float32, `[0.1, 16777216]`, "0.1;16777216"},
		{
			"string", arrow.BinaryTypes.String, `["x", "", null, "NULL", " a", "a ", "\"q\"", "a\nb\u001b[0m", "naïve 世界"]`,
			`x;"";NULL;"NULL";" a";"a ";""q"";a\nb\x1b[0m;naïve 世界`,
		},
		{"binary", arrow.BinaryTypes.Binary, `["AAH/", "", null]`, "0x0001ff;0x;NULL"},
		{"fixed binary", &arrow.FixedSizeBinaryType{ByteWidth: 2}, `["q80="]`, "0xabcd"},
		{"date32", arrow.FixedWidthTypes.Date32, `["1969-12-31", "2024-02-29", null]`, "1969-12-31;2024-02-29;NULL"},
		{"timestamp us", &arrow.TimestampType{Unit: arrow.Microsecond}, `["2024-02-29 12:34:56.789012"]`, "2024-02-29T12:34:56.789012"},
		{"timestamp s UTC", &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, `["1900-01-01 00:00:00"]`, "1900-01-01T00:00:00Z"},
		{"time32", &arrow.Time32Type{Unit: arrow.Millisecond}, `["01:02:03.004"]`, "01:02:03.004"},
		{"duration", &arrow.DurationType{Unit: arrow.Second}, `["5s"]`, "5s"},
		{"decimal", &arrow.Decimal128Type{Precision: 10, Scale: 2}, `["1.50", "-0.01", "0", "12345678.90", null]`, "1.50;-0.01;0.00;12345678.90;NULL"},
		{"decimal256", &arrow.Decimal256Type{Precision: 50, Scale: 3}, `["-1.5"]`, "-1.500"},
		{"list", arrow.ListOf(arrow.BinaryTypes.String), `[["a", null, "NULL"], [], null]`, `["a",null,"NULL"];[];NULL`},
		{"fixed list", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `[[1, 2], null]`, "[1,2];NULL"},
		{"struct", arrow.StructOf(
			arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
			arrow.Field{Name: `q"`, Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		), `[{"a": 1, "q\"": "2024-01-01"}, {"a": null, "q\"": null}, null]`, `{"a":1,"q\"":"2024-01-01"};{"a":null,"q\"":null};NULL`},
		{
			"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[[{"key": "k", "value": 1}, {"key": "l", "value": null}], null]`,
			`{"k":1,"l":null};NULL`,
		},
		{"map of int keys", arrow.MapOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `[[{"key": 7, "value": "x"}]]`, `{"7":"x"}`},
		{"null", arrow.Null, `[null, null]`, "NULL;NULL"},
		{"nested", arrow.ListOf(arrow.ListOf(arrow.FixedWidthTypes.Boolean)), `[[[true], [], null]]`, "[[true],[],null]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(cellsOf(t, c.dt, c.json), ";"); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// Times have the digits that they need, also inside of nested values; nothing else has fewer.
func TestBrief(t *testing.T) {
	ns := &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	for _, c := range []struct {
		dt         arrow.DataType
		json, want string
	}{
		{ns, `["2024-02-29 12:34:56.500", "2024-02-29 12:34:50", "2024-02-29 12:34:56.000000001", null]`, "2024-02-29T12:34:56.5Z;2024-02-29T12:34:50Z;2024-02-29T12:34:56.000000001Z;NULL"},
		{&arrow.TimestampType{Unit: arrow.Millisecond}, `["1970-01-01 00:00:00", "0001-01-01 00:00:00.010"]`, "1970-01-01T00:00:00;0001-01-01T00:00:00.01"},
		{&arrow.Time64Type{Unit: arrow.Microsecond}, `["10:20:30", "10:20:30.120"]`, "10:20:30;10:20:30.12"},
		{&arrow.Time32Type{Unit: arrow.Second}, `["10:20:30"]`, "10:20:30"},
		{arrow.ListOf(ns), `[["2024-02-29 12:34:50"]]`, `["2024-02-29T12:34:50Z"]`},
		{arrow.BinaryTypes.String, `["2024-02-29T12:34:56.500"]`, "2024-02-29T12:34:56.500"},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, `["1.50"]`, "1.50"},
	} {
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.dt, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		write, cell := New(a), &Cell{Limit: 100, Brief: true}
		var got []string
		for i := range a.Len() {
			cell.Text = cell.Text[:0]
			write(cell, i)
			got = append(got, string(cell.Text))
		}
		if s := strings.Join(got, ";"); s != c.want {
			t.Errorf("%s: %s\nwant %s", c.dt, s, c.want)
		}
	}
}

func TestCellsOfUnionAndDictionary(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)

	ut := arrow.DenseUnionOf([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, []arrow.UnionTypeCode{5, 9})
	ub := array.NewDenseUnionBuilder(mem, ut)
	defer ub.Release()
	ub.Append(9)
	ub.Child(1).(*array.StringBuilder).Append("x")
	ub.Append(5)
	ub.Child(0).(*array.Int32Builder).Append(4)
	ub.Append(5)
	ub.Child(0).AppendNull()
	u := ub.NewArray()
	defer u.Release()
	if got := strings.Join(cells(u), ";"); got != `x;4;NULL` {
		t.Errorf("union: %s", got)
	}

	db := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String})
	defer db.Release()
	for _, s := range []string{"red", "green", "red"} {
		if err := db.(*array.BinaryDictionaryBuilder).AppendString(s); err != nil {
			t.Fatal(err)
		}
	}
	db.AppendNull()
	d := db.NewArray()
	defer d.Release()
	if got := strings.Join(cells(d), ";"); got != "red;green;red;NULL" {
		t.Errorf("dictionary: %s", got)
	}
	part := array.NewSlice(d, 1, 3)
	defer part.Release()
	if got := strings.Join(cells(part), ";"); got != "green;red" {
		t.Errorf("slice of a dictionary: %s", got)
	}
}

// A value of any size costs no more text than its limit and a little.
func TestCellLimit(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		dt   arrow.DataType
		json string
	}{
		{arrow.BinaryTypes.String, `["` + long + `"]`},
		{arrow.ListOf(arrow.BinaryTypes.String), `[["` + long + `"]]`},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[` + strings.Repeat("1,", 100_000) + `1]]`},
	} {
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.dt, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		w := &Cell{Limit: 400}
		New(a)(w, 0)
		if len(w.Text) < 390 || len(w.Text) > 450 {
			t.Errorf("%s: %d bytes of text", c.dt, len(w.Text))
		}
		a.Release()
	}
}

// A null of a run and bytes of a view read as those of any column.
func TestCellsOfRunsAndViews(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	runs := array.NewRunEndEncodedBuilder(mem, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
	defer runs.Release()
	runs.Append(2)
	runs.ValueBuilder().(*array.StringBuilder).Append("(null)")
	runs.Append(1)
	runs.ValueBuilder().AppendNull()
	ree := runs.NewArray()
	defer ree.Release()
	views := array.NewBinaryViewBuilder(mem)
	defer views.Release()
	views.Append([]byte("1"))
	views.AppendNull()
	view := views.NewArray()
	defer view.Release()
	for _, c := range []struct {
		a    arrow.Array
		want []string
	}{{ree, []string{"(null)", "(null)", "NULL"}}, {view, []string{"0x31", "NULL"}}} {
		write := New(c.a)
		for i, want := range c.want {
			cell := Cell{Limit: 100}
			if write(&cell, i); string(cell.Text) != want {
				t.Errorf("%v %d: %s, want %s", c.a.DataType(), i, cell.Text, want)
			}
		}
	}
}
