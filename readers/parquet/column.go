package parquet

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// column decodes one field of one row group. Leaves are arrow's readers; lists and structs are put together here from
// the levels of the leaves below them:
//
//	definition level   how much of the path to the value is there: nulls, and lists without items
//	repetition level   at which list a new item begins
type column struct {
	field *pqarrow.SchemaField
	leaf  *pqarrow.ColumnReader
	kids  []*column
	mem   memory.Allocator
}

// leafReaders opens the readers of leaves, fields without children. It gives them to arrow's FileReader as if they
// were all there is, because only at the top does that hand out readers of leaves.
type leafReaders struct {
	r        *pqarrow.FileReader
	rowGroup int
	mem      memory.Allocator
}

// isLeaf is what arrow's IsLeaf is meant to be: that takes groups for leaves, whose ColIndex it leaves zero.
func isLeaf(f *pqarrow.SchemaField) bool { return len(f.Children) == 0 }

func (l *leafReaders) open(ctx context.Context, f *pqarrow.SchemaField) (*column, error) {
	c := &column{field: f, mem: l.mem}
	if isLeaf(f) {
		l.r.Manifest = &pqarrow.SchemaManifest{Fields: []pqarrow.SchemaField{*f}}
		var err error
		c.leaf, err = l.r.GetFieldReader(ctx, 0, map[int]bool{f.ColIndex: true}, []int{l.rowGroup})
		return c, err
	}
	for i := range f.Children {
		kid, err := l.open(ctx, &f.Children[i])
		if err != nil {
			c.release()
			return nil, err
		}
		c.kids = append(c.kids, kid)
	}
	return c, nil
}

func (c *column) release() {
	if c.leaf != nil {
		c.leaf.Release()
		c.leaf = nil
	}
	for _, k := range c.kids {
		k.release()
	}
}

// load decodes the next n rows of every leaf, or as many as there are.
func (c *column) load(n int64) error {
	if c.leaf != nil {
		return c.leaf.LoadBatch(n)
	}
	for _, k := range c.kids {
		if err := k.load(n); err != nil {
			return err
		}
	}
	return nil
}

// repeated tells whether every leaf below is inside a list below c.
func (c *column) repeated() bool {
	if c.leaf != nil {
		return false
	}
	if _, ok := c.field.Field.Type.(*arrow.StructType); !ok {
		return true
	}
	return c.levels().repeated()
}

// levels returns the child whose levels tell about c: one with no list in between where there is such a one.
func (c *column) levels() *column {
	for _, k := range c.kids {
		if !k.repeated() {
			return k
		}
	}
	return c.kids[0]
}

func (c *column) defLevels() ([]int16, error) {
	if c.leaf != nil {
		return c.leaf.GetDefLevels()
	}
	return c.levels().defLevels()
}

func (c *column) repLevels() ([]int16, error) {
	if c.leaf != nil {
		return c.leaf.GetRepLevels()
	}
	return c.levels().repLevels()
}

// build makes an array of at most n slots of what was loaded. The caller releases it.
func (c *column) build(n int64) (arrow.ArrayData, error) {
	if c.leaf != nil {
		return c.buildLeaf(n)
	}
	if _, ok := c.field.Field.Type.(*arrow.StructType); ok {
		return c.buildStruct(n)
	}
	return c.buildList(n)
}

// buildLeaf puts the chunks of a leaf together: one for each dictionary, and for each 2 GiB of text.
func (c *column) buildLeaf(n int64) (arrow.ArrayData, error) {
	chunked, err := c.leaf.BuildArray(n)
	if err != nil {
		return nil, err
	}
	defer chunked.Release()
	a := arrowbuf.NewAppender(chunked.DataType(), c.mem)
	defer a.Release()
	for _, part := range chunked.Chunks() {
		if err := a.Append(part, 0, part.Len()); err != nil {
			return nil, err
		}
	}
	arr := a.Take()
	defer arr.Release()
	arr.Data().Retain()
	return arr.Data(), nil
}

// validity returns an empty bitmap for n slots and where arrow's functions write to it.
func (c *column) validity(n int64) (*memory.Buffer, file.ValidityBitmapInputOutput) {
	b := memory.NewResizableBuffer(c.mem)
	b.Resize(int((n + 7) / 8))
	return b, file.ValidityBitmapInputOutput{ReadUpperBound: n, Read: n, ValidBits: b.Bytes()}
}

