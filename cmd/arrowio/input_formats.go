package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// inputFormats records, of the files of an inputSet that were opened, the formats and the keys of their metadata.
type inputFormats struct {
	files  []string       // the format of each; "" = not opened
	keys   map[string]int // how many files have a key in the metadata of their schema
	number int            // of the files that were opened
}

func newInputFormats(files int) inputFormats {
	return inputFormats{files: make([]string, files), keys: map[string]int{}}
}

// opened records file i.
func (n *inputFormats) opened(i int, f *openFile) {
	if n.files[i] != "" {
		return
	}
	n.files[i] = f.Format()
	n.number++
	md := f.Schema().Metadata()
	keys := slices.Sorted(slices.Values(md.Keys()))
	for _, k := range slices.Compact(keys) {
		n.keys[k]++
	}
}

// names lists the formats in the order in which they come up.
func (n *inputFormats) names() []string {
	var out []string
	for _, name := range n.files {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// one returns the format of all files; nil = there are several.
func (n *inputFormats) one() *string {
	if names := n.names(); len(names) == 1 {
		return &names[0]
	}
	return nil
}

// String names the format, or says how many files there are of each of several.
func (n *inputFormats) String() string {
	names := n.names()
	switch {
	case len(names) == 1:
		return names[0]
	case n.number < len(n.files): // a filter excludes the others by their directories
		return strings.Join(names, " and ")
	}
	count := map[string]int{}
	for _, name := range n.files {
		count[name]++
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", count[name], name)
	}
	return fmt.Sprintf("%d files: %s", n.number, strings.Join(names, ", "))
}

// partial lists the keys of md that only some of the files have. It lists none if files were not opened.
func (n *inputFormats) partial(md arrow.Metadata) []string {
	if n.number < len(n.files) {
		return nil
	}
	var out []string
	for _, k := range md.Keys() {
		if has := n.keys[k]; 0 < has && has < n.number {
			out = append(out, k)
		}
	}
	return out
}
