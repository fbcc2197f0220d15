package kudu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Option that a replay's errors name, and its default.
const (
	optWALMemory     = "kudu-wal-memory"
	defaultWALMemory = 2 << 30
)

// replayOptions says how to replay a log.
type replayOptions struct {
	Skip     bool   // do not look at the log
	Salvage  bool   // go on past damage and report what is lost
	Snapshot uint64 // hybrid time: what was done before it is seen; 0 = everything
	// Uncommitted says what to do with operations above the highest index with a COMMIT, of which the log does not tell
	// whether they were committed: "apply", "skip", or "" to apply them if this server alone decides.
	Uncommitted string
	Memory      int64 // bytes that the log's rows may take, 0 = 2 GiB
	Limits      arrowio.Limits
	Watch       *logWatch // nil = not reported
	// Omit says which losses of a salvage are counted, but not reported; nil = all are reported.
	Omit func(logFault) bool
}

// logState is what a log adds to the rows on disk.
type logState struct {
	mem           *memRowSet          // nil = no rows
	deltas        map[int64]logDeltas // by rowset; rowsets without any are not there
	schema        *kuduwire.Schema    // the newer one of the log's and the superblock's
	schemaVersion uint32              //
	notes         []string            // doubts, and what was passed over without loss
	sound         []string            // those notes that are no doubts
	leftOut       string              // the note of operations that may have been committed and are left out; "" = there are none
	lost          []string            // what a salvage has given up
	lostOf        map[string]int64    // rows of lines of notes and lost where they could be counted
	lostOps       int64               // operations of them, as far as they could be counted
	lostRows      int64               // rows of them, as far as they could be counted
	open          string              // where the log ends, if it was not closed and nothing tells whether operations followed; "" = it is known
	segments      int                 //
	absent        string              // why there is no segment, although every tablet has one; "" = there is one
	ops           int64               // operations that the log has
	applied       int64               // row operations that were not on disk yet
	first         kuduwire.OpID       // the first operation of the log; its index is 0 if there is none
	firstTime     uint64              // hybrid time of it
	last          kuduwire.OpID       // the last operation that counts; its index is 0 if there is none
	lastTime      uint64              // hybrid time of it
	reach         kuduwire.OpID       // the last operation that can be read, whether or not it counts
	reachTime     uint64              // the greatest hybrid time of one
}

// rowsLost returns how many rows a line of notes or lost is about; arrowio.UnknownRows = not known.
func (st *logState) rowsLost(line string) int64 {
	if n, ok := st.lostOf[line]; ok {
		return n
	}
	return arrowio.UnknownRows
}

// replay reads the write-ahead log of a tablet and returns what the rows on disk lack (docs/formats/kudu.md). rows are
// the rowsets of the superblock by id, without those that could not be opened; a replay asks them only about rows that
// the log changes.
//
// Errors are errs.ErrCorrupt, with the segment and the offset of the batch; ErrUnsupported, for transactions over
// several rows; ErrLimit, which names the option. A salvage has only the last, and errors of the rowsets and of reading.
func replay(ctx context.Context, dirs *Dirs, sb *kuduwire.SuperBlock, rows map[int64]diskRows, o replayOptions) (*logState, error) {
	st := &logState{schema: sb.Schema, schemaVersion: sb.SchemaVersion}
	if o.Skip || sb.State != kuduwire.TabletReady {
		return st, nil
	}
	r := newReplayer(ctx, sb, rows, st, o)
	return r.end(r.run(dirs))
}

// end returns the result of a replay that has ended with err.
func (r *replayer) end(err error) (*logState, error) {
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: "kudu"})
	}
	r.st.notes, r.st.lost = r.report.done()
	r.st.sound, r.st.lostOf = r.report.sound, r.report.rowsOf
	r.st.lostOps, r.st.lostRows = r.report.ops, r.report.rows
	return r.st, nil
}

