package icebergtable_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFeatures finds, for each line of the table of features in docs/tables.md, the test that it names.
func TestFeatures(t *testing.T) {
	text, err := os.ReadFile("../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "### Features by format version\n")
	if !ok {
		t.Fatal("docs/tables.md has no features by format version")
	}
	rest, _, _ = strings.Cut(rest, "\n### ")
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	row := regexp.MustCompile("^\\| [^|]+ \\| [1-4] \\| (?:read|refused by name)[^|]* \\| `(Test\\w+)` \\|$")
	tests := 0
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| feature") || strings.HasPrefix(line, "|---") {
			continue
		}
		m := row.FindStringSubmatch(line)
		if m == nil || !strings.Contains(all.String(), "\nfunc "+m[1]+"(t *testing.T)") {
			t.Errorf("there is no such test: %s", line)
		}
		tests++
	}
	if tests < 15 {
		t.Errorf("%d features", tests)
	}
}
