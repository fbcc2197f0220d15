package parquet

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
	"github.com/arrowio/arrowio/internal/partwriter"
)

// Name is the format's name.
const Name = "parquet"

// Defaults, in bytes and rows. Those of pages are the defaults of Arrow's C++ writer and of Java's.
const (
	DefaultRowGroupBytes = 128 << 20 // uncompressed bytes of a row group
	DefaultPageBytes     = 1 << 20
	DefaultPageRows      = 20_000
	DefaultBloomFPP      = 0.01
)

// Options are the options of this format; on the command line each is --parquet-NAME.
type Options struct {
	PageBytes  int      // uncompressed bytes of a data page, and of a dictionary
	PageRows   int64    // maximum rows of a data page
	V2         bool     // write data pages of version 2
	PageIndex  bool     // write column indexes and offset indexes
	Bloom      []string // columns with bloom filters: dotted paths, "*" = all that can have one
	BloomFPP   float64  // rate of false positives of bloom filters
	Dictionary []string // columns that may have dictionaries; "*" = all, nil = none
	// DecimalBytes stores decimals of up to 18 digits as bytes, not as integers: Hive before version 4 reads no others.
	DecimalBytes bool
}

var formatOptions = []arrowio.Option{
	{Name: "parquet-page-bytes", Usage: "uncompressed bytes of a data page, 1KiB to 256MiB; a larger dictionary is given up", Default: strconv.Itoa(DefaultPageBytes), Remote: true},
	{Name: "parquet-page-rows", Usage: "rows of a data page at most", Default: strconv.Itoa(DefaultPageRows), Remote: true},
	{Name: "parquet-data-page", Usage: "version of the data pages", Default: "v1", Values: []string{"v1", "v2"}, Remote: true},
	{Name: "parquet-page-index", Usage: "write the smallest and largest value of every page, so that readers can skip pages", Default: "no", Values: []string{"no", "yes"}, Remote: true},
	{Name: "parquet-bloom", Usage: "columns (comma-separated, or *) with bloom filters; with :FPP at the end, how often one may say yes wrongly (0.01)", Default: "none", Remote: true},
	{Name: "parquet-dictionary", Usage: "columns (comma-separated, * or none) that get a dictionary where it saves space", Default: "*", Remote: true},
	{Name: "parquet-decimals", Usage: "how decimals of up to 18 digits are stored; Hive before version 4 reads bytes alone", Default: "integers", Values: []string{"integers", "bytes"}, Remote: true},
}

// Format returns the Parquet writer.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{Name: Name, Extensions: []string{".parquet"}, Options: formatOptions, Plan: Plan, Create: Create}
}

// Plan maps an Arrow schema to a Parquet schema.
func Plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := plan(s, o)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	return p, nil
}

// Create opens a writer for a plan of this package.
func Create(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	if _, ok := p.Driver.(*driver); !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the parquet writer")
	}
	return partwriter.New(ctx, st, partwriter.Options{
		Extension:    ".parquet",
		MaxFileBytes: p.Options.MaxFileBytes,
		NameRows:     true,
		Begin:        func(w io.Writer) (partwriter.Encoder, error) { return begin(w, p) },
	})
}

func parseOptions(given map[string]string) (o Options, err error) {
	m, err := options.Check(formatOptions, given)
	if err != nil {
		return o, err
	}
	size, err := humanize.ParseBytes(m["parquet-page-bytes"])
	if err != nil || size < 1<<10 || size > 256<<20 {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is not a size from 1KiB to 256MiB", errs.Opt("parquet-page-bytes", ""), m["parquet-page-bytes"])
	}
	o.PageBytes = int(size)
	if o.PageRows, err = strconv.ParseInt(m["parquet-page-rows"], 10, 64); err != nil || o.PageRows < 1 || o.PageRows > math.MaxInt32 {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is not a number of rows", errs.Opt("parquet-page-rows", ""), m["parquet-page-rows"])
	}
	o.DecimalBytes = m["parquet-decimals"] == "bytes"
	o.V2, o.PageIndex = m["parquet-data-page"] == "v2", m["parquet-page-index"] == "yes"
	o.BloomFPP = DefaultBloomFPP
	if s := m["parquet-bloom"]; s != "none" {
		if i := strings.LastIndexByte(s, ':'); i >= 0 {
			if o.BloomFPP, err = strconv.ParseFloat(s[i+1:], 64); err != nil || !(o.BloomFPP > 0 && o.BloomFPP < 1) {
				return o, errs.Errorf(errs.ErrOption, "%w: %q: the number after the colon is not between 0 and 1", errs.Opt("parquet-bloom", ""), s)
			}
			s = s[:i]
		}
		o.Bloom = strings.Split(s, ",")
	}
	if s := m["parquet-dictionary"]; s != "none" {
		o.Dictionary = strings.Split(s, ",")
	}
	return o, nil
}

// packing is a compression of pages.
type packing struct {
	wire  encode.Codec
	block blockcodec.Codec
	level int
}

// packings are the compressions of the format that are written, with their default levels.
var packings = []struct {
	name string
	packing
}{
	{"none", packing{encode.Uncompressed, blockcodec.None, blockcodec.DefaultLevel}},
	{"snappy", packing{encode.Snappy, blockcodec.Snappy, blockcodec.DefaultLevel}},
	{"gzip", packing{encode.Gzip, blockcodec.Deflate, blockcodec.DefaultLevel}},
	{"brotli", packing{encode.Brotli, blockcodec.Brotli, blockcodec.DefaultLevel}},
	{"zstd", packing{encode.Zstd, blockcodec.Zstd, 1}},
	{"lz4", packing{encode.Lz4Raw, blockcodec.LZ4, blockcodec.DefaultLevel}},
}

func parsePacking(s string) (packing, error) {
	if s == "" {
		s = "snappy"
	}
	name, level, leveled := strings.Cut(s, ":")
	if name == "lz4_raw" { // what the format calls it
		name = "lz4"
	}
	for _, p := range packings {
		if p.name != name {
			continue
		}
		if !leveled {
			return p.packing, nil
		}
		_, n, err := blockcodec.ParseCodec(p.block.String()+":"+level, p.block)
		if err != nil || name == "none" || name == "gzip" && n == 0 {
			break
		}
		p.level = n
		return p.packing, nil
	}
	return packing{}, errs.Errorf(errs.ErrOption, "compression %q is not one of none, snappy[:1-3], gzip[:1-9], brotli[:0-11], zstd[:1-22], lz4[:1-9]", s)
}
