package parquet

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/partwriter"
)

// DefaultRowGroupBytes is how much Arrow memory makes a row group.
const DefaultRowGroupBytes = 128 << 20

// Format returns the format "parquet".
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       "parquet",
		Extensions: []string{".parquet"},
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(s, o)
			return p, arrowio.Locate(err, arrowio.At{Format: "parquet", Split: -1, Off: -1})
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    ".parquet",
				MaxFileBytes: p.Options.MaxFileBytes,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return begin(w, p) },
			})
		},
	}
}

// encoder implements partwriter.Encoder.
type encoder struct {
	w     *pqarrow.FileWriter
	types []arrow.Field // of the batches
	shape *arrow.Schema
	mem   memory.Allocator
	limit int64 // bytes of a row group
	open  int64 // bytes of the open row group
}

func begin(w io.Writer, p *arrowio.WritePlan) (*encoder, error) {
	d := p.Driver.(*driver)
	e := &encoder{types: p.Schema.Fields(), shape: d.shape, mem: p.Options.Allocator, limit: p.Options.RowGroupBytes}
	if e.mem == nil {
		e.mem = memory.DefaultAllocator
	}
	if e.limit <= 0 {
		e.limit = DefaultRowGroupBytes
	}
	clean := arrowbuf.Clean(e.mem)
	props := pq.NewWriterProperties(append(d.props(), pq.WithAllocator(clean))...)
	arrowProps := pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(clean))
	err := guard(func() (err error) {
		// Arrow's writer closes what it writes to, if that can be closed.
		e.w, err = pqarrow.NewFileWriter(e.shape, struct{ io.Writer }{w}, props, arrowProps)
		if err != nil {
			return err
		}
		return e.metadata(p.Schema)
	})
	return e, err
}

// metadata stores the schema's own, and the schema as it is, not as it is given to arrow's writer.
func (e *encoder) metadata(s *arrow.Schema) error {
	md := s.Metadata()
	for i, k := range md.Keys() {
		if err := e.w.AppendKeyValueMetadata(k, md.Values()[i]); err != nil {
			return err
		}
	}
	stored := base64.StdEncoding.EncodeToString(flight.SerializeSchema(s, memory.DefaultAllocator))
	return e.w.AppendKeyValueMetadata("ARROW:schema", stored)
}

// guard turns a panic of arrow's packages into an error: their writer panics on combinations of types and options that
// it does not know, of which the plan leaves none that was found.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = arrowio.Errorf(arrowio.ErrInternal, "arrow's writer: %v", p)
		}
	}()
	if err = f(); err != nil {
		err = fmt.Errorf("parquet: %w", err)
	}
	return err
}

// Write implements partwriter.Encoder.
func (e *encoder) Write(rec arrow.Record) error {
	// Batches may be larger than a row group.
	size := max(arrowbuf.RecordSize(rec), 1)
	rows := max(1, int64(float64(e.limit)/float64(size)*float64(rec.NumRows())))
	for from := int64(0); from < rec.NumRows(); from += rows {
		part := rec.NewSlice(from, min(from+rows, rec.NumRows()))
		err := e.write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) write(rec arrow.Record) error {
	whole, err := e.reshape(rec)
	if err != nil {
		return err
	}
	defer whole.Release()
	size := arrowbuf.RecordSize(whole)
	if e.open > 0 && e.open+size > e.limit {
		if err := guard(func() error { e.w.NewBufferedRowGroup(); return nil }); err != nil {
			return err
		}
		e.open = 0
	}
	e.open += size
	return guard(func() error { return e.w.WriteBuffered(whole) })
}

// reshape returns rec at offset 0 throughout, for arrow's writer gets some slices wrong, and as its shape. The caller
// releases it.
func (e *encoder) reshape(rec arrow.Record) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, rec.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range rec.Columns() {
		d, err := e.column(c, e.types[i].Type)
		if err != nil {
			return nil, arrowio.Locate(err, arrowio.At{Format: "parquet", Column: e.types[i].Name, Split: -1, Off: -1})
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	return array.NewRecord(e.shape, cols, rec.NumRows()), nil
}

func (e *encoder) column(c arrow.Array, t arrow.DataType) (arrow.ArrayData, error) {
	a := arrowbuf.NewAppender(c.DataType(), e.mem)
	defer a.Release()
	if err := a.Append(c, 0, c.Len()); err != nil {
		return nil, err
	}
	whole := a.Take()
	defer whole.Release()
	return shaper{mem: e.mem}.shape(whole.Data(), t)
}

// Close implements partwriter.Encoder.
func (e *encoder) Close() error { return guard(e.w.Close) }

// Abort implements partwriter.Encoder. What is closed here nobody will see.
func (e *encoder) Abort() {
	if e.w != nil {
		_ = guard(e.w.Close)
	}
}
