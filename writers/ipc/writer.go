package ipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/partwriter"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

const fileName = "ipc"

// Format returns the IPC file format, "ipc".
func Format() arrowio.OutputFormat { return format(fileName, []string{".arrow", ".feather"}) }

// StreamFormat returns the IPC stream format, "ipc-stream".
func StreamFormat() arrowio.OutputFormat { return format("ipc-stream", []string{".arrows"}) }

func format(name string, extensions []string) arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       name,
		Extensions: extensions,

		OneDictionary: name == fileName,

		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(name, s, o)
			return p, errs.Locate(err, errs.At{Format: name})
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    extensions[0],
				MaxFileBytes: p.Options.MaxFileBytes,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return begin(w, p) },
			})
		},
	}
}

// driver is this package's part of a plan.
type driver struct {
	codec  int8
	meta   []byte // of the schema message
	table  int64  // where in meta the schema's table is
	schema *arrowipc.Schema
}

func plan(name string, s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if _, err := options.Check(nil, o.Options); err != nil {
		return nil, err
	}
	if err := plans.NoRowGroups(o); err != nil {
		return nil, err
	}
	codec, ok := codecs[o.Compression]
	if !ok {
		return nil, errs.Errorf(errs.ErrOption, "compression %q is not one of none, lz4, zstd, which take no level", o.Compression)
	}
	p := &arrowio.WritePlan{Format: name, Schema: s, Options: o}
	if err := plans.CheckNames(s.Fields()); err != nil {
		return nil, err
	}
	var refused []string
	for _, f := range s.Fields() {
		if why := refuse(f.Type); why != "" {
			refused = append(refused, fmt.Sprintf("column %s (%s)", f.Name, why))
		}
		c := arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: f.Type.Name()}
		if n := fewest(f.Type); n > 0 && name == fileName {
			c.Refused = fmt.Sprintf("more than %d different values of a dictionary in all rows", n)
		}
		p.Columns = append(p.Columns, c)
	}
	if len(refused) > 0 {
		return nil, errs.Errorf(errs.ErrSchema, "Arrow IPC cannot hold %s", strings.Join(refused, ", "))
	}
	d, err := describe(s, codec)
	if err != nil {
		return nil, err
	}
	p.Driver = d
	back := d.schema.Arrow
	p.Metadata = plans.Planned(s.Metadata(), back.Metadata(), "schema message", "another key of this name takes its place")
	for _, x := range schemadiff.Fields(s.Fields(), back.Fields()) {
		c := &p.Columns[x.Column]
		text := x.Text
		if x.Path != c.Path {
			text = x.Path + " " + text
		}
		c.Loss = plans.Join(c.Loss, text)
	}
	p.Columns = plans.AddNames(p.Columns, s.Fields())
	return p, nil
}

var codecs = map[string]int8{"": arrowipc.None, "none": arrowipc.None, "lz4": arrowipc.LZ4, "zstd": arrowipc.ZSTD}

// refuse says why a type cannot be written, "" = it can. The format gives a field one dictionary; and arrow's package
// cannot describe an extension of a dictionary.
func refuse(t arrow.DataType) string {
	switch t := t.(type) {
	case arrow.ExtensionType:
		if arrowtype.Storage(t).ID() == arrow.DICTIONARY {
			return fmt.Sprintf("extension %s of a dictionary", t.ExtensionName())
		}
		return refuse(t.StorageType())
	case *arrow.DictionaryType:
		if arrowtype.Storage(t.ValueType).ID() == arrow.DICTIONARY {
			return "a dictionary of dictionaries"
		}
		return refuse(t.ValueType)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if why := refuse(f.Type); why != "" {
				return why
			}
		}
	}
	return ""
}

// fewest returns how many values the narrowest indices number, of dictionaries of a type and of those in it; 0 = enough for all, or
// there are no dictionaries.
func fewest(t arrow.DataType) (n int64) {
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		bits := d.IndexType.(arrow.FixedWidthDataType).BitWidth()
		if arrow.IsSignedInteger(d.IndexType.ID()) {
			bits--
		}
		if bits < 31 {
			n = 1 << bits
		}
		t = d.ValueType
	}
	if nested, ok := t.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if m := fewest(f.Type); m > 0 && (n == 0 || m < n) {
				n = m
			}
		}
	}
	return n
}

