package cfile

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/options"
)

// Options are the options of this format; on the command line each is --cfile-NAME.
type Options struct {
	// Precision and Scale are those of a decimal column, which its file does not know; zero is as many digits as the
	// type has room for, and no fraction.
	Precision, Scale int32
	// Int128Binary shows integers of 128 bits as 16 bytes, little-endian: decimal128 has no room for the greatest.
	Int128Binary bool
	// StringsBinary shows strings as binary: Kudu does not check that they are UTF-8.
	StringsBinary bool
	// Trust reads blocks without a look at their checksums: damage that nothing else shows becomes wrong rows.
	Trust bool
}

func (o Options) arrow() cfilewire.ArrowOptions {
	return cfilewire.ArrowOptions{Precision: o.Precision, Scale: o.Scale, Int128Binary: o.Int128Binary, StringsBinary: o.StringsBinary}
}

// Format returns the CFile reader.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       Name,
		Extensions: []string{".cfile"},
		Options: []arrowio.Option{
			{Name: "cfile-decimal", Usage: "PRECISION,SCALE of a decimal column: the file itself does not know them", Default: "9, 18 or 38 digits and no fraction"},
			{Name: "cfile-int128", Usage: "how to show integers of 128 bits", Default: "decimal", Values: []string{"decimal", "binary"}, Remote: true},
			{Name: "cfile-verify", Usage: "compare the checksums of blocks that are read; false takes less time, and damage may be shown as other rows", Default: "true", Values: []string{"true", "false"}},
			{Name: "cfile-strings", Usage: "how to show strings: text, which must be UTF-8, or their bytes", Default: "text", Values: []string{"text", "binary"}, Remote: true},
		},
		Match: cfilewire.Match,
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			opt, err := parseOptions(o.Options)
			if err != nil {
				return nil, err
			}
			f, err := Open(ctx, src, o.Limits, opt)
			if err != nil {
				return nil, err // not a File that is a nil *File
			}
			return f, nil
		},
	}
}

func parseOptions(given map[string]string) (o Options, err error) {
	m, err := options.Check(Format().Options, given)
	if err != nil {
		return o, err
	}
	o.Int128Binary = m["cfile-int128"] == "binary"
	o.StringsBinary = m["cfile-strings"] == "binary"
	o.Trust = m["cfile-verify"] == "false"
	if s := given["cfile-decimal"]; s != "" {
		if o.Precision, o.Scale, err = options.Decimal("cfile-decimal", s); err != nil {
			return o, err
		}
	}
	return o, nil
}

// File is an open lone CFile. Its methods may be called concurrently.
type File struct {
	*Reader
	opt     Options
	schema  *arrow.Schema
	splits  []arrowio.Split
	damaged error     // why no row can be read; nil = rows can
	scratch sync.Pool // *Scratch
	pruner  atomic.Pointer[KeyPruner]
}

// Open opens a lone CFile. The caller closes src after the file.
func Open(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options) (*File, error) {
	r, err := OpenReader(ctx, src, limits)
	if err == nil {
		err = checkAlone(ctx, src, r.footer)
	} else {
		err = explain(ctx, src, err)
	}
	if err != nil {
		return nil, err
	}
	if o.Trust {
		r.Trust()
	}
	f := &File{Reader: r, opt: o}
	if r.kind == cfilewire.BloomFile {
		f.schema = arrow.NewSchema([]arrow.Field{{Name: cfilewire.ValueName, Type: arrow.BinaryTypes.Binary}}, nil)
		f.splits = []arrowio.Split{{Rows: arrowio.RowRange{End: 1}}} // reading it says that there are no rows
		return f, nil
	}
	if f.schema, err = cfilewire.Schema(r.footer, o.arrow()); err != nil {
		return nil, locate(err)
	}
	if f.splits, err = f.cut(ctx); err != nil {
		var e *errs.Error
		if !errors.As(err, &e) {
			return nil, locate(err)
		}
		// An index that is damaged is for those to know who read rows, or count them: Verify and Dump show the rest.
		f.damaged = locate(err)
		f.splits = []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}, Bytes: f.src.Size()}}
	}
	return f, nil
}

// Sizes of a split: large enough that opening it does not matter, small enough that every core gets its share of a file.
const (
	splitBytes = 8 << 20
	splitRows  = 1 << 20
)

// cut lists the splits, which end where blocks do.
func (f *File) cut(ctx context.Context) ([]arrowio.Split, error) {
	rows := f.footer.Values
	if f.kind != cfilewire.ColumnFile {
		if rows == 0 {
			return nil, f.noEntries(ctx)
		}
		return []arrowio.Split{{Rows: arrowio.RowRange{End: rows}, Bytes: f.src.Size()}}, nil
	}
	blocks, err := f.positions(ctx)
	if err != nil {
		return nil, err
	}
	// A split more than half as large as it should be ends; so there cannot be more than the limit.
	most := int64(max(1, f.limits.Splits/2))
	bytes, long := max(splitBytes, f.src.Size()/most), max(splitRows, rows/most)
	var splits []arrowio.Split
	var s arrowio.Split
	for _, b := range blocks {
		s.Rows.End = b.rows.End
		s.Bytes += int64(b.ptr.Size)
		if s.Bytes >= bytes || s.Rows.Len() >= long || s.Rows.End == rows {
			splits = append(splits, s)
			s = arrowio.Split{Ordinal: len(splits), Rows: arrowio.RowRange{Start: s.Rows.End}}
		}
	}
	return splits, nil
}

// noEntries checks that a file of no rows has no blocks.
func (f *File) noEntries(ctx context.Context) error {
	entries, err := f.values(ctx)
	if err == nil && len(entries) > 0 {
		err = f.inFooter(errs.Errorf(errs.ErrCorrupt, "no rows, and %d blocks", len(entries)))
	}
	return err
}

// Schema returns the Arrow schema: one column named value, or what a delta file is shown as.
func (f *File) Schema() *arrow.Schema { return f.schema }

// Splits lists the row ranges that are read on their own.
func (f *File) Splits() []arrowio.Split { return f.splits }

// Close frees what the file holds; readers that are still open stay good.
func (f *File) Close() error { return nil }

// Read opens the rows of a split.
func (f *File) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	if f.damaged != nil {
		return nil, f.damaged
	}
	if f.kind == cfilewire.DeltaFile {
		return f.readDeltas(ctx, s, p, mem)
	}
	return f.readColumn(ctx, s, rows, p, mem)
}
