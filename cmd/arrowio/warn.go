package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// warnings is what the files of a command were found to hide, in the order in which it was found.
type warnings struct {
	mu   sync.Mutex
	all  []arrowio.Warning
	seen map[[2]string]bool         // by file and String
	pass func(arrowio.Warning) bool // tells which are not told here; nil = none
}

// maxWarnings bounds what is remembered for JSON reports; everything is printed.
const maxWarnings = 100_000

// list returns the warnings so far, for a JSON report.
func (w *warnings) list() []arrowio.Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]arrowio.Warning{}, w.all...)
}

// lost reports whether some warning is about a loss.
func (w *warnings) lost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.all, func(x arrowio.Warning) bool { return x.Kind == arrowio.WarnLost })
}

// of returns those about a file.
func (w *warnings) of(file string) []arrowio.Warning {
	return slices.DeleteFunc(w.list(), func(x arrowio.Warning) bool { return x.File != file })
}

// warn prints the warnings of a file that concern a scan of columns, given as dotted paths; nil = all columns. Losses concern a count
// of rows, too, for which no column is read. However often a file is opened, each is printed once.
func (a *app) warn(name string, f arrowio.File, columns []string) {
	for _, w := range arrowio.WarningsOf(f) {
		asked := columns
		if len(asked) == 0 && w.Kind == arrowio.WarnLost {
			asked = nil
		}
		if w, ok := w.For(asked); ok {
			w.File = name
			a.tell(w)
		}
	}
}

// tellLost prints what is left out of the schema of several files since they differ, as far as it concerns columns; nil = all.
func (a *app) tellLost(ds *dataset.Dataset, columns []string) {
	for _, w := range ds.Warnings(columns) {
		a.tell(w)
	}
}

// tell prints a warning on standard error, as a line or as an object, unless it was printed before.
func (a *app) tell(w arrowio.Warning) {
	a.warnings.mu.Lock()
	defer a.warnings.mu.Unlock()
	if a.warnings.pass != nil && a.warnings.pass(w) {
		return
	}
	w.Text = a.spelled(w.Text)
	key := [2]string{w.File, w.String()}
	if a.warnings.seen[key] {
		return
	}
	if len(a.warnings.all) < maxWarnings {
		a.warnings.seen[key] = true
		a.warnings.all = append(a.warnings.all, w)
	}
	if !a.jsonErrors {
		a.onErrors().line("", "  ", printable(fmt.Sprintf("arrowio: %s: warning: %s", w.File, w)))
		return
	}
	b, err := json.Marshal(w)
	if err == nil {
		_, _ = fmt.Fprintf(a.stderr, "{\"level\":\"warning\",%s\n", b[1:]) // standard error is the last resort
	}
}
