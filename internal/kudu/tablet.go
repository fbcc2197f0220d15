package kudu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// openTablet opens the rowsets of a tablet and replays its log over them.
func (f *File) openTablet(ctx context.Context, t *tablet) error {
	t.schema, t.version = t.super.Schema, t.super.SchemaVersion
	if t.super.TxnMetadata {
		f.doubt(t.place(), "tablet %s has taken part in transactions over several rows: rows of those that were not ended may be shown", t.id)
	}
	switch {
	case t.rebuilt != nil:
		t.rebuilt.tell(&f.findings, t)
	case f.dirs != nil:
		f.missing(t)
		if err := f.checkConsensus(t); err != nil {
			return err
		}
	}
	rows := map[int64]diskRows{}
	for i := range t.super.RowSets {
		meta := &t.super.RowSets[i]
		rs, err := f.openRowSet(ctx, t, meta)
		if err == nil && f.opt.Salvage && !f.opt.verify {
			err = f.findLosses(ctx, rs)
		}
		if err != nil {
			if !f.opt.Salvage || ctx.Err() != nil || isDenied(err) {
				return inRowSet(err, &rowset{tablet: t, meta: meta})
			}
			place := (&rowset{tablet: t, meta: meta}).place()
			f.loseBlocks(at(place, meta.LiveRows), "%s: all rows: %v", place, unplaced(err, t))
			continue
		}
		t.rowsets = append(t.rowsets, rs)
		rows[meta.ID] = rs
	}
	defer func() {
		for _, rs := range t.rowsets {
			rs.endLookup()
		}
	}()
	log, err := f.replayLog(ctx, t, rows)
	if err != nil {
		return err
	}
	t.log = log
	if err := f.tellLog(ctx, t); err != nil {
		return err
	}
	t.schema, t.version = log.schema, log.schemaVersion
	for _, rs := range t.rowsets {
		rs.log = log.deltas[rs.meta.ID]
	}
	if t.mem, err = log.mem.sorted(); err != nil {
		return err
	}
	for _, rs := range t.rowsets {
		rs.endLookup() // what it knows is from before the log's changes
	}
	if err := f.unique(ctx, t); err != nil {
		return err
	}
	if len(t.rowsets) == 0 && t.mem.len() == 0 {
		f.note("%s is empty", t.place())
	}
	return nil
}

// tellLog tells what the replay of a tablet's log has to tell.
func (f *File) tellLog(ctx context.Context, t *tablet) error {
	log := t.log
	for _, n := range log.notes {
		if slices.Contains(log.sound, n) {
			f.note("tablet %s: %s", t.id, n)
			continue
		}
		w := at(t.place(), log.rowsLost(n))
		w.Kind = arrowio.WarnDoubt
		if n == log.leftOut && f.opt.Uncommitted == "" {
			f.warn(w, "tablet %s: %s; %v applies them", t.id, n, errs.Opt("kudu-uncommitted", "apply"))
			continue
		}
		f.warn(w, "tablet %s: %s", t.id, n)
	}
	if log.open != "" {
		f.unended = append(f.unended, fmt.Sprintf("that of tablet %s %s", t.id, log.open))
	}
	switch {
	case log.absent != "":
		f.lose(inTablet(errs.Errorf(errs.ErrCorrupt, "it has no write-ahead log, which every tablet has"), t), at(t.place(), arrowio.UnknownRows),
			"tablet %s: it has no write-ahead log: inserts, updates and deletes that were not flushed are missing, and nothing tells how many they were (%s)", t.id, log.absent)
	case log.segments > 0 && !t.super.TxnMetadata:
		if err := f.tellCutLog(ctx, t); err != nil {
			return err
		}
	}
	for _, n := range log.lost {
		f.lose(nil, at(t.place(), log.rowsLost(n)), "tablet %s: %s", t.id, n)
	}
	return nil
}

// tellOpen tells of logs that were not closed, as after a crash, and of which nothing tells whether operations followed the last ones in
// them.
func (f *File) tellOpen() {
	const shown = 3
	n := len(f.unended)
	if n == 0 {
		return
	}
	which := strings.Join(f.unended[:min(n, shown)], "; ")
	if n > shown {
		which += fmt.Sprintf("; and so on for %d more", n-shown)
	}
	text := fmt.Sprintf("%s not closed, as after a crash, and the index beside it (index.*), which has all operations, is missing or cannot be read. "+
		"So nothing here tells whether more operations followed: %s", counted(int64(n), "write-ahead log was", "write-ahead logs were"), which)
	if f.opt.verify || f.opt.Salvage {
		f.doubt("", "%s", text)
	} else {
		f.note("%s", text)
	}
}

