package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// shownPaths returns the names of stored columns as they are shown: told apart, and in quotes where blanks in them would not be seen as
// part of the name.
func shownPaths(columns []arrowio.ColumnInfo) []string {
	paths := make([]string, len(columns))
	for i, c := range columns {
		paths[i] = c.Path
	}
	return shownNames(paths, quoteBlank)
}

// shownFields is shownPaths for the names of fields, which dots do not part.
func shownFields(fields []arrow.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return shownNames(names, func(name string) string {
		if name == "" || hasBlank(name) {
			return `"` + name + `"`
		}
		return name
	})
}

// shownNames tells names apart, and quotes those that need no escapes by quote.
func shownNames(names []string, quote func(string) string) []string {
	out := toldApart(names)
	for i, n := range names {
		if out[i] == n && !strings.Contains(n, `"`) {
			out[i] = quote(n)
		}
		out[i] = printable(out[i])
	}
	return out
}

// hasBlank reports whether a name has blanks, which would not be seen as part of it.
func hasBlank(name string) bool { return strings.ContainsFunc(name, unicode.IsSpace) }

// quoteBlank quotes the names in a path that have blanks, or no characters.
func quoteBlank(path string) string {
	names := strings.Split(path, ".")
	for i, n := range names {
		if n == "" && len(names) == 1 || hasBlank(n) {
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
