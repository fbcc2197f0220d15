package textvalues

import (
	"testing"
	"time"
)

// TestDates compares with package time.
func TestDates(t *testing.T) {
	for d := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 10000; d = d.AddDate(0, 0, 17) {
		got, ok := Date([]byte(d.Format("2006-01-02")))
		if !ok || int64(got)*86400 != d.Unix() {
			t.Fatalf("%s is %d, %v", d.Format("2006-01-02"), got, ok)
		}
	}
}
