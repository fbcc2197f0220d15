package flight

import "github.com/arrowio/arrowio/flight/internal/transport"

// Position is a place in a dataset: the next row to be read is row Row of the file of fragment Fragment. Split is the
// split that the row lies in.
//
//	Fragment int   `json:"fragment"`
//	Split    int   `json:"split,omitempty"`
//	Row      int64 `json:"row"`
type Position = transport.Position

// BatchMeta is what the app_metadata of a record batch say; see batchmeta.fbs.
//
//	Fragment int      // the file that the first row comes from, by its number in the ticket
//	Split    int      // and its split
//	FirstRow int64    // its number in the file; with a filter, no greater than that
//	Rows     int64    // in this batch
//	Resume   Position // where to go on behind it
type BatchMeta = transport.BatchMeta

// ParseBatchMeta reads app_metadata. Every access is checked: what is no BatchMeta gives an error, or nonsense.
func ParseBatchMeta(b []byte) (BatchMeta, error) { return transport.ParseBatchMeta(b) }
