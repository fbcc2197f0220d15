package trevni

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Name is the format's name.
const Name = "trevni"

// Options are the options of this format; on the command line each is --trevni-NAME.
type Options struct {
	// Schema is "avro" or "columns". avro divides records into columns by Avro's rules and stores avro.schema; columns stores one
	// column for each field, without nulls. "" = columns for data that was read as Trevni columns, and otherwise avro.
	Schema string
	// Checksum is "crc32" (default) or "null".
	Checksum string
	// Values names the columns whose blocks get first values. They must be top-level, not nullable, and not boolean. "*" = all such.
	Values []string
}

// Format returns the Trevni writer.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       Name,
		Extensions: []string{".trv"},
		Options: []arrowio.Option{
			{Name: "trevni-schema", Usage: "how fields become columns", Default: "avro; columns for data read as Trevni columns", Values: []string{"avro", "columns"}, Remote: true},
			{Name: "trevni-checksum", Usage: "what protects blocks", Default: "crc32", Values: []string{"crc32", "null"}, Remote: true},
			{Name: "trevni-values", Usage: "columns (comma-separated, or *) whose blocks get first values, to prune by", Default: "none", Remote: true},
		},
		Plan:   Plan,
		Create: Create,
	}
}

func parseOptions(m map[string]string) (Options, error) {
	o := Options{Schema: m["trevni-schema"], Checksum: m["trevni-checksum"]}
	if v := m["trevni-values"]; v != "" {
		o.Values = strings.Split(v, ",")
	}
	switch o.Schema {
	case "", "avro", "columns":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes avro or columns", errs.Opt("trevni-schema", ""), o.Schema)
	}
	switch o.Checksum {
	case "", "crc32", "null":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes crc32 or null", errs.Opt("trevni-checksum", ""), o.Checksum)
	}
	return o, nil
}

// parseCompression reads NAME[:LEVEL]; snappy is the default: Java unpacks it fastest.
func parseCompression(s string) (blockcodec.Codec, int, error) {
	switch s {
	case "":
		return blockcodec.Snappy, blockcodec.DefaultLevel, nil
	case "null":
		return blockcodec.None, blockcodec.DefaultLevel, nil
	case "bzip2":
		return 0, 0, errs.Errorf(errs.ErrOption, "compression bzip2 is read, not written; use deflate, snappy or none")
	}
	c, level, err := blockcodec.ParseCodec(s, blockcodec.None, blockcodec.Deflate, blockcodec.Snappy)
	if err == nil && c == blockcodec.Deflate && level == blockcodec.DefaultLevel {
		level = defaultDeflate
	}
	return c, level, err
}

// defaultDeflate is the level that is several times as fast as Java's default and packs about as well (docs/bench).
const defaultDeflate = 4

// driver is what Plan leaves for Create.
type driver struct {
	tree     *trevniwire.Tree
	columns  []trevniwire.Column
	meta     trevniwire.Meta
	avro     bool // as Avro records
	codec    blockcodec.Codec
	level    int
	rowGroup int64 // unpacked bytes of a file before the next is begun; 0 = all rows are one
	maxFile  int64 // stored bytes; 0 = likewise
	memory   int64
	workers  int
}

// Plan maps an Arrow schema to Trevni columns.
func Plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := plan(s, o)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	plans.AddNames(p.Columns)
	return p, nil
}

// Create opens a writer for a plan of this package.
func Create(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	d, ok := p.Driver.(*driver)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the trevni writer")
	}
	return newWriter(ctx, st, d, p), nil
}
