package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of Trevni files that were joined end to end, lie behind other bytes, or were cut off, a salvage has the rows that are intact, or says
// which it does not have and where they are.
func TestSalvageTrevniPieces(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) []byte {
		b, err := os.ReadFile("../../testdata/trevni/java-1.12.1/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	// one column of 30,000 numbers, deflate, in three blocks with checksums: 10,923, 10,923, 8154 rows, at 141, 24357, 48572
	a, odd := read("blocks-long.trv"), read("avro-primitives.trv")
	rows := ok(t, "cat", "--format", "jsonl", "../../testdata/trevni/java-1.12.1/blocks-long.trv")
	lines := strings.SplitAfter(rows, "\n")
	two, last := strings.Join(lines[:21846], ""), strings.Join(lines[21846:], "")
	nOdd := strings.TrimSpace(ok(t, "count", "../../testdata/trevni/java-1.12.1/avro-primitives.trv"))
	hurt := bytes.Clone(a)
	copy(hurt[30000:], "damaged")
	noHeader := bytes.Clone(a)
	copy(noHeader[4:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	junk := []byte(strings.Repeat("other bytes ", 50))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	in := filepath.Join(dir, "in.trv")
	for what, c := range map[string]struct {
		b          []byte
		code       int
		want       string
		told       string
		start, end int // byte_range of the first loss
	}{
		"as it is":            {a, exitOK, rows, "", 0, 0},
		"two":                 {join(a, a), exitOK, rows + rows, "2 Trevni files lie one behind another: the rows of all are read", 0, 0},
		"three":               {join(a, junk, a, a), exitOK, rows + rows + rows, "3 Trevni files", 0, 0},
		"bytes in front":      {join(junk, a), exitOK, rows, "the file begins at byte 600", 0, 0},
		"bytes behind":        {join(a, junk), exitOK, rows, "", 0, 0},
		"other columns":       {join(a, odd), exitLost, rows, "lost: the " + nOdd + " rows of another Trevni file, bytes 66672 to " + fmt.Sprint(66672+len(odd)), 66672, 66672 + len(odd)},
		"other columns, then": {join(a, odd, a), exitLost, rows + rows, "whose columns are not those", 66672, 66672 + len(odd)},
		"no header":           {join(noHeader, a), exitLost, rows, "whose header cannot be read", 0, 66672},
		"no header behind":    {join(a, noHeader), exitLost, rows, "whose header cannot be read", 66672, 2 * 66672},
		"damaged in second":   {join(a, hurt), exitLost, rows + strings.Join(lines[:10923], "") + last, "rows 40923 to 51846 (block 1 of stored column id of the file at byte 66672)", 66672 + 24357, 66672 + 48572},
		"cut":                 {a[:66000], exitLost, two, "rows 21846 to 30000 (block 2 of stored column id): left out", 48572, 66000},
		"cut, and another":    {join(a[:66000], a), exitLost, two + rows, "rows 21846 to 30000 (block 2", 48572, 66672},
		"cut in the first":    {a[:1000], exitLost, "", "rows 0 to 10923 (block 0", 141, 1000},
		"cut in descriptors":  {a[:130], exitLost, "", "rows 0 to 30000 (stored column id)", 101, 130},
	} {
		for _, mode := range []string{"rows", "columns"} {
			if err := os.WriteFile(in, c.b, 0o666); err != nil {
				t.Fatal(err)
			}
			o := do(t, "cat", "--from", "trevni", "--format", "jsonl", "--salvage", mode, in)
			if o.code != c.code || o.out != c.want || !strings.Contains(o.err, c.told) {
				t.Errorf("%s, %s: exit %d, %d rows; want exit %d, %d: %s", what, mode, o.code, strings.Count(o.out, "\n"), c.code, strings.Count(c.want, "\n"), o.err)
			}
		}
		var doc struct {
			Warnings []struct {
				Kind  string
				Bytes struct{ Start, End int } `json:"byte_range"`
			}
		}
		if err := json.Unmarshal([]byte(do(t, "count", "--json", "--from", "trevni", "--salvage", "rows", in).out), &doc); err != nil {
			t.Fatal(err)
		}
		for _, w := range doc.Warnings {
			if w.Kind == "lost" {
				if w.Bytes.Start != c.start || w.Bytes.End != c.end {
					t.Errorf("%s: the loss is at %v, want %d to %d", what, w.Bytes, c.start, c.end)
				}
				break
			}
		}
	}
	if err := os.WriteFile(in, join(junk, a), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "count", "--from", "trevni", in); !strings.Contains(o.err, "the file begins at byte 600, and other bytes are in front of it; --salvage=rows reads it") {
		t.Errorf("bytes in front: %s", o.err)
	}
	out := filepath.Join(dir, "out.trv")
	if err := os.WriteFile(in, join(a, a), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "repair", in, out); o.code != exitOK || ok(t, "cat", "--format", "jsonl", out) != rows+rows {
		t.Errorf("a repair: exit %d, or other rows: %s", o.code, o.err)
	}
}

// A damaged avro.schema is told as lost, and is not in what a repair writes.
func TestRepairDamagedAvroSchema(t *testing.T) {
	b, err := os.ReadFile("../../testdata/trevni/java-1.12.1/avro-primitives.trv")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`{"type":"record"`))
	if at < 0 {
		t.Fatal("no avro.schema")
	}
	clear(b[at : at+16])
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.trv"), filepath.Join(dir, "out.trv")
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--trevni-view", "columns"}, {"--salvage", "columns"}} {
		o := do(t, append(append([]string{"repair", "--force"}, flags...), in, out)...)
		if o.code != exitLost || !strings.Contains(o.err, "lost: the metadata avro.schema") {
			t.Errorf("%v: exit %d: %s", flags, o.code, o.err)
		}
		if o := do(t, "verify", out); o.code != exitOK {
			t.Errorf("%v: the output: exit %d: %s", flags, o.code, o.err)
		}
	}
}
