package parquet

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	pqfile "github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// Format returns the format "parquet".
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       "parquet",
		Extensions: []string{".parquet"},
		Match: func(head, _ []byte) bool {
			return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte(magicEncrypted))
		},
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			if _, err := options.Check(nil, o.Options); err != nil {
				return nil, locate(err)
			}
			f, err := open(ctx, src, o.Limits.WithDefaults())
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error {
	return arrowio.Locate(err, arrowio.At{Format: "parquet", Split: -1, Off: -1})
}

// parquetFile is a Parquet file. It is never changed after open.
type parquetFile struct {
	src      arrowio.Source
	limits   arrowio.Limits
	r        *pqfile.Reader
	manifest *pqarrow.SchemaManifest
	schema   *arrow.Schema
	splits   []arrowio.Split
	notes    []string
}

var props = pqarrow.ArrowReadProperties{}

const arrowSchemaKey = "ARROW:schema"

func open(ctx context.Context, src arrowio.Source, limits arrowio.Limits) (*parquetFile, error) {
	f := &parquetFile{src: src, limits: limits}
	footer, err := readFooter(ctx, src, limits)
	if err == nil {
		err = checkFooter(footer, limits)
	}
	if err == nil {
		err = kinded(guard(func() error { return f.parse(footer) }))
	}
	if err == nil {
		err = f.check(src.Size() - 8 - int64(len(footer)))
	}
	return f, arrowio.Locate(err, arrowio.At{Op: "footer", Split: -1, Off: -1})
}

