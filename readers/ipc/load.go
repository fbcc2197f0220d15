package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// cursor walks the field nodes and buffers of a batch in the order in which the fields have them: depth first, the
// parent's before the children's.
type cursor struct {
	b                        *arrowipc.Batch
	nodes, buffers, variadic int
}

// field takes the next field node.
func (c *cursor) field() (n, nulls int64, err error) {
	if c.nodes >= c.b.NumNodes() {
		return 0, 0, corrupt("%d field nodes are too few for the schema", c.b.NumNodes())
	}
	n, nulls = c.b.Node(c.nodes)
	c.nodes++
	if n < 0 || nulls < 0 || nulls > n {
		return 0, 0, corrupt("field node %d has %d slots, %d of them null", c.nodes-1, n, nulls)
	}
	return n, nulls, nil
}

// take takes the next k buffers and returns the number of the first.
func (c *cursor) take(k int) (int, error) {
	if k > c.b.NumBuffers()-c.buffers {
		return 0, corrupt("%d buffers are too few for the schema", c.b.NumBuffers())
	}
	c.buffers += k
	return c.buffers - k, nil
}

// numBuffers returns how many buffers a field has, children apart, and whether the first is a validity bitmap.
func (c *cursor) numBuffers(field *arrowipc.Node) (n int, validity bool, err error) {
	if field.Empty {
		return 1, true, nil
	}
	switch dt := arrowtype.Storage(field.Type).(type) {
	case *arrow.NullType, *arrow.RunEndEncodedType:
		return 0, false, nil
	case *arrow.StructType, *arrow.FixedSizeListType:
		return 1, true, nil
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType,
		*arrow.ListViewType, *arrow.LargeListViewType:
		return 3, true, nil
	case arrow.BinaryViewDataType:
		if c.variadic >= c.b.NumVariadic() {
			return 0, false, corrupt("%d variadic counts are too few for the schema", c.b.NumVariadic())
		}
		k := c.b.Variadic(c.variadic)
		if k < 0 || k > int64(c.b.NumBuffers()) {
			return 0, false, corrupt("%d variadic buffers in a batch of %d", k, c.b.NumBuffers())
		}
		c.variadic++
		return 2 + int(k), true, nil
	case arrow.UnionType:
		n := 1
		if dt.Mode() == arrow.DenseMode {
			n++
		}
		if c.b.Version < arrowipc.V5 {
			n++ // V4 had a validity bitmap here
		}
		return n, c.b.Version < arrowipc.V5, nil
	}
	return 2, true, nil
}

// skip passes over a field that is not read.
func (c *cursor) skip(n *arrowipc.Node) error {
	if _, _, err := c.field(); err != nil {
		return err
	}
	k, _, err := c.numBuffers(n)
	if err != nil {
		return err
	}
	if _, err := c.take(k); err != nil {
		return err
	}
	for _, child := range n.Children {
		if err := c.skip(child); err != nil {
			return err
		}
	}
	return nil
}

// layout is where the fields of a batch have their nodes and buffers.
type layout struct {
	from []cursor // of each top-level field
	to   []int    // end of its buffers
}

// layOut walks all of a batch and checks that the schema uses up exactly what it has.
func layOut(b *arrowipc.Batch, cols []*arrowipc.Node) (layout, error) {
	l := layout{from: make([]cursor, len(cols)), to: make([]int, len(cols))}
	c := cursor{b: b}
	for i, n := range cols {
		l.from[i] = c
		if c.nodes < b.NumNodes() {
			if rows, _ := b.Node(c.nodes); rows != b.Rows {
				return l, corrupt("a field of %d slots in a batch of %d rows", rows, b.Rows)
			}
		}
		if err := c.skip(n); err != nil {
			return l, err
		}
		l.to[i] = c.buffers
	}
	if c.nodes != b.NumNodes() || c.buffers != b.NumBuffers() {
		return l, corrupt("%d field nodes and %d buffers are too many for the schema", b.NumNodes(), b.NumBuffers())
	}
	return l, nil
}

// loader makes arrays of the buffers of one batch.
type loader struct {
	cursor
	body   *body
	dicts  dictionaries
	limits arrowio.Limits
}

