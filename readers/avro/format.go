package avro

import (
	"context"
	"errors"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/cursor"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Name is the format's name.
const Name = "avro"

// metaPrefix is in front of the file's metadata in those of the Arrow schema.
const metaPrefix = "avro."

const optionDecimals = "avro-decimals"

var known = []arrowio.Option{
	{Name: optionDecimals, Usage: "how to show decimals", Default: "decimal, or bytes where the first block holds values beyond the precision", Values: []string{"decimal", "bytes"}, Remote: true},
}

// Format returns the reader of Avro container files.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       Name,
		Extensions: []string{".avro"},
		Options:    known,
		Match:      func(head, _ []byte) bool { return avrowire.Match(head) },
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := open(ctx, src, o)
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error { return errs.Locate(err, errs.At{Format: Name}) }

// file is an open container file. Its methods may be called concurrently.
type file struct {
	src    arrowio.Source
	limits arrowio.Limits
	header *avrowire.Header
	avro   *trevniwire.Avro
	tree   *trevniwire.Tree // what the schema becomes in Arrow
	schema *arrow.Schema
	dicts  map[*trevniwire.Node]arrow.Array // of enums
	notes  []string
	table  bool // see AsTableFile

	min     int64 // bytes that a row takes at least
	splits  []arrowio.Split
	starts  []int64 // of the splits in the file
	ends    []int64
	end     int64 // of the last block
	blocks  int64
	damage  error     // the file cannot be read behind the last split; only for verification
	scratch sync.Pool // *scratch

	splitBytes int64
}

func open(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (*file, error) {
	given, err := options.Check(known, o.Options)
	if err != nil {
		return nil, err
	}
	f := &file{src: src, limits: o.Limits.WithDefaults(), splitBytes: splitBytes}
	if f.header, err = readHeader(ctx, src, f.limits); err != nil {
		return nil, err
	}
	if f.avro, err = trevniwire.ParseAvro(f.header.Schema, f.limits); err != nil {
		kind := errs.ErrCorrupt
		if errors.Is(err, trevniwire.ErrRecursive) {
			kind = errs.ErrUnsupported
		}
		return nil, errs.Locate(asKind(kind, err), errs.At{Op: "header", Off: errs.N(f.header.SchemaOff)})
	}
	f.min = leastBytes(f.avro)
	if err := f.cut(ctx, o.For == arrowio.ForVerify); err != nil {
		return nil, err
	}
	if o.Options[optionDecimals] == "" {
		given[optionDecimals] = ""
	}
	if err := f.show(ctx, given[optionDecimals]); err != nil {
		return nil, err
	}
	return f, nil
}

// asKind returns err as an error about the file, unless it is one already.
func asKind(k errs.Kind, err error) error {
	var e *errs.Error
	if errors.As(err, &e) {
		return err
	}
	return errs.Errorf(k, "%w", err)
}

// readHeader reads more and more of the file's beginning until the header is whole.
func readHeader(ctx context.Context, src arrowio.Source, lim arrowio.Limits) (*avrowire.Header, error) {
	for n := int64(64 << 10); ; n *= 4 {
		n = min(n, src.Size(), lim.MetadataBytes)
		b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Len: n}})
		if err != nil {
			return nil, err
		}
		h, err := avrowire.ParseHeader(b[0], src.Size(), lim)
		if !errors.Is(err, cursor.ErrShort) {
			return h, err
		}
		if n == lim.MetadataBytes {
			return nil, errs.Errorf(errs.ErrLimit, "the header is over the limit MetadataBytes = %d", n)
		}
	}
}

// show decides what the file becomes in Arrow.
func (f *file) show(ctx context.Context, decimals string) error {
	tree, columns, err := trevniwire.Shred(f.avro, f.limits)
	if err != nil {
		return errs.Locate(errs.Errorf(errs.ErrUnsupported, "%s: %w", avrowire.KeySchema, err), errs.At{Op: "header", Off: errs.N(f.header.SchemaOff)})
	}
	f.tree = tree
	beyond := map[int]bool{}
	switch decimals {
	case "bytes":
		decimalColumns(tree.Roots, func(column int) { beyond[column] = true })
	case "":
		if beyond, err = f.sampleDecimals(ctx); err != nil {
			return err
		}
	}
	if len(beyond) > 0 {
		h := &trevniwire.Header{Columns: columns}
		fits := func(column, _ int) bool { return !beyond[column] }
		if f.tree, err = trevniwire.RecordsView(h, f.avro, f.limits, fits); err != nil {
			return errs.Errorf(errs.ErrInternal, "%w", err)
		}
	}
	pairs := f.header.User()
	for i := range pairs {
		if pairs[i].Key == avrowire.KeySchema {
			pairs[i].Value = fieldname.FitJSON(pairs[i].Value)
		}
	}
	md := arrowmeta.Show(pairs, metaPrefix)
	f.schema = arrow.NewSchema(f.tree.Schema.Fields(), &md)
	f.dictionaries(f.tree.Roots)
	return nil
}

// decimalColumns calls found for the column of each decimal.
func decimalColumns(nodes []*trevniwire.Node, found func(column int)) {
	for _, n := range nodes {
		if n.Kind == trevniwire.Leaf && arrow.IsDecimal(n.Field.Type.ID()) {
			found(n.Col)
		}
		decimalColumns(n.Children, found)
	}
}

// dictionaries builds the symbols of every enum once. They live on Go's heap, as long as the file.
func (f *file) dictionaries(nodes []*trevniwire.Node) {
	for _, n := range nodes {
		if n.Enum != nil {
			if f.dicts == nil {
				f.dicts = map[*trevniwire.Node]arrow.Array{}
			}
			b := array.NewStringBuilder(memory.NewGoAllocator())
			b.AppendValues(n.Enum, nil)
			f.dicts[n] = b.NewArray()
			b.Release()
		}
		f.dictionaries(n.Children)
	}
}

// Schema implements arrowio.File.
func (f *file) Schema() *arrow.Schema { return f.schema }

// Splits implements arrowio.File.
func (f *file) Splits() []arrowio.Split { return f.splits }

// Prune implements arrowio.File: a container file has no statistics.
func (f *file) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

// Close implements arrowio.File.
func (f *file) Close() error { return nil }
