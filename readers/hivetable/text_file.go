package hivetable

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/recordsplit"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// textFile is a file of lines, as LazySimpleSerDe reads them.
type textFile struct {
	recordsplit.TextFile
	layout *layout
	limit  int64 // bytes of a line
}

// hadoopPacked are the ends of names of files that Hadoop decompresses, and this package does not.
var hadoopPacked = []string{".deflate", ".snappy", ".lz4", ".lzo"}

func openText(src arrowio.Source, name string, l *layout, schema *arrow.Schema, limits arrowio.Limits) (*textFile, error) {
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
	return &textFile{text, l, limits.ValueBytes}, nil
}

// Info implements arrowio.File.
func (f *textFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return f.Describe(textFormat, "text"), nil
}

// Read implements arrowio.File. The reader reads from the source as it goes, until ctx is done.
func (f *textFile) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &textRows{f: f, lines: lines{r: bufio.NewReaderSize(f.Reader(), 256<<10), limit: f.limit}}
	for range f.layout.Header {
		if _, err := r.lines.next(); err != nil && err != io.EOF {
			return nil, errs.Locate(err, errs.At{Format: textFormat})
		}
	}
	src := &recordsplit.Rows{Ctx: ctx, Projection: p, Format: textFormat, Builders: r.build(p, mem), Parse: r.parse}
	return recordsplit.New(src, p.Schema, mem), nil
}

// textRows parses rows.
type textRows struct {
	f      *textFile
	lines  lines
	cols   []textColumn
	fields [][]byte // of a line, as many as columns need
}

// textColumn builds one projected column.
type textColumn struct {
	index   int
	field   arrow.Field
	most    int // characters; 0 = any number
	builder array.Builder
	add     textvalues.Appender
}

func (r *textRows) build(p arrowio.Projection, mem memory.Allocator) (builders []array.Builder) {
	mem = arrowbuf.Clean(mem)
	for _, i := range p.Columns() {
		c := textColumn{index: i, field: r.f.Fields.Field(i), most: r.f.layout.Most[i]}
		c.builder = array.NewBuilder(mem, c.field.Type)
		c.add = textvalues.For(c.field.Type)(c.builder)
		r.cols = append(r.cols, c)
		builders = append(builders, c.builder)
		for len(r.fields) <= i {
			r.fields = append(r.fields, nil)
		}
	}
	return builders
}

// parse appends the rows of one batch to the builders.
func (r *textRows) parse() (n int64, err error) {
	for size := 0; n < recordsplit.BatchRows && size < recordsplit.BatchBytes; n++ {
		line, err := r.lines.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		size += len(line)
		found := 0
		if r.f.layout.Quote == 0 {
			found = r.split(line)
		} else if found, err = r.splitCSV(line); err != nil {
			return 0, errs.Locate(err, errs.At{Op: "line " + strconv.FormatInt(r.lines.number, 10)})
		}
		for i := range r.cols {
			c := &r.cols[i]
			if c.index >= found { // Hive takes a line with fewer fields for one that ends in nulls
				c.builder.AppendNull()
			} else if err := c.value(r.fields[c.index], r.f.layout); err != nil {
				return 0, errs.Locate(err, errs.At{Op: "line " + strconv.FormatInt(r.lines.number, 10), Column: c.field.Name})
			}
		}
	}
	return n, nil
}

// split finds the fields of a line that columns need, and returns how many there are. As Hive does it passes over fields that no column is for.
func (r *textRows) split(line []byte) (found int) {
	for found < len(r.fields) {
		i := bytes.IndexByte(line, r.f.layout.Delimiter)
		if i < 0 {
			r.fields[found] = line
			return found + 1
		}
		r.fields[found], line = line[:i], line[i+1:]
		found++
	}
	return found
}

// value appends a value. Texts of which Hive makes null, or a part, are errors.
func (c *textColumn) value(v []byte, l *layout) error {
	id := c.field.Type.ID()
	text := id == arrow.STRING
	switch {
	case l.Quote == 0 && string(v) == l.Null, len(v) == 0 && !text:
		c.builder.AppendNull()
		return nil
	case text && !utf8.Valid(v):
		return errs.Errorf(errs.ErrCorrupt, "%.40q is not UTF-8", v)
	case c.most > 0 && utf8.RuneCount(v) > c.most:
		return errs.Errorf(errs.ErrSchema, "%.40q has more than %d characters, and Hive would cut it off", v, c.most)
	}
	plain := v
	if !text {
		plain = canonical(id, v)
	}
	if plain == nil || !c.add(plain) {
		return errs.Errorf(errs.ErrSchema, "%w; Hive would show null, or a part of it", textvalues.Misfit(c.field.Type, v))
	}
	return nil
}

// canonical returns a text as Hive understands it; nil = it does not.
func canonical(id arrow.Type, v []byte) []byte {
	switch id {
	case arrow.BOOL: // in any case, and no numbers
		for _, word := range []string{"true", "false"} {
			if strings.EqualFold(string(v), word) {
				return []byte(word)
			}
		}
		return nil
	case arrow.FLOAT32, arrow.FLOAT64:
		if c := v[len(v)-1]; c > '9' && string(v) != "NaN" && !bytes.HasSuffix(v, []byte("Infinity")) { // "inf", and so on
			return nil
		}
	case arrow.TIMESTAMP:
		if len(v) < len("2006-01-02 15:04:05") || v[10] != ' ' || bytes.ContainsAny(v[11:], "+-Zz") {
			return nil
		}
	}
	return v
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
