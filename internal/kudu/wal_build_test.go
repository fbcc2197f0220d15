package kudu

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

func (m protoMsg) fixed64(field protowire.Number, v uint64) protoMsg {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), v)
}

func (m protoMsg) sub(field protowire.Number, s protoMsg) protoMsg { return m.str(field, string(s)) }

// madeColumn is a column of a table made for a test.
type madeColumn struct {
	id                             int64
	name                           string
	typ                            cfilewire.DataType
	key, null, immutable, counting bool
	read, write                    string // defaults, "" = none
}

func madeInt32(v int32) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }
func madeInt64(v int64) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(v))) }

var madeColumns = []madeColumn{
	{id: 10, name: "k", typ: cfilewire.Int64, key: true},
	{id: 11, name: "a", typ: cfilewire.Int32, null: true},
	{id: 12, name: "s", typ: cfilewire.String, null: true},
	{id: 13, name: "n", typ: cfilewire.Int32, write: madeInt32(7), read: madeInt32(5)},
}

// schemaOf makes a SchemaPB; clients' have no ids.
func schemaOf(cols []madeColumn, ids bool) protoMsg {
	var s protoMsg
	for _, c := range cols {
		m := protoMsg{}
		if ids {
			m = m.num(1, c.id)
		}
		m = m.str(2, c.name).num(3, int64(c.typ))
		for field, set := range map[protowire.Number]bool{4: c.key, 5: c.null, 13: c.immutable, 14: c.counting} {
			if set {
				m = m.num(field, 1)
			}
		}
		if c.read != "" {
			m = m.str(6, c.read)
		}
		if c.write != "" {
			m = m.str(7, c.write)
		}
		s = s.sub(1, m)
	}
	return s
}

