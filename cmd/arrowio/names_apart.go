package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/arrowio/arrowio/arrowio"
)

// shownPaths returns the names of stored columns as they are shown: told apart, and in quotes where blanks in them would not be seen as
// part of the name.
func shownPaths(columns []arrowio.ColumnInfo) []string {
	paths := make([]string, len(columns))
	for i, c := range columns {
		paths[i] = c.Path
	}
	out := toldApart(paths)
	for i, p := range paths {
		if out[i] == p && !strings.Contains(p, `"`) {
			out[i] = quoteBlank(p)
		}
	}
	return out
}

// quoteBlank quotes the names in a path that have blanks, or no characters.
func quoteBlank(path string) string {
	names := strings.Split(path, ".")
	for i, n := range names {
		if n == "" && len(names) == 1 || strings.ContainsFunc(n, unicode.IsSpace) {
			names[i] = `"` + n + `"`
		}
	}
	return strings.Join(names, ".")
}

// toldApart returns names of columns as they are shown: those that look alike and differ are quoted, in ASCII.
func toldApart(names []string) []string {
	alike := map[string]int{}
	for _, n := range names {
		alike[seen(printable(n))]++
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if ascii := strconv.QuoteToASCII(n); alike[seen(printable(n))] > 1 && ascii != `"`+n+`"` {
			out[i] = ascii
		}
	}
	return out
}
