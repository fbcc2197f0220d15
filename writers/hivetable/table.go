package hivetable

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/uuid"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/readas"
)

// Options say how a table is opened.
type Options struct {
	// Files are the formats of data files, by their names "orc" and "parquet".
	Files   []arrowio.OutputFormat
	Options map[string]string // of Format
	Stores  *stores.Stores    // nil = stores.Shared()
	Limits  arrowio.Limits
}

// Table is a table that rows are added to once. It is an arrowio.Store, whose Commit shows the rows to readers of the table.
//
//	t, err := Open(ctx, "hive://metastore:9083/sales.events", Options{...})
//	w, err := arrowio.NewWriter(ctx, t.Format(), t, plan) // of t.Format().Plan
type Table struct {
	ctx     context.Context
	address metastore.Address
	o       Options
	opt     tableOptions
	meta    *metastore.StoredTable
	format  arrowio.OutputFormat // of data files
	files   *arrow.Schema        // the columns that they have
	keys    *arrow.Schema        // the partition columns; nil = there are none
	run     string               // in the names of all files

	mu    sync.Mutex
	names map[string]bool       // of the partitions that there were at first; nil = not asked for yet
	parts map[string]*partition // that rows go to, by name; "" = the table, which has no partitions
	made  []*file
	fresh []string // directories of this machine that did not exist
	done  bool
}

// partition is a directory that rows go to.
type partition struct {
	name     string
	values   []string
	location string // as the metastore has it
	found    bool   // it was there before
}

// Open opens the table that url names. Nothing is written yet. ctx is that of the whole change.
func Open(ctx context.Context, url string, o Options) (*Table, error) {
	t := &Table{ctx: ctx, o: o, run: uuid.NewString(), parts: map[string]*partition{}}
	var err error
	if t.address, err = metastore.ParseURL(url); err != nil {
		return nil, err
	}
	if t.opt, err = parseOptions(o.Options); err != nil {
		return nil, err
	}
	t.opt.metastore.Bytes = o.Limits.WithDefaults().MetadataBytes
	if t.o.Stores == nil {
		t.o.Stores = stores.Shared()
	}
	if err := t.ask(ctx, func(c *metastore.Client) (err error) {
		t.meta, err = c.StoredTable(ctx, t.address.Name)
		return err
	}); err != nil {
		return nil, err
	}
	if err := writable(&t.meta.Table); err != nil {
		return nil, err
	}
	name, err := formatOf(&t.meta.Storage)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(o.Files, func(f arrowio.OutputFormat) bool { return f.Name == name })
	if i < 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "the files of the table are in the format %s, which is not written", name)
	}
	t.format = o.Files[i]
	return t, t.schemas()
}

// schemas finds the columns of the table.
func (t *Table) schemas() (err error) {
	if t.files, err = readas.Schema(metastore.Notation(t.meta.Storage.Columns), readas.Options{Unit: arrow.Nanosecond}); err != nil {
		return err
	}
	if len(t.meta.Keys) == 0 {
		return nil
	}
	if err := checkKeys(t.meta.Keys); err != nil {
		return err
	}
	t.keys, err = readas.Schema(metastore.Notation(t.meta.Keys), readas.Options{Unit: arrow.Nanosecond})
	return err
}

// ask connects to the metastore for a few calls: rows may take longer to come than a connection lives.
func (t *Table) ask(ctx context.Context, do func(c *metastore.Client) error) error {
	c, err := metastore.Dial(ctx, t.address.Server, t.opt.metastore)
	if err != nil {
		return err
	}
	err = do(c)
	_ = c.Close() // the answers are there
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

// mostPartitions bounds how many partitions one change adds: the metastore takes them in one call.
const mostPartitions = 10_000

// enter finds a partition by its name.
func (t *Table) enter(ctx context.Context, name string, values []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parts[name] != nil {
		return nil
	}
	p := &partition{name: name, values: values, location: strings.TrimRight(t.meta.Storage.Location, "/")}
	if t.keys == nil {
		t.parts[name] = p
		return nil
	}
	p.location += "/" + name
	err := t.ask(ctx, func(c *metastore.Client) error {
		if t.names == nil {
			all, err := c.PartitionNames(ctx, t.meta.Named())
			if err != nil {
				return err
			}
			t.names = make(map[string]bool, len(all))
			for _, n := range all {
				t.names[n] = true
			}
		}
		if !t.names[name] {
			return nil
		}
		return p.find(ctx, c, t.meta)
	})
	if err != nil {
		return errs.Locate(err, errs.At{File: name})
	}
	if !p.found && t.added() == mostPartitions {
		return errs.Errorf(errs.ErrLimit, "the rows are in more than %d new partitions: write them in parts, with %w", mostPartitions, errs.Opt("where", ""))
	}
	t.parts[name] = p
	return nil
}

// find asks for a partition that is there.
func (p *partition) find(ctx context.Context, c *metastore.Client, t *metastore.StoredTable) error {
	found, err := c.StoredPartitions(ctx, t, []string{p.name})
	if err != nil || len(found) == 0 {
		return err
	}
	p.found, p.location = true, strings.TrimRight(found[0].Storage.Location, "/")
	return sameStorage(&t.Table, &found[0].Partition)
}

// added is how many partitions are to be added.
func (t *Table) added() (n int) {
	for _, p := range t.parts {
		if !p.found {
			n++
		}
	}
	return n
}

// Scratch implements arrowio.Store.
func (t *Table) Scratch() (arrowio.ScratchFile, error) { return local.NewMemStore().Scratch() }

var errDone = errors.New("the table is not being written")
