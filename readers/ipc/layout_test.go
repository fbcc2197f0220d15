package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// told returns the warnings and faults of b after all its rows were read.
func told(t *testing.T, b []byte, name string) ([]arrowio.Warning, []error) {
	t.Helper()
	f, err := open(b, name, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := readAll(f, nil, 100, checked(t))
	release(recs)
	if err != nil {
		t.Fatal(err)
	}
	return arrowio.WarningsOf(f), f.(interface{ Doubts() []error }).Doubts()
}

// Whole files of other writers have no byte too many.
func TestLayout(t *testing.T) {
	for _, name := range []string{
		"types.arrow", "types_lz4.arrow", "dict_delta.arrow", "dict_nested.arrow", "batches.arrow", "empty.arrow", "nocolumns.arrow", "old.arrow",
		"types.arrows", "types_zstd.arrows", "dict_delta.arrows", "dict_replace.arrows", "dict_nested.arrows", "batches.arrows", "empty.arrows", "old.arrows",
	} {
		if w, faults := told(t, fixture(t, name), name); len(w) > 0 || len(faults) > 0 {
			t.Errorf("%s: warnings %v, faults %v", name, w, faults)
		}
	}
}

// Of joined files the last is read.
func TestJoined(t *testing.T) {
	for _, last := range []string{"types.arrow", "types_lz4.arrow", "dict_delta.arrow", "dict_nested.arrow", "batches.arrow", "empty.arrow"} {
		for _, first := range []string{"batches.arrow", "types.arrow"} {
			before := fixture(t, first)
			f, err := open(append(before, fixture(t, last)...), "x.arrow", arrowio.OpenOptions{})
			if err != nil {
				t.Errorf("%s, %s: %v", first, last, err)
				continue
			}
			mem := checked(t)
			got, err := readAll(f, nil, 1000, mem)
			want, wantErr := readAll(mustOpen(t, last), nil, 1000, mem)
			if err != nil || wantErr != nil || len(got) != len(want) {
				t.Errorf("%s, %s: %d batches, %v, want %d, %v", first, last, len(got), err, len(want), wantErr)
			}
			for i := range min(len(got), len(want)) {
				if err := conformance.Equal(got[i], want[i]); err != nil {
					t.Errorf("%s, %s: %v", first, last, err)
				}
			}
			release(got)
			release(want)
			var e *errs.Error
			doubts := f.(interface{ Doubts() []error }).Doubts()
			if len(doubts) != 1 || !errors.As(doubts[0], &e) || e.Kind != errs.ErrCorrupt || e.Off != int64(len(before)) {
				t.Errorf("%s, %s: %v", first, last, doubts)
			}
		}
	}
}

// Polars writes the schema message without its length in front.
func TestLayoutWithoutFraming(t *testing.T) {
	b := fixture(t, "batches.arrow")
	copy(b[8:], "\x04\x00\x00\x00\xf2\xff\xff\xff")
	if w, faults := told(t, b, "x.arrow"); len(w) > 0 || len(faults) > 0 {
		t.Errorf("warnings %v, faults %v", w, faults)
	}
	binary.LittleEndian.PutUint32(b[blocksAt(t, b)-4:], 0)
	if w, faults := told(t, b, "x.arrow"); len(w) != 1 || len(faults) != 1 {
		t.Errorf("without batches: warnings %v, faults %v", w, faults)
	}
}

// blocksAt returns where the batches of the footer's file are listed in its bytes.
func blocksAt(t *testing.T, whole []byte) int {
	t.Helper()
	f, err := open(whole, "x.arrow", arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var block [16]byte
	b := f.(*file).Batches[0]
	binary.LittleEndian.PutUint64(block[:], uint64(b.Off))
	binary.LittleEndian.PutUint32(block[8:], uint32(b.Meta))
	at := bytes.LastIndex(whole, block[:12])
	if at < 0 {
		t.Fatal("no blocks")
	}
	return at
}

// Messages that the footer does not name, or names twice, and bytes of other files are told on reading and are faults.
func TestLayoutFaults(t *testing.T) {
	file, stream := fixture(t, "batches.arrow"), fixture(t, "batches.arrows")
	blocks := blocksAt(t, file)
	lists := func(change func(b []byte)) []byte {
		b := bytes.Clone(file)
		change(b)
		return b
	}
	for _, c := range []struct {
		what, name, op string
		b              []byte
	}{
		{"a footer with no batch", "x.arrow", "layout", lists(func(b []byte) { binary.LittleEndian.PutUint32(b[blocks-4:], 0) })},
		{"a footer without the last batch", "x.arrow", "layout", lists(func(b []byte) { b[blocks-4]-- })},
		{"a footer without the first batch", "x.arrow", "layout", lists(func(b []byte) { copy(b[blocks:blocks+24], b[blocks+24:]) })},
		{"two files joined", "x.arrow", "layout", append(bytes.Clone(file), file...)},
		{"two streams joined", "x.arrows", "end mark", append(bytes.Clone(stream), stream...)},
		{"bytes behind a stream", "x.arrows", "end mark", append(bytes.Clone(stream), 1, 2, 3)},
		{"bytes behind a stream of old framing", "x.arrows", "end mark", append(fixture(t, "old.arrows"), 1, 2, 3)},
	} {
		w, faults := told(t, c.b, c.name)
		if len(w) == 0 || w[0].Kind != arrowio.WarnDoubt || !strings.Contains(w[0].Text, "rows may be") {
			t.Errorf("%s: warnings %v", c.what, w)
		}
		var e *errs.Error
		if len(faults) == 0 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Op != c.op || e.Off <= 0 {
			t.Errorf("%s: faults %v", c.what, faults)
		}
	}
}

// A batch whose own number of rows is not that of its columns is an error, also where nothing but rows are counted.
func TestRowsOfBatch(t *testing.T) {
	for _, name := range []string{"batches.arrow", "batches.arrows"} {
		whole := fixture(t, name)
		f := mustOpen(t, "batches.arrow").(*file)
		rows := f.first[2] - f.first[1]
		var node [16]byte
		binary.LittleEndian.PutUint64(node[:], uint64(rows))
		changed := 0
		for at := 8; at+8 <= len(whole); at += 8 {
			// The metadata hold the number of rows of the batch, and of each field node.
			if int64(binary.LittleEndian.Uint64(whole[at:])) != rows {
				continue
			}
			b := bytes.Clone(whole)
			binary.LittleEndian.PutUint64(b[at:], 0)
			f, err := open(b, name, arrowio.OpenOptions{})
			if err == nil {
				var recs int64
				recs, err = countRows(t, f)
				if err == nil && recs != fixtureRows(t, name) {
					t.Errorf("%s: 0 at %d: %d rows without an error", name, at, recs)
				}
			}
			if err != nil {
				changed++
				if !errors.Is(err, errs.ErrCorrupt) {
					t.Errorf("%s: 0 at %d: %v", name, at, err)
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s: no number of rows was found", name)
		}
	}
}

// countRows counts rows without any column.
func countRows(t *testing.T, f arrowio.File) (n int64, err error) {
	s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Parallelism: 1, Columns: []string{}})
	if err != nil {
		return 0, err
	}
	defer s.Release()
	for s.Next() {
		n += s.Record().NumRows()
	}
	return n, s.Err()
}

func fixtureRows(t *testing.T, name string) int64 {
	n, err := countRows(t, mustOpen(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
