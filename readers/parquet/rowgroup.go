package parquet

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// A batch is decoded at once: so many rows, or those that take about so many bytes.
const (
	batchRows  = 64 << 10
	batchBytes = 32 << 20
)

// Read implements arrowio.File.
func (f *parquetFile) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	g := &rowGroup{f: f, split: s, p: p, pos: s.Rows.Start, rows: rows.Intersect(arrowio.RowSet{s.Rows}), mem: &arrowbuf.Arena{Allocator: mem}}
	if err := g.open(ctx); err != nil {
		_ = g.Close()
		return nil, errs.Locate(err, errs.At{Format: "parquet", Split: errs.N(s.Ordinal), Off: errs.N(f.end)})
	}
	return recordsplit.New(g, p.Schema, mem), nil
}

// rowGroup implements recordsplit.Source over the columns of a row group.
type rowGroup struct {
	f     *parquetFile
	split arrowio.Split
	p     arrowio.Projection
	mem   *arrowbuf.Arena
	dec   blockcodec.Decoder
	trees []*tree
	cols  []*column

	rows  arrowio.RowSet // those that may be asked for, from pos on
	pos   int64          // the next row of the file
	at    int64          // the row of the file that the columns are at
	batch int64          // rows of a batch
}

// open prepares the columns that the projection needs, and fetches what it wants of them.
func (g *rowGroup) open(ctx context.Context) error {
	g.at = g.pos
	for _, pf := range g.p.Fields {
		if path, why := narrowed(g.f.nodes[pf.Index], pf.Children).refusal(); why != "" {
			name := expr.Quote(append([]string{g.f.nodes[pf.Index].field.Name}, path...)...)
			return errs.Locate(errs.Errorf(errs.ErrUnsupported, "%s; leave it out with %w", why, errs.Opt("exclude", name)), errs.At{Column: name, Off: errs.N(g.f.end)})
		}
	}
	group := &g.f.footer.Groups[g.split.Ordinal]
	if group.Rows == 0 {
		return nil
	}
	for _, pf := range g.p.Fields {
		g.trees = append(g.trees, g.tree(g.f.nodes[pf.Index], pf.Children, group))
	}
	raw, stored := int64(0), int64(0)
	for _, c := range g.cols {
		if err := checkCodec(c.pages.chunk.Codec); err != nil {
			return errs.Locate(err, errs.At{Column: c.path(g.f), Off: g.f.chunkOff(g.split.Ordinal, c.column)})
		}
		raw += c.pages.chunk.Raw
		if stored += c.pages.chunk.Stored; stored > g.f.limits.SplitBytes {
			return errs.Errorf(errs.ErrLimit, "a row group of more than %d bytes (Limits.SplitBytes)", g.f.limits.SplitBytes)
		}
	}
	g.batch = batchRows
	if raw > 0 && group.Rows > 0 {
		g.batch = min(g.batch, max(int64(float64(batchBytes)/float64(raw)*float64(group.Rows)), 64))
	}
	for _, t := range g.trees {
		t.find()
	}
	return g.fetch(ctx)
}

// path returns the name of a stored column for who reads it.
func (n *node) path(f *parquetFile) string { return f.shown[n.column] }

// tree makes a tree of the wanted children of a node; keep nil = all.
func (g *rowGroup) tree(n *node, keep []arrowio.ProjectedField, group *decode.RowGroup) *tree {
	n = narrowed(n, keep)
	return g.grow(n, group)
}

func (g *rowGroup) grow(n *node, group *decode.RowGroup) *tree {
	t := &tree{node: n, mem: g.mem, valid: arrowbuf.NewBits(g.mem), ends: arrowbuf.NewOffsets(g.mem)}
	if n.shape == leafShape {
		chunk := &group.Chunks[n.column]
		t.column = &column{
			node: n, values: newValues(n, g.mem, g.f.limits), valid: arrowbuf.NewBits(g.mem), rowsLeft: group.Rows,
			pages: pageReader{chunk: chunk, limits: g.f.limits, dec: &g.dec, off: chunk.Start(), at: chunk.Start(), rows: group.Rows},
		}
		t.column.pages.data.end = g.f.chunkEnd(chunk)
		g.cols = append(g.cols, t.column)
		return t
	}
	for _, k := range n.children {
		t.children = append(t.children, g.grow(k, group))
	}
	return t
}

