package kudu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Overview is a server's directories as a whole: which tables and tablets there are, or, where no superblock tells, which
// kinds of blocks. It is an arrowio.File without columns and rows; what it knows is in its Info.
type Overview struct {
	*server
	findings
	tables    []*tableMember
	damaged   []arrowio.MemberInfo // tablets whose superblocks cannot be read
	superErr  error                // why the first of these cannot
	bareSuper bool                 // what describes the messages of some superblock is damaged
	denied    []error              // of superblocks that may not be read
	renamed   *stray               // a tablet whose superblock has another name; nil = none is known
	used      []uint64             // blocks of all tablets, sorted
	apart     bool                 // no block is used twice, or orphaned and used
	read      atomic.Int64         // bytes that Verify has read
	schema    *arrow.Schema
	sums      arrowio.Checksums // of what Verify has checked
}

// tableMember is a table and what there is of it.
type tableMember struct {
	arrowio.MemberInfo
	tablets []arrowio.MemberInfo
	supers  []*kuduwire.SuperBlock // without what they have
}

// openForInfo opens the table that the options name, or the only one; where there are several, or none, an overview.
func openForInfo(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	o.noData = o.Table == "" && o.Tablet == ""
	s, err := openServer(ctx, path, limits, o)
	if err != nil {
		return nil, err
	}
	if o.noData {
		v, err := s.overview(ctx)
		if err != nil {
			return nil, errors.Join(err, s.blocks.Close())
		}
		if len(v.tables) != 1 || len(v.damaged) > 0 || v.bareSuper || len(s.dirs.Data) == 0 || !v.tables[0].readable() {
			return v, nil
		}
	}
	f, err := s.table(ctx)
	if err != nil {
		return nil, err // not a File that is a nil *File
	}
	return f, nil
}

// OpenOverview opens the directories of a tablet server to see what there is. path is the server's WAL directory. Of the
// options only those count that say where directories are, Salvage, Rebuild and Schemas. Data directories may be missing: then sizes are not
// known. That no superblock can be read is errs.ErrCorrupt, or to salvage and to rebuild a loss.
func OpenOverview(ctx context.Context, path string, limits arrowio.Limits, o Options) (*Overview, error) {
	o.noData = true
	salvage := o.Salvage || o.Rebuild != ""
	s, err := openServer(ctx, path, limits, o)
	if errors.Is(err, errs.ErrCorrupt) && !o.Salvage { // superblocks tell all; what is damaged becomes a warning
		o.Salvage = true
		s, err = openServer(ctx, path, limits, o)
	}
	if err != nil {
		return nil, err
	}
	v, err := s.overview(ctx)
	if err == nil {
		err = v.orNone(path, salvage)
	}
	if err != nil {
		return nil, errors.Join(err, s.blocks.Close())
	}
	return v, nil
}

// orNone returns an error if there is no superblock that can be read, and nothing was rebuilt; to salvage it is a loss.
func (v *Overview) orNone(path string, salvage bool) error {
	if len(v.tables) > 0 {
		return nil
	}
	if len(v.denied) > 0 {
		return v.Denied()
	}
	var err error
	switch n := len(v.damaged); {
	case v.dirs.Metadata == "":
		err = errs.Errorf(errs.ErrCorrupt, "no %s in %s or its data directories: name the server's directory of write-ahead logs (--fs_wal_dir), or its metadata directory (--fs_metadata_dir). If it is lost, %w puts blocks without superblocks together",
			tabletMetaName, path, errs.Opt("kudu-rebuild", "likely"))
	case n > 0:
		err = errs.Errorf(errs.ErrCorrupt, "none of the %s in %s can be read (%s), and nothing else tells which blocks a tablet has: %w puts blocks without superblocks together",
			counted(int64(n), "superblock", "superblocks"), filepath.Join(v.dirs.Metadata, tabletMetaName), innermost(v.superErr), errs.Opt("kudu-rebuild", "likely"))
	case v.renamed != nil:
		err = errs.Errorf(errs.ErrCorrupt, "no superblock in %s: %v", filepath.Join(v.dirs.Metadata, tabletMetaName), v.renamed)
	default:
		err = errs.Errorf(errs.ErrCorrupt, "no superblock in %s, and nothing else tells which blocks a tablet has: %w puts blocks without superblocks together",
			filepath.Join(v.dirs.Metadata, tabletMetaName), errs.Opt("kudu-rebuild", "likely"))
	}
	if !salvage {
		return errs.Locate(err, errs.At{Format: Name})
	}
	w := at("", arrowio.UnknownRows)
	w.Options = errs.OptionsOf(err)
	v.loseBlocks(w, "%s", innermost(err))
	return nil
}

