package flight

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/flight/internal/strict"
	"github.com/arrowio/arrowio/writers"
)

// PutCommand says how the server stores a stream that a client puts: the JSON in a descriptor CMD. A descriptor PATH with the
// name of the dataset means the same with the defaults.
type PutCommand struct {
	Dataset string `json:"dataset"`
	// Format is the format of the stored files; default "ipc", which keeps every Arrow type.
	Format string `json:"format,omitempty"`
	// Mode is "create", the default, which refuses a name that exists, "replace", "append", which refuses one that does not, or
	// "create_append".
	Mode string `json:"mode,omitempty"`
	// Rows is the number of rows that the client will send; nil = not known. If the stream ends with another number, nothing is
	// stored. Without Rows the server cannot notice that a client has ended its stream early, because of an error.
	Rows                 *int64 `json:"rows,omitempty"`
	convert.MetadataEdit        // changes of the metadata: "metadata" and "drop_metadata"
	// Losses is "report", the default, or "refuse". With "refuse", rows are not stored if reading them back would not show
	// everything.
	Losses      string            `json:"losses,omitempty"`
	Sort        []string          `json:"sort,omitempty"` // columns, see convert.ParseSortColumn
	SortByKey   bool              `json:"sort_by_key,omitempty"`
	Compression string            `json:"compression,omitempty"`     // NAME or NAME:LEVEL, of the format
	RowGroup    int64             `json:"row_group_bytes,omitempty"` // see arrowio.WriteOptions
	MaxFile     int64             `json:"max_file_bytes,omitempty"`  // see arrowio.WriteOptions
	Options     map[string]string `json:"options,omitempty"`         // of the format, those of PutOptions

	// What is appended fits the dataset, whose columns these are; nil = nothing is there to fit. hidden: the client may not read it.
	fits    func(rows *arrow.Schema) error
	columns *arrow.Schema
	hidden  bool
	file    string // that is appended; "" = none is
	// keepsKinds is of rows that SQL writes, which has no place for a report: without Losses, a new dataset whose values come back as
	// ones of another kind is refused.
	keepsKinds bool
}

// Values of PutCommand.
const (
	PutCreate       = "create"
	PutReplace      = "replace"
	PutAppend       = "append"
	PutCreateAppend = "create_append"
)

var putModes = []string{PutCreate, PutReplace, PutAppend, PutCreateAppend}

// Values of Losses.
const (
	lossesReported = "report"
	lossesRefused  = "refuse"
)

// PutReport is the JSON in the app_metadata of the PutResult that ends a DoPut.
type PutReport struct {
	Dataset  string         `json:"dataset"`
	Format   string         `json:"format"`
	Replaced bool           `json:"replaced,omitempty"` // a dataset of this name was replaced
	Appended bool           `json:"appended,omitempty"` // to one; Rows, Bytes and Files are what was added
	Rows     int64          `json:"rows"`
	Bytes    int64          `json:"bytes"` // stored
	Files    []convert.File `json:"files"`
	SortedBy []string       `json:"sorted_by,omitempty"`
	Losses   []arrowio.Loss `json:"losses,omitempty"` // what reading the dataset back does not show
	// Columns says how each column is stored, and which values of its type would have been refused.
	Columns []arrowio.PlannedColumn `json:"columns"`
}

// PutOptions returns the format options that clients may set for datasets that they put: see arrowio.Option.Remote.
func PutOptions() []string {
	var out []string
	for _, f := range writers.All() {
		out = append(out, remoteOptions(f.Options)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ParsePut parses the descriptor of a DoPut. It refuses unknown fields.
func ParsePut(d *flight.FlightDescriptor) (*PutCommand, error) {
	c := &PutCommand{}
	switch {
	case d.GetType() == flight.DescriptorPATH && len(d.GetPath()) == 1:
		c.Dataset = d.GetPath()[0]
	case d.GetType() == flight.DescriptorPATH:
		return nil, errs.Errorf(errs.ErrOption, "a path of %d names; the name of a dataset is one", len(d.GetPath()))
	case d.GetType() != flight.DescriptorCMD:
		return nil, errs.Errorf(errs.ErrOption, "invalid FlightDescriptor: its type must be PATH or CMD")
	case len(d.GetCmd()) > maxCommandBytes:
		return nil, errs.Errorf(errs.ErrOption, "a command of %d bytes; the most is %d", len(d.GetCmd()), maxCommandBytes)
	default:
		if err := strict.Decode(d.GetCmd(), c); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "command: %w", err)
		}
	}
	return c, c.check()
}

// defaultPutFormat keeps every type of Arrow.
const defaultPutFormat = "ipc"

// appends reports whether rows are added to a dataset that there is.
func (c *PutCommand) appends() bool { return c.Mode == PutAppend || c.Mode == PutCreateAppend }

func (c *PutCommand) check() error {
	bad := func(format string, args ...any) error { return errs.Errorf(errs.ErrOption, format, args...) }
	if c.Mode == "" {
		c.Mode = PutCreate
	}
	if c.Format == "" && !c.appends() {
		c.Format = defaultPutFormat
	}
	switch {
	case c.Dataset == "":
		return bad("the command names no dataset")
	case !ValidName(c.Dataset):
		return bad("%q cannot be the name of a dataset: letters, digits, _ . - are allowed, at most 128", c.Dataset)
	case !slices.Contains(putModes, c.Mode):
		return bad("mode %q is not one of %s", c.Mode, strings.Join(putModes, ", "))
	case !slices.Contains([]string{"", lossesReported, lossesRefused}, c.Losses):
		return bad("losses %q is not one of %s, %s", c.Losses, lossesReported, lossesRefused)
	case c.Rows != nil && *c.Rows < 0:
		return bad("rows cannot be negative")
	case c.RowGroup < 0 || c.MaxFile < 0:
		return bad("row_group_bytes and max_file_bytes cannot be negative")
	case c.MaxFile > 0 && c.MaxFile < minPutFile:
		return bad("max_file_bytes is %d; it may be %d or more", c.MaxFile, minPutFile)
	case c.RowGroup > 0 && c.RowGroup < minPutGroup:
		return bad("row_group_bytes is %d; it may be %d or more", c.RowGroup, minPutGroup)
	case len(c.Set)+len(c.Drop) > maxOptions:
		return bad("%d keys of metadata; the most is %d", len(c.Set)+len(c.Drop), maxOptions)
	case len(c.Options) > maxOptions:
		return bad("%d options; the most is %d", len(c.Options), maxOptions)
	}
	allowed := PutOptions()
	for k := range c.Options {
		if !slices.Contains(allowed, k) {
			return bad("%q is not an option that may be set here: %s", k, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// Bounds on how many pieces an output is cut into.
const (
	minPutFile  = 1 << 20
	minPutGroup = 64 << 10
)
