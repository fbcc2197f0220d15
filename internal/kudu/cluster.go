package kudu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Cluster is a table read from the directories of several tablet servers that do not run. Of each tablet the rows are those of one
// replica, or of all of them. Its methods may be called concurrently.
type Cluster struct {
	*servers
	findings
	opt     Options
	table   string
	tablets []*replicas
	files   []*File // one for each replica that is read
	splits  []arrowio.Split
	of      []*File // by ordinal of the split
}

// OpenTable opens the table that o names: of one server as a *File, of several as a *Cluster.
func OpenTable(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	if o.ofSeveral() {
		return openCluster(ctx, path, arrowio.OpenOptions{Limits: limits}, o)
	}
	f, err := Open(ctx, path, limits, o)
	if err != nil {
		return nil, err // not a File that is a nil *File
	}
	return f, nil
}

func openCluster(ctx context.Context, path string, to arrowio.OpenOptions, o Options) (arrowio.File, error) {
	if to.For == arrowio.ForVerify {
		return nil, errs.Errorf(errs.ErrOption, "%w is for reading: verify the directories of each server by themselves", errs.Opt("kudu-server", ""))
	}
	o.Salvage = o.Salvage || o.Merge
	c := &Cluster{opt: o}
	var err error
	if c.servers, err = openServers(ctx, path, to.Limits, o, &c.findings); err != nil {
		return nil, err
	}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) open(ctx context.Context) error {
	for _, s := range c.all {
		var f findings
		f.ofServer(s)
		c.take(s, &f)
	}
	if err := c.checkReplica(c.opt.Replica); err != nil {
		return err
	}
	found, err := c.count(ctx, c.opt.Replica, &c.findings, nil)
	if err != nil {
		return err
	}
	if c.tablets, err = c.ofTable(found); err != nil {
		return err
	}
	var supers []*kuduwire.SuperBlock
	for _, x := range c.tablets {
		supers = append(supers, x.all[0].super)
		if err := c.openTablet(ctx, x); err != nil {
			return err
		}
	}
	if len(c.files) == 0 {
		return errs.Errorf(errs.ErrUnsupported, "kudu: table %s has no rows on these servers: %s", c.table, c.tablets[0].all[0].why)
	}
	c.tellPartitions(c.all[0].dirs, supers, false)
	return c.makeSplits(ctx)
}

// ofTable returns the tablets of the one table that is meant.
func (c *Cluster) ofTable(found *census) ([]*replicas, error) {
	f := &File{dirs: c.all[0].dirs, opt: c.opt}
	if len(found.tables) == 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "kudu: no tablet in the directories of these servers")
	}
	tables := found.tables
	if c.opt.Tablet != "" {
		tables = slices.DeleteFunc(slices.Clone(tables), func(t *tablet) bool { return t.id != c.opt.Tablet })
		if len(tables) == 0 {
			return nil, errs.Errorf(errs.ErrOption, "kudu: no tablet %q on these servers", c.opt.Tablet)
		}
	}
	of, err := f.ofTable(tables)
	if err != nil {
		return nil, err
	}
	c.table = of[0].super.TableName
	var out []*replicas
	for _, x := range found.tablets {
		if slices.ContainsFunc(of, func(t *tablet) bool { return t.id == x.id }) {
			out = append(out, x)
		}
	}
	return out, nil
}

