package parquet

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/options"
)

// driver is this package's part of a plan.
type driver struct {
	shape *arrow.Schema // under which batches are given to arrow's writer
	codec compress.Compression
}

var codecs = map[string]compress.Compression{
	"":       compress.Codecs.Snappy,
	"snappy": compress.Codecs.Snappy,
	"none":   compress.Codecs.Uncompressed,
	"gzip":   compress.Codecs.Gzip,
	"brotli": compress.Codecs.Brotli,
	"zstd":   compress.Codecs.Zstd,
}

func (d *driver) props() []pq.WriterProperty {
	return []pq.WriterProperty{
		pq.WithCompression(d.codec),
		pq.WithVersion(pq.V2_LATEST),
		pq.WithMaxRowGroupLength(1 << 62), // by bytes instead
	}
}

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if _, err := options.Check(nil, o.Options); err != nil {
		return nil, err
	}
	codec, ok := codecs[o.Compression]
	if !ok {
		return nil, arrowio.Errorf(arrowio.ErrOption, "compression %q is not one of none, snappy, gzip, brotli, zstd, which take no level", o.Compression)
	}
	if s.NumFields() == 0 {
		return nil, arrowio.Errorf(arrowio.ErrSchema, "rows without columns cannot be written")
	}
	var refused []string
	for _, f := range s.Fields() {
		if f.Type.ID() == arrow.NULL && !f.Nullable {
			refused = append(refused, "column "+f.Name+" (null, and never null)")
		}
		refused = refuse(refused, f.Name, f.Type)
	}
	if len(refused) > 0 {
		return nil, arrowio.Errorf(arrowio.ErrSchema, "Parquet files cannot hold %s", strings.Join(refused, ", "))
	}
	p := &arrowio.WritePlan{Format: "parquet", Schema: s, Options: o}
	p.Driver = &driver{shape: arrow.NewSchema(shapesOf(s.Fields()), nil), codec: codec}
	for _, f := range s.Fields() {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: f.Name, Type: f.Type.String(), Stored: stored(f.Type), Loss: loss(f.Type)})
	}
	return p, nil
}
