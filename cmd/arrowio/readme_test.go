package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of README.md run as they stand there.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "testdata"), "testdata"); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		command, ok := strings.CutPrefix(line, "go run ./cmd/arrowio ")
		if !ok {
			continue
		}
		n++
		var args []string
		for i, part := range strings.Split(strings.TrimSpace(command), `"`) { // every other part is in quotes
			if i%2 == 1 {
				args = append(args, part)
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		if o := do(t, args...); o.code != 0 {
			t.Errorf("%s: exit %d: %s", line, o.code, o.err)
		}
	}
	if n < 2 {
		t.Errorf("%d commands", n)
	}
}
