package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

var kuduID = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

// Ids are copied from what is printed: they are on one line, however narrow the terminal is.
func TestIDsAreNotBroken(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	t.Chdir(filepath.Dir(dir))
	dir = filepath.Base(dir)
	for _, args := range [][]string{{"kudu", "list", dir}, {"inspect", "--from", "kudu", dir}, {"inspect", "--from", "kudu", "--kudu-table", "partitioned", dir}} {
		all := kuduID.FindAllString(ok(t, args...), -1)
		slices.Sort(all)
		all = slices.Compact(all)
		if len(all) == 0 {
			t.Fatalf("%q prints no ids", args)
		}
		for width := 40; width <= 200; width += 8 {
			o := onTerminal(t, width, args...)
			fits(t, o.out, width)
			for _, id := range all {
				if !strings.Contains(o.out, id) {
					t.Fatalf("%q in %d columns does not print %s on one line:\n%s", args, width, id, o.out)
				}
			}
		}
	}
}

// Errors on a terminal are broken between words.
func TestErrorsFitTheTerminal(t *testing.T) {
	dir := t.TempDir()
	peopleFile(t, dir, "in.arrow", 0, 20)
	t.Chdir(dir)
	for _, args := range [][]string{
		{"convert", "--where", "id > 'x'", "in.arrow", "out.orc"},
		{"cat", "--columns", "nothing", "in.arrow"},
		{"cat", "missing.arrow"},
		{"frobnicate"},
	} {
		whole := do(t, args...)
		o := onTerminal(t, 40, args...)
		fits(t, o.err, 40)
		if o.code != whole.code || !slices.Equal(strings.Fields(o.err), strings.Fields(whole.err)) || strings.Count(whole.err, "\n") != 1 {
			t.Errorf("%q prints\n%son a terminal, otherwise\n%s", args, o.err, whole.err)
		}
	}
}
