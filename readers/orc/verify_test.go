package orc

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
)

func faults(t testing.TB, f *File) []*errs.Error {
	t.Helper()
	var out []*errs.Error
	err := f.Verify(context.Background(), func(err error) {
		var e *errs.Error
		if !errors.As(err, &e) {
			t.Errorf("a fault without a kind: %v", err)
			return
		}
		out = append(out, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What real writers say of their own files is so, but for what they are known to get wrong.
func TestVerifyEveryFile(t *testing.T) {
	t.Parallel()
	for _, path := range soundFiles(t) {
		for _, keys := range []Keys{{}, testKeys(t)} {
			if keys.ring != nil && !strings.Contains(path, "encrypted") {
				continue
			}
			for _, e := range faults(t, showFile(t, path, Options{Keys: keys})) {
				t.Errorf("%s: %v", path, e)
			}
		}
	}
}

// Times that nanoseconds cannot hold are checked like others.
func TestVerifyFarTimes(t *testing.T) {
	nanos := arrow.Nanosecond
	for _, o := range []Options{{}, {Unit: &nanos}, {Microseconds: []string{"a__far"}, RefuseFiner: true}} {
		f := showFile(t, byJava+"times-far-v11.orc", o)
		for _, e := range faults(t, f) {
			t.Error(e)
		}
		if sums, err := f.CountChecksums(t.Context()); err != nil || len(sums.Undecoded) > 0 {
			t.Errorf("not decoded: %q, %v", sums.Undecoded, err)
		}
	}
}

// Each number that a file says of its values is compared: rootInt with one of them changed has that fault and no other.
func TestVerifyFindsWhatWasChanged(t *testing.T) {
	if found := faults(t, showBytes(t, rootInt, Options{})); len(found) > 0 {
		t.Fatalf("a sound file: %v", found)
	}
	// Statistics are the same bytes in the index at 17, the metadata at 186 and the footer at 240:
	// 08 46 values | 12 12 | 08 … minimum | 10 … maximum | 18 … sum | 50 00 has no null
	type change struct {
		name string
		at   int // of a byte, from the first of the statistics
		b    byte
		what string
	}
	changes := []change{
		{"values", 1, 0x45, "69 values, there are 70"},
		{"minimum", 5, 0x83, "minimum -1635912834, it is -1635912833"},
		{"maximum", 11, 0xee, "maximum 2072350519, it is 2072350518"},
		{"sum", 17, 0x8c, "sum "},
	}
	for _, level := range []struct {
		name  string
		at    int
		op    string
		split int
	}{
		{"row group", 15, "statistics of row group 0", 0},
		{"stripe", 184, "statistics of the stripe", 0},
		{"file", 238, "statistics of the file", -1},
	} {
		for _, c := range changes {
			found := faults(t, showBytes(t, altered(level.at+c.at, c.b), Options{}))
			if len(found) != 1 {
				t.Errorf("%s, %s: %d faults: %v", level.name, c.name, len(found), found)
				continue
			}
			e := found[0]
			if e.Kind != errs.ErrCorrupt || e.Op != level.op || e.Split != level.split || e.Column != orcwire.RootName || e.Off < 0 {
				t.Errorf("%s, %s: %#v", level.name, c.name, e)
			}
			if !strings.Contains(e.Error(), c.what) {
				t.Errorf("%s, %s: %v", level.name, c.name, e)
			}
		}
	}
	for _, x := range []struct {
		name string
		at   int
		b    byte
		op   string
		what string
	}{
		{"position", 12, 1, "row group 0", "the positions [0 0 1]"},
		{"content length", 216, 0xb0, "footer", "contentLength is 176"},
		{"rows of the stripe", 229, 0x47, "", ""}, // not even opened: the footer has another sum
	} {
		f, err := Open(context.Background(), local.NewBytesSource(altered(x.at, x.b)), arrowio.Limits{}, Options{})
		if x.op == "" {
			if !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: %v", x.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		found := faults(t, f)
		if len(found) != 1 || found[0].Op != x.op || !strings.Contains(found[0].Error(), x.what) {
			t.Errorf("%s: %v", x.name, found)
		}
	}
}

// Some writers count the content without the magic in front of it, 3 bytes: that is no fault.
func TestVerifyContentLengthWithoutMagic(t *testing.T) {
	f := showBytes(t, altered(216, rootInt[216]-3), Options{})
	if want := f.footer.Stripes[0].End() - 3; int64(f.footer.ContentLength) != want {
		t.Fatalf("contentLength is %d, want %d", f.footer.ContentLength, want)
	}
	if found := faults(t, f); len(found) > 0 {
		t.Error(found)
	}
}

// A stream that holds more values than there are rows is found, and one that holds fewer.
func TestVerifyCounts(t *testing.T) {
	for _, x := range []struct {
		rows byte
		what string
	}{{0x45, "the stream holds more values than its rows have"}, {0x47, "ends before"}} {
		b := altered(229, x.rows) // of the stripe
		b[235] = x.rows           // of the file
		found := faults(t, showBytes(t, b, Options{}))
		text := ""
		for _, e := range found {
			text += e.Error() + "\n"
		}
		if !strings.Contains(text, x.what) {
			t.Errorf("%d rows: %s", x.rows, text)
		}
	}
}

func TestVerifyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := showBytes(t, rootInt, Options{}).Verify(ctx, func(err error) { t.Errorf("a fault: %v", err) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Sums and products of decimals that are wider than a word.
func TestWideNumbers(t *testing.T) {
	v := int128{lo: 1}
	for range 37 {
		var ok bool
		if v, ok = v.ten(); !ok {
			t.Fatal("10^37 is within 128 bits")
		}
	}
	if v.big().Cmp(tenTo(37)) != 0 {
		t.Errorf("10^37: %s", v.big())
	}
	w := int128{hi: -1, lo: ^uint64(0)} // -1
	for range 37 {
		w, _ = w.ten()
	}
	if want := "-1" + strings.Repeat("0", 37); w.big().String() != want {
		t.Errorf("-10^37: %s", w.big())
	}
	for range 37 {
		w, _ = w.tenth()
	}
	if w != (int128{-1, ^uint64(0)}) {
		t.Errorf("-1: %v", w)
	}
	if _, ok := w.tenth(); ok {
		t.Error("-1/10 has a rest")
	}
	v, _ = v.ten()
	if _, ok := v.ten(); ok {
		t.Error("10^39 is wider than 128 bits")
	}
	var s sum192
	for range 1000 {
		s.add(v)
	}
	if s.big().Cmp(tenTo(41)) != 0 {
		t.Errorf("1000 times 10^38: %s", s.big())
	}
	var n sum128
	for range 3 {
		n.add(-1 << 63)
	}
	if _, ok := n.int64(); ok {
		t.Error("-3*2^63 does not fit 64 bits")
	}
	n.add(1<<63 - 1)
	n.add(1<<63 - 1)
	n.add(1<<63 - 1)
	if v, ok := n.int64(); !ok || v != -3 {
		t.Errorf("%d, want -3", v)
	}
}
