package orccast

import (
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

func field(t arrow.DataType, orcType string) arrow.Field {
	f := arrow.Field{Name: "c", Type: t, Nullable: true}
	if orcType != "" {
		f.Metadata = arrow.NewMetadata([]string{"orc.type"}, []string{orcType})
	}
	return f
}

var (
	fBool   = field(arrow.FixedWidthTypes.Boolean, "")
	fI8     = field(arrow.PrimitiveTypes.Int8, "")
	fI16    = field(arrow.PrimitiveTypes.Int16, "")
	fI32    = field(arrow.PrimitiveTypes.Int32, "")
	fI64    = field(arrow.PrimitiveTypes.Int64, "")
	fF32    = field(arrow.PrimitiveTypes.Float32, "")
	fF64    = field(arrow.PrimitiveTypes.Float64, "")
	fDate   = field(arrow.FixedWidthTypes.Date32, "")
	fStr    = field(arrow.BinaryTypes.String, "")
	fChar4  = field(arrow.BinaryTypes.String, "char(4)")
	fVar6   = field(arrow.BinaryTypes.String, "varchar(6)")
	fBin    = field(arrow.BinaryTypes.Binary, "")
	fTime   = field(&arrow.TimestampType{Unit: arrow.Millisecond}, "")
	fLocal  = field(&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, "")
	fNanos  = field(&arrow.TimestampType{Unit: arrow.Nanosecond}, "")
	fDec102 = field(&arrow.Decimal128Type{Precision: 10, Scale: 2}, "")
	fDec306 = field(&arrow.Decimal128Type{Precision: 30, Scale: 6}, "")
	fDec380 = field(&arrow.Decimal128Type{Precision: 38, Scale: 0}, "")
	fDec38  = field(&arrow.Decimal128Type{Precision: 38, Scale: 38}, "")
)

// arrayOf makes an array of one value after two others, so that it is a slice, and of a null.
func arrayOf(t testing.TB, f arrow.Field, v any, mem memory.Allocator) arrow.Array {
	t.Helper()
	b := array.NewBuilder(mem, f.Type)
	defer b.Release()
	for k := range 4 {
		if k == 3 {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.BooleanBuilder:
			b.Append(v.(bool))
		case *array.Int8Builder:
			b.Append(int8(v.(int)))
		case *array.Int16Builder:
			b.Append(int16(v.(int)))
		case *array.Int32Builder:
			b.Append(int32(v.(int)))
		case *array.Int64Builder:
			b.Append(int64(v.(int)))
		case *array.Float32Builder:
			b.Append(float32(v.(float64)))
		case *array.Float64Builder:
			b.Append(v.(float64))
		case *array.Date32Builder:
			b.Append(arrow.Date32(v.(int)))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(v.(int)))
		case *array.StringBuilder:
			b.Append(v.(string))
		case *array.BinaryBuilder:
			b.Append([]byte(v.(string)))
		case *array.Decimal128Builder:
			d := f.Type.(*arrow.Decimal128Type)
			n, err := decimal128.FromString(v.(string), d.Precision, d.Scale)
			if err != nil {
				t.Fatal(err)
			}
			b.Append(n)
		default:
			t.Fatalf("%T", b)
		}
	}
	a := b.NewArray()
	defer a.Release()
	return array.NewSlice(a, 2, 4)
}

// shown is value i for comparison; nil = null.
func shown(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int(a.Value(i))
	case *array.Int16:
		return int(a.Value(i))
	case *array.Int32:
		return int(a.Value(i))
	case *array.Int64:
		return int(a.Value(i))
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.Date32:
		return int(a.Value(i))
	case *array.Timestamp:
		return int(a.Value(i))
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)
	}
	return fmt.Sprintf("%T", a)
}

// Java converts as orc-core does where days and times are of the proleptic calendar.
func Java(from, to arrow.Field) view.Casting { return java(from, to, arrowio.ProlepticCalendar) }