// replayer is one replay.
type replayer struct {
	ctx    context.Context
	o      replayOptions
	sb     *kuduwire.SuperBlock
	rows   map[int64]diskRows
	st     *logState
	report logReport
	bound  memoryBound
	reader segmentReader

	config       func() (*kuduwire.Consensus, error) // of the tablet
	sole         func() (bool, error)                // whether this server alone decides what is committed
	space        func() int64                        // how much the server sets aside for a segment; 0 = not known
	dms          map[int64]int64                     // by rowset of the superblock: its last durable delta store
	skippedFiles int
	unread       []unreadSegment // that are not reported yet

	// Operations, see wal_order.go.
	pending    []pendingOp // by index; the first is the next to be applied
	prev       kuduwire.OpID
	hasPrev    bool
	done       int64 // the highest index that was applied, or passed over
	lastCommit int64
	holes      int            // that a salvage knew of when prev was read
	orphans    map[int64]bool // indices of COMMITs without an operation
	gaps       []indexRange   // indices that a salvage has missed
	stopped    bool           // a salvage has met a gap: what comes now is lost
	gapCounted bool           // what is missing there has been counted
	where      logPosition

	apply applier
}

// indexRange is indices of operations, both ends included.
type indexRange struct{ first, last int64 }

// logPosition is where in the log the present batch is.
type logPosition struct {
	file *segmentFile
	off  int64
}

func newReplayer(ctx context.Context, sb *kuduwire.SuperBlock, rows map[int64]diskRows, st *logState, o replayOptions) *replayer {
	o.Limits = o.Limits.WithDefaults()
	if o.Memory <= 0 {
		o.Memory = defaultWALMemory
	}
	if o.Snapshot == 0 {
		o.Snapshot = math.MaxUint64
	}
	r := &replayer{
		ctx: ctx, o: o, sb: sb, rows: rows, st: st, done: -1, lastCommit: -1,
		bound: memoryBound{limit: o.Memory}, orphans: map[int64]bool{}, dms: make(map[int64]int64, len(sb.RowSets)),
	}
	for i := range sb.RowSets {
		r.dms[sb.RowSets[i].ID] = sb.RowSets[i].LastDurableDMS
	}
	r.report.omit = o.Omit
	r.reader = segmentReader{ctx: ctx, limit: o.Limits.BlockBytes, bound: &r.bound, salvage: o.Salvage, report: &r.report}
	a := &arena{bound: &r.bound}
	r.apply = applier{r: r, a: a, mem: newMemRowSet(a, o.Snapshot), deltas: map[int64]*deltaStore{}, blind: map[int64]bool{}}
	return r
}

func (r *replayer) run(dirs *Dirs) error {
	dir := dirs.LogDir(r.sb.TabletID)
	if dir == "" {
		r.st.absent = "there is no directory " + walsName
		return nil
	}
	dir, err := findLog(dir, &r.report)
	if err != nil {
		return err
	}
	r.space = dirs.segmentSpace
	r.config = func() (*kuduwire.Consensus, error) { return dirs.consensus(r.sb.TabletID) }
	r.sole = func() (bool, error) {
		c, err := r.config()
		return err == nil && c.SoleVoter(dirs.UUID), err
	}
	return r.log(dirs.logFolder(dir))
}

// log replays the segments in a folder.
func (r *replayer) log(files logFiles) error {
	if r.sb.TxnMetadata && !r.o.Salvage {
		return unsupportedTxn("the tablet takes part in them")
	}
	segs, gap, err := r.openLog(files)
	if err != nil {
		return err
	}
	r.st.segments = len(segs)
	if len(segs) == 0 && r.skippedFiles > 0 {
		return nil // reported as lost
	}
	if len(segs) == 0 {
		r.st.absent = "no segment that can be read in " + walsName + "/" + r.sb.TabletID
		return nil
	}
	if err := r.begin(segs[0]); err != nil {
		return locate(err, segs[0].name, -1)
	}
	if r.sb.TxnMetadata {
		r.report.note("the tablet takes part in transactions over several rows: what they did is not applied")
	}
	closed := false
	for i, s := range segs {
		r.stopped = r.stopped || i >= gap
		if closed, err = r.segment(files, s); err != nil {
			return err
		}
		if i < len(segs)-1 && !closed {
			r.reader.endsEarly()
		}
	}
	if err := r.checkEnd(files, segs[len(segs)-1], closed); err != nil {
		return err
	}
	if closed {
		r.report.note("the log's last segment, %s, is closed: either the server was shut down normally, or a later segment is missing", segs[len(segs)-1].name)
	}
	return r.finish()
}

