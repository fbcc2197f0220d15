package csv

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
)

// nameRest names the columns that have no name by their position: f0, f1 and so on, with underscores behind it where another
// column has that name.
func nameRest(names []string) []string {
	given := make(map[string]bool, len(names))
	for _, n := range names {
		given[n] = true
	}
	for i, n := range names {
		if n != "" {
			continue
		}
		n = "f" + strconv.Itoa(i)
		for given[n] {
			n += "_"
		}
		names[i] = n
	}
	return names
}

// Warnings implements arrowio.Warner: the header may name several columns alike.
func (f *file) Warnings() (out []arrowio.Warning) {
	count := map[string]int{}
	for _, c := range f.Fields.Fields() {
		count[c.Name]++
	}
	for _, c := range f.Fields.Fields() {
		if n := count[c.Name]; n > 1 && !slices.ContainsFunc(out, func(w arrowio.Warning) bool { return w.Columns[0] == c.Name }) {
			w := arrowio.Warnf(arrowio.WarnNames, fmt.Sprintf(
				"%d columns have the name %q: all of them are read; a list of columns chooses one by its number, as in #2, a filter cannot; --%s=position names the columns f0, f1 and so on",
				n, c.Name, optionNames))
			w.Columns = []string{c.Name}
			out = append(out, w)
		}
	}
	return out
}
