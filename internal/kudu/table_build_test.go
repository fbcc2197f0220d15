package kudu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// tableColumn is a column of a table whose history a test makes up.
type tableColumn struct {
	id               int32
	name             string
	typ              cfilewire.DataType
	key, null        bool
	def              []byte // read default, nil = none
	precision, scale int32
	added, dropped   uint64 // when; 0 = from the beginning, never
}

func (c *tableColumn) at(time uint64) bool {
	return c.added <= time && (c.dropped == 0 || time < c.dropped)
}

// event is something that happened to a row.
type event struct {
	time  uint64
	op    cfilewire.Op // Reinsert stands for inserts, too
	cells map[int32][]byte
}

// tableRow is a row of a rowset and all that happened to it there, by time.
type tableRow struct {
	key    []byte
	cells  [][]byte // of the key
	events []event
}

// state returns the row as it is when everything before a time has happened: cells that were set, and whether it is there.
func (r *tableRow) state(time uint64) (cells map[int32][]byte, live bool) {
	for _, e := range r.events {
		if e.time >= time {
			break
		}
		switch e.op {
		case cfilewire.Reinsert:
			cells, live = map[int32][]byte{}, true
			fallthrough
		case cfilewire.Update:
			for id, v := range e.cells {
				cells[id] = v
			}
		case cfilewire.Delete:
			live = false
		}
	}
	return cells, live
}

// tableRowSet is rows that came to disk at once.
type tableRowSet struct {
	rows    []*tableRow
	byKey   map[string]*tableRow
	flushed uint64   // when; 0 = not yet
	redos   []uint64 // when changes were flushed since
	undos   []uint64 // where files of older changes are cut
	keep    bool     // blocks of columns that are dropped later are still there
}

// tableTablet is a tablet of the table.
type tableTablet struct {
	id      string
	rowsets []*tableRowSet
}

// madeTable is a table with its whole history, which is what the files of a server are made of, and what says how they
// must be read.
type madeTable struct {
	name    string
	columns []*tableColumn
	tablets []*tableTablet
	now     uint64
	schema  int // version
	per     int // values of a block
}

// present returns the columns that there are at last.
func (x *madeTable) present() (out []*tableColumn) {
	for _, c := range x.columns {
		if c.dropped == 0 {
			out = append(out, c)
		}
	}
	return out
}

func (x *madeTable) keyColumns() (out []*tableColumn) {
	for _, c := range x.columns {
		if c.key {
			out = append(out, c)
		}
	}
	return out
}

func (x *madeTable) keyOf(tb testing.TB, cells [][]byte) (key []byte) {
	tb.Helper()
	var err error
	for i, c := range x.keyColumns() {
		if key, err = cfilewire.AppendKey(key, c.typ, cells[i], i == len(cells)-1); err != nil {
			tb.Fatal(err)
		}
	}
	return key
}

// value returns a cell of a row as it is shown: what was not set is the default.
func (c *tableColumn) value(cells map[int32][]byte) []byte {
	if v, ok := cells[c.id]; ok {
		return v
	}
	return c.def
}

// expect returns the rows that a snapshot sees, in the order of tablets, rowsets and keys; time 0 = the latest.
func (x *madeTable) expect(tb testing.TB, time uint64, binary bool) arrow.Record {
	tb.Helper()
	if time == 0 {
		time = math.MaxUint64
	}
	var fields []arrow.Field
	var builders []array.Builder
	for _, c := range x.present() {
		dt, _, err := cfilewire.ArrowType(c.typ, cfilewire.ArrowOptions{Precision: c.precision, Scale: c.scale, StringsBinary: binary})
		if err != nil {
			tb.Fatal(err)
		}
		fields = append(fields, arrow.Field{Name: c.name, Type: dt, Nullable: c.null})
		builders = append(builders, array.NewBuilder(memory.DefaultAllocator, dt))
	}
	n := int64(0)
	for _, t := range x.tablets {
		for _, rs := range t.rowsets {
			for _, r := range rs.rows {
				cells, live := r.state(time)
				if !live {
					continue
				}
				n++
				for i, c := range x.present() {
					v := []byte(nil)
					if c.key {
						v = r.cells[i]
					} else {
						v = c.value(cells)
					}
					appendCell(tb, builders[i], v)
				}
			}
		}
	}
	columns := make([]arrow.Array, len(builders))
	for i, b := range builders {
		columns[i] = b.NewArray()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, n)
}

