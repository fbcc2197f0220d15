package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Format returns the format "parquet".
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       "parquet",
		Extensions: []string{".parquet"},
		Options:    formatOptions,
		Match: func(head, _ []byte) bool {
			return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte(magicEncrypted))
		},
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			times, err := int96Of(o)
			if err != nil {
				return nil, locate(err)
			}
			f, err := open(ctx, src, o.Limits.WithDefaults(), times)
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: "parquet"})
}

// parquetFile is a Parquet file. It is not changed after open, apart from the indexes.
type parquetFile struct {
	src    arrowio.Source
	limits arrowio.Limits
	footer *decode.Footer
	int96  int96Options
	begin  int64 // where the file starts: 0, or behind another that was joined with it
	end    int64 // where the footer starts
	nodes  []*node
	leaves []*node  // by stored column
	paths  []string // of stored columns
	shown  []string // the same, as lists of columns name them
	schema *arrow.Schema
	splits []arrowio.Split
	notes  []string
	rows   int64
	plain  bool // the Arrow schema in the metadata does not count
	// rowsFault says that the file's own count of its rows is wrong.
	rowsFault error
	// schemaFaults say what is wrong with the Arrow schema in the metadata.
	schemaFaults []error
	doubts       []error        // see Doubts
	narrow       []arrowio.Loss // see TypesLost

	mu      sync.Mutex
	indexes map[chunkID]*index
	stored  *decode.FooterParts // see parts
}

func open(ctx context.Context, src arrowio.Source, limits arrowio.Limits, int96 int96Options) (*parquetFile, error) {
	f := &parquetFile{src: src, limits: limits, int96: int96, indexes: map[chunkID]*index{}}
	f.end = max(src.Size()-8, 0)
	b, err := readFooter(ctx, src, limits)
	if err == nil {
		f.end = src.Size() - 8 - int64(len(b))
		f.footer, err = parseFooter(b, f.end, limits)
	}
	if err == nil {
		err = f.findJoined(ctx)
	}
	if err == nil {
		f.fitNames()
		err = f.parseSchema()
	}
	if err == nil {
		err = f.check()
	}
	return f, errs.Locate(err, errs.At{Op: "footer", Off: errs.N(f.end)})
}

// Doubts returns what makes the rows doubtful: see arrowio.Warner.
func (f *parquetFile) Doubts() []error { return f.doubts }

// TypesLost implements dataset.TypesLost.
func (f *parquetFile) TypesLost() []arrowio.Loss { return f.narrow }

// chunkOff returns where a column chunk begins, for an error to tell: the footer where it does not lie in the file.
func (f *parquetFile) chunkOff(group, column int) errs.Number {
	off := f.chunk(chunkID{group, column}).Start()
	if off < 0 || off > f.end {
		off = f.end
	}
	return errs.N(off)
}

// parseSchema makes the Arrow schema.
func (f *parquetFile) parseSchema() error {
	stored := !f.plain && slices.ContainsFunc(f.footer.Metadata, func(kv decode.KeyValue) bool { return kv.Key == arrowSchemaKey })
	err := f.build(treeBuilder{elems: f.footer.Schema, limits: f.limits, stored: stored, file: f.footer.Metadata, int96: f.int96.way(nil, nil)})
	if err != nil {
		return err
	}
	var own *arrow.Schema
	var keys, values []string
	for _, kv := range f.footer.Metadata {
		if kv.Key != arrowSchemaKey {
			keys, values = append(keys, kv.Key), append(values, kv.Value)
			continue
		}
		if f.plain {
			continue
		}
		if s, err := storedSchema(kv.Value, f.limits); err != nil {
			own, f.narrow = nil, nil
			f.notes = append(f.notes, fmt.Sprintf("the Arrow schema in the metadata cannot be used, and types are Parquet's own: %v", err))
			f.noteSchema(err)
		} else {
			own, f.narrow = s.Arrow, plans.NarrowDecimals(s)
			f.compareSchema(own)
		}
	}
	fields := make([]arrow.Field, len(f.nodes))
	for i, n := range f.nodes {
		fields[i] = n.field
		if own == nil || own.NumFields() != len(fields) {
			continue
		}
		o := own.Field(i)
		n.adopt(&o)
		fields[i] = n.field
		if arrow.TypeEqual(storage(o.Type), n.field.Type) && (!tellsLogical(n.field.Type) || !arrow.TypeEqual(o.Type, n.field.Type)) {
			fields[i].Type = o.Type // the same with extensions
		}
	}
	meta := arrow.NewMetadata(keys, values)
	f.schema = arrow.NewSchema(fields, &meta)
	return nil
}

