package kudu

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowdense"
	readcfile "github.com/arrowio/arrowio/internal/cfile"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/writers/cfile"
)

// SplitOptions says which set to divide, and for the tablets of which server.
type SplitOptions struct {
	Set      string   // the directory with schema.json
	Out      string   // a directory that must not exist yet; it gets a set ID.kudu for each tablet that has rows
	Wal      string   // as of ImportOptions
	Metadata string   // as of ImportOptions
	Data     []string // as of ImportOptions
	Table    string   // "" = the table of the set
	Partial  bool     // leave out rows of tablets that this server does not have; otherwise they are refused
	DryRun   bool     // only count
	Jobs     int      // default GOMAXPROCS
	Memory   int64    // about how many bytes the writers may use, default 512 MiB; if the tablets need more, the set is read several times
	Limits   arrowio.Limits
	// Progress is called now and then with how much of the work is done, in bytes of the set; nil = not reported.
	Progress func(done, total int64)
}

// SplitReport says what a split has written, or what it would write after a dry run.
type SplitReport struct {
	Done      bool          `json:"done"`
	DryRun    bool          `json:"dry_run"`
	Server    string        `json:"server"` // uuid; "" = not known
	Table     string        `json:"table"`
	Rows      int64         `json:"rows"`      // of the set
	Elsewhere int64         `json:"elsewhere"` // rows of tablets that this server does not have, which are left out
	Tablets   []SplitTablet `json:"tablets"`   // all that this server has of the table
}

// SplitTablet says which rows a tablet gets.
type SplitTablet struct {
	ID   string `json:"id"`
	Rows int64  `json:"rows"`
	Set  string `json:"set"` // path; "" = it gets no rows, and no set
}

// defaultSplitMemory is the default of SplitOptions.Memory.
const defaultSplitMemory = 512 << 20

// Split divides a set into one set for each tablet of a table that a server has. Import can then add these sets. Split changes
// nothing of the server, which may be running. The new sets keep the encodings and codecs of the divided one. They appear all
// together, or not at all.
//
// The tablet of a row follows from its key and the table's partition schema, which is in the superblocks. A row that belongs to
// none of this server's tablets is an error; if Partial is set, it is left out and counted.
func Split(ctx context.Context, o SplitOptions) (*SplitReport, error) {
	s := &splitter{SplitOptions: o}
	s.importer = importer{ctx: ctx, ImportOptions: ImportOptions{Set: o.Set, Wal: o.Wal, Metadata: o.Metadata, Data: o.Data, Limits: o.Limits.WithDefaults()}}
	if s.Memory <= 0 {
		s.Memory = defaultSplitMemory
	}
	err := s.run()
	return s.report, errs.Locate(err, errs.At{Format: format})
}

// splitter is one split. Of the importer it has what is about the set, and a tablet for its table.
type splitter struct {
	SplitOptions
	importer

	report  *SplitReport // nil until rows are counted
	router  *kuduwire.Router
	parts   []kuduwire.Partition // of report.Tablets
	example []byte               // key of a row of another server's tablet
}

