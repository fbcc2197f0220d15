package main

import (
	"encoding/json"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
)

// warning is the JSON of a warning.
type warning struct {
	Warning string `json:"warning"`
	File    string `json:"file"`
}

// warn tells on standard error what is doubtful or lost in a file: a line each, or an object. What was told of the file
// before is not told again, however often it is opened.
func (a *app) warn(f *openFile) {
	w, ok := f.File.(arrowio.Warner)
	if !ok {
		return
	}
	a.warnings.Lock()
	defer a.warnings.Unlock()
	lines := w.Warnings()
	for _, line := range lines[min(a.warned[f.name], len(lines)):] {
		if a.jsonErrors {
			e := json.NewEncoder(a.stderr)
			e.SetEscapeHTML(false)
			_ = e.Encode(warning{line, f.name}) // standard error is the last resort
			continue
		}
		fmt.Fprintln(a.stderr, printable(fmt.Sprintf("arrowio: %s: warning: %s", f.name, line)))
	}
	a.warned[f.name] = max(a.warned[f.name], len(lines))
}
