package icebergtable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// Options say how a table is opened.
type Options struct {
	// Files are the formats of data files, by their names "orc" and "parquet".
	Files   []arrowio.OutputFormat
	Options map[string]string // of Format
	// Reader is the reader of tables, readers/icebergtable's Format: what deletes rows, or writes them again, reads them with it.
	Reader arrowio.Format
	// Write says how Delete and Compact write files, beside what the table says; other rows are written as their plan has it.
	Write arrowio.WriteOptions
	// FileOptions are options of the formats of data files, by the names of the formats.
	FileOptions map[string]map[string]string
	// DryRun is for Delete and Compact: nothing is written.
	DryRun bool
	// Force replaces all rows of a table that exists, instead of an error. The rows stay in the table's older snapshots.
	Force  bool
	Stores *stores.Stores // nil = stores.Shared()
	Limits arrowio.Limits

	existing bool // the table is changed, and never made
}

// Table is a table that rows are written to once. It is an arrowio.Store, whose Commit changes the table.
//
//	t, err := Open(ctx, "warehouse/db/events", Options{...})
//	w, err := arrowio.NewWriter(ctx, t.Format(), t, plan) // of t.Format().Plan
type Table struct {
	ctx     context.Context
	name    string
	o       Options
	opt     tableOptions
	writer  writer
	catalog catalog
	base    *base // nil = there is no table yet

	where       *rowFilter                                 // of the rows that are deleted; nil = none are
	planner     func(ctx context.Context) (*change, error) // makes the change anew for each attempt; nil = it is always the same
	unused      func() []string                            // files of attempts that the snapshot does not have; nil = there are none
	targetBytes int64                                      // of files; 0 = as the table says
	made        int64                                      // id of the snapshot

	mu     sync.Mutex
	change *change // what Commit does; nil = nothing was written
	done   bool
	fresh  []string // directories that did not exist
}

// Open opens the table that name stands for: its directory, or iceberg://CATALOG/NAMESPACE.TABLE. Nothing is written yet. A table
// that exists is an error if one should be made, and one that does not if rows should be added. ctx is that of the whole change.
func Open(ctx context.Context, name string, o Options) (*Table, error) {
	opt, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	if o.Stores == nil {
		o.Stores = stores.Shared()
	}
	t := &Table{ctx: ctx, name: name, o: o, opt: opt}
	limits := o.Limits.WithDefaults()
	t.writer = writer{place: place{o.Stores}, most: limits.MetadataBytes, mostManifests: limits.Splits}
	if t.catalog, err = openCatalog(ctx, name, t.writer.place, &t.opt, t.writer.most); err != nil {
		return nil, err
	}
	t.base, err = t.catalog.load(ctx)
	if err != nil && !noTable(err) {
		return nil, err
	}
	switch missing := err != nil; {
	case missing && o.existing:
		return nil, fmt.Errorf("there is no Iceberg table to be changed: %w", err)
	case missing && t.opt.mode != modeCreate:
		return nil, fmt.Errorf("there is no table: %w (%w makes it)", err, errs.Opt(optionMode, modeCreate))
	case missing:
		return t, t.catalog.canCreate(ctx)
	case t.opt.mode == modeCreate && !o.Force:
		return nil, fmt.Errorf("%w: %w adds rows to the table, and %w replaces them", fs.ErrExist, errs.Opt(optionMode, modeAppend), errs.Opt(optionMode, modeOverwrite))
	case len(t.opt.creates) > 0:
		return nil, errs.Errorf(errs.ErrOption, "%w is about new tables, and the table exists", errs.Opt(t.opt.creates[0], ""))
	case t.opt.mode == modeCreate:
		t.opt.mode = modeOverwrite
	case t.opt.mode == modeReplace:
		if err := t.canReplacePartitions(); err != nil {
			return nil, err
		}
	}
	if t.opt.where != nil {
		t.where = &rowFilter{expr: t.opt.where}
	}
	return t, t.writable()
}

// writable refuses tables that are not written.
func (t *Table) writable() error {
	b := t.base
	for key := range b.meta.Props {
		if strings.HasPrefix(key, "encryption.") {
			return errs.Errorf(errs.ErrUnsupported, "the table is encrypted (%s): such tables are not written", key)
		}
	}
	_, err := b.current()
	return err
}

// Format returns the format of the table: its Plan says what becomes of rows in this table, and its Create writes to the table.
func (t *Table) Format() arrowio.OutputFormat {
	f := Format()
	f.Plan = t.plan
	f.Create = func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
		return t.newDriver(ctx, st, p)
	}
	return f
}

// FileFormat returns the name of the format of new data files.
func (t *Table) FileFormat() (string, error) {
	f, err := t.fileFormat()
	return f.Name, t.given(err)
}

// fileFormat returns the format of new data files.
func (t *Table) fileFormat() (arrowio.OutputFormat, error) {
	name := t.opt.format
	if t.base != nil {
		name = "parquet" // as Iceberg has it where the table does not say
	}
	if text, ok := t.props()[propFormat]; ok {
		name = strings.ToLower(text)
	}
	return t.namedFormat(name, propFormat)
}

// namedFormat returns a format of files that a property of the table names.
func (t *Table) namedFormat(name, property string) (arrowio.OutputFormat, error) {
	var known []string
	for _, f := range t.o.Files {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return arrowio.OutputFormat{}, wrongProperty("the table's property %s is %.40q, and files are written in %s", property, name, strings.Join(known, " and "))
}

// Create implements arrowio.Store: it opens a file of the table.
func (t *Table) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.createFile(ctx, name)
}