// parse gives a footer that was walked to arrow's packages.
func (f *parquetFile) parse(footer []byte) error {
	md, err := metadata.NewFileMetaData(footer, nil)
	if err != nil {
		return err
	}
	if md.IsSetEncryptionAlgorithm() {
		return arrowio.Errorf(arrowio.ErrUnsupported, "the file is encrypted")
	}
	var stored *arrow.Schema
	kept := md.FileMetaData.KeyValueMetadata[:0]
	for _, kv := range md.FileMetaData.KeyValueMetadata {
		if kv.Key != arrowSchemaKey {
			kept = append(kept, kv)
		} else if stored = f.storedSchema(kv.GetValue()); stored == nil {
			f.notes = append(f.notes, "the Arrow schema in the metadata is damaged or of types not known here: types are Parquet's own")
		}
	}
	md.FileMetaData.KeyValueMetadata = kept
	rp := pq.NewReaderProperties(&capped{memory.NewGoAllocator(), f.limits.BatchBytes})
	f.r, err = pqfile.NewParquetReader(io.NewSectionReader(f.src, 0, f.src.Size()), pqfile.WithMetadata(md), pqfile.WithReadProps(rp))
	if err != nil {
		return err
	}
	ar, err := pqarrow.NewFileReader(f.r, props, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	f.manifest = ar.Manifest
	fields := make([]arrow.Field, len(f.manifest.Fields))
	for i := range fields {
		var o *arrow.Field
		if stored != nil && stored.NumFields() == len(fields) {
			sf := stored.Field(i)
			o = &sf
		}
		settle(&f.manifest.Fields[i], md.Schema, o)
		fields[i] = *f.manifest.Fields[i].Field
		if o != nil && arrow.TypeEqual(storage(o.Type), fields[i].Type) {
			fields[i].Type = o.Type // the same with extensions
		}
	}
	var keys, values []string
	for _, kv := range kept {
		keys, values = append(keys, kv.Key), append(values, kv.GetValue())
	}
	meta := arrow.NewMetadata(keys, values)
	f.schema = arrow.NewSchema(fields, &meta)
	return nil
}

// storedSchema reads an Arrow schema message in base64; nil = it is none.
func (f *parquetFile) storedSchema(text string) *arrow.Schema {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	prefix, n, err := arrowipc.Framing(b)
	if err != nil || n > int64(len(b))-prefix {
		return nil
	}
	m, err := arrowipc.ParseMessage(b[prefix:prefix+n], f.limits)
	if err != nil || m.Body != 0 {
		return nil
	}
	s, err := m.Schema()
	if err != nil {
		return nil
	}
	return s.Arrow
}

// check looks at every row group: what is wrong with one is better said before a scan starts. end is where the footer
// starts.
func (f *parquetFile) check(end int64) error {
	md := f.r.MetaData()
	groups := f.r.NumRowGroups()
	if groups > f.limits.Splits {
		return arrowio.Errorf(arrowio.ErrLimit, "%d row groups (Limits.Splits)", groups)
	}
	var rows int64
	for i := range groups {
		var size int64
		var n int64
		err := kinded(guard(func() (err error) {
			g := md.RowGroup(i)
			n = g.NumRows()
			size, err = checkGroup(g, md.Schema.NumColumns(), end)
			return err
		}))
		if err == nil && (n < 0 || n > math.MaxInt64-rows) {
			err = corrupt("%d rows", n)
		}
		if err != nil {
			return arrowio.Locate(err, arrowio.At{Split: i, Off: -1})
		}
		f.splits = append(f.splits, arrowio.Split{Ordinal: i, Rows: arrowio.RowRange{Start: rows, End: rows + n}, Bytes: size})
		rows += n
	}
	if rows != md.GetNumRows() {
		return corrupt("%d rows in the row groups, %d in the file", rows, md.GetNumRows())
	}
	return nil
}

// checkGroup checks that every column chunk lies in front of the footer and returns the bytes of all.
func checkGroup(g *metadata.RowGroupMetaData, columns int, end int64) (size int64, err error) {
	if g.NumColumns() != columns {
		return 0, corrupt("%d column chunks for %d columns", g.NumColumns(), columns)
	}
	for i := range columns {
		c, err := g.ColumnChunk(i)
		if err != nil {
			return 0, err
		}
		start, n := chunkRange(c)
		switch {
		case c.FilePath() != "":
			return 0, arrowio.Errorf(arrowio.ErrUnsupported, "column chunk %d is in another file, %q", i, c.FilePath())
		case c.CryptoMetadata() != nil:
			return 0, arrowio.Errorf(arrowio.ErrUnsupported, "column chunk %d is encrypted", i)
		case start < 4 || n < 0 || start > end || n > end-start || c.NumValues() < 0 || c.TotalUncompressedSize() < 0:
			return 0, corrupt("column chunk %d has %d bytes at %d, in front of a footer at %d", i, n, start, end)
		}
		size += n
	}
	return size, nil
}

// chunkRange returns where arrow's package looks for a column chunk.
func chunkRange(c *metadata.ColumnChunkMetaData) (start, n int64) {
	start = c.DataPageOffset()
	if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 && d < start {
		start = d
	}
	return start, c.TotalCompressedSize()
}

// Schema implements arrowio.File.
func (f *parquetFile) Schema() *arrow.Schema { return f.schema }

// Splits implements arrowio.File.
func (f *parquetFile) Splits() []arrowio.Split { return f.splits }

// Close implements arrowio.File.
func (f *parquetFile) Close() error { return nil }

// Read implements arrowio.File.
func (f *parquetFile) Read(ctx context.Context, s arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	src := &rowGroup{f: f, split: s, p: p, left: s.Rows.Len()}
	if err := src.open(ctx, mem); err != nil {
		_ = src.Close()
		return nil, arrowio.Locate(err, arrowio.At{Format: "parquet", Split: s.Ordinal, Off: -1})
	}
	return recordsplit.New(src, p.Schema, mem), nil
}

// open fetches the column chunks that p needs.
func (g *rowGroup) open(ctx context.Context, mem memory.Allocator) error {
	mem = &capped{arrowbuf.Clean(mem), g.f.limits.BatchBytes}
	var bytes int64
	for _, pf := range g.p.Fields {
		field := narrow(&g.f.manifest.Fields[pf.Index], pf.Children)
		at := arrowio.At{Column: field.Field.Name, Split: -1, Off: -1}
		n, err := g.f.fetchable(g.split.Ordinal, field)
		if bytes += n; err == nil && bytes > g.f.limits.SplitBytes {
			err = arrowio.Errorf(arrowio.ErrLimit, "a row group of more than %d bytes (Limits.SplitBytes)", g.f.limits.SplitBytes)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return arrowio.Locate(err, at)
		}
		err = guard(func() error {
			r, err := pqarrow.NewFileReader(g.f.r, props, mem)
			if err != nil {
				return err
			}
			l := leafReaders{r: r, rowGroup: g.split.Ordinal, mem: mem}
			c, err := l.open(ctx, field)
			if err == nil {
				g.cols = append(g.cols, c)
			}
			return err
		})
		if err != nil {
			return arrowio.Locate(err, at)
		}
	}
	return nil
}

// fetchable returns the bytes of the column chunks below a field, and an error if one is compressed in a way that
// arrow's package does not know.
func (f *parquetFile) fetchable(group int, field *pqarrow.SchemaField) (n int64, err error) {
	for i := range field.Children {
		k, err := f.fetchable(group, &field.Children[i])
		if err != nil {
			return 0, err
		}
		n += k
	}
	if !isLeaf(field) {
		return n, nil
	}
	err = kinded(guard(func() error {
		c, err := f.r.MetaData().RowGroup(group).ColumnChunk(field.ColIndex)
		if err != nil {
			return err
		}
		_, n = chunkRange(c)
		if _, err := compress.GetCodec(c.Compression()); err != nil {
			return arrowio.Errorf(arrowio.ErrUnsupported, "compression %s", c.Compression())
		}
		return nil
	}))
	return n, err
}

// narrow returns the field with the wanted children only; nil = all.
func narrow(f *pqarrow.SchemaField, keep []arrowio.ProjectedField) *pqarrow.SchemaField {
	if keep == nil {
		return f
	}
	out := *f
	field := *f.Field
	out.Field = &field
	switch t := f.Field.Type.(type) {
	case *arrow.StructType:
		out.Children = nil
		var fields []arrow.Field
		for _, k := range keep {
			c := narrow(&f.Children[k.Index], k.Children)
			out.Children = append(out.Children, *c)
			fields = append(fields, *c.Field)
		}
		field.Type = arrow.StructOf(fields...)
	case *arrow.MapType:
		entries := *narrow(&f.Children[0], nil)
		value := narrow(&entries.Children[1], keep)
		entries.Children = []pqarrow.SchemaField{entries.Children[0], *value}
		m := arrow.MapOfWithMetadata(t.KeyType(), t.KeyField().Metadata, value.Field.Type, t.ItemField().Metadata)
		m.KeysSorted = t.KeysSorted
		m.SetItemNullable(t.ItemField().Nullable)
		ef := *entries.Field
		ef.Type = m.Elem()
		entries.Field = &ef
		out.Children = []pqarrow.SchemaField{entries}
		field.Type = m
	case *arrow.ListType:
		c := narrow(&f.Children[0], keep)
		out.Children = []pqarrow.SchemaField{*c}
		e := t.ElemField()
		e.Type = c.Field.Type
		field.Type = arrow.ListOfField(e)
	case *arrow.FixedSizeListType:
		c := narrow(&f.Children[0], keep)
		out.Children = []pqarrow.SchemaField{*c}
		e := t.ElemField()
		e.Type = c.Field.Type
		field.Type = arrow.FixedSizeListOfField(t.Len(), e)
	}
	return &out
}

// Info implements arrowio.File. A block is a column chunk, a group a row group: pages are told by reading only.
func (f *parquetFile) Info(_ context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	md := f.r.MetaData()
	info := &arrowio.Info{
		Format: "parquet", Version: fmt.Sprint(md.FileMetaData.Version), Writer: md.GetCreatedBy(), Rows: md.GetNumRows(),
		Bytes: f.src.Size(), Schema: f.schema, Notes: slices.Clone(f.notes),
	}
	for _, kv := range md.FileMetaData.KeyValueMetadata {
		if info.Metadata == nil {
			info.Metadata = map[string][]byte{}
		}
		info.Metadata[kv.Key] = []byte(kv.GetValue())
	}
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
		if o.Blocks {
			info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: s.Rows, Off: -1, Bytes: s.Bytes})
		}
	}
	for i := range md.Schema.NumColumns() {
		var c arrowio.ColumnInfo
		if err := kinded(guard(func() (err error) { c, err = f.columnInfo(i, info.Groups); return err })); err != nil {
			return nil, locate(err)
		}
		info.Columns = append(info.Columns, c)
	}
	return info, nil
}