// refusal returns why something of a field cannot be read, and its path below the field as far as that leads through
// structs; "" = all of it can be read.
func (n *node) refusal() (path []string, why string) {
	if n.refused != "" {
		return nil, n.refused
	}
	for _, k := range n.children {
		if path, why = k.refusal(); why != "" {
			if n.shape == structShape {
				return append([]string{k.field.Name}, path...), why
			}
			return nil, why
		}
	}
	return nil, ""
}

// allRefused adds to out the paths of what cannot be read of a field, as refusal tells them.
func (n *node) allRefused(out, above []string) []string {
	path := append(above[:len(above):len(above)], n.field.Name)
	if n.shape == structShape && n.refused == "" {
		for _, k := range n.children {
			out = k.allRefused(out, path)
		}
	} else if _, why := n.refusal(); why != "" {
		out = append(out, expr.Quote(path...))
	}
	return out
}

// Refuses implements arrowio.Refuser.
func (f *parquetFile) Refuses() bool {
	return slices.ContainsFunc(f.nodes, func(n *node) bool {
		_, why := n.refusal()
		return why != ""
	})
}

// narrowed returns the node with the wanted children only; nil = all.
func narrowed(n *node, keep []arrowio.ProjectedField) *node {
	if keep == nil {
		return n
	}
	out := *n
	switch n.shape {
	case structShape:
		out.children = nil
		for _, k := range keep {
			out.children = append(out.children, narrowed(n.children[k.Index], k.Children))
		}
	case listShape:
		out.children = []*node{narrowed(n.children[0], keep)}
	case mapShape:
		entries := *n.children[0]
		entries.children = []*node{entries.children[0], narrowed(entries.children[1], keep)}
		entries.settle(nil)
		out.children = []*node{&entries}
	}
	out.short = nil
	for _, k := range out.children {
		if out.short == nil || k.short.maxRep < out.short.maxRep {
			out.short = k.short
		}
	}
	out.settle(n.field.Type)
	return &out
}

// fetch reads the column chunks, or of those with an offset index that is known the pages with wanted rows. Files of this
// machine are read as they are decoded.
func (g *rowGroup) fetch(ctx context.Context) error {
	if g.rows.Len() < g.split.Rows.Len() {
		columns := make([]int, len(g.cols))
		for i, c := range g.cols {
			columns[i] = c.column
		}
		if err := g.f.loadPages(ctx, g.split.Ordinal, columns); err != nil {
			return err
		}
	}
	near := arrowio.Near(g.f.src)
	var ranges []arrowio.ByteRange
	var owner []*column
	for _, c := range g.cols {
		if g.rows.Len() < g.split.Rows.Len() {
			c.pages.only = g.f.pagesOf(g.split.Ordinal, c.column)
		}
		if near {
			c.pages.data.ctx, c.pages.data.src = ctx, g.f.src
			continue
		}
		for _, r := range g.wanted(c) {
			ranges, owner = append(ranges, r), append(owner, c)
		}
	}
	if near {
		return nil
	}
	pieces, err := arrowio.ReadRanges(ctx, g.f.src, ranges)
	if err != nil {
		return err
	}
	for i, b := range pieces {
		d := &owner[i].pages.data
		d.pieces = append(d.pieces, piece{ranges[i].Off, b})
	}
	return nil
}

