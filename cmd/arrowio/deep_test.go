package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Columns that are nested 100 deep are converted from every format that nests to every other; a format that does not names the column.
func TestConvertDeep(t *testing.T) {
	const depth = 100
	dir := t.TempDir()
	row := `{"l":` + strings.Repeat("[", depth-1) + "7" + strings.Repeat("]", depth-1) + `,"s":` + strings.Repeat(`{"a":`, depth-1) + "8" + strings.Repeat("}", depth-1) + "}\n"
	rows := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(rows, []byte(row+`{"l":null,"s":null}`+"\n"+row), 0o666); err != nil {
		t.Fatal(err)
	}
	want := shownRows(t, rows)
	for _, from := range []string{"orc", "trv", "arrow", "parquet", "avro"} {
		in := filepath.Join(dir, "in."+from)
		ok(t, "convert", rows, in)
		for _, to := range []string{"orc", "trv", "arrow", "parquet", "avro", "jsonl"} {
			out := filepath.Join(dir, "from-"+from+"."+to)
			if o := do(t, "convert", in, out); o.code != exitOK || shownRows(t, out) != want {
				t.Errorf("%s to %s: exit %d: %.300s", from, to, o.code, o.err)
			}
		}
		if o := do(t, "convert", in, filepath.Join(dir, from+".cfile")); o.code != exitData || !strings.Contains(o.err, "cfile has no place for l (list") {
			t.Errorf("%s to cfile: exit %d: %.300s", from, o.code, o.err)
		}
	}
}