// openTablet opens the replica of a tablet that is read, or all of them.
func (c *Cluster) openTablet(ctx context.Context, x *replicas) error {
	if x.chosen() == nil {
		c.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: "tablet " + x.id, Rows: arrowio.UnknownRows},
			"tablet %s: no server has rows of it: %s", x.id, x.all[0].why)
		return nil
	}
	if c.opt.Merge {
		return c.openMerged(ctx, x)
	}
	var best *File
	var first error
	for i, r := range x.all {
		if !r.readable() || i > 0 && c.opt.Replica != "" {
			break
		}
		f, err := c.openReplica(ctx, x, r)
		if err != nil {
			if first == nil {
				first = err
			}
			if ctx.Err() != nil || !r.server.passes(err) {
				return err
			}
			c.pass(x, r, err.Error())
			continue
		}
		if best == nil {
			best = f
		}
		if n := len(f.losses.lines); n == 0 || i == len(x.all)-1 && best == f {
			best = f
			break
		}
		c.pass(x, r, f.losses.lines[0].Text)
	}
	if best == nil {
		return first
	}
	i := slices.IndexFunc(x.all, func(r *replica) bool { return r.server == best.server })
	if i > 0 {
		r := x.all[i]
		x.all[0].chosen, r.chosen, r.why = false, true, "the first that opens without a fault"
		x.all = slices.Insert(slices.Delete(x.all, i, i+1), 0, r)
	}
	x.tell(&c.findings, c.opt.Replica != "")
	c.use(best)
	return nil
}

// pass tells that a replica is damaged, and another is looked for.
func (c *Cluster) pass(x *replicas, r *replica, why string) {
	r.harm = append(r.harm, why)
	c.doubt("tablet "+x.id, "tablet %s: the replica of server %s is damaged, so another is looked for: %s", x.id, r.server.name(), why)
}

// openReplica opens what a server has of a tablet.
func (c *Cluster) openReplica(ctx context.Context, x *replicas, r *replica) (*File, error) {
	f := &File{server: r.server, dirs: r.server.dirs, blocks: r.server.blocks, limits: r.server.limits, opt: c.opt, sizes: usualSizes}
	if c.opt.sizes.rows > 0 {
		f.sizes = c.opt.sizes
	}
	f.opt.Uncommitted = x.uncommitted(r, c.opt.Uncommitted)
	for _, o := range x.all {
		if o != r && o.readable() && !o.bare {
			f.others = append(f.others, o.server.name())
		}
	}
	err := f.withData([]*tablet{{id: x.id, super: r.super}})
	if err == nil {
		err = f.needData()
	}
	if err == nil {
		err = f.hintSalvage(inTablet(f.openTablet(ctx, f.tablets[0]), f.tablets[0]))
	}
	if err == nil && c.opt.Check && !c.opt.Salvage {
		err = f.hintSalvage(f.checkColumns(ctx, f.tablets[0]))
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: r.server.path})
	}
	return f, nil
}

// checkColumns reads all columns of a tablet, and the changes of its rows, and returns the first damage.
func (f *File) checkColumns(ctx context.Context, t *tablet) error {
	check := &File{server: f.server, dirs: f.dirs, blocks: f.blocks, limits: f.limits, opt: f.opt, sizes: f.sizes}
	check.opt.Salvage = true
	for _, rs := range t.rowsets {
		x, err := check.openRowSet(ctx, t, rs.meta)
		if err == nil {
			err = check.findLosses(ctx, x)
		}
		if err != nil {
			return inRowSet(err, rs)
		}
		if lost := check.losses.lines; len(lost) > 0 {
			return errs.Locate(errs.Errorf(errs.ErrCorrupt, "%s", strings.TrimPrefix(lost[0].Text, "lost: ")), errs.At{Format: Name})
		}
	}
	return nil
}

// use takes a file, and what it tells, into the table.
func (c *Cluster) use(f *File) {
	c.files = append(c.files, f)
	c.take(f.server, &f.findings)
}

// take takes over what was found in the directories of a server.
func (c *Cluster) take(s *server, f *findings) {
	for _, w := range f.Warnings() {
		w.Text = fmt.Sprintf("%s (server %s)", w.Text, s.name())
		c.mu.Lock()
		if w.Kind == arrowio.WarnLost {
			c.losses.add(w)
		} else {
			c.doubts.add(w)
		}
		c.mu.Unlock()
	}
	for _, n := range f.allNotes() {
		if n != oneServer {
			c.note("server %s: %s", s.name(), n)
		}
	}
}

