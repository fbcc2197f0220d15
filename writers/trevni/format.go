package trevni

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"

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
	// Checksum is "crc32" (default), "null", or "crc-32": as the specification has it, in files that Java does not read.
	Checksum string
	// Values names the columns whose blocks get first values. They must be top-level, not nullable, and not boolean. "*" = all such.
	Values []string
	// Lengths is "runs" (default) or "java". runs stores neighbouring lists of one value each, and so values without a null among
	// them, as one run; java stores each length, as the Java writer does.
	Lengths string
	// Statistics is "blocks" (default) or "none". blocks stores the least and the greatest value of each block in the metadata of its
	// column, and first values where a column ascends through the file, as far as they take no more than 1 % of it.
	Statistics string
	// NotNull names columns, in structs by their paths, that have no nulls although their fields may have: they are stored as plain
	// columns, and a null is an error. "*" = all at the top level.
	NotNull []string
	// Codecs lists COLUMN=NAME[:LEVEL]: the compression of single columns. COLUMN is a field at the top level, with all that it
	// consists of, or a stored column. Columns that come from a Trevni file keep a codec of their own where no Compression is given.
	Codecs []string
	// BlockBytes is how many bytes a block has before it is packed; it ends with the row that reaches them. 0 = 64 KiB, as Java has.
	BlockBytes int64
	// Integers is "varint" (default) or "fixed". fixed stores integers as fixed32 and fixed64: larger, and faster to read.
	Integers string
	// Timestamps is "nanos" (default), "micros" or "cut": what becomes of timestamps in nanoseconds as Avro records. nanos stores
	// timestamp-nanos, which Avro knows since 1.12; micros stores timestamp-micros and refuses finer digits; cut cuts those off,
	// towards the past, also with Schema "columns", which has microseconds.
	Timestamps string
}

// Format returns the Trevni writer.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       Name,
		Extensions: []string{".trv"},
		Options: []arrowio.Option{
			{Name: "trevni-schema", Usage: "how fields become columns", Default: "avro; columns for data read as Trevni columns", Values: []string{"avro", "columns"}, Remote: true},
			{Name: "trevni-checksum", Usage: "what protects blocks: crc32 = a checksum as Java has it, crc-32 = as the specification has it, which Java refuses", Default: "crc32", Values: []string{"crc32", "crc-32", "null"}, Remote: true},
			{Name: "trevni-not-null", Usage: "columns (comma-separated, or *) that have no nulls although their fields may have: stored as plain columns; a null is an error", Default: "none", Remote: true},
			{Name: "trevni-codec", Usage: "COLUMN=NAME[:LEVEL], comma-separated: compression of single columns", Default: "--compression, or what the column had in a Trevni file", Remote: true},
			{Name: "trevni-block-bytes", Usage: "bytes of a block before it is packed: larger ones pack better, smaller ones let filters leave out more", Default: "64KiB", Remote: true},
			{Name: "trevni-integers", Usage: "how integers are stored: in as few bytes as each needs, or fixed32 and fixed64", Default: "varint", Values: []string{"varint", "fixed"}, Remote: true},
			{Name: "trevni-timestamps", Usage: "what becomes of timestamps in nanoseconds: nanos = timestamp-nanos, which Avro knows since 1.12; micros = timestamp-micros, finer digits are an error; cut = these are cut off", Default: "nanos", Values: []string{"nanos", "micros", "cut"}, Remote: true},
			{Name: "trevni-lengths", Usage: "how lengths of 1 are stored, as values that may be null have them: as runs, or one by one as Java's writer does", Default: "runs", Values: []string{"runs", "java"}, Remote: true},
			{Name: "trevni-statistics", Usage: "what filters can use later: blocks = minimum and maximum of each block, and first values where a column ascends; each file spends at most 1 % of its bytes on them", Default: "blocks", Values: []string{"blocks", "none"}, Remote: true},
			{Name: "trevni-values", Usage: "columns (comma-separated, or *) whose blocks get first values, to prune by", Default: "none", Remote: true},
		},
		Plan:   Plan,
		Create: Create,
	}
}

