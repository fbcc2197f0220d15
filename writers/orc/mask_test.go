package orc

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// The numbers are those of orc-core 2.3.1, RedactMaskFactory without parameters.
func TestRedactLikeJava(t *testing.T) {
	for x, want := range map[int64]int64{
		0: 9, 1: 9, 9: 9, 10: 99, -10: -99, 99: 99, 100: 999, 999: 999, 1000: 9999, 12345: 99999, -123456: -999999,
		9999999: 9999999, 99999999: 99999999, 100000000: 999999999, 1234567890: 9999999999, 99999999999: 99999999999,
		123456789012: 999999999999, 1234567890123: 9999999999999, 12345678901234: 99999999999999,
		123456789012345: 999999999999999, 1234567890123456: 9999999999999999, 12345678901234567: 99999999999999999,
		123456789012345678: 999999999999999999, 1234567890123456789: 999999999999999999,
		math.MaxInt64: 999999999999999999, math.MinInt64: -999999999999999999, -2147483648: -9999999999,
	} {
		if got := nines([]int64{x}); got[0] != want {
			t.Errorf("%d: %d, want %d", x, got[0], want)
		}
	}
	for x, want := range map[uint64]uint64{
		0: 0x4023fffeb074a772, 0x8000000000000000: 0x4023fffeb074a772, 0x3ff0000000000000: 0x4023fffeb074a772,
		0xbff0000000000000: 0xc023fffeb074a772, 0x3fe0000000000000: 0x3feffffde7210bea, 0x4023fae147ae147b: 0x4023fffeb074a772,
		0x4024000000000000: 0x4058fffe5c91d14e, 0x44b52d02c7e14af6: 0x44ea7841bdc2c73f, 0x3fa06f694467381d: 0x3fb99997ec1a6fee,
		0xc0c81cd6c8b43958: 0xc0f869fe66666667, 0x730d67819e8d2: 0x31fa16fea67101, 0x1: 0x31fa16fea67101,
		0x10000000000000: 0x31fa16fea67101, 0x7fefffffffffffff: 0x7fe1ccf25b46d3fc, 0x7fac7b1f3cac7433: 0x7fe1ccf25b46d3fc,
		0x7fe1ccf385ebc8a0: 0x7fe1ccf25b46d3fc, 0x7ff0000000000000: 0x7fe1ccf25b46d3fc, 0xfff0000000000000: 0xffe1ccf25b46d3fc,
		0x7ff8000000000000: 0xffe1ccf25b46d3fc, 0x3fb99999a0000000: 0x3feffffde7210bea, 0x3ee4f8b588e368f1: 0x3f1a36e1334e4590,
		0x419d6f3454000000: 0x41cdcd630c000000,
	} {
		if got := math.Float64bits(redactFloat(math.Float64frombits(x))); got != want {
			t.Errorf("%x: %x, want %x", x, got, want)
		}
	}
	for x, want := range map[int64]int64{
		0: 0, 1: 0, 364: 0, 365: 365, -1: -365, -365: -365, -366: -731, 19000: 18993, 18262: 18262, 11016: 10957, 59: 0,
		-100000: -100076, 2932896: 2932532,
	} {
		if got := newYear(x, math.MinInt32); got != want {
			t.Errorf("day %d: %d, want %d", x, got, want)
		}
	}
	for x, want := range map[string]string{
		"0": "9", "1": "9", "12.50": "99.9", "-12.05": "-99.99", "0.05": "9.99", "-0.001": "-9.999",
		"123456789012345678901234567890": "999999999999999999999999999999", "10": "99", "100.00": "999", "0.10": "9.9",
	} {
		if got := redactDecimal(unscaled(t, x, 4), 38, 4).BigInt(); got.Cmp(unscaled(t, want, 4)) != 0 {
			t.Errorf("%s: %s, want %s", x, got, want)
		}
	}
}

// unscaled reads a decimal.
func unscaled(t *testing.T, text string, scale int) *big.Int {
	t.Helper()
	whole, fraction, _ := strings.Cut(text, ".")
	v, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok {
		t.Fatal(text)
	}
	return v
}

// What the type cannot hold stays within it.
func TestRedactWithinTypes(t *testing.T) {
	if got := nines([]int8{127, -128, 99, 5}); got[0] != 99 || got[1] != -99 || got[2] != 99 || got[3] != 9 {
		t.Errorf("%d", got)
	}
	if got := nines([]int16{32767, -10000, 9999}); got[0] != 9999 || got[1] != -9999 || got[2] != 9999 {
		t.Errorf("%d", got)
	}
	if got := nines([]int32{math.MaxInt32, math.MinInt32, 1_000_000}); got[0] != 999_999_999 || got[1] != -999_999_999 || got[2] != 9_999_999 {
		t.Errorf("%d", got)
	}
	for _, c := range []struct {
		text             string
		precision, scale int
		want             string
	}{
		{"0.00000000000000000005", 20, 20, "0.99999999999999999999"},
		{"-0.1000000000000000000", 20, 19, "-9.9000000000000000000"},
		{"0", 20, 20, "0"},
		{"99999999999999999999", 20, 0, "99999999999999999999"},
		{"-10000000000000000000", 20, 0, "-99999999999999999999"},
	} {
		if got := redactDecimal(unscaled(t, c.text, c.scale), c.precision, c.scale).BigInt(); got.Cmp(unscaled(t, c.want, c.scale)) != 0 {
			t.Errorf("%+v: %s", c, got)
		}
	}
	unit := &arrow.TimestampType{Unit: arrow.Nanosecond}
	b := array.NewTimestampBuilder(memory.NewGoAllocator(), unit)
	defer b.Release()
	b.AppendValues([]arrow.Timestamp{math.MinInt64, math.MaxInt64, 0, -1}, nil)
	times := b.NewArray()
	defer times.Release()
	got, err := redactTimes(nil, times)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	for i, want := range []string{"1678-01-01", "2262-01-01", "1970-01-01", "1969-01-01"} {
		if s := got.ValueStr(i); !strings.HasPrefix(s, want) {
			t.Errorf("%s, want %s", s, want)
		}
	}
	d := array.NewDate32Builder(memory.NewGoAllocator())
	defer d.Release()
	d.AppendValues([]arrow.Date32{math.MinInt32, math.MaxInt32}, nil)
	days := d.NewArray()
	defer days.Release()
	if got, err = redactDates(nil, days); err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	v := got.(*array.Date32).Date32Values()
	if v[0] < math.MinInt32+1 || v[0] > math.MinInt32+366 || v[1] < math.MaxInt32-366 {
		t.Errorf("%d", v)
	}
}
