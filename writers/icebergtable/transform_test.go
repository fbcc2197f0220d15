package icebergtable

import (
	"math"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// TestHash has the values of "Appendix B: 32-bit Hash Requirements" of the specification.
func TestHash(t *testing.T) {
	at := func(text string) int64 {
		v, err := time.Parse("2006-01-02T15:04:05.999999", text)
		if err != nil {
			t.Fatal(err)
		}
		return v.UnixMicro()
	}
	uuid := []byte{0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd, 0xa4, 0x79, 0x3f, 0x34, 0x9c, 0xb7, 0x85, 0xe7}
	for _, c := range []struct {
		kind iceberg.Kind
		v    any
		want int32
	}{
		{iceberg.Int, int32(34), 2017239379},
		{iceberg.Long, int64(34), 2017239379},
		{iceberg.Decimal, decimal128.FromI64(1420), -500754589},
		{iceberg.Date, int32(at("2017-11-16T00:00:00") / 86_400_000_000), -653330422},
		{iceberg.Time, int64((22*3600 + 31*60 + 8) * 1_000_000), -662762989},
		{iceberg.Timestamp, at("2017-11-16T22:31:08"), -2047944441},
		{iceberg.Timestamp, at("2017-11-16T22:31:08.000001"), -1207196810},
		{iceberg.TimestampTZ, at("2017-11-16T22:31:08"), -2047944441},
		{iceberg.TimestampNS, at("2017-11-16T22:31:08") * 1000, -2047944441},
		{iceberg.TimestampNS, at("2017-11-16T22:31:08.000001")*1000 + 1, -1207196810},
		{iceberg.String, "iceberg", 1210000089},
		{iceberg.UUID, uuid, 1488055340},
		{iceberg.Fixed, []byte{0, 1, 2, 3}, -188683207},
		{iceberg.Binary, []byte{0, 1, 2, 3}, -188683207},
	} {
		if got := int32(hash(&iceberg.Type{Kind: c.kind}, c.v)); got != c.want {
			t.Errorf("%s %v: %d, not %d", c.kind, c.v, got, c.want)
		}
	}
}

// TestTransforms has examples of "Truncate Transform Details" and of the rules for times of the specification.
func TestTransforms(t *testing.T) {
	day := func(y int, m time.Month, d int) int32 {
		return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	micros := func(text string) int64 {
		v, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return v.UnixMicro()
	}
	for _, c := range []struct {
		transform string
		kind      iceberg.Kind
		v, want   any
	}{
		{"truncate[10]", iceberg.Int, int32(1), int32(0)},
		{"truncate[10]", iceberg.Int, int32(-1), int32(-10)},
		{"truncate[10]", iceberg.Long, int64(1), int64(0)},
		{"truncate[10]", iceberg.Long, int64(-1), int64(-10)},
		{"truncate[50]", iceberg.Decimal, decimal128.FromI64(1065), decimal128.FromI64(1050)},
		{"truncate[3]", iceberg.String, "iceberg", "ice"},
		{"truncate[2]", iceberg.String, "äöü", "äö"},
		{"identity", iceberg.String, "iceberg", "iceberg"},
		{"void", iceberg.String, "iceberg", nil},
		{"bucket[16]", iceberg.String, nil, nil},
		{"year", iceberg.Date, day(1970, 1, 1), int32(0)},
		{"year", iceberg.Date, day(1969, 12, 31), int32(-1)},
		{"month", iceberg.Date, day(1969, 12, 31), int32(-1)},
		{"month", iceberg.Date, day(2017, 12, 1), int32(575)},
		{"month", iceberg.Date, day(1600, 2, 29), int32(-4439)},
		{"day", iceberg.Date, day(2017, 12, 1), int32(17501)},
		{"hour", iceberg.Timestamp, micros("2017-12-01T10:12:55.038194Z"), int32(420034)},
		{"day", iceberg.Timestamp, micros("1969-12-31T23:59:58.999999Z"), int32(-1)},
		{"hour", iceberg.Timestamp, micros("1969-12-31T23:59:58.999999Z"), int32(-1)},
		{"year", iceberg.TimestampNS, micros("1969-12-31T23:59:58.999999Z") * 1000, int32(-1)},
	} {
		if got := apply(iceberg.ParseTransform(c.transform), &iceberg.Type{Kind: c.kind}, c.v); got != c.want {
			t.Errorf("%s of %s %v: %v, not %v", c.transform, c.kind, c.v, got, c.want)
		}
	}
	for d := int64(-800_000); d < 800_000; d += 13 { // as Go's calendar has it
		at := time.Unix(d*86400, 0).UTC()
		if y, m := monthOf(d); y != int64(at.Year()) || m != int64(at.Month()) {
			t.Fatalf("day %d: %d-%d, not %s", d, y, m, at)
		}
	}
}

// TestSingle has examples of "Appendix D: Single-value serialization".
func TestSingle(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{true, "\x01"},
		{int32(1), "\x01\x00\x00\x00"},
		{int64(-1), "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{float32(1), "\x00\x00\x80\x3f"},
		{decimal128.FromI64(1420), "\x05\x8c"},
		{decimal128.FromI64(-1), "\xff"},
		{decimal128.FromI64(128), "\x00\x80"},
		{decimal128.FromI64(0), "\x00"},
		{"é", "\xc3\xa9"},
		{[]byte{0, 1}, "\x00\x01"},
	} {
		if got := single(c.v); string(got) != c.want {
			t.Errorf("%v: %x, not %x", c.v, got, c.want)
		}
	}
	for precision, want := range map[int32]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 9: 4, 10: 5, 18: 8, 19: 9, 38: 16} {
		if got := decimalBytes(precision); got != want {
			t.Errorf("decimals of %d digits take %d bytes, not %d", precision, got, want)
		}
	}
}

// TestBounds cuts bounds of text off so that they stay bounds.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		mode         string
		texts        []string
		lower, upper string
	}{
		{"truncate(2)", []string{"abc", "abd", "ab"}, "ab", "ac"},
		{"truncate(2)", []string{"ab"}, "ab", "ab"},
		{"truncate(2)", []string{"\U0010FFFF\U0010FFFFx"}, "\U0010FFFF\U0010FFFF", ""},
		{"truncate(2)", []string{"a\U0010FFFFx"}, "a\U0010FFFF", "b"},
		{"truncate(1)", []string{"\uD7FFx"}, "\uD7FF", "\uE000"},
		{"full", []string{"abc", "abd", "ab"}, "ab", "abd"},
		{"counts", []string{"abc"}, "", ""},
	} {
		mode, ok := parseMode(c.mode)
		if !ok {
			t.Fatal(c.mode)
		}
		m := metrics{measured: measured{typ: &iceberg.Type{Kind: iceberg.String}, mode: mode}}
		for _, s := range c.texts {
			m.boundText(s)
		}
		if lower, upper := m.bounds(); string(lower) != c.lower || string(upper) != c.upper {
			t.Errorf("%s %q: %q and %q, not %q and %q", c.mode, c.texts, lower, upper, c.lower, c.upper)
		}
	}
	m := metrics{measured: measured{typ: &iceberg.Type{Kind: iceberg.Double}, mode: metricsMode{counts: true, bounds: true}}}
	floats(&m, []float64{math.NaN(), 0, math.Copysign(0, -1), math.NaN()}, nil)
	if lo, hi := m.bounds(); m.nans != 2 || lo[7] != 0x80 || hi[7] != 0 {
		t.Errorf("%d NaNs, %x and %x", m.nans, lo, hi)
	}
}
