//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// ofProgram are the flags of reading that hold for the program, not for a table.
var ofProgram = []string{"jobs", "memory", "mmap", "s3-endpoint", "s3-region", "s3-path-style", "s3-insecure"}

// tableFlags makes a new set of the flags of reading, for one table.
func (a *app) tableFlags() (*readFlags, *pflag.FlagSet) {
	kept := a.storeFlags
	cmd := &cobra.Command{}
	r := a.addReadFlags(cmd)
	r.shown = addSchemaFlags(cmd)
	a.storeFlags = kept
	return r, cmd.Flags()
}

// optionOf returns the name of the option of arrowio() for a flag.
func optionOf(flag string) string {
	if flag == "from" {
		return "format" // the other is a keyword of SQL
	}
	return strings.ReplaceAll(flag, "-", "_")
}

// tableOptions lists the options of arrowio().
func (a *app) tableOptions() (names []string) {
	_, flags := a.tableFlags()
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(ofProgram, f.Name) {
			names = append(names, optionOf(f.Name))
		}
	})
	return names
}

// queryTable is a dataset that DuckDB scans.
type queryTable struct {
	ds *inputSet
	r  *readFlags
}

// open opens a table. Its own options replace those of the command line.
func (q *querying) open(ctx context.Context, name string, options map[string][]string) (duckdb.Table, error) {
	a, f := q.a, q.f
	a.places(ctx)
	r, flags := a.tableFlags()
	r.from, r.jobs, r.memory, r.mmap = f.from, f.jobs, f.memory, f.mmap
	*r.partitions, *r.shown = *f.partitions, *f.shown
	for name, v := range f.readFlags.options.values {
		if own := r.options.values[name]; own != nil {
			own.text, own.set = v.text, v.set
		}
	}
	var err error
	flags.VisitAll(func(fl *pflag.Flag) {
		values := options[optionOf(fl.Name)]
		if len(values) == 0 || err != nil {
			return
		}
		if v := r.options.values[fl.Name]; v != nil {
			v.text, v.set = "", false // its own counts alone
		}
		for _, v := range values {
			if e := fl.Value.Set(v); e != nil {
				err = usagef("arrowio('%s', %s := …): %w", name, optionOf(fl.Name), e)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	ds, err := a.openDataset(ctx, []string{name}, r, nil)
	if err != nil {
		return nil, err
	}
	for option, formats := range r.options.formats {
		if len(options[optionOf(option)]) > 0 && !slices.ContainsFunc(ds.formats.names(), func(n string) bool { return slices.Contains(formats, n) }) {
			_ = ds.close()
			return nil, usagef("arrowio('%s', %s := …): %s is %s, which has no such option", name, optionOf(option), name, strings.Join(ds.formats.names(), " and "))
		}
	}
	left := slices.DeleteFunc(slices.Clone(ds.Lost), func(l arrowio.Loss) bool { return !l.LeftOut }) // rows may be written
	a.tellLost(&dataset.Dataset{Fragments: ds.Fragments, Lost: left}, nil)
	q.opened = append(q.opened, ds)
	return &queryTable{ds, r}, nil
}

func (t *queryTable) Schema() *arrow.Schema { return t.ds.Schema }

func (t *queryTable) Rows() int64 { return t.ds.rows }

func (t *queryTable) Scan(ctx context.Context, columns []string, filter expr.Expr) (array.RecordReader, error) {
	o := scanOptions(t.r, nil)
	o.Columns, o.Filter, o.Allocator = columns, filter, duckdb.Memory()
	o.MemoryBudget /= 4 // the rest is DuckDB's
	return t.ds.Scan(ctx, o)
}

func (t *queryTable) Close() error { return t.ds.close() }