// wanted returns the ranges of a column chunk that hold wanted rows, in order.
func (g *rowGroup) wanted(c *column) (out []arrowio.ByteRange) {
	start, r := c.pages.chunk.Start(), &c.pages
	if r.only == nil {
		return []arrowio.ByteRange{{Off: start, Len: r.data.end - start}}
	}
	add := func(off, n int64) {
		if k := len(out); k > 0 && out[k-1].End() == off {
			out[k-1].Len += n
		} else if n > 0 {
			out = append(out, arrowio.ByteRange{Off: off, Len: n})
		}
	}
	add(start, r.only[0].Off-start)
	for i, p := range r.only {
		first := g.split.Rows.Start + p.FirstRow
		if len(g.rows.Intersect(arrowio.RowSet{{Start: first, End: first + r.rowsOf(i)}})) > 0 {
			add(p.Off, int64(p.Bytes))
		}
	}
	return out
}

// Next implements recordsplit.Source. Rows that cannot be asked for are batches of their own, which are never loaded.
func (g *rowGroup) Next() (recordsplit.Batch, error) {
	for len(g.rows) > 0 && g.rows[0].End <= g.pos {
		g.rows = g.rows[1:]
	}
	end := g.split.Rows.End
	if g.pos == end {
		return recordsplit.Batch{}, io.EOF
	}
	if len(g.rows) == 0 || g.rows[0].Start > g.pos {
		n := end - g.pos
		if len(g.rows) > 0 {
			n = g.rows[0].Start - g.pos
		}
		g.pos += n
		return recordsplit.Batch{Rows: n, Load: func() (arrow.Record, error) {
			return nil, errs.Errorf(errs.ErrInternal, "rows are read that were not asked for")
		}}, nil
	}
	from, n := g.pos, min(g.rows[0].End-g.pos, g.rowsPerBatch())
	g.pos += n
	return recordsplit.Batch{Rows: n, Load: func() (arrow.Record, error) { return g.load(from, n) }}, nil
}

// rowsPerBatch is less than usual where a dictionary has entries so long that they would make a batch too large.
func (g *rowGroup) rowsPerBatch() int64 {
	n := g.batch
	for _, c := range g.cols {
		if t, ok := c.values.(*textValues); ok && t.dict.Longest() > 0 {
			n = min(n, max(g.f.limits.BatchBytes/2/int64(t.dict.Longest()), 1))
		}
	}
	return n
}

// load decodes n rows from row from of the file on.
func (g *rowGroup) load(from, n int64) (arrow.Record, error) {
	for _, c := range g.cols {
		c.batchDefs, c.batchReps = c.batchDefs[:0], c.batchReps[:0]
		err := c.skip(from - g.at)
		if err == nil {
			err = c.read(n)
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: "parquet", Op: "read", Column: c.path(g.f), Split: errs.N(g.split.Ordinal), Off: errs.N(c.pages.at)})
		}
	}
	g.at = from + n
	cols := make([]arrow.Array, 0, len(g.trees))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, t := range g.trees {
		arr, err := t.array(n, g.p.Schema.Field(i).Type)
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: "parquet", Op: "read", Column: t.field.Name, Split: errs.N(g.split.Ordinal), Off: g.f.chunkOff(g.split.Ordinal, t.short.column)})
		}
		cols = append(cols, arr)
	}
	return array.NewRecord(g.p.Schema, cols, n), nil
}

// array makes an array of type typ, of n rows, of what the columns have read.
func (t *tree) array(n int64, typ arrow.DataType) (arrow.Array, error) {
	d, err := t.build()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	if int64(d.Len()) != n {
		return nil, corrupt("%d rows where %d are read", d.Len(), n)
	}
	typed := as(d, typ)
	defer typed.Release()
	return array.MakeFromData(typed), nil
}

// Close implements recordsplit.Source.
func (g *rowGroup) Close() error {
	for _, t := range g.trees {
		t.release()
	}
	g.trees, g.cols = nil, slices.Delete(g.cols, 0, len(g.cols))
	g.dec.Release()
	return nil
}
