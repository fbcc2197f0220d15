package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// Warnings returns a warning for each entry of d.Lost that concerns a scan of the given columns. columns are dotted paths; nil =
// all. A program that shows only values may ignore these warnings, since no value is lost.
func (d *Dataset) Warnings(columns []string) (out []arrowio.Warning) {
	add := func(kind arrowio.WarningKind, text string, paths ...string) {
		w := arrowio.Warnf(kind, text)
		w.Columns = paths
		if len(d.Fragments) > 0 {
			w.File = d.Fragments[0].Name
		}
		if w, ok := w.For(columns); ok {
			out = append(out, w)
		}
	}
	var keys, columnKeys []string // of the schema, of columns
	of := map[string][]string{}   // columns by key
	for _, l := range d.Lost {
		switch {
		case l.Of == arrowio.LossOfMetadata:
			keys = append(keys, l.Key)
		case l.Key == "":
			add(arrowio.WarnExtType, "column "+l.String(), l.Path)
		default:
			if of[l.Key] == nil {
				columnKeys = append(columnKeys, l.Key)
			}
			of[l.Key] = append(of[l.Key], l.Path)
		}
	}
	for _, k := range columnKeys {
		add(arrowio.WarnKeys, fmt.Sprintf("metadata %s differs between the files and is left out of columns", k), of[k]...)
	}
	const most = 20
	if more := len(keys) - most; more > 0 {
		keys = append(slices.Clone(keys[:most]), fmt.Sprintf("and %d more", more))
	}
	if len(keys) > 0 {
		add(arrowio.WarnKeys, "metadata that differs between the files is left out: "+strings.Join(keys, ", "))
	}
	return out
}