func parseOptions(m map[string]string) (Options, error) {
	o := Options{Schema: m["trevni-schema"], Checksum: m["trevni-checksum"], Lengths: m["trevni-lengths"], Statistics: m["trevni-statistics"]}
	if v := m["trevni-values"]; v != "" {
		o.Values = strings.Split(v, ",")
	}
	switch o.Schema {
	case "", "avro", "columns":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes avro or columns", errs.Opt("trevni-schema", ""), o.Schema)
	}
	switch o.Checksum {
	case "", "crc32", "crc-32", "null":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes crc32, crc-32 or null", errs.Opt("trevni-checksum", ""), o.Checksum)
	}
	if v := m["trevni-not-null"]; v != "" {
		o.NotNull = strings.Split(v, ",")
	}
	if v := m["trevni-codec"]; v != "" {
		o.Codecs = strings.Split(v, ",")
	}
	if v := m["trevni-block-bytes"]; v != "" {
		n, err := humanize.ParseBytes(v)
		if err != nil || n < leastBlock || n > mostBlock {
			return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes 1KiB to 64MiB", errs.Opt("trevni-block-bytes", ""), v)
		}
		o.BlockBytes = int64(n)
	}
	switch o.Integers = m["trevni-integers"]; o.Integers {
	case "", "varint", "fixed":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes varint or fixed", errs.Opt("trevni-integers", ""), o.Integers)
	}
	switch o.Timestamps = m["trevni-timestamps"]; o.Timestamps {
	case "", "nanos", "micros", "cut":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes nanos, micros or cut", errs.Opt("trevni-timestamps", ""), o.Timestamps)
	}
	switch o.Lengths {
	case "", "runs", "java":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes runs or java", errs.Opt("trevni-lengths", ""), o.Lengths)
	}
	switch o.Statistics {
	case "", "blocks", "none":
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes blocks or none", errs.Opt("trevni-statistics", ""), o.Statistics)
	}
	return o, nil
}

// parseCompression reads NAME[:LEVEL]; snappy is the default: Java unpacks it fastest.
func parseCompression(s string) (blockcodec.Codec, int, error) {
	switch s {
	case "":
		return blockcodec.Snappy, blockcodec.DefaultLevel, nil
	case "bzip2":
		return 0, 0, errs.Errorf(errs.ErrOption, "compression bzip2 is read, not written; use deflate, snappy or none")
	}
	c, level, err := blockcodec.ParseAlias(s, map[string]blockcodec.Codec{"null": blockcodec.None}, blockcodec.None, blockcodec.Deflate, blockcodec.Snappy)
	if err == nil && c == blockcodec.Deflate && level == blockcodec.DefaultLevel {
		level = defaultDeflate
	}
	return c, level, err
}

// defaultDeflate is the level that is several times as fast as Java's default and packs about as well (docs/bench).
const defaultDeflate = 4

// driver is what Plan leaves for Create.
type driver struct {
	tree       *trevniwire.Tree
	columns    []trevniwire.Column
	meta       trevniwire.Meta
	avro       bool // as Avro records
	java       bool // lengths as Java writes them
	statistics bool
	block      int   // bytes of a block
	levels     []int // of the codec of each column
	notNull    bool
	micros     bool // timestamps have microseconds at most
	cut        bool // finer digits are cut off
	keep       bool // columns keep the codecs that they had
	codec      blockcodec.Codec
	level      int
	rowGroup   int64 // unpacked bytes of a file before the next is begun; 0 = all rows are one
	maxFile    int64 // stored bytes; 0 = likewise
	memory     int64
	workers    int
}

// Sizes of blocks that can be chosen.
const (
	leastBlock = 1 << 10
	mostBlock  = 64 << 20
)

// Plan maps an Arrow schema to Trevni columns.
func Plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := plan(s, o)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	p.Columns = plans.AddNames(p.Columns, s.Fields())
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