// appendCell appends a cell as the value that it is.
func appendCell(tb testing.TB, b array.Builder, cell []byte) {
	tb.Helper()
	if cell == nil {
		b.AppendNull()
		return
	}
	wide := make([]byte, 16)
	copy(wide, cell)
	if n := len(cell); n > 0 && n < 16 && cell[n-1] >= 0x80 {
		copy(wide[n:], bytes.Repeat([]byte{0xff}, 16))
	}
	v, high := binary.LittleEndian.Uint64(wide), int64(binary.LittleEndian.Uint64(wide[8:]))
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 != 0)
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(int64(v))
	case *array.Float32Builder:
		b.Append(math.Float32frombits(uint32(v)))
	case *array.Float64Builder:
		b.Append(math.Float64frombits(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(high, v))
	case *array.StringBuilder:
		b.Append(string(cell))
	case *array.BinaryBuilder:
		b.Append(cell)
	default:
		tb.Fatalf("no cells for %T", b)
	}
}

// columnTypes are types of columns as tables have them; keyTypes are those that keys may have.
var (
	columnTypes = []cfilewire.DataType{
		cfilewire.Int8, cfilewire.Int16, cfilewire.Int32, cfilewire.Int64, cfilewire.String, cfilewire.Bool, cfilewire.Float, cfilewire.Double,
		cfilewire.Binary, cfilewire.UnixtimeMicros, cfilewire.Decimal32, cfilewire.Decimal64, cfilewire.Decimal128, cfilewire.Varchar, cfilewire.Date,
	}
	keyTypes = []cfilewire.DataType{
		cfilewire.Int32, cfilewire.Int64, cfilewire.String, cfilewire.Int16, cfilewire.Binary, cfilewire.UnixtimeMicros, cfilewire.Decimal32,
		cfilewire.Decimal64, cfilewire.Decimal128, cfilewire.Varchar, cfilewire.Date,
	}
)

// cellOf returns a value of a type: mostly one of few. Strings that are not UTF-8 come only where they may.
func cellOf(r *rand.Rand, c *tableColumn, anyBytes bool) []byte {
	v := int64(r.Intn(7)) - 3
	switch r.Intn(8) {
	case 0:
		v = int64(r.Uint64())
	case 1:
		v = []int64{math.MinInt64, math.MaxInt64, -1, math.MaxInt32, math.MinInt32, 127, -128}[r.Intn(7)]
	}
	switch c.typ {
	case cfilewire.Bool:
		return []byte{byte(v & 1)}
	case cfilewire.Decimal32:
		v %= 1e7
	case cfilewire.Decimal64:
		v %= 1e15
	case cfilewire.String, cfilewire.Varchar:
		text := []string{"", "a", "äö", "語言", "🙂", "a longer one than sixteen bytes are", "z\x00z"}
		s := text[uint64(v)%7] + text[uint64(v)/7%7]
		if anyBytes && r.Intn(4) == 0 {
			s += "\xff\x80"
		}
		return []byte(s)
	case cfilewire.Binary:
		return binary.BigEndian.AppendUint64(nil, uint64(v))[:uint64(v)%9]
	}
	b := make([]byte, 16)
	binary.LittleEndian.PutUint64(b, uint64(v))
	if v < 0 {
		copy(b[8:], bytes.Repeat([]byte{0xff}, 8))
	}
	return b[:c.typ.Width()]
}

