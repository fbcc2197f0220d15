package kudu

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// applier does operations to the memrowset and to the rows on disk.
type applier struct {
	r      *replayer
	a      *arena
	mem    *memRowSet
	deltas map[int64]*deltaStore
	schema *tableSchema
	first  *kuduwire.SegmentHeader
	own    bool           // the schema is the superblock's, which a salvage has put in the place of the log's
	rows   int64          // applied
	blind  map[int64]bool // rowsets that could not be asked for a row

	ids     []kuduwire.OpID // of operations with changes to rows on disk: mutation.op counts them
	settled bool            // the ordinals of all rows so far have been looked up

	// Scratch of one operation.
	result  kuduwire.Result
	targets []target
	ops     kuduwire.RowOps
	row     []kuduwire.RowCell // by column of the table
	key     []byte
	change  []byte
	counter [8]byte
}

// target is where a row operation goes.
type target struct {
	store *deltaStore // nil = the memrowset
	todo  bool        // false: what it did is on disk, or it did nothing
}

// use makes s the table's schema from now on.
func (a *applier) use(s *tableSchema) {
	a.schema = s
	a.row = make([]kuduwire.RowCell, len(s.Columns))
	a.mem.add(s.layout)
}

// op applies an operation.
func (a *applier) op(p *pendingOp, result []byte, fresh bool) error {
	switch p.op.Op {
	case kuduwire.OpWrite:
		return a.write(&p.op, result, fresh)
	case kuduwire.OpAlterSchema:
		return a.alter(&p.op, result)
	case kuduwire.OpParticipant:
		return unsupportedTxn("the log has a PARTICIPANT_OP")
	}
	return nil
}

// alter takes the schema of an ALTER_SCHEMA_OP that did not fail and that is newer than the present one.
func (a *applier) alter(e *kuduwire.Entry, result []byte) error {
	results := kuduwire.ParseResults(result)
	failed := results.Next(&a.result) && a.result.Failed
	if err := results.Err(); err != nil || failed {
		return err
	}
	req, err := kuduwire.ParseAlterRequest(e.Body)
	if err != nil || req.Version <= a.schema.version {
		return err
	}
	s, err := parseTableSchema(req.Schema, req.Version, a.r.o.Limits)
	if err != nil {
		return err
	}
	a.use(s)
	return nil
}

// anyActive reports whether a result names a store that is not on disk.
func (a *applier) anyActive(result []byte) (bool, error) {
	results := kuduwire.ParseResults(result)
	active := false
	for results.Next(&a.result) {
		for i := range a.result.Stores {
			on, err := a.active(&a.result.Stores[i])
			if err != nil {
				return false, err
			}
			active = active || on
		}
	}
	return active, results.Err()
}

// active reports whether a store was in memory when the server ended. A rowset that the superblock does not know has
// been compacted into others.
func (a *applier) active(s *kuduwire.Store) (bool, error) {
	if s.Txn {
		return false, unsupportedTxn("the log names a store of one")
	}
	if s.RowSet < 0 {
		return s.Mem > a.r.sb.LastDurableMRS, nil
	}
	durable, ok := a.r.dms[s.RowSet]
	return ok && s.Mem > durable, nil
}

// aim fills targets with where the rows of a write went, and reports whether any of them has to be done again.
func (a *applier) aim(result []byte) (bool, error) {
	a.targets = a.targets[:0]
	any := false
	results := kuduwire.ParseResults(result)
	for results.Next(&a.result) {
		var t target
		for i := range a.result.Stores {
			s := &a.result.Stores[i]
			on, err := a.active(s)
			if err != nil {
				return false, err
			}
			if !on {
				continue
			}
			if t.todo {
				return false, errs.Errorf(errs.ErrCorrupt, "row operation %d went into two stores that are not on disk", len(a.targets))
			}
			t.todo = true
			if s.RowSet >= 0 {
				t.store = a.store(s.RowSet)
			}
		}
		t.todo = t.todo && !a.result.Skip && !a.result.Failed
		any = any || t.todo
		a.targets = append(a.targets, t)
	}
	return any, results.Err()
}

