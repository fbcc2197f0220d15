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
