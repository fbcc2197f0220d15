package rocks

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// database unpacks the database of a real server, which has a table and a log that it was writing when it was killed.
func database(t testing.TB) string {
	t.Helper()
	return filepath.Join(fixtures.Unpack(t, "../../../testdata/kudu/kudu-1.18.1/logr.tar.gz"), "data", "data", "rdb")
}

// read returns the newest value of each key.
func read(t testing.TB, dir string) (map[string]string, *Damage, error) {
	t.Helper()
	live, seqs := map[string]string{}, map[string]uint64{}
	d, err := Read(context.Background(), dir, errs.Limits{}, func(e Entry) error {
		k := string(e.Key)
		if seq, ok := seqs[k]; ok && seq > e.Seq {
			return nil
		}
		seqs[k] = e.Seq
		if delete(live, k); !e.Deleted {
			live[k] = string(e.Value)
		}
		return nil
	})
	return live, d, err
}

// edit changes a file whose name ends so.
func edit(t testing.TB, dir, suffix string, change func(b []byte) []byte) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, suffix))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile(names[0])
	if err == nil {
		err = os.WriteFile(names[0], change(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(names[0])
}

func TestRead(t *testing.T) {
	dir := database(t)
	want, d, err := read(t, dir)
	if err != nil || len(d.Lost) > 0 || d.Torn != "" || len(want) < 8 {
		t.Fatalf("%d keys, %+v, %v", len(want), d, err)
	}
	for k := range want {
		if name, block, ok := strings.Cut(k, "."); !ok || len(name) != 32 || len(block) != 16 {
			t.Errorf("key %q", k)
		}
	}
	same := func(name string) {
		t.Helper()
		if got, d, err := read(t, dir); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %d keys, want %d: %+v, %v", name, len(got), len(want), d, err)
		}
	}
	// A log that is in tables already is not read again: it has records of blocks that were deleted later.
	if err := os.WriteFile(filepath.Join(dir, "000001.log"), []byte("not a log at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	same("old log")
	if err := os.Remove(filepath.Join(dir, "000001.log")); err != nil {
		t.Fatal(err)
	}
	// Space that was set aside behind the log.
	edit(t, dir, "*.log", func(b []byte) []byte { return append(b, make([]byte, 100)...) })
	same("zeros")
	// Without a manifest all files are read.
	edit(t, dir, "CURRENT", func([]byte) []byte { return []byte("MANIFEST-none\n") })
	same("no manifest")
	if _, d, _ := read(t, dir); len(d.Lost) > 0 || d.Guessed == nil || !strings.Contains(d.Guessed.Error(), "MANIFEST-none") {
		t.Errorf("%+v", d)
	}
}

// Where the manifest, or CURRENT, which names it, is damaged in any way, all files are read, and all entries are there.
func TestManifestDamaged(t *testing.T) {
	clean := database(t)
	want, _, err := read(t, clean)
	if err != nil {
		t.Fatal(err)
	}
	zeros := func(b []byte) []byte { return make([]byte, len(b)) }
	none := func([]byte) []byte { return nil }
	half := func(b []byte) []byte { return b[:len(b)/2] }
	for _, x := range []struct {
		name, file string
		change     func(b []byte) []byte
	}{
		{"manifest of zeros", "MANIFEST-*", zeros},
		{"empty manifest", "MANIFEST-*", none},
		{"half a manifest", "MANIFEST-*", half},
		{"zeros from the middle on", "MANIFEST-*", func(b []byte) []byte { return append(half(b), make([]byte, len(b)/2)...) }},
		{"a bit of the manifest", "MANIFEST-*", func(b []byte) []byte { b[len(b)/3] ^= 1; return b }},
		{"CURRENT of zeros", "CURRENT", zeros},
		{"empty CURRENT", "CURRENT", none},
		{"CURRENT that names no file", "CURRENT", func([]byte) []byte { return []byte("MANIFEST-000099\n") }},
	} {
		dir := filepath.Join(t.TempDir(), "rdb")
		if err := os.CopyFS(dir, os.DirFS(clean)); err != nil {
			t.Fatal(err)
		}
		edit(t, dir, x.file, x.change)
		got, d, err := read(t, dir)
		if err != nil || d.Guessed == nil || !strings.Contains(d.Guessed.Error(), dir) || len(d.Lost) > 0 || !maps.Equal(got, want) {
			t.Errorf("%s: %d keys of %d, %+v, %v", x.name, len(got), len(want), d, err)
		}
	}
}

func TestDamage(t *testing.T) {
	clean := database(t)
	want, _, err := read(t, clean)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, file string
		change     func(b []byte) []byte
		lost, torn bool
	}{
		{"log cut", "*.log", func(b []byte) []byte { return b[:len(b)-5] }, false, true},
		{"log cut in a head", "*.log", func(b []byte) []byte { return append(b, 1, 2, 3) }, false, true},
		{"last record of zeros", "*.log", func(b []byte) []byte { clear(b[len(b)-20:]); return b }, false, true},
		{"record", "*.log", func(b []byte) []byte { b[40] ^= 1; return b }, true, false},
		{"block", "*.sst", func(b []byte) []byte { b[40] ^= 1; return b }, true, false},
		{"magic", "*.sst", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, true, false},
		{"footer", "*.sst", func(b []byte) []byte { b[len(b)-52] ^= 1; return b }, true, false},
		{"table cut", "*.sst", func(b []byte) []byte { return b[:30] }, true, false},
	} {
		dir := filepath.Join(t.TempDir(), "rdb")
		if err := os.CopyFS(dir, os.DirFS(clean)); err != nil {
			t.Fatal(err)
		}
		name := edit(t, dir, x.file, x.change)
		got, d, err := read(t, dir)
		if err != nil || len(d.Lost) > 0 != x.lost || d.Torn != "" != x.torn || len(got) > len(want)+20 {
			t.Errorf("%s: %d keys, %+v, %v", x.name, len(got), d, err)
		}
		if x.lost && !strings.Contains(fmt.Sprint(d.Lost), dir) || x.torn && d.Torn != name {
			t.Errorf("%s: %+v", x.name, d)
		}
	}
}

// What RocksDB can do and Kudu does not ask of it is refused by name.
func TestRefused(t *testing.T) {
	for name, x := range map[string]struct {
		file   string
		change func(b []byte) []byte
		words  string
	}{
		"version":  {"*.sst", func(b []byte) []byte { b[len(b)-12] = 6; return b }, "format version 6"},
		"checksum": {"*.sst", func(b []byte) []byte { b[len(b)-53] = 4; return b }, "checksums of kind 4"},
		"codec":    {"*.sst", recodec, "codec 7"},
		"record":   {"*.log", func(b []byte) []byte { return record(10, []byte("x")) }, "records of type 10"},
		"entry":    {"*.log", func(b []byte) []byte { return record(1, append(make([]byte, 8), 1, 0, 0, 0, 2, 0, 0)) }, "entries of kind 2"},
		"edit":     {"MANIFEST-*", func(b []byte) []byte { return record(1, []byte{77, 0}) }, "field 77"},
	} {
		dir := database(t)
		edit(t, dir, x.file, x.change)
		if _, _, err := read(t, dir); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), x.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// record is a log with one part of a record.
func record(typ byte, b []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, sum([]byte{typ}, b))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(b)))
	return append(append(out, typ), b...)
}