// build makes the nodes of the schema's fields. Columns that are named to be read in microseconds have a name once there are
// nodes, and are inside the types of others: of these, all are made again.
func (f *parquetFile) build(b treeBuilder) (err error) {
	again := b
	if f.nodes, err = b.build(); err != nil {
		return err
	}
	f.leaves = b.leaves
	f.paths, f.shown = make([]string, len(f.leaves)), make([]string, len(f.leaves))
	f.namePaths(f.footer.Schema)
	for _, n := range f.nodes {
		f.nameShown(n, []string{n.field.Name})
	}
	again.int96 = f.int96.way(f.paths, f.shown)
	if again.int96 == nil {
		return nil
	}
	f.nodes, err = again.build()
	f.leaves = again.leaves
	return err
}

// namePaths gives every stored column its name: the names from the top down.
func (f *parquetFile) namePaths(elems []decode.Element) {
	pos, column := 1, 0
	var walk func(prefix string, n int32)
	walk = func(prefix string, n int32) {
		for range n {
			e := &elems[pos]
			pos++
			if e.Children == 0 {
				f.paths[column] = prefix + schemadiff.Path(e.Name)
				column++
				continue
			}
			walk(prefix+schemadiff.Path(e.Name)+".", e.Children)
		}
	}
	walk("", elems[0].Children)
}

// nameShown gives the stored columns of a field the names that lists of columns have for them. names lead to the field.
func (f *parquetFile) nameShown(n *node, names []string) {
	below := func(k *node, name string) { f.nameShown(k, append(names[:len(names):len(names)], name)) }
	switch n.shape {
	case leafShape:
		f.shown[n.column] = shownPath(names)
	case structShape:
		for _, k := range n.children {
			below(k, k.field.Name)
		}
	case listShape:
		name := "item"
		if l, ok := n.field.Type.(arrow.ListLikeType); ok {
			name = l.ElemField().Name
		}
		below(n.children[0], name)
	case mapShape:
		below(n.children[0].children[0], "key")
		below(n.children[0].children[1], "value")
	}
}

