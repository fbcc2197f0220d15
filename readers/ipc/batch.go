package ipc

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// batches decodes the batches of one scan of one split. It is used by one goroutine at a time.
type batches struct {
	src    arrowio.Source
	schema *arrowipc.Schema
	limits arrowio.Limits
	proj   arrowio.Projection
	cols   []int
	ids    map[int64]bool // dictionaries that the projected columns need
	mem    memory.Allocator
	dicts  dictionaries
	check  arrowcheck.Checker

	// Of a Decoder, which has no src: the body of the message at hand, and what its dictionary is counted as, at least.
	whole   []byte
	charge  int64
	recycle memory.Allocator // is given the bodies; nil = they are garbage
}

func newBatches(src arrowio.Source, s *arrowipc.Schema, limits arrowio.Limits, p arrowio.Projection, mem memory.Allocator) *batches {
	b := &batches{src: src, schema: s, limits: limits, proj: p, cols: p.Columns(), ids: map[int64]bool{}, mem: mem, dicts: newDictionaries(mem)}
	b.check.Checked = b.dicts.checked
	for _, i := range b.cols {
		b.need(s.Columns[i])
	}
	return b
}

func (r *batches) need(n *arrowipc.Node) {
	if n.Dict != nil {
		r.ids[n.ID] = true
		r.need(n.Dict)
	}
	for _, k := range n.Children {
		r.need(k)
	}
}

func (r *batches) release() { r.dicts.release() }

// pending is a batch whose bytes were read.
type pending struct {
	batch  arrowipc.Batch
	layout layout
	body   body
}

// nearGap: what lies this close is read together; asking twice costs more.
const nearGap = 64 << 10

// fetch reads the parts of the body at off that columns cols of a batch need.
func (r *batches) fetch(ctx context.Context, b arrowipc.Batch, cols []*arrowipc.Node, want []int, off, limit int64) (*pending, error) {
	l, err := layOut(&b, cols)
	if err != nil {
		return nil, err
	}
	p := &pending{batch: b, layout: l, body: body{left: limit, mem: r.mem}}
	if r.src == nil {
		p.body.segs = []segment{{buf: memory.NewBufferWithAllocator(r.whole, r.recycle)}}
		return p, nil
	}
	var total int64
	for _, s := range wanted(&b, l, want) {
		if total += s.Len; total > limit {
			p.body.release()
			return nil, errs.Errorf(errs.ErrLimit, "a batch of more than %d bytes (Limits.BatchBytes, Limits.DictionaryBytes)", limit)
		}
		buf := memory.NewResizableBuffer(r.mem)
		p.body.segs = append(p.body.segs, segment{off: s.Off, buf: buf})
		buf.Resize(int(s.Len))
		if err := readAt(ctx, r.src, buf.Bytes(), off+s.Off); err != nil {
			p.body.release()
			return nil, err
		}
	}
	return p, nil
}

// wanted returns the parts of the body that hold the buffers of columns want, in order, neighbours joined. They start
// at multiples of 64, so that what is aligned in the file is aligned in memory.
func wanted(b *arrowipc.Batch, l layout, want []int) []arrowio.ByteRange {
	var rs []arrowio.ByteRange
	for _, i := range want {
		for j := l.from[i].buffers; j < l.to[i]; j++ {
			if off, n := b.Buffer(j); n > 0 {
				start := off &^ 63
				rs = append(rs, arrowio.ByteRange{Off: start, Len: off + n - start})
			}
		}
	}
	slices.SortFunc(rs, func(a, b arrowio.ByteRange) int {
		switch {
		case a.Off < b.Off:
			return -1
		case a.Off > b.Off:
			return 1
		}
		return 0
	})
	out := rs[:0]
	for _, r := range rs {
		if k := len(out) - 1; k >= 0 && r.Off <= out[k].End()+nearGap {
			out[k].Len = max(out[k].End(), r.End()) - out[k].Off
			continue
		}
		out = append(out, r)
	}
	return out
}

const readPiece = 16 << 20 // so that cancellation is noticed

// readAt fills dst from off. The caller has checked the range against the size of src.
func readAt(ctx context.Context, src arrowio.Source, dst []byte, off int64) error {
	for len(dst) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := min(len(dst), readPiece)
		n, err := src.ReadAt(dst[:k], off)
		if n < k {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		dst, off = dst[k:], off+int64(k)
	}
	return nil
}

// columns returns the arrays of columns want. The caller releases them.
func (r *batches) columns(p *pending, cols []*arrowipc.Node, want []int) ([]arrow.Array, error) {
	out := make([]arrow.Array, 0, len(want))
	left := r.limits.BatchBytes
	fail := func(err error) ([]arrow.Array, error) {
		for _, a := range out {
			a.Release()
		}
		return nil, err
	}
	for _, i := range want {
		l := loader{cursor: p.layout.from[i], body: &p.body, dicts: r.dicts, limits: r.limits}
		l.cursor.b = &p.batch
		d, err := l.load(cols[i])
		if err != nil {
			return fail(r.locate(err, cols, i))
		}
		if err := r.check.Data(d); err != nil {
			d.Release()
			return fail(r.locate(err, cols, i))
		}
		if r.src == nil {
			if left -= writtenOut(d); left < 0 {
				d.Release()
				err := errs.Errorf(errs.ErrLimit, "a batch whose values, each written out where it is used, take more than %d bytes (Limits.BatchBytes)", r.limits.BatchBytes)
				return fail(r.locate(err, cols, i))
			}
		}
		out = append(out, array.MakeFromData(d))
		d.Release()
	}
	return out, nil
}

// locate adds the column's name where cols are the columns of the schema.
func (r *batches) locate(err error, cols []*arrowipc.Node, i int) error {
	if len(cols) != len(r.schema.Columns) || &cols[0] != &r.schema.Columns[0] {
		return err
	}
	name := r.schema.Arrow.Field(i).Name
	var e *errs.Error
	if errors.As(err, &e) && e.Column != "" {
		c := *e
		c.Column = name + "." + e.Column
		return &c
	}
	return errs.Locate(err, errs.At{Column: name})
}

// record decodes a fetched batch and frees what was fetched. The caller releases the record.
func (r *batches) record(p *pending) (arrow.Record, error) {
	defer p.body.release()
	cols, err := r.columns(p, r.schema.Columns, r.cols)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	return recordsplit.Record(r.proj, cols, p.batch.Rows)
}

// dictionary reads a dictionary message whose body is at off. final says that replacing is not allowed.
func (r *batches) dictionary(ctx context.Context, m arrowipc.Message, off int64, final bool) error {
	id, delta, b, err := m.Dictionary()
	if err != nil {
		return err
	}
	values := r.schema.Dictionaries[id]
	switch {
	case values == nil:
		return corrupt("dictionary %d is not in the schema", id)
	case !r.ids[id]:
		return nil
	case final && !delta && r.dicts.byID[id] != nil:
		return corrupt("dictionary %d comes twice in a file", id)
	}
	cols, want := []*arrowipc.Node{values}, []int{0}
	limit := min(r.limits.DictionaryBytes, r.limits.BatchBytes)
	p, err := r.fetch(ctx, b, cols, want, off, limit)
	if err != nil {
		return err
	}
	defer p.body.release()
	arrs, err := r.columns(p, cols, want)
	if err != nil {
		return err
	}
	return r.dicts.add(id, arrs[0], max(arrowbuf.Size(arrs[0]), r.charge), delta, limit)
}
