package icebergtable_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlaces finds, for each line of the table of places in docs/tables.md, the test that it names.
func TestPlaces(t *testing.T) {
	text, err := os.ReadFile("../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "### Where tables are written\n")
	if !ok {
		t.Fatal("docs/tables.md does not say where tables are written")
	}
	rest, _, _ = strings.Cut(rest, "\n### ")
	var names []string
	for _, where := range []string{"*_test.go", "../../internal/hdfsstore/*_test.go", "../../cmd/arrowio/hdfs_interop_test.go"} {
		found, err := filepath.Glob(where)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	var all strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	found := regexp.MustCompile("(?m)^\\| .* \\| `(Test\\w+(?:`, `Test\\w+)*)` \\|$").FindAllStringSubmatch(rest, -1)
	for _, m := range found {
		for name := range strings.SplitSeq(m[1], "`, `") {
			if !strings.Contains(all.String(), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("there is no test %s", name)
			}
		}
	}
	if rows := strings.Count(rest, "\n| ") - 1; len(found) != rows || rows < 8 {
		t.Errorf("%d of %d lines name a test", len(found), rows)
	}
}
