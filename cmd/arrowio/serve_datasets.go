package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/readers"
)

// addSchemas adds the flags of convert about schemas. Their values are for one dataset (NAME=VALUE) or for all.
func (f *serveFlags) addSchemas(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.schemas, "schema", nil, "read the files of NAME, or else of every dataset, as this schema: `[NAME=]FILE|TEXT`, as of arrowio convert; may be given several times")
	fs.StringArrayVar(&f.casts, "cast", nil, "with --schema, of types that are not widened: `[NAME=]none|java`, as of arrowio convert; may be given several times (default none)")
}

// specs returns for each name its files and how they are opened.
func (f *serveFlags) specs(a *app, names []string, paths map[string][]string, places *stores.Stores) (map[string]flight.Spec, error) {
	specs := map[string]flight.Spec{}
	shown := false
	for _, name := range names {
		o, err := f.readOptions(a, name, names)
		if err != nil {
			return nil, err
		}
		o = f.each.read(o)
		o.Stores = places
		shown = shown || o.Schema != nil
		specs[name] = flight.Spec{Paths: paths[name], Read: o}
	}
	if len(f.casts) > 0 && !shown {
		return nil, usagef("--cast says how values become those of --schema, which is missing")
	}
	return specs, nil
}

// readOptions returns how the files of a dataset are opened. The values of the command line for it come first, then those of
// its table in the config file, then those for all datasets.
func (f *serveFlags) readOptions(a *app, name string, names []string) (readers.Options, error) {
	o := readers.Options{Format: f.from.word, Formats: a.readers, Options: map[string]string{}}
	for _, option := range f.options.given() {
		o.Options[option] = f.options.values[option].text
	}
	table := maps.Clone(f.ops.own[name])
	own := func(key string) string {
		words := table[key]
		delete(table, key)
		return strings.Join(words, ",")
	}
	bad := func(err error) (readers.Options, error) { return o, usagef("%s: %w", name, err) }
	p := *f.partitions
	if mode := own("partitions"); mode != "" {
		if err := p.mode.Set(mode); err != nil {
			return bad(err)
		}
	}
	p.types = orElse(own("partition-types"), p.types)
	var err error
	if o.Partitions, err = p.options(); err != nil {
		return o, err
	}
	from := f.from
	if word := own("from"); word != "" {
		if err := from.Set(word); err != nil {
			return bad(err)
		}
		o.Format = from.word
	}
	schema, _ := counting(f.schemas, own("schema"), name, names)
	cast, mine := counting(f.casts, own("cast"), name, names)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		known := f.options.values[key]
		if known == nil {
			return o, usagef("%s: there is no key %q: keys are %s, from, schema, cast, partitions, partition-types and the options of formats", name, key, pathKey)
		}
		v := optionValue{words: known.words, repeated: known.repeated}
		for _, word := range table[key] {
			if err := v.Set(word); err != nil {
				return o, usagef("%s: %s: %w", name, key, err)
			}
		}
		o.Options[key] = v.text
	}
	switch {
	case cast != "" && !slices.Contains(readers.Casts, cast):
		return o, usagef("%s: --cast is one of %s, not %q", name, strings.Join(readers.Casts, ", "), cast)
	case schema == "" && mine && cast != "none":
		return o, usagef("%s: --cast says how values become those of --schema, which is missing", name)
	case schema == "":
		return o, nil
	}
	if o.Cast, err = readers.Cast(cast); err != nil {
		return o, err
	}
	o.Schema, err = schemaOf(schema, o.Options, o)
	return o, inFile(name, err)
}

// counting returns the value of a flag for a dataset: the last "NAME=VALUE" for it, or else own, or else the last value for all
// datasets. mine reports whether the value is for this dataset only.
func counting(values []string, own, name string, names []string) (value string, mine bool) {
	all := ""
	for _, v := range values {
		of, rest, ok := strings.Cut(v, "=")
		switch {
		case !ok || !slices.Contains(names, of):
			all = v
		case of == name:
			value = rest
		}
	}
	value = orElse(value, own)
	return orElse(value, all), value != ""
}
