package orctable

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/workers"
	"github.com/arrowio/arrowio/readers/orc"
)

// Table is an open ACID table. Its rows come partition by partition, in the order of their paths; in each partition, the rows of
// the base, or of the original files, come first, then those of the deltas in the order of their first write ids. Its methods may be
// called concurrently.
type Table struct {
	*contents
	presentation
}

// contents is what a table holds, whatever schema it is shown under.
type contents struct {
	tree   arrowio.Tree
	limits arrowio.Limits
	opt    Options
	ids    *writeIDs
	pool   *pool
	parts  []*partition
	frags  []*fragment
	splits []arrowio.Split
	places []place // by split

	warnings []arrowio.Warning
	events   int64 // delete events of chosen directories
	gone     int64 // rows that are stored and not there
	updated  bool  // some partition is of version 1: rows were updated in place

	mu        sync.Mutex
	schemas   map[string]*arrow.Schema
	undecoded []string // what Verify could not decode
}

// place is where a split of the table is.
type place struct {
	frag  *fragment
	split int   // of the fragment
	base  int64 // rows of the table before the fragment
}

// Open opens the table in t. It chooses files by name, reads the tail of each of them, and reads the row ids of the stripes that
// may have deleted rows or rows of invalid write ids. The Table uses t until it is closed; the files should not change meanwhile.
//
// Contradictions between names, or in files, are errors that name the directory. Warnings returns what is doubtful.
func Open(ctx context.Context, t arrowio.Tree, limits arrowio.Limits, o Options, files orc.Options) (*Table, error) {
	limits = limits.WithDefaults()
	if o.DeleteEvents == 0 {
		o.DeleteEvents = DefaultDeleteEvents
	}
	table := &Table{contents: &contents{tree: t, limits: limits, opt: o, schemas: map[string]*arrow.Schema{}}}
	table.pool = &pool{tree: t, limits: limits, opt: files, events: o.Events, open: map[*dataFile]*handle{}}
	if err := table.load(ctx); err != nil {
		_ = table.Close() // nothing was written
		return nil, at("", err)
	}
	return table, nil
}

func (t *Table) load(ctx context.Context) (err error) {
	if t.parts, t.ids, err = chosenIn(ctx, t.tree, t.limits, t.opt); err != nil {
		return err
	}
	if err := t.describeAll(ctx); err != nil {
		return err
	}
	if err := t.makeSchema(ctx); err != nil {
		return err
	}
	for _, p := range t.parts {
		if err := t.addPartition(ctx, p); err != nil {
			return at(p.path, err)
		}
	}
	return t.show(nil)
}

// chosenIn finds the partitions of a tree, and chooses among the directories of each.
func chosenIn(ctx context.Context, t arrowio.Tree, limits arrowio.Limits, o Options) ([]*partition, *writeIDs, error) {
	ids, err := parseWriteIDs(optionWriteIDs, o.WriteIDs)
	if err != nil {
		return nil, nil, err
	}
	txns, err := parseWriteIDs(optionTransactions, o.Transactions)
	if err != nil {
		return nil, nil, err
	}
	parts, err := explore(ctx, t, limits)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range parts {
		dirs := make([]candidate, len(p.dirs))
		for i, d := range p.dirs {
			dirs[i] = d.candidate
		}
		if p.choice, err = choose(dirs, ids, txns); err != nil {
			return nil, nil, at(p.path, err)
		}
	}
	return parts, ids, nil
}

// Files returns the names of the files in t that have rows, for a table in which rows are only inserted, whatever the format of its files.
// Directories with deletes are errs.ErrCorrupt.
func Files(ctx context.Context, t arrowio.Tree, limits arrowio.Limits, o Options) (names []string, err error) {
	parts, _, err := chosenIn(ctx, t, limits.WithDefaults(), o)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		for _, d := range p.chosen() {
			if d != nil && d.kind == deleteDelta {
				return nil, at(d.path, errs.Errorf(errs.ErrCorrupt, "it holds deletes, and rows of the table are only inserted"))
			}
			for _, f := range p.in(d) {
				if f.size > 0 {
					names = append(names, f.path)
				}
			}
		}
	}
	return names, nil
}

