package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers"
)

// spoolBytes is how many bytes of standard input are kept in memory; if there are more, all are in a temporary file.
const spoolBytes = 64 << 20

// openFile is an open INPUT: a file, or a directory that a format reads as a whole. Closing it also closes its source.
type openFile struct {
	*dataset.File
	name string // for messages: the path, or "standard input"
	warn func() // prints its warnings, including those seen while reading; set by openInput
}

// open opens one input, or standard input.
func (a *app) open(ctx context.Context, in dataset.Input, r *readFlags) (*openFile, error) {
	f, err := a.openNamed(ctx, in, r)
	if err != nil {
		return nil, inFile(displayName(in.Path), err)
	}
	return &openFile{File: f, name: displayName(in.Path)}, nil
}

func (a *app) openNamed(ctx context.Context, in dataset.Input, r *readFlags) (*dataset.File, error) {
	o, err := a.readOptions(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := r.shown.apply(r, &o); err != nil { // the file is shown under it later
		return nil, err
	}
	if in.Path != "-" {
		return dataset.OpenInput(ctx, in, o)
	}
	src, err := local.SpoolSource(a.stdin, spoolBytes, "")
	if err != nil {
		return nil, err
	}
	return dataset.OpenOwned(ctx, src, in.Path, o)
}

// readOptions says where files are, which formats are known, and how they are opened.
func (a *app) readOptions(ctx context.Context, r *readFlags) (readers.Options, error) {
	p, err := r.partitions.options()
	return readers.Defaults(readers.Options{
		Formats: a.readers, Format: r.from.word, Options: r.options.all(), Lenient: true, For: r.purpose,
		Stores: a.places(ctx), Mapped: r.mmap, Again: r.again, Partitions: p, Warn: a.tell,
	}), err
}

func displayName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// withFile opens an input, runs fn on it and closes it. Errors name the file.
func (a *app) withFile(ctx context.Context, in dataset.Input, r *readFlags, fn func(*openFile) error) error {
	f, err := a.open(ctx, in, r)
	if err != nil {
		return err
	}
	if err := r.options.check(usedFormat{r.options, f.Format(), f.name}); err != nil {
		return errors.Join(err, f.Close())
	}
	shown := r.shown.warned(r, f)
	if r.purpose == arrowio.ForVerify {
		shown = &doubtless{shown}
	}
	a.warn(f.name, shown, nil)
	err = fn(f)
	a.warn(f.name, shown, nil) // with what was seen only while reading
	return inFile(f.name, errors.Join(err, f.Close()))
}

// eachInput runs fn on every file that the arguments name.
func (a *app) eachInput(ctx context.Context, args []string, r *readFlags, fn func(in dataset.Input) error) error {
	inputs, err := a.expand(ctx, args, r)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(in); err != nil {
			return err
		}
	}
	return nil
}

// eachFile opens every file that the arguments name, one after the other.
func (a *app) eachFile(ctx context.Context, args []string, r *readFlags, fn func(*openFile) error) error {
	return a.eachInput(ctx, args, r, func(in dataset.Input) error { return a.withFile(ctx, in, r, fn) })
}

// inputSet is all INPUTs of a command, read one after the other.
type inputSet struct {
	*dataset.Dataset
	files   []string
	columns []string // that are read, by the names of the files; nil = all
	exclude []string // of these
	dropped []string // of these, what a file has: the schema of all may lack it, where it has no common type
	formats inputFormats
	nanos   []string // columns that are read in nanoseconds since some files have them so
	inNanos string   // why no column is read in microseconds by itself; "" = it is, where it must be
	size    int64    // of all files
	rows    int64    // of all files; arrowio.UnknownRows = not known without opening them

	mu     sync.Mutex
	far    []farTimes                            // of the files that were opened
	units  []coarserUnit                         // of the files that were opened: see noteUnits
	stored map[string]func(path string) []string // farTimes.stored by file
	masked []string                              // columns that are shown masked in files that were opened
	again  *dataset.Again                        // nil = each opening is a request
	kept   []*openFile                           // those that stay open: the first, and standard input
	shared map[int]*openFile                     // the same by number
	sizes  []int64                               // of each file, as far as they were opened
	reads  [][]*bytesRead                        // by file, of every time it was opened
}

// bytesRead counts the bytes that are read of a file.
type bytesRead struct {
	of    func() int64 // nil = the file is closed, and need not be kept
	until int64        // read until it was closed
}