// describe has arrow's ipc package make the schema message, and reads it back for the layout of the fields and the
// numbers of the dictionaries.
func describe(s *arrow.Schema, codec int8) (*driver, error) {
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		return nil, err
	}
	d := &driver{codec: codec}
	limits := arrowio.Limits{}.WithDefaults() // those of a reader: what it would refuse is not written
	prefix, n, err := arrowipc.Framing(stream.Bytes())
	var m arrowipc.Message
	if err == nil {
		d.meta = stream.Bytes()[prefix : prefix+n]
		m, err = arrowipc.ParseMessage(d.meta, limits)
	}
	if err == nil {
		d.schema, err = m.Schema()
	}
	var e *errs.Error
	if errors.As(err, &e) && e.Kind == errs.ErrLimit {
		return nil, errs.Errorf(errs.ErrSchema, "what would be written could not be read: %w", err)
	}
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "arrow's schema message: %w", err)
	}
	d.table = m.HeaderPos()
	return d, nil
}

// encoder lays out batches and the dictionaries that they need.
type encoder struct {
	format         string
	d              *driver
	out            dictionaryWriter
	dicts          dictionaries
	packer         packer
	plain          []bool // columns that are not compressed, although the others are; nil = none
	column         int    // that is laid out
	nodes, buffers int    // of the latest batch
}

// dictionaryWriter is where dictionaries go. b is views of values, to be copied or to keep those, unless it is compressed.
type dictionaryWriter interface {
	dictionary(b *batch, d dictionaryOf, values arrow.ArrayData) error
}

// fileEncoder implements partwriter.Encoder.
type fileEncoder struct {
	encoder
	framing *framing
}

func begin(w io.Writer, p *arrowio.WritePlan) (*fileEncoder, error) {
	mem := p.Options.Allocator
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	file := p.Format == fileName
	f := &framing{w: w, file: file}
	e := &fileEncoder{encoder{format: p.Format, d: p.Driver.(*driver), out: f}, f}
	e.dicts = newDictionaries(e.d.schema.Columns, file, mem)
	return e, f.begin(e.d.meta, e.d.table)
}

func (e *encoder) batch(rows int64) *batch {
	return &batch{
		rows: rows, codec: e.d.codec, packer: &e.packer, plain: e.isPlain(),
		nodes: make([]pair, 0, e.nodes), buffers: make([]pair, 0, e.buffers), body: make([][]byte, 0, e.buffers),
	}
}

// isPlain reports whether the column that is laid out is not compressed, although others are.
func (e *encoder) isPlain() bool { return e.column < len(e.plain) && e.plain[e.column] }

// layOut lays out a batch and writes the dictionaries that it needs. The buffers of b are those of settled, which the
// caller releases, after an error too.
func (e *encoder) layOut(rec arrow.Record) (b *batch, settled []arrow.Array, err error) {
	b = e.batch(rec.NumRows())
	settled = make([]arrow.Array, 0, rec.NumCols())
	for i, c := range rec.Columns() {
		e.column = i
		b.plain = e.isPlain()
		s, err := e.dicts.settle(i, c)
		if err == nil {
			settled = append(settled, s)
			_, err = e.dicts.write(e, e.d.schema.Columns[i], s.Data())
		}
		if err == nil {
			err = b.add(e.d.schema.Columns[i], s.Data())
		}
		if err != nil {
			return nil, settled, errs.Locate(err, errs.At{Format: e.format, Column: rec.ColumnName(i)})
		}
	}
	e.nodes, e.buffers = len(b.nodes), len(b.buffers)
	return b, settled, nil
}

// Write implements partwriter.Encoder.
func (e *fileEncoder) Write(rec arrow.Record) error {
	b, settled, err := e.layOut(rec)
	defer releaseAll(settled)
	if err != nil {
		return err
	}
	return e.framing.batch(b)
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		a.Release()
	}
}

// dictionary writes values of the dictionary of a field.
func (e *encoder) dictionary(n *arrowipc.Node, values arrow.ArrayData, d dictionaryOf) error {
	b := e.batch(int64(values.Len()))
	if err := b.add(n.Dict, values); err != nil {
		return err
	}
	return e.out.dictionary(b, d, values)
}

// Close implements partwriter.Encoder.
func (e *fileEncoder) Close() error {
	e.dicts.release()
	return e.framing.end()
}

// Abort implements partwriter.Encoder.
func (e *fileEncoder) Abort() { e.dicts.release() }
