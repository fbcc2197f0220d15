package avro

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/partwriter"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Name is the format's name.
const Name = "avro"

// blockBytes is how many bytes of rows a block has before it is packed, unless WriteOptions.RowGroupBytes says otherwise. Java's
// writer has 64 000.
const blockBytes = 64 << 10

// Format returns the writer of Avro container files.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       Name,
		Extensions: []string{".avro"},
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(s, o)
			if err != nil {
				return nil, errs.Locate(err, errs.At{Format: Name})
			}
			p.Columns = plans.AddNames(p.Columns, s.Fields())
			return p, nil
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			d, ok := p.Driver.(*driver)
			if !ok {
				return nil, errs.Errorf(errs.ErrInternal, "not a plan of the avro writer")
			}
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    ".avro",
				MaxFileBytes: p.Options.MaxFileBytes,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return newEncoder(w, d), nil },
			})
		},
	}
}

// driver is what Plan leaves for Create.
type driver struct {
	avro   *trevniwire.Avro
	tree   *trevniwire.Tree
	header avrowire.Header // without a sync marker
	level  int
	block  int
	mem    memory.Allocator
}

// setOptions reads the options of a plan.
func (d *driver) setOptions(o arrowio.WriteOptions) error {
	if _, err := options.Check(nil, o.Options); err != nil {
		return err
	}
	d.block = blockBytes
	if o.RowGroupBytes > mostBlock {
		return errs.Errorf(errs.ErrOption, "%w is %d bytes, and a block of an Avro file is written with %d at most", errs.Opt("row-group-bytes", ""), o.RowGroupBytes, mostBlock)
	}
	if o.RowGroupBytes > 0 {
		d.block = int(o.RowGroupBytes)
	}
	if d.mem = o.Allocator; d.mem == nil {
		d.mem = memory.DefaultAllocator
	}
	var err error
	d.header.Codec, d.level, err = parseCompression(o.Compression)
	return err
}

// mostBlock bounds the block that a user can ask for: readers of ours take 64 MiB.
const mostBlock = 32 << 20

// parseCompression reads NAME[:LEVEL]; snappy is the default: every reader has it, and it has a checksum.
func parseCompression(s string) (avrowire.Codec, int, error) {
	switch s {
	case "":
		return avrowire.Codec{Codec: blockcodec.Snappy}, blockcodec.DefaultLevel, nil
	case "bzip2":
		return avrowire.Codec{}, 0, errs.Errorf(errs.ErrOption, "compression bzip2 is read, not written; use deflate, snappy, zstd or none")
	}
	c, level, err := blockcodec.ParseAlias(s, map[string]blockcodec.Codec{"null": blockcodec.None, "zstandard": blockcodec.Zstd}, blockcodec.None, blockcodec.Deflate, blockcodec.Snappy, blockcodec.Zstd)
	if err == nil && c == blockcodec.Deflate && level == blockcodec.DefaultLevel {
		level = defaultDeflate
	}
	return avrowire.Codec{Codec: c}, level, err
}

// defaultDeflate is the level that is several times as fast as Java's default and packs about as well: see docs/bench.
const defaultDeflate = 4
