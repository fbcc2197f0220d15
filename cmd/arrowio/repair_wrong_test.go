package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a repair makes of files whose rows are sound, and what describes them is not: positions of the row index that lead elsewhere cost
// nothing, since rows are also reached from the start of the stripe; rows that statistics or bloom filters contradict count as damaged, and
// a conversion without --salvage has them.
func TestRepairOfWrongIndexes(t *testing.T) {
	for what, c := range map[string]struct {
		name     string
		old, new string // bytes; "" = the file as it is
		lost     string // "" = nothing
		converts string // the error of a conversion without --salvage; "" = it has all rows
	}{
		"position of a value":   {"strides-none", "\x0a\x06\x67\x14\x00\xd7\x06\x2b", "\x0a\x06\x67\x14\x00\xd7\x06\x20", "", ""},
		"position of a byte":    {"strides-none", "\x0a\x06\x67\x14\x00\xd7\x06\x2b", "\x0a\x06\x67\x14\x00\xd6\x06\x2b", "", ""},
		"position of nulls":     {"strides-none", "\x0a\x06\x67\x14\x00\xd7\x06\x2b", "\x0a\x06\x60\x14\x00\xd7\x06\x2b", "", ""},
		"statistics: sum":       {"strides-none", "\x10\x1e\x18\xa6\x04\x50\x01", "\x10\x1e\x18\xa8\x04\x50\x01", "lost: rows 1000 to 2000 (stripe 0): left out because of column a__signs__r10", ""},
		"statistics: greatest":  {"strides-none", "\x10\x1e\x18\xa6\x04\x50\x01", "\x10\x1c\x18\xa6\x04\x50\x01", "lost: rows 1000 to 2000 (stripe 0): left out because of column a__signs__r10", ""},
		"bloom filter":          {"bloom-utf8", "", "", "", ""},
		"days of old calendars": {"calendar-hybrid", "", "", "", ""},
	} {
		name := "../../testdata/orc/java-2.3.1/" + c.name + ".orc"
		want := shownRows(t, name)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte(c.old)); c.old != "" && n != 1 {
			t.Fatalf("%s: found %d times", what, n)
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.orc"), filepath.Join(dir, "out.orc")
		if err := os.WriteFile(in, bytes.Replace(b, []byte(c.old), []byte(c.new), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		o := do(t, "repair", in, out)
		got := shownRows(t, out)
		ok(t, "verify", out)
		if c.lost == "" {
			if o.code != exitOK || got != want {
				t.Errorf("%s: exit %d, %d rows: %s", what, o.code, strings.Count(got, "\n"), o.err)
			}
			continue
		}
		lines := strings.SplitAfter(want, "\n")
		if o.code != exitLost || !strings.Contains(o.err, c.lost) || got != strings.Join(append(lines[:1000:1000], lines[2000:]...), "") {
			t.Errorf("%s: exit %d, %d rows: %s", what, o.code, strings.Count(got, "\n"), o.err)
		}
		if o := do(t, "convert", "--force", in, out); o.code != exitOK || shownRows(t, out) != want {
			t.Errorf("%s: a conversion: exit %d: %s", what, o.code, o.err)
		}
	}
}

// shownRows returns the rows of a file, of which warnings may say something.
func shownRows(t *testing.T, name string) string {
	t.Helper()
	o := do(t, "cat", "--format", "jsonl", name)
	if o.code != exitOK {
		t.Fatalf("%s: exit %d: %s", name, o.code, o.err)
	}
	return o.out
}

// A bloom filter without bits says that no value was written: the values that are there are damaged to a repair, and sound to a conversion.
func TestRepairOfWrongBloomFilter(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.orc"), filepath.Join(dir, "out.orc")
	ok(t, "convert", "--compression", "none", "--orc-bloom", "b__dict__r10", "../../testdata/orc/java-2.3.1/bloom-utf8.orc", in)
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	want := shownRows(t, in)
	bits := bytes.Index(b, []byte("\x08\x07\x1a\xd0\x5d")) // 7 hash functions, and a bit set of 11984 bytes
	if bits < 0 {
		t.Fatal("the bloom filter is not where it was")
	}
	clear(b[bits+5 : bits+5+11984])
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	o := do(t, "repair", "--salvage", "columns", in, out)
	if o.code != exitLost || !strings.Contains(o.err, "null in column b__dict__r10") || !strings.Contains(o.err, "bloom filter") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	if o := do(t, "convert", "--force", in, out); o.code != exitOK || shownRows(t, out) != want {
		t.Errorf("a conversion: exit %d: %s", o.code, o.err)
	}
}