// tellCutLog tells that the log ends before the last change that is in files, if it does. The log of a server that was only stopped has
// its last operation: Kudu keeps the segment of it.
func (f *File) tellCutLog(ctx context.Context, t *tablet) error {
	log := t.log
	flushed, err := (&File{server: f.server, dirs: f.dirs, blocks: f.blocks, limits: f.limits, opt: Options{Salvage: true}}).flushed(ctx, t.super)
	if err != nil || flushed <= log.reachTime {
		return err
	}
	end := "has no operation"
	if log.ops > 0 {
		end = fmt.Sprintf("ends with operation %s at %s", log.reach, timeText(log.reachTime))
	}
	f.lose(nil, at(t.place(), arrowio.UnknownRows),
		"tablet %s: its write-ahead log is cut short: it %s, and files have changes up to %s. Later operations that were not flushed are missing, and nothing tells how many they were",
		t.id, end, timeText(flushed))
	return nil
}

// missing tells which data directories of a tablet are not here.
func (f *File) missing(t *tablet) {
	missing := f.dirs.Absent(t.super.DataDirs)
	if len(missing) <= f.dirs.unknown() {
		missing = nil // they may be those whose uuids cannot be read, of which there is a warning
	}
	too := ""
	if len(missing) < len(t.super.DataDirs) {
		too = ", too"
	}
	for _, uuid := range missing {
		f.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: t.place(), Rows: arrowio.UnknownRows}, "tablet %s is spread over the data directory %s%s, which is not here", t.id, uuid, too)
	}
	if f.opt.Salvage { // which tells of each
		return
	}
	if _, n := sizeOf(f.blocks, t.super); n > 0 {
		f.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: t.place(), Rows: arrowio.UnknownRows},
			"tablet %s: %d of its %d blocks are missing or empty: rows can be counted, perhaps, but what is in these blocks cannot be read", t.id, n, len(t.super.Blocks()))
	}
}

// checkConsensus is for Verify: a tablet without its consensus metadata can be read, but no server starts it.
func (f *File) checkConsensus(t *tablet) error {
	if !f.opt.verify {
		return nil
	}
	_, err := f.dirs.consensus(t.id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.fault(inTablet(corrupt("it has no consensus metadata (%s/%s), without which Kudu does not start it", consensusName, t.id), t))
	case err != nil && !isData(err):
		return err
	case err != nil:
		f.fault(inTablet(err, t))
	}
	return nil
}

// replayLog replays the log of a tablet. To verify it, it does so in spite of damage.
func (f *File) replayLog(ctx context.Context, t *tablet, rows map[int64]diskRows) (*logState, error) {
	if f.dirs == nil || t.rebuilt != nil {
		return &logState{schema: t.super.Schema, schemaVersion: t.super.SchemaVersion}, nil
	}
	o := replayOptions{
		Skip: f.opt.SkipLog, Salvage: f.opt.Salvage && !f.opt.verify, Snapshot: f.opt.Snapshot, Uncommitted: f.opt.Uncommitted,
		Memory: f.opt.LogMemory, Limits: f.limits, Watch: f.opt.watch,
	}
	if t.blind { // changes of its rows on disk cannot be followed
		o.Salvage, o.Omit = true, func(lost logFault) bool { return lost.kind == noRow }
		return replay(ctx, f.dirs, t.super, rows, o)
	}
	log, err := replay(ctx, f.dirs, t.super, rows, o)
	if err != nil && f.opt.verify && isData(err) {
		f.fault(inTablet(err, t))
		reported := faultOf(err)
		o.Salvage, o.Omit = true, func(lost logFault) bool { return reported != logFault{} && lost == reported }
		log, err = replay(ctx, f.dirs, t.super, rows, o)
	}
	if f.opt.SkipLog {
		f.note("tablet %s: its write-ahead log was not read (--kudu-wal=skip)", t.id)
	}
	return log, err
}

// losses are the rows of a column that a salvage gives up.
type losses struct{ rows arrowio.RowSet }

// whole reports whether nothing is left of n rows.
func (l losses) whole(n int64) bool { return n > 0 && l.rows.Len() == n }

