package flight

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/workers"
	"github.com/arrowio/arrowio/readers"
)

// Entry is the state of a dataset at one time: its files and their identities. It does not change, and can be used after the
// Catalog has refreshed or removed the dataset.
type Entry struct {
	Name      string
	Schema    *arrow.Schema
	Format    string            // of the first file; "" = there are no files
	Dataset   *dataset.Dataset  // its fragments are opened by Open
	Fragments []Fragment        // one for each of Dataset.Fragments
	Options   map[string]string // options of the client with which it was opened
	Rows      int64             // arrowio.UnknownRows = some file does not say
	Bytes     int64             // stored
	Loaded    time.Time         // when loading it began
	LeftOut   []Fault           // files that are not in it: see readers.Options.SkipBroken and LinksInside

	of    *served
	guard *guard         // nil = the client may read all of it
	at    map[string]int // fragment by identity
	took  time.Duration  // to load
	old   bool           // the dataset's: to be loaded again

	unrelated bool // its files have no column in common
}

// Fragment describes one file of an Entry.
type Fragment struct {
	Name     string // NAME/path, for messages and clients; it does not show where the dataset is stored
	Identity string // of its name and content: see arrowio.Identifier
	Splits   []arrowio.Split
	Rows     int64             // arrowio.UnknownRows = it does not say
	Bytes    int64             // stored
	Warnings []arrowio.Warning // see arrowio.Warner
	path     string
}

// openers is how many files are looked at together when a dataset is opened.
const openers = 8

func loadEntry(ctx context.Context, d *served, options map[string]string) (*Entry, error) {
	begun := time.Now()
	told := d.doubts.Begin()
	defer told.End()
	warn := func(w arrowio.Warning) {
		if !told.New(w.File + ": " + w.String()) {
			return
		}
		d.catalog.o.Logger.WarnContext(ctx, "dataset", "dataset", d.name, "kind", string(w.Kind), "warning", w.String())
	}
	out := &leftOut{d: d}
	data, err := d.spec.open(ctx, options, warn, out.add)
	if err != nil {
		return nil, err
	}
	for _, w := range data.Warnings(nil) {
		warn(w)
	}
	e := &Entry{
		Name: d.name, Schema: data.Schema, Dataset: data, Fragments: make([]Fragment, len(data.Fragments)), Options: options,
		Loaded: begun, of: d, at: map[string]int{}, LeftOut: out.list,
	}
	columns := make([][]string, len(e.Fragments))
	err = workers.Each(openers, len(e.Fragments), func(i int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		columns[i], err = e.look(ctx, i)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.unrelated = len(columns) > 1 && len(inAll(columns)) == 0
	for i, f := range e.Fragments {
		e.at[f.Identity] = i
		e.Bytes += f.Bytes
		if e.Rows != arrowio.UnknownRows && f.Rows != arrowio.UnknownRows {
			e.Rows += f.Rows
		} else {
			e.Rows = arrowio.UnknownRows
		}
	}
	e.took = time.Since(begun)
	return e, nil
}

// formats returns those that the files may have.
func (s *Spec) formats() []arrowio.Format {
	if s.Read.Formats != nil {
		return s.Read.Formats
	}
	return readers.All()
}

// inAll returns the names that are in each of several lists.
func inAll(lists [][]string) []string {
	common := lists[0]
	for _, names := range lists[1:] {
		common = slices.DeleteFunc(slices.Clone(common), func(n string) bool { return !slices.Contains(names, n) })
	}
	return common
}

// open opens the files; warn is called with what is doubtful about them as a whole, and leftOut with files that are not opened.
func (s *Spec) open(ctx context.Context, options map[string]string, warn func(arrowio.Warning), leftOut func(string, error)) (*dataset.Dataset, error) {
	if s.Open != nil {
		return s.Open(ctx, options)
	}
	o := s.Read
	if o.Warn == nil {
		o.Warn = warn
	}
	if o.LeftOut == nil {
		o.LeftOut = leftOut
	}
	o.Lenient, o.Identified = true, true
	o.Options = maps.Clone(o.Options)
	if len(options) > 0 {
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		maps.Copy(o.Options, options)
	}
	return readers.OpenDataset(ctx, s.Paths, o)
}

// look opens fragment i for what is kept of it, and returns the names of its columns.
func (e *Entry) look(ctx context.Context, i int) (columns []string, err error) {
	fr := e.Dataset.Fragments[i]
	f := &e.Fragments[i]
	f.path, f.Name = fr.Name, e.of.publicName(fr.Name, i)
	file, err := fr.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fr.Name, err)
	}
	defer func() {
		if cerr := file.Close(); err == nil {
			err = cerr
		}
	}()
	x, err := dataset.Measure(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fr.Name, err)
	}
	f.Identity, f.Splits, f.Rows, f.Bytes = named(x.ID, f.Name), x.Splits, x.Rows(), x.Bytes()
	f.Warnings = arrowio.WarningsOf(file)
	if i == 0 {
		info, err := file.Info(ctx, arrowio.InfoOptions{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fr.Name, err)
		}
		e.Format = info.Format
	}
	for _, c := range file.Schema().Fields() {
		columns = append(columns, c.Name)
	}
	return columns, nil
}

// identityOf returns the identity of an open file and its name.
func identityOf(ctx context.Context, name string, f arrowio.File) (string, error) {
	own, err := arrowio.Identity(ctx, f)
	if err != nil {
		return "", err
	}
	return named(own, name), nil
}

// named returns the identity of a file of a name: two files of the same content are not the same.
func named(identity, name string) string {
	sum := sha256.Sum256([]byte(identity + " " + name))
	return hex.EncodeToString(sum[:12])
}

// same reports whether two entries of one dataset are of the same files and schema.
func (e *Entry) same(o *Entry) bool {
	return slices.EqualFunc(e.Fragments, o.Fragments, func(a, b Fragment) bool { return a.Identity == b.Identity }) &&
		dataset.SchemaHash(e.Schema) == dataset.SchemaHash(o.Schema)
}

// Open opens fragment i. It fails if the file has changed since the entry was made. The file has its own schema; Dataset.Show
// shows it under the dataset's. The caller closes the file.
func (e *Entry) Open(ctx context.Context, i int) (arrowio.File, error) {
	if err := e.told(); err != nil {
		return nil, err
	}
	f, err := e.Dataset.Fragments[i].Open(ctx)
	if gone(err) {
		e.of.markStale()
		return nil, changedFile(e.Fragments[i].Name)
	}
	if err != nil {
		return nil, err
	}
	if err := e.check(ctx, i, f); err != nil {
		_ = f.Close() // it was not read
		return nil, err
	}
	return f, nil
}

// check looks whether an open file is what it was.
func (e *Entry) check(ctx context.Context, i int, f arrowio.File) error {
	id, err := identityOf(ctx, e.Fragments[i].Name, f)
	if err == nil && id != e.Fragments[i].Identity {
		e.of.markStale()
		err = changedFile(e.Fragments[i].Name)
	}
	return err
}

// Public returns err with the names of files that clients see in place of paths. If err says that a file in a store has changed,
// the next Lookup loads the dataset again.
func (e *Entry) Public(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, stores.ErrChanged) {
		e.of.markStale()
		return changed(e.Name)
	}
	return renamedError(err, e.publicText)
}

func (e *Entry) publicText(text string) string {
	for _, f := range e.Fragments {
		if f.path != "" && strings.Contains(text, f.path) {
			text = strings.ReplaceAll(text, f.path, f.Name)
		}
	}
	return e.of.publicText(text)
}