// makeSplits makes the schema, the newest that any replica has, and the splits.
func (c *Cluster) makeSplits(ctx context.Context) error {
	var all []*tablet
	for _, f := range c.files {
		all = append(all, f.tablets...)
	}
	newest := newestOf(all)
	for _, f := range c.files {
		if err := f.makeSchema(newest); err != nil {
			return err
		}
		f.first.Ordinal = len(c.splits)
		if n := len(c.splits); n > 0 {
			f.first.Rows = arrowio.RowRange{Start: c.splits[n-1].Rows.End, End: c.splits[n-1].Rows.End}
		}
		if err := f.makeSplits(ctx); err != nil {
			return errs.Locate(err, errs.At{File: f.server.path})
		}
		c.splits = append(c.splits, f.splits...)
		for range f.splits {
			c.of = append(c.of, f)
		}
	}
	return nil
}

// Schema returns the table's columns, those of the key first.
func (c *Cluster) Schema() *arrow.Schema { return c.files[0].schema }

// Splits lists the splits of all tablets: see File.Splits.
func (c *Cluster) Splits() []arrowio.Split { return c.splits }

// Prune returns the rows of s that may satisfy pred: see File.Prune.
func (c *Cluster) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	f := c.of[s.Ordinal]
	rows, err := f.Prune(ctx, s, pred)
	return rows, errs.Locate(err, errs.At{File: f.server.path})
}

// Read opens the rows of a split.
func (c *Cluster) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	f := c.of[s.Ordinal]
	r, err := f.Read(ctx, s, rows, p, mem)
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: f.server.path})
	}
	return r, nil
}

// Info describes the table, and which replicas of its tablets there are.
func (c *Cluster) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{Format: Name, Bytes: c.BytesStored(), Schema: c.Schema(), Columns: []arrowio.ColumnInfo{}, Notes: c.allNotes()}
	if n := len(c.splits); n > 0 {
		info.Rows = c.splits[n-1].Rows.End
	}
	for _, s := range c.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	b := &infoBuilder{File: c.files[0], Info: info, byID: map[int32]int{}}
	b.columns()
	info.Facts = append(info.Facts, arrowio.Fact{Name: "table", Value: c.table})
	for _, s := range c.all {
		info.Facts = append(info.Facts, arrowio.Fact{Name: "server", Value: fmt.Sprintf("%s (%s)", s.dirs.UUID, s.path)})
	}
	return info, nil
}

// Doubts returns what makes the rows doubtful: see File.Doubts.
func (c *Cluster) Doubts() []error { return c.files[0].Doubts() }

// BytesRead implements arrowio.ByteCounter.
func (c *Cluster) BytesRead() (n int64) {
	for _, f := range c.files {
		n += f.BytesRead()
	}
	return n
}

// BytesStored implements arrowio.ByteCounter: the sizes of all blocks of the replicas that are read.
func (c *Cluster) BytesStored() (n int64) {
	for _, f := range c.files {
		n += f.BytesStored()
	}
	return n
}

// Identity implements arrowio.Identifier: see File.Identity. The files are those of all replicas, whether or not they are read.
func (c *Cluster) Identity(ctx context.Context) (string, error) {
	h := sha256.New()
	for _, x := range c.tablets {
		for _, r := range x.all {
			if r.bare {
				continue
			}
			f := &File{server: r.server, dirs: r.server.dirs, blocks: r.server.blocks, opt: c.opt, tablets: []*tablet{{id: x.id, super: r.super}}}
			if err := f.identify(ctx, h, r.server.blocks); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// Close frees what the table holds; readers that are still open stay good.
func (c *Cluster) Close() error { return c.servers.Close() }

var (
	_ arrowio.Identifier = (*Cluster)(nil)
	_ arrowio.Warner     = (*Cluster)(nil)
)
