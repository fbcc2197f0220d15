package flight

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/strict"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// Command is a request for rows of a dataset: the JSON in a descriptor of type CMD. ParseCommand checks what can be checked
// without the dataset; the server checks the rest against the schema.
type Command struct {
	Dataset     string            `json:"dataset"`
	Columns     []string          `json:"columns,omitzero"`      // dotted paths; absent = all, [] = none: batches have rows without columns
	Where       string            `json:"where,omitempty"`       // in the language of arrowio/expr
	Rows        string            `json:"rows,omitempty"`        // "A:B", "A:" or ":B", counted over the dataset before Where
	BatchRows   int               `json:"batch_rows,omitempty"`  // at most, in a batch; default 65 536
	BatchBytes  int64             `json:"batch_bytes,omitempty"` // about, in a batch; default 2 MiB
	Compression string            `json:"compression,omitempty"` // of the bodies: none, lz4, zstd
	Compressed  []string          `json:"compressed,omitzero"`   // columns of the records that are compressed, by name; absent = all
	Dictionary  *bool             `json:"dictionary,omitempty"`  // true = dictionaries where the format has them, false = plain values; absent = as the dataset is
	Options     map[string]string `json:"options,omitempty"`     // of the format, those that only change how values look
	Endpoints   int               `json:"endpoints,omitempty"`   // about so many; default by size
	Resume      *Position         `json:"resume,omitempty"`      // start here
}

// Bounds on what clients may ask for.
const (
	maxCommandBytes = 64 << 10
	maxBatchRows    = 1 << 20
	maxBatchBytes   = 64 << 20
	minBatchBytes   = 4 << 10
	maxEndpoints    = 10_000
	maxOptions      = 32

	defaultBatchRows = 64 << 10
)

// DefaultBatchBytes is about how many bytes of Arrow memory a batch has, unless the client asks for others.
const DefaultBatchBytes = 2 << 20

// MaxTicketBytes is how long a ticket can be that a server makes, or takes.
const MaxTicketBytes = 1 << 20

// ParseCommand parses a command. It refuses unknown fields, since the client may have meant to exclude rows by one of them.
func ParseCommand(b []byte) (*Command, error) {
	if len(b) > maxCommandBytes {
		return nil, errs.Errorf(errs.ErrOption, "a command of %d bytes; the most is %d", len(b), maxCommandBytes)
	}
	c := &Command{}
	if err := strict.Decode(b, c); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "command: %w", err)
	}
	if err := refuseZero(b); err != nil {
		return nil, err
	}
	return c, c.check()
}

// refuseZero refuses numbers of a command that are given as 0. In a Command, 0 means that a number is not given.
func refuseZero(b []byte) error {
	var given struct {
		BatchRows  *int   `json:"batch_rows"`
		BatchBytes *int64 `json:"batch_bytes"`
		Endpoints  *int   `json:"endpoints"`
	}
	if err := json.Unmarshal(b, &given); err != nil {
		return errs.Errorf(errs.ErrOption, "command: %w", err)
	}
	switch {
	case given.BatchRows != nil && *given.BatchRows == 0:
		return badNumber("batch_rows", 0, 1, maxBatchRows)
	case given.BatchBytes != nil && *given.BatchBytes == 0:
		return badNumber("batch_bytes", 0, minBatchBytes, maxBatchBytes)
	case given.Endpoints != nil && *given.Endpoints == 0:
		return badNumber("endpoints", 0, 1, maxEndpoints)
	}
	return nil
}

func badNumber(name string, is, least, most int64) error {
	return errs.Errorf(errs.ErrOption, "%s is %d; it may be %d to %d", name, is, least, most)
}

func (c *Command) check() error {
	bad := func(format string, args ...any) error { return errs.Errorf(errs.ErrOption, format, args...) }
	switch {
	case c.Dataset == "":
		return bad("the command names no dataset")
	case c.BatchRows < 0 || c.BatchRows > maxBatchRows:
		return badNumber("batch_rows", int64(c.BatchRows), 1, maxBatchRows)
	case c.BatchBytes != 0 && (c.BatchBytes < minBatchBytes || c.BatchBytes > maxBatchBytes):
		return badNumber("batch_bytes", c.BatchBytes, minBatchBytes, maxBatchBytes)
	case !slices.Contains([]string{"", "none", "lz4", "zstd"}, c.Compression):
		return bad("compression %q is not one of none, lz4, zstd", c.Compression)
	case c.Compressed != nil && (c.Compression == "" || c.Compression == "none"):
		return bad("compressed names columns, and compression says no codec: one of lz4, zstd")
	case len(c.Options) > maxOptions:
		return bad("%d options; the most is %d", len(c.Options), maxOptions)
	case c.Endpoints < 0 || c.Endpoints > maxEndpoints:
		return badNumber("endpoints", int64(c.Endpoints), 1, maxEndpoints)
	case c.Resume != nil && (c.Resume.Fragment < 0 || c.Resume.Split < 0 || c.Resume.Row < 0):
		return bad("resume at a negative place")
	}
	_, err := c.rowRange()
	return err
}