// store returns the collected changes of a rowset of the superblock.
func (a *applier) store(rowset int64) *deltaStore {
	d := a.deltas[rowset]
	if d == nil {
		disk := a.r.rows[rowset]
		if disk == nil {
			disk = noRows{}
		}
		d = newDeltaStore(rowset, disk, a.a, a.r.o.Snapshot)
		a.deltas[rowset] = d
	}
	return d
}

// write applies a WRITE_OP.
func (a *applier) write(e *kuduwire.Entry, result []byte, fresh bool) error {
	if e.Body == nil {
		return errs.Errorf(errs.ErrCorrupt, "WRITE_OP without its request")
	}
	if !fresh {
		if any, err := a.aim(result); err != nil || !any {
			return err
		}
	}
	w, err := kuduwire.ParseWriteRequest(e.Body)
	switch {
	case err != nil:
		return err
	case w.Txn:
		return unsupportedTxn("the operation is part of one")
	case !w.HasRows:
		if !fresh {
			return errs.Errorf(errs.ErrCorrupt, "results of %d row operations, but there are none", len(a.targets))
		}
		return nil
	case fresh && !a.settled:
		// From here on what an operation does depends on the rows that there are.
		if err := a.resolve(); err != nil {
			return err
		}
		a.settled = true
	}
	c, err := a.client(w.Schema)
	if err != nil {
		return err
	}
	a.ids = append(a.ids, e.ID)
	if err := a.r.bound.add(16); err != nil {
		return err
	}
	counter := w.Counter
	a.ops.Open(c.layout, w.Rows, w.Indirect)
	n := 0
	for ; a.ops.Next(); n++ {
		counts := false
		if a.schema.auto >= 0 {
			counts = a.count(c, &counter)
		}
		if !fresh && (n >= len(a.targets) || !a.targets[n].todo) {
			continue
		}
		a.fill(c, counts, counter)
		if fresh {
			err = a.decide(e)
		} else {
			err = a.redo(e, &a.targets[n])
		}
		if err != nil && a.r.o.Salvage && isData(err) {
			a.r.report.loseBad(e.ID, 1, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	if err := a.ops.Err(); err != nil {
		return err
	}
	if !fresh && n != len(a.targets) {
		return errs.Errorf(errs.ErrCorrupt, "results of %d row operations, but there are %d", len(a.targets), n)
	}
	return nil
}

// count moves the counter of the auto-incrementing column on, done or failed, and reports whether the row takes it.
func (a *applier) count(c *client, counter *int64) bool {
	switch a.ops.Type.Plain() {
	case kuduwire.RowInsert:
		*counter++
		return true
	case kuduwire.RowUpsert:
		if c.auto >= 0 {
			if v := &a.ops.Cells[c.auto]; len(v.Value) == 8 {
				*counter = max(*counter, int64(binary.LittleEndian.Uint64(v.Value)))
			}
		}
	}
	return false
}

// client returns how a client's schema fits the table's. A salvage takes the superblock's schema where the log's does
// not fit, for a segment's header has no checksum.
func (a *applier) client(b []byte) (*client, error) {
	c, err := a.schema.client(b, a.r.o.Limits)
	if err == nil || !a.r.o.Salvage || a.own || a.schema.version != a.r.sb.SchemaVersion {
		return c, err
	}
	s, err2 := newTableSchema(a.r.sb.Schema, a.r.sb.SchemaVersion)
	if err2 != nil {
		return nil, err
	}
	if c, err2 = s.client(b, a.r.o.Limits); err2 != nil {
		return nil, err
	}
	a.r.report.note("the schema in the first segment's header does not fit (%s): the superblock's is used", innermost(err))
	a.own = true
	a.use(s)
	return c, nil
}

// fill brings the cells of a row operation into the order of the table's columns.
func (a *applier) fill(c *client, counts bool, counter int64) {
	clear(a.row)
	for i := range a.ops.Cells {
		if v := &a.ops.Cells[i]; v.Set {
			a.row[c.to[i]] = *v
		}
	}
	if counts {
		binary.LittleEndian.PutUint64(a.counter[:], uint64(counter))
		a.row[a.schema.auto] = kuduwire.RowCell{Set: true, Value: a.counter[:]}
	}
}

// complete gives the columns that an insert does not set their defaults. It returns the column that has none, or that
// is set to null and must not be; -1 if there is no such column.
func (a *applier) complete() int {
	for i := range a.row {
		if v := &a.row[i]; !v.Set {
			if !a.schema.defaults[i].Set {
				return i
			}
			*v = a.schema.defaults[i]
		}
	}
	return a.nullColumn()
}

// nullColumn returns a column that is set to null and must not be, -1 if there is none.
func (a *applier) nullColumn() int {
	for i := range a.row {
		if a.row[i].Null && !a.schema.Columns[i].Nullable {
			return i
		}
	}
	return -1
}

// redo does a row operation that was done before and is not on disk.
func (a *applier) redo(e *kuduwire.Entry, t *target) error {
	var whole bool
	var err error
	if a.key, whole, err = a.schema.appendKey(a.key[:0], a.row); err != nil {
		return err
	}
	if !whole {
		return a.bad("a column of the key is not set")
	}
	if err := a.touch(); err != nil {
		return err
	}
	kind := a.ops.Type.Plain()
	if t.store != nil {
		return a.redoDisk(e, t.store, kind)
	}
	if kind == kuduwire.RowInsert {
		return a.insert(e)
	}
	i, live := a.mem.find(a.key)
	switch kind {
	case kuduwire.RowUpsert:
		if live {
			return a.update(e, i)
		}
		return a.insert(e)
	case kuduwire.RowUpdate:
		if !live {
			return a.fail(e.ID, noRow)
		}
		return a.update(e, i)
	default:
		if !live {
			return a.fail(e.ID, noRow)
		}
		a.rows++
		a.mem.remove(i, e.Time)
		return nil
	}
}

// touch tells who watches of the row that an operation is about.
func (a *applier) touch() error {
	if w := a.r.o.Watch; w != nil {
		return w.touch(a.key)
	}
	return nil
}

// insert makes a row of the memrowset.
func (a *applier) insert(e *kuduwire.Entry) error {
	if c := a.complete(); c >= 0 {
		return a.bad("column " + a.schema.Columns[c].Name + " has no value")
	}
	ok, err := a.mem.insert(a.key, a.schema.layout, a.row, e.Time)
	if err != nil {
		return err
	}
	if !ok {
		return a.fail(e.ID, rowLive)
	}
	a.rows++
	return nil
}

// update changes row i of the memrowset, which is live.
func (a *applier) update(e *kuduwire.Entry, i int) error {
	if c := a.nullColumn(); c >= 0 {
		return a.bad("column " + a.schema.Columns[c].Name + " must not be null")
	}
	a.rows++
	return a.mem.update(i, a.schema, a.row, e.Time)
}

func (a *applier) redoDisk(e *kuduwire.Entry, d *deltaStore, kind kuduwire.RowOpType) error {
	if kind == kuduwire.RowInsert {
		return a.bad("it was done to a rowset on disk")
	}
	if c := a.nullColumn(); c >= 0 {
		return a.bad("column " + a.schema.Columns[c].Name + " must not be null")
	}
	i, err := d.row(a.key)
	if err != nil {
		return err
	}
	return a.changeDisk(e, d, i, kind == kuduwire.RowDelete)
}

// changeDisk updates or deletes row i of a rowset.
func (a *applier) changeDisk(e *kuduwire.Entry, d *deltaStore, i int, remove bool) error {
	kind, change := cfilewire.Delete, deleteChange
	if !remove {
		var some bool
		if a.change, some = appendChange(a.change[:0], a.schema, a.row); !some {
			return nil
		}
		kind, change = cfilewire.Update, a.change
	}
	ok, err := d.change(i, kind, change, e.Time, uint32(len(a.ids)-1))
	if err != nil {
		return err
	}
	if !ok {
		return a.fail(e.ID, noRow)
	}
	a.rows++
	return nil
}

// decide applies a row operation whose result is not known: it does what the tablet would have done.
func (a *applier) decide(e *kuduwire.Entry) error {
	var whole bool
	var err error
	if a.key, whole, err = a.schema.appendKey(a.key[:0], a.row); err != nil || !whole {
		return err
	}
	if err := a.touch(); err != nil || a.nullColumn() >= 0 {
		return err
	}
	kind := a.ops.Type.Plain()
	insert := kind == kuduwire.RowInsert || kind == kuduwire.RowUpsert
	if insert && !a.insertable() {
		return nil
	}
	d, i, live, err := a.findLive()
	if err != nil {
		return err
	}
	switch {
	case !live && insert:
		return a.insert(e)
	case !live || kind == kuduwire.RowInsert:
		return nil
	case kind == kuduwire.RowDelete && d != nil:
		return a.changeDisk(e, d, i, true)
	case kind == kuduwire.RowDelete:
		a.rows++
		a.mem.remove(i, e.Time)
		return nil
	case !a.ops.Type.Ignores() && a.setsImmutable():
		return nil
	case d != nil:
		return a.changeDisk(e, d, i, false)
	}
	return a.update(e, i)
}

// insertable reports whether all columns without a default are set.
func (a *applier) insertable() bool {
	for i := range a.row {
		if !a.row[i].Set && !a.schema.defaults[i].Set {
			return false
		}
	}
	return true
}

func (a *applier) setsImmutable() bool {
	for i := range a.row {
		if a.row[i].Set && a.schema.Columns[i].Immutable {
			return true
		}
	}
	return false
}

// findLive looks for a live row with the key everywhere. The store is nil if it is in the memrowset.
func (a *applier) findLive() (d *deltaStore, i int, live bool, err error) {
	if i, live = a.mem.find(a.key); live {
		return nil, i, true, nil
	}
	for k := range a.r.sb.RowSets {
		d = a.store(a.r.sb.RowSets[k].ID)
		if i, live, err = d.peek(a.r.ctx, a.key, a); err != nil || live {
			return d, i, live, err
		}
	}
	return nil, 0, false, nil
}

// resolve looks up the rows on disk that the log changes.
func (a *applier) resolve() error {
	for k := range a.r.sb.RowSets { // in their order, so that errors and losses are the same each time
		if d := a.deltas[a.r.sb.RowSets[k].ID]; d != nil {
			if err := d.resolve(a.r.ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing implements deltaFaults: it turns out now that an operation cannot have been.
func (a *applier) missing(op uint32) error {
	a.rows--
	if err := a.fail(a.ids[op], noRow); err != nil {
		return opError(err, a.ids[op])
	}
	return nil
}

// unreadable implements deltaFaults.
func (a *applier) unreadable(rowset int64, err error) error {
	if !a.r.o.Salvage || !isData(err) {
		return err
	}
	if !a.blind[rowset] {
		a.blind[rowset] = true
		a.r.report.note("rowset %d cannot be asked for rows that the log changes: %s", rowset, innermost(err))
	}
	return nil
}

// fail makes an error of a row operation that was done before and cannot be done; a salvage only counts it.
func (a *applier) fail(id kuduwire.OpID, why faultKind) error {
	if !a.r.o.Salvage {
		err := errs.Errorf(errs.ErrCorrupt, "%s; a part of the log, or of the rows on disk, is missing", why.text(false))
		return withFault(err, logFault{kind: why, op: id})
	}
	a.r.report.loseOp(id, 1, why)
	return nil
}

// bad is the error of a row operation that cannot have been accepted.
func (a *applier) bad(why string) error {
	return errs.Errorf(errs.ErrCorrupt, "%s of row operation: %s", a.ops.Type, why)
}

// countRows returns how many row operations a WriteRequestPB has, -1 where they cannot be read.
func countRows(b []byte, lim arrowio.Limits) int64 {
	w, err := kuduwire.ParseWriteRequest(b)
	if err != nil {
		return -1
	}
	s, err := kuduwire.ParseSchema(pb.New(w.Schema), lim)
	if err != nil {
		return -1
	}
	l, err := kuduwire.NewRowLayout(s)
	if err != nil {
		return -1
	}
	var ops kuduwire.RowOps
	n := int64(0)
	for ops.Open(l, w.Rows, w.Indirect); ops.Next(); n++ {
	}
	if ops.Err() != nil {
		return -1
	}
	return n
}