// begin takes the schema of the first segment, from which on the log tells of every change.
func (r *replayer) begin(s *segmentFile) error {
	schema, err := parseTableSchema(s.head.Schema, s.head.SchemaVersion, r.o.Limits)
	if err != nil && r.o.Salvage && isData(err) {
		r.report.note("%s: the schema in its header cannot be read (%s): the superblock's is used", s.name, innermost(err))
		schema, err = newTableSchema(r.sb.Schema, r.sb.SchemaVersion)
	}
	if err != nil {
		return err
	}
	r.apply.use(schema)
	r.apply.first = s.head
	return nil
}

// segment reads one segment; one that a salvage cannot read on is reported.
func (r *replayer) segment(files logFiles, s *segmentFile) (closed bool, err error) {
	if f := r.apply.first; s.head.SchemaVersion == f.SchemaVersion && !slices.Equal(s.head.Schema, f.Schema) {
		r.report.note("%s: its header has another schema than the first segment's, of the same version; it is not used", s.name)
	}
	src, closer, err := files.open(s.name)
	if err != nil {
		return false, err
	}
	defer closer.Close()
	return r.entries(s, src)
}

// entries takes the entries of a segment.
func (r *replayer) entries(s *segmentFile, src arrowio.Source) (closed bool, err error) {
	r.where.file = s
	return r.reader.read(s, src, func(b *batch, off int64) error {
		r.where.off = off
		for i := range b.entries {
			e := &b.entries[i]
			var err error
			if e.Type == kuduwire.EntryReplicate {
				err = r.replicate(e, b)
			} else {
				err = r.commit(e, b)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// finish applies what still waits and hands over the result.
func (r *replayer) finish() error {
	if err := r.rest(); err != nil {
		return err
	}
	a := &r.apply
	if err := a.resolve(); err != nil {
		return err
	}
	r.tellBegin()
	for id, d := range a.deltas {
		list, err := d.list()
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if r.st.deltas == nil {
				r.st.deltas = map[int64]logDeltas{}
			}
			r.st.deltas[id] = list
		}
	}
	if len(a.mem.rows) > 0 {
		r.st.mem = a.mem
	}
	if a.schema.version > r.sb.SchemaVersion {
		r.st.schema, r.st.schemaVersion = a.schema.Schema, a.schema.version
	}
	r.st.applied = a.rows
	return nil
}

func unsupportedTxn(what string) error {
	return errs.Errorf(errs.ErrUnsupported, "transactions over several rows are not supported, and %s", what)
}

// opError says which operation an error is about.
func opError(err error, id kuduwire.OpID) error {
	if faultOf(err) == (logFault{}) {
		err = withFault(err, logFault{kind: badOp, op: id})
	}
	return reword(err, func(cause error) error { return fmt.Errorf("operation %s: %w", id, cause) })
}

// opFault returns the error of an operation that has a fault.
func opFault(id kuduwire.OpID, kind faultKind, format string, args ...any) error {
	return opError(withFault(errs.Errorf(errs.ErrCorrupt, format, args...), logFault{kind: kind, op: id}), id)
}

// reword changes the text of an error of ours and keeps what else it says.
func reword(err error, text func(cause error) error) error {
	var e *errs.Error
	if !errors.As(err, &e) || e.Err == nil {
		return text(err)
	}
	c := *e
	c.Err = text(e.Err)
	return &c
}

// innermost is the text of an error for a report that says itself where it is.
func innermost(err error) string {
	var e *errs.Error
	if !errors.As(err, &e) || e.Err == nil {
		return err.Error()
	}
	return e.Err.Error()
}

// count is a number and what it counts.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// counted is a number and what it counts, in one of two forms.
func counted(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + more
}
