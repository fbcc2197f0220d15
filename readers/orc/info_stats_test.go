package orc

import (
	"testing"

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

// Decimals have the digits behind the point that their column has; what is no decimal of it is shown as it is.
func TestDecimalStatistics(t *testing.T) {
	typ := &orcwire.Type{Kind: orcwire.Decimal, Precision: 30, Scale: 2}
	for text, want := range map[string]string{"1.1": "1.10", "-5": "-5.00", "-0.01": "-0.01", "12345678901234567890.1": "12345678901234567890.10", "1.005": "1.005", "x": "x", "": ""} {
		if got := decimalStat(typ, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
