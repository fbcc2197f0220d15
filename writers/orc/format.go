package orc

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/sinkblocks"
)

// Name is the format's name.
const Name = "orc"

// Defaults of Options and of WriteOptions.RowGroupBytes, in bytes and rows. They are those of the Java writer.
const (
	DefaultStripeBytes = 64 << 20
	DefaultStride      = 10_000
	DefaultBlockSize   = 256 << 10
)

// Options are the options of this format; on the command line each is --orc-NAME.
type Options struct {
	V11        bool     // write version 0.11, in which integers are encoded as RLE version 1
	Tight      bool     // pack integers in as few bits as they need (Java's strategy COMPRESSION); otherwise widths are rounded up to whole bytes
	StripeRows int64    // maximum rows of a stripe; 0 = no limit
	Stride     int64    // rows of a row group; 0 = no row index
	BlockSize  int      // uncompressed bytes of a compression chunk
	Bloom      []string // columns with bloom filters: dotted paths, "*" = all that can have one
	BloomFPP   float64  // rate of false positives of bloom filters
	Shift      bool     // store times in the last second before 1970 one second later, as Java does; otherwise they are refused
	Dictionary float64  // the most distinct strings per string with which a dictionary is written; 0 = never, 1 = always
	Sorted     bool     // dictionaries are sorted by the bytes of their strings; otherwise they are in the order in which these came
	Iceberg    string   // "" = not for Iceberg, or IcebergIDs or IcebergSchema
	// StoreBlock says where stripes may not lie across: 0 = the edges of the store's blocks, if it has any, -1 = anywhere, else multiples
	// of so many bytes, which the store is asked to make its blocks of.
	StoreBlock int64
}

var formatOptions = []arrowio.Option{
	{Name: "orc-version", Usage: "version of the format", Default: "0.12", Values: []string{"0.12", "0.11"}, Remote: true},
	{Name: "orc-encoding-strategy", Usage: "widths of packed integers: rounded up to whole bytes, which are read faster (speed), or exact (compression), which makes files without a codec smaller", Default: "speed", Values: []string{"speed", "compression"}, Remote: true},
	{Name: "orc-stripe-rows", Usage: "rows of a stripe at most", Default: "all", Remote: true},
	{Name: "orc-row-index-stride", Usage: "rows of a row group, 0 for no row index", Default: strconv.Itoa(DefaultStride), Remote: true},
	{Name: "orc-block-size", Usage: "bytes that are compressed at a time, of 1024 to 8388607", Default: strconv.Itoa(DefaultBlockSize), Remote: true},
	{Name: "orc-bloom", Usage: "columns (comma-separated, or *) with bloom filters", Default: "none", Remote: true},
	{Name: "orc-bloom-fpp", Usage: "how often a bloom filter may say yes wrongly", Default: "0.01", Remote: true},
	{Name: "orc-last-second", Usage: "times in the last second before 1970, which the format cannot store: refuse them, or shift them a second", Default: "refuse", Values: []string{"refuse", "shift"}, Remote: true},
	{Name: "orc-keys", Usage: "master keys to encrypt with, a file of JSON", Default: "none"},
	{Name: "orc-encrypt", Usage: "columns to encrypt, KEY:COLUMN,COLUMN:MASK; the mask, which says what stands there without the key, is nullify where it is left out, or sha256, or redact", Default: "none", Repeated: true},
	{Name: "orc-iceberg", Usage: "write for a table of Iceberg: types carry ids, those of the fields or fresh ones, and what Iceberg calls them; with schema, its schema is in the user metadata iceberg.schema", Default: "none", Values: []string{"none", IcebergIDs, IcebergSchema}, Remote: true},
	{Name: sinkblocks.PaddingOption, Usage: "keep stripes within the blocks of the store by smaller stripes and zeros between them: of HDFS (auto), nowhere (none), or blocks of so many bytes, which HDFS makes then", Default: sinkblocks.Auto, Remote: true},
	{Name: "orc-dictionary", Usage: "distinct strings per string up to which a dictionary is written, 0 to 1", Default: "0.8", Remote: true},
	{Name: "orc-dictionary-sort", Usage: "sort the strings of each dictionary by their bytes, as Java's writer does; otherwise they are in the order in which they come", Default: "false", Values: []string{"false", "true"}, Remote: true},
}

