package cfilewire_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// describe spells a delta out.
func describe(b []byte) (string, error) {
	k, rest, err := cfilewire.ParseDeltaKey(b)
	if err != nil {
		return "", err
	}
	op, c, err := cfilewire.ParseChange(rest)
	if err != nil {
		return "", err
	}
	s := fmt.Sprintf("%d@%d %s", k.Row, k.Time, op)
	for c.Next() {
		if c.Null {
			s += fmt.Sprintf(" %d=null", c.Column)
		} else {
			s += fmt.Sprintf(" %d=%x", c.Column, c.Value)
		}
	}
	return s, c.Err
}

func TestDeltas(t *testing.T) {
	for _, c := range []struct{ hex, want string }{
		// Kudu 1.17.1
		{"00ff660b939dec624000010109a1d2af036c8c5568", "0@7353133123097477120 update 1=a1d2af036c8c5568"},
		{"00ff660b93b0688be0000102037630", "0@7353133202489991168 update 2=7630"},
		{"02ff660b93a2cea1400002", "2@7353133144073125888 delete"},
		{"07ff660b93a82dc670000301094fbfcf5dbbf48db802037639", "7@7353133167144235008 reinsert 1=4fbfcf5dbbf48db8 2=7639"},
		// made up
		{"00 00 01 0300", "0@0 update 3=null"},
		{"00 00 01 0301 8101 00", "0@0 update 3= 129=null"},
		{"00 00 03", "0@0 reinsert"},
	} {
		b := fromHex(t, c.hex)
		if got, err := describe(b); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.hex, got, err)
		}
		k, rest, err := cfilewire.ParseDeltaKey(b)
		if err != nil || !bytes.Equal(cfilewire.AppendDeltaKey(nil, k), b[:len(b)-len(rest)]) {
			t.Errorf("%s: key %x", c.hex, cfilewire.AppendDeltaKey(nil, k))
		}
	}
}

// SQLite4 gives these: the ends of every length.
func TestOrderedVarints(t *testing.T) {
	var last []byte
	for _, c := range []struct {
		v   uint64
		hex string
	}{
		{0, "00"},
		{240, "f0"},
		{241, "f101"},
		{496, "f200"},
		{2287, "f8ff"},
		{2288, "f90000"},
		{67823, "f9ffff"},
		{67824, "fa0108f0"},
		{1<<24 - 1, "faffffff"},
		{1 << 24, "fb01000000"},
		{1<<32 - 1, "fbffffffff"},
		{1 << 32, "fc0100000000"},
		{1<<40 - 1, "fcffffffffff"},
		{1 << 40, "fd010000000000"},
		{1<<48 - 1, "fdffffffffffff"},
		{1 << 48, "fe01000000000000"},
		{1<<56 - 1, "feffffffffffffff"},
		{1 << 56, "ff0100000000000000"},
		{math.MaxUint64, "ffffffffffffffffff"},
	} {
		b := fromHex(t, c.hex)
		k, rest, err := cfilewire.ParseDeltaKey(append([]byte{9}, b...))
		if err != nil || len(rest) > 0 || k != (cfilewire.DeltaKey{Row: 9, Time: c.v}) {
			t.Errorf("%s: %v %x %v", c.hex, k, rest, err)
		}
		if got := cfilewire.AppendDeltaKey(nil, k); !bytes.Equal(got[1:], b) {
			t.Errorf("%d is written as %x", c.v, got[1:])
		}
		if bytes.Compare(last, b) > 0 {
			t.Errorf("%x before %x", last, b)
		}
		last = b
		for n := range b {
			_, _, err := cfilewire.ParseDeltaKey(append([]byte{9}, b[:n]...))
			wantKind(t, c.hex, err, errs.ErrCorrupt)
		}
		if _, _, err := cfilewire.ParseDeltaKey(append(bytes.Clone(b), 0)); (err == nil) != (c.v <= math.MaxUint32) {
			t.Errorf("row %d: %v", c.v, err)
		}
	}
}

func TestDeltaDamage(t *testing.T) {
	for _, hex := range []string{
		"", "00", "0000", "0000 00", "0000 04", "0000 ff", "0000 01", "0000 02 00", "0000 01 80", "0000 01 03", "0000 01 0302",
		"0000 01 0309 01020304050607", "0000 01 03 ffffffff07", "0000 01 03 ffffffffffffffffff01", "0000 01 8080808008 00",
		"0000 01 ffffffffffffffffffff01 00", "0000 01 0300 03",
	} {
		_, err := describe(fromHex(t, hex))
		wantKind(t, hex, err, errs.ErrCorrupt)
	}
	b := []byte{1, 3, 0, 4, 2, 'x'}
	if n := testing.AllocsPerRun(10, func() {
		_, c, _ := cfilewire.ParseChange(b)
		for c.Next() { //nolint:revive // counted are its allocations
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDeltaStats(t *testing.T) {
	for _, c := range []struct{ hex, want string }{
		{fileUndo, "{Deletes:7 Reinserts:0 MinTime:7353147707655065600 MaxTime:7353147707994390528 Updates:[]}"},
		{fileRedo, "{Deletes:0 Reinserts:0 MinTime:7353133202489991168 MaxTime:7353133202489991168 Updates:[{ID:2 Count:13}]}"},
	} {
		f, _ := mustOpen(t, c.hex)
		b, _ := f.Lookup(cfilewire.MetaDeltaStats)
		s, err := cfilewire.ParseDeltaStats(b)
		if got := fmt.Sprintf("%+v", s); err != nil || got != c.want {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
		for i := range b {
			if _, err := cfilewire.ParseDeltaStats(b[:i]); err == nil && i < 20 {
				t.Errorf("no error for %d bytes", i)
			}
		}
	}
	// A file of 405 deletes, 136 updates and 5 reinserts; the last set both columns.
	s, err := cfilewire.ParseDeltaStats(fromHex(t, "089503190040053e9c930b662100904506aa930b662a04080210052a050801108d013005"))
	if got := fmt.Sprint(s.Deletes, s.Reinserts, s.Updates); err != nil || got != "405 5 [{2 5} {1 141}]" {
		t.Error(got, err)
	}
	times := "190000000000000000210000000000000000"
	for _, hex := range []string{"", "0801", "0801" + times[:18], times, "08ffffffffffffffffff01" + times, "0801" + times + "2a021005", "0801" + times + "30ffffffffffffffffff01"} {
		_, err := cfilewire.ParseDeltaStats(fromHex(t, hex))
		wantKind(t, hex, err, errs.ErrCorrupt)
	}
}
