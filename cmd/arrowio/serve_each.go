package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/news"
	"github.com/arrowio/arrowio/readers"
)

// eachFlags are the flags of serve about directories: of which every file is a dataset, broken files, and links.
type eachFlags struct {
	dirs   []string // [PREFIX=]DIR
	skip   bool
	follow bool
}

func (f *eachFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.dirs, "each", nil, "serve each file in `[PREFIX=]DIR`, and below it, as a dataset of its own, named by its path with PREFIX in front; directories that are one table are one dataset; new files come with --refresh; may be given several times")
	fs.BoolVar(&f.skip, "skip-broken", false, "leave out files that cannot be opened, and serve the others; the log, --json, /readyz and FlightInfos tell of them")
	fs.BoolVar(&f.follow, "follow-links", false, "follow symbolic links that lead out of the directory that they are in")
}

// read sets what these flags say of the files of a dataset.
func (f *eachFlags) read(o readers.Options) readers.Options {
	o.SkipBroken, o.LinksInside = f.skip, !f.follow
	return o
}

// offer adds datasets, of which those that cannot be opened are an error unless their Specs say otherwise.
func offer(ctx context.Context, c *flight.Catalog, name string, s flight.Spec) error {
	if s.Read.SkipBroken {
		return c.Offer(ctx, name, s)
	}
	return c.Add(ctx, name, s)
}

// find returns the datasets in the directories of --each, and the files that are left out of them. names are those of other datasets.
// What is doubtful is logged where it is news.
func (f *serveFlags) find(ctx context.Context, a *app, names []string, places *stores.Stores, log *slog.Logger, given *unitNamer, told *news.Round) (map[string]flight.Spec, []flight.Fault, error) {
	out := map[string]flight.Spec{}
	var faults []flight.Fault
	for _, arg := range f.each.dirs {
		prefix, dir := eachDir(arg)
		o, err := f.readOptions(a, "", names)
		if err != nil {
			return nil, nil, err
		}
		o = f.each.read(readers.Defaults(o))
		o.Lenient, o.Stores = true, places
		o.Warn = func(w arrowio.Warning) {
			if text := w.String(); told.New(dir + ": " + text) {
				log.WarnContext(ctx, "each", "directory", dir, "kind", string(w.Kind), "warning", text)
			}
		}
		left := map[string]bool{} // some are looked at twice
		o.LeftOut = func(file string, err error) {
			if left[file] {
				return
			}
			left[file] = true
			faults = append(faults, flight.Fault{File: file, Err: err})
			if told.New(file + ": " + err.Error()) {
				log.WarnContext(ctx, "each: a file is left out", "directory", dir, "file", file, "error", err.Error())
			}
		}
		units, err := dataset.Units(ctx, dir, o)
		if err != nil {
			return nil, nil, inFile(dir, err)
		}
		for i, name := range given.names(arg, prefix, units) {
			if slices.Contains(names, name) || !given.given(name, units[i].Path) {
				err := errs.Errorf(errs.ErrOption, "another dataset has its name, %s", name)
				faults = append(faults, flight.Fault{File: units[i].Path, Err: err})
				if told.New(units[i].Path + ": " + err.Error()) {
					log.ErrorContext(ctx, "a file is left out: another dataset has its name", "dataset", name, "file", units[i].Path)
				}
				continue
			}
			o, err := f.readOptions(a, name, append(slices.Clone(names), name))
			if err != nil {
				return nil, nil, err
			}
			o = f.each.read(o)
			o.Stores, o.SkipBroken = places, true
			if _, local := stores.Local(dir); local {
				o.Root = dir
			}
			out[name] = flight.Spec{Paths: []string{units[i].Path}, Read: o}
		}
	}
	return out, faults, nil
}

// eachDir divides a value of --each.
func eachDir(arg string) (prefix, dir string) {
	if p, rest, ok := strings.Cut(arg, "="); ok && flight.ValidName(p) && rest != "" {
		return p, rest
	}
	return "", arg
}

// explain adds to the error about a dataset what there is against broken files.
func (f *eachFlags) explain(err error) error {
	if f.skip || !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
		return err
	}
	return fmt.Errorf("%w; --skip-broken leaves out files that cannot be opened", err)
}

// fill opens all datasets: those that are named, those of --each, and those that clients have put before. It returns their names.
func (f *serveFlags) fill(ctx context.Context, a *app, names []string, paths map[string][]string, specs map[string]flight.Spec, places *stores.Stores, o *flight.Options) ([]string, error) {
	for _, name := range names {
		if err := offer(ctx, o.Catalog, name, specs[name]); err != nil {
			return nil, inFile(strings.Join(paths[name], ", "), f.each.explain(err))
		}
	}
	named := slices.Clone(names)
	var teller news.Teller
	var given unitNamer
	var finding sync.Mutex
	find := func(ctx context.Context) (map[string]flight.Spec, error) {
		finding.Lock()
		defer finding.Unlock()
		told := teller.Begin()
		defer told.End()
		found, faults, err := f.find(ctx, a, named, places, o.Logger, &given, told)
		if err == nil {
			o.Catalog.LeaveOut(faults)
		}
		return found, err
	}
	found, err := find(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if err := offer(ctx, o.Catalog, name, found[name]); err != nil {
			return nil, inFile(strings.Join(found[name].Paths, ", "), err)
		}
	}
	o.Catalog.Discover(func(ctx context.Context) (map[string]flight.Spec, error) {
		out, err := find(ctx)
		if err != nil {
			return nil, err
		}
		put, err := flight.Discover(o.Writable)(ctx)
		maps.Copy(put, out)
		return put, err
	})
	return addPut(ctx, append(names, slices.Collect(maps.Keys(found))...), o)
}
