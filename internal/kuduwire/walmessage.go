package kuduwire

import (
	"github.com/arrowio/arrowio/internal/pb"
)

// WriteRequest is what a WriteRequestPB says of rows. Its parts are parts of the bytes it was read from. Who sent it
// (field 6, a signed token with a user's name) is not read.
type WriteRequest struct {
	Tablet   []byte // the id of the tablet that the rows are for
	Schema   []byte // the client's SchemaPB: names and types, no ids
	Rows     []byte // see RowOps
	Indirect []byte
	HasRows  bool
	Txn      bool  // part of a transaction of several rows
	Counter  int64 // the last value that the auto-incrementing column has had
}

// ParseWriteRequest reads a WriteRequestPB.
func ParseWriteRequest(b []byte) (WriteRequest, error) {
	var w WriteRequest
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			w.Tablet = m.Bytes()
		case 2:
			w.Schema = m.Bytes()
		case 3:
			w.HasRows = true
			rows := m.Message()
			for rows.Next() {
				switch rows.Num {
				case 2:
					w.Rows = rows.Bytes()
				case 3:
					w.Indirect = rows.Bytes()
				}
			}
			if m.Err == nil {
				m.Err = rows.Err
			}
		case 7:
			w.Txn = true
		case 8:
			counter := m.Message()
			for counter.Next() {
				if counter.Num == 1 {
					w.Counter = counter.Int64()
				}
			}
			if m.Err == nil {
				m.Err = counter.Err
			}
		}
	}
	return w, place(m.Err, "write request", -1)
}

// AlterRequest is an AlterSchemaRequestPB.
type AlterRequest struct {
	Schema  []byte // the whole new SchemaPB, with ids
	Version uint32
}

// ParseAlterRequest reads an AlterSchemaRequestPB.
func ParseAlterRequest(b []byte) (AlterRequest, error) {
	var a AlterRequest
	var schema, version bool
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 2:
			a.Schema, schema = m.Bytes(), true
		case 3:
			a.Version, version = m.Uint32(), true
		}
	}
	if !(schema && version) {
		m.Fail("schema or its version is missing")
	}
	return a, place(m.Err, "alter request", -1)
}

// Store is a MemStoreTargetPB: where in memory a row operation went.
type Store struct {
	RowSet int64 // -1 = the memrowset
	Mem    int64 // the memrowset's id, or that of the rowset's delta store
	Txn    bool  // of a transaction of several rows
}

// Result is an OperationResultPB: what became of one row operation.
type Result struct {
	Skip   bool    // not to be replayed
	Failed bool    // the row was refused
	Stores []Store // none: nothing was done
}

// Results walks the results of a TxResultPB, one for each row operation in their order. It allocates nothing once
// Result.Stores is large enough.
type Results struct {
	m pb.Message
}

// ParseResults returns the results that a TxResultPB holds, before the first; nil has none.
func ParseResults(b []byte) Results { return Results{pb.New(b)} }

// Next moves to the next result and fills r; what r.Stores held before is overwritten. It is false at the end and after
// an error, which Err returns.
func (s *Results) Next(r *Result) bool {
	for s.m.Next() {
		if s.m.Num == 1 {
			if err := r.parse(s.m.Message()); err != nil {
				s.m.Err = err
			}
			return s.m.Err == nil
		}
	}
	return false
}

// Err returns the error that Next met.
func (s *Results) Err() error {
	return place(s.m.Err, "result", -1)
}

func (r *Result) parse(m pb.Message) error {
	r.Skip, r.Failed, r.Stores = false, false, r.Stores[:0]
	for m.Next() {
		switch m.Num {
		case 1:
			r.Skip = m.Bool()
		case 2:
			r.Failed = true
		case 3:
			st, err := parseStore(m.Message())
			if err != nil {
				return err
			}
			r.Stores = append(r.Stores, st)
		}
	}
	return m.Err
}

func parseStore(m pb.Message) (Store, error) {
	mrs, rowset, dms := int64(-1), int64(-1), int64(-1)
	txn := false
	for m.Next() {
		switch m.Num {
		case 1:
			mrs = m.Int64()
		case 2:
			rowset = m.Int64()
		case 3:
			dms = m.Int64()
		case 4:
			txn = true
		}
	}
	switch {
	case m.Err != nil:
	case mrs >= 0 && rowset < 0:
		return Store{-1, mrs, txn}, nil
	case mrs < 0 && rowset >= 0 && dms >= 0:
		return Store{rowset, dms, txn}, nil
	default:
		m.Fail("store: memrowset %d, rowset %d, delta store %d", mrs, rowset, dms)
	}
	return Store{}, m.Err
}