// keyCell returns a value for a key: the nth, more or less in order where there are few.
func keyCell(r *rand.Rand, c *tableColumn, n int) []byte {
	v := int64(r.Intn(n)) - int64(n/3)
	switch {
	case c.typ.Binary():
		if r.Intn(9) == 0 {
			return fmt.Appendf(nil, "%c\x00%d", 'a'+byte(v&7), v&15)
		}
		return fmt.Appendf(nil, "k%04d", v+int64(n))
	default:
		b := make([]byte, 16)
		binary.LittleEndian.PutUint64(b, uint64(v))
		if v < 0 {
			copy(b[8:], bytes.Repeat([]byte{0xff}, 8))
		}
		return b[:c.typ.Width()]
	}
}

// history says what a table that happens at random is like.
type history struct {
	keys     int // columns of the key
	columns  int
	tablets  int
	steps    int  // things that happen, for each tablet
	span     int  // keys are one of about so many, for each column of the key
	fixed    bool // the schema does not change
	anyBytes bool // strings need not be UTF-8
	settled  bool // no deletes, and few changes
	single   bool // one rowset for each tablet
	types    []cfilewire.DataType
}

// newTable makes a table up.
func newTable(tb testing.TB, r *rand.Rand, h history) *madeTable {
	tb.Helper()
	x := &madeTable{name: "made", now: 1000, per: 1 + r.Intn(40)}
	if h.types == nil {
		h.types = columnTypes
	}
	for i := range h.keys {
		x.columns = append(x.columns, &tableColumn{id: int32(i), name: fmt.Sprintf("k%d", i), typ: keyTypes[r.Intn(len(keyTypes))], key: true})
		if i == h.keys-1 && r.Intn(2) == 0 {
			x.columns[i].typ = cfilewire.Int32
		}
	}
	for range h.columns {
		x.addColumn(r, h, 0)
	}
	for _, c := range x.columns {
		c.setDigits()
	}
	for i := range h.tablets {
		x.tablets = append(x.tablets, &tableTablet{id: fmt.Sprintf("%032x", 100+i)})
	}
	n := h.steps * h.tablets
	for range n {
		x.step(tb, r, h, x.tablets[r.Intn(len(x.tablets))])
	}
	for _, t := range x.tablets {
		for _, rs := range t.rowsets {
			x.flush(r, rs)
		}
	}
	return x
}

func (c *tableColumn) setDigits() {
	switch c.typ {
	case cfilewire.Decimal32:
		c.precision, c.scale = 7, 2
	case cfilewire.Decimal64:
		c.precision, c.scale = 15, 0
	case cfilewire.Decimal128:
		c.precision, c.scale = 38, 5
	}
}

// addColumn adds a column with a name that no other has had; one that is added later has a default, or may be null.
func (x *madeTable) addColumn(r *rand.Rand, h history, time uint64) {
	n := len(x.columns)
	c := &tableColumn{id: int32(n * 3), name: fmt.Sprintf("c%d", n), typ: h.types[r.Intn(len(h.types))], null: r.Intn(3) > 0, added: time}
	if n == 1 {
		c.id = 200 // ids take more than a byte in changes
	}
	c.setDigits()
	if time > 0 && (!c.null || r.Intn(2) == 0) {
		c.def = cellOf(r, c, false)
	}
	x.columns = append(x.columns, c)
}

func (x *madeTable) randomCells(r *rand.Rand, h history, all bool) map[int32][]byte {
	cells := map[int32][]byte{}
	for _, c := range x.columns {
		if c.key || !c.at(x.now) || !all && r.Intn(3) > 0 {
			continue
		}
		if cells[c.id] = cellOf(r, c, h.anyBytes); c.null && r.Intn(4) == 0 {
			cells[c.id] = nil
		}
	}
	return cells
}

