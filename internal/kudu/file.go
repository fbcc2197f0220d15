package kudu

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// File is a table, or a tablet of it, read from the directories of a tablet server that does not run. Its methods may be
// called concurrently. The directories must not change meanwhile.
type File struct {
	server  *server // nil = of a set
	dirs    *Dirs   // likewise
	blocks  blockStore
	limits  arrowio.Limits
	opt     Options
	table   string
	set     *kuduwire.Set // nil = of a server
	apart   bool          // it is known that no other table has its blocks
	unended []string      // logs of which nothing tells whether their ends are there
	tablets []*tablet
	columns []kuduwire.Column // of the newest schema
	// badNames are the names of columns that are not UTF-8.
	badNames *fieldname.Names
	schema   *arrow.Schema
	parts    []*part // one for each split
	splits   []arrowio.Split
	others   []string      // servers that have replicas of the tablet, too
	first    arrowio.Split // where the splits begin to be counted, if the rows of other files come before
	findings

	sizes   sizes
	bytes   atomic.Int64 // read from blocks
	kept    atomic.Int64 // bytes of liveness that parts keep
	scratch sync.Pool    // *scratch
}

// tablet is one tablet of the table, as this server has it.
type tablet struct {
	id      string
	super   *kuduwire.SuperBlock
	schema  *kuduwire.Schema // newest: of the superblock or of the log
	version uint32
	rowsets []*rowset
	mem     *memRows // rows that were never flushed; nil = none
	log     *logState
	blind   bool     // to verify: it has blocks, and there is no data directory
	rebuilt *rebuilt // nil = it has a superblock
}

// part is what a split reads: rows of a rowset, or of a tablet's memory.
type part struct {
	tablet *tablet
	rowset *rowset          // nil = rows of tablet.mem
	rows   arrowio.RowRange // ordinals in the rowset, or positions in memory
	some   bool             // some of the rows may be gone
	gone   int64            // how many are

	mu   sync.Mutex
	live []byte // where some is set: a bit for each row, or nil = not known at the moment
}

// Open opens the table of a tablet server's directories that o names. path is the server's WAL directory.
func Open(ctx context.Context, path string, limits arrowio.Limits, o Options) (*File, error) {
	s, err := openServer(ctx, path, limits, o)
	if err != nil {
		return nil, err
	}
	return s.table(ctx)
}

// server is a server's directories and the blocks in them.
type server struct {
	path   string // as the caller names it, where there are several; "" = there is one
	dirs   *Dirs
	blocks *Blocks
	limits arrowio.Limits
	opt    Options
	locked string // the file that a server locks while it runs, where one is locked; "" = none is
	failed error  // what had to be passed over to open them, to verify them; nil = nothing
}

