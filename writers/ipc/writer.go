package ipc

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/partwriter"
)

// Format returns the IPC file format, "ipc".
func Format() arrowio.OutputFormat { return format("ipc", []string{".arrow", ".feather"}) }

// StreamFormat returns the IPC stream format, "ipc-stream".
func StreamFormat() arrowio.OutputFormat { return format("ipc-stream", []string{".arrows"}) }

func format(name string, extensions []string) arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       name,
		Extensions: extensions,
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(name, s, o)
			return p, arrowio.Locate(err, arrowio.At{Format: name, Split: -1, Off: -1})
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    extensions[0],
				MaxFileBytes: p.Options.MaxFileBytes,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return begin(w, p), nil },
			})
		},
	}
}

func plan(name string, s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if _, err := options.Check(nil, o.Options); err != nil {
		return nil, err
	}
	if _, err := codec(o.Compression); err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: name, Schema: s, Options: o}
	for _, f := range s.Fields() {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: f.Name, Type: f.Type.String(), Stored: f.Type.Name()})
	}
	return p, nil
}

// codec returns the option of arrow's writer for a compression; none is the default.
func codec(name string) ([]ipc.Option, error) {
	switch name {
	case "", "none":
		return nil, nil
	case "lz4":
		return []ipc.Option{ipc.WithLZ4()}, nil
	case "zstd":
		return []ipc.Option{ipc.WithZstd()}, nil
	}
	return nil, arrowio.Errorf(arrowio.ErrOption, "compression %q is not one of none, lz4, zstd, which take no level", name)
}

// encoder implements partwriter.Encoder.
type encoder struct {
	format string
	w      *ipc.Writer
	mem    memory.Allocator
	schema *arrow.Schema
	dicts  dictionaries
}

func begin(w io.Writer, p *arrowio.WritePlan) *encoder {
	e := &encoder{format: p.Format, mem: p.Options.Allocator, schema: p.Schema}
	if e.mem == nil {
		e.mem = memory.DefaultAllocator
	}
	opts, _ := codec(p.Options.Compression) // planned, so it is one
	opts = append(opts, ipc.WithSchema(p.Schema), ipc.WithAllocator(arrowbuf.Clean(e.mem)))
	e.dicts = newDictionaries(p.Schema, p.Format == "ipc", e.mem)
	if p.Format == "ipc" {
		e.w = ipc.NewWriterWithPayloadWriter(&fileFraming{w: w}, append(opts, ipc.WithDictionaryDeltas(true))...)
	} else {
		e.w = ipc.NewWriter(w, opts...)
	}
	return e
}

// Write implements partwriter.Encoder.
func (e *encoder) Write(rec arrow.Record) error {
	cols := make([]arrow.Array, 0, rec.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range rec.Columns() {
		c, err := e.dicts.settle(i, c)
		if err != nil {
			return arrowio.Locate(err, arrowio.At{Format: e.format, Column: rec.ColumnName(i), Split: -1, Off: -1})
		}
		cols = append(cols, c)
	}
	out := array.NewRecord(e.schema, cols, rec.NumRows())
	defer out.Release()
	return e.failed(e.w.Write(out))
}

// Close implements partwriter.Encoder.
func (e *encoder) Close() error {
	defer e.dicts.release()
	return e.failed(e.w.Close())
}

// Abort implements partwriter.Encoder. Arrow's writer holds dictionaries, which only its Close lets go of.
func (e *encoder) Abort() {
	defer e.dicts.release()
	_ = e.w.Close()
}

// failed keeps errors of the sink as they are: they say nothing about the data.
func (e *encoder) failed(err error) error {
	return arrowio.Locate(err, arrowio.At{Format: e.format, Split: -1, Off: -1})
}
