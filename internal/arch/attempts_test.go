package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of the table of attempts names tests, and these are there.
func TestAttemptsAreTested(t *testing.T) {
	b, err := os.ReadFile("../../docs/flight-attempts.md")
	if err != nil {
		t.Fatal(err)
	}
	packages, tests := regexp.MustCompile("`([a-z/]+)` Test"), regexp.MustCompile(`\bTest\w+`)
	rows := 0
	for _, line := range strings.Split(string(b), "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| attempt |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) != 3 {
			t.Errorf("%d columns: %s", len(cells), line)
			continue
		}
		in := packages.FindStringSubmatch(cells[2])
		if in == nil {
			t.Errorf("no package with its tests: %s", line)
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", in[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		for _, name := range tests.FindAllString(cells[2], -1) {
			if !strings.Contains(all.String(), "func "+name+"(t ") {
				t.Errorf("there is no %s in %s", name, in[1])
			}
		}
	}
	if rows < 14 {
		t.Errorf("%d rows", rows)
	}
}