// openDataset opens the files that the arguments name as one dataset. Timestamps that nanoseconds cannot hold are read in
// microseconds: see coarse.go.
func (a *app) openDataset(ctx context.Context, args []string, r *readFlags, s *selectFlags) (*inputSet, error) {
	ds, err := a.openFiles(ctx, args, r, s)
	if err != nil || !r.mayCoarsen(args) {
		return ds, err
	}
	told := r.coarsen(ds.far, s.paths())
	again := len(told) > 0
	for {
		if again {
			if err := ds.close(); err != nil {
				return nil, err
			}
			if ds, err = a.openFiles(ctx, args, r, s); err != nil {
				a.coarsened(told)
				return nil, err
			}
		}
		if again = r.settle(ds.Schema); !again {
			break
		}
	}
	a.coarsened(r.settled(told))
	a.later, ds.nanos = r.settled(a.later), r.nanos
	return ds, nil
}

// openFiles opens the files that the arguments name to read their schemas, except those that the filter excludes by their
// paths. The first stays open; a scan opens the others again. Columns and filter must fit the common schema; otherwise the
// error is one of the command line.
func (a *app) openFiles(ctx context.Context, args []string, r *readFlags, s *selectFlags) (*inputSet, error) {
	held := *r
	held.again = dataset.NewAgain()
	inputs, err := a.expandFor(ctx, args, &held, s)
	if err != nil {
		return nil, err
	}
	ds, err := a.openInputs(ctx, args, inputs, held.again, r, s)
	if err == nil || r.leftOut == nil || len(inputs) < 2 || ctx.Err() != nil || slices.Contains(args, "-") {
		return ds, err
	}
	sound, soundErr := a.soundInputs(ctx, inputs, r)
	if soundErr != nil || len(sound) == len(inputs) {
		return nil, err
	}
	return a.openInputs(ctx, args, sound, nil, r, s)
}

// soundInputs returns the inputs that can be opened, and tells of the others.
func (a *app) soundInputs(ctx context.Context, inputs []dataset.Input, r *readFlags) ([]dataset.Input, error) {
	o, err := a.readOptions(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := r.shown.apply(r, &o); err != nil {
		return nil, err
	}
	o.LeftOut = r.leftOut
	return dataset.Unbroken(ctx, inputs, o)
}

func (a *app) openInputs(ctx context.Context, args []string, inputs []dataset.Input, again *dataset.Again, r *readFlags, s *selectFlags) (*inputSet, error) {
	o, err := a.readOptions(ctx, r)
	if err != nil {
		return nil, err
	}
	if o.Match, err = r.match(); err != nil {
		return nil, err
	}
	if err := r.shown.apply(r, &o); err != nil {
		return nil, err
	}
	if o.Columns = s.paths(); s != nil {
		o.Exclude, o.Filter = s.excluded(), s.where.x
	}
	ds := &inputSet{again: again, inNanos: r.whyNotCoarse(args), rows: arrowio.UnknownRows, formats: newInputFormats(len(inputs)), sizes: make([]int64, len(inputs)), reads: make([][]*bytesRead, len(inputs)), shared: map[int]*openFile{}, stored: map[string]func(string) []string{}}
	if !r.shown.given() { // else columns may have other names in the files
		ds.columns = s.paths()
		if s != nil {
			ds.exclude = s.excluded()
		}
	}
	for _, in := range inputs {
		ds.files = append(ds.files, displayName(in.Path))
	}
	open := func(ctx context.Context, i int) (arrowio.File, error) {
		return a.openInput(ctx, ds, i, inputs[i], r)
	}
	if ds.Dataset, err = dataset.New(ctx, inputs, o, open); err != nil {
		return nil, errors.Join(err, ds.close())
	}
	ds.dropped = append(ds.dropped, ds.Dropped...)
	if err := ds.openFirst(ctx, o.Filter); err != nil {
		return nil, errors.Join(err, ds.close())
	}
	first := ds.kept[0]
	for _, n := range ds.sizes {
		ds.size += n
	}
	if err := s.check(ds.Schema, ds.dropped); err != nil {
		name := first.name
		if len(args) == 1 { // a table, perhaps, whose files nobody knows
			name = displayName(args[0])
		}
		return nil, errors.Join(inFile(name, ds.cureNames(r, err)), ds.close())
	}
	if splits := first.Splits(); len(inputs) == 1 {
		ds.rows = 0
		if n := len(splits); n > 0 {
			ds.rows = splits[n-1].Rows.End // the last split ends where the file does, or at an unknown row
		}
	}
	return ds, nil
}

// openFirst opens a file if none is open, as with tables, whose schema is known: the first that may have rows of the filter.
func (d *inputSet) openFirst(ctx context.Context, filter expr.Expr) error {
	if len(d.kept) > 0 {
		return nil
	}
	first := 0
	if filter != nil {
		if bound, err := expr.Bind(filter, d.Schema); err == nil {
			first = max(0, slices.IndexFunc(d.Fragments, func(f arrowio.Fragment) bool { return f.Never == nil || !f.Never(bound) }))
		}
	}
	_, err := d.Fragments[first].Open(ctx)
	return err
}

// drop records the excluded columns that a file has.
func (d *inputSet) drop(s *arrow.Schema) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.exclude {
		if _, err := expr.Resolve(s, c); err == nil {
			d.dropped = append(d.dropped, c)
		}
	}
}

