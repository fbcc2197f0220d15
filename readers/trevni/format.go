package trevni

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/farread"
	"github.com/arrowio/arrowio/internal/salvage"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Name is the format's name.
const Name = "trevni"

// Options are the options of this format; on the command line each is --trevni-NAME.
type Options struct {
	// View is "records" or "columns"; "" = records if the file has an avro.schema that fits its columns, and otherwise columns.
	View string
	// Decimals is "decimal" or "bytes": how to show Avro decimals. "" = bytes if the first block of a column has values that exceed
	// its precision, and otherwise decimal.
	Decimals string
	// Sorted names stored columns whose values the caller knows to ascend, so that filters can use the first values of their blocks.
	// "*" = all columns with first values. Files of this module's writer have a mark for such columns.
	Sorted []string
	// Salvage is "rows" or "columns": what becomes of damaged rows when the Format opens a file; "" = damage is an error. Open
	// ignores it.
	Salvage string
}

// Format returns the Trevni reader.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       Name,
		Extensions: []string{".trv"},
		Options: []arrowio.Option{
			{Name: "trevni-view", Usage: "what to show: Avro records rebuilt, or columns as stored", Default: "records where the file has an avro.schema", Values: []string{"records", "columns"}, Remote: true},
			{Name: "trevni-decimals", Usage: "how to show Avro decimals", Default: "decimal, or bytes where the first block holds values beyond the precision", Values: []string{"decimal", "bytes"}, Remote: true},
			{Name: "trevni-sorted", Usage: "columns (comma-separated, or *) known to ascend, so that their blocks' first values may prune", Default: "those that the file vouches for"},
			salvage.Options(),
		},
		Match: func(head, _ []byte) bool { return trevniwire.Match(head) },
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			opt, err := parseOptions(o.Options)
			if err != nil {
				return nil, err
			}
			mode, err := salvage.Parse(opt.Salvage)
			if err != nil {
				return nil, err
			}
			if mode != salvage.Off && o.For == arrowio.ForRows {
				return openSalvage(ctx, src, mode, o.Limits, opt)
			}
			f, err := Open(ctx, src, o.Limits, opt)
			if err != nil {
				return nil, tellInFront(ctx, src, o.Limits, opt, err) // not a File that is a nil *File
			}
			f.hints = o.For == arrowio.ForRows
			return f, nil
		},
	}
}

func parseOptions(m map[string]string) (Options, error) {
	o := Options{View: m["trevni-view"], Decimals: m["trevni-decimals"], Salvage: m[salvage.Option]}
	if _, err := salvage.Parse(o.Salvage); err != nil {
		return o, err
	}
	if !slices.Contains([]string{"", "records", "columns"}, o.View) {
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes records or columns", errs.Opt("trevni-view", ""), o.View)
	}
	if !slices.Contains([]string{"", "decimal", "bytes"}, o.Decimals) {
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes decimal or bytes", errs.Opt("trevni-decimals", ""), o.Decimals)
	}
	if s := m["trevni-sorted"]; s != "" {
		o.Sorted = strings.Split(s, ",")
	}
	return o, nil
}

// File is an open Trevni file. Its methods may be called concurrently.
type File struct {
	src      arrowio.Source
	begin    int64 // where the file begins: 0, or behind other bytes
	header   *trevniwire.Header
	limits   arrowio.Limits
	opt      Options
	tree     *trevniwire.Tree
	view     string
	notes    []string
	warnings []arrowio.Warning
	second   error // another file behind this one, as far as that is known; nil = none
	noView   error // why the records of avro.schema cannot be shown; nil = they are, or were not asked for
	splits   []arrowio.Split
	salvaged bool                             // the file may have been cut off: see within
	end      int64                            // of what is intact: see salvage
	nulls    bool                             // columns without nulls are shown with nulls: see salvage
	hints    bool                             // errors about damage tell of the option that reads what is intact
	dicts    map[*trevniwire.Node]arrow.Array // of enums

	splitBytes, splitRows int64

	mu      sync.Mutex
	blocks  [][]trevniwire.Block        // by column; nil = not read yet
	known   int64                       // blocks in all of them
	stats   map[int][]trevniwire.Bounds // by column; nil = they cannot be used
	zero    trevniwire.Verdict          // see zeroSum; Unchecked = not known yet
	scratch sync.Pool                   // *scratch
}

// Open reads the header of src and chooses the view. The caller closes src after the file.
func Open(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options) (*File, error) {
	return openAt(ctx, src, 0, limits, o)
}

