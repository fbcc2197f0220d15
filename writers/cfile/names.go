package cfile

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Files of a rowset other than those of columns.
const (
	extension    = ".cfile"
	keyIndexFile = "key-index" + extension
	bloomFile    = "bloom" + extension
)

// safeName is of names that any file system takes as they are.
var safeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`) })

// takenName is of names that stand for something else: our own, and devices of Windows.
var takenName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(key-index|bloom|schema|column-[0-9]+|con|prn|aux|nul|com[0-9]|lpt[0-9])([.].*)?$`)
})

// fileNames returns the names of columns' files: the columns' own where they are safe and no other column has the
// name, in any case.
func fileNames(columns []string) []string {
	same := map[string]int{}
	for _, c := range columns {
		same[strings.ToLower(c)]++
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		lower := strings.ToLower(c)
		if same[lower] > 1 || !safeName().MatchString(c) || takenName().MatchString(lower) {
			c = fmt.Sprintf("column-%03d", i)
		}
		names[i] = c + extension
	}
	return names
}
