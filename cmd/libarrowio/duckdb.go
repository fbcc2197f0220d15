//go:build duckdb_extension

package main

import "C"

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/duckext"
	"github.com/arrowio/arrowio/internal/pathjson"
	"github.com/arrowio/arrowio/readers"
)

//export goDuckdbOffer
func goDuckdbOffer() unsafe.Pointer { return duckext.Offer(tableFunctions()) }

// Named parameters of every table function.
var (
	commonParameters = []string{"filter", "partitions", "partition_types", "filename", "jobs", "memory"}
	storeParameters  = []string{"s3_endpoint", "s3_region", "s3_profile", "s3_path_style", "s3_insecure", "s3_anonymous"}
)

// anyFormat is the table function for any INPUT.
const anyFormat = "arrowio_scan"

// tableFunctions are the table functions of the extension: some for a format, the others for any INPUT.
func tableFunctions() []duckext.Function {
	of := func(name, format string) duckext.Function {
		f := duckext.Function{Name: name, Options: slices.Concat(commonParameters, storeParameters)}
		for _, r := range readers.All() {
			if format == "" || r.Name == format {
				f.Options = append(f.Options, parametersOf(r)...)
			}
			if format != "" && r.Name == format {
				f.Suffixes = append(f.Suffixes, r.Extensions...)
			}
		}
		if format == "" {
			f.Options = append(f.Options, "format")
		}
		slices.Sort(f.Options)
		f.Options = slices.Compact(f.Options)
		f.Open = func(ctx context.Context, paths []string, options map[string][]string) (duckext.Table, error) {
			t, err := openTable(ctx, format, paths, options)
			if err != nil {
				return nil, called{err, name}
			}
			return t, nil
		}
		return f
	}
	acid, kudu := of("read_acid", "orc"), of("kudu_scan", "kudu")
	acid.Suffixes, kudu.Suffixes = nil, nil // directories
	files, warnings := of("arrowio_files", ""), of("arrowio_warnings", "")
	files.Open, warnings.Open = openFiles, openWarnings
	return []duckext.Function{
		of(anyFormat, ""), of("read_orc", "orc"), acid, of("read_trevni", "trevni"), of("read_cfile", "cfile"), kudu, files, warnings,
	}
}

// called is an error of the call of a table function, which names options as that function does.
type called struct {
	error
	function string
}

func (c called) Error() string {
	return errs.Respell(c.error.Error(), errs.OptionsOf(c.error), func(o errs.Option) string {
		if o.Name == "from" && c.function != anyFormat {
			return c.function + " (" + anyFormat + " reads every format)"
		}
		return keyword(o)
	})
}

func (c called) Unwrap() error { return c.error }

// parametersOf returns the options of a format as named parameters.
func parametersOf(f arrowio.Format) (names []string) {
	for _, o := range f.Options {
		names = append(names, parameter(o.Name))
	}
	return names
}

// parameter is the named parameter for a flag.
func parameter(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// arguments are those of a call.
type arguments struct {
	format string
	named  map[string][]string
	used   []string
}

// text returns a parameter that has one value; "" = it is not given.
func (a *arguments) text(name string) (string, error) {
	a.used = append(a.used, name)
	switch v := a.named[name]; len(v) {
	case 0:
		return "", nil
	case 1:
		return v[0], nil
	}
	return "", errs.Errorf(errs.ErrOption, "%s takes one value, not a list", name)
}

// truth returns a parameter that is true or false.
func (a *arguments) truth(name string) (bool, error) {
	text, err := a.text(name)
	if err != nil || text == "" {
		return false, err
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, errs.Errorf(errs.ErrOption, "%s is true or false, not %q", name, text)
	}
	return b, nil
}

// number returns a parameter that is a positive number; 0 = it is not given.
func (a *arguments) number(name string) (int64, error) {
	text, err := a.text(name)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, errs.Errorf(errs.ErrOption, "%s is a whole number from 1, not %q", name, text)
	}
	return n, nil
}

// request makes of arguments what opens a dataset and what scans it.
func (a *arguments) request(paths []string) (open openRequest, scan scanRequest, err error) {
	open = openRequest{Paths: pathjson.Of(paths), From: a.format}
	var jobs int64
	for name, to := range map[string]*string{
		"filter": &open.Where, "partitions": &open.Partitions, "partition_types": &open.Types,
		"s3_endpoint": &open.Stores.Endpoint, "s3_region": &open.Stores.Region, "s3_profile": &open.Stores.Profile,
	} {
		if *to, err = a.text(name); err != nil {
			return open, scan, err
		}
	}
	for name, to := range map[string]*bool{
		"s3_path_style": &open.Stores.PathStyle, "s3_insecure": &open.Stores.Insecure, "s3_anonymous": &open.Stores.Anonymous,
	} {
		if *to, err = a.truth(name); err != nil {
			return open, scan, err
		}
	}
	for name, to := range map[string]*int64{"jobs": &jobs, "memory": &scan.Memory} {
		if *to, err = a.number(name); err != nil {
			return open, scan, err
		}
	}
	if open.From == "" {
		if open.From, err = a.text("format"); err != nil {
			return open, scan, err
		}
	}
	scan.Jobs, scan.Where = int(min(jobs, maxParts)), open.Where
	open.Options, err = a.options(open.From)
	return open, scan, err
}

// options returns the options of formats. A format that is named has to have them.
func (a *arguments) options(format string) (map[string]string, error) {
	out := map[string]string{}
	var known []string
	for _, f := range readers.All() {
		for _, o := range f.Options {
			name := parameter(o.Name)
			values := a.named[name]
			if format != "" && f.Name != format || len(values) == 0 {
				continue
			}
			if len(values) > 1 && !o.Repeated {
				return nil, errs.Errorf(errs.ErrOption, "%s takes one value, not a list", name)
			}
			known = append(known, name)
			out[o.Name] = strings.Join(values, "\n")
		}
	}
	for name := range a.named {
		if !slices.Contains(a.used, name) && !slices.Contains(known, name) {
			return nil, errs.Errorf(errs.ErrOption, "%s is no option of %s", name, format)
		}
	}
	return out, nil
}
