package kudu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// batchesOf packs batches for FuzzReplay: u16 length, LogEntryBatchPB.
func batchesOf(entries ...protoMsg) (b []byte) {
	for _, e := range entries {
		m := protoMsg{}.sub(1, e)
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(m))), m...)
	}
	return b
}

// FuzzReplay: whatever entries a log has, with checksums that fit, a replay ends with rows or with an error that has a
// kind; a salvage always has an answer, and says so where it is not the same.
func FuzzReplay(f *testing.F) {
	f.Add(batchesOf(
		writeOp(1, rowOp(kw.RowInsert, 1, int32(1), "one"), rowOp(kw.RowInsert, 2)), doneOp(1, timesOp(2, inMRS(0))...),
		writeOp(2, rowOp(kw.RowUpdate, 1, nil, "two", int32(2)), rowOp(kw.RowDelete, 2)), doneOp(2, timesOp(2, inMRS(0))...),
	), uint64(0))
	f.Add(batchesOf(
		writeOp(1, rowOp(kw.RowUpsert, 5, int32(1), "one"), rowOp(kw.RowDelete, 6), rowOp(kw.RowUpdate, 7, nil)), doneOp(1, timesOp(3, inDMS(0, 1))...),
		writeOp(2, rowOp(kw.RowInsert, 6, nil, "two", int32(2)), rowOp(kw.RowUpsert, 5, int32(7))),
	), uint64(150))
	f.Add(batchesOf(
		replicateOf(1, 1, 1, kw.OpNoOp, nil), commitOf(1, 1, kw.OpNoOp),
		replicateOf(1, 2, 2, kw.OpAlterSchema, protoMsg{}.sub(2, schemaOf(madeColumns[:2], true)).num(3, 1)), commitOf(1, 2, kw.OpAlterSchema),
		writeOp(3, rowOp(kw.RowInsert, 1)), writeOp(4), replicateOf(2, 3, 3, kw.OpNoOp, nil), commitOf(2, 3, kw.OpNoOp),
	), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, snapshot uint64) {
		seg := newSegment(1, blockcodec.None, false, schemaOf(madeColumns, true), 0)
		for len(b) >= 2 {
			n := min(int(binary.LittleEndian.Uint16(b)), len(b)-2)
			seg.raw(b[2:2+n], n)
			b = b[2+n:]
		}
		l := newLog(t, seg)
		d := l.rowset(0, 0)
		for k := range int64(10) {
			d.add(k, k%3 > 0)
		}
		o := replayOptions{Snapshot: snapshot, Memory: 16 << 20, Limits: arrowio.Limits{Columns: 100, BlockBytes: 1 << 20}}
		st, err := l.inMemory(o)
		if err != nil {
			checkFault(t, err)
		} else {
			checkState(t, st)
		}
		o.Salvage = true
		saved, err2 := l.inMemory(o)
		switch {
		case errors.Is(err2, errs.ErrLimit):
		case err2 != nil:
			t.Fatalf("salvage: %v", err2)
		case err != nil && len(saved.lost)+len(saved.notes) == 0:
			t.Fatalf("a salvage says nothing of %v", err)
		case err == nil && (saved.applied != st.applied || len(saved.lost) > 0):
			t.Fatalf("a salvage of a sound log: %+v, %+v", saved, st)
		default:
			checkState(t, saved)
		}
	})
}

// checkState looks at all that a replay hands over.
func checkState(t *testing.T, st *logState) {
	m, err := st.mem.sorted()
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < m.len(); i++ {
		if bytes.Compare(m.key(i-1), m.key(i)) >= 0 {
			t.Fatalf("key %x before %x", m.key(i-1), m.key(i))
		}
	}
	cells := make([]cell, m.len())
	for i := range st.schema.Columns {
		c := &st.schema.Columns[i]
		m.column(cells, c.ID, 0)
		for _, v := range cells {
			if !v.null && !v.absent && !c.Type.Binary() && len(v.value) != c.Type.Width() {
				t.Fatalf("column %s: %+v", c.Name, v)
			}
			if c.Key && (v.null || v.absent) {
				t.Fatalf("key column %s: %+v", c.Name, v)
			}
		}
	}
	for _, list := range st.deltas {
		for i, d := range list {
			if i > 0 && d.row < list[i-1].row || d.row >= 10 {
				t.Fatalf("change %d to row %d", i, d.row)
			}
			op, ch, err := cfilewire.ParseChange(d.change)
			for ch.Next() {
			}
			if err != nil || ch.Err != nil || op == cfilewire.Reinsert {
				t.Fatal(op, err, ch.Err)
			}
		}
	}
}