// openAt is Open for a file that begins at a place of src.
func openAt(ctx context.Context, src arrowio.Source, begin int64, limits arrowio.Limits, o Options) (*File, error) {
	limits = limits.WithDefaults()
	h, err := readHeader(ctx, src, begin, limits)
	if err != nil {
		return nil, locate(err)
	}
	h.Size += begin
	for i := range h.Columns {
		if c := &h.Columns[i]; c.Start <= src.Size() { // reading refuses others
			c.Start += begin
		}
	}
	if err := checkSize(h, src.Size()); err != nil {
		return nil, locate(err)
	}
	f := &File{src: src, begin: begin, header: h, limits: limits, opt: o, blocks: make([][]trevniwire.Block, len(h.Columns)), splitBytes: splitBytes, splitRows: splitRows}
	if farread.Spans(src) {
		f.splitBytes = max(1, min(farSplitBytes, limits.SplitBytes/2))
	}
	if err := f.chooseView(ctx); err != nil {
		return nil, locate(err)
	}
	if err := f.checkSorted(); err != nil {
		return nil, locate(err)
	}
	if f.splits, err = f.cut(ctx); err != nil {
		return nil, locate(err)
	}
	if err := f.doubtEnd(ctx); err != nil {
		return nil, locate(err)
	}
	f.dictionaries(f.tree.Roots)
	return f, nil
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: Name})
}

// readHeader reads more and more of the file's beginning until the header is whole.
func readHeader(ctx context.Context, src arrowio.Source, begin int64, lim arrowio.Limits) (*trevniwire.Header, error) {
	size := src.Size() - begin
	for n := int64(64 << 10); ; n *= 4 {
		n = min(n, size, lim.MetadataBytes)
		b, err := readAt(ctx, src, begin, n)
		if err != nil {
			return nil, err
		}
		h, err := trevniwire.ParseHeader(b, size, lim)
		if !errors.Is(err, trevniwire.ErrShort) {
			return h, err
		}
		if n == lim.MetadataBytes {
			return nil, errs.Errorf(errs.ErrLimit, "the header is over the limit MetadataBytes = %d", n)
		}
	}
}

func readAt(ctx context.Context, src arrowio.Source, off, n int64) ([]byte, error) {
	bs, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: off, Len: n}})
	if err != nil {
		return nil, err
	}
	return bs[0], nil
}

// chooseView builds the tree of the wanted view. Where avro.schema does not describe the columns, the file is still
// readable as what is stored, and a note says why.
func (f *File) chooseView(ctx context.Context) error {
	text, has := f.header.Meta.Get(trevniwire.KeyAvro)
	if f.opt.View != "columns" && has {
		tree, err, failed := f.recordsTree(ctx, text)
		if failed != nil {
			return failed
		}
		f.tree = tree
		if err == nil {
			f.view = "records"
			return nil
		}
		if f.opt.View == "records" {
			return errs.Errorf(errs.ErrSchema, "no records view: %w", err)
		}
		f.noView = err
		f.warnings = append(f.warnings, arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("the rows are shown as stored columns, not as records: %v", err)))
	} else if f.opt.View == "records" {
		return errs.Errorf(errs.ErrSchema, "no records view: the file has no avro.schema")
	}
	var err error
	f.view = "columns"
	f.tree, err = trevniwire.ColumnsView(f.header, f.limits)
	return err
}

// recordsTree builds the view of the records that the text of an avro.schema describes. err says why there is none; failed, that reading
// the file failed.
func (f *File) recordsTree(ctx context.Context, text []byte) (tree *trevniwire.Tree, err, failed error) { //nolint:revive // two errors of two kinds
	schema, err := trevniwire.ParseAvro(text, f.limits)
	if err != nil {
		return nil, err, nil
	}
	var seen map[int]sample
	if !arrowio.Near(f.src) && f.opt.Decimals == "" {
		if seen, err, failed = f.sampleAll(ctx, schema); err != nil || failed != nil {
			return nil, err, failed
		}
	}
	tree, err = trevniwire.RecordsView(f.header, schema, f.limits, f.decimalsFit(ctx, seen, &failed))
	return tree, err, failed
}

// checkSorted refuses columns that are not there, or that carry no first values to prune by.
func (f *File) checkSorted() error {
	for _, name := range f.opt.Sorted {
		if name != "*" && !slices.ContainsFunc(f.header.Columns, func(c trevniwire.Column) bool { return c.Name == name && c.Values }) {
			return errs.Errorf(errs.ErrOption, "%w: %q is no column with first values", errs.Opt("trevni-sorted", ""), name)
		}
	}
	return nil
}

// dictionaries builds the symbols of every enum once.
func (f *File) dictionaries(nodes []*trevniwire.Node) {
	for _, n := range nodes {
		if n.Enum != nil {
			if f.dicts == nil {
				f.dicts = map[*trevniwire.Node]arrow.Array{}
			}
			f.dicts[n] = symbolArray(n.Enum)
		}
		f.dictionaries(n.Children)
	}
}

// Schema returns the Arrow schema of the view.
func (f *File) Schema() *arrow.Schema { return f.tree.Schema }

// Splits returns the row ranges that can be read separately.
func (f *File) Splits() []arrowio.Split { return f.splits }

// Warnings implements arrowio.Warner: it says why the rows are not the records from which the file was written.
func (f *File) Warnings() []arrowio.Warning { return f.warnings }

// Doubts returns what makes the rows doubtful: see arrowio.Warner.
func (f *File) Doubts() []error {
	doubts := f.header.BadNames.Errors(errs.At{Format: Name, Op: "header"})
	if f.second != nil {
		doubts = append(doubts, f.second)
	}
	return doubts
}

var _ arrowio.Warner = (*File)(nil)

// Close frees the memory of the file. Readers that are still open can be used.
func (f *File) Close() error { return nil }
