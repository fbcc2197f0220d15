package arrowio

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// InfoOptions asks for the dearer parts of an Info.
type InfoOptions struct {
	Blocks    bool        // list every block of every column
	Checksums bool        // read every block and report what its checksum says
	Filter    *expr.Bound // tell what it leaves of the file, in Info.Plan; nil = none
}

// Info describes a file: the same value backs `arrowio inspect`, its JSON, and the Flight action.
type Info struct {
	Format   string            `json:"format"`
	Version  string            `json:"version,omitempty"`
	Writer   string            `json:"writer,omitempty"`
	Rows     int64             `json:"rows"` // UnknownRows for a stream
	Bytes    int64             `json:"bytes"`
	Metadata map[string][]byte `json:"metadata,omitempty"`
	Facts    []Fact            `json:"facts,omitempty"` // what else the file says of itself, in the format's words
	Columns  []ColumnInfo      `json:"columns"`
	Groups   []GroupInfo       `json:"groups,omitempty"` // where blocks were asked for and the format stores rows in groups
	Splits   []SplitInfo       `json:"splits,omitempty"`
	Plan     []PlanInfo        `json:"plan,omitempty"`    // where a filter was given and the format has units of its own
	Members  []MemberInfo      `json:"members,omitempty"` // of an overview (ForInfo): what can be read, and what that consists of
	Notes    []string          `json:"notes,omitempty"`   // what a careful user should know: doubts, repairs, things ignored
	Schema   *arrow.Schema     `json:"-"`
}

// Fact is something that only this format has.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// GroupInfo describes rows that are stored together: a stripe, a row group.
type GroupInfo struct {
	Rows   RowRange `json:"rows"`
	Off    int64    `json:"offset"`           // -1 = they are not in one place
	Bytes  int64    `json:"bytes"`            // all of them
	Index  int64    `json:"index"`            // of them: indexes
	Detail string   `json:"detail,omitempty"` // what the format says of the group besides
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
	Bytes     int64             `json:"bytes"`             // stored, framing included; -1 = unknown
	RawBytes  int64             `json:"raw_bytes,omitempty"`
	Blocks    int               `json:"blocks,omitempty"`
	Index     string            `json:"index,omitempty"`      // what lets a filter leave out rows, besides the statistics
	Secret    string            `json:"encryption,omitempty"` // with which key, and whether this reader has it
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
	Doubt  string `json:"doubt,omitempty"` // why filters do not rely on minimum and maximum; "" = they do
}

// BlockInfo describes one block of one column.
type BlockInfo struct {
	Group    int    `json:"group,omitempty"` // which of Info.Groups it is in
	Kind     string `json:"kind,omitempty"`  // where a column has blocks of several kinds
	Encoding string `json:"encoding,omitempty"`
	ID       string `json:"id,omitempty"`    // where blocks have names of their own
	Where    string `json:"where,omitempty"` // the file that Off is in, where there are several
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

// PlanInfo says what a filter leaves of a unit of a file's own, such as a stripe.
type PlanInfo struct {
	Unit     string   `json:"unit"` // "stripe 3"
	Rows     RowRange `json:"rows"`
	Left     int64    `json:"left"`         // rows that will be decoded
	Bytes    int64    `json:"bytes"`        // about so many stored bytes, of all columns, hold them
	BytesOf  int64    `json:"bytes_of"`     // stored bytes of the unit
	Groups   int      `json:"groups"`       // row groups that hold them
	GroupsOf int      `json:"groups_of"`    // row groups that were tested; 0 = the unit was judged as a whole
	By       []string `json:"by,omitempty"` // what pruned something: "stripe statistics", "row index", "bloom filters"
}

// MemberInfo is something that a directory holds: a table, a part of one, or a kind of files.
type MemberInfo struct {
	Kind   string   `json:"kind"` // "table", "tablet"
	Name   string   `json:"name,omitempty"`
	ID     string   `json:"id,omitempty"`
	State  string   `json:"state,omitempty"`
	Parts  int64    `json:"parts"` // of which it consists; Detail may tell which kind
	Rows   int64    `json:"rows"`  // UnknownRows where only reading tells
	Bytes  int64    `json:"bytes"` // negative = not known
	Detail string   `json:"detail,omitempty"`
	Open   []Choice `json:"open,omitempty"` // the options that open it by itself
}

// Choice is an option and its value.
type Choice struct {
	Option string `json:"option"`
	Value  string `json:"value"`
}
