package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

var (
	magic        = []byte("ARROW1")
	featherMagic = []byte("FEA1") // Feather version 1, which is another format; version 2 is an IPC file
)

// Format returns the IPC file format, "ipc".
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       "ipc",
		Extensions: []string{".arrow", ".feather"},
		Match: func(head, _ []byte) bool {
			return bytes.HasPrefix(head, magic) || bytes.HasPrefix(head, featherMagic)
		},
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			if _, err := options.Check(nil, o.Options); err != nil {
				return nil, locate(err)
			}
			f, err := openFile(ctx, src, o.Limits.WithDefaults())
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: "ipc"})
}

// file is an IPC file. It is never changed after openFile.
type file struct {
	src    arrowio.Source
	limits arrowio.Limits
	arrowipc.Footer
	first  []int64 // row of each block, and behind the last the number of rows
	splits []arrowio.Split
	from   []int   // first block of each split, and behind the last their number
	begin  int64   // where the file begins: 0, or behind another that was joined with it
	layout []error // what findJoined and checkLayout found
}

// tail is what stands at the end of a file: int32 footer length, "ARROW1".
const tail = 10

// openFile reads the footer, and the metadata of every batch: only those know how many rows there are.
func openFile(ctx context.Context, src arrowio.Source, limits arrowio.Limits) (*file, error) {
	f := &file{src: src, limits: limits}
	meta, err := f.footer(ctx)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Op: "footer", Off: errs.N(max(0, src.Size()-tail-meta))})
	}
	if err := f.findJoined(ctx, src.Size()-tail-meta); err != nil {
		return nil, err
	}
	if err := f.count(ctx, meta); err != nil {
		return nil, err
	}
	if err := f.checkLayout(ctx, src.Size()-tail-meta); err != nil {
		return nil, err
	}
	f.split()
	return f, nil
}

// footer reads the footer and returns its size, as far as that is known.
func (f *file) footer(ctx context.Context) (size int64, err error) {
	end := f.src.Size() - tail
	if end < 8 {
		return 0, corrupt("%d bytes are too few for a file", f.src.Size())
	}
	var t [tail]byte
	if err := readAt(ctx, f.src, t[:], end); err != nil {
		return 0, err
	}
	if bytes.Equal(t[tail-len(featherMagic):], featherMagic) {
		return 0, errs.Errorf(errs.ErrUnsupported, "Feather version 1 is not supported; write the table again as version 2, which is an IPC file")
	}
	if !bytes.Equal(t[4:], magic) {
		return 0, corrupt("the file does not end with %s: it was cut off, or is still being written; copy it again when it is complete. A stream is read as ipc-stream", magic)
	}
	size = int64(int32(binary.LittleEndian.Uint32(t[:])))
	switch {
	case size <= 0 || size > end-8:
		return 0, corrupt("a footer of %d bytes in a file of %d", size, f.src.Size())
	case size > f.limits.MetadataBytes:
		return size, errs.Errorf(errs.ErrLimit, "a footer of %d bytes (Limits.MetadataBytes)", size)
	}
	b := make([]byte, size)
	if err := readAt(ctx, f.src, b, end-size); err != nil {
		return size, err
	}
	f.Footer, err = arrowipc.ParseFooter(b, end-size, f.limits)
	return size, err
}

// count reads the metadata of every batch for its number of rows. spent are the bytes of metadata read before.
func (f *file) count(ctx context.Context, spent int64) error {
	f.first = make([]int64, len(f.Batches)+1)
	for i, b := range f.Batches {
		if spent += b.Meta; spent > f.limits.MetadataBytes {
			err := errs.Errorf(errs.ErrLimit, "more than %d bytes of metadata (Limits.MetadataBytes)", f.limits.MetadataBytes)
			return errs.Locate(err, errs.At{Op: fmt.Sprintf("record batch %d", i), Off: errs.N(b.Off)})
		}
		rb, err := f.batch(ctx, b)
		if err != nil {
			return errs.Locate(err, errs.At{Op: fmt.Sprintf("record batch %d", i), Off: errs.N(b.Off)})
		}
		if rb.Rows > math.MaxInt64-f.first[i] {
			err := corrupt("more rows than an int64 can count")
			return errs.Locate(err, errs.At{Op: fmt.Sprintf("record batch %d", i), Off: errs.N(b.Off)})
		}
		f.first[i+1] = f.first[i] + rb.Rows
	}
	return nil
}