// rowRange returns the rows that are wanted; all of them are {0, MaxInt64}.
func (c *Command) rowRange() (arrowio.RowRange, error) {
	r := arrowio.RowRange{End: math.MaxInt64}
	if c.Rows == "" {
		return r, nil
	}
	from, to, ok := strings.Cut(c.Rows, ":")
	for _, p := range []struct {
		text string
		to   *int64
	}{{from, &r.Start}, {to, &r.End}} {
		if p.text == "" {
			continue
		}
		n, err := strconv.ParseInt(p.text, 10, 64)
		if err != nil || n < 0 {
			ok = false
		}
		*p.to = n
	}
	if !ok || r.Start > r.End {
		return r, errs.Errorf(errs.ErrOption, "rows %q is not A:B, A: or :B with A no greater than B", c.Rows)
	}
	return r, nil
}

// bound is a command that fits a dataset.
type bound struct {
	*Command
	entry   *Entry
	data    *dataset.Dataset // under the schema that the command asks for
	schema  *arrow.Schema    // of the records
	columns []string         // that are scanned: as Project takes them
	filter  *expr.Bound      // by which endpoints are planned; nil = all rows
	where   expr.Expr
	rows    arrowio.RowRange
}

// bind checks a command against a dataset.
func (c *Command) bind(e *Entry) (*bound, error) {
	var where expr.Expr
	if c.Where != "" {
		var err error
		if where, err = expr.Parse(c.Where); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "where: %w", err)
		}
	}
	return c.bindWhere(e, where)
}

// bindWhere is bind with a filter in place of Where; nil = all rows.
func (c *Command) bindWhere(e *Entry, where expr.Expr) (*bound, error) {
	b := &bound{Command: c, entry: e, data: e.Dataset, columns: c.Columns, where: where}
	if c.Dictionary != nil && !*c.Dictionary {
		b.data = plainDictionaries(b.data)
	}
	p, err := arrowio.Project(b.data.Schema, c.Columns)
	if err != nil {
		return nil, err
	}
	b.schema = p.Schema
	if where != nil {
		if b.filter, err = expr.Bind(b.where, b.data.Schema); err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "where: %w", err)
		}
	}
	if b.rows, err = c.rowRange(); err == nil && e.guard != nil {
		err = e.guard.bind(b)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range c.Compressed {
		if !b.schema.HasField(name) {
			return nil, errs.Errorf(errs.ErrSchema, "compressed names %q, which is no column of the records", name)
		}
	}
	return b, nil
}

// bodies says how the records are compressed.
func (b *bound) bodies() outipc.Compression {
	return outipc.Compression{Codec: b.Compression, Columns: b.Compressed}
}

// scanOptions says how to scan what endpoints of the command stand for.
func (b *bound) scanOptions() arrowio.ScanOptions {
	o := arrowio.ScanOptions{Columns: b.columns, Filter: b.where, BatchRows: b.BatchRows, BatchBytes: b.BatchBytes}
	if o.BatchRows == 0 {
		o.BatchRows = defaultBatchRows
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = DefaultBatchBytes
	}
	return o
}

// openOptions returns the options to open the dataset's files with, those that the command is short for among them.
func (c *Command) openOptions() map[string]string {
	out := map[string]string{}
	for k, v := range c.Options {
		out[k] = v
	}
	if c.Dictionary != nil && *c.Dictionary {
		out[dictionaryOption] = "true"
	}
	return out
}

// dictionaryOption is the option of formats that can keep dictionaries.
const dictionaryOption = "dictionary"

// said is the command for logs. In JSON the filter would be a text in quotes, and so a value.
func (c *Command) said() string {
	var b strings.Builder
	b.WriteString(c.Dataset)
	for _, part := range []struct{ word, text string }{{"columns", strings.Join(c.Columns, ", ")}, {"where", c.Where}, {"rows", c.Rows}} {
		if part.text != "" {
			b.WriteString(" " + part.word + " " + part.text)
		}
	}
	return b.String()
}
