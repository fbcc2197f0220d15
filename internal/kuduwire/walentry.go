package kuduwire

import (
	"strconv"

	"github.com/arrowio/arrowio/internal/pb"
)

// OpID names an operation of a tablet: the term of the leader that proposed it and its place in the log.
type OpID struct{ Term, Index int64 }

// String returns "1.25", as Kudu prints it.
func (id OpID) String() string {
	return strconv.FormatInt(id.Term, 10) + "." + strconv.FormatInt(id.Index, 10)
}

// EntryType says what an entry is.
type EntryType uint8

// Entry types.
const (
	EntryReplicate EntryType = 1 // the operation itself, before it is applied
	EntryCommit    EntryType = 2 // what became of it
)

// OpType is Kudu's OperationType.
type OpType uint32

// Operations.
const (
	OpNoOp         OpType = 1
	OpWrite        OpType = 3
	OpAlterSchema  OpType = 4
	OpChangeConfig OpType = 5
	OpParticipant  OpType = 6
)

var opNames = [...]string{1: "NO_OP", 3: "WRITE_OP", 4: "ALTER_SCHEMA_OP", 5: "CHANGE_CONFIG_OP", 6: "PARTICIPANT_OP"}

// String returns Kudu's word.
func (t OpType) String() string {
	if int64(t) < int64(len(opNames)) && opNames[t] != "" {
		return opNames[t]
	}
	return "operation type " + strconv.FormatUint(uint64(t), 10)
}

// Entry is a LogEntryPB. Its parts are parts of the batch.
type Entry struct {
	Type EntryType
	Op   OpType // may be one that is not known
	ID   OpID
	Time uint64 // hybrid time, of a REPLICATE
	// Body is of a REPLICATE the request: a WriteRequestPB of an OpWrite, an AlterSchemaRequestPB of an OpAlterSchema,
	// else nil. Of a COMMIT it is the TxResultPB, nil = there is none.
	Body []byte
}

// ParseEntries appends the entries of a LogEntryBatchPB to dst. An entry that cannot be read, or whose type is not
// known, makes the whole batch ErrCorrupt, for that is how a torn log ends.
func ParseEntries(dst []Entry, batch []byte) ([]Entry, error) {
	m := pb.New(batch)
	for m.Next() {
		if m.Num != 1 {
			continue
		}
		if e, err := parseEntry(m.Message()); err != nil {
			m.Err = err
		} else if m.Err == nil {
			dst = append(dst, e)
		}
	}
	return dst, place(m.Err, "batch", -1)
}

func parseEntry(m pb.Message) (Entry, error) {
	var typ uint64
	var replicate, commit pb.Message
	var hasReplicate, hasCommit bool
	for m.Next() {
		switch m.Num {
		case 1:
			typ = m.Uint64()
		case 2:
			replicate, hasReplicate = m.Message(), true
		case 3:
			commit, hasCommit = m.Message(), true
		}
	}
	switch {
	case m.Err != nil:
		return Entry{}, m.Err
	case typ == uint64(EntryReplicate) && hasReplicate:
		return parseReplicate(replicate)
	case typ == uint64(EntryCommit) && hasCommit:
		return parseCommit(commit)
	case typ == uint64(EntryReplicate) || typ == uint64(EntryCommit):
		m.Fail("entry of type %d without its message", typ)
	default:
		m.Fail("entry type %d is not known", typ)
	}
	return Entry{}, m.Err
}

// parseReplicate reads a ReplicateMsg. Field 6 of its write request, the authorisation token, is never looked at.
func parseReplicate(m pb.Message) (Entry, error) {
	e := Entry{Type: EntryReplicate}
	var write, alter []byte
	var id, time, op bool
	for m.Next() {
		switch m.Num {
		case 1:
			e.ID, id = parseOpID(&m), true
		case 2:
			e.Time, time = m.Fixed64(), true
		case 4:
			e.Op, op = OpType(m.Uint32()), true
		case 5:
			write = m.Bytes()
		case 6:
			alter = m.Bytes()
		}
	}
	if !(id && time && op) {
		m.Fail("REPLICATE without its id, time or operation type")
	}
	switch e.Op {
	case OpWrite:
		e.Body = write
	case OpAlterSchema:
		e.Body = alter
	}
	return e, m.Err
}

// parseCommit reads a CommitMsg.
func parseCommit(m pb.Message) (Entry, error) {
	e := Entry{Type: EntryCommit}
	var id, op bool
	for m.Next() {
		switch m.Num {
		case 1:
			e.Op, op = OpType(m.Uint32()), true
		case 2:
			e.ID, id = parseOpID(&m), true
		case 3:
			e.Body = m.Bytes()
		}
	}
	if !(id && op) {
		m.Fail("COMMIT without its id or operation type")
	}
	return e, m.Err
}

func parseOpID(m *pb.Message) OpID {
	id := OpID{-1, -1}
	s := m.Message()
	for s.Next() {
		switch s.Num {
		case 1:
			id.Term = s.Int64()
		case 2:
			id.Index = s.Int64()
		}
	}
	if s.Err == nil && (id.Term < 0 || id.Index < 0) {
		s.Fail("operation id %s", id)
	}
	if m.Err == nil {
		m.Err = s.Err
	}
	return id
}
