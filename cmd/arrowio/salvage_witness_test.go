package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A NaN among damaged floats hides nothing: the sum of the row group, which is none, tells that it was not written.
func TestSalvageDamagedToNaN(t *testing.T) {
	const name = "../../testdata/orc/java-2.3.1/strides-none.orc" // row groups of 1000 rows
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	floats := func(vs ...float32) (out []byte) {
		for _, v := range vs {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		return out
	}
	written := floats(-290, 752, 83, 302) // i__finite of the rows 1500 to 1504
	if n := bytes.Count(b, written); n != 1 {
		t.Fatalf("found %d times", n)
	}
	in := filepath.Join(t.TempDir(), "in.orc")
	if err := os.WriteFile(in, bytes.Replace(b, written, floats(-290, float32(math.NaN()), 1e30, 302), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	const lost = "lost: rows 1000 to 2000 (stripe 0): left out because of column i__finite: the values do not fit their statistics: sum "
	whole := strings.SplitAfter(ok(t, "cat", "--format", "jsonl", name), "\n")
	o := do(t, "cat", "--format", "jsonl", "--salvage", "rows", in)
	if want := strings.Join(whole[:1000], "") + strings.Join(whole[2000:], ""); o.code != exitLost || o.out != want || !strings.Contains(o.err, lost) {
		t.Errorf("exit %d, %d rows: %s", o.code, strings.Count(o.out, "\n"), o.err)
	}
	if o := do(t, "verify", in); o.code != exitData || !strings.Contains(o.out, "column i__finite: statistics of row group 1") || !strings.Contains(o.out, "and a value is NaN") {
		t.Errorf("verify: exit %d: %s", o.code, o.out)
	}
}

// Where blocks of Trevni have no checksum, the least and the greatest value that are kept for filters are a witness.
func TestSalvageTrevniStatistics(t *testing.T) {
	dir := t.TempDir()
	in, csv := filepath.Join(dir, "in.trv"), filepath.Join(dir, "in.csv")
	var text strings.Builder
	text.WriteString("id\n")
	for i := range 30_000 {
		text.WriteString(strings.Repeat("1", 1+i%9) + "\n")
	}
	if err := os.WriteFile(csv, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", "--compression", "null", "--trevni-checksum", "null", "--trevni-integers", "fixed", "--trevni-not-null", "*", csv, in)
	whole := strings.SplitAfter(ok(t, "cat", "--format", "jsonl", in), "\n")
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	// blocks of 64 KiB: 8192 rows of 8 bytes. The last block is damaged.
	written := binary.LittleEndian.AppendUint64(nil, 111_111_111)
	copy(b[bytes.LastIndex(b, written):], binary.LittleEndian.AppendUint64(nil, 111_111_111_111))
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	o := do(t, "cat", "--format", "jsonl", "--salvage", "rows", in)
	const lost = "lost: rows 24576 to 30000 (block 3 of stored column id): left out: block of rows 24576 to 30000 at 196875: " +
		"the value 111111111111 is not within the bounds that the statistics give its block\n"
	if want := strings.Join(whole[:24_576], ""); o.code != exitLost || o.out != want || !strings.HasSuffix(o.err, lost) {
		t.Errorf("exit %d, %d rows: %s", o.code, strings.Count(o.out, "\n"), o.err)
	}
}

// A text that is not UTF-8 is found when the rows are read, after the streams were looked at. The loss says where its column lies.
func TestSalvageText(t *testing.T) {
	for _, c := range []struct {
		name, column string
		off          int
		bit          byte
		stream       int64 // that is damaged
		rows, left   int64
	}{
		{"orc/foreign/stripe-of-no-rows.orc", "b__dict__r10", 44, 7, 28, 20, 10},
		{"orc/java-2.3.1/encrypted-1-none.orc", "name__dict__r10", 1166, 7, 646, 40, 60},
	} {
		o := do(t, "count", "--json", "--salvage", "rows", damaged(t, c.name, c.off, c.bit))
		var doc struct {
			Rows     int64
			Warnings []struct {
				Kind, Message string
				Bytes         struct{ Start, End int64 } `json:"byte_range"`
			}
		}
		if err := json.Unmarshal([]byte(o.out), &doc); err != nil || o.code != exitLost {
			t.Errorf("%s: exit %d, %v: %s", c.name, o.code, err, o.err)
			continue
		}
		want := fmt.Sprintf("lost: rows 0 to %d (stripe 0): left out because of column %s: DATA stream at %d: a string is not UTF-8", c.rows, c.column, c.stream)
		w := doc.Warnings
		if doc.Rows != c.left || len(w) != 1 || !strings.Contains(w[0].Message, want) || w[0].Bytes.Start > c.stream || int64(c.off) >= w[0].Bytes.End {
			t.Errorf("%s: %+v", c.name, doc)
		}
	}
}

// A sound file whose statistics have values once that fill a vector, as Java's writer has them, loses nothing.
func TestSalvageRepeats(t *testing.T) {
	const name = "../../testdata/orc/java-2.3.1/repeats.orc"
	whole := ok(t, "cat", "--format", "jsonl", name)
	if n := strings.Count(whole, "\n"); n != 1060 {
		t.Errorf("%d rows", n)
	}
	for _, mode := range []string{"rows", "columns"} {
		if o := do(t, "cat", "--format", "jsonl", "--salvage", mode, name); o.code != 0 || o.err != "" || o.out != whole {
			t.Errorf("%s: exit %d, %d of %d bytes: %s", mode, o.code, len(o.out), len(whole), o.err)
		}
	}
	if o := do(t, "verify", name); o.code != 0 || !strings.Contains(o.out, ": ok (") {
		t.Errorf("exit %d: %s", o.code, o.out)
	}
	out := filepath.Join(t.TempDir(), "out.orc")
	if o := do(t, "repair", name, out); o.code != 0 || o.err != "" {
		t.Errorf("repair: exit %d: %s", o.code, o.err)
	}
	if got := ok(t, "cat", "--format", "jsonl", out); got != whole {
		t.Errorf("repaired: %d of %d bytes", len(got), len(whole))
	}
}
