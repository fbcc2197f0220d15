package hivetable

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// textFile is a file of lines, as one of Hive's SerDes reads them.
type textFile struct {
	recordsplit.TextFile
	layout   *layout
	notation string // of its columns
	limits   arrowio.Limits
}

// hadoopPacked are the ends of names of files that Hadoop decompresses, and this package does not.
var hadoopPacked = []string{".deflate", ".snappy", ".lz4", ".lzo"}

func openText(src arrowio.Source, name, notation string, l *layout, schema *arrow.Schema, limits arrowio.Limits) (*textFile, error) {
	for _, end := range hadoopPacked {
		if strings.HasSuffix(name, end) {
			return nil, errs.Errorf(errs.ErrUnsupported, "text that is compressed as %s cannot be read", end)
		}
	}
	text, err := recordsplit.OpenText(src)
	if err != nil {
		return nil, err
	}
	text.Fields = schema
	f := &textFile{text, l, notation, limits}
	all := make([]array.Builder, schema.NumFields()) // to see whether all columns can be read
	for i, field := range schema.Fields() {
		all[i] = array.NewBuilder(memory.DefaultAllocator, field.Type)
		defer all[i].Release()
	}
	if _, err := f.parser(all); err != nil {
		return nil, err
	}
	return f, nil
}

// rowParser appends the row of a line to builders.
type rowParser interface {
	Append(line []byte) error
}

// parser returns what reads lines into builders of all columns; nil = the column is not read.
func (f *textFile) parser(builders []array.Builder) (rowParser, error) {
	switch {
	case f.layout.JSON != nil:
		return newJSONRows(f, builders)
	case f.layout.CSV != nil:
		return newCSVRows(f, builders)
	}
	return newLazyRows(f, builders)
}

// Info implements arrowio.File.
func (f *textFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return f.Describe(textFormat, "text"), nil
}

// Read implements arrowio.File. The reader reads from the source as it goes, until ctx is done.
func (f *textFile) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &textRows{lines: lines{r: bufio.NewReaderSize(f.Reader(), 256<<10), limit: f.limits.ValueBytes}}
	for range f.layout.Header {
		if _, err := r.lines.next(); err != nil && err != io.EOF {
			return nil, errs.Locate(err, errs.At{Format: textFormat})
		}
	}
	clean := arrowbuf.Clean(mem)
	all := make([]array.Builder, f.Fields.NumFields())
	var builders []array.Builder
	for _, i := range p.Columns() {
		all[i] = array.NewBuilder(clean, f.Fields.Field(i).Type)
		builders = append(builders, all[i])
	}
	src := &recordsplit.Rows{Ctx: ctx, Projection: p, Format: textFormat, Builders: builders, Parse: r.parse}
	var err error
	if r.rows, err = f.parser(all); err != nil {
		return nil, errs.Locate(errors.Join(err, src.Close()), errs.At{Format: textFormat})
	}
	return recordsplit.New(src, p.Schema, mem), nil
}

// textRows parses rows.
type textRows struct {
	lines lines
	rows  rowParser
}

// parse appends the rows of one batch to the builders.
func (r *textRows) parse() (n int64, err error) {
	for size := 0; n < recordsplit.BatchRows && size < recordsplit.BatchBytes; n++ {
		line, err := r.lines.next()
		if err == io.EOF {
			return n, nil
		}
		if err == nil {
			size += len(line)
			err = errs.Locate(r.rows.Append(line), errs.At{Op: "line " + strconv.FormatInt(r.lines.number, 10)})
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// lines reads lines that end in LF, CR or both, as Hadoop does.
type lines struct {
	r      *bufio.Reader
	limit  int64
	number int64    // of the last line, from 1
	long   []byte   // a line that did not fit into r's buffer
	rest   [][]byte // lines that end in CR, read already
}

// next returns the next line without its end, valid until the next call.
func (l *lines) next() ([]byte, error) {
	if len(l.rest) > 0 {
		line := l.rest[0]
		l.rest = l.rest[1:]
		l.number++
		return line, nil
	}
	line, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], line...)
		for err == bufio.ErrBufferFull {
			if int64(len(l.long)) > l.limit {
				return nil, errs.Errorf(errs.ErrLimit, "line %d has more than %d bytes (Limits.ValueBytes)", l.number+1, l.limit)
			}
			line, err = l.r.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	if l.number == 0 {
		if line = bytes.TrimPrefix(line, []byte("\ufeff")); len(line) == 0 {
			return nil, io.EOF
		}
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if bytes.IndexByte(line, '\r') >= 0 {
		all := bytes.Split(line, []byte("\r"))
		line, l.rest = all[0], all[1:]
	}
	l.number++
	return line, nil
}