// overview reads all superblocks, one at a time.
func (s *server) overview(ctx context.Context) (*Overview, error) {
	v := &Overview{server: s, schema: arrow.NewSchema(nil, nil)}
	v.ofServer(s)
	ids, err := s.dirs.Tablets()
	if err != nil {
		return nil, err
	}
	strays, err := v.tellStrays(s.dirs, &Options{Rebuild: s.opt.Rebuild})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(strays, func(x *stray) bool { return x.named != "" }); i >= 0 {
		v.renamed = strays[i]
	}
	byID := map[string]*tableMember{}
	var orphaned []uint64
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sb, err := s.dirs.SuperBlock(id)
		if isDenied(err) { // which sudo cures: no tablet is lost
			if !s.opt.PassDenied || s.opt.Rebuild != "" { // a rebuild would take its blocks for those of no tablet
				return nil, err
			}
			v.deny(id, err)
			continue
		}
		if errors.Is(err, kuduwire.ErrDescription) {
			v.bareSuper = true
			if v.fault(err); !v.verify {
				v.doubt("tablet "+id, "%s", bareText(s.dirs.SuperBlockPath(id)))
			}
			err = nil
		}
		if err != nil {
			v.fault(errs.Locate(corrupt("tablet %s: %s: %v", id, unreadable(err), innermost(err)), errs.At{Format: Name}))
			v.loseBlocks(at("tablet "+id, arrowio.UnknownRows), "%s", tablelessText(id, err))
			if v.superErr == nil {
				v.superErr = err
			}
			v.damaged = append(v.damaged, arrowio.MemberInfo{Kind: kindTablet, ID: id, State: "superblock unreadable", Rows: arrowio.UnknownRows, Bytes: unknownBytes})
			continue
		}
		for _, u := range sb.Blocks() {
			v.used = append(v.used, u.Block)
		}
		orphaned = append(orphaned, sb.Orphaned...)
		if sb.TxnStatus {
			continue
		}
		t := byID[sb.TableID]
		if t == nil {
			t = &tableMember{MemberInfo: arrowio.MemberInfo{Kind: kindTable, Name: sb.TableName, ID: sb.TableID}}
			byID[sb.TableID] = t
			v.tables = append(v.tables, t)
		}
		t.add(v.tablet(sb))
		light := *sb
		light.RowSets, light.Orphaned = nil, nil
		t.supers = append(t.supers, &light)
	}
	if err := v.addRebuilt(ctx, byID); err != nil {
		return nil, err
	}
	slices.Sort(v.used)
	v.apart = !slices.ContainsFunc(orphaned, func(id uint64) bool {
		_, found := slices.BinarySearch(v.used, id)
		return found
	})
	n := len(v.used)
	v.used = slices.Compact(v.used)
	v.apart = v.apart && n == len(v.used)
	slices.SortFunc(v.tables, func(a, b *tableMember) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	v.choices()
	for _, t := range v.tables {
		if len(t.supers) > 0 {
			v.tellPartitions(s.dirs, t.supers, slices.ContainsFunc(t.tablets, func(m arrowio.MemberInfo) bool { return strings.HasPrefix(m.State, stateRebuilt) }))
		}
		t.supers = nil
	}
	return v, nil
}