// chosen returns what a partition's rows are made of, in their order: nil stands for the originals.
func (p *partition) chosen() []*acidDir {
	var out []*acidDir
	switch {
	case p.choice.base >= 0:
		out = append(out, p.dirs[p.choice.base])
	case p.choice.originals && len(p.loose) > 0:
		out = append(out, nil)
	}
	for _, i := range p.choice.deltas {
		out = append(out, p.dirs[i])
	}
	return out
}

// in returns the files of a chosen directory.
func (p *partition) in(d *acidDir) []*dataFile {
	if d == nil {
		return p.loose
	}
	return d.files
}

// each runs do for 0 to n-1, several at once.
func each(ctx context.Context, n int, do func(i int) error) error {
	return workers.Each(runtime.GOMAXPROCS(0), n, func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(i)
	})
}

// describeAll reads the tails of chosen files, numbers the rows of raw ones, and checks that each is where it belongs.
func (t *Table) describeAll(ctx context.Context) error {
	var files []*dataFile
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			files = append(files, p.in(d)...)
		}
	}
	if err := each(ctx, len(files), func(i int) error { return t.describe(ctx, files[i]) }); err != nil {
		return err
	}
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			if err := t.place(p, d); err != nil {
				return err
			}
		}
	}
	t.warnings = append(t.warnings, hiddenIn(files)...)
	return nil
}

// hiddenIn joins the warnings of files that say the same.
func hiddenIn(files []*dataFile) []arrowio.Warning {
	var out []arrowio.Warning
	at, count := map[string]int{}, map[string]int{}
	for _, f := range files {
		for _, w := range f.hidden {
			key := w.String()
			i, known := at[key]
			if !known {
				at[key] = len(out)
				w.Place = f.path
				out = append(out, w)
			} else {
				out[i].Rows += w.Rows
			}
			count[key]++
		}
	}
	for i := range out {
		out[i].Place = andMore(out[i].Place, count[out[i].String()])
	}
	return out
}

// place checks and numbers the files of a directory.
func (t *Table) place(p *partition, d *acidDir) error {
	if d == nil {
		for _, f := range p.loose {
			if f.events {
				return at(f.path, errs.Errorf(errs.ErrCorrupt, "it holds events, and lies in no base or delta"))
			}
		}
		numberRaw(p.loose, 0, 0, true)
		return nil
	}
	raw := false
	for _, f := range d.files {
		if d.kind == deleteDelta && f.length == 0 {
			// Hive takes a file of no bytes for one without events, and never leaves one here itself.
			t.warn(arrowio.WarnDoubt, f.path, f.path+": a file of deletes has no bytes: if it was cut off, rows that were deleted are shown; Hive reads it as empty, too")
		}
		raw = raw || !f.events && f.rows > 0
		switch {
		case d.kind == deleteDelta && !f.events && f.rows > 0:
			return at(f.path, errs.Errorf(errs.ErrCorrupt, "it does not hold events"))
		case d.kind == base && f.events && f.operation.Max > 0:
			return at(f.path, errs.Errorf(errs.ErrCorrupt, "a base holds an event that is no insert: %s", operationName(f.operation.Max)))
		case f.operation.Max > 2 || f.operation.Min < 0:
			return at(f.path, errs.Errorf(errs.ErrCorrupt, "it holds operations %d to %d", f.operation.Min, f.operation.Max))
		}
	}
	if raw && d.kind == delta && !t.ids.all(d.min, d.max) {
		t.warn(arrowio.WarnDoubt, d.path, fmt.Sprintf("%s: not all of its write ids are valid, and its rows do not tell which they are of: all are shown", d.path))
	}
	numberRaw(d.files, d.max, max(0, d.stmt), d.min == d.max)
	return nil
}

