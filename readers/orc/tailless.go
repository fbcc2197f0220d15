package orc

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// javaVersion is the version of the writer of files that do not tell it: the latest of Java.
const javaVersion = 9

// openTailless opens a file whose tail is missing or damaged, as cause says: stripes are found by their footers, the schema is that
// of the caller, and the row indexes tell the numbers of rows.
func openTailless(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options, schema *arrow.Schema, cause error) (*File, error) {
	if f, err := openShortened(ctx, src, limits, o); f != nil || err != nil {
		return f, err
	}
	f := &File{src: src, limits: limits.WithDefaults(), opt: o, ahead: aheadBytes, stripes: map[int]*stripe{}}
	s := &stripeScan{f: f, ctx: ctx}
	if schema != nil {
		types, _, _, err := orcwire.TypesFromArrow(schema, orcwire.OutOptions{Limits: f.limits})
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name})
		}
		s.types = types
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	switch {
	case len(s.found) == 0 && schema != nil:
		free := &stripeScan{f: f, ctx: ctx} // of the schema that was given
		if err := free.run(); err != nil {
			return nil, err
		}
		if len(free.found) > 0 {
			return nil, free.refuse(s.types)
		}
		fallthrough
	case len(s.found) == 0:
		return nil, reword(cause, fmt.Sprintf("no stripe was found in %d bytes", src.Size()))
	case schema == nil:
		return nil, &errs.Error{Kind: errs.ErrOption, Format: Name, Split: -1, Off: -1, Err: fmt.Errorf(
			"the tail of the file cannot be read (%w), but stripes are there: %d, of %d rows, and %d columns with those within others; name another file of the same table, or the columns, with %w",
			cause, len(s.found), s.rows(), s.columns-1, errs.Opt("schema", ""))}
	case s.columns != len(s.types):
		return nil, s.refuse(s.types)
	}
	if err := s.compare(); err != nil {
		return nil, err
	}
	f.ps = &orcwire.PostScript{Compression: s.compression, BlockSize: uint64(s.blockSize()), Version: []uint32{0, 12}, WriterVersion: javaVersion, Magic: orcwire.Magic}
	f.footer = &orcwire.Footer{Types: s.types, Rows: s.rows(), HasRows: true, RowIndexStride: s.stride()}
	for _, x := range s.found {
		f.footer.Stripes = append(f.footer.Stripes, x.info)
	}
	size := src.Size()
	f.tail = tailLayout{arrowio.ByteRange{Off: size}, arrowio.ByteRange{Off: size}, arrowio.ByteRange{Off: size}, arrowio.ByteRange{Off: size}}
	var err error
	if f.packing, err = f.pack(); err == nil {
		err = f.describe()
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	f.rescued, f.noTail = s.report(cause), true
	return f, nil
}

// refuse returns the error for a schema that has another number of columns than the stripes.
func (s *stripeScan) refuse(types []*orcwire.Type) error {
	return errs.Locate(errs.Errorf(errs.ErrOption, "stripes are there: %d, of %d rows, with %d columns, those within others counted; %w has %d",
		len(s.found), s.rows(), s.columns-1, errs.Opt("schema", ""), len(types)-1), errs.At{Format: Name})
}

// reword adds to an error what has come of looking further.
func reword(err error, more string) error {
	e, ok := err.(*errs.Error) //nolint:errorlint // what wraps an Error is not reworded
	if !ok || e.Err == nil {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%w; %s", e.Err, more)
	return &c
}

// rows counts the rows of the stripes that were found.
func (s *stripeScan) rows() (n int64) {
	for _, x := range s.found {
		n += x.info.Rows
	}
	return n
}

// stride returns the number of rows of a row group: of the first, where a stripe has several.
func (s *stripeScan) stride() uint32 {
	most := int64(1)
	for _, x := range s.found {
		if len(x.groups) > 1 {
			return uint32(min(x.groups[0], 1<<31)) //nolint:gosec // it is not negative
		}
		most = max(most, x.info.Rows)
	}
	return uint32(min(most, 1<<31)) //nolint:gosec // it is positive
}

// report says what was found instead of the tail, and what lies between the stripes.
func (s *stripeScan) report(cause error) []arrowio.Warning {
	_, text := errs.Where(cause)
	out := []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf(
		"the tail of the file cannot be read (%s); stripes found by their footers: %d, of %d rows; names and types are those of the schema that was given, and nothing tells the writer and its calendar",
		text, len(s.found), s.rows()))}
	lose := func(start, end int64, what string) {
		if start >= end {
			return
		}
		out = append(out, arrowio.Warning{
			Kind: arrowio.WarnLost, Place: what, Rows: arrowio.UnknownRows, Bytes: arrowio.ByteRange{Off: start, Len: end - start},
			Text: fmt.Sprintf("lost: bytes %d to %d, %s, belong to no stripe whose footer is there: rows may be missing", start, end, what),
		})
	}
	at := s.begin
	for i, x := range s.found {
		lose(at, x.info.Offset, fmt.Sprintf("in front of stripe %d", i))
		at = x.info.End()
	}
	if lose(at, s.f.src.Size(), "behind the last stripe"); at >= s.f.src.Size() {
		out = append(out, arrowio.Warnf(arrowio.WarnLost, "lost: the file ends with the last stripe that was found: rows may be missing"))
	}
	return out
}

// behindBytes is how far in front of the end a tail is looked for.
const behindBytes = 1 << 20

// openShortened opens a file that other bytes follow: the end of its postscript is looked for. nil = none was found.
func openShortened(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options) (*File, error) {
	n := min(src.Size(), behindBytes)
	b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: src.Size() - n, Len: n}})
	if err != nil {
		return nil, err
	}
	for end := len(b[0]); ; {
		end = bytes.LastIndex(b[0][:end], []byte(orcwire.Magic))
		if end < 0 {
			return nil, nil
		}
		size := src.Size() - n + int64(end+len(orcwire.Magic)+1)
		if size >= src.Size() {
			continue
		}
		f, err := Open(ctx, shortened{src, size}, limits, o)
		if err == nil && len(f.footer.Stripes) > 0 {
			f.rescued = []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("the file ends at byte %d, and %d other bytes follow", size, src.Size()-size))}
			return f, nil
		}
		if err != nil && isIO(err) {
			return nil, err
		}
	}
}

// shortened is the beginning of a source.
type shortened struct {
	arrowio.Source
	size int64
}

func (s shortened) Size() int64 { return s.size }