func (t *Table) createFile(ctx context.Context, name string) (arrowio.Sink, error) {
	if t.done || t.base == nil {
		return nil, errs.Errorf(errs.ErrInternal, "the table is not being written")
	}
	if len(t.writer.written) == 0 {
		if d, ok := t.catalog.(*directory); ok { // before rows are written for nothing
			if err := d.prepare(ctx); err != nil {
				return nil, err
			}
		}
	}
	location := t.base.location() + "/" + name
	t.note(ctx, location)
	t.writer.written = append(t.writer.written, location)
	k, err := t.writer.create(ctx, location)
	if err != nil && isLocal(location) { // it was not made
		t.writer.written = t.writer.written[:len(t.writer.written)-1]
	}
	return k, err
}

// Snapshot returns the id of the snapshot that Commit has made; 0 = it has made none.
func (t *Table) Snapshot() int64 { return t.made }

// note remembers which directories of this machine or HDFS are made for a file.
func (t *Table) note(ctx context.Context, location string) {
	if !isLocal(location) && !isHDFS(location) {
		return
	}
	for dir := dirOf(found(location)); !slices.Contains(t.fresh, dir) && len(dir) >= len(found(t.base.location())); dir = dirOf(dir) {
		if _, err := t.o.Stores.Stat(ctx, dir); err == nil {
			return
		}
		t.fresh = append(t.fresh, dir)
	}
}

// Scratch implements arrowio.Store.
func (t *Table) Scratch() (arrowio.ScratchFile, error) { return local.NewMemStore().Scratch() }

// Attempts of a commit, and the wait after the first. Each wait is up to twice the one before.
const (
	attempts  = 30
	firstWait = 20 * time.Millisecond
	longWait  = 2 * time.Second
)

// Commit implements arrowio.Store: it makes a snapshot of what was written the current one. If somebody else has changed the table
// meanwhile, it tries again with the new state.
func (t *Table) Commit() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || t.change == nil && t.planner == nil {
		return errs.Errorf(errs.ErrInternal, "commit of a table to which nothing was written")
	}
	wait, durable := firstWait, 0
	for try := 1; ; try++ {
		if t.planner != nil {
			var err error
			if t.change, err = t.planner(t.ctx); err != nil {
				return err
			}
			if t.change == nil { // nothing is to be done
				t.done = true
				t.sweep()
				return nil
			}
		}
		t.note(t.ctx, t.base.location()+"/metadata/x")
		p, err := t.writer.snapshot(t.ctx, t.base, t.change)
		if err != nil {
			return err
		}
		if err = makeDurable(t.ctx, t.writer.written[durable:]); err != nil {
			return err
		}
		durable = len(t.writer.written)
		err = t.catalog.commit(t.ctx, &t.writer, t.base, p)
		switch {
		case err == nil:
			t.done, t.made = true, p.ID
			t.sweep()
			return nil
		case errors.Is(err, errUnknown):
			t.done = true // Abort must remove nothing
			return fmt.Errorf("perhaps the table has the rows, perhaps not; look for snapshot %d before you write them again. The files stay, %s and others: %w", p.ID, p.List, err)
		case !errors.Is(err, errConflict):
			return err
		case t.base.where == "":
			return errs.Errorf(errs.ErrOption, "somebody else has made the table since this began, and it exists now: %w adds rows to it, and %w replaces its rows (%w)", errs.Opt(optionMode, modeAppend), errs.Opt(optionMode, modeOverwrite), err)
		case try == attempts:
			return fmt.Errorf("gave up after %d attempts: %w", try, err)
		}
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
		wait = min(2*wait, longWait)
		t.writer.stale, t.writer.attempt = append(t.writer.stale, t.writer.attempt...), nil
		if err := t.again(); err != nil {
			return err
		}
	}
}

// again reads the state of the table anew.
func (t *Table) again() error {
	now, err := t.catalog.load(t.ctx)
	if err != nil {
		return err
	}
	was := t.base
	t.base = now
	switch {
	case now.meta.UUID != was.meta.UUID:
		return errs.Errorf(errs.ErrOption, "another table has taken the place of the table meanwhile")
	case now.location() != was.location():
		return errs.Errorf(errs.ErrOption, "the table has moved to %s meanwhile", now.location())
	case now.meta.SchemaID != was.meta.SchemaID:
		return errs.Errorf(errs.ErrOption, "the schema of the table has changed meanwhile: begin again")
	case t.planner != nil && now.meta.SpecID != was.meta.SpecID:
		return errs.Errorf(errs.ErrOption, "the partition spec of the table has changed meanwhile: begin again")
	case now.meta.Version != was.meta.Version:
		return errs.Errorf(errs.ErrOption, "the table has another format version now: begin again")
	}
	return t.writable()
}

// sweep removes what attempts before the last have left.
func (t *Table) sweep() {
	if t.unused != nil {
		t.writer.stale = append(t.writer.stale, t.unused()...)
	}
	for _, location := range t.writer.stale {
		_ = t.writer.remove(context.WithoutCancel(t.ctx), location) // nobody looks for it
	}
}

// Abort implements arrowio.Store: it removes all files that were written, unless the table may have them.
func (t *Table) Abort() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil
	}
	t.done = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), time.Minute)
	defer cancel()
	var all []error
	for _, location := range t.writer.written {
		if err := t.writer.remove(ctx, location); err != nil && len(all) < 3 {
			all = append(all, err)
		}
	}
	slices.SortFunc(t.fresh, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range t.fresh {
		_ = t.o.Stores.Remove(ctx, dir) // not if somebody else has put something there
	}
	return errors.Join(all...)
}

// fieldsFor returns the fields of the table, new ones for rows of a schema if there is no table yet.
func (t *Table) fieldsFor(s *arrow.Schema) ([]iceberg.Field, error) {
	if t.base == nil {
		return newFields(s, t.opt.version)
	}
	return t.base.fields()
}
