package arrowjson

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// build makes an array; arrow's JSON is only used where it is not what is tested.
func build[B array.Builder](t arrow.DataType, fill func(b B)) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	fill(b.(B))
	return b.NewArray()
}

func TestValues(t *testing.T) {
	ts := func(u arrow.TimeUnit, zone string, v arrow.Timestamp) arrow.Array {
		return build(&arrow.TimestampType{Unit: u, TimeZone: zone}, func(b *array.TimestampBuilder) { b.Append(v) })
	}
	date := func(v int32) arrow.Array {
		return build(arrow.FixedWidthTypes.Date32, func(b *array.Date32Builder) { b.Append(arrow.Date32(v)) })
	}
	float := func(v float64) arrow.Array {
		return build(arrow.PrimitiveTypes.Float64, func(b *array.Float64Builder) { b.Append(v) })
	}
	dec := func(v int64, scale int32) arrow.Array {
		return build(&arrow.Decimal128Type{Precision: 38, Scale: scale}, func(b *array.Decimal128Builder) { b.Append(decimal128.FromI64(v)) })
	}
	str := func(v string) arrow.Array {
		return build(arrow.BinaryTypes.String, func(b *array.StringBuilder) { b.Append(v) })
	}
	for _, c := range []struct {
		arr        arrow.Array
		json, text string
	}{
		{build(arrow.PrimitiveTypes.Int64, func(b *array.Int64Builder) { b.Append(math.MinInt64) }), "-9223372036854775808", "-9223372036854775808"},
		{build(arrow.PrimitiveTypes.Uint64, func(b *array.Uint64Builder) { b.Append(math.MaxUint64) }), "18446744073709551615", "18446744073709551615"},
		{build(arrow.FixedWidthTypes.Boolean, func(b *array.BooleanBuilder) { b.Append(true) }), "true", "true"},
		{float(1), "1.0", "1.0"},
		{float(0.1), "0.1", "0.1"},
		{float(math.Copysign(0, -1)), "-0.0", "-0.0"},
		{float(1e300), "1e+300", "1e+300"},
		{float(math.NaN()), `"NaN"`, "NaN"},
		{float(math.Inf(-1)), `"-Infinity"`, "-Infinity"},
		{float(math.Inf(1)), `"Infinity"`, "Infinity"},
		{build(arrow.PrimitiveTypes.Float32, func(b *array.Float32Builder) { b.Append(0.1) }), "0.1", "0.1"},
		{build(arrow.FixedWidthTypes.Float16, func(b *array.Float16Builder) { b.Append(float16.New(0.5)) }), "0.5", "0.5"},
		{dec(-5, 3), `"-0.005"`, "-0.005"},
		{dec(12345, 2), `"123.45"`, "123.45"},
		{dec(0, 2), `"0.00"`, "0.00"},
		{dec(7, -2), `"700"`, "700"},
		{dec(0, -2), `"0"`, "0"},
		{dec(100, 2), `"1.00"`, "1.00"},
		{str("a\"b\\\n\r\t\x01é"), `"a\"b\\\n\r\t\u0001é"`, "a\"b\\\n\r\t\x01é"},
		{build(arrow.BinaryTypes.Binary, func(b *array.BinaryBuilder) { b.Append([]byte{0, 255}) }), `"AP8="`, "AP8="},
		{date(0), `"1970-01-01"`, "1970-01-01"},
		{date(-719528), `"0000-01-01"`, "0000-01-01"},
		{date(-719529), `"-0001-12-31"`, "-0001-12-31"},
		{date(2932897), `"+10000-01-01"`, "+10000-01-01"},
		{date(math.MaxInt32), `"+5881580-07-11"`, "+5881580-07-11"},
		{date(math.MinInt32), `"-5877641-06-23"`, "-5877641-06-23"},
		{build(arrow.FixedWidthTypes.Date64, func(b *array.Date64Builder) { b.Append(-1) }), `"1969-12-31T23:59:59.999"`, "1969-12-31T23:59:59.999"},
		{build(arrow.FixedWidthTypes.Time32ms, func(b *array.Time32Builder) { b.Append(86_399_001) }), `"23:59:59.001"`, "23:59:59.001"},
		{build(arrow.FixedWidthTypes.Time64ns, func(b *array.Time64Builder) { b.Append(1) }), `"00:00:00.000000001"`, "00:00:00.000000001"},
		{ts(arrow.Second, "", 0), `"1970-01-01T00:00:00"`, "1970-01-01T00:00:00"},
		{ts(arrow.Microsecond, "Europe/Berlin", -1), `"1969-12-31T23:59:59.999999Z"`, "1969-12-31T23:59:59.999999Z"},
		{ts(arrow.Nanosecond, "", math.MaxInt64), `"2262-04-11T23:47:16.854775807"`, "2262-04-11T23:47:16.854775807"},
		{ts(arrow.Nanosecond, "", math.MinInt64), `"1677-09-21T00:12:43.145224192"`, "1677-09-21T00:12:43.145224192"},
		{build(arrow.FixedWidthTypes.Duration_us, func(b *array.DurationBuilder) { b.Append(-3) }), "-3", "-3"},
		{build(arrow.FixedWidthTypes.MonthInterval, func(b *array.MonthIntervalBuilder) { b.Append(14) }), "14", "14"},
		{build(arrow.FixedWidthTypes.DayTimeInterval, func(b *array.DayTimeIntervalBuilder) { b.Append(arrow.DayTimeInterval{Days: 1, Milliseconds: -2}) }), `{"days":1,"milliseconds":-2}`, `{"days":1,"milliseconds":-2}`},
		{build(arrow.FixedWidthTypes.MonthDayNanoInterval, func(b *array.MonthDayNanoIntervalBuilder) {
			b.Append(arrow.MonthDayNanoInterval{Months: 1, Days: 2, Nanoseconds: 3})
		}), `{"months":1,"days":2,"nanoseconds":3}`, `{"months":1,"days":2,"nanoseconds":3}`},
	} {
		var e Encoder
		if got := string(e.JSON(c.arr)(nil, 0)); got != c.json {
			t.Errorf("%s: JSON %s, want %s", c.arr.DataType(), got, c.json)
		}
		if got := string(e.Text(c.arr)(nil, 0)); got != c.text {
			t.Errorf("%s: text %s, want %s", c.arr.DataType(), got, c.text)
		}
		if e.Err() != nil {
			t.Error(e.Err())
		}
	}
}