// findLosses reads all columns and finds out which of their blocks are damaged, so that the whole loss is known before
// the first row is handed out.
func (f *File) findLosses(ctx context.Context, rs *rowset) error {
	rs.lost = map[int32]losses{}
	for i := range rs.tablet.schema.Columns {
		c := &rs.tablet.schema.Columns[i]
		if _, ok := rs.column(c.ID); !ok && !c.Nullable && c.ReadDefault == nil {
			f.loseBlocks(at(rs.place(), rs.rows, c.Name), "%s: all %d rows of column %s, which has neither a block nor nulls nor a default", rs.place(), rs.rows, c.Name)
			rs.lost[c.ID] = losses{arrowio.RowSet{}.Add(arrowio.RowRange{End: rs.rows})}
		}
	}
	for _, c := range rs.meta.Columns {
		i := rs.tablet.schema.Index(c.ID)
		if i < 0 {
			continue // dropped
		}
		column := &rs.tablet.schema.Columns[i]
		what := fmt.Sprintf("column %s", column.Name)
		bad, err := f.damage(ctx, rs, column, c.Block, what)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isDenied(err) {
			return err
		}
		if err != nil { // no block of it can be reached
			f.loseBlocks(at(rs.place(), rs.rows, column.Name), "%s: all %d rows of %v", rs.place(), rs.rows, unplaced(err, rs.tablet))
			bad = arrowio.RowSet{}.Add(arrowio.RowRange{End: rs.rows})
		}
		if len(bad) > 0 {
			rs.lost[c.ID] = losses{bad}
		}
	}
	return nil
}

// unplaced is err without the format and the tablet, which the line that it becomes a part of has said.
func unplaced(err error, t *tablet) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Format = ""
	if rest, ok := strings.CutPrefix(c.Op, "tablet "+t.id+", "); ok {
		c.Op = rest
		if _, block, ok := strings.Cut(rest, ", "); ok && strings.HasPrefix(rest, "rowset ") {
			c.Op = block
		}
	}
	return &c
}

// damage returns the rows of a column whose blocks cannot be decoded, and reports each.
func (f *File) damage(ctx context.Context, rs *rowset, c *kuduwire.Column, block uint64, what string) (arrowio.RowSet, error) {
	r, closer, err := f.block(ctx, block, what)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	if err := checkColumn(r, c, rs); err != nil {
		return nil, f.inBlock(err, block, what)
	}
	field, err := f.field(c)
	if err != nil {
		return nil, err
	}
	bad, err := r.Damage(ctx, field, func(rows arrowio.RowRange, err error) {
		f.loseBlocks(at(rs.place(), rows.Len(), c.Name), "%s: rows %d to %d of %v", rs.place(), rows.Start, rows.End, unplaced(f.inBlock(err, block, what), rs.tablet))
	})
	return bad, f.inBlock(err, block, what)
}

// lostChanges says what the loss of deltas means for the rows that are shown.
const lostChanges = "updates and deletes of its rows, some of which may have old values, or be shown although they were deleted"

// tryDeltas reads all of a delta file and tells what of it cannot be read or does not fit the table. The error is that of
// a file of which nothing can.
func (f *File) tryDeltas(ctx context.Context, rs *rowset, r *cfile.Reader, id uint64) error {
	d, err := r.NewDeltas(ctx, arrowio.RowRange{End: math.MaxInt64}, nil)
	if err != nil {
		return f.inBlock(err, id, "deltas")
	}
	lose := func(rows int64, what string, err error) {
		rs.stale = true
		f.loseBlocks(at(rs.place(), rows), "%s: %s: %v", rs.place(), what, unplaced(f.inBlock(err, id, "deltas"), rs.tablet))
	}
	d.Pass = func(err error) { lose(arrowio.UnknownRows, lostChanges, err) }
	for d.Next() {
		row := fmt.Sprintf("a change to row %d", d.Key.Row)
		_, c, err := cfilewire.ParseChange(d.Change)
		if d.Key.Row >= rs.rows {
			err = behind(d.Key.Row, rs)
		}
		for err == nil && c.Next() {
			if i := rs.tablet.schema.Index(c.Column); i >= 0 {
				column := &rs.tablet.schema.Columns[i]
				if e := f.checkChange(column, c.Value, c.Null); e != nil {
					lose(1, row+", column "+column.Name, e)
				}
			}
		}
		if err == nil {
			err = c.Err
		}
		if err != nil {
			lose(1, row, err)
		}
	}
	return f.inBlock(d.Err, id, "deltas")
}

// checkChange tests that a changed cell can be shown.
func (f *File) checkChange(c *kuduwire.Column, value []byte, null bool) error {
	switch {
	case null && !c.Nullable:
		return errNull
	case null:
		return nil
	}
	if err := checkCell(c, value); err != nil {
		return err
	}
	if !f.opt.StringsBinary && (c.Type == cfilewire.String || c.Type == cfilewire.Varchar) {
		return checkText(value)
	}
	return nil
}
