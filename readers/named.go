package readers

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// namedBy returns a format of tables that a catalog may name, which is a format itself. It takes the catalog's own options, whose names
// begin with the catalog's, since the caller gives them for a name; they say nothing about the table.
func namedBy(catalog, f arrowio.Format) arrowio.Format {
	theirs := func(name string) bool { return strings.HasPrefix(name, catalog.Name+"-") }
	f.Options = slices.Clone(f.Options)
	for _, o := range catalog.Options {
		if theirs(o.Name) {
			f.Options = append(f.Options, o)
		}
	}
	without := func(o arrowio.OpenOptions) arrowio.OpenOptions {
		o.Options = maps.Clone(o.Options)
		maps.DeleteFunc(o.Options, func(name, _ string) bool { return theirs(name) })
		return o
	}
	table, parse, named := f.OpenTable, f.ParseFragment, f.OpenNamed
	f.OpenNamed = func(ctx context.Context, url string, o arrowio.OpenOptions) ([]arrowio.Fragment, string, map[string]string, error) {
		return named(ctx, url, without(o))
	}
	f.OpenTable = func(ctx context.Context, t arrowio.Tree, metadata string, o arrowio.OpenOptions) ([]arrowio.Fragment, error) {
		return table(ctx, t, metadata, without(o))
	}
	f.ParseFragment = func(text []byte, o arrowio.OpenOptions) (arrowio.Fragment, error) { return parse(text, without(o)) }
	return f
}
