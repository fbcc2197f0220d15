package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of ORC files that were joined end to end a salvage has the rows of all, or says how many it does not have.
func TestSalvageJoined(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	name, other := "../../testdata/orc/java-2.3.1/many-stripes.orc", filepath.Join(dir, "other.orc")
	ok(t, "convert", "--where", "a__mono is not null", "--compression", "none", name, other) // the same columns, laid out otherwise
	a, b, odd := read(name), read(other), read("../../testdata/orc/java-2.3.1/small-zlib.orc")
	rowsA, rowsB := ok(t, "cat", "--format", "jsonl", name), ok(t, "cat", "--format", "jsonl", other)
	if n := strings.Count(rowsA, "\n"); n != 1000 {
		t.Fatalf("%d rows in %s", n, name)
	}
	nB, nOdd := strings.Count(rowsB, "\n"), strings.TrimSpace(ok(t, "count", "../../testdata/orc/java-2.3.1/small-zlib.orc"))
	junk := []byte(strings.Repeat("other bytes ", 50))
	hurt := bytes.Clone(a)
	copy(hurt[len(hurt)/2:], make([]byte, 60))
	in := filepath.Join(dir, "in.orc")
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for what, c := range map[string]struct {
		b    []byte
		code int
		want string // the rows; "" = not asked
		told string
	}{
		"two":                    {join(a, b), exitOK, rowsA + rowsB, "2 ORC files lie one behind another: the rows of all are read"},
		"the same twice":         {join(a, a), exitOK, rowsA + rowsA, "2 ORC files"},
		"three":                  {join(b, a, b), exitOK, rowsB + rowsA + rowsB, "3 ORC files"},
		"other bytes between":    {join(a, junk, b), exitOK, rowsA + rowsB, "2 ORC files"},
		"other bytes in front":   {join(junk, a, b), exitOK, rowsA + rowsB, "2 ORC files"},
		"other bytes behind":     {join(a, b, junk), exitOK, rowsA + rowsB, "600 other bytes follow"},
		"other columns":          {join(odd, b), exitLost, rowsB, "lost: the " + nOdd + " rows of another ORC file, bytes 0 to " + fmt.Sprint(len(odd)) + ", whose columns are not those"},
		"no tail in front":       {join(a[:4000], b), exitLost, rowsB, "lost: 450 rows in 18 stripes that no footer lists, bytes 0 to 4000: copy these bytes to a file of their own, and read it with --from orc, --salvage and --schema"},
		"no tail behind":         {join(b, a[:4000]), exitLost, rowsB, fmt.Sprintf("lost: 450 rows in 18 stripes that no footer lists, bytes %d to %d: copy", len(b), len(b)+4000)},
		"damaged in the second":  {join(b, hurt), exitLost, "", fmt.Sprintf("lost: rows %d to ", nB+550)},
		"named in the second":    {join(b, hurt), exitLost, "", fmt.Sprintf("of the file at byte %d)", len(b))},
		"damaged in the first":   {join(hurt, b), exitLost, "", "lost: rows 550 to "},
		"one file, as it is":     {a, exitOK, rowsA, ""},
		"other bytes everywhere": {join(junk, a, junk, b, junk), exitOK, rowsA + rowsB, "2 ORC files"},
	} {
		for _, mode := range []string{"rows", "columns"} {
			if err := os.WriteFile(in, c.b, 0o666); err != nil {
				t.Fatal(err)
			}
			o := do(t, "cat", "--from", "orc", "--format", "jsonl", "--salvage", mode, in)
			if o.code != c.code || c.want != "" && o.out != c.want || !strings.Contains(o.err, c.told) {
				t.Errorf("%s, %s: exit %d, %d rows; want exit %d, %d: %s", what, mode, o.code, strings.Count(o.out, "\n"), c.code, strings.Count(c.want, "\n"), o.err)
			}
		}
	}
	if err := os.WriteFile(in, join(a, b), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.orc")
	if o := do(t, "repair", in, out); o.code != exitOK {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	if ok(t, "cat", "--format", "jsonl", out) != rowsA+rowsB {
		t.Error("a repair has other rows")
	}
	some := do(t, "cat", "--salvage", "rows", "--format", "jsonl", "--where", "a__mono > 1500", in)
	if some.out != ok(t, "cat", "--format", "jsonl", "--where", "a__mono > 1500", out) || some.out == "" {
		t.Error("a filter finds other rows")
	}
}

// Null keys of maps are sound in ORC, and not damage: a salvage refuses them as other reads do, and names the same option.
func TestSalvageNullKeys(t *testing.T) {
	name := "../../testdata/orc/java-2.3.1/map-null-keys.orc"
	plain := do(t, "cat", "--format", "jsonl", name)
	for _, mode := range []string{"rows", "columns"} {
		o := do(t, "cat", "--format", "jsonl", "--salvage", mode, name)
		if o.code != plain.code || o.code == exitOK || o.err != plain.err || !strings.Contains(o.err, "--orc-null-keys=list") {
			t.Errorf("%s: exit %d, want %d: %s", mode, o.code, plain.code, o.err)
		}
		if n := strings.Count(ok(t, "cat", "--format", "jsonl", "--salvage", mode, "--orc-null-keys", "list", name), "\n"); n != 100 {
			t.Errorf("%s: %d rows with the option", mode, n)
		}
	}
}