// step lets something happen in a tablet.
func (x *madeTable) step(tb testing.TB, r *rand.Rand, h history, t *tableTablet) {
	x.now += uint64(1 + r.Intn(3))
	open := func() *tableRowSet {
		if n := len(t.rowsets); n > 0 && t.rowsets[n-1].flushed == 0 {
			return t.rowsets[n-1]
		}
		rs := &tableRowSet{byKey: map[string]*tableRow{}, keep: r.Intn(2) == 0}
		t.rowsets = append(t.rowsets, rs)
		return rs
	}
	what := r.Intn(100)
	switch {
	case what < 3 && !h.single:
		for _, rs := range t.rowsets {
			if r.Intn(2) == 0 {
				x.flush(r, rs)
			}
		}
	case what < 4 && !h.fixed:
		x.alter(r, h)
	case what < 50:
		cells := make([][]byte, h.keys)
		for i, c := range x.keyColumns() {
			cells[i] = keyCell(r, c, h.span)
		}
		key := x.keyOf(tb, cells)
		if x.alive(key) != nil {
			return
		}
		rs := open()
		if h.single { // a row of the rowset on disk comes back there
			rs = t.rowsets[0]
		} else if old := t.ghost(key); old != nil && old.flushed > 0 && r.Intn(3) == 0 {
			rs = old
		}
		row := rs.byKey[string(key)]
		if row == nil {
			row = &tableRow{key: key, cells: cells}
			rs.byKey[string(key)] = row
			rs.rows = append(rs.rows, row)
		}
		row.events = append(row.events, event{x.now, cfilewire.Reinsert, x.randomCells(r, h, true)})
	case len(t.rowsets) > 0:
		rs := t.rowsets[r.Intn(len(t.rowsets))]
		if len(rs.rows) == 0 {
			return
		}
		row := rs.rows[r.Intn(len(rs.rows))]
		if _, live := row.state(math.MaxUint64); !live {
			return
		}
		if what < 80 || h.settled {
			if cells := x.randomCells(r, h, false); len(cells) > 0 {
				row.events = append(row.events, event{x.now, cfilewire.Update, cells})
			}
			return
		}
		row.events = append(row.events, event{x.now, cfilewire.Delete, nil})
	}
}

// alive returns the row with a key that is there now, in whatever tablet.
func (x *madeTable) alive(key []byte) *tableRow {
	for _, t := range x.tablets {
		for _, rs := range t.rowsets {
			if row := rs.byKey[string(key)]; row != nil {
				if _, live := row.state(math.MaxUint64); live {
					return row
				}
			}
		}
	}
	return nil
}

// ghost returns the newest rowset that had a row.
func (t *tableTablet) ghost(key []byte) *tableRowSet {
	for i := len(t.rowsets) - 1; i >= 0; i-- {
		if t.rowsets[i].byKey[string(key)] != nil {
			return t.rowsets[i]
		}
	}
	return nil
}

// alter adds, drops or renames a column.
func (x *madeTable) alter(r *rand.Rand, h history) {
	x.schema++
	c := x.columns[r.Intn(len(x.columns))]
	switch r.Intn(4) {
	case 0:
		if !c.key && c.dropped == 0 {
			c.dropped = x.now
		}
	case 1:
		c.name = fmt.Sprintf("%s_%d", c.name, x.schema)
	default:
		x.addColumn(r, h, x.now)
	}
}

// flush writes what a rowset has in memory.
func (x *madeTable) flush(r *rand.Rand, rs *tableRowSet) {
	x.now++
	if rs.flushed > 0 {
		rs.redos = append(rs.redos, x.now)
		return
	}
	rs.flushed = x.now
	slices.SortFunc(rs.rows, func(a, b *tableRow) int { return bytes.Compare(a.key, b.key) })
	for n := r.Intn(3); n > 0 && len(rs.rows) > 0; n-- {
		rs.undos = append(rs.undos, rs.rows[r.Intn(len(rs.rows))].events[0].time)
	}
	slices.Sort(rs.undos)
	rs.undos = slices.Compact(rs.undos)
}

// builtRowSet is what the blocks of a rowset hold.
type builtRowSet struct {
	columns map[int32]*madeFile
	redo    []*madeFile // oldest first
	undo    []*madeFile // newest first
	index   *madeFile   // nil = the key is one column
	bloom   *madeFile
	live    int64
}