func (c *column) buildStruct(n int64) (arrow.ArrayData, error) {
	kids := make([]arrow.ArrayData, 0, len(c.kids))
	defer func() {
		for _, k := range kids {
			k.Release()
		}
	}()
	repeated := c.levels().repeated()
	var bitmap *memory.Buffer
	out := file.ValidityBitmapInputOutput{Read: -1}
	if n > 0 && (repeated || c.field.Field.Nullable) {
		bitmap, out = c.validity(n)
		defer bitmap.Release()
		def, err := c.defLevels()
		if err != nil {
			return nil, err
		}
		if repeated {
			rep, err := c.repLevels()
			if err != nil {
				return nil, err
			}
			if err := file.DefRepLevelsToBitmap(def, rep, c.field.LevelInfo, &out); err != nil {
				return nil, err
			}
		} else {
			file.DefLevelsToBitmap(def, c.field.LevelInfo, &out)
		}
	}
	for _, k := range c.kids {
		d, err := k.build(n)
		if err != nil {
			return nil, err
		}
		kids = append(kids, d)
	}
	if out.Read < 0 {
		out.Read = int64(kids[0].Len())
	}
	bufs := []*memory.Buffer{nil}
	if out.NullCount > 0 {
		bufs[0] = bitmap
	}
	return array.NewData(c.field.Field.Type, int(out.Read), bufs, kids, int(out.NullCount), 0), nil
}

func (c *column) buildList(n int64) (arrow.ArrayData, error) {
	def, err := c.kids[0].defLevels()
	if err != nil {
		return nil, err
	}
	rep, err := c.kids[0].repLevels()
	if err != nil {
		return nil, err
	}
	out := file.ValidityBitmapInputOutput{ReadUpperBound: n}
	var bitmap *memory.Buffer
	if c.field.Field.Nullable {
		bitmap, out = c.validity(n)
		out.Read = 0
		defer bitmap.Release()
	}
	offsets := memory.NewResizableBuffer(c.mem)
	defer offsets.Release()
	offsets.Resize(4 * int(n+1))
	offs := arrow.Int32Traits.CastFromBytes(offsets.Bytes())
	if err := file.DefRepLevelsToListInfo(def, rep, c.field.LevelInfo, &out, offs); err != nil {
		return nil, err
	}
	// Where a list is null, the levels below have a slot that is no item.
	item, err := c.kids[0].build(int64(offs[out.Read]) + out.NullCount)
	if err != nil {
		return nil, err
	}
	defer item.Release()
	offsets.Resize(4 * int(out.Read+1))
	bufs := []*memory.Buffer{nil, offsets}
	if out.NullCount > 0 {
		bufs[0] = bitmap
	}
	if t, ok := c.field.Field.Type.(*arrow.FixedSizeListType); ok {
		return c.fixed(t, bufs[0], offs[:out.Read+1], item, out)
	}
	return array.NewData(c.field.Field.Type, int(out.Read), bufs, []arrow.ArrayData{item}, int(out.NullCount), 0), nil
}

// fixed makes a fixed-size list of a list: all lists must have the size, and null ones, which have no items in Parquet,
// get items.
func (c *column) fixed(t *arrow.FixedSizeListType, bitmap *memory.Buffer, offs []int32, item arrow.ArrayData, out file.ValidityBitmapInputOutput) (arrow.ArrayData, error) {
	items := array.MakeFromData(item)
	defer items.Release()
	filler := array.MakeArrayOfNull(c.mem, t.Elem(), int(t.Len()))
	defer filler.Release()
	a := arrowbuf.NewAppender(t.Elem(), c.mem)
	defer a.Release()
	for i := range int(out.Read) {
		from, to := int(offs[i]), int(offs[i+1])
		src := items
		if from == to && bitmap != nil && bitmap.Bytes()[i/8]>>(i%8)&1 == 0 {
			src, from, to = filler, 0, int(t.Len())
		}
		if to-from != int(t.Len()) {
			return nil, corrupt("a list of %d items where all have %d", to-from, t.Len())
		}
		if err := a.Append(src, from, to); err != nil {
			return nil, err
		}
	}
	all := a.Take()
	defer all.Release()
	return array.NewData(t, int(out.Read), []*memory.Buffer{bitmap}, []arrow.ArrayData{all.Data()}, int(out.NullCount), 0), nil
}