// noteMasked records the columns that a file shows masked.
func (d *inputSet) noteMasked(f arrowio.File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range arrowio.WarningsOf(f) {
		if w.Kind == arrowio.WarnMasked {
			d.masked = append(d.masked, w.Columns...)
		}
	}
}

// maskedColumns returns the columns that are shown masked in a file that was opened.
func (d *inputSet) maskedColumns() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.masked)
}

// opened records the size and the statistics of file i. The caller calls closed when f is not read any more.
func (d *inputSet) opened(i int, f *openFile) (closed func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.formats.opened(i, f)
	d.sizes[i] = f.BytesStored()
	read := &bytesRead{of: f.BytesRead}
	d.reads[i] = append(d.reads[i], read)
	d.noteUnits(f.name, f.Schema().Fields())
	far := farIn(f, i)
	if len(far.columns)+len(far.unknown)+len(far.coarser) > 0 {
		d.far = append(d.far, far)
	}
	if far.stored != nil {
		d.stored[far.file] = far.stored
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		read.until, read.of = f.BytesRead(), nil
	}
}

// match returns how columns of several files are matched, which an option of some formats sets.
func (r *readFlags) match() (view.Match, error) {
	given := map[string]string{}
	for _, name := range r.options.given() {
		given[name] = r.options.values[name].text
	}
	by, err := dataset.Match(given)
	if err != nil || by != view.ByNameFold || r.shown != nil && r.shown.text != "" {
		return by, asUsage(err)
	}
	for name, value := range given {
		if value == view.NameAnyCase {
			return by, usagef("--%s=%s needs --schema, which says how the names are written", name, value)
		}
	}
	return by, nil
}

// paths lists the columns that are read; nil = all.
func (s *selectFlags) paths() []string {
	if s == nil || s.columns == nil {
		return nil
	}
	return append(slices.Clone([]string(s.columns)), expr.Columns(s.where.x)...)
}

// excluded lists the columns of --exclude that the filter does not need; these are not read.
func (s *selectFlags) excluded() []string {
	needed := expr.Columns(s.where.x)
	return slices.DeleteFunc(slices.Clone([]string(s.exclude)), func(c string) bool {
		return slices.ContainsFunc(needed, func(n string) bool { return n == c || strings.HasPrefix(n, c+".") })
	})
}

// openInput opens file i. The first file that is opened stays open, and so does standard input, which can be read only once.
func (a *app) openInput(ctx context.Context, ds *inputSet, i int, in dataset.Input, r *readFlags) (arrowio.File, error) {
	ds.mu.Lock()
	f := ds.shared[i]
	keep := len(ds.kept) == 0 || in.Path == "-"
	ds.mu.Unlock()
	if f != nil {
		return view.WithClose(f, nil), nil
	}
	again := *r
	again.again = ds.again
	f, err := a.open(ctx, in, &again)
	if err != nil {
		return nil, err
	}
	columns := ds.columns
	if left, err := dataset.Exclude(f.Schema(), columns, ds.exclude); err == nil && ds.exclude != nil {
		columns = left
	}
	ds.drop(f.Schema())
	ds.noteMasked(r.shown.warned(r, f))
	f.warn = func() { a.warn(f.name, r.shown.warned(r, f), columns) }
	f.warn()
	closed := ds.opened(i, f)
	if !keep {
		return view.WithClose(f, func() error {
			f.warn()
			closed()
			return f.Close()
		}), nil
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.kept, ds.shared[i] = append(ds.kept, f), f
	return view.WithClose(f, nil), nil
}

// check checks that the columns of the flags are in the schema, and sets the columns that are left if some are excluded.
// Columns in dropped may be missing.
func (s *selectFlags) check(schema *arrow.Schema, dropped []string) error {
	if s == nil {
		return nil
	}
	if err := s.distinct(schema); err != nil {
		return err
	}
	if s.exclude != nil {
		exclude := slices.DeleteFunc(slices.Clone(s.exclude), func(c string) bool {
			_, err := expr.Resolve(schema, c)
			return err != nil && slices.Contains(dropped, c)
		})
		columns, err := dataset.Exclude(schema, s.columns, exclude)
		if err != nil {
			return usagef("--exclude: %w", err)
		}
		s.columns = columns
	}
	p, err := arrowio.Project(schema, s.columns)
	switch {
	case err != nil:
		return asUsage(err)
	case s.columns == nil:
	case len(p.Fields) == 0 && !s.onlyRows:
		return usagef("no column is left; name at least one with --columns, or leave out fewer with --exclude")
	}
	if s.where.x != nil {
		if _, err := expr.Bind(s.where.x, schema); err != nil {
			return asUsage(err)
		}
	}
	return nil
}

// has reports whether a format of the files has an option.
func (d *inputSet) has(r *readFlags, option string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.formats.names(), func(format string) bool { return slices.Contains(r.options.formats[option], format) })
}

