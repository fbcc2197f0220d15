package cfile

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Names of the formats.
const (
	Name     = "cfile" // columns, without a key
	KuduName = "kudu"  // rowsets of a table
)

// DefaultRowSetBytes is the number of stored bytes after which a new rowset of a table begins. Kudu flushes at the same size.
const DefaultRowSetBytes = 32 << 20

// Format returns the writer of single columns: a file each, or with WriteOptions.MaxFileBytes a directory of such files for
// each so many bytes.
func Format() arrowio.OutputFormat { return format(Name, ".cfile") }

// KuduFormat returns the writer of the rowsets of a table, which has a key.
func KuduFormat() arrowio.OutputFormat { return format(KuduName, ".kudu") }

func format(name, extension string) arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       name,
		Extensions: []string{extension},
		Directory:  true,
		Options:    knownOptions(name),
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(name, s, o)
			if err != nil {
				return nil, errs.Locate(err, errs.At{Format: name})
			}
			return p, nil
		},
		Create: create,
	}
}

func knownOptions(format string) []arrowio.Option {
	known := []arrowio.Option{
		{Name: format + "-encoding", Usage: "encoding of all columns, or COLUMN=ENCODING,…: auto, plain, rle, bitshuffle, dict or prefix, as the type allows", Default: "auto"},
		{Name: format + "-compression", Usage: "codecs of columns that --compression is not for, COLUMN=CODEC,…: none, snappy, lz4 or zlib", Default: "--compression for all"},
		{Name: format + "-block-size", Usage: "bytes of a block before compression, of 512 to 8388608, for all columns, or COLUMN=BYTES,…", Default: "262144"},
		{Name: format + "-index-block-size", Usage: "bytes from which on a block of an index is full, of 512 to 8388608", Default: "32768"},
		{Name: format + "-timestamps", Usage: "times that are no whole number of microseconds: refuse them, or truncate them", Default: "exact", Values: []string{"exact", "truncate"}},
		{Name: format + "-not-null", Usage: "columns (comma-separated, or *) that are stored as not nullable; a null in them is refused", Default: "those whose fields are not nullable"},
		{Name: format + "-varchar", Usage: "lengths in characters of columns that are VARCHAR, COLUMN=LENGTH,…", Default: "VARCHAR where it was read from one, else STRING"},
	}
	if format == Name {
		known = append(known, arrowio.Option{
			Name: "cfile-key", Usage: "a column of which no value is null and each is above the one before: its file gets an index of values and their bounds; none leaves out what INPUT has",
			Default: "the column that had an index of values where it was read, as long as its values ascend", Remote: true,
		})
	}
	if format == KuduName {
		known = append(known,
			arrowio.Option{Name: "kudu-key", Usage: "columns of the primary key (comma-separated), in its order", Default: "those that were key columns where they were read", Remote: true},
			arrowio.Option{Name: "kudu-table", Usage: "name of the table, for schema.json", Default: "the name of the table that was read", Remote: true},
		)
	}
	return known
}

// settings are the options, read.
type settings struct {
	encoding    perColumn[cfilewire.Encoding]
	compression perColumn[cfilewire.Compression]
	blockSize   perColumn[int32]
	truncate    bool
	notNull     map[string]bool
	allNotNull  bool
	varchar     perColumn[int32] // 0 = not told
	key         []string         // nil = none is named
	table       string
	indexBlock  int
	ascending   string // the column that --cfile-key names
	noIndex     bool   // --cfile-key=none
}

// driver is what Plan leaves for Create.
type driver struct {
	format     string
	columns    []column
	keys       int  // columns of the key: the first ones
	indexed    int  // the column whose file has an index of values; -1 = none
	kept       bool // the index is one that was read, and is left out if values do not ascend
	indexBlock int
	table      string
	meta       []cfilewire.Pair // of the footers
	// schemaMeta is the metadata of the schema, for schema.json.
	schemaMeta []kuduwire.SetMeta
	maxFile    int64 // stored bytes of a rowset; 0 = there is one only
	maxRows    int64 // of a rowset
	workers    int
	version    int // of files, 0 = the newest; for tests
}

// column is what becomes of a field.
type column struct {
	field   int // in the schema
	wire    kuduwire.Column
	form    form
	file    string             // name without directory
	table   bool               // of a table
	indexed bool               // the file has an index of values
	meta    []kuduwire.SetMeta // of the field, for schema.json
}

func (d *driver) rolls() bool { return d.maxFile > 0 }

// keyNames are the columns of the key, for people.
func (d *driver) keyNames() string {
	var names []string
	for _, c := range d.keyColumns() {
		names = append(names, c.wire.Name)
	}
	return strings.Join(names, ", ")
}

// keyColumns are the columns of the key of a table, or the only one with an index of values.
func (d *driver) keyColumns() []column {
	switch {
	case d.keys > 0:
		return d.columns[:d.keys]
	case d.indexed >= 0:
		return d.columns[d.indexed : d.indexed+1]
	}
	return nil
}

func create(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	d, ok := p.Driver.(*driver)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the cfile writer")
	}
	return newWriter(ctx, st, d), nil
}
