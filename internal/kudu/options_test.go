package kudu

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func TestParseSnapshot(t *testing.T) {
	const second = 1_000_000 << logicalBits
	for text, want := range map[string]uint64{
		"1":                                   1,
		"7353453183689576449":                 7353453183689576449,
		"1970-01-01T00:00:01Z":                second,
		"1970-01-01T01:00:01+01:00":           second,
		"1970-01-01T00:00:00.000001Z":         1 << logicalBits,
		"2024-05-01T12:00:00Z":                1714564800 * second,
		"2024-05-01T12:00:00.000000999Z":      1714564800 * second, // nanoseconds are cut
		"0":                                   0,
		"-1":                                  0,
		"18446744073709551616":                0,
		"":                                    0,
		"yesterday":                           0,
		"1970-01-01T00:00:00Z":                0,
		"1969-12-31T23:59:59Z":                0,
		"2024-05-01":                          0,
		"2024-05-01T12:00:00":                 0,
		"41684-01-01T00:00:00Z":               0,
		"0x10":                                0,
		"1e3":                                 0,
		" 1":                                  0,
		"2024-05-01T12:00:00Z; drop table x;": 0,
	} {
		got, err := parseSnapshot(text)
		if got != want || (err == nil) != (want > 0) || err != nil && !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(map[string]string{
		"kudu-table": "x", "kudu-tablet": "y", "kudu-wal": "skip", "kudu-uncommitted": "apply", "kudu-wal-memory": "99",
		"kudu-salvage": "true", "kudu-strings": "binary", "kudu-snapshot": "5", "kudu-metadata-dir": "m",
	})
	want := Options{Table: "x", Tablet: "y", SkipLog: true, Uncommitted: "apply", LogMemory: 99, Salvage: true, StringsBinary: true, Snapshot: 5, Metadata: "m"}
	if err != nil || fmt.Sprint(o) != fmt.Sprint(want) {
		t.Errorf("%+v, %v", o, err)
	}
	for k, v := range map[string]string{
		"kudu-wal": "maybe", "kudu-uncommitted": "maybe", "kudu-salvage": "yes", "kudu-strings": "utf16", "kudu-snapshot": "now",
		"kudu-wal-memory": "-1", "kudu-nothing": "1",
	} {
		if _, err := parseOptions(map[string]string{k: v}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s=%s: %v", k, v, err)
		}
	}
}

// A snapshot as a time of day sees what the same moment as a number does.
func TestSnapshotTimes(t *testing.T) {
	s := readOnlyServer(t, "file")
	rows := realRows(t)
	for _, x := range realTables(t, "file") {
		for i, shot := range x.Snapshots {
			// Nothing happens within the microsecond of a snapshot, which the time of day leaves out.
			text := time.UnixMicro(int64(shot.Timestamp>>logicalBits) + 1).In(time.FixedZone("", 2*3600)).Format(time.RFC3339Nano)
			got, _, err := s.scanAll("kudu-table="+x.Table, "kudu-snapshot="+text)
			if err != nil || int64(len(got)) != shot.Rows {
				t.Errorf("%s@%d, %s: %d rows, want %d: %v", x.Table, i+1, text, len(got), len(clientRows(t, rows, fmt.Sprintf("%s@%d", x.Table, i+1))), err)
			}
		}
	}
	// Before there was anything, and long after.
	// Before everything there is nothing, and that is told: seconds are no hybrid time.
	for text, says := range map[string]string{"1": "1970-01-01T00:00:00Z", "1795276800": "1970-01-01T00:00:00.438", "2020-05-01T12:00:00Z": "2020-05-01T12:00:00Z"} {
		got, w, err := s.scanAll("kudu-table=changed", "kudu-snapshot="+text)
		if err != nil || len(got) != 0 || len(w) != 1 || !anyHas(w, says, "no rows at the snapshot", "2026-11-21") {
			t.Errorf("%s: %d rows, %q, %v", text, len(got), w, err)
		}
	}
	f := s.must(arrowio.ForRows, "kudu-table=changed", "kudu-snapshot=1").(*File)
	if w := f.Warnings(); len(w) != 1 || w[0].Kind != arrowio.WarnHistory {
		t.Errorf("%+v", w)
	}
	// A moment in the future is refused, however it is written.
	for _, text := range []string{"2999-01-01T00:00:00Z", "18446744073709551615", fmt.Sprint(uint64(time.Now().Add(time.Hour).UnixMicro()) << 12)} {
		_, _, err := s.scanAll("kudu-table=changed", "kudu-snapshot="+text)
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "is in the future (it is ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Which table is meant.
func TestChooseTable(t *testing.T) {
	s := newRealServer(t, "log")
	refused := func(kind error, words []string, options ...string) {
		t.Helper()
		_, _, err := s.scanAll(options...)
		if !errors.Is(err, kind) {
			t.Errorf("%q: %v", options, err)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %v does not say %q", options, err, w)
			}
		}
	}
	refused(errs.ErrOption, []string{"several tables", "altered", "changed", "unflushed"})
	refused(errs.ErrOption, []string{`no table "nothing"`, "altered", "changed", "unflushed"}, "kudu-table=nothing")
	refused(errs.ErrOption, []string{`no tablet "abc"`}, "kudu-tablet=abc")
	refused(errs.ErrUnsupported, []string{"tombstoned", "other servers may have them"}, "kudu-table=tombstoned")
	refused(errs.ErrUnsupported, []string{"tombstoned"}, "kudu-table=tombstoned", "kudu-salvage=true")
	changed := s.table("changed").tablets[0]
	refused(errs.ErrOption, []string{`is of table "changed", not of "empty"`}, "kudu-table=empty", "kudu-tablet="+changed.id)
	for _, options := range [][]string{{"kudu-tablet=" + changed.id}, {"kudu-tablet=" + changed.id, "kudu-table=changed"}, {"kudu-table=" + changed.super.TableID}} {
		if got, _, err := s.scanAll(options...); err != nil || len(got) != 77 {
			t.Errorf("%q: %d rows, %v", options, len(got), err)
		}
	}
	empty := s.table("empty")
	if got, w, err := s.scanAll("kudu-table=empty"); err != nil || len(got) != 0 || len(w) > 0 || !anyHas(empty.allNotes(), "is empty") || empty.schema.NumFields() == 0 {
		t.Errorf("%d rows, %v, %q, %q", len(got), err, w, empty.allNotes())
	}
	// Two tables with one name: one was dropped, and the other made.
	other := s.table("deleted").tablets[0]
	s.editSuper(other.id, func(m protoMsg) protoMsg {
		return eachField(t, m, 7, func(int, []byte) []byte { return []byte("changed") })
	})
	refused(errs.ErrOption, []string{`have the name "changed"`, changed.super.TableID, other.super.TableID}, "kudu-table=changed")
	if got, _, err := s.scanAll("kudu-table=" + changed.super.TableID); err != nil || len(got) != 77 {
		t.Errorf("%d rows, %v", len(got), err)
	}
	// No tablets at all.
	if err := os.RemoveAll(s.path("wal", "tablet-meta")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.path("wal", "tablet-meta"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(errs.ErrUnsupported, []string{"no tablet"})
}

// A tablet that was being copied when the server ended is not whole.
func TestCopiedTablet(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	s.editSuper(x.id, func(m protoMsg) protoMsg { return m.num(10, 0) })
	if _, _, err := s.scanAll("kudu-table=changed"); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "copied") {
		t.Error(err)
	}
	got, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true")
	if err != nil || len(got) != 77 || !anyHas(w, "lost", x.id, "not complete") {
		t.Errorf("%d rows, %v, %q", len(got), err, w)
	}
}

// Tablets that were altered at different times have the columns of the newest.
func TestSchemasOfTablets(t *testing.T) {
	s := newTableServer(t)
	older, newer := smallTable(t), smallTable(t)
	newer.schema = 2
	newer.columns[1].name = "renamed"
	newer.columns = append(newer.columns, &tableColumn{id: 20, name: "added", typ: cfilewire.Int8, null: true, def: []byte{7}, added: 1})
	other := strings.Repeat("f", 32)
	s.tablet(older, madeTablet, s.rowset(0, older.files(older.tablets[0].rowsets[0])))
	s.tablet(newer, other, s.rowset(0, newer.files(newer.tablets[0].rowsets[0])))
	s.finish()
	f, err := s.open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := scanText(t, f, arrowio.ScanOptions{})
	if len(lines) != 48 || lines[0] != `[0,"text 0",0,7]` || lines[3] != `[30,"new",-3,7]` || f.Schema().Field(1).Name != "renamed" {
		t.Errorf("%d rows: %q", len(lines), lines)
	}
}