// message reads the metadata of a block.
func (f *file) message(ctx context.Context, b arrowipc.Block) (m arrowipc.Message, err error) {
	if b.Meta > f.limits.MetadataBytes {
		return m, errs.Errorf(errs.ErrLimit, "message metadata of %d bytes (Limits.MetadataBytes)", b.Meta)
	}
	buf := make([]byte, b.Meta)
	if err := readAt(ctx, f.src, buf, b.Off); err != nil {
		return m, err
	}
	prefix, n, err := arrowipc.Framing(buf)
	if err != nil {
		return m, err
	}
	if n > b.Meta-prefix {
		return m, corrupt("metadata of %d bytes in a block of %d", n, b.Meta)
	}
	m, err = arrowipc.ParseMessage(buf[prefix:prefix+n], f.limits)
	if err == nil && m.Body != b.Body {
		err = corrupt("a body of %d bytes in a block of %d", m.Body, b.Body)
	}
	return m, err
}

func (f *file) batch(ctx context.Context, b arrowipc.Block) (arrowipc.Batch, error) {
	m, err := f.message(ctx, b)
	if err != nil {
		return arrowipc.Batch{}, err
	}
	return m.Batch(f.Footer.Schema)
}

// A split is as many batches as make about this much.
const (
	splitBytes = 16 << 20
	splitRows  = 1 << 20
)

func (f *file) split() {
	start := 0
	var size int64
	for i, b := range f.Batches {
		size += b.Meta + b.Body
		rows := f.first[i+1] - f.first[start]
		if i+1 < len(f.Batches) && size < splitBytes && rows < splitRows {
			continue
		}
		f.splits = append(f.splits, arrowio.Split{Ordinal: len(f.splits), Rows: arrowio.RowRange{Start: f.first[start], End: f.first[i+1]}, Bytes: size})
		f.from = append(f.from, start)
		start, size = i+1, 0
	}
	f.from = append(f.from, len(f.Batches))
}

// Schema implements arrowio.File.
func (f *file) Schema() *arrow.Schema { return f.Footer.Schema.Arrow }

// Splits implements arrowio.File.
func (f *file) Splits() []arrowio.Split { return f.splits }

// Prune implements arrowio.File: the format has no statistics.
func (f *file) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{}.Add(s.Rows), nil
}

// Close implements arrowio.File.
func (f *file) Close() error { return nil }

// Read implements arrowio.File.
func (f *file) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	src, err := f.read(ctx, s, rows, p, mem)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: "ipc", Split: errs.N(s.Ordinal)})
	}
	return recordsplit.New(src, p.Schema, mem), nil
}

func (f *file) read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (*fileBatches, error) {
	src := &fileBatches{f: f, r: newBatches(f.src, f.Footer.Schema, f.limits, p, mem), split: s, next: f.from[s.Ordinal]}
	if err := refuse(f.Footer.Schema, p); err != nil {
		return nil, err
	}
	if err := f.readDictionaries(ctx, src.r); err != nil {
		_ = src.Close()
		return nil, err
	}
	from, to := f.from[s.Ordinal], f.from[s.Ordinal+1]
	src.fetched = make([]*pending, to-from)
	var total int64
	for i := from; i < to; i++ {
		if !rows.Overlaps(arrowio.RowRange{Start: f.first[i], End: f.first[i+1]}) {
			continue
		}
		b := f.Batches[i]
		at := errs.At{Op: fmt.Sprintf("record batch %d", i), Off: errs.N(b.Off)}
		rb, err := f.batch(ctx, b)
		if err == nil && rb.Rows != f.first[i+1]-f.first[i] {
			err = corrupt("%d rows, which were %d before", rb.Rows, f.first[i+1]-f.first[i])
		}
		var got *pending
		if err == nil {
			got, err = src.r.fetch(ctx, rb, f.Footer.Schema.Columns, src.r.cols, b.Off+b.Meta, f.limits.BatchBytes)
		}
		if err != nil {
			_ = src.Close()
			return nil, errs.Locate(err, at)
		}
		src.fetched[i-from] = got
		for _, g := range got.body.segs {
			total += int64(g.buf.Len())
		}
		if total > f.limits.SplitBytes {
			_ = src.Close()
			return nil, errs.Errorf(errs.ErrLimit, "a split of more than %d bytes (Limits.SplitBytes)", f.limits.SplitBytes)
		}
	}
	return src, nil
}

