package arrowio

import "github.com/apache/arrow/go/v15/arrow"

// InfoOptions asks for the dearer parts of an Info.
type InfoOptions struct {
	Blocks    bool // list every block of every column
	Checksums bool // read every block and report what its checksum says
}

// Info describes a file: the same value backs `arrowio inspect`, its JSON, and the Flight action.
type Info struct {
	Format   string            `json:"format"`
	Version  string            `json:"version,omitempty"`
	Writer   string            `json:"writer,omitempty"`
	Rows     int64             `json:"rows"` // UnknownRows for a stream
	Bytes    int64             `json:"bytes"`
	Metadata map[string][]byte `json:"metadata,omitempty"`
	Columns  []ColumnInfo      `json:"columns"`
	Splits   []SplitInfo       `json:"splits,omitempty"`
	Notes    []string          `json:"notes,omitempty"` // what a careful user should know: doubts, repairs, things ignored
	Schema   *arrow.Schema     `json:"-"`
}

// ColumnInfo describes one stored column, in the file's own order.
type ColumnInfo struct {
	Path      string            `json:"path"`             // the stored column's name
	Type      string            `json:"type"`             // Arrow type, "" where a stored column has none of its own
	Stored    string            `json:"stored"`           // the format's own type, in its own words
	Parent    string            `json:"parent,omitempty"` // the stored column that repeats it
	Encodings []string          `json:"encodings,omitempty"`
	Codec     string            `json:"codec,omitempty"`
	Checksum  string            `json:"checksum,omitempty"`
	Verdict   string            `json:"verdict,omitempty"` // of the checksums, where they were asked for
	Bytes     int64             `json:"bytes"`             // stored, framing included
	RawBytes  int64             `json:"raw_bytes,omitempty"`
	Blocks    int               `json:"blocks,omitempty"`
	Stats     *ColumnStats      `json:"stats,omitempty"`
	Metadata  map[string][]byte `json:"metadata,omitempty"`
	BlockList []BlockInfo       `json:"block_list,omitempty"`
}

// ColumnStats is what a file says about a column's values, as text.
type ColumnStats struct {
	Values int64  `json:"values"` // -1 = unknown
	Nulls  int64  `json:"nulls"`  // -1 = unknown
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	Sum    string `json:"sum,omitempty"`
}

// BlockInfo describes one block of one column.
type BlockInfo struct {
	Rows     int64  `json:"rows"`
	Off      int64  `json:"offset"`
	Bytes    int64  `json:"bytes"`
	RawBytes int64  `json:"raw_bytes"`
	First    string `json:"first,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
}

// SplitInfo describes one split.
type SplitInfo struct {
	Rows  RowRange `json:"rows"`
	Bytes int64    `json:"bytes"`
}
