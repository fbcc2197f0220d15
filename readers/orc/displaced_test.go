//go:build !race

package orc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// severalStripes are files of several stripes. In the first all stripes have much the same lengths; merged.orc has equal ones.
var severalStripes = []string{
	"java-2.3.1/many-stripes.orc", "java-2.3.1/merged.orc", "java-2.3.1/nulls-stripe2-v12.orc", "java-2.3.1/small-none.orc", "java-2.3.1/small-zlib.orc",
	"java-2.3.1/nested-v12.orc", "foreign/streams-backwards.orc", "foreign/index-missing.orc",
}

// A damaged stripe is lost: no other one stands in for it, and the rows of none come twice or in another place.
func TestDamagedStripeStaysLost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible
	for _, name := range severalStripes {
		sound, f := severalOf(t, name)
		want := scanText(t, f, arrowio.ScanOptions{})
		n := 60
		if testing.Short() {
			n = 30
		}
		for range n {
			b := slices.Clone(sound)
			s := &f.footer.Stripes[r.IntN(len(f.footer.Stripes))]
			at := s.End() - 1 - r.Int64N(s.FooterLength)
			what := fmt.Sprintf("%s: a bit at %d", name, at)
			switch r.IntN(3) {
			case 0:
				sector := int64(1) << (6 + r.IntN(4))
				at -= at % sector
				what = fmt.Sprintf("%s: %d zeros at %d", name, sector, at)
				clear(b[max(3, at):min(at+sector, f.tail.stats.Off)])
			default:
				b[at] ^= 1 << r.IntN(8)
			}
			checkPart(t, what, b, want, 0)
		}
	}
}

// Where bytes were put in, or are missing, what comes are rows of the file, in their order, and of nearly all stripes, also where a stripe
// behind is damaged, too. Where as many bytes were put in as a stripe has, fewer may come.
func TestDisplacedStripes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // reproducible
	sound, f := severalOf(t, "java-2.3.1/many-stripes.orc")
	want := scanText(t, f, arrowio.ScanOptions{})
	per := len(want) / len(f.footer.Stripes)
	n := 60
	if testing.Short() {
		n = 30
	}
	for range n {
		k := r.IntN(len(f.footer.Stripes))
		s := &f.footer.Stripes[k]
		at := s.Offset + r.Int64N(s.End()-s.Offset)
		put := make([]byte, 1+r.IntN(2*int(s.End()-s.Offset)))
		if r.IntN(3) == 0 {
			o := &f.footer.Stripes[r.IntN(len(f.footer.Stripes))]
			put = put[:min(int64(len(put)), o.End()-o.Offset)]
		}
		for i := range put {
			put[i] = byte(r.Uint32())
		}
		b := slices.Concat(sound[:at], put, sound[at:])
		least := len(want) - 2*per
		if alike(f.footer.Stripes, int64(len(put))) {
			least = 0
		}
		checkPart(t, fmt.Sprintf("%d bytes put in at %d", len(put), at), b, want, least)
		other := f.footer.Stripes[r.IntN(len(f.footer.Stripes))].End() - 3
		if other >= at {
			other += int64(len(put))
		}
		clear(b[other : other+3])
		checkPart(t, fmt.Sprintf("%d bytes put in at %d, and zeros at %d", len(put), at, other), b, want, max(0, least-per))
		less := min(int64(len(put)), f.tail.stats.Off-at)
		checkPart(t, fmt.Sprintf("%d bytes missing at %d", less, at), slices.Concat(sound[:at], sound[at+less:]), want, 0)
	}
}

// alike reports whether a stripe that has moved so far lies where the footer puts another one of the same lengths: nothing tells them apart.
func alike(stripes []orcwire.StripeInfo, shift int64) bool {
	for i := range stripes {
		for k := range stripes[:i] {
			if stripes[i].Offset-stripes[k].Offset == shift && shapeOf(&stripes[i]) == shapeOf(&stripes[k]) {
				return true
			}
		}
	}
	return false
}

func severalOf(t *testing.T, name string) ([]byte, *File) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../testdata/orc", name))
	if err != nil {
		t.Fatal(err)
	}
	f := openSource(t, b)
	if len(f.footer.Stripes) < 2 {
		t.Fatalf("%s has one stripe", name)
	}
	return bytes.Clone(b), f
}

// checkPart checks that what is salvaged of a file are rows of the sound one in their order, at least so many. Values without a witness
// may be other ones, such as times whose zone is damaged.
func checkPart(t *testing.T, what string, b []byte, want []string, least int) {
	t.Helper()
	f, err := Format().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{Options: map[string]string{"salvage": "rows"}})
	if err != nil {
		if errors.Is(err, errs.ErrCorrupt) && least == 0 {
			return
		}
		t.Errorf("%s: %v", what, err)
		return
	}
	var got []string
	rows := int64(0)
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Allocator: memory.DefaultAllocator})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rows += r.Record().NumRows()
		got = append(got, orctext.Rows(r.Record())...)
	}
	if r.Err() != nil {
		t.Errorf("%s: %v", what, r.Err())
	}
	known := map[string]bool{}
	for _, row := range want {
		known[row] = true
	}
	at, kept := 0, 0
	for i, row := range got {
		if !known[row] {
			continue
		}
		kept++
		next := slices.Index(want[at:], row)
		if next < 0 {
			t.Errorf("%s: row %d of %d comes twice or in another place: %v", what, i, len(got), arrowio.WarningsOf(f))
			return
		}
		at += next + 1
	}
	if kept < least {
		t.Errorf("%s: %d rows, want at least %d: %v", what, kept, least, arrowio.WarningsOf(f))
	}
	lost := int64(0)
	for _, w := range arrowio.WarningsOf(f) {
		if w.Kind == arrowio.WarnLost {
			lost += max(0, w.Rows)
		}
	}
	if rows+lost < int64(len(want)) {
		t.Errorf("%s: %d rows come, and %d are told lost, of %d", what, rows, lost, len(want))
	}
}