// recodec gives the first block of a table another codec, with the checksum that it then has.
func recodec(b []byte) []byte {
	for n := range len(b) - trailer {
		if sum(b[:n+1]) == binary.LittleEndian.Uint32(b[n+1:]) && n > 0 {
			b[n] = 7
			binary.LittleEndian.PutUint32(b[n+1:], sum(b[:n+1]))
			break
		}
	}
	return b
}

// Records may lie across blocks, in parts.
func TestLogParts(t *testing.T) {
	big := []byte(strings.Repeat("0123456789", 8000))
	var log []byte
	add := func(rec []byte) {
		for first := true; ; first = false {
			room := logBlock - len(log)%logBlock
			if room < logHead {
				log = append(log, make([]byte, room)...)
				continue
			}
			n := min(len(rec), room-logHead)
			last := n == len(rec)
			typ := byte(middlePart)
			switch {
			case first && last:
				typ = wholeRecord
			case first:
				typ = firstPart
			case last:
				typ = lastPart
			}
			log = append(log, record(typ, rec[:n])...)
			if rec = rec[n:]; last {
				return
			}
		}
	}
	want := [][]byte{[]byte("a"), big, []byte("b"), big[:logBlock-3*logHead-20], big}
	for _, rec := range want {
		add(rec)
	}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	r := logReader{src: strings.NewReader(string(log)), limit: 1 << 20}
	for i, w := range want {
		if rec, err := r.next(); err != nil || string(rec) != string(w) {
			t.Fatalf("record %d: %d bytes, want %d, %v", i, len(rec), len(w), err)
		}
	}
	if _, err := r.next(); err == nil || err.Error() != "EOF" {
		t.Errorf("%v", err)
	}
	r = logReader{src: strings.NewReader(string(log)), limit: 1000}
	_, _ = r.next() // the small one
	if _, err := r.next(); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("%v", err)
	}
}

// No bytes of a table, a log or a manifest make reading fail in another way than by an error.
func FuzzFiles(f *testing.F) {
	clean := database(f)
	for _, pattern := range []string{"*.sst", "*.log", "MANIFEST-*"} {
		names, err := filepath.Glob(filepath.Join(clean, pattern))
		if err != nil || len(names) != 1 {
			f.Fatal(names, err)
		}
		f.Add(fixtures.Read(f, names[0]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		take := func(e Entry) error {
			if len(e.Key)+len(e.Value) > 64<<20 {
				t.Errorf("a key of %d bytes", len(e.Key))
			}
			return nil
		}
		check := func(err error) {
			var e *errs.Error
			if err != nil && err != io.EOF && !errors.Is(err, errTorn) && !errors.As(err, &e) {
				t.Errorf("%v", err)
			}
		}
		tab := table{src: bytes.NewReader(b), limit: 1 << 20}
		check(tab.read(take, check))
		tab = table{src: bytes.NewReader(b), limit: 1 << 20, deltas: true}
		_, err := tab.index(b)
		check(err)
		check(batch(b, take))
		check((&version{tables: map[uint64]bool{}}).edit(b))
		r := logReader{src: bytes.NewReader(b), limit: 1 << 20}
		for err = nil; err == nil; {
			var rec []byte
			if rec, err = r.next(); err == nil {
				check(batch(rec, take))
				check((&version{tables: map[uint64]bool{}}).edit(rec))
			}
		}
		check(err)
	})
}