// files returns the files of a rowset.
func (x *madeTable) files(rs *tableRowSet) *builtRowSet {
	b := &builtRowSet{columns: map[int32]*madeFile{}}
	for _, c := range x.columns {
		if c.at(rs.flushed) && (c.dropped == 0 || rs.keep) {
			b.columns[c.id] = &madeFile{typ: c.typ, nullable: c.null, perBlock: x.per}
		}
	}
	var keys [][]byte
	undo, redo := make([][]madeDelta, len(rs.undos)+1), make([][]madeDelta, len(rs.redos)+1)
	for ordinal, row := range rs.rows {
		keys = append(keys, row.key)
		stored := 0 // events that the columns know
		for i, e := range row.events {
			if e.time < rs.flushed && e.op != cfilewire.Delete {
				stored = i + 1
			}
		}
		base, _ := row.state(row.events[stored-1].time + 1)
		for i, c := range x.columns {
			if f := b.columns[c.id]; f != nil {
				if c.key {
					f.values = append(f.values, row.cells[i])
				} else {
					f.values = append(f.values, c.value(base))
				}
			}
		}
		for i := stored - 1; i >= 0; i-- {
			e := row.events[i]
			at, _ := slices.BinarySearch(rs.undos, e.time+1) // how many cuts are at or below
			undo[at] = append(undo[at], madeDelta{int64(ordinal), e.time, x.back(row, e)})
		}
		for _, e := range row.events[stored:] {
			at, _ := slices.BinarySearch(rs.redos, e.time)
			if e.time > rs.flushed {
				at = min(at, len(rs.redos)-1) + 1
			} else {
				at = 0
			}
			redo[at] = append(redo[at], madeDelta{int64(ordinal), e.time, changeOf(e.op, e.cells)})
		}
		if _, live := row.state(math.MaxUint64); live {
			b.live++
		}
	}
	for _, d := range redo {
		if len(d) > 0 {
			b.redo = append(b.redo, deltaFileOf(d))
		}
	}
	for _, d := range slices.Backward(undo) {
		if len(d) > 0 {
			b.undo = append(b.undo, deltaFileOf(d))
		}
	}
	b.bloom = bloomFilters(keys, 50)
	if len(x.keyColumns()) > 1 {
		b.index = keyIndex(keys)
	} else {
		f := b.columns[x.columns[0].id]
		f.keys, f.cut = keys, true
		f.ends(keys)
	}
	return b
}

// back returns the change that takes an event back.
func (x *madeTable) back(row *tableRow, e event) []byte {
	before, live := row.state(e.time)
	if e.op == cfilewire.Reinsert {
		return changeOf(cfilewire.Delete, nil)
	}
	cells := map[int32][]byte{}
	for _, c := range x.columns {
		if _, ok := e.cells[c.id]; c.key || e.op == cfilewire.Update && !ok {
			continue
		}
		cells[c.id] = c.value(before)
	}
	if e.op == cfilewire.Update {
		return changeOf(cfilewire.Update, cells)
	}
	if !live {
		panic("a row was deleted twice")
	}
	return changeOf(cfilewire.Reinsert, cells)
}

// tableServer is a server with blocks of test tables, in one container of the log block manager.
type tableServer struct {
	*madeServer
	data    []byte
	records []protoMsg
	next    uint64
	blocks  map[uint64]arrowio.ByteRange
}

func newTableServer(tb testing.TB) *tableServer {
	tb.Helper()
	s := &tableServer{madeServer: newServer(tb, "server", "disk"), next: 1, blocks: map[uint64]arrowio.ByteRange{}}
	s.wal("wal")
	s.madeServer.data("data", "log", 0)
	return s
}

// block writes a block.
func (s *tableServer) block(b []byte) uint64 {
	id := s.next
	s.next++
	s.data = append(s.data, make([]byte, -len(s.data)&4095)...)
	s.blocks[id] = arrowio.ByteRange{Off: int64(len(s.data)), Len: int64(len(b))}
	s.records = append(s.records, createBlock(id, int64(len(s.data)), int64(len(b))))
	s.data = append(s.data, b...)
	return id
}