func openServer(ctx context.Context, path string, limits arrowio.Limits, o Options) (*server, error) {
	s := &server{limits: limits.WithDefaults(), opt: o}
	d := DirOptions{Wal: path, Metadata: o.Metadata, Data: o.Data, Key: o.Key, Salvage: o.Salvage && !o.verify, FindWal: true, NoData: o.noData, DataLater: true, Limits: s.limits}
	if err := o.checkRebuild(); err != nil {
		return nil, err
	}
	s.opt, d.Salvage = o, o.Salvage && !o.verify
	var err error
	if s.dirs, err = OpenDirs(d); err != nil && o.verify && isData(err) {
		s.failed, d.Salvage = err, true
		s.dirs, err = OpenDirs(d)
	}
	if err != nil && !o.Salvage && errors.Is(err, errs.ErrCorrupt) {
		return nil, withHint(err)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.dirs.Data {
		if name := filepath.Join(s.dirs.Data[i].Path, dirInstanceName); s.locked == "" && isLocked(name) {
			s.locked = name
		}
	}
	if s.blocks, err = OpenBlocks(ctx, s.dirs); err != nil {
		return nil, err
	}
	return s, nil
}

// table opens the table that the options name. The blocks are closed with it.
func (s *server) table(ctx context.Context) (*File, error) {
	f := &File{server: s, dirs: s.dirs, blocks: s.blocks, limits: s.limits, opt: s.opt, sizes: usualSizes}
	if s.opt.sizes.rows > 0 {
		f.sizes = s.opt.sizes
	}
	f.ofServer(s)
	if err := f.open(ctx); err != nil {
		return nil, errors.Join(err, s.blocks.Close())
	}
	return f, nil
}

func (f *File) open(ctx context.Context) error {
	if err := f.choose(ctx); err != nil {
		return err
	}
	if err := f.needData(); err != nil {
		return err
	}
	return f.openTablets(ctx)
}

// needData makes sure that there is a data directory where a tablet has blocks. To verify the table, that there is none is
// a fault of each such tablet; a salvage tells of the blocks one by one.
func (f *File) needData() error {
	err := f.dirs.NeedData()
	if err == nil || f.opt.Salvage && !f.opt.verify && !isDenied(err) {
		return nil
	}
	for _, t := range f.tablets {
		n := len(t.super.Blocks())
		switch {
		case n == 0:
		case !f.opt.verify:
			return err
		default:
			t.blind = true
			f.fault(inTablet(corrupt("%s cannot be read: %s", counted(int64(n), "block", "blocks"), strings.TrimPrefix(innermost(err), "kudu: ")), t))
		}
	}
	return nil
}

// hintSalvage adds to an error about what the files hold that a salvage would go on.
func (f *File) hintSalvage(err error) error {
	if f.opt.Salvage || !isData(err) || errors.Is(err, cfile.ErrNotText) {
		return err
	}
	return withHint(f.hintOthers(err))
}

// hintOthers adds to an error how other replicas are read, if there are any.
func (f *File) hintOthers(err error) error {
	if len(f.others) == 0 {
		return err
	}
	return reword(err, func(cause error) error {
		err := fmt.Errorf("%w; another replica of the tablet is read with %w", cause, errs.Opt("kudu-replica", f.others[0]))
		if !f.opt.Check {
			err = fmt.Errorf("%w, and the first that is not damaged with %w", err, errs.Opt("kudu-check", ""))
		}
		return err
	})
}

func withHint(err error) error {
	return reword(err, func(cause error) error {
		return fmt.Errorf("%w; %w reads what is left and reports what is lost", cause, errs.Opt("kudu-salvage", ""))
	})
}

// openTablets opens the tablets that were chosen.
func (f *File) openTablets(ctx context.Context) error {
	for _, t := range f.tablets {
		if err := f.openTablet(ctx, t); err != nil {
			return f.hintSalvage(inTablet(err, t))
		}
	}
	if err := f.makeSchema(newestOf(f.tablets)); err != nil {
		return err
	}
	if err := f.makeSplits(ctx); err != nil {
		return err
	}
	f.tellBefore()
	f.tellOpen()
	return nil
}

// makeSplits makes the splits of all tablets.
func (f *File) makeSplits(ctx context.Context) error {
	for _, t := range f.tablets {
		rows, rowsets := int64(0), int64(0)
		for _, rs := range t.rowsets {
			before := f.rows()
			if err := f.cut(ctx, rs); err != nil {
				return f.hintSalvage(inRowSet(err, rs))
			}
			if shown := f.rows() - before; f.opt.Snapshot > 0 && shown > 0 && f.forgotten(rs, f.opt.Snapshot) {
				rows, rowsets = rows+shown, rowsets+1
			}
		}
		f.tellHistory(t, rows, rowsets)
		if n := int64(t.mem.len()); n > 0 {
			for start := int64(0); start < n; start += f.sizes.rows {
				f.add(&part{tablet: t, rows: arrowio.RowRange{Start: start, End: min(n, start+f.sizes.rows)}})
			}
		}
	}
	return nil
}

func inTablet(err error, t *tablet) error {
	if t.id == setTablet { // which the file's name tells
		return errs.Locate(err, errs.At{Format: Name})
	}
	return inPlace(err, t.place())
}

func inRowSet(err error, rs *rowset) error {
	if at, _ := errs.Where(err); rs.tablet.id == setTablet && (at.File != "" || strings.HasPrefix(at.Op, "rowset ")) {
		return err // the name of the file tells the rowset
	}
	return inPlace(err, rs.place())
}

// inPlace says in which tablet, or in which rowset of it, an error is, unless it says so itself.
func inPlace(err error, where string) error {
	var e *errs.Error
	if errors.As(err, &e) && strings.HasPrefix(e.Op, "tablet ") {
		return err
	}
	if errors.As(err, &e) && e.Op != "" {
		c := *e
		c.Op = where + ", " + e.Op
		err = &c
	}
	return errs.Locate(err, errs.At{Format: Name, Op: where})
}

// withData keeps the tablets of a table that hold rows, or could.
func (f *File) withData(all []*tablet) error {
	f.table = all[0].super.TableName
	gone := ""
	for _, t := range all {
		switch t.super.State {
		case kuduwire.TabletReady:
			f.tablets = append(f.tablets, t)
		case kuduwire.TabletTombstoned, kuduwire.TabletDeleted:
			gone = fmt.Sprintf("tablet %s is %v: this server has given its rows up; other servers may have them", t.id, t.super.State)
			f.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: t.place(), Rows: arrowio.UnknownRows}, "%s", gone)
		default:
			why := fmt.Sprintf("tablet %s is %v: it was being copied from another server, and is not complete here", t.id, t.super.State)
			if !f.opt.Salvage {
				return errs.Errorf(errs.ErrUnsupported, "kudu: %s; %w reads what there is", why, errs.Opt("kudu-salvage", ""))
			}
			f.lose(nil, at(t.place(), arrowio.UnknownRows), "%s", why)
			f.tablets = append(f.tablets, t)
		}
	}
	if len(f.tablets) == 0 {
		return errs.Errorf(errs.ErrUnsupported, "kudu: table %s has no rows here: %s", f.table, gone)
	}
	f.note(oneServer)
	return nil
}

