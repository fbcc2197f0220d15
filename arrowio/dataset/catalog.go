package dataset

import (
	"context"
	"maps"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// catalog returns the format that knows the table of a URL (arrowio.Format.Schemes), or the zero Format.
func (o Options) catalog(url string) arrowio.Format {
	if scheme := stores.Scheme(url); scheme != "" {
		for _, f := range o.Formats {
			if slices.Contains(f.Schemes, scheme) {
				return f
			}
		}
	}
	return arrowio.Format{}
}

// listNamed returns the files of the table that a URL names in a catalog.
func listNamed(ctx context.Context, f arrowio.Format, url string, o Options) ([]Input, error) {
	return listNamedBy(ctx, f, url, o, "")
}

// listNamedBy is listNamed for a URL that another catalog, by, names; "" = none did. So catalogs cannot send a reader in circles.
func listNamedBy(ctx context.Context, f arrowio.Format, url string, o Options, by string) ([]Input, error) {
	if o.Format != "" && o.Format != f.Name {
		return nil, errs.Errorf(errs.ErrOption, "%s names a table, whose catalog tells the format of its files: leave out %w", url, errs.Opt("from", o.Format))
	}
	to := o
	to.Lenient = true // which options are meant for which format is known when the table is
	given, err := to.forFormat(f, url)
	if err != nil {
		return nil, err
	}
	fragments, metadata, options, err := f.OpenNamed(ctx, url, given)
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: url})
	}
	if metadata == "" {
		if _, err := o.forFormat(f, url); err != nil {
			return nil, err
		}
		return inputsOf(f, fragments), nil
	}
	o.Options = maps.Clone(o.Options)
	maps.DeleteFunc(o.Options, func(name, _ string) bool {
		forTables := func(f arrowio.Format) bool { return f.MatchTableFile != nil && has(f, name) }
		return has(f, name) && !slices.ContainsFunc(o.Formats, forTables)
	})
	for name, value := range options {
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		if o.Options[name] != "" {
			value = o.Options[name] + "\n" + value
		}
		o.Options[name] = value
	}
	if next := o.catalog(metadata); next.OpenNamed != nil {
		if by != "" || next.Name == f.Name {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "the catalog names yet another table, %.200s, and not where its metadata are", metadata), errs.At{File: url})
		}
		return listNamedBy(ctx, next, metadata, o, url)
	}
	x := expansion{ctx: ctx, o: o, formats: o.Formats}
	in, ok, err := x.metadata(metadata)
	if err == nil && !ok {
		err = errs.Errorf(errs.ErrUnsupported, "the catalog says that the table's metadata are in %s, which no format reads", metadata)
	}
	return in, errs.Locate(err, errs.At{File: url})
}

// inputsOf returns the files of a table as inputs.
func inputsOf(f arrowio.Format, all []arrowio.Fragment) []Input {
	out := make([]Input, len(all))
	for i, fr := range all {
		out[i] = Input{Path: fr.Name, member: &member{Fragment: fr, format: f.Name}}
	}
	return out
}