// What orc-core 2.3.1 makes of these values; milliseconds for timestamps.
func TestJava(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		from arrow.Field
		v    any
		to   arrow.Field
		want any
	}{
		{fBool, true, fI8, 1},
		{fBool, false, fF64, 0.0},
		{fBool, true, fStr, "TRUE"},
		{fBool, false, fChar4, "FALS"},
		{fBool, true, fDec102, "1.00"},
		{fBool, true, fTime, 1000},
		{fI64, -129, fI8, nil},
		{fI64, -128, fI8, -128},
		{fI64, 32768, fI16, nil},
		{fI64, 2147483648, fI32, nil},
		{fI64, 5, fBool, true},
		{fI64, 9007199254740993, fF64, 9007199254740992.0},
		{fI64, 9007199254740993, fF32, 9007199254740992.0},
		{fI64, math.MaxInt64, fDec306, "9223372036854775807.000000"},
		{fI64, math.MinInt64, fDec306, "-9223372036854775808.000000"},
		{fI64, 2147483647, fDec102, nil},
		{fI64, 99999999, fDec102, "99999999.00"},
		{fI64, 2147483647, fChar4, "2147"},
		{fI64, math.MinInt64, fStr, "-9223372036854775808"},
		{fI64, 9007199254740993, fLocal, 9007199254740993000},
		{fI64, math.MaxInt64, fTime, -1000},
		{fI64, math.MinInt64, fTime, 0},
		{fF64, -1.5, fI32, -1},
		{fF64, 3e9, fI32, nil},
		{fF64, nan, fI64, nil},
		{fF64, inf, fI64, nil},
		{fF64, -9223372036854775808.0, fI64, math.MinInt64},
		{fF64, 9223372036854775808.0, fI64, nil},
		{fF64, 0.1, fBool, false},
		{fF64, 1e19, fBool, nil},
		{fF64, nan, fBool, nil},
		{fF64, 1e300, fF32, inf},
		{fF64, 1234.565, fDec102, "1234.57"},
		{fF64, 1e19, fDec306, "10000000000000000000.000000"},
		{fF64, nan, fDec102, nil},
		{fF64, inf, fDec102, nil},
		{fF64, math.Copysign(0, -1), fDec102, "0.00"},
		{fF32, 127.9, fDec306, "127.900002"},
		{fF32, 0.1, fStr, "0.10000000149011612"},
		{fF64, 3e9, fStr, "3.0E9"},
		{fF64, 100000.0, fStr, "100000.0"},
		{fF64, 1e7, fStr, "1.0E7"},
		{fF64, 0.001, fStr, "0.001"},
		{fF64, 0.0001, fStr, "1.0E-4"},
		{fF64, 5e-324, fStr, "4.9E-324"},
		{fF64, 1.7976931348623157e308, fStr, "1.7976931348623157E308"},
		{fF64, math.Copysign(0, -1), fStr, "-0.0"},
		{fF64, nan, fStr, nil},
		{fF64, -inf, fStr, "-Infinity"},
		{fF64, 253402300800.0, fVar6, "2.5340"},
		{fF64, -1.5, fTime, -1500},
		{fF64, 127.9, fTime, 127900},
		{fF64, -0.0001, fTime, nil},
		{fF64, 1e19, fTime, nil},
		{fF64, nan, fTime, nil},
		{fDec102, "0.01", fBool, true},
		{fDec102, "0.00", fBool, false},
		{fDec102, "127.99", fI8, 127},
		{fDec102, "-0.50", fI8, 0},
		{fDec102, "128.00", fI8, nil},
		{fDec306, "9223372036854775808", fI64, nil},
		{fDec306, "-9223372036854775808", fI64, math.MinInt64},
		{fDec102, "0.01", fF64, 0.01},
		{fDec306, "123456789012345678901.123456", fF64, 123456789012345678901.123456},
		{fDec306, "1234.565000", fDec102, "1234.57"},
		{fDec306, "-1234.565000", fDec102, "-1234.57"},
		{fDec306, "99999999.995000", fDec102, nil},
		{fDec306, "1234.565000", fStr, "1234.565"},
		{fDec102, "-0.50", fStr, "-0.5"},
		{fDec102, "0.00", fStr, "0"},
		{fDec102, "100.00", fStr, "100"},
		{fDec102, "-1.50", fTime, -1500},
		{fDec102, "-0.50", fLocal, -500},
		{fDec306, "9223372036854775808", fTime, nil},
		{fDec306, "18446744073709551617", fTime, 1000},
		{fStr, "+5", fI8, 5},
		{fStr, " 12 ", fI8, nil},
		{fStr, "1.5", fI8, nil},
		{fStr, "", fI64, nil},
		{fStr, "-", fI64, nil},
		{fStr, "-9223372036854775808", fI64, math.MinInt64},
		{fStr, "9223372036854775808", fI64, nil},
		{fStr, "\u0663\u0664", fI64, 34},
		{fStr, "1", fBool, true},
		{fStr, "0", fBool, false},
		{fStr, "true", fBool, nil},
		{fStr, " 12 ", fF64, 12.0},
		{fStr, "1e3", fF32, 1000.0},
		{fStr, "1e999", fF64, inf},
		{fStr, "-Infinity", fF64, -inf},
		{fStr, "inf", fF64, nil},
		{fStr, "nan", fF64, nil},
		{fStr, "1_0", fF64, nil},
		{fStr, "1.", fF64, 1.0},
		{fStr, ".5d", fF64, 0.5},
		{fStr, "0x1.8p1", fF64, 3.0},
		{fStr, "0x10", fF64, nil},
		{fStr, "", fF64, nil},
		{fStr, "d", fF64, nil},
		{fStr, "1e", fF64, nil},
		{fStr, " 12 ", fDec102, "12.00"},
		{fStr, "1e3", fDec102, "1000.00"},
		{fStr, "12345678.994", fDec102, "12345678.99"},
		{fStr, "12345678.995", fDec102, "12345679.00"},
		{fStr, "123456789.12", fDec102, nil},
		{fStr, ".5", fDec102, "0.50"},
		{fStr, ".5 ", fDec102, nil},
		{fStr, "5.", fDec102, "5.00"},
		{fStr, ".", fDec102, nil},
		{fStr, "1e", fDec102, nil},
		{fStr, "1e ", fDec102, "1.00"},
		{fStr, "1e+", fDec102, nil},
		{fStr, "1e-2", fDec102, "0.01"},
		{fStr, "0e999", fDec102, nil},
		{fStr, "abc", fDec102, nil},
		{fStr, "", fDec102, nil},
		{fStr, "-", fDec102, nil},
		{fStr, "99999999999999999999999999999999999999", fDec380, "99999999999999999999999999999999999999"},
		{fStr, "100000000000000000000000000000000000000", fDec380, nil},
		{fStr, "99999999999999999999999999999999999999.5", fDec380, nil},
		{fStr, "2020-02-29", fDate, 18321},
		{fStr, "2020-02-30", fDate, nil},
		{fStr, "2020-2-9", fDate, nil},
		{fStr, "1500-03-01", fDate, -171605},
		{fStr, "2020-02-29 00:00:00", fDate, nil},
		{fStr, "+10000-01-01", fDate, 2932897},
		{fStr, "10000-01-01", fDate, nil},
		{fStr, "-0001-12-31", fDate, -719529},
		{fStr, "0000-01-01", fDate, -719528},
		{fStr, "-0000-01-01", fDate, nil},
		{fStr, "2020-02-29 12:34:56", fTime, 1582979696000},
		{fStr, "2020-02-29 12:34:56.123456789", fTime, 1582979696123},
		{fStr, "1969-12-31 23:59:59.5", fTime, -500},
		{fStr, "2020-02-29 12:34", fTime, 1582979640000},
		{fStr, "2020-02-30 00:00:00", fTime, 1582934400000},
		{fStr, "2020-02-29 24:00:00", fTime, 1583020800000},
		{fStr, "2020-02-29 24:00:01", fTime, nil},
		{fStr, "2020-02-29", fTime, nil},
		{fStr, "2020-02-29T12:34:56Z", fTime, nil},
		{fStr, "2020-02-29 12:34:56 UTC", fTime, nil},
		{fStr, "2020-02-29 12:34:56 UTC", fLocal, 1582979696000},
		{fStr, "2020-02-29 12:34:56 America/New_York", fLocal, 1582997696000},
		{fStr, "2020-02-29 12:34:56.1 UTC", fLocal, 1582979696100},
		{fStr, "2020-02-29 12:34:56 +05:30", fLocal, 1582959896000},
		{fStr, "2020-02-29 12:34:56 +0530", fLocal, nil},
		{fStr, "2020-02-29 12:34:56 UTC+1", fLocal, nil},
		{fStr, "2020-02-29 12:34:56 GMT-03:30", fLocal, 1582992296000},
		{fStr, "2020-03-08 02:30:00 America/New_York", fLocal, 1583652600000},
		{fStr, "2020-11-01 01:30:00 America/New_York", fLocal, 1604208600000},
		{fStr, "2020-02-29 12:34:56 Nowhere", fLocal, nil},
		{fStr, "2020-02-29 12:34:56", fLocal, nil},
		{fStr, "trail   ", fChar4, "trai"},
		{fStr, "ab  cd", fChar4, "ab"},
		{fStr, " 12 ", fChar4, " 12"},
		{fStr, "中文字符串", fChar4, "中文字符"},
		{fStr, "trail   ", fVar6, "trail "},
		{fVar6, "ab  ", fChar4, "ab"},
		{fStr, "中", fBin, "中"},
		{fChar4, "ab", fBin, "ab  "},
		{fChar4, "中文", fBin, "中文  "},
		{fBin, "\xe4\xb8\xad", fStr, "e4 b8 ad"},
		{fBin, "\xff\x00", fChar4, "ff 0"},
		{fBin, "", fStr, ""},
		{fDate, -719160, fStr, "0001-01-03"},
		{fDate, 2932897, fStr, "+10000-01-01"},
		{fDate, -719529, fStr, "-0001-12-31"},
		{fDate, -1, fTime, -86400000},
		{fDate, -141438, fVar6, "1582-1"},
		{fTime, -1750, fI8, -2},
		{fTime, 500, fBool, false},
		{fTime, -500, fBool, true},
		{fTime, -1750, fF64, -1.75},
		{fTime, -1750, fDec102, "-1.75"},
		{fTime, -250, fDec102, "0.25"},
		{fNanos, 1583020800123456789, fDec306, "1583020800.123457"},
		{fNanos, 1583020800123456789, fF64, 1583020800.123456789},
		{fTime, -1750, fStr, "1969-12-31 23:59:58.25"},
		{fNanos, 1583020800100000000, fStr, "2020-03-01 00:00:00.1"},
		{fNanos, 1, fStr, "1970-01-01 00:00:00.000000001"},
		{fLocal, 1500, fStr, "1970-01-01 00:00:01.5 UTC"},
		{fTime, -1750, fDate, -1},
		{fTime, -86401000, fDate, -2},
		{fTime, -500, fDate, 0},
		{fNanos, -500, fDate, 0},
		{fNanos, -999999500, fDate, -1},
		{fTime, -500, fLocal, -500},
		{fNanos, -1, fTime, -1},
	} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		k := Java(c.from, c.to)
		if k == nil {
			t.Errorf("%s is not cast to %s", c.from.Type, c.to.Type)
			continue
		}
		a := arrayOf(t, c.from, c.v, mem)
		d, err := k(a.Data(), mem)
		if err != nil {
			t.Errorf("%v of %s as %s: %v", c.v, c.from.Type, c.to.Type, err)
			a.Release()
			continue
		}
		out := array.MakeFromData(d)
		if got := shown(out, 0); got != c.want {
			t.Errorf("%#v of %s as %s is %#v, want %#v", c.v, c.from.Type, c.to.Type, got, c.want)
		}
		if out.Len() != 2 || !out.IsNull(1) || !arrow.TypeEqual(out.DataType(), c.to.Type) {
			t.Errorf("%#v of %s as %s: %v", c.v, c.from.Type, c.to.Type, out)
		}
		out.Release()
		d.Release()
		a.Release()
		mem.AssertSize(t, 0)
	}
}