// Kinds of members.
const (
	kindTable  = "table"
	kindTablet = "tablet"
	kindRowSet = "rowset" // of a rebuilt tablet
	kindDeltas = "deltas" // likewise
	kindBlocks = "blocks"
	kindBlock  = "block"
)

// unknownBytes is the size of blocks when there is no data directory.
const unknownBytes = -1

// readable reports whether the server has rows of the table.
func (t *tableMember) readable() bool {
	return slices.ContainsFunc(t.tablets, func(m arrowio.MemberInfo) bool { return m.State == kuduwire.TabletReady.String() })
}

func (t *tableMember) add(m arrowio.MemberInfo) {
	t.tablets = append(t.tablets, m)
	t.Parts++
	if m.Bytes < 0 || t.Bytes < 0 {
		t.Bytes = unknownBytes
	} else {
		t.Bytes += m.Bytes
	}
	switch {
	case m.State != kuduwire.TabletReady.String(): // has no rows here
	case m.Rows < 0 || t.Rows < 0:
		t.Rows = arrowio.UnknownRows
	default:
		t.Rows += m.Rows
	}
	t.Detail = count(t.Parts, kindTablet)
}

// tablet describes a tablet by its superblock. Rows are those on disk: what is in the log alone only its replay tells.
func (v *Overview) tablet(sb *kuduwire.SuperBlock) arrowio.MemberInfo {
	m := arrowio.MemberInfo{Kind: kindTablet, Name: sb.TableName, ID: sb.TabletID, State: sb.State.String(), Parts: int64(len(sb.RowSets))}
	for i := range sb.RowSets {
		n := sb.RowSets[i].LiveRows
		if n < 0 || m.Rows < 0 {
			m.Rows = arrowio.UnknownRows
		} else {
			m.Rows += n
		}
	}
	if sb.State != kuduwire.TabletReady {
		m.Rows = arrowio.UnknownRows
	}
	var missing int
	if m.Bytes, missing = sizeOf(v.blocks, sb); missing > 0 && len(v.dirs.Data) == 0 {
		m.Bytes = unknownBytes
	}
	detail := []string{count(m.Parts, "rowset")}
	if p := partitionText(sb); p != "" {
		detail = append(detail, p)
	}
	if sb.State == kuduwire.TabletReady {
		log := v.logSize(sb.TabletID)
		detail = append(detail, log)
		if log == noLog {
			v.loseBlocks(at("tablet "+sb.TabletID, arrowio.UnknownRows), "tablet %s of table %s has no write-ahead log: what was not flushed is missing", sb.TabletID, sb.TableName)
		}
		v.tellConsensus(sb)
	}
	if missing > 0 && len(v.dirs.Data) > 0 {
		detail = append(detail, count(int64(missing), "block")+" missing")
	}
	m.Detail = strings.Join(detail, ", ")
	m.Open = []arrowio.Choice{{Option: "kudu-tablet", Value: sb.TabletID}}
	return m
}

// tellConsensus warns of consensus metadata that cannot be read. Verify looks at that of each tablet itself.
func (v *Overview) tellConsensus(sb *kuduwire.SuperBlock) {
	if v.verify {
		return
	}
	place := "tablet " + sb.TabletID
	switch _, err := v.dirs.consensus(sb.TabletID); {
	case errors.Is(err, fs.ErrNotExist):
		v.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: place, Rows: arrowio.UnknownRows},
			"%s of table %s has no consensus metadata (%s/%s): Kudu does not start it", place, sb.TableName, consensusName, sb.TabletID)
	case err != nil:
		v.doubt(place, "the consensus metadata of %s of table %s cannot be read, so Kudu does not start it: %v", place, sb.TableName, err)
	}
}

// noLog is what logSize says of a tablet without a log.
const noLog = "no log"

