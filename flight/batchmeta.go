package flight

import "github.com/arrowio/arrowio/flight/internal/transport"

// Position is a place in a dataset: row number Row of file number Fragment, in split number Split. Reading continues with that
// row.
type Position struct {
	Fragment int   `json:"fragment"`
	Split    int   `json:"split,omitempty"`
	Row      int64 `json:"row"`
}

// BatchMeta is the content of the app_metadata of a record batch; see batchmeta.fbs.
type BatchMeta struct {
	Fragment int      // number of the first row's file, counted as in the ticket
	Split    int      // number of its split
	FirstRow int64    // number of the first row in the file, or, with a filter, a number not greater than that
	Rows     int64    // in this batch
	Resume   Position // where to continue after the batch
}

// ParseBatchMeta decodes app_metadata. Bytes that are not a BatchMeta give an error or meaningless values, but no panic.
func ParseBatchMeta(b []byte) (BatchMeta, error) {
	m, err := transport.ParseBatchMeta(b)
	return BatchMeta{Fragment: m.Fragment, Split: m.Split, FirstRow: m.FirstRow, Rows: m.Rows, Resume: Position(m.Resume)}, err
}
