package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/jsontext"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

var known = []arrowio.Option{
	{Name: "jsonl-types", Usage: "types of the columns: infer, or text for all", Default: "infer", Values: []string{"infer", "text"}, Remote: true},
	{Name: "jsonl-sample", Usage: "rows from which types are inferred, or all", Default: "10000"},
}

// Format returns the format "jsonl". Only the extension identifies it: JSON Lines has no signature.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       "jsonl",
		Extensions: []string{".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz", ".jsonl.zst", ".ndjson.zst", ".json.zst", ".jsonl.bz2", ".ndjson.bz2", ".json.bz2"},
		Options:    slices.Clone(known),
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := open(ctx, src, o)
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: "jsonl"})
}

func lineName(n int64) string { return "line " + strconv.FormatInt(n, 10) }

// file is a JSON Lines file. It is never changed after open.
type file struct {
	recordsplit.TextFile
	limits  arrowio.Limits
	asText  []bool // columns that are read as text, whatever stands there
	sampled int64
	marked  *arrow.Schema // Fields as inferred.File has them
	asked   bool          // ReadAs or ReadUnder made it
	told    []bool        // columns whose type a schema says; nil = none
}

func open(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (*file, error) {
	stored, err := recordsplit.OpenText(src)
	if err != nil {
		return nil, err
	}
	f := &file{TextFile: stored, limits: o.Limits.WithDefaults()}
	v, err := options.Check(known, o.Options)
	if err != nil {
		return nil, err
	}
	sample, err := options.Rows("jsonl-sample", v["jsonl-sample"])
	if err != nil {
		return nil, err
	}
	text := v["jsonl-types"] == "text"
	leaves := leftOpen(o.Schema)
	root, err := f.sample(ctx, sample, text, leaves)
	if err != nil {
		return nil, err
	}
	root.leaveOpen(leaves)
	fields, err := root.fields()
	if err != nil {
		return nil, fault(errs.ErrSchema, err)
	}
	for _, m := range root.members {
		f.asText = append(f.asText, text || m.shape.open)
	}
	f.marked = arrow.NewSchema(fields, nil)
	f.Fields = inferred.Unmarked(f.marked)
	return f, nil
}

// leftOpen tells the columns whose types may be left open, since a schema says that they are not read, or what their values become.
func leftOpen(s *arrow.Schema) func(column string) bool {
	if s == nil {
		return func(string) bool { return false }
	}
	return func(column string) bool {
		told, ok := s.FieldsByName(column)
		return !ok || parsedUnder(told[0].Type)
	}
}

// sample reads the shape of the first rows.
func (f *file) sample(ctx context.Context, rows int64, asText bool, leaves func(string) bool) (*shape, error) {
	root := &shape{class: classObject}
	l := f.lines()
	in := inference{depth: f.limits.Depth, columns: f.limits.Columns, lex: &jsontext.Lexer{}, asText: asText, leaves: leaves}
	for f.sampled < rows {
		if f.sampled&0xFFF == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		in.lex.Line, in.lex.Pos, in.line = line, 0, l.n
		err = in.lex.Begin()
		if err == nil {
			err = in.object(root, 0)
		}
		if err == nil {
			err = in.lex.End()
		}
		if err != nil {
			return nil, l.fault(errs.ErrCorrupt, err)
		}
		f.sampled++
	}
	return root, nil
}

// fault makes an *errs.Error of what a lexer or an inference says. Its kind is kind unless err knows better.
func fault(kind errs.Kind, err error) error {
	at := errs.At{}
	var p *placed
	if errors.As(err, &p) {
		at.Column, err = p.path, p.err
	}
	var l *inLine
	if errors.As(err, &l) {
		at.Op, err = lineName(l.line), l.err
	}
	var m misfit
	switch {
	case errors.Is(err, jsontext.ErrDepth), errors.Is(err, errColumns):
		kind = errs.ErrLimit
	case errors.As(err, &m):
		kind = errs.ErrSchema
	}
	return errs.Locate(errs.Errorf(kind, "%w", err), at)
}

// lines reads a file line by line.
type lines struct {
	r     *bufio.Reader
	limit int64
	n     int64 // number of the last line read
	long  []byte
}

func (f *file) lines() *lines {
	return &lines{r: bufio.NewReaderSize(f.Reader(), 256<<10), limit: f.limits.ValueBytes}
}

func (l *lines) fault(kind errs.Kind, err error) error {
	return errs.Locate(fault(kind, err), errs.At{Op: lineName(l.n)})
}

// next returns the next line that is not empty, valid until the next call; io.EOF behind the last.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.r.ReadSlice('\n')
		l.n++
		if err == bufio.ErrBufferFull {
			l.long = append(l.long[:0], line...)
			for err == bufio.ErrBufferFull {
				if int64(len(l.long)) > l.limit {
					return nil, l.fault(errs.ErrLimit, fmt.Errorf("a line of more than %d bytes (Limits.ValueBytes)", l.limit))
				}
				line, err = l.r.ReadSlice('\n')
				l.long = append(l.long, line...)
			}
			line = l.long
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		if l.n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// Info implements arrowio.File.
func (f *file) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := f.Describe("jsonl", "JSON")
	info.Notes = append(info.Notes, inferred.Note(f.sampled))
	return info, nil
}

// Read implements arrowio.File. The reader reads from the source as it goes, until ctx is done.
func (f *file) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r, builders := newRows(f, p, mem)
	src := &recordsplit.Rows{Ctx: ctx, Projection: p, Format: "jsonl", Builders: builders, Parse: r.parse}
	return recordsplit.New(src, p.Schema, mem), nil
}