// columnInfo describes a stored column over all row groups. Where groups are listed it lists the column's chunks in them,
// and notes where the groups begin.
func (f *parquetFile) columnInfo(i int, groups []arrowio.GroupInfo) (arrowio.ColumnInfo, error) {
	md := f.r.MetaData()
	descr := md.Schema.Column(i)
	c := arrowio.ColumnInfo{Path: descr.Path(), Stored: descr.PhysicalType().String()}
	if t := descr.LogicalType(); t != nil && !t.IsNone() {
		c.Stored += " " + t.String()
	}
	if sf := f.manifest.ColIndexToField[i]; sf != nil {
		c.Type = sf.Field.Type.String()
	}
	for g := range f.r.NumRowGroups() {
		ch, err := md.RowGroup(g).ColumnChunk(i)
		if err != nil {
			return c, err
		}
		c.Blocks++
		c.Bytes += ch.TotalCompressedSize()
		c.RawBytes += ch.TotalUncompressedSize()
		if codec := ch.Compression().String(); c.Codec == "" {
			c.Codec = codec
		} else if c.Codec != codec {
			c.Codec = "mixed"
		}
		var encodings []string
		for _, e := range ch.Encodings() {
			if !slices.Contains(encodings, e.String()) {
				encodings = append(encodings, e.String())
			}
			if !slices.Contains(c.Encodings, e.String()) {
				c.Encodings = append(c.Encodings, e.String())
			}
		}
		if groups == nil {
			continue
		}
		off, n := chunkRange(ch)
		if at := &groups[g]; at.Off < 0 || off < at.Off {
			at.Off = off
		}
		c.BlockList = append(c.BlockList, arrowio.BlockInfo{
			Group: g, Encoding: strings.Join(encodings, ", "), Rows: groups[g].Rows.Len(), Off: off, Bytes: n, RawBytes: ch.TotalUncompressedSize(),
		})
	}
	return c, nil
}
