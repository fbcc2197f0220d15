package tableprofile_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

// fromJSON returns a record of one column.
func fromJSON(t testing.TB, mem memory.Allocator, dt arrow.DataType, text string) arrow.Record {
	t.Helper()
	a, _, err := array.FromJSON(mem, dt, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "c", Type: dt, Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
}

// line is what is known of a column as text, without what is not known.
func line(c *tableprofile.Column) string {
	out := fmt.Sprintf("%s: rows %d", c.Path, c.Rows)
	number := func(name string, v *int64) {
		if v != nil {
			out += fmt.Sprintf(" %s %d", name, *v)
		}
	}
	text := func(name string, v *string) {
		if v != nil {
			out += fmt.Sprintf(" %s %s", name, *v)
		}
	}
	number("nulls", c.Nulls)
	if c.Distinct != nil {
		number("distinct", &c.Distinct.Count)
	}
	text("min", c.Min)
	text("max", c.Max)
	if c.Mean != nil {
		out += fmt.Sprintf(" mean %.4g", *c.Mean)
	}
	if c.StdDev != nil {
		out += fmt.Sprintf(" dev %.4g", *c.StdDev)
	}
	number("zero", c.Zero)
	number("negative", c.Negative)
	number("nan", c.NaN)
	number("empty", c.Empty)
	number("true", c.True)
	if c.Lengths != nil {
		out += fmt.Sprintf(" lengths %d %d %.3g", c.Lengths.Min, c.Lengths.Max, c.Lengths.Mean)
	}
	for _, q := range c.Quantiles {
		if q.Share == 0.25 || q.Share == 0.5 {
			out += fmt.Sprintf(" q%g %s", q.Share, q.Value)
		}
	}
	for _, x := range c.Top[:min(2, len(c.Top))] {
		out += fmt.Sprintf(" %s×%d", x.Value, x.Count)
	}
	return out
}

// What is known of values whose properties can be seen.
func TestProfile(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		dt   arrow.DataType
		json string
		want string
	}{
		{arrow.PrimitiveTypes.Int32, `[3, null, -1, 0, 3]`, "c: rows 5 nulls 1 distinct 3 min -1 max 3 mean 1.25 dev 1.785 zero 1 negative 1 q0.25 -1 q0.5 0 3×2 -1×1"},
		{arrow.PrimitiveTypes.Int64, `[-9223372036854775808, 4611686018427387904]`, "c: rows 2 nulls 0 distinct 2 min -9223372036854775808 max 4611686018427387904 mean -2.306e+18 dev 6.918e+18 zero 0 negative 1 q0.25 -9223372036854775808 q0.5 -9223372036854775808 -9223372036854775808×1 4611686018427387904×1"},
		{arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 0, 0]`, "c: rows 3 nulls 0 distinct 2 min 0 max 9223372036854775808 mean 3.074e+18 dev 4.348e+18 zero 2 q0.25 0 q0.5 0 0×2 9223372036854775808×1"},
		{arrow.PrimitiveTypes.Float64, `[0.5, -0.0, 0.0, null, -2]`, "c: rows 5 nulls 1 distinct 3 min -2 max 0.5 mean -0.375 dev 0.9601 zero 2 negative 1 nan 0 q0.25 -2 q0.5 0 0×2 -2×1"},
		{arrow.PrimitiveTypes.Float32, `[0.1, 0.1]`, "c: rows 2 nulls 0 distinct 1 min 0.1 max 0.1 mean 0.1 dev 0 zero 0 negative 0 nan 0 q0.25 0.1 q0.5 0.1 0.1×2"},
		{arrow.FixedWidthTypes.Boolean, `[true, true, null, false]`, "c: rows 4 nulls 1 distinct 2 min false max true true 2 true×2 false×1"},
		{arrow.FixedWidthTypes.Boolean, `[false]`, "c: rows 1 nulls 0 distinct 1 min false max false true 0 false×1"},
		{arrow.BinaryTypes.String, `["b", "", "é", null, "b"]`, "c: rows 5 nulls 1 distinct 3 min  max é empty 1 lengths 0 2 1 b×2 ×1"},
		{arrow.BinaryTypes.LargeString, `["` + long + `"]`, "c: rows 1 nulls 0 distinct 1 min " + long[:256] + "… max " + long[:256] + "… empty 0 lengths 300 300 300 " + long[:256] + "…×1"},
		{arrow.BinaryTypes.Binary, `["/wA=", "AA=="]`, "c: rows 2 nulls 0 distinct 2 min 0x00 max 0xff00 empty 0 lengths 1 2 1.5 0x00×1 0xff00×1"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1}, `["/w==", "AA==", "AA=="]`, "c: rows 3 nulls 0 distinct 2 min 0x00 max 0xff 0x00×2 0xff×1"},
		{arrow.FixedWidthTypes.Date32, `["2020-02-29", "1969-12-31", "2020-02-29"]`, "c: rows 3 nulls 0 distinct 2 min 1969-12-31 max 2020-02-29 q0.25 1969-12-31 q0.5 2020-02-29 2020-02-29×2 1969-12-31×1"},
		{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, `["2020-02-29T12:00:00.5Z", null]`, "c: rows 2 nulls 1 distinct 1 min 2020-02-29T12:00:00.500Z max 2020-02-29T12:00:00.500Z q0.25 2020-02-29T12:00:00.500Z q0.5 2020-02-29T12:00:00.500Z 2020-02-29T12:00:00.500Z×1"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["1.50", "-123456789012345678901234567890.25", "-123456789012345678901234567890.26", "1.50", "0"]`, "c: rows 5 nulls 0 distinct 4 min -123456789012345678901234567890.26 max 1.50 mean -4.938e+28 dev 6.048e+28 zero 1 negative 2 q0.25 -123456789012345678901234567890.25 q0.5 0.00 1.50×2 -123456789012345678901234567890.25×1"},
		{&arrow.Decimal256Type{Precision: 70, Scale: 0}, `["5", "7", "5"]`, "c: rows 3 nulls 0 distinct 2 min 5 max 7 mean 5.667 dev 0.9428 zero 0 negative 0 q0.25 5 q0.5 5 5×2 7×1"},
		{arrow.Null, `[null, null]`, "c: rows 2 nulls 2 distinct 0"},
		{arrow.PrimitiveTypes.Int8, `[null]`, "c: rows 1 nulls 1 distinct 0"},
		{arrow.PrimitiveTypes.Int8, `[]`, "c: rows 0 nulls 0 distinct 0"},
		{
			arrow.ListOf(arrow.PrimitiveTypes.Int16), `[[1, null], null, [], [2, 2, 3]]`,
			"c: rows 4 nulls 1 empty 1 lengths 0 3 1.67\nc.item: rows 5 nulls 1 distinct 3 min 1 max 3 mean 2 dev 0.7071 zero 0 negative 0 q0.25 1 q0.5 2 2×2 1×1",
		},
		{
			arrow.StructOf(arrow.Field{Name: "a b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, arrow.Field{Name: "l", Type: arrow.FixedSizeListOf(1, arrow.FixedWidthTypes.Boolean), Nullable: true}),
			`[{"a b": true, "l": [true]}, null, {"a b": null, "l": null}]`,
			"c: rows 3 nulls 1\nc.\"a b\": rows 3 nulls 2 distinct 1 min true max true true 1 true×1\nc.l: rows 3 nulls 2 empty 0 lengths 1 1 1\nc.l.item: rows 1 nulls 0 distinct 1 min true max true true 1 true×1",
		},
		{
			arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8), `[[{"key": "k", "value": null}, {"key": "l", "value": 0}], null, []]`,
			"c: rows 3 nulls 1 empty 1 lengths 0 2 1\nc.key: rows 2 nulls 0 distinct 2 min k max l empty 0 lengths 1 1 1 k×1 l×1\nc.value: rows 2 nulls 1 distinct 1 min 0 max 0 mean 0 dev 0 zero 1 negative 0 q0.25 0 q0.5 0 0×1",
		},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["b", "a", null, "b"]`, "c: rows 4 nulls 1 distinct 2 min a max b empty 0 lengths 1 1 1 b×2 a×1"},
		{arrow.FixedWidthTypes.MonthInterval, `[{"months": 3}, {"months": 3}]`, "c: rows 2 nulls 0 distinct 1 3×2"},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		rec := fromJSON(t, mem, c.dt, c.json)
		p := tableprofile.New(rec.Schema(), tableprofile.Options{Allocator: mem})
		if err := p.Add(rec); err != nil {
			t.Fatal(err)
		}
		got := p.Profile()
		var lines []string
		for i := range got.Columns {
			lines = append(lines, line(&got.Columns[i]))
		}
		if text := strings.Join(lines, "\n"); text != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.dt, c.json, text, c.want)
		}
		if again := p.Profile(); !reflect.DeepEqual(again, got) {
			t.Errorf("%s: a second time it is %+v, not %+v", c.dt, again, got)
		}
		rec.Release()
		mem.AssertSize(t, 0)
	}
}

// A profile does not depend on how rows are cut into batches nor on the number of workers, for any type; its numbers of nulls and
// different values are those that a map of texts counts.
func TestBatches(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var fields []arrow.Field
	for i, dt := range append(conformance.Types(), conformance.FlatTypes()...) {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: mem, Nulls: 0.2}
	rec := g.Record(schema, 3000)
	defer rec.Release()
	measured := func(workers int, batch int64) *tableprofile.Profile {
		p := tableprofile.New(schema, tableprofile.Options{Allocator: mem, Workers: workers, Memory: 1 << 40})
		for at := int64(0); at < rec.NumRows(); at += batch {
			part := rec.NewSlice(at, min(at+batch, rec.NumRows()))
			err := p.Add(part)
			part.Release()
			if err != nil {
				t.Fatal(err)
			}
		}
		return p.Profile()
	}
	want := measured(1, 3000)
	for _, got := range []*tableprofile.Profile{measured(3, 3000), measured(2, 701)} {
		for i := range want.Columns {
			if a, b := line(&got.Columns[i]), line(&want.Columns[i]); a != b {
				t.Errorf("%s\nis not\n%s", a, b)
			}
		}
	}
	top := 0
	for _, c := range want.Columns {
		if c.Depth > 0 {
			continue
		}
		a := rec.Column(top)
		top++
		nulls, texts := int64(0), map[string]int64{}
		write := celltext.New(a)
		for i := range a.Len() {
			cell := celltext.Cell{Limit: 1 << 20}
			write(&cell, i)
			switch text := string(cell.Text); text {
			case celltext.Null:
				nulls++
			case "-0":
				texts["0"]++ // both are one value
			default:
				texts[text]++
			}
		}
		if c.Nulls == nil || *c.Nulls != nulls {
			t.Errorf("%s %s: %d nulls, want %d", c.Path, c.Type, *c.Nulls, nulls)
		}
		if c.Distinct != nil && c.Distinct.Count != int64(len(texts)) {
			t.Errorf("%s %s: %d different values, want %d", c.Path, c.Type, c.Distinct.Count, len(texts))
		}
	}
}