// Values of Options.Iceberg.
const (
	IcebergIDs    = "ids"
	IcebergSchema = "schema"
)

// Format returns the ORC writer.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{Name: Name, Extensions: []string{".orc"}, Options: formatOptions, Plan: Plan, Create: Create}
}

func parseOptions(given map[string]string) (o Options, err error) {
	m, err := options.Check(formatOptions, given)
	if err != nil {
		return o, err
	}
	o.V11, o.Shift = m["orc-version"] == "0.11", m["orc-last-second"] == "shift"
	o.Tight, o.Sorted = m["orc-encoding-strategy"] == "compression", m["orc-dictionary-sort"] == "true"
	if o.Iceberg = m["orc-iceberg"]; o.Iceberg == "none" {
		o.Iceberg = ""
	}
	if o.StripeRows, err = options.Rows("orc-stripe-rows", m["orc-stripe-rows"]); err != nil {
		return o, err
	}
	if o.Stride, err = strconv.ParseInt(m["orc-row-index-stride"], 10, 64); err != nil || o.Stride < 0 || o.Stride > math.MaxInt32 {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is no number of rows", errs.Opt("orc-row-index-stride", ""), m["orc-row-index-stride"])
	}
	if o.BlockSize, err = strconv.Atoi(m["orc-block-size"]); err != nil || o.BlockSize < 1<<10 || o.BlockSize >= 1<<23 {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is no number from 1024 to 8388607", errs.Opt("orc-block-size", ""), m["orc-block-size"])
	}
	if o.StoreBlock, err = sinkblocks.Padding(m[sinkblocks.PaddingOption]); err != nil {
		return o, err
	}
	if s := given["orc-bloom"]; s != "" && s != "none" {
		o.Bloom = strings.Split(s, ",")
	}
	if o.BloomFPP, err = strconv.ParseFloat(m["orc-bloom-fpp"], 64); err != nil || !(o.BloomFPP > 0 && o.BloomFPP < 1) {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is not between 0 and 1", errs.Opt("orc-bloom-fpp", ""), m["orc-bloom-fpp"])
	}
	if given["orc-bloom-fpp"] != "" && given["orc-bloom"] == "" {
		return o, errs.Errorf(errs.ErrOption, "%w is about bloom filters, and %w names no column that gets one", errs.Opt("orc-bloom-fpp", ""), errs.Opt("orc-bloom", ""))
	}
	if o.Dictionary, err = strconv.ParseFloat(m["orc-dictionary"], 64); err != nil || !(o.Dictionary >= 0 && o.Dictionary <= 1) {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is not from 0 to 1", errs.Opt("orc-dictionary", ""), m["orc-dictionary"])
	}
	return o, nil
}

// compressions are the codecs of the format that are written.
var compressions = []struct {
	codec blockcodec.Codec
	kind  orcwire.CompressionKind
	name  string
}{
	{blockcodec.None, orcwire.CompressionNone, "none"},
	{blockcodec.Deflate, orcwire.CompressionZlib, "zlib"},
	{blockcodec.Snappy, orcwire.CompressionSnappy, "snappy"},
	{blockcodec.LZ4, orcwire.CompressionLZ4, "lz4"},
	{blockcodec.Zstd, orcwire.CompressionZstd, "zstd"},
	{blockcodec.Brotli, orcwire.CompressionBrotli, "brotli"},
}

// driver is what Plan leaves for Create.
type driver struct {
	opt      Options
	types    []*orcwire.Type
	meta     []orcwire.KeyValue
	kind     orcwire.CompressionKind
	packing  orcwire.OutPacking
	stripe   int64 // raw bytes of a stripe
	maxFile  int64
	workers  int
	bloom    map[int]bool // type ids
	crypt    *encryption
	rootOnly bool // the root is the one field, not a struct
}

// Create opens a writer for a plan of this package.
func Create(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	d, ok := p.Driver.(*driver)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the orc writer")
	}
	return newWriter(ctx, st, d, p)
}

// Plan maps an Arrow schema to ORC types.
func Plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := plan(s, o)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	p.Columns = plans.AddNames(p.Columns, s.Fields())
	return p, nil
}