// What orc-core refuses, or reads as it is.
func TestNotCast(t *testing.T) {
	all := []arrow.Field{fBool, fI8, fI16, fI32, fI64, fF32, fF64, fDec102, fStr, fChar4, fVar6, fBin, fDate, fTime, fLocal}
	refused := func(f, to arrow.Field) bool {
		text := func(f arrow.Field) bool { return f.Type.ID() == arrow.STRING }
		switch {
		case f.Type.ID() == arrow.BINARY:
			return !text(to)
		case to.Type.ID() == arrow.BINARY:
			return !text(f)
		case f.Type.ID() == arrow.DATE32:
			return !text(to) && to.Type.ID() != arrow.TIMESTAMP
		case to.Type.ID() == arrow.DATE32:
			return !text(f) && f.Type.ID() != arrow.TIMESTAMP
		}
		return false
	}
	for _, f := range all {
		if Java(f, f) != nil {
			t.Errorf("%v is cast to itself", f)
		}
		for _, to := range all {
			if refused(f, to) && Java(f, to) != nil {
				t.Errorf("%s is cast to %s", f.Type, to.Type)
			}
		}
	}
	for _, c := range [][2]arrow.Field{
		{fI8, fI16},
		{fI32, fI64},
		{fF32, fF64},
		{fChar4, fStr},
		{fVar6, fStr},
		{fChar4, fVar6},
		{fDec102, fDec306},
		{fI32, field(arrow.ListOf(arrow.PrimitiveTypes.Int32), "")},
		{fBin, field(arrow.BinaryTypes.Binary, "geometry(OGC:CRS84)")},
	} {
		if Java(c[0], c[1]) != nil {
			t.Errorf("%s is cast to %s", c[0].Type, c[1].Type)
		}
	}
}

