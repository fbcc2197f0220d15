package orc

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Bounds of timestamps have the digits that statistics say, and are marked where they are no values; lists and maps have lengths.
func TestStatisticsAsText(t *testing.T) {
	ms, n := int64(1_583_000_000_123), uint64(3)
	f := &File{}
	for _, c := range []struct {
		s         orcwire.ColumnStats
		low, high string
	}{
		{orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{MinUTC: &ms, MaxUTC: &ms, MinNanos: 5, MaxNanos: 456_789}}, "2020-02-29 18:13:20.123000005", "2020-02-29 18:13:20.123456789"},
		{orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{Min: &ms, Max: &ms, MaxNanos: 999_999}}, "2020-02-29 18:13:20.123", "<= 2020-02-29 18:13:20.123999999"},
		{orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{MaxUTC: &ms}}, "", "2020-02-29 18:13:20.123"},
		{orcwire.ColumnStats{Collection: &orcwire.CollectionStats{MinChildren: &n, MaxChildren: &n}}, "length 3", "length 3"},
	} {
		if low, high, _ := f.statsText(&orcwire.Type{}, &c.s); low != c.low || high != c.high {
			t.Errorf("%q to %q, want %q to %q", low, high, c.low, c.high)
		}
	}
}

// C++ cuts off towards zero: -0.8926 ms is counted as 0, and -1.2 ms as -1.
func TestLeastTimesOfCPP(t *testing.T) {
	for _, c := range []struct {
		writer uint32
		ms     int64
		low    string
	}{
		{orcwire.WriterCPP, -1, ">= 1969-12-31 23:59:59.998"},
		{orcwire.WriterCPP, 0, ">= 1969-12-31 23:59:59.999"},
		{orcwire.WriterCPP, 1, "1970-01-01 00:00:00.001"},
		{orcwire.WriterJava, -1, "1969-12-31 23:59:59.999"},
	} {
		f := &File{quirks: orcwire.Quirks{Writer: c.writer}}
		if low, _, _ := f.statsText(&orcwire.Type{}, &orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{MinUTC: &c.ms}}); low != c.low {
			t.Errorf("writer %d, %d ms: %q, want %q", c.writer, c.ms, low, c.low)
		}
	}
}

// What a writer without row indexes says of columns, 0 values and no nulls, is about nothing: the rows have values.
func TestStatisticsThatWereNotGathered(t *testing.T) {
	f := showFile(t, "../../testdata/orc/java-2.3.1/no-index.orc", Options{})
	for _, c := range info(t, f, arrowio.InfoOptions{Groups: true}).Columns {
		if s := c.Stats; s.Values != -1 || s.Nulls != -1 || s.Sum != "" {
			t.Errorf("%s: %+v", c.Path, *s)
		}
	}
}

// Nulls of a field of a struct are the rows in which it, or the struct, is null.
func TestNullsOfFields(t *testing.T) {
	f := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterJava, Version: 9}}
	root := &orcwire.Type{Kind: orcwire.Struct}
	in := &orcwire.Type{Kind: orcwire.Struct, Parent: root}
	field := &orcwire.Type{Kind: orcwire.Int, Parent: in}
	list := &orcwire.Type{Kind: orcwire.List, Parent: root}
	item := &orcwire.Type{Kind: orcwire.Int, Parent: list}
	for _, c := range []struct {
		t     *orcwire.Type
		nulls int64
	}{{in, 3}, {field, 3}, {item, -1}} {
		if s := f.statsInfo(c.t, &orcwire.ColumnStats{HasValues: true, Values: 7, HasNull: orcwire.Yes}, 10); s.Values != 7 || s.Nulls != c.nulls {
			t.Errorf("%v: %+v, want %d nulls", c.t.Kind, *s, c.nulls)
		}
	}
}

// Times have the year, month and day of the file's calendar, as rows have. 1582-10-01 of the Julian calendar is 1582-10-11 of the
// Gregorian one, 141,431 days before 1970; the day after the Julian 1582-10-04 is 1582-10-15.
func TestHybridTimesAsText(t *testing.T) {
	f := &File{hybrid: true}
	for day, want := range map[int64]string{-141431: "1582-10-01 00:00:01.500", -141428: "1582-10-04 00:00:01.500", -141427: "1582-10-15 00:00:01.500"} {
		ms := day*dayMillis + 1500
		if low, high, _ := f.statsText(&orcwire.Type{}, &orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{MinUTC: &ms, MaxUTC: &ms}}); low != want || high != want {
			t.Errorf("day %d: %q to %q, want %q", day, low, high, want)
		}
	}
}

// Decimals have the digits behind the point that their column has; what is no decimal of it is shown as it is.
func TestDecimalStatistics(t *testing.T) {
	typ := &orcwire.Type{Kind: orcwire.Decimal, Precision: 30, Scale: 2}
	for text, want := range map[string]string{"1.1": "1.10", "-5": "-5.00", "-0.01": "-0.01", "12345678901234567890.1": "12345678901234567890.10", "1.005": "1.005", "x": "x", "": ""} {
		if got := decimalStat(typ, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