// load returns the data of a field, not yet checked against its type. The caller releases it.
func (l *loader) load(n *arrowipc.Node) (*array.Data, error) {
	length, nulls, err := l.field()
	if err != nil {
		return nil, err
	}
	if err := l.bounded(n, length); err != nil {
		return nil, err
	}
	bufs, err := l.loadBuffers(n, length, &nulls)
	defer func() {
		for _, b := range bufs {
			if b != nil {
				b.Release()
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	if n.Stored > 0 {
		wide, err := l.widen(bufs[1], length, n.Stored)
		if err != nil {
			return nil, err
		}
		bufs[1].Release()
		bufs[1] = wide
	}
	if n.Empty {
		offsets, err := l.emptyLists(length)
		if err != nil {
			return nil, err
		}
		bufs = append(bufs, offsets)
	}
	if n.Dict != nil {
		dict, err := l.dicts.get(n.ID)
		if err != nil {
			return nil, err
		}
		return array.NewDataWithDictionary(n.Type, int(length), bufs, int(nulls), 0, dict), nil
	}
	children := make([]arrow.ArrayData, 0, len(n.Children))
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	for _, child := range n.Children {
		d, err := l.load(child)
		if err != nil {
			return nil, err
		}
		children = append(children, d)
	}
	return array.NewData(n.Type, int(length), bufs, children, int(nulls), 0), nil
}

// bounded refuses lengths that no bytes stand for: a loop over them would take as long as they claim.
func (l *loader) bounded(n *arrowipc.Node, length int64) error {
	free := n.Empty
	switch dt := arrowtype.Storage(n.Type).(type) {
	case *arrow.NullType, *arrow.RunEndEncodedType:
		free = true
	case *arrow.FixedSizeBinaryType:
		free = dt.ByteWidth == 0
	case *arrow.StructType:
		free = dt.NumFields() == 0
	}
	if free && length > l.limits.BatchElements {
		return errs.Errorf(errs.ErrLimit, "%d slots of type %s (Limits.BatchElements)", length, n.Type)
	}
	return nil
}

// emptyLists returns the offsets of so many lists without items. The caller releases them.
func (l *loader) emptyLists(length int64) (*memory.Buffer, error) {
	const width = 4
	if length >= l.body.left/width {
		return nil, errs.Errorf(errs.ErrLimit, "a batch of more than Limits.BatchBytes, with the offsets of %d empty lists", length)
	}
	size := width * (length + 1)
	l.body.left -= size
	offsets := memory.NewResizableBuffer(l.body.mem)
	offsets.Resize(int(size))
	clear(offsets.Bytes())
	return offsets, nil
}

// loadBuffers returns the buffers of a field as arrow's arrays want them: a place for the validity bitmap in front even
// where the format has none. On error too, the caller releases what is there.
func (l *loader) loadBuffers(n *arrowipc.Node, length int64, nulls *int64) ([]*memory.Buffer, error) {
	dt := arrowtype.Storage(n.Type)
	k, validity, err := l.numBuffers(n)
	if err != nil {
		return nil, err
	}
	first, err := l.take(k)
	if err != nil {
		return nil, err
	}
	bufs := make([]*memory.Buffer, 1, 1+k)
	if dt.ID() == arrow.NULL {
		*nulls = length
		return bufs, nil
	}
	if validity {
		if _, ok := dt.(arrow.UnionType); ok && *nulls > 0 {
			return bufs, errs.Errorf(errs.ErrUnsupported, "a union with null slots, from before Arrow 1.0")
		}
		if *nulls > 0 {
			if bufs[0], err = l.buffer(first); err != nil {
				return bufs, err
			}
		}
		first, k = first+1, k-1
	}
	for i := first; i < first+k; i++ {
		b, err := l.buffer(i)
		if err != nil {
			return bufs, err
		}
		bufs = append(bufs, b)
	}
	return bufs, nil
}

// buffer returns buffer i; one without bytes is empty, not nil.
func (l *loader) buffer(i int) (*memory.Buffer, error) {
	off, n := l.b.Buffer(i)
	switch {
	case n == 0:
		return memory.NewBufferBytes(nil), nil
	case l.b.Codec == arrowipc.None:
		return l.body.view(off, n)
	default:
		return l.body.inflate(off, n, l.b.Codec)
	}
}