// A time that its unit cannot hold is an error, unless the row is null.
func TestNoRoom(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for v, ok := range map[int]bool{9007199254740993: false, 9223372035: true, 9223372037: false, -9223372036: true, -9223372038: false} {
		a := arrayOf(t, fI64, v, mem)
		d, err := Java(fI64, fNanos)(a.Data(), mem)
		if (err == nil) != ok {
			t.Errorf("%d: %v", v, err)
		}
		if err == nil {
			d.Release()
		}
		a.Release()
	}
	b := array.NewInt64Builder(mem)
	b.AppendValues([]int64{math.MaxInt64 / 1000}, []bool{false})
	a := b.NewArray()
	b.Release()
	d, err := Java(fI64, fNanos)(a.Data(), mem)
	if err != nil {
		t.Fatal(err)
	}
	d.Release()
	a.Release()
}

func TestExact(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	if Exact(fStr, fStr) != nil || Exact(fVar6, fStr) != nil || Exact(fI64, fI32) != nil {
		t.Error("cast for nothing")
	}
	for _, c := range []struct {
		to arrow.Field
		v  string
		ok bool
	}{{fVar6, "longer", true}, {fVar6, "longer ", false}, {fChar4, "four    ", true}, {fChar4, "fiver", false}, {fChar4, "", true}, {fVar6, "中文字符串中", true}} {
		a := arrayOf(t, fStr, c.v, mem)
		d, err := Exact(fStr, c.to)(a.Data(), mem)
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.v, err)
		}
		if err == nil {
			d.Release()
		}
		a.Release()
	}
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "12", " -1.5e-3 ", "2020-02-29 12:34:56.1 +05:30", "99999999999999999999999999999999999999.9", "0x1p3", "+123456789-01-01", "2020-02-29 12:34:56 UTC+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		a := arrayOf(t, fStr, s, mem)
		defer a.Release()
		for _, to := range []arrow.Field{fBool, fI8, fI64, fF32, fF64, fDec102, fDec380, fDec38, fDate, fTime, fLocal, fChar4, fBin} {
			d, err := Java(fStr, to)(a.Data(), mem)
			if err != nil {
				continue
			}
			back := Java(to, fStr) // what was read can be printed
			if back != nil {
				p, err := back(d, mem)
				if err != nil {
					t.Fatal(err)
				}
				p.Release()
			}
			d.Release()
		}
	})
}
