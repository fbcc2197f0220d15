package page

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/flight"
)

// Times are shown without zeros at the end of their fraction: in rows, among statistics, and how long something has gone on.
func TestTimes(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[
		{"at": "2024-02-29 12:34:50", "text": "2024-02-29T12:34:50.100"}, {"at": "2024-02-29 12:34:56.120", "text": "1.50"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	path := filepath.Join(t.TempDir(), "times.parquet")
	write(t, path, rec)
	page := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(path)})
	contains(t, "rows", page.get("/datasets/d/rows", 200), ">2024-02-29T12:34:50Z<", ">2024-02-29T12:34:56.12Z<", ">2024-02-29T12:34:50.100<", ">1.50<")
	body := page.get(page.fileOf("d"), 200)
	contains(t, "a file", body, "12:34:50Z<", "12:34:56.12Z<")
	if strings.Contains(body, "12:34:50.0") || strings.Contains(body, "12:34:56.120") {
		t.Errorf("zeros:\n%s", body)
	}
	for d, want := range map[time.Duration]string{
		0: "0 s", 5 * time.Second: "5 s", 5040 * time.Millisecond: "5 s", 5300 * time.Millisecond: "5.3 s", 61 * time.Second: "1 min 01 s", 2*time.Hour + 90*time.Second: "2 h 01 min",
	} {
		if got := lasted(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}