// readDictionaries reads the dictionaries that the projection needs, in the order of the footer.
func (f *file) readDictionaries(ctx context.Context, r *batches) error {
	if len(r.ids) == 0 {
		return nil
	}
	for i, b := range f.Dictionaries {
		m, err := f.message(ctx, b)
		if err == nil {
			err = r.dictionary(ctx, m, b.Off+b.Meta, true)
		}
		if err != nil {
			return errs.Locate(err, errs.At{Op: fmt.Sprintf("dictionary batch %d", i), Off: errs.N(b.Off)})
		}
	}
	return nil
}

// fileBatches implements recordsplit.Source over the fetched batches of a split.
type fileBatches struct {
	f       *file
	r       *batches
	split   arrowio.Split
	next    int // block
	fetched []*pending
}

func (s *fileBatches) Next() (recordsplit.Batch, error) {
	i := s.next
	if i == s.f.from[s.split.Ordinal+1] {
		return recordsplit.Batch{}, io.EOF
	}
	s.next++
	return recordsplit.Batch{Rows: s.f.first[i+1] - s.f.first[i], Load: func() (arrow.Record, error) { return s.load(i) }}, nil
}

func (s *fileBatches) load(i int) (arrow.Record, error) {
	k := i - s.f.from[s.split.Ordinal]
	p := s.fetched[k]
	if p == nil {
		return nil, errs.Errorf(errs.ErrInternal, "rows of record batch %d read without being asked for", i)
	}
	s.fetched[k] = nil
	rec, err := s.r.record(p)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: "ipc", Op: fmt.Sprintf("record batch %d", i), Split: errs.N(s.split.Ordinal), Off: errs.N(s.f.Batches[i].Off)})
	}
	return rec, nil
}

func (s *fileBatches) Close() error {
	for _, p := range s.fetched {
		if p != nil {
			p.body.release()
		}
	}
	s.fetched = nil
	s.r.release()
	return nil
}

// Info implements arrowio.File.
func (f *file) Info(ctx context.Context, _ arrowio.InfoOptions) (*arrowio.Info, error) {
	info := newInfo("ipc", f.Version, f.Footer.Schema, f.src.Size())
	info.Rows = f.first[len(f.Batches)]
	for i, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: f.splits[i].Bytes})
	}
	for i, b := range f.Batches {
		rb, err := f.batch(ctx, b)
		if err == nil {
			err = addBatch(info, rb, f.Footer.Schema)
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: "ipc", Op: fmt.Sprintf("record batch %d", i), Off: errs.N(b.Off)})
		}
	}
	if len(f.Dictionaries) > 0 {
		info.Notes = append(info.Notes, fmt.Sprintf("%d dictionary batches", len(f.Dictionaries)))
	}
	return info, nil
}

func newInfo(format string, version int16, s *arrowipc.Schema, size int64) *arrowio.Info {
	info := &arrowio.Info{Format: format, Version: fmt.Sprintf("V%d", version+1), Bytes: size, Schema: s.Arrow}
	if md := s.Arrow.Metadata(); md.Len() > 0 {
		info.Metadata = map[string][]byte{}
		for i, k := range md.Keys() {
			info.Metadata[k] = []byte(md.Values()[i])
		}
	}
	for i, f := range s.Arrow.Fields() {
		if path, why := refusal(s.Columns[i], nil); why != "" {
			info.Notes = append(info.Notes, fmt.Sprintf("column %s cannot be read: %s", expr.Quote(append([]string{f.Name}, path...)...), why))
		}
		info.Columns = append(info.Columns, arrowio.ColumnInfo{Path: f.Name, Type: f.Type.String(), Stored: f.Type.Name()})
	}
	return info
}

// addBatch adds what a batch stores to the columns.
func addBatch(info *arrowio.Info, b arrowipc.Batch, s *arrowipc.Schema) error {
	l, err := layOut(&b, s.Columns)
	if err != nil {
		return err
	}
	codec := [...]string{"none", "lz4", "zstd"}[b.Codec+1]
	for i := range info.Columns {
		c := &info.Columns[i]
		c.Blocks++
		for j := l.from[i].buffers; j < l.to[i]; j++ {
			_, n := b.Buffer(j)
			c.Bytes += n
		}
		if c.Codec == "" {
			c.Codec = codec
		} else if !slices.Contains([]string{codec, "mixed"}, c.Codec) {
			c.Codec = "mixed"
		}
	}
	return nil
}