// finish writes the container.
func (s *tableServer) finish() {
	s.write(s.data, "data", "data", "c.data")
	s.write(protoContainer("kudu.BlockRecordPB", s.records...), "data", "data", "c.metadata")
}

// rowset writes the blocks of a rowset and returns its part of the superblock.
func (s *tableServer) rowset(id int64, b *builtRowSet) protoMsg {
	m := protoMsg{}.num(1, id).num(2, 0)
	for _, c := range inOrder(b.columns) {
		p := protoMsg{}.block(2, s.block(b.columns[c].build()))
		if c > 0 { // as Kudu has it: 0 may be left out
			p = p.num(4, int64(c))
		}
		m = m.sub(3, p)
	}
	for _, f := range b.redo {
		m = m.sub(4, protoMsg{}.block(2, s.block(f.build())))
	}
	for _, f := range b.undo {
		m = m.sub(5, protoMsg{}.block(2, s.block(f.build())))
	}
	if b.bloom != nil {
		m = m.block(6, s.block(b.bloom.build()))
	}
	if b.index != nil {
		m = m.block(7, s.block(b.index.build()))
	}
	return m.num(10, b.live)
}

// schema returns the table's SchemaPB.
func (x *madeTable) schemaPB() (m protoMsg) {
	for _, c := range x.present() {
		p := protoMsg{}
		if c.id > 0 {
			p = p.num(1, int64(c.id))
		}
		p = p.str(2, c.name).num(3, int64(c.typ))
		if c.key {
			p = p.num(4, 1)
		}
		if c.null {
			p = p.num(5, 1)
		}
		if c.def != nil {
			p = p.str(6, string(c.def))
		}
		if c.precision > 0 {
			p = p.sub(11, protoMsg{}.num(1, int64(c.precision)).num(2, int64(c.scale)))
		}
		m = m.sub(1, p)
	}
	return m
}

// lateTime is a hybrid time behind that of all made changes.
const lateTime = 1 << 62

// tablet writes the superblock of a tablet with the given rowsets, and a log that goes on behind what is in files, without changes.
func (s *tableServer) tablet(x *madeTable, id string, rowsets ...protoMsg) {
	log := newSegmentOf(id, 1, blockcodec.None, false, x.schemaPB(), int64(x.schema))
	log.add(replicateOf(1, 1, lateTime, kuduwire.OpNoOp, nil), commitOf(1, 1, kuduwire.OpNoOp))
	s.write(log.b, "wal", "wals", id, segmentName(1))
	s.write(protoContainer("kudu.tablet.TabletSuperBlockPB", x.superPB(id, rowsets...)), "wal", "tablet-meta", id)
}

func (x *madeTable) superPB(id string, rowsets ...protoMsg) protoMsg {
	m := protoMsg{}.str(1, "id of "+x.name).str(2, id).num(3, int64(len(rowsets)))
	for _, r := range rowsets {
		m = m.sub(6, r)
	}
	return m.str(7, x.name).sub(8, x.schemaPB()).num(9, int64(x.schema)).num(10, 1).sub(15, protoMsg{}.str(1, "disk"))
}

// serve writes a whole table.
func (x *madeTable) serve(tb testing.TB) *tableServer {
	tb.Helper()
	s := newTableServer(tb)
	for _, t := range x.tablets {
		var rowsets []protoMsg
		for i, rs := range t.rowsets {
			if len(rs.rows) > 0 {
				rowsets = append(rowsets, s.rowset(int64(i), x.files(rs)))
			}
		}
		s.tablet(x, t.id, rowsets...)
	}
	s.finish()
	return s
}

// open opens the server's table.
func (s *tableServer) open(o Options) (*File, error) {
	return Open(s.t.Context(), s.path("wal"), testLimits, o)
}
