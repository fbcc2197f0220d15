package arrowio

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// InfoOptions asks for the parts of an Info that cost more than the file's metadata.
type InfoOptions struct {
	Blocks    bool        // list every block of every column
	Groups    bool        // report the statistics of every group: ColumnInfo.GroupStats
	Checksums bool        // read every block and report what its checksum says
	Filter    *expr.Bound // report in Info.Plan which rows this filter leaves; nil = no filter
}

// Info describes a file. `arrowio inspect`, its JSON and the Flight action show it.
type Info struct {
	Format   string            `json:"format"`
	Version  string            `json:"version,omitempty"`
	Writer   string            `json:"writer,omitempty"`
	Rows     int64             `json:"rows"` // UnknownRows for a stream
	Bytes    int64             `json:"bytes"`
	Metadata map[string][]byte `json:"metadata,omitempty"`
	Facts    []Fact            `json:"facts,omitempty"` // other properties of the file, as the format names them
	Columns  []ColumnInfo      `json:"columns"`
	Groups   []GroupInfo       `json:"groups,omitempty"` // if InfoOptions.Blocks or Groups is set and the format stores rows in groups
	Splits   []SplitInfo       `json:"splits,omitempty"`
	Plan     []PlanInfo        `json:"plan,omitempty"`    // if InfoOptions.Filter is set and the format has units of its own
	Members  []MemberInfo      `json:"members,omitempty"` // only of a directory or table (ForInfo): what can be read, and its parts
	Notes    []string          `json:"notes,omitempty"`   // what a careful user should know: doubts, repairs, what was ignored
	Schema   *arrow.Schema     `json:"-"`
}

// Fact is a property of a file that only its format has.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// GroupInfo describes rows that are stored together, such as a stripe or a row group.
type GroupInfo struct {
	Rows   RowRange `json:"rows"`
	Off    int64    `json:"offset"`           // -1 = the bytes are not in one place
	Bytes  int64    `json:"bytes"`            // stored bytes, Index included
	Index  int64    `json:"index"`            // stored bytes of indexes
	Detail string   `json:"detail,omitempty"` // what else the format says about the group
}

// ColumnInfo describes one stored column, in the file's own order.
type ColumnInfo struct {
	Path      string            `json:"path"`             // the stored column's name
	Type      string            `json:"type"`             // Arrow type, "" if the stored column has none
	Stored    string            `json:"stored"`           // the format's own type, as the format names it
	Parent    string            `json:"parent,omitempty"` // the stored column that repeats it
	Encodings []string          `json:"encodings,omitempty"`
	Codec     string            `json:"codec,omitempty"`
	Checksum  string            `json:"checksum,omitempty"`
	Verdict   string            `json:"verdict,omitempty"` // result of checking the checksums, if InfoOptions.Checksums was set
	Bytes     int64             `json:"bytes"`             // stored, framing included; -1 = unknown
	RawBytes  int64             `json:"raw_bytes,omitempty"`
	Blocks    int               `json:"blocks,omitempty"`
	Index     string            `json:"index,omitempty"`      // indexes by which a filter can skip rows, besides the statistics
	Secret    string            `json:"encryption,omitempty"` // name of the key, and whether this reader has it
	Stats     *ColumnStats      `json:"stats,omitempty"`
	Metadata  map[string][]byte `json:"metadata,omitempty"`
	BlockList []BlockInfo       `json:"block_list,omitempty"`
	// GroupStats holds the statistics of the column in each of Info.Groups, which are then listed, if InfoOptions.Groups is set and the
	// format keeps them; otherwise it is nil.
	GroupStats []ColumnStats `json:"group_stats,omitempty"`
}

// ColumnStats holds the statistics that a file stores for a column, as text.
type ColumnStats struct {
	Values int64  `json:"values"` // -1 = unknown
	Nulls  int64  `json:"nulls"`  // -1 = unknown
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	Sum    string `json:"sum,omitempty"`
	Doubt  string `json:"doubt,omitempty"` // why filters do not use Min and Max; "" = they use them
}

// BlockInfo describes one block of one column.
type BlockInfo struct {
	Group    int    `json:"group,omitempty"` // index in Info.Groups
	Kind     string `json:"kind,omitempty"`  // if a column has blocks of several kinds
	Encoding string `json:"encoding,omitempty"`
	ID       string `json:"id,omitempty"`    // if blocks have names
	Where    string `json:"where,omitempty"` // the file that Off refers to, if there are several
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

// PlanInfo says which rows a filter leaves in one of a file's own units, such as a stripe.
type PlanInfo struct {
	Unit     string   `json:"unit"` // "stripe 3"
	Rows     RowRange `json:"rows"`
	Left     int64    `json:"left"`         // number of rows that will be decoded
	Bytes    int64    `json:"bytes"`        // about how many stored bytes hold these rows, all columns together
	BytesOf  int64    `json:"bytes_of"`     // stored bytes of the unit
	Groups   int      `json:"groups"`       // number of row groups that hold these rows
	GroupsOf int      `json:"groups_of"`    // number of row groups that were tested; 0 = the unit was tested as a whole
	By       []string `json:"by,omitempty"` // what excluded rows: "stripe statistics", "row index", "bloom filters"
}

// MemberInfo describes something that a directory holds: a table, a part or a state of a table, or files of one kind.
type MemberInfo struct {
	Kind   string   `json:"kind"` // "table", "tablet", "snapshot"
	Name   string   `json:"name,omitempty"`
	ID     string   `json:"id,omitempty"`
	State  string   `json:"state,omitempty"`
	Parts  int64    `json:"parts"` // number of parts; Detail may tell of which kind
	Rows   int64    `json:"rows"`  // UnknownRows = only reading tells
	Bytes  int64    `json:"bytes"` // negative = not known
	Detail string   `json:"detail,omitempty"`
	Open   []Choice `json:"open,omitempty"` // the options that open this member alone
}

// Choice is an option and its value.
type Choice struct {
	Option string `json:"option"`
	Value  string `json:"value"`
}
