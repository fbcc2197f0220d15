package orc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// Of joined files the last is read, and nothing of the others; that is told, and is the only fault.
func TestJoined(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("../../testdata/orc/java-2.3.1", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := read("bools-v12.orc")
	for _, name := range []string{"all-zlib-v12.orc", "all-none-v11.orc", "bools-v11.orc", "decimals-64-v12.orc", "bloom-utf8.orc", "empty-struct.orc", "dates-v12.orc"} {
		last := read(name)
		alone := openSource(t, last)
		if doubts := alone.Doubts(); len(doubts) > 0 {
			t.Errorf("%s: %v", name, doubts)
		}
		want := scanText(t, alone, arrowio.ScanOptions{})
		for _, before := range [][]byte{first, last, slices.Concat(last, first)} {
			f := openSource(t, slices.Concat(before, last))
			if got := scanText(t, f, arrowio.ScanOptions{}); !slices.Equal(got, want) {
				t.Errorf("%s: %d rows, want %d, or other ones", name, len(got), len(want))
			}
			if w := arrowio.WarningsOf(f); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt {
				t.Errorf("%s: warnings %v", name, w)
			}
			var faults []error
			if err := f.Verify(t.Context(), func(err error) { faults = append(faults, err) }); err != nil {
				t.Fatal(err)
			}
			var e *errs.Error
			if len(faults) != 1 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Off != int64(len(before)) {
				t.Errorf("%s: faults %v", name, faults)
			}
		}
	}
}

// A file behind bytes that are not its own is read from where it begins, although the footer counts from there: another file of the same
// layout, whose tail is missing, must not stand in for it.
func TestBytesInFront(t *testing.T) {
	last, err := os.ReadFile("../../testdata/orc/java-2.3.1/small-none.orc")
	if err != nil {
		t.Fatal(err)
	}
	front := bytes.ReplaceAll(last, []byte("ekcbkroy0"), []byte("ekcbkroy1"))
	want := scanText(t, openSource(t, last), arrowio.ScanOptions{})
	if slices.Equal(want, scanText(t, openSource(t, front), arrowio.ScanOptions{})) {
		t.Fatal("both files have the same rows")
	}
	for what, before := range map[string][]byte{
		"no tail":               front[:len(front)-150],
		"no postscript":         front[:len(front)-20],
		"nearly whole":          front[:len(front)-1],
		"no tail and bytes":     append(slices.Clone(front[:len(front)-150]), "some other bytes"...),
		"no ORC":                []byte("other bytes"),
		"some bytes":            []byte("ab"),
		"two without their end": slices.Concat(front[:len(front)-30], front[:len(front)-150]),
	} {
		b := slices.Concat(before, last)
		f := openSource(t, b)
		if got := scanText(t, f, arrowio.ScanOptions{}); !slices.Equal(got, want) {
			t.Errorf("%s: other rows: %d, want %d", what, len(got), len(want))
		}
		if w := arrowio.WarningsOf(f); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt {
			t.Errorf("%s: warnings %v", what, w)
		}
		var faults []error
		if err := f.Verify(t.Context(), func(err error) { faults = append(faults, err) }); err != nil {
			t.Fatal(err)
		}
		var e *errs.Error
		if len(faults) != 1 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Off != int64(len(before)) {
			t.Errorf("%s: faults %v", what, faults)
		}
	}
}

func openSource(t *testing.T, b []byte) *File {
	t.Helper()
	f, err := Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
