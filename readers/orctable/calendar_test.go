package orctable

import (
	"bytes"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// hybrid makes a file say that it counts in the hybrid calendar.
func hybrid(t *testing.T, b []byte) []byte {
	t.Helper()
	b = bytes.Clone(b)
	end := len(b) - 1 - int(b[len(b)-1])
	at := bytes.LastIndex(b[:end], []byte{11 << 3, orcwire.CalendarProleptic})
	if at < 0 {
		t.Fatal("the footer tells no calendar")
	}
	b[at+1] = orcwire.CalendarHybrid
	return b
}

// The calendar of a table is that of its files with rows.
func TestCalendar(t *testing.T) {
	one, two := eventsFile(t, inserts(1, b0, 1, 2), nil), eventsFile(t, inserts(2, b0, 3, 4), nil)
	gone := eventsFile(t, deletes(3, 1, b0, 1), nil)
	for name, c := range map[string]struct {
		tree memTree
		want arrowio.Calendar
	}{
		"none":      {memTree{"base_1/bucket_00000": one, "delta_2_2/bucket_00000": two}, arrowio.ProlepticCalendar},
		"all":       {memTree{"base_1/bucket_00000": hybrid(t, one), "delta_2_2/bucket_00000": hybrid(t, two), "delete_delta_3_3/bucket_00000": gone}, arrowio.HybridCalendar},
		"the first": {memTree{"base_1/bucket_00000": hybrid(t, one), "delta_2_2/bucket_00000": two}, arrowio.SeveralCalendars},
		"the last":  {memTree{"base_1/bucket_00000": one, "delta_2_2/bucket_00000": hybrid(t, two)}, arrowio.SeveralCalendars},
	} {
		if got := openTable(t, c.tree, Options{}).Calendar(); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}
