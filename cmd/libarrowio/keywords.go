package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// flagPattern finds flags of the command in texts, as --orc-keys, --orc-strings=binary and --from kudu.
var flagPattern = regexp.MustCompile(`(^|[ (])--([a-z][a-z0-9-]*)(=[^\s,;:()]+)?((?: [a-z-]+)?)`)

// keywordNames are the flags that are keyword arguments of Python, besides the options of formats.
var keywordNames = []string{
	"batch-rows", "columns", "compression", "drop-metadata", "force", "jobs", "max-file-bytes", "memory", "partition-types",
	"partitions", "row-group-bytes", "rows", "where",
}

// words are the names that keywords looks for.
var words = sync.OnceValue(func() (w struct{ flags, formats []string }) {
	w.flags = slices.Clone(keywordNames)
	for _, f := range readers.All() {
		w.formats = append(w.formats, f.Name)
		for _, o := range f.Options {
			w.flags = append(w.flags, o.Name)
		}
	}
	for _, f := range writers.All() {
		w.formats = append(w.formats, f.Name)
		for _, o := range f.Options {
			w.flags = append(w.flags, o.Name)
		}
	}
	return w
})

// keywords returns text with flags of the command as the keyword arguments of Python that they are: --orc-strings=binary is
// orc_strings="binary". Flags that Python does not have, and those of other programs, stay as they are.
func keywords(text string) string {
	if !strings.Contains(text, "--") {
		return text
	}
	return flagPattern.ReplaceAllStringFunc(text, func(s string) string {
		m := flagPattern.FindStringSubmatch(s)
		before, name, value, next := m[1], m[2], strings.TrimPrefix(m[3], "="), m[4]
		switch {
		case name == "from" || name == "to":
			name = "format"
			if value == "" && slices.Contains(words().formats, strings.TrimPrefix(next, " ")) {
				value, next = next[1:], ""
			}
		case !slices.Contains(words().flags, name):
			return s
		}
		name = strings.ReplaceAll(name, "-", "_")
		if value != "" {
			name += `="` + value + `"`
		}
		return before + name + next
	})
}

// worded is an error with the words of Python.
type worded struct{ error }

func (w worded) Error() string { return keywords(w.error.Error()) }
func (w worded) Unwrap() error { return w.error }