// cureNames adds a hint to the error that several columns have one name: the flags that name columns by their positions.
func (d *inputSet) cureNames(r *readFlags, err error) error {
	if !errors.Is(err, errs.ErrSameName) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, format := range d.formats.names() {
		option := format + "-names"
		if v := r.options.values[option]; v != nil && v.text != "position" {
			err = fmt.Errorf("%w; --%s=position names the columns f0, f1 and so on", err, option)
		}
	}
	return err
}

// distinct returns an error if --columns names a column twice.
func (s *selectFlags) distinct(schema *arrow.Schema) error {
	var seen [][]int
	for _, c := range s.columns {
		path, err := expr.Resolve(schema, c)
		if err != nil {
			continue // said where the columns are looked for
		}
		if slices.ContainsFunc(seen, func(p []int) bool { return slices.Equal(p, path) }) {
			return usagef("--columns names column %s twice", c)
		}
		seen = append(seen, path)
	}
	return nil
}

// close closes what is open. It may be called twice.
func (d *inputSet) close() error {
	var errs []error
	for _, f := range d.kept {
		f.warn()
		errs = append(errs, inFile(f.name, f.Close()))
	}
	d.kept = nil
	return errors.Join(errs...)
}

// read returns how many bytes of all files were read so far. A file that is read twice counts at most once.
func (d *inputSet) read() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all int64
	for i, reads := range d.reads {
		var n int64
		for _, read := range reads {
			if n += read.until; read.of != nil {
				n += read.of()
			}
		}
		if size := d.sizes[i]; size > 0 {
			n = min(n, size)
		}
		all += n
	}
	return all
}

// parts returns how many parts, each of which may be sorted for itself, are read one after the other: files, or the splits of a Kudu
// table.
func (d *inputSet) parts() int {
	if len(d.files) == 1 && d.kept[0].Format() == "kudu" {
		return len(d.kept[0].Splits())
	}
	return len(d.files)
}

// used returns the formats of which one must have each option for reading.
func (d *inputSet) used(o *optionFlags) (used []usedFormat) {
	for _, name := range d.formats.names() {
		used = append(used, usedFormat{o, name, "INPUT"})
	}
	return used
}

// work returns the amount of work of a scan with these flags.
func (d *inputSet) work(s *selectFlags) work {
	w := work{rows: d.rows, bytes: d.size, read: d.read}
	if s.where.x != nil {
		w.rows = arrowio.UnknownRows // the filter decides how many
	} else if r := s.rows.RowRange; w.rows >= 0 && r != (arrowio.RowRange{}) {
		w.rows = r.Intersect(arrowio.RowRange{End: w.rows}).Len()
	}
	return w
}

// expand lists the files in directories and those that match patterns.
func (a *app) expand(ctx context.Context, args []string, r *readFlags) ([]dataset.Input, error) {
	return a.expandFor(ctx, args, r, nil)
}

// expandFor is expand for a command that reads only the rows of a filter; s may be nil.
func (a *app) expandFor(ctx context.Context, args []string, r *readFlags, s *selectFlags) ([]dataset.Input, error) {
	args, err := r.kuduServers(args)
	if err != nil {
		return nil, err
	}
	o, err := a.readOptions(ctx, r)
	if err != nil {
		return nil, err
	}
	if s != nil {
		o.Filter = s.where.x
	}
	o.PassDangling, o.LeftOut = r.looks, r.leftOut
	var out []dataset.Input
	var first error
	faults := map[string]error{}
	for _, arg := range args {
		if arg == "-" {
			out = append(out, dataset.Input{Path: arg, Name: displayName(arg)})
			continue
		}
		inputs, err := dataset.List(ctx, arg, o)
		if err != nil {
			err = inFile(arg, err)
			if first == nil {
				first = err
			}
			if r.leftOut == nil || !ofInput(ctx, err) {
				return nil, err
			}
			faults[arg] = err
		}
		out = append(out, inputs...)
	}
	if len(out) == 0 {
		return nil, first
	}
	for arg, err := range faults {
		r.leftOut(arg, err)
	}
	return out, nil
}
