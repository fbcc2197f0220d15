package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageReplacesPages has pages replace pages, and neither data nor directories.
func TestPageReplacesPages(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("../../testdata/orc/java-2.3.1/pruning.orc")
	if err != nil {
		t.Fatal(err)
	}
	in, link, empty := filepath.Join(dir, "in.orc"), filepath.Join(dir, "link"), filepath.Join(dir, "empty")
	if err := os.WriteFile(in, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("in.orc", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"inspect", "profile"} {
		if o := do(t, command, "--html", "--", in); o.code != exitUsage || !strings.Contains(o.err, "FILE is missing") {
			t.Errorf("%s without FILE: exit %d, %s", command, o.code, o.err)
		}
		for out, want := range map[string]string{in: "it is an INPUT", link: "is no page of HTML", empty: "it is a directory"} {
			if o := do(t, command, "--html", out, "--force", in); o.code != exitUsage || !strings.Contains(o.err, want) {
				t.Errorf("%s into %s: exit %d, %s", command, out, o.code, o.err)
			}
		}
		if o := do(t, command, "--html", in, "--force", dir); o.code != exitUsage || !strings.Contains(o.err, "is no page of HTML") {
			t.Errorf("%s into a file of a directory: exit %d, %s", command, o.code, o.err)
		}
		if got, err := os.ReadFile(in); err != nil || string(got) != string(data) {
			t.Fatalf("%s has changed its input: %v", command, err)
		}
		page := filepath.Join(dir, "page.htm")
		for _, args := range [][]string{{}, {"--force"}} {
			if o := do(t, append([]string{command, "--html", page, in}, args...)...); o.code != exitOK {
				t.Errorf("%s %q: exit %d, %s", command, args, o.code, o.err)
			}
		}
		if err := os.Remove(page); err != nil {
			t.Fatal(err)
		}
	}
}
