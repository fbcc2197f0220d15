package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/browse"
)

// browsed is what arrowio browse shows: the files of a dataset.
type browsed struct {
	a       *app
	f       *browseFlags
	ds      *inputSet
	title   string
	fields  []browse.Field
	types   []arrow.DataType
	paths   [][]string // of each field, for ScanOptions.Columns
	command commandText
	broken  []brokenFile // of the inputs, besides those of ds

	using  sync.RWMutex // held while files are used; close waits for that
	closed bool

	mu   sync.Mutex
	open []*leased // files that are open, the one that was used last at the end
	// named are the local files that had the names when they were opened first, by number; nil = it is none.
	named map[int]fs.FileInfo
}

var _ browse.Data = (*browsed)(nil)

func newBrowsed(a *app, f *browseFlags, ds *inputSet, args []string) (*browsed, error) {
	b := &browsed{a: a, f: f, ds: ds, named: map[int]fs.FileInfo{}}
	p, err := arrowio.Project(ds.Schema, f.columns)
	if err != nil {
		return nil, asUsage(err)
	}
	names := make([]string, p.Schema.NumFields())
	for k, field := range p.Schema.Fields() {
		names[k] = expr.Quote(field.Name)
	}
	names = toldApart(names)
	for k, field := range p.Schema.Fields() {
		b.fields = append(b.fields, browse.Field{Name: names[k], Type: field.Type.String(), Number: isNumber(field.Type), Short: isShort(field.Type)})
		b.types = append(b.types, field.Type)
		b.paths = append(b.paths, fieldPaths(ds, f.columns, p.Fields[k].Index))
	}
	b.title = strings.Join(args, " ")
	if len(args) == 1 {
		b.title = displayName(args[0])
	}
	b.title += "  " + strings.Join(ds.formats.names(), ", ")
	if ds.rows >= 0 && len(ds.Fragments) == 1 {
		b.title += "  " + counted(ds.rows, "row")
	}
	b.title += "  " + counted(int64(len(b.fields)), "column")
	if ds.size > 0 {
		b.title += "  " + humanize.IBytes(uint64(ds.size))
	}
	return b, nil
}

// fieldPaths returns the paths by which field i of the schema is read: those of columns that lie in it, or its own.
func fieldPaths(ds *inputSet, columns []string, i int) (paths []string) {
	for _, c := range columns {
		if at, err := expr.Resolve(ds.Schema, c); err == nil && at[0] == i {
			paths = append(paths, c)
		}
	}
	if len(paths) > 0 {
		return paths
	}
	name := ds.Schema.Field(i).Name
	if at, err := expr.Resolve(ds.Schema, name); err == nil && slices.Equal(at, []int{i}) && name != "" && !strings.ContainsAny(name, ",\"`") && name == strings.TrimSpace(name) {
		return []string{name}
	}
	return []string{"#" + strconv.Itoa(i+1)}
}

// use keeps the files open until done is called.
func (b *browsed) use() (done func(), err error) {
	b.using.RLock()
	if b.closed {
		b.using.RUnlock()
		return nil, context.Canceled
	}
	return b.using.RUnlock, nil
}

// close waits until nothing uses the files, and closes them.
func (b *browsed) close() error {
	b.using.Lock()
	defer b.using.Unlock()
	b.closed = true
	for _, l := range b.open {
		_ = l.file.Close() // it was only read
	}
	b.open = nil
	return b.ds.close()
}

// Title implements browse.Data.
func (b *browsed) Title() string { return b.title }

// Files implements browse.Data.
func (b *browsed) Files() []string {
	names := make([]string, len(b.ds.Fragments), len(b.ds.Fragments)+len(b.broken))
	for i, f := range b.ds.Fragments {
		names[i] = displayName(f.Name)
	}
	for _, x := range b.broken {
		names = append(names, displayName(x.name))
	}
	return names
}

// Broken implements browse.Data.
func (b *browsed) Broken(i int) error {
	if i -= len(b.ds.Fragments); i >= 0 && i < len(b.broken) {
		return b.broken[i].err
	}
	return nil
}

// brokenFile is a file that was left out, since it cannot be opened.
type brokenFile struct {
	name string
	err  error
}

// Fields implements browse.Data.
func (b *browsed) Fields() []browse.Field { return b.fields }

// Select implements browse.Data.
func (b *browsed) Select(where string) (browse.Rows, error) {
	r := &browsedRows{b: b, turn: make(chan struct{}, 1)}
	if where == "" {
		return r, nil
	}
	x, err := expr.Parse(where)
	if err == nil {
		_, err = expr.Bind(x, b.ds.Schema)
	}
	if err != nil {
		return nil, asUsage(err)
	}
	r.where = x
	return r, nil
}

