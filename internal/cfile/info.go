package cfile

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Info describes the file: what it is for, its column, indexes, dictionary, least and greatest key, and what the footer
// counts. Where blocks or checksums are asked for every block is read, the nulls are counted, and blocks that are
// damaged say so. Faults of the indexes are in notes.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	d, err := f.Describe(ctx, f.field(), o)
	if err != nil {
		return nil, err
	}
	info := &arrowio.Info{
		Format: Name, Version: strconv.Itoa(f.footer.Version), Rows: f.footer.Values, Bytes: f.src.Size(), Schema: f.schema,
		Metadata: map[string][]byte{}, Facts: d.Facts, Columns: []arrowio.ColumnInfo{d.Column}, Notes: d.Notes,
	}
	for _, p := range f.footer.HeaderMeta {
		info.Metadata[p.Key] = p.Value
	}
	for _, p := range f.footer.Meta {
		info.Metadata[p.Key] = p.Value
	}
	if f.kind != cfilewire.BloomFile {
		for _, s := range f.splits {
			info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
		}
	}
	f.viewNotes(info)
	if o.Filter != nil {
		if info.Plan, err = f.plan(ctx, o.Filter); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// field is what the values are read as; without a type where the file has none.
func (f *File) field() arrow.Field {
	if f.kind == cfilewire.ColumnFile || f.kind == cfilewire.KeyIndexFile {
		return f.schema.Field(0)
	}
	return arrow.Field{Name: cfilewire.ValueName}
}

// viewNotes tells what the file itself does not know.
func (f *File) viewNotes(info *arrowio.Info) {
	note := func(format string, args ...any) { info.Notes = append(info.Notes, fmt.Sprintf(format, args...)) }
	switch f.kind {
	case cfilewire.BloomFile:
		note("a bloom filter has no rows")
	case cfilewire.KeyIndexFile:
		note("keys of several columns, encoded so that they sort by their bytes; which columns those are the file does not know")
	case cfilewire.DeltaFile:
		note("whether a delta file takes rows forth (REDO) or back (UNDO) the file does not know")
	case cfilewire.ColumnFile:
		switch t := f.footer.Type; {
		case t.Decimal() > 0 && f.opt.Precision == 0:
			note("precision and scale are not in the file: shown as %s (--cfile-decimal)", info.Columns[0].Type)
		case t == cfilewire.Int128 && !f.opt.Int128Binary:
			note("int128 is shown as decimal128, which has no room for the greatest (--cfile-int128)")
		}
	}
}

// Description is what there is to tell of one file.
type Description struct {
	Column arrowio.ColumnInfo // Path and Type are those of the field
	Facts  []arrowio.Fact
	Notes  []string
}

// Describe tells what the file holds, of whatever kind it is. field is what a column is read as; its type may be nil.
// The Filter of o is not used. An error is one of reading: what is wrong with the file is in the notes.
func (f *Reader) Describe(ctx context.Context, field arrow.Field, o arrowio.InfoOptions) (*Description, error) {
	d, err := f.checking().inspect().Describe(ctx, field, o)
	return (*Description)(d), err
}

// Dump prints the bytes of the file and what they mean: the header; blocks in the order in which they lie, with the first
// entries, runs or values of each; and the footer, field by field. What a codec hides is said without its bytes. What is
// wrong is said where it stands, and the dump goes on; bytes that no index leads to come last. An error is one of reading
// or writing.
func (f *File) Dump(ctx context.Context, w io.Writer) error {
	return f.checking().inspect().Dump(ctx, w, f.field().Type)
}

// Dump is File.Dump, with decimals as integers.
func (f *Reader) Dump(ctx context.Context, w io.Writer) error {
	return f.checking().inspect().Dump(ctx, w, nil)
}

// inspect returns the file as what explains it sees it.
func (f *Reader) inspect() *inspect.File {
	return &inspect.File{Src: f.src, Footer: f.footer, Frame: f.frame, Limits: f.limits, Kind: f.kind, Stats: f.stats}
}

// CellText renders a cell for people: little-endian at its type's width, or bytes. scale is that of decimals.
func CellText(t cfilewire.DataType, scale int32, cell []byte) string {
	return inspect.CellText(t, scale, cell)
}
