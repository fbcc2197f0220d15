package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
	readkudu "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// stolenSet makes a set of the only rowset of a table, as its server has stored it, and returns its directory and the
// tablets of two tables of the same columns: that one and an empty one.
func stolenSet(t *testing.T, server string) (set, full, empty string) {
	t.Helper()
	d, err := readkudu.OpenDirs(readkudu.DirOptions{Wal: server})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := readkudu.OpenBlocks(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer blocks.Close()
	ids, err := d.Tablets()
	if err != nil {
		t.Fatal(err)
	}
	set = t.TempDir()
	for _, id := range ids {
		s, err := d.SuperBlock(id)
		if err != nil {
			t.Fatal(err)
		}
		switch s.TableName {
		case "empty":
			empty = id
		case "compacted":
			full = id
			from := s.RowSets[0]
			copyBlock := func(block uint64, name string) kuduwire.SetFile {
				src, closer, err := blocks.Open(block)
				if err != nil {
					t.Fatal(err)
				}
				defer closer.Close()
				b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
				if err == nil {
					err = os.WriteFile(filepath.Join(set, name), b, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				return kuduwire.SetFile{Name: name, Bytes: src.Size()}
			}
			x := kuduwire.Set{Table: s.TableName, Schema: *s.Schema, RowSets: []kuduwire.SetRowSet{{Rows: from.LiveRows}}}
			for i, c := range from.Columns {
				x.RowSets[0].Columns = append(x.RowSets[0].Columns, copyBlock(c.Block, s.Schema.Columns[i].Name+".cfile"))
			}
			bloom := copyBlock(from.Bloom, "bloom.cfile")
			x.RowSets[0].Bloom = &bloom
			text, err := x.Text()
			if err == nil {
				err = os.WriteFile(filepath.Join(set, kuduwire.SetFileName), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return set, full, empty
}

// Kudu's own files, put into another tablet of their server.
func TestKuduImport(t *testing.T) {
	for _, manager := range []string{"file", "log"} {
		dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/"+manager+".tar.gz")
		set, full, empty := stolenSet(t, dir)
		where := []string{"--wal-dir", filepath.Join(dir, "wal"), "--data-dir", filepath.Join(dir, "data")}
		args := func(more ...string) []string {
			return append(append([]string{"kudu", "import", set}, where...), more...)
		}

		fails(t, do(t, args("--tablet", full)...), 1, "the tablet already has 50 keys of the set", "the first ")
		out := ok(t, args("--tablet", empty, "--dry-run")...)
		for _, want := range []string{"50 rows", "to import into tablet " + empty + " of table empty (" + manager, "bloom filters", "column amount", "amount.cfile", "goes to", "note: the set is of table compacted", "make a full one"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in %s", want, out)
			}
		}
		if got := ok(t, "cat", "--from", "kudu", "--kudu-table", "empty", "--format", "jsonl", dir); got != "" {
			t.Errorf("a dry run has imported %s", got)
		}
		var r struct {
			Done    bool
			Rows    int64
			Backup  string
			RowSets []struct {
				Blocks []struct{ ID, Path string }
			}
		}
		o := do(t, args("--tablet", empty, "--json", "--progress", "always")...)
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != 0 || !strings.Contains(o.err, "import") || strings.Contains(o.err, "rows") {
			t.Fatalf("%+v, %v", o, err)
		}
		if !r.Done || r.Rows != 50 || r.Backup == "" || len(r.RowSets) != 1 || len(r.RowSets[0].Blocks) != 6 {
			t.Errorf("%+v", r)
		}
		for _, b := range r.RowSets[0].Blocks {
			if _, err := os.Stat(b.Path); err != nil || len(b.ID) < 16 {
				t.Errorf("block %s: %v", b.ID, err)
			}
		}
		if got, want := ok(t, "cat", "--from", "kudu", "--kudu-table", "empty", "--format", "jsonl", dir), ok(t, "cat", "--from", "kudu", "--kudu-table", "compacted", "--format", "jsonl", dir); got != want || got == "" {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if o := do(t, "verify", "--from", "kudu", "--kudu-table", "empty", dir); o.code != 0 || !strings.HasSuffix(o.out, ": ok (1 warning of what may be missing or wrong)\n") {
			t.Error(o)
		}
		fails(t, do(t, args("--tablet", empty)...), 1, "the tablet already has 50 keys of the set")
		o = do(t, append([]string{"__complete"}, args("--tablet", "")...)...)
		if !strings.Contains(o.out, empty+"\tempty\n") {
			t.Errorf("%+v", o)
		}
	}
}

func TestKuduImportArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"kudu"}, 2, "no command given"},
		{[]string{"kudu", "nonesuch"}, 2, "nonesuch"},
		{[]string{"kudu", "imprt", "--wal-dir", "x"}, 2, "did you mean import?"},
		{[]string{"kudu", "import"}, 2, "SETDIR"},
		{[]string{"kudu", "import", "a", "b"}, 2, "one SETDIR"},
		{[]string{"kudu", "import", "a"}, 2, "--wal-dir"},
		{[]string{"kudu", "import", "a", "--wal-dir", "x"}, 2, "--tablet"},
		{[]string{"kudu", "import", "a", "--wal-dir", "nowhere", "--tablet", strings.Repeat("1", 32)}, 3, "nowhere"},
		{[]string{"kudu", "import", "a", "--wal-dir", t.TempDir(), "--tablet", strings.Repeat("1", 32)}, 2, "not the directory of a server"},
		{[]string{"kudu", "import", "a", "--walldir", "x"}, 2, "--wal-dir"},
	} {
		fails(t, do(t, c.args...), c.code, c.says)
	}
	if help := ok(t, "help", "kudu", "import"); !strings.Contains(help, "--dry-run") || help != ok(t, "kudu", "import", "--help") {
		t.Error(help)
	}
}