func (s *splitter) run() error {
	steps := []func() error{s.openTable, s.openSet, s.matchSchema, s.openFiles, s.count}
	for _, step := range steps {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	if n := s.report.Elsewhere; n > 0 && !s.Partial {
		belong := "belong to tablets"
		if n == 1 {
			belong = "belongs to a tablet"
		}
		return refuse("%d of %s %s of table %s that this server does not have, the first is %s; --partial leaves them out, for the servers that have them",
			n, count(s.report.Rows, "row"), belong, s.report.Table, s.tablet.KeyText(s.example))
	}
	if s.DryRun {
		return nil
	}
	return s.write()
}

// openTable finds the tablets of the table.
func (s *splitter) openTable() error {
	if s.SplitOptions.Wal == "" {
		return badOption("which server? --wal-dir names its directory of write-ahead logs")
	}
	name, err := s.tableName()
	if err != nil {
		return err
	}
	o := reader.DirOptions{Wal: s.SplitOptions.Wal, Metadata: s.SplitOptions.Metadata, Data: s.SplitOptions.Data, ForImport: true, Limits: s.importer.Limits}
	if s.dirs, err = reader.OpenDirs(o); err != nil {
		return err
	}
	ids, err := s.dirs.Tablets()
	if err != nil {
		return err
	}
	s.report = &SplitReport{DryRun: s.SplitOptions.DryRun, Server: s.dirs.UUID, Table: name, Tablets: []SplitTablet{}}
	var tables []string
	for _, id := range ids {
		super, err := s.dirs.SuperBlock(id)
		if err != nil {
			return err
		}
		if super.State != kuduwire.TabletReady || super.TxnStatus {
			continue
		}
		if super.TableName != name {
			tables = append(tables, super.TableName)
			continue
		}
		if s.tablet == nil {
			s.tablet = &reader.Tablet{Super: super, Schema: super.Schema}
		}
		if super.TableID != s.tablet.Super.TableID {
			return refuse("the server has two tables of the name %s: %s and %s", name, super.TableID, s.tablet.Super.TableID)
		}
		s.report.Tablets = append(s.report.Tablets, SplitTablet{ID: id})
		s.parts = append(s.parts, super.Partition())
	}
	if s.tablet == nil {
		slices.Sort(tables)
		return badOption("the server has no tablet of table %q; it has some of %s", name, strings.Join(slices.Compact(tables), ", "))
	}
	how, err := kuduwire.ParsePartitioning(s.tablet.Super.Partitioning, s.tablet.Super.Schema, s.importer.Limits)
	if err != nil {
		return err
	}
	s.router = how.NewRouter()
	return nil
}

// tableName returns the name of the table, which the set may have to tell.
func (s *splitter) tableName() (string, error) {
	if s.Table != "" {
		return s.Table, nil
	}
	if s.SplitOptions.Set == "" {
		return "", badOption("which set? A directory with %s", kuduwire.SetFileName)
	}
	s.tree = local.DirTree(s.SplitOptions.Set)
	b, err := s.readSet(s.SplitOptions.Set)
	if err != nil {
		return "", err
	}
	set, err := kuduwire.ParseSet(b, s.importer.Limits)
	if err != nil {
		return "", err
	}
	if set.Table == "" {
		return "", badOption("for which table? The set does not tell: --table names it")
	}
	return set.Table, nil
}

// count routes all rows.
func (s *splitter) count() error {
	k := &keyRoute{s: s}
	defer func() { _ = k.close() }() // after another error, or when nothing is open
	for {
		at, err := k.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if s.report.Rows++; s.report.Rows&(1<<16-1) == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if at >= 0 {
			s.report.Tablets[at].Rows++
			continue
		}
		if s.report.Elsewhere++; s.report.Elsewhere == 1 {
			s.example = bytes.Clone(k.keys.Key)
		}
	}
}

// write makes the sets, several at a time.
func (s *splitter) write() (err error) {
	store, err := local.NewFileStore(s.Out, local.FileStoreOptions{Directory: true})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Abort())
		}
	}()
	f, err := reader.Format().OpenTree(s.ctx, s.tree, arrowio.OpenOptions{Limits: s.importer.Limits})
	if err != nil {
		return err
	}
	defer f.Close()
	var columns []cfile.StoredColumn
	for _, c := range s.set.Schema.Columns {
		columns = append(columns, cfile.StoredColumn{
			Name: c.Name, Key: c.Key, Encoding: c.Encoding.String(), Compression: c.Compression.String(), BlockSize: c.BlockSize,
		})
	}
	plan, err := cfile.PlanLike(s.set.Table, columns, f.Schema(), arrowio.WriteOptions{Parallelism: s.Jobs})
	if err != nil {
		return err
	}
	var rest []int
	for i := range s.report.Tablets {
		if s.report.Tablets[i].Rows > 0 {
			rest = append(rest, i)
		}
	}
	together := int(max(1, s.Memory/s.memoryOf()))
	passes := int64((len(rest) + together - 1) / together)
	s.steps.start(s.SplitOptions.Progress, passes*s.bytes())
	for group := range slices.Chunk(rest, together) {
		p := &splitPass{s: s, store: store, plan: plan, file: f, group: group}
		if err := p.run(); err != nil {
			return errors.Join(err, p.abort())
		}
	}
	if err := store.Commit(); err != nil {
		return err
	}
	for _, i := range rest {
		t := &s.report.Tablets[i]
		t.Set = filepath.Join(s.Out, setName(t.ID))
	}
	s.report.Done = true
	return nil
}

func setName(tablet string) string { return tablet + ".kudu" }

// memoryOf is about what a set takes while it is written: of each column a block, what it is packed from and what it is
// packed to, and the key's files.
func (s *splitter) memoryOf() int64 {
	const usual, key = 256 << 10, 4 << 20
	n := int64(key)
	for i := range s.set.Schema.Columns {
		n += 3 * max(usual, int64(s.set.Schema.Columns[i].BlockSize))
	}
	return n
}

// rowSetKeys are the keys of a rowset, being read.
type rowSetKeys struct {
	*readcfile.Keys
	closer io.Closer
	file   *setFile
}

// keyRoute goes through the keys of the set, in its order, and tells where each row belongs.
type keyRoute struct {
	s      *splitter
	rowset int // the next one
	keys   *rowSetKeys
	last   []byte // key of the rowset before
}