func tableOf(tb testing.TB, cols []madeColumn, version uint32) *tableSchema {
	tb.Helper()
	s, err := parseTableSchema(schemaOf(cols, true), version, testLimits)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// madeRow is a row operation: a cell for each of the client's columns, absent for those that are not set, nil for null.
type madeRow struct {
	op    kuduwire.RowOpType
	cells []any
}

type notSet struct{}

var unset notSet

func rowOp(op kuduwire.RowOpType, cells ...any) madeRow { return madeRow{op, cells} }

// writeOf makes a WriteRequestPB, with a token that nobody may show.
func writeOf(cols []madeColumn, rows ...madeRow) protoMsg {
	nullable := false
	for _, c := range cols {
		nullable = nullable || c.null
	}
	var b, indirect []byte
	for _, r := range rows {
		n := (len(cols) + 7) / 8
		set, null := make([]byte, n), make([]byte, n)
		var cells []byte
		for i, c := range r.cells {
			if c == unset {
				continue
			}
			set[i/8] |= 1 << (i % 8)
			switch v := c.(type) {
			case nil:
				null[i/8] |= 1 << (i % 8)
			case int32:
				cells = binary.LittleEndian.AppendUint32(cells, uint32(v))
			case int64:
				cells = binary.LittleEndian.AppendUint64(cells, uint64(v))
			case int:
				cells = binary.LittleEndian.AppendUint64(cells, uint64(v))
			case bool:
				cells = append(cells, map[bool]byte{true: 1}[v])
			case string:
				cells = binary.LittleEndian.AppendUint64(cells, uint64(len(indirect)))
				cells = binary.LittleEndian.AppendUint64(cells, uint64(len(v)))
				indirect = append(indirect, v...)
			default:
				panic(fmt.Sprintf("%T", c))
			}
		}
		b = append(append(b, byte(r.op)), set...)
		if nullable {
			b = append(b, null...)
		}
		b = append(b, cells...)
	}
	m := protoMsg{}.str(1, madeTablet).sub(2, schemaOf(cols, false))
	m = m.sub(3, protoMsg{}.str(2, string(b)).str(3, string(indirect)))
	return m.str(6, "secret token")
}

func idOf(term, index int64) protoMsg { return protoMsg{}.num(1, term).num(2, index) }

// replicateOf makes a LogEntryPB.
func replicateOf(term, index int64, time uint64, op kuduwire.OpType, body protoMsg) protoMsg {
	m := protoMsg{}.sub(1, idOf(term, index)).fixed64(2, time).num(4, int64(op))
	switch op {
	case kuduwire.OpWrite:
		m = m.sub(5, body)
	case kuduwire.OpAlterSchema:
		m = m.sub(6, body)
	}
	return protoMsg{}.num(1, 1).sub(2, m)
}

func commitOf(term, index int64, op kuduwire.OpType, results ...protoMsg) protoMsg {
	var tx protoMsg
	for _, r := range results {
		tx = tx.sub(1, r)
	}
	m := protoMsg{}.num(1, int64(op)).sub(2, idOf(term, index))
	if op == kuduwire.OpWrite || len(results) > 0 {
		m = m.sub(3, tx)
	}
	return protoMsg{}.num(1, 2).sub(3, m)
}

// Results of row operations.
var (
	resultNone   = protoMsg{}
	resultFailed = protoMsg{}.sub(2, protoMsg{}.num(1, 8).str(2, "key already present"))
	resultSkip   = inMRS(1).num(1, 1)
)

func inMRS(id int64) protoMsg       { return protoMsg{}.sub(3, protoMsg{}.num(1, id)) }
func inDMS(rs, dms int64) protoMsg  { return protoMsg{}.sub(3, protoMsg{}.num(2, rs).num(3, dms)) }
func bothIn(a, b protoMsg) protoMsg { return append(append(protoMsg{}, a...), b...) }
func timesOp(n int, r protoMsg) (rs []protoMsg) {
	for range n {
		rs = append(rs, r)
	}
	return rs
}

// madeSegment is a segment under construction.
type madeSegment struct {
	b       []byte
	codec   blockcodec.Codec
	old     bool
	entries int64
	enc     blockcodec.Encoder
}

func newSegment(seq int64, codec blockcodec.Codec, old bool, schema protoMsg, version int64) *madeSegment {
	return newSegmentOf(madeTablet, seq, codec, old, schema, version)
}

func newSegmentOf(tablet string, seq int64, codec blockcodec.Codec, old bool, schema protoMsg, version int64) *madeSegment {
	h := protoMsg{}
	if old {
		h = h.num(1, 1).num(2, 0)
	}
	h = h.str(5, tablet).num(6, seq).sub(7, schema).num(8, version)
	if n := map[blockcodec.Codec]int64{blockcodec.Snappy: 2, blockcodec.LZ4: 3, blockcodec.Zlib: 4}[codec]; n > 0 {
		h = h.num(9, n)
	}
	b := binary.LittleEndian.AppendUint32([]byte("kudulogf"), uint32(len(h)))
	return &madeSegment{b: append(b, h...), codec: codec, old: old}
}

func sum32(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// raw appends a batch with the given body, which claims to unpack to size bytes.
func (s *madeSegment) raw(body []byte, size int) {
	n := len(s.b)
	s.b = binary.LittleEndian.AppendUint32(s.b, uint32(len(body)))
	if !s.old {
		s.b = binary.LittleEndian.AppendUint32(s.b, uint32(size))
	}
	s.b = binary.LittleEndian.AppendUint32(s.b, sum32(body))
	s.b = binary.LittleEndian.AppendUint32(s.b, sum32(s.b[n:]))
	s.b = append(s.b, body...)
}

// add appends a batch of entries.
func (s *madeSegment) add(entries ...protoMsg) *madeSegment {
	var batch protoMsg
	for _, e := range entries {
		batch = batch.sub(1, e)
	}
	s.entries += int64(len(entries))
	body := []byte(batch)
	if s.codec != blockcodec.None {
		var err error
		if body, err = s.enc.Encode(s.codec, blockcodec.DefaultLevel, nil, batch); err != nil {
			panic(err)
		}
	}
	s.raw(body, len(batch))
	return s
}

// close appends a footer.
func (s *madeSegment) close() *madeSegment {
	f := protoMsg{}.num(1, s.entries).num(4, 1)
	s.b = append(append(s.b, f...), "closedls"...)
	s.b = binary.LittleEndian.AppendUint32(s.b, uint32(len(f)))
	return s
}

// madeRows are rows on disk.
type madeRows struct {
	at    map[string]int64 // by encoded key
	alive []bool
	asked int
}

func (d *madeRows) find(_ context.Context, key []byte) (int64, bool, error) {
	d.asked++
	i, ok := d.at[string(key)]
	return i, ok, nil
}

func (d *madeRows) live(_ context.Context, i int64) (bool, error) { return d.alive[i], nil }

func keyOf(k int64) string {
	b, err := cfilewire.AppendKey(nil, cfilewire.Int64, []byte(madeInt64(k)), true)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// add puts a row behind the others.
func (d *madeRows) add(k int64, alive bool) {
	if d.at == nil {
		d.at = map[string]int64{}
	}
	d.at[keyOf(k)] = int64(len(d.alive))
	d.alive = append(d.alive, alive)
}

// madeLog is all that a replay needs.
type madeLog struct {
	super kuduwire.SuperBlock
	rows  map[int64]*madeRows
	files map[string][]byte // in the tablet's log
	dir   string            // of the log, if not the tablet's own
	peers []protoMsg
}

const madeUUID = "this server"

func newLog(tb testing.TB, segs ...*madeSegment) *madeLog {
	l := &madeLog{
		super: kuduwire.SuperBlock{TabletID: madeTablet, LastDurableMRS: -1, State: kuduwire.TabletReady, Schema: tableOf(tb, madeColumns, 0).Schema},
		rows:  map[int64]*madeRows{}, files: map[string][]byte{}, dir: madeTablet, peers: []protoMsg{protoMsg{}.str(1, madeUUID).num(2, 1)},
	}
	for i, s := range segs {
		l.files[segmentName(i+1)] = s.b
	}
	return l
}

func segmentName(n int) string { return fmt.Sprintf("wal-%09d", n) }

// rowset adds a rowset on disk.
func (l *madeLog) rowset(id, durable int64) *madeRows {
	l.super.RowSets = append(l.super.RowSets, kuduwire.RowSet{ID: id, LastDurableDMS: durable})
	d := &madeRows{at: map[string]int64{}}
	l.rows[id] = d
	return d
}

// memFiles is a log in memory.
type memFiles map[string][]byte

func (m memFiles) names() ([]string, error) { return slices.Sorted(maps.Keys(m)), nil }

func (m memFiles) open(name string) (arrowio.Source, io.Closer, error) {
	return local.NewBytesSource(m[name]), io.NopCloser(nil), nil
}

func (l *madeLog) disk() map[int64]diskRows {
	rows := map[int64]diskRows{}
	for id, d := range l.rows {
		rows[id] = d
	}
	return rows
}

// inMemory replays the log of a tablet that this server decides about alone.
func (l *madeLog) inMemory(o replayOptions) (*logState, error) {
	r := newReplayer(context.Background(), &l.super, l.disk(), &logState{schema: l.super.Schema, schemaVersion: l.super.SchemaVersion}, o)
	r.sole = func() (bool, error) { return true, nil }
	return r.end(r.log(memFiles(l.files)))
}

func (l *madeLog) replay(tb testing.TB, o replayOptions) (*logState, error) {
	tb.Helper()
	s := newServer(tb, madeUUID)
	s.wal("wal")
	for name, b := range l.files {
		s.write(b, "wal", "wals", l.dir, name)
	}
	config := protoMsg{}.num(1, 1)
	for _, p := range l.peers {
		config = config.sub(3, p)
	}
	s.write(protoContainer("kudu.consensus.ConsensusMetadataPB", protoMsg{}.sub(1, config).num(2, 1)), "wal", "consensus-meta", madeTablet)
	root := filepath.Join(s.root, "wal")
	return replay(context.Background(), &Dirs{UUID: madeUUID, Wal: root, Metadata: root, lim: testLimits}, &l.super, l.disk(), o)
}

// must replays a log that is sound.
func (l *madeLog) must(tb testing.TB, o replayOptions) *logState {
	tb.Helper()
	st, err := l.replay(tb, o)
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

// text shows the rows in memory, by key, and the changes to rows on disk.
func (st *logState) text(tb testing.TB) (out []string) {
	tb.Helper()
	if st.mem != nil {
		m, err := st.mem.sorted()
		if err != nil {
			tb.Fatal(err)
		}
		cells := make([][]cell, len(st.schema.Columns))
		for c := range cells {
			cells[c] = make([]cell, m.len())
			m.column(cells[c], st.schema.Columns[c].ID, 0)
		}
		for i := range m.len() {
			s := ""
			for c, col := range st.schema.Columns {
				s += " " + logCell(col.Type, cells[c][i])
			}
			out = append(out, s[1:])
		}
	}
	for _, rs := range st.rowsets() {
		for _, d := range st.deltas[rs] {
			op, ch, err := cfilewire.ParseChange(d.change)
			s := fmt.Sprintf("%d/%d @%d %s", rs, d.row, d.time, op)
			for ch.Next() {
				i := st.schema.Index(ch.Column)
				if i < 0 {
					continue
				}
				s += fmt.Sprintf(" %s=%s", st.schema.Columns[i].Name, logCell(st.schema.Columns[i].Type, cell{value: ch.Value, null: ch.Null}))
			}
			if err != nil || ch.Err != nil {
				tb.Fatal(err, ch.Err)
			}
			out = append(out, s)
		}
	}
	return out
}

func (st *logState) rowsets() (ids []int64) {
	for id := range int64(math.MaxInt8) {
		if len(st.deltas[id]) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func logCell(t cfilewire.DataType, c cell) string {
	switch {
	case c.absent:
		return "-"
	case c.null:
		return "null"
	case t.Binary():
		return fmt.Sprintf("%q", c.value)
	case t.Width() == 4:
		return fmt.Sprint(int32(binary.LittleEndian.Uint32(c.value)))
	}
	return fmt.Sprint(int64(binary.LittleEndian.Uint64(c.value)))
}
