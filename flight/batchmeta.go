package flight

import "github.com/arrowio/arrowio/flight/internal/transport"

// Position is a place in a dataset: row Row of file Fragment, which lies in split Split. Reading continues with that row.
type Position struct {
	Fragment int   `json:"fragment"`
	Split    int   `json:"split,omitempty"`
	Row      int64 `json:"row"`
}

// BatchMeta is the content of the app_metadata of a record batch; see batchmeta.fbs.
type BatchMeta struct {
	Fragment int      // the file that the first row comes from, by its number in the ticket
	Split    int      // and its split
	FirstRow int64    // its number in the file; with a filter, no greater than that
	Rows     int64    // in this batch
	Resume   Position // where to go on behind it
}

// ParseBatchMeta reads app_metadata. It checks every access: bytes that are not a BatchMeta give an error or meaningless
// values, and never a panic.
func ParseBatchMeta(b []byte) (BatchMeta, error) {
	m, err := transport.ParseBatchMeta(b)
	return BatchMeta{Fragment: m.Fragment, Split: m.Split, FirstRow: m.FirstRow, Rows: m.Rows, Resume: Position(m.Resume)}, err
}