// next returns which of the tablets the next row belongs to, -1 = none of them; io.EOF at the end.
func (k *keyRoute) next() (int, error) {
	for k.keys == nil || !k.keys.Next() {
		if err := k.turn(); err != nil {
			return 0, err
		}
	}
	if err := k.s.router.Route(k.keys.Key); err != nil {
		return 0, k.s.inFile(err, k.keys.file)
	}
	return slices.IndexFunc(k.s.parts, func(p kuduwire.Partition) bool { return k.s.router.In(&p) }), nil
}

// turn goes on with the next rowset.
func (k *keyRoute) turn() error {
	if err := k.close(); err != nil {
		return err
	}
	if k.rowset == len(k.s.rowsets) {
		return io.EOF
	}
	r := k.s.rowsets[k.rowset]
	k.rowset++
	if k.last != nil && bytes.Compare(k.last, r.min) >= 0 {
		return refuse("the rowsets of the set are not one behind the other in the order of the key; arrowio convert --sort makes a set of it that is")
	}
	k.last = r.max
	keys, closer, err := k.s.openKeys(k.s.ctx, r)
	if err == nil {
		k.keys = &rowSetKeys{keys, closer, r.keys}
	}
	return err
}

// close closes the rowset; an error is one of its keys.
func (k *keyRoute) close() error {
	if k.keys == nil {
		return nil
	}
	err := errors.Join(k.s.inFile(k.keys.Err, k.keys.file), k.keys.closer.Close())
	k.keys = nil
	return err
}

// splitPass writes the sets of some tablets.
type splitPass struct {
	s       *splitter
	store   arrowio.Store
	plan    *arrowio.WritePlan
	file    arrowio.File
	group   []int
	writers []arrowio.Writer // of the group
	runs    [][][2]int64     // rows of a batch, of the group
}

func (p *splitPass) run() error {
	place := make([]int, len(p.s.parts)) // in the group
	for i := range place {
		place[i] = slices.Index(p.group, i)
	}
	for _, i := range p.group {
		w, err := arrowio.NewWriter(p.s.ctx, cfile.KuduFormat(), folder{p.store, setName(p.s.report.Tablets[i].ID) + "/"}, p.plan)
		if err != nil {
			return err
		}
		p.writers = append(p.writers, w)
	}
	p.runs = make([][][2]int64, len(p.group))
	rows, err := arrowio.Scan(p.s.ctx, p.file, arrowio.ScanOptions{Parallelism: p.s.Jobs})
	if err != nil {
		return err
	}
	defer rows.Release()
	k := &keyRoute{s: p.s}
	defer func() { _ = k.close() }() // after another error, or when nothing is open
	share := float64(p.s.bytes()) / float64(p.s.report.Rows)
	for rows.Next() {
		rec := rows.Record()
		for i := range rec.NumRows() {
			at, err := k.next()
			if err != nil {
				return orInternal(err)
			}
			if at >= 0 && place[at] >= 0 {
				g := place[at]
				p.runs[g] = arrowdense.AppendRun(p.runs[g], i, i+1)
			}
		}
		if err := p.hand(rec); err != nil {
			return err
		}
		p.s.steps.add(int64(share * float64(rec.NumRows())))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, w := range p.writers {
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// orInternal is for rows behind the last key, of which there are none in a set whose counts were compared.
func orInternal(err error) error {
	if errors.Is(err, io.EOF) {
		return internal("more rows than keys")
	}
	return err
}

// hand gives each writer its rows of a batch.
func (p *splitPass) hand(rec arrow.Record) error {
	for g, runs := range p.runs {
		if len(runs) == 0 {
			continue
		}
		p.runs[g] = runs[:0]
		part, err := selected(rec, runs)
		if err != nil {
			return err
		}
		err = p.writers[g].Write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// selected copies runs of rows.
func selected(rec arrow.Record, runs [][2]int64) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, rec.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	n := int64(0)
	for _, r := range runs {
		n += r[1] - r[0]
	}
	for _, c := range rec.Columns() {
		a, err := arrowdense.Gather(c, runs, arrowbuf.Shared())
		if err != nil {
			return nil, err
		}
		cols = append(cols, a)
	}
	return array.NewRecord(rec.Schema(), cols, n), nil
}

func (p *splitPass) abort() error {
	var all []error
	for _, w := range p.writers {
		all = append(all, w.Abort())
	}
	return errors.Join(all...)
}

// folder is a part of a store, whose end is not its own.
type folder struct {
	arrowio.Store
	prefix string
}

func (f folder) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	return f.Store.Create(ctx, f.prefix+name)
}

func (folder) Commit() error { return nil }
func (folder) Abort() error  { return nil }
