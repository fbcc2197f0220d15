package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// ofTables are the directories that tables have below theirs: of files with rows, and of metadata.
var ofTables = []string{"data", "metadata"}

// warnInside warns of a directory or pattern inside of a table: its files may have rows that the table has no more, or none of its rows.
func (x expansion) warnInside(name string) {
	if x.told || x.o.Warn == nil {
		return
	}
	scheme, rest, remote := strings.Cut(name, "://")
	if !remote || stores.Scheme(name) == "" {
		abs, err := filepath.Abs(name)
		if err != nil {
			return
		}
		remote, rest = false, filepath.ToSlash(abs)
	}
	parts := strings.Split(strings.TrimRight(rest, "/"), "/")
	if i := slices.IndexFunc(parts, isPattern); i >= 0 {
		parts = parts[:i]
	}
	for i := len(parts) - 1; i > 0; i-- {
		if !slices.Contains(ofTables, parts[i]) {
			continue
		}
		dir := filepath.FromSlash(strings.Join(parts[:i], "/"))
		if remote {
			dir = scheme + "://" + strings.Join(parts[:i], "/")
		}
		t, err := x.o.stores().Tree(dir)
		if err != nil {
			continue // whoever reads the files finds out
		}
		f, err := x.tableFormat(t)
		if err != nil || f.MatchTable == nil {
			continue
		}
		text := "rows that the table has no more may be among those that are read"
		if parts[i] == ofTables[1] {
			text = "it has the metadata of the table, and none of its rows"
		}
		w := arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("this lies in a table of format %s: %s; name the table, %s, to read its rows", f.Name, text, dir))
		w.File = name
		x.o.Warn(w)
		return
	}
}
