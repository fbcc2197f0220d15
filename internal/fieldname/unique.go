package fieldname

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Unique returns the names of fields for those who take each once in any case, as DuckDB does: with a number behind those that came before.
func Unique(fields []arrow.Field) []string {
	var names []string
	taken := func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	for i, f := range fields {
		name := f.Name
		if name == "" {
			name = fmt.Sprintf("column%d", i)
		}
		base := name
		for k := 1; taken(name); k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		names = append(names, name)
	}
	return names
}

// Selector returns what a list of columns chooses field i by: its name, which quote quotes, or its number where others have the name too.
func Selector(fields []arrow.Field, i int, quote func(...string) string) string {
	number := fmt.Sprintf("#%d", i+1)
	several := false
	for k, f := range fields {
		several = several || k != i && f.Name == fields[i].Name
		if f.Name == number { // the number would name that field
			return quote(fields[i].Name)
		}
	}
	if several {
		return number
	}
	return quote(fields[i].Name)
}