// logSize says how much of a write-ahead log there is.
func (v *Overview) logSize(tablet string) string {
	n, bytes := int64(0), int64(0)
	dir := v.dirs.LogDir(tablet)
	if fi, err := os.Stat(dir + ".recovery"); err == nil && fi.IsDir() {
		dir += ".recovery"
	}
	entries, err := os.ReadDir(dir)
	if isDenied(err) {
		return "log unreadable: permission denied"
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && isSegment(e.Name()) {
			n++
			bytes += fi.Size()
		}
	}
	if n == 0 {
		return noLog
	}
	return fmt.Sprintf("log of %s, %d bytes", count(n, "segment"), bytes)
}

// choices says how each table is opened: by name, where that tells it from the others.
func (v *Overview) choices() {
	names := map[string]int{}
	for _, t := range v.tables {
		names[t.Name]++
	}
	for _, t := range v.tables {
		value := t.Name
		if names[value] > 1 || value == "" {
			value = t.ID
		}
		t.Open = []arrowio.Choice{{Option: "kudu-table", Value: value}}
	}
}

// Info lists the tables and tablets: rows are the live ones on disk, where the superblocks count them. Without any
// superblock it lists how many blocks there are of which kind. Where blocks are asked for, those that belong to no tablet
// are listed one by one.
func (v *Overview) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{Format: Name, Schema: v.schema, Columns: []arrowio.ColumnInfo{}, Notes: v.allNotes(), Bytes: v.BytesStored()}
	info.Facts = serverFacts(v.dirs)
	for _, t := range v.tables {
		info.Members = append(info.Members, t.MemberInfo)
		info.Members = append(info.Members, t.tablets...)
		info.Rows += max(0, t.Rows)
	}
	info.Members = append(info.Members, v.damaged...)
	note := func(format string, args ...any) { info.Notes = append(info.Notes, fmt.Sprintf(format, args...)) }
	if len(v.tables) == 0 {
		info.Rows = arrowio.UnknownRows // they may be of any table
	} else {
		note("to read a table, or to see more of it, name it with --kudu-table, or one tablet with --kudu-tablet")
		if v.dirs.Wal == "" {
			note("rows are those on disk, where superblocks count them")
		} else {
			note("rows are those on disk, where superblocks count them; there may be more in the logs")
		}
	}
	if o.Blocks || len(v.tables) == 0 {
		if err := v.listBlocks(ctx, info, o.Blocks); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// Schema has no columns.
func (v *Overview) Schema() *arrow.Schema { return v.schema }

// Splits is empty.
func (v *Overview) Splits() []arrowio.Split { return nil }

var errOverview = errs.Errorf(errs.ErrOption, "kudu: an overview has no rows: say what to read with %w", errs.Opt("kudu-table", ""))

// Prune is an error: there are no splits.
func (v *Overview) Prune(context.Context, arrowio.Split, *expr.Bound) (arrowio.RowSet, error) {
	return nil, errOverview
}

// Read is an error: there are no splits.
func (v *Overview) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return nil, errOverview
}

// BytesRead implements arrowio.ByteCounter: what Verify has read. Nothing else reads much.
func (v *Overview) BytesRead() int64 { return v.read.Load() }

// BytesStored implements arrowio.ByteCounter: the sizes of all tables' blocks.
func (v *Overview) BytesStored() (n int64) {
	for _, t := range v.tables {
		n += max(t.Bytes, 0)
	}
	return n
}

// Close frees what the overview holds.
func (v *Overview) Close() error { return v.blocks.Close() }

// serverFacts tells whose directories these are.
func serverFacts(d *Dirs) []arrowio.Fact {
	var facts []arrowio.Fact
	add := func(name, value string) { facts = append(facts, arrowio.Fact{Name: name, Value: value}) }
	if d.UUID != "" {
		add("server", d.UUID)
	}
	var kinds []string
	for i := range d.Data {
		if k := d.Data[i].Type; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) > 0 {
		add("blocks", strings.Join(kinds, ", ")+" block manager")
	}
	for i := range d.Data {
		value := d.Data[i].Path
		if d.Data[i].UUID != "" {
			value += " (" + d.Data[i].UUID + ")"
		}
		add("data in", value)
	}
	return facts
}
