package transport

import (
	"encoding/binary"
	"errors"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Position is a place in a dataset: the next row to be read is row Row of the file of fragment Fragment. Split is the
// split that the row lies in.
type Position struct {
	Fragment int   `json:"fragment"`
	Split    int   `json:"split,omitempty"`
	Row      int64 `json:"row"`
}

// BatchMeta is what the app_metadata of a record batch say; see batchmeta.fbs.
type BatchMeta struct {
	Fragment int   // the file that the first row comes from, by its number in the ticket
	Split    int   // and its split
	FirstRow int64 // its number in the file; with a filter, no greater than that
	Rows     int64 // in this batch
	Resume   Position
}

// MetaBuilder makes app_metadata.
type MetaBuilder struct{ b *flatbuffers.Builder }

// Build returns m as a flatbuffer of its own memory.
func (k *MetaBuilder) Build(m BatchMeta) []byte {
	if k.b == nil {
		k.b = flatbuffers.NewBuilder(128)
	}
	b := k.b
	b.Reset()
	b.StartObject(5)
	b.PrependInt32Slot(0, int32(m.Fragment), 0)
	b.PrependInt32Slot(1, int32(m.Split), 0)
	b.PrependInt64Slot(2, m.FirstRow, 0)
	b.PrependInt64Slot(3, m.Rows, 0)
	b.Prep(8, 16) // a struct lies in the table itself
	b.PrependInt64(m.Resume.Row)
	b.PrependInt32(int32(m.Resume.Split))
	b.PrependInt32(int32(m.Resume.Fragment))
	b.PrependStructSlot(4, b.Offset(), 0)
	b.Finish(b.EndObject())
	return append([]byte(nil), b.FinishedBytes()...)
}

var errBatchMeta = errors.New("these are not the app_metadata of a batch")

// ParseBatchMeta reads app_metadata. Every access is checked: what is no BatchMeta gives an error, or nonsense.
func ParseBatchMeta(b []byte) (BatchMeta, error) {
	var m BatchMeta
	le := binary.LittleEndian
	at := func(pos, n int64) []byte {
		if pos < 0 || pos > int64(len(b))-n {
			return nil
		}
		return b[pos : pos+n]
	}
	root := at(0, 4)
	if root == nil {
		return m, errBatchMeta
	}
	table := int64(le.Uint32(root))
	back := at(table, 4)
	if back == nil {
		return m, errBatchMeta
	}
	vt := table - int64(int32(le.Uint32(back)))
	size := at(vt, 4)
	if size == nil {
		return m, errBatchMeta
	}
	bad := false
	field := func(i, n int64) []byte {
		if 4+2*i+2 > int64(le.Uint16(size)) {
			return make([]byte, n)
		}
		off := at(vt+4+2*i, 2)
		if off != nil && le.Uint16(off) == 0 {
			return make([]byte, n)
		}
		if off != nil {
			if v := at(table+int64(le.Uint16(off)), n); v != nil {
				return v
			}
		}
		bad = true
		return make([]byte, n)
	}
	i32 := func(v []byte) int { return int(int32(le.Uint32(v))) }
	i64 := func(v []byte) int64 { return int64(le.Uint64(v)) }
	m.Fragment, m.Split = i32(field(0, 4)), i32(field(1, 4))
	m.FirstRow, m.Rows = i64(field(2, 8)), i64(field(3, 8))
	p := field(4, 16)
	m.Resume = Position{Fragment: i32(p), Split: i32(p[4:]), Row: i64(p[8:])}
	if bad {
		return BatchMeta{}, errBatchMeta
	}
	return m, nil
}
