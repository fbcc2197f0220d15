package hivetable_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFeatures finds, for each line of the table of features in docs/tables.md, the tests that it names.
func TestFeatures(t *testing.T) {
	text, err := os.ReadFile("../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "### Features by version of Hive\n")
	if !ok {
		t.Fatal("docs/tables.md has no features by version of Hive")
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var all strings.Builder
	for _, pattern := range []string{"*_test.go", "../../internal/metastore/*_test.go", "../../writers/hivetable/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
	}
	row := regexp.MustCompile("^\\| [^|]+ \\| (?:read|written|refused by name)[^|]* \\| (?:read|written|refused by name)[^|]* \\| (`Test\\w+`(?:, `Test\\w+`)*) \\|$")
	features := 0
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| feature") || strings.HasPrefix(line, "|---") {
			continue
		}
		m := row.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("the line names no test: %s", line)
			continue
		}
		for _, name := range strings.Split(m[1], ", ") {
			if !strings.Contains(all.String(), "\nfunc "+strings.Trim(name, "`")+"(t *testing.T)") {
				t.Errorf("there is no test %s: %s", name, line)
			}
		}
		features++
	}
	if features < 10 {
		t.Errorf("%d features", features)
	}
}