// oneServer is said of each table of a single server.
const oneServer = "these are the rows of one server; a replica that was not the leader may lack the last operations"

// newestOf returns a tablet with the newest schema: tablets are altered one after another.
func newestOf(tablets []*tablet) *tablet {
	newest := tablets[0]
	for _, t := range tablets[1:] {
		if t.version > newest.version {
			newest = t
		}
	}
	return newest
}

// makeSchema makes the schema of the newest version that any tablet has.
func (f *File) makeSchema(newest *tablet) error {
	f.columns, f.badNames = newest.schema.Columns, &newest.schema.BadNames
	fields := make([]arrow.Field, len(f.columns))
	for i := range f.columns {
		var err error
		if fields[i], err = f.field(&f.columns[i]); err != nil {
			return errs.Locate(err, errs.At{Format: Name, Op: "schema", Column: f.columns[i].Name})
		}
	}
	var keys, values []string
	if f.table != "" { // sets may do without
		keys, values = []string{"kudu.table"}, []string{f.table}
	}
	if f.set != nil {
		for i, m := range f.set.ColumnMetadata[:min(len(fields), len(f.set.ColumnMetadata))] {
			fields[i].Metadata = withMeta(fields[i].Metadata.Keys(), fields[i].Metadata.Values(), m)
			if t := f.columns[i].Type; f.opt.StringsBinary && (t == cfilewire.String || t == cfilewire.Varchar) {
				fields[i] = schemadiff.WithoutExtension(fields[i]) // whose name is about text
			}
		}
		md := withMeta(keys, values, f.set.Metadata)
		keys, values = md.Keys(), md.Values()
	}
	md := arrow.NewMetadata(keys, values)
	f.schema = arrow.NewSchema(fields, &md)
	return nil
}

// withMeta adds what a set says to metadata.
func withMeta(keys, values []string, more []kuduwire.SetMeta) arrow.Metadata {
	for _, m := range more {
		keys, values = append(keys, m.Key), append(values, string(m.Value))
	}
	return arrow.NewMetadata(keys, values)
}

// field maps a column. Salvaged columns may have lost values, which are null.
func (f *File) field(c *kuduwire.Column) (arrow.Field, error) {
	dt, kuduType, err := cfilewire.ArrowType(c.Type, cfilewire.ArrowOptions{Precision: c.Precision, Scale: c.Scale, Length: c.Length, StringsBinary: f.opt.StringsBinary})
	if err != nil {
		return arrow.Field{}, err
	}
	var keys, values []string
	add := func(k, v string) { keys, values = append(keys, k), append(values, v) }
	if kuduType != "" {
		add(cfilewire.MetaType, kuduType)
	}
	if c.Key {
		add("kudu.key", "true")
	}
	if c.Comment != "" {
		add("kudu.comment", c.Comment)
	}
	if c.Array {
		dt = arrow.ListOfField(arrow.Field{Name: "item", Type: dt, Nullable: true})
	}
	return arrow.Field{Name: c.Name, Type: dt, Nullable: c.Nullable || f.opt.Salvage, Metadata: arrow.NewMetadata(keys, values)}, nil
}

// Schema returns the table's columns, those of the key first.
func (f *File) Schema() *arrow.Schema { return f.schema }

// Splits lists ranges of rows of one rowset each, and of what tablets have in their logs only.
func (f *File) Splits() []arrowio.Split { return f.splits }

// BytesRead implements arrowio.ByteCounter.
func (f *File) BytesRead() int64 { return f.bytes.Load() }

// BytesStored implements arrowio.ByteCounter: the sizes of all blocks of the table that are here.
func (f *File) BytesStored() (n int64) {
	for _, t := range f.tablets {
		m, _ := sizeOf(f.blocks, t.super)
		n += m
	}
	return n
}

// Close frees what the file holds; readers that are still open stay good.
func (f *File) Close() error { return f.blocks.Close() }