func TestNested(t *testing.T) {
	typ := arrow.StructOf(
		arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
		arrow.Field{Name: `q"`, Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), Nullable: true},
		arrow.Field{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true})
	arr := build(typ, func(b *array.StructBuilder) {
		l, m, d := b.FieldBuilder(0).(*array.ListBuilder), b.FieldBuilder(1).(*array.MapBuilder), b.FieldBuilder(2).(*array.BinaryDictionaryBuilder)
		b.Append(true)
		l.Append(true)
		l.ValueBuilder().(*array.Int8Builder).AppendValues([]int8{1, 0}, []bool{true, false})
		m.Append(true)
		m.KeyBuilder().(*array.StringBuilder).AppendValues([]string{"k", "k"}, nil)
		m.ItemBuilder().(*array.Float64Builder).AppendValues([]float64{1, math.NaN()}, nil)
		d.AppendString("x")
		b.AppendNull()
		b.Append(true)
		l.AppendNull()
		m.Append(true)
		d.AppendNull()
	})
	defer arr.Release()
	var e Encoder
	f := e.JSON(arr)
	for i, want := range []string{
		`{"l":[1,null],"q\"":[{"key":"k","value":1.0},{"key":"k","value":"NaN"}],"d":"x"}`, "null", `{"l":null,"q\"":[],"d":null}`,
	} {
		if got := string(f(nil, i)); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
	s := array.NewSlice(arr, 2, 3)
	defer s.Release()
	if got := string(e.JSON(s)(nil, 0)); got != `{"l":null,"q\"":[],"d":null}` {
		t.Errorf("a slice: %s", got)
	}
}

func TestNullIsSeenThroughDictionaries(t *testing.T) {
	values := build(arrow.BinaryTypes.String, func(b *array.StringBuilder) { b.Append("a"); b.AppendNull() })
	indices := build(arrow.PrimitiveTypes.Int8, func(b *array.Int8Builder) { b.AppendValues([]int8{1, 0}, nil) })
	d := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, indices, values)
	if !IsNull(d, 0) || IsNull(d, 1) {
		t.Error("the entry that is null is not, or the other is")
	}
	var e Encoder
	if got := string(e.JSON(d)(nil, 0)); got != "null" {
		t.Errorf("got %s", got)
	}
}

func TestNotText(t *testing.T) {
	arr := build(arrow.BinaryTypes.String, func(b *array.StringBuilder) { b.Append("\xff") })
	for _, f := range []func(*Encoder) Append{func(e *Encoder) Append { return e.JSON(arr) }, func(e *Encoder) Append { return e.Text(arr) }} {
		var e Encoder
		f(&e)(nil, 0)
		if !errors.Is(e.Err(), errs.ErrSchema) {
			t.Errorf("got %v", e.Err())
		}
	}
}

// TestDates compares with package time.
func TestDates(t *testing.T) {
	for d := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 10000; d = d.AddDate(0, 0, 13) {
		if got := string(appendDate(nil, d.Unix()/86400)); got != d.Format("2006-01-02") {
			t.Fatalf("%s is %s", d.Format("2006-01-02"), got)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	arr := build(arrow.PrimitiveTypes.Float64, func(fb *array.Float64Builder) {
		for i := range 1000 {
			fb.Append(float64(i) / 7)
		}
	})
	var e Encoder
	f := e.JSON(arr)
	var buf []byte
	b.SetBytes(8000)
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for i := range 1000 {
			buf = f(buf, i)
		}
	}
}