// shownPath joins names. The name of a whole column is no path.
func shownPath(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	parts := make([]string, len(names))
	for i, n := range names {
		if parts[i] = n; n == "" || strings.ContainsAny(n, ".\"`") {
			parts[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ".")
}

// check looks at every row group: what is wrong with one is better said before a scan starts.
func (f *parquetFile) check() error {
	if n := len(f.footer.Groups); n > f.limits.Splits {
		return errs.Errorf(errs.ErrLimit, "%d row groups (Limits.Splits)", n)
	}
	var rows int64
	for i := range f.footer.Groups {
		g := &f.footer.Groups[i]
		size, err := f.checkGroup(g)
		if err == nil && (g.Rows < 0 || g.Rows > math.MaxInt64-rows) {
			err = corrupt("%d rows", g.Rows)
		}
		if err != nil {
			return errs.Locate(err, errs.At{Split: errs.N(i)})
		}
		f.splits = append(f.splits, arrowio.Split{Ordinal: i, Rows: arrowio.RowRange{Start: rows, End: rows + g.Rows}, Bytes: size})
		rows += g.Rows
	}
	if rows != f.footer.Rows { // some writers leave it zero; Verify reports it
		f.rowsFault = corrupt("the row groups have %d rows, the metadata of the file says %d", rows, f.footer.Rows)
		f.notes = append(f.notes, f.rowsFault.Error()+"; those of the row groups are read")
	}
	f.rows = rows
	for _, n := range f.nodes {
		if path, why := n.refusal(); why != "" {
			f.notes = append(f.notes, fmt.Sprintf("column %s cannot be read: %s", expr.Quote(append([]string{n.field.Name}, path...)...), why))
		}
	}
	return nil
}

// checkGroup checks that every column chunk lies in front of the footer and returns the bytes of all.
func (f *parquetFile) checkGroup(g *decode.RowGroup) (size int64, err error) {
	if len(g.Chunks) != len(f.leaves) {
		return 0, corrupt("%d column chunks for %d columns", len(g.Chunks), len(f.leaves))
	}
	for i := range g.Chunks {
		if err := f.checkChunk(&g.Chunks[i], f.leaves[i], g.Rows); err != nil {
			return 0, errs.Locate(err, errs.At{Column: f.paths[i]})
		}
		size += g.Chunks[i].Stored
	}
	return size, nil
}

// refusal says why a column chunk cannot be read; "" = it can.
func (f *parquetFile) refusal(c *decode.Chunk) string {
	switch {
	case c.Encrypted && f.footer.Algorithm == "":
		return "the column is encrypted with an algorithm that the file does not name"
	case c.Encrypted:
		return "the column is encrypted with " + f.footer.Algorithm + ", which cannot be read"
	case c.Elsewhere:
		return "a column chunk is in another file"
	}
	return ""
}

func (f *parquetFile) checkChunk(c *decode.Chunk, n *node, rows int64) error {
	if why := f.refusal(c); why != "" {
		n.refused = why
		c.Stored, c.Values = min(max(c.Stored, 0), f.end), max(c.Values, 0)
		return nil
	}
	start, end := c.Start(), f.end
	switch {
	case c.Type != n.elem.Type:
		return corrupt("a column chunk of %s where the schema has %s", c.Type, n.elem.Type)
	case rows == 0 && c.Values == 0: // nothing is read of it; writers leave its place out
		c.Stored = max(c.Stored, 0)
	case start < 4 || c.Stored < 0 || start > end || c.Stored > end-start || c.Values < 0 || c.Raw < 0 || n.maxRep == 0 && c.Values != rows:
		return corrupt("a column chunk of %d values has %d bytes at %d, the row group has %d rows and the footer starts at %d", c.Values, c.Stored, start, rows, end)
	}
	return nil
}

// chunkEnd returns where a column chunk ends at most. Versions of parquet-mr before 1.2.9 left the header of a dictionary
// out of its size; the pages' own sizes tell where such a chunk ends.
func (f *parquetFile) chunkEnd(c *decode.Chunk) int64 {
	const header = 100
	end := c.Start() + c.Stored
	by := f.footer.CreatedBy
	if by == "parquet-mr" || strings.HasPrefix(by, "parquet-mr version 1.0") || strings.HasPrefix(by, "parquet-mr version 1.1.") || strings.HasPrefix(by, "parquet-mr version 1.2.") {
		end = min(end+header, f.end)
	}
	return end
}

// Schema implements arrowio.File.
func (f *parquetFile) Schema() *arrow.Schema { return f.schema }

// FieldIDs implements view.FieldIDer: Iceberg's writers store the schema of the table under a key of the file's metadata.
func (f *parquetFile) FieldIDs() (iceberg bool, byID error) {
	return f.schema.Metadata().FindKey("iceberg.schema") >= 0, nil
}

// Splits implements arrowio.File.
func (f *parquetFile) Splits() []arrowio.Split { return f.splits }

// Close implements arrowio.File.
func (f *parquetFile) Close() error { return nil }
