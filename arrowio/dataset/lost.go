package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// Warnings returns a warning for each entry of d.Lost that concerns a scan of the given columns. columns are dotted paths; nil =
// all. Columns that the schema asked for does not have are told, whatever columns are. A program that shows only values may ignore the other
// warnings, since no value is lost.
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
	var left []string
	var keys, columnKeys groups // of the schema, and paths of columns
	for _, l := range d.Lost {
		switch {
		case l.Of == arrowio.LossOfMetadata:
			keys.add("metadata that "+strings.Replace(l.Text, " and is ", " is ", 1)+": ", l.Key)
		case l.LeftOut:
			left = append(left, l.Path)
		case l.Key == "":
			add(arrowio.WarnExtType, "column "+l.String(), l.Path)
		default:
			columnKeys.add(l.Text+" of columns", l.Path)
		}
	}
	if len(left) > 0 { // whatever columns are read: it is only said of what was asked for
		w := arrowio.Warnf(arrowio.WarnLeftOut, "columns that are not in the schema asked for are left out")
		w.Columns = left
		if len(d.Fragments) > 0 {
			w.File = d.Fragments[0].Name
		}
		out = append([]arrowio.Warning{w}, out...)
	}
	for _, text := range columnKeys.texts {
		add(arrowio.WarnKeys, text, columnKeys.of[text]...)
	}
	for _, text := range keys.texts {
		add(arrowio.WarnKeys, text+firstOf(keys.of[text]))
	}
	return out
}

// groups are names by what is said of them.
type groups struct {
	texts []string // in the order in which they come up
	of    map[string][]string
}

func (g *groups) add(text, name string) {
	if g.of == nil {
		g.of = map[string][]string{}
	}
	if g.of[text] == nil {
		g.texts = append(g.texts, text)
	}
	g.of[text] = append(g.of[text], name)
}

// firstOf lists keys, of many the first and how many more there are.
func firstOf(keys []string) string {
	const most = 20
	if more := len(keys) - most; more > 0 {
		keys = append(slices.Clone(keys[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(keys, ", ")
}
