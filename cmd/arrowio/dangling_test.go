package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A link that leads to nothing is said to be one. What looks at a directory passes over it; what reads all rows does not, as they may be missing.
func TestDanglingLinks(t *testing.T) {
	dir := t.TempDir()
	ok(t, "convert", "--rows", "0:3", "../../testdata/orc/java-2.3.1/pruning.orc", filepath.Join(dir, "a.orc"))
	link := filepath.Join(dir, "b.orc")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	const said = "it is a symbolic link to nowhere, which is not there"
	for _, c := range []struct {
		args   string
		passes bool
	}{{"inspect", true}, {"profile", true}, {"profile --no-scan", true}, {"cat", false}, {"count", false}, {"convert --to jsonl", false}} {
		args := strings.Fields(c.args)
		for _, in := range []string{dir, filepath.Join(dir, "*.orc"), link} {
			all := append(append([]string{}, args...), in)
			if args[0] == "convert" {
				all = append(all, "-")
			}
			o := do(t, all...)
			if passes := c.passes && in != link; (o.code == 0) != passes || !strings.Contains(o.err, said) || passes && !strings.Contains(o.err, "warning: left out: "+said) {
				t.Errorf("%q: %+v", all, o)
			}
		}
	}
}
