package fieldname

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Unique returns the names of fields for those who take each once in any case, as DuckDB does: with a number behind those that came before.
func Unique(fields []arrow.Field) []string {
	names := make([]string, len(fields))
	taken := make(map[string]bool, len(fields))
	next := map[string]int{} // by name: the number to try first
	for i, f := range fields {
		base := f.Name
		if base == "" {
			base = fmt.Sprintf("column%d", i)
		}
		name := base
		for taken[strings.ToLower(name)] {
			next[base]++
			name = fmt.Sprintf("%s_%d", base, next[base])
		}
		taken[strings.ToLower(name)], names[i] = true, name
	}
	return names
}

// Selectors returns what a list of columns chooses each field by: its name, which quote quotes, or its number where others have the name too.
func Selectors(fields []arrow.Field, quote func(...string) string) []string {
	named := make(map[string]int, len(fields))
	for _, f := range fields {
		named[f.Name]++
	}
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = quote(f.Name)
		if number := fmt.Sprintf("#%d", i+1); named[f.Name] > 1 && named[number] == 0 { // else the number would name that field
			out[i] = number
		}
	}
	return out
}