// addPartition makes fragments of a partition's files, and finds out which of their rows are there.
func (t *Table) addPartition(ctx context.Context, p *partition) error {
	var frags []*fragment
	var deletes []*dataFile
	for _, d := range p.chosen() {
		for _, f := range p.in(d) {
			if f.rows == 0 {
				continue
			}
			if d != nil && d.kind == deleteDelta {
				t.events += f.rows
				deletes = append(deletes, f)
				if !t.opt.Events {
					continue
				}
			}
			g, err := t.newFragment(p, f)
			if err != nil {
				return err
			}
			g.number = len(frags)
			frags = append(frags, g)
		}
	}
	if !t.opt.Events {
		if err := t.apply(ctx, p, deletes, frags); err != nil {
			return err
		}
	}
	for _, g := range frags {
		if err := t.add(g); err != nil {
			return err
		}
	}
	return nil
}

// add appends the splits of a fragment.
func (t *Table) add(g *fragment) error {
	g.cut()
	base := int64(0)
	if n := len(t.splits); n > 0 {
		base = t.splits[n-1].Rows.End
	}
	g.index = len(t.frags)
	t.frags = append(t.frags, g)
	for i, s := range g.splits {
		if len(t.splits) >= t.limits.Splits {
			return errs.Errorf(errs.ErrLimit, "more stripes than the limit Splits = %d", t.limits.Splits)
		}
		t.places = append(t.places, place{g, i, base})
		t.splits = append(t.splits, arrowio.Split{
			Ordinal: len(t.splits), Rows: arrowio.RowRange{Start: base + s.Rows.Start, End: base + s.Rows.End}, Bytes: s.Bytes,
		})
	}
	return nil
}

// Splits lists the stripes of all fragments; large stripes are divided into several splits.
func (t *Table) Splits() []arrowio.Split { return t.splits }

// of returns which split of which fragment a split is, and how far its rows are from those of the table.
func (t *Table) of(s arrowio.Split) (*fragment, arrowio.Split, int64) {
	p := t.places[s.Ordinal]
	return p.frag, p.frag.splits[p.split], p.base
}

// Prune returns the rows of s that may satisfy pred: see orc.File.Prune.
func (t *Table) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	g, split, base := t.of(s)
	rows, err := t.shown[g.index].Prune(ctx, split, pred)
	return shift(rows, base), at(g.of.path, err)
}

// Read opens the rows of a split.
func (t *Table) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	g, split, base := t.of(s)
	r, err := t.shown[g.index].Read(ctx, split, shift(rows, -base), p, mem)
	return r, at(g.of.path, err)
}

func shift(rows arrowio.RowSet, by int64) arrowio.RowSet {
	if by == 0 {
		return rows
	}
	out := slices.Clone(rows)
	for i := range out {
		out[i].Start += by
		out[i].End += by
	}
	return out
}

// warn keeps a warning about a file or directory of the table.
func (t *Table) warn(kind arrowio.WarningKind, path, text string) {
	t.warnings = append(t.warnings, arrowio.Warning{Kind: kind, Place: path, Rows: arrowio.UnknownRows, Text: text})
}

// Warnings implements arrowio.Warner.
func (t *Table) Warnings() []arrowio.Warning { return slices.Concat(t.warnings, t.unshown) }

// BytesRead implements arrowio.ByteCounter.
func (t *Table) BytesRead() int64 { return t.pool.bytes() }

// BytesStored implements arrowio.ByteCounter: the sizes of all chosen files.
func (t *Table) BytesStored() (n int64) {
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				n += f.length
			}
		}
	}
	return n
}

// Close closes the files that are not being read. Files that are being read are closed with their readers.
func (t *Table) Close() error { return t.pool.close() }
