package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestConvertToSets writes a table's rowsets and lone columns, named by OUTPUT's ending with a slash or without, and reads
// them back.
func TestConvertToSets(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 3000)
	flat, orc := filepath.Join(dir, "flat.arrow"), filepath.Join(dir, "in.orc")
	ok(t, "convert", "--columns", "id,name", in, flat)
	ok(t, "convert", flat, orc)
	_, want := readIPC(t, flat)
	for _, c := range []struct {
		out   string
		args  []string
		files []string
	}{
		{"out.kudu/", []string{"--kudu-key", "id"}, []string{"rowset-00000", "schema.json"}},
		{"out2.kudu", []string{"--kudu-key", "id", "--compression", "lz4", "--kudu-encoding", "id=rle,name=prefix"}, []string{"rowset-00000", "schema.json"}},
		{"out3", []string{"--to", "kudu", "--kudu-key", "id", "--max-file-bytes", "10KB", "--kudu-block-size", "4096"}, nil},
		{"out.cfile/", nil, []string{"id.cfile", "name.cfile", "schema.json"}},
		{"out2.cfile", []string{"--cfile-block-size", "name=512", "--max-file-bytes", "1"}, nil},
	} {
		out := filepath.Join(dir, c.out)
		if strings.HasSuffix(c.out, "/") {
			out += "/"
		}
		args := slices.Concat([]string{"convert"}, c.args, []string{orc, out})
		ok(t, args...)
		if c.files != nil {
			only(t, out, c.files...)
		} else if got := names(t, out); len(got) < 3 || !slices.Contains(got, "rowset-00001") {
			t.Errorf("%s holds %v", c.out, got)
		}
		back := filepath.Join(dir, "back.arrow")
		ok(t, "convert", "--force", out, back)
		if _, got := readIPC(t, back); got != want {
			t.Errorf("%s: other rows", c.out)
		}
		ok(t, "verify", out)
		ok(t, append(args, "--force")...) // what is there is known as ours
	}
	bad := filepath.Join(dir, "bad.kudu")
	fails(t, do(t, "convert", orc, bad), 2, "kudu-key")
	fails(t, do(t, "convert", "--kudu-key", "name", orc, bad), 1, "bad.kudu", "row ", "a null")
	fails(t, do(t, "convert", "--kudu-key", "id", orc, orc, bad), 1, "bad.kudu", "row 3000", "--sort")
	fails(t, do(t, "convert", "--kudu-key", "id", in, bad), 1, "bad.kudu", "at (struct")
	fails(t, do(t, "convert", "--kudu-key", "id", "--to", "kudu", orc, "-"), 2, "standard output")
	if got := strings.Join(names(t, dir), " "); strings.Contains(got, "bad") {
		t.Errorf("left: %s", got)
	}
}
