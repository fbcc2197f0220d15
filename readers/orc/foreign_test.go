package orc

import (
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Bounds of dates are told in the file's calendar: Java counts 1500-01-01 as day -171655, which is nine days before.
func TestDayOfHybridCalendar(t *testing.T) {
	for _, c := range []struct {
		hybrid bool
		day    int32
		want   string
	}{{true, -171655, "1500-01-01"}, {false, -171664, "1500-01-01"}, {true, -141427, "1582-10-15"}, {true, -141428, "1582-10-04"}, {true, 0, "1970-01-01"}} {
		if got := (&File{hybrid: c.hybrid}).day(&c.day); got != c.want {
			t.Errorf("day %d: %s, want %s", c.day, got, c.want)
		}
	}
}

// PrestoDB's bounds of timestamps are in a zone that its files do not name.
func TestVerifyPrestoTimestamps(t *testing.T) {
	said := int64(1692288743000)
	s := &orcwire.ColumnStats{Timestamp: &orcwire.TimestampStats{MinUTC: &said, MaxUTC: &said, MaxNanos: 999999}}
	a := &tally{values: 1, slots: 1, early: moment{ms: said + 8*3600*1000}, late: moment{ms: said + 8*3600*1000}}
	for writer, bad := range map[uint32]bool{orcwire.WriterPresto: false, orcwire.WriterTrino: true} {
		f := &File{quirks: orcwire.Quirks{Writer: writer}}
		if err := f.compare(&orcwire.Type{Kind: orcwire.Timestamp}, s, a, false); (err != nil) != bad {
			t.Errorf("writer %d: %v", writer, err)
		}
	}
}

// ClickHouse counts a value more in lists, so that nulls would seem to be none.
func TestNullsOfLists(t *testing.T) {
	s := &orcwire.ColumnStats{HasValues: true, Values: 10, HasNull: orcwire.Unknown}
	for writer, want := range map[uint32]int64{orcwire.WriterCPP: -1, orcwire.WriterTrino: 0} {
		c := &subject{file: &File{quirks: orcwire.Quirks{Writer: writer}}, typ: &orcwire.Type{Kind: orcwire.List}}
		if got := c.stats(s, place{rows: 10}); got.Nulls != want {
			t.Errorf("writer %d: %d nulls, want %d", writer, got.Nulls, want)
		}
	}
}

// DWRF is told by its postscript: footerLength 1, no magic, and the version of the writer as one number.
func TestDWRF(t *testing.T) {
	for name, c := range map[string]struct{ postscript, want string }{
		"version":    {"\x08\x01\x10\x00\x20\x01", "this is DWRF"},
		"no version": {"\x08\x01\x10\x00", "was cut off, or is still being written, or was written over; copy it again when it is complete; or it is DWRF"},
		"ORC":        {"\x08\x01\x10\x00\x20\x00\x20\x0c\x82\xf4\x03\x03ORC", "protobuf"},
	} {
		b := "ORC\xff" + c.postscript + string(rune(len(c.postscript)))
		_, err := Open(t.Context(), local.NewBytesSource([]byte(b)), arrowio.Limits{}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, errs.ErrUnsupported) != (name == "version") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The last byte of a file that was cut off may read as the length of a postscript, which makes the file no DWRF.
func TestCutOff(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"no postscript":     {"ORC 12345678\x00", "was cut off"},
		"an empty footer":   {"ORC 1234\x08\x00\x02", "was cut off"},
		"the magic":         {"ORC", "a write or a copy of it did not end"},
		"a codec":           {"ORC 1234\x10\xea\x02\x03", "compression kind 362 is not known"},
		"half of the magic": {"OR", "a write or a copy of it did not end"},
	} {
		_, err := Open(t.Context(), local.NewBytesSource([]byte(c.file)), arrowio.Limits{}, Options{})
		if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "DWRF") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
