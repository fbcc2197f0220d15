package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// keywordNames are the flags that are keyword arguments of Python, besides the options of formats.
var keywordNames = []string{
	"batch-rows", "cast", "columns", "compression", "drop-metadata", "force", "jobs", "max-file-bytes", "memory", "partition-types",
	"partition-by", "partitions", "row-group-bytes", "rows", "schema", "sort", "where",
}

// keywordsOf are the names of all flags that are keyword arguments.
var keywordsOf = sync.OnceValue(func() []string {
	names := slices.Clone(keywordNames)
	for _, f := range readers.All() {
		for _, o := range f.Options {
			names = append(names, o.Name)
		}
	}
	for _, f := range writers.All() {
		for _, o := range f.Options {
			names = append(names, o.Name)
		}
	}
	return names
})

// keyword writes an option as the other language does, which has it under the name of a keyword argument: in Python
// orc_strings="binary". Flags that Python does not have stay as they are.
func keyword(o errs.Option) string {
	name := strings.ReplaceAll(o.Name, "-", "_")
	switch {
	case o.Name == "from" || o.Name == "to":
		name = "format"
	case !slices.Contains(keywordsOf(), o.Name):
		return o.Error()
	}
	if o.Value == "" {
		return name
	}
	return named(name, o.Value)
}

var flagPattern = regexp.MustCompile(`(^|[^-])--([a-z][a-z0-9-]*)(?:=([A-Za-z0-9_.:]+))?`)

// respelled writes the flags in the text of a plan or a note as the other language does. Such a text does not list its options, as errors
// and warnings do; words behind two dashes that are no flags stay as they are.
func respelled(text string) string {
	return flagPattern.ReplaceAllStringFunc(text, func(flag string) string {
		parts := flagPattern.FindStringSubmatch(flag)
		return parts[1] + keyword(errs.Opt(parts[2], parts[3]))
	})
}

// worded is an error that names options as the other language does.
type worded struct{ error }

func (w worded) Error() string {
	return errs.Respell(w.error.Error(), errs.OptionsOf(w.error), keyword)
}
func (w worded) Unwrap() error { return w.error }