// File implements browse.Data.
func (b *browsed) File(ctx context.Context, i int, details bool) (*browse.File, error) {
	if err := b.Broken(i); err != nil {
		return nil, err
	}
	var out *browse.File
	err := b.withFile(ctx, i, func(f arrowio.File) error {
		name := displayName(b.ds.Fragments[i].Name)
		info, err := f.Info(ctx, arrowio.InfoOptions{Blocks: details, Groups: details})
		if err != nil {
			return inFile(name, err)
		}
		out = describeBrowsed(info, details)
		out.Name = name
		out.Facts = b.facts(name, info)
		return nil
	})
	return out, err
}

// facts lists what is known of a file, and of all files together where there are several.
func (b *browsed) facts(name string, info *arrowio.Info) []browse.Fact {
	var out []browse.Fact
	add := func(name, format string, args ...any) {
		out = append(out, browse.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if n := len(b.ds.Fragments) + len(b.broken); n > 1 {
		add("files", "%s", humanize.Comma(int64(n)))
		for _, x := range b.broken {
			add("left out", "%s", x.err)
		}
		add("all bytes", "%s (%s)", humanize.Comma(b.ds.size), humanize.IBytes(uint64(max(b.ds.size, 0))))
		for _, w := range b.ds.Warnings(nil) {
			add("warning", "%s: %s", w.File, w)
		}
		add("", "")
	}
	add("file", "%s", name)
	add("format", "%s", strings.TrimSpace(info.Format+" "+info.Version))
	if info.Writer != "" {
		add("writer", "%s", info.Writer)
	}
	if info.Rows == arrowio.UnknownRows {
		add("rows", "not told before the end is read")
	} else {
		add("rows", "%s", humanize.Comma(info.Rows))
	}
	add("bytes", "%s (%s)", humanize.Comma(info.Bytes), humanize.IBytes(uint64(max(info.Bytes, 0))))
	add("columns", "%s stored, %s shown", humanize.Comma(int64(len(info.Columns))), humanize.Comma(int64(len(b.fields))))
	if n := len(info.Splits); n > 0 {
		add("splits", "%s", humanize.Comma(int64(n)))
	}
	codecs := map[string]bool{}
	for _, c := range info.Columns {
		if c.Codec != "" {
			codecs[c.Codec] = true
		}
	}
	if len(codecs) > 0 {
		add("codecs", "%s", strings.Join(slices.Sorted(maps.Keys(codecs)), ", "))
	}
	for _, x := range info.Facts {
		add(x.Name, "%s", x.Value)
	}
	for _, n := range info.Notes {
		add("note", "%s", n)
	}
	for _, w := range b.a.warnings.of(name) {
		add("warning", "%s", w)
	}
	for _, m := range info.Members {
		add(m.Kind, "%s %s %s", m.Name, m.ID, m.State)
	}
	for _, k := range slices.Sorted(maps.Keys(info.Metadata)) {
		v := info.Metadata[k]
		add("metadata", "%s = %s", k, v[:min(len(v), 64<<10)])
	}
	return out
}

// describeBrowsed returns what a file says of itself in the words of the browser.
func describeBrowsed(info *arrowio.Info, details bool) *browse.File {
	out := &browse.File{Details: details}
	for _, c := range info.Columns {
		x := browse.Column{
			Name: c.Path, Type: c.Type, Stored: c.Stored, Encodings: strings.Join(c.Encodings, " "), Codec: c.Codec,
			Bytes: c.Bytes, Raw: c.RawBytes, Values: -1, Nulls: -1,
		}
		if s := c.Stats; s != nil {
			x.Values, x.Nulls, x.Min, x.Max, x.Sum = s.Values, s.Nulls, s.Min, s.Max, s.Sum
			if s.Doubt != "" {
				x.Facts = append(x.Facts, browse.Fact{Name: browse.NotUsed, Value: s.Doubt})
			}
			if s.Sum != "" {
				x.Facts = append(x.Facts, browse.Fact{Name: "sum", Value: s.Sum})
			}
		}
		for _, fact := range []browse.Fact{{Name: "stored as", Value: c.Stored}, {Name: "repeated by", Value: c.Parent}, {Name: "index", Value: c.Index}, {Name: "checksum", Value: c.Checksum}, {Name: "encryption", Value: c.Secret}} {
			if fact.Value != "" {
				x.Facts = append(x.Facts, fact)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(c.Metadata)) {
			v := c.Metadata[k]
			x.Facts = append(x.Facts, browse.Fact{Name: "metadata", Value: k + " = " + string(v[:min(len(v), 4096)])})
		}
		for _, bl := range c.BlockList {
			y := browse.Block{Group: bl.Group, Kind: bl.Kind, Encoding: bl.Encoding, Rows: bl.Rows, Off: bl.Off, Bytes: bl.Bytes, Raw: bl.RawBytes, First: bl.First}
			if bl.Where != "" || bl.ID != "" {
				y.Elsewhere = strings.TrimSpace(bl.Where + " " + bl.ID)
			}
			x.Blocks = append(x.Blocks, y)
		}
		for _, s := range c.GroupStats {
			x.Groups = append(x.Groups, browse.GroupValues{Values: s.Values, Nulls: s.Nulls, Min: s.Min, Max: s.Max, Doubt: s.Doubt})
		}
		out.Columns = append(out.Columns, x)
	}
	for _, g := range info.Groups {
		x := browse.Group{First: g.Rows.Start, Rows: g.Rows.Len(), Off: g.Off, Bytes: g.Bytes, Detail: g.Detail}
		if g.Index > 0 {
			x.Detail = strings.TrimSpace(fmt.Sprintf("%s indexes, %s", humanize.IBytes(uint64(g.Index)), x.Detail))
		}
		out.Groups = append(out.Groups, x)
	}
	if len(info.Groups) > 0 {
		out.GroupOf = groupName(info.Format)
		return out
	}
	for _, s := range info.Splits {
		n := int64(-1)
		if s.Rows.End != arrowio.UnknownRows {
			n = s.Rows.Len()
		}
		out.Groups = append(out.Groups, browse.Group{First: s.Rows.Start, Rows: n, Off: -1, Bytes: s.Bytes})
	}
	return out
}

// groupName is what a format calls rows that are stored together.
func groupName(format string) string {
	switch format {
	case "orc":
		return "stripe"
	case "parquet":
		return "row group"
	}
	return "group"
}

// Bytes implements browse.Data.
func (b *browsed) Bytes(ctx context.Context, i int, off int64, n int) ([]byte, error) {
	done, err := b.use()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := b.Broken(i); err != nil {
		return nil, err
	}
	name := b.ds.Fragments[i].Name
	if name == "-" || name == displayName("-") {
		return nil, errs.Errorf(errs.ErrUnsupported, "the bytes of standard input are not shown: save them in a file")
	}
	src, err := b.a.places(ctx).Open(ctx, name)
	if err != nil {
		return nil, inFile(name, err)
	}
	defer src.Close() // it was only read
	if err := b.isNamed(ctx, i); err != nil {
		return nil, err
	}
	r := arrowio.ByteRange{Off: off, Len: int64(n)}
	if off < 0 || n < 0 {
		return nil, errs.Errorf(errs.ErrCorrupt, "%s: bytes %d to %d are outside the file", name, off, off+int64(n))
	}
	r = r.Clamp(src.Size())
	pieces, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{r})
	if err != nil {
		return nil, inFile(name, err)
	}
	return bytes.Clone(pieces[0]), nil // a piece may be memory of the source
}

// Explain implements browse.Data.
func (b *browsed) Explain(ctx context.Context, i int, off, end int64) (notes []browse.Note, err error) {
	err = b.withFile(ctx, i, func(f arrowio.File) error {
		d, ok := arrowio.As[arrowio.Dumper](f)
		if !ok {
			return errs.Errorf(errs.ErrUnsupported, "dump does not know the format")
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		w := &noteWriter{off: off, end: end}
		err := d.Dump(ctx, w)
		notes = w.notes
		if len(w.notes) > 0 || w.full {
			err = nil // what follows the bytes does not matter
		}
		return err
	})
	slices.SortStableFunc(notes, func(x, y browse.Note) int { return int(min(max(x.Off-y.Off, -1), 1)) })
	return notes, err
}

// noteMost bounds the notes of a sheet of bytes.
const noteMost = 4096

var noteLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+)-(\d+): (.*)$`) })

// noteWriter takes the output of a Dumper and keeps the lines about some bytes.
type noteWriter struct {
	off, end int64
	rest     []byte // of a line
	notes    []browse.Note
	full     bool
}

func (w *noteWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ok := bytes.Cut(p, []byte("\n"))
		if !ok {
			if len(w.rest)+len(p) < 64<<10 {
				w.rest = append(w.rest, p...)
			}
			return n, nil
		}
		if w.take(string(append(w.rest, line...))); w.full {
			return 0, io.ErrShortWrite // ends the dump
		}
		w.rest, p = w.rest[:0], rest
	}
}

// take keeps a line if it is about the bytes.
func (w *noteWriter) take(line string) {
	m := noteLine().FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return
	}
	from, _ := strconv.ParseInt(m[1], 10, 64) // digits; a number that is too large is beyond all bytes
	to, _ := strconv.ParseInt(m[2], 10, 64)
	if from >= w.end || to <= w.off {
		return
	}
	text := m[3]
	if _, meaning, ok := strings.Cut(text, "  # "); ok {
		text = meaning // the bytes themselves are shown below
	}
	w.notes = append(w.notes, browse.Note{Off: from, End: to, Text: text})
	w.full = len(w.notes) >= noteMost
}
