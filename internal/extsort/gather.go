package extsort

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/workers"
)

// pick is rows to be gathered out of batches.
type pick struct {
	batches []*batch
	refs    []uint64
	used    []int  // batches that have rows in it
	spans   []span // the same rows, where many are neighbours; nil otherwise
	copied  bool   // whole batches may not be handed on as they are
}

// span is rows [from, to) of a batch.
type span struct {
	batch    int
	from, to int64
}

// minSpan is how many rows spans must have on average to be copied as such.
const minSpan = 8

// set prepares p for refs. Its memory is used again.
func (p *pick) set(batches []*batch, refs []uint64) {
	p.batches, p.refs = batches, refs
	p.used, p.spans = p.used[:0], p.spans[:0]
	cuts := 1
	for i := 1; i < len(refs); i++ {
		if refs[i] != refs[i-1]+1 {
			cuts++
		}
	}
	if cuts*minSpan <= len(refs) || cuts == 1 {
		from := 0
		for i := 1; i <= len(refs); i++ {
			if i == len(refs) || refs[i] != refs[i-1]+1 {
				p.spans = append(p.spans, span{refBatch(refs[from]), int64(refRow(refs[from])), int64(refRow(refs[i-1])) + 1})
				from = i
			}
		}
		return
	}
	seen := make([]bool, len(batches))
	for _, r := range refs {
		seen[refBatch(r)] = true
	}
	for b, s := range seen {
		if s {
			p.used = append(p.used, b)
		}
	}
}

// gatherer copies rows of a column. It is used by one goroutine at a time.
type gatherer struct {
	column int
	dt     arrow.DataType
	mem    memory.Allocator
	exact  bool // no slices, which may have more behind them than their rows need
	scatter
	valid [][]byte // scratch: bitmap of each batch and where its bits start
	first []int
	runs  [][2]int64
}

// scatter copies rows that are all over the batches.
type scatter interface {
	gather(g *gatherer, p *pick) (arrow.ArrayData, error)
}

func newGatherer(column int, l *layout, mem memory.Allocator) *gatherer {
	return &gatherer{column: column, dt: l.inner, mem: mem, exact: !l.same(), scatter: newScatter(l.inner)}
}

func newScatter(dt arrow.DataType) scatter {
	switch t := arrowtype.Storage(dt).(type) {
	case *arrow.NullType, *arrow.DictionaryType, arrow.BinaryViewDataType:
		return &anything{}
	case *arrow.BooleanType:
		return bools{}
	case *arrow.StringType, *arrow.BinaryType:
		return &texts[int32]{}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return &texts[int64]{}
	case arrow.NestedType:
		return &anything{}
	case arrow.FixedWidthDataType:
		switch t.Bytes() {
		case 1:
			return &numbers[uint8]{}
		case 2:
			return &numbers[uint16]{}
		case 4:
			return &numbers[uint32]{}
		case 8:
			return &numbers[uint64]{}
		case 16:
			return &numbers[decimal128.Num]{}
		case 32:
			return &numbers[decimal256.Num]{}
		}
	}
	return &anything{}
}

// gatherAll gathers the rows of p of all columns, at offset 0 throughout where they are copied.
func gatherAll(gs []*gatherer, p *pick, parallelism int) ([]arrow.Array, error) {
	if len(p.refs) < 1024 {
		parallelism = 1
	}
	cols := make([]arrow.Array, len(gs))
	err := workers.Each(parallelism, len(gs), func(i int) (err error) {
		cols[i], err = gs[i].take(p)
		return err
	})
	if err != nil {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
		return nil, err
	}
	return cols, nil
}

func (g *gatherer) take(p *pick) (arrow.Array, error) {
	if len(p.spans) > 0 {
		return g.takeSpans(p)
	}
	d, err := g.gather(g, p)
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return array.MakeFromData(d), nil
}

func (g *gatherer) takeSpans(p *pick) (arrow.Array, error) {
	if s := p.spans[0]; len(p.spans) == 1 && !p.copied {
		arr := p.batches[s.batch].cols[g.column]
		if s.from == 0 && int(s.to) == arr.Len() {
			arr.Retain()
			return arr, nil
		}
		if !g.exact {
			return array.NewSlice(arr, s.from, s.to), nil
		}
	}
	a := arrowbuf.NewAppender(g.dt, g.mem)
	defer a.Release()
	a.Reserve(len(p.refs))
	for i := 0; i < len(p.spans); {
		b := p.spans[i].batch
		g.runs = append(g.runs[:0], [2]int64{}) // so that it is never a single one, which might not be copied
		for ; i < len(p.spans) && p.spans[i].batch == b; i++ {
			g.runs = append(g.runs, [2]int64{p.spans[i].from, p.spans[i].to})
		}
		if err := a.AppendRuns(p.batches[b].cols[g.column], g.runs); err != nil {
			return nil, g.located(err)
		}
	}
	return a.Take(), nil
}

func (g *gatherer) located(err error) error {
	if errors.Is(err, arrowbuf.ErrOverflow) {
		return err
	}
	return errs.Errorf(errs.ErrUnsupported, "%w", err)
}

// buffer returns n bytes, the padding zero.
func (g *gatherer) buffer(n int) *memory.Buffer {
	b := memory.NewResizableBuffer(g.mem)
	b.Resize(n)
	clear(b.Buf()[n:])
	return b
}

// data makes an array of buffers, which it releases, the validity gathered.
func (g *gatherer) data(p *pick, buffers ...*memory.Buffer) arrow.ArrayData {
	valid, nulls := g.validity(p)
	all := append([]*memory.Buffer{valid}, buffers...)
	d := array.NewData(g.dt, len(p.refs), all, nil, nulls, 0)
	for _, b := range all {
		if b != nil {
			b.Release()
		}
	}
	return d
}

// validity gathers bitmaps; nil where no row is null.
func (g *gatherer) validity(p *pick) (*memory.Buffer, int) {
	g.valid, g.first = resize(g.valid, len(p.batches)), resize(g.first, len(p.batches))
	any := false
	for _, b := range p.used {
		d := p.batches[b].cols[g.column].Data()
		g.valid[b], g.first[b] = validityOf(d), d.Offset()
		any = any || len(g.valid[b]) > 0
	}
	if !any {
		return nil, 0
	}
	for _, b := range p.used {
		if len(g.valid[b]) == 0 { // so that every row can look a bit up
			g.valid[b] = allSet
		}
	}
	buf := g.buffer((len(p.refs) + 7) / 8)
	nulls := len(p.refs) - g.bits(buf.Bytes(), p)
	clear(g.valid)
	if nulls == 0 {
		buf.Release()
		return nil, 0
	}
	return buf, nulls
}

// allSet stands for the bitmap of a batch without nulls.
var allSet = []byte{0xFF}

// bits gathers bits of g.valid and returns how many are set.
func (g *gatherer) bits(dst []byte, p *pick) int {
	for i := range dst {
		refs := p.refs[8*i : min(8*i+8, len(p.refs))]
		var x byte
		for k, r := range refs {
			bits := g.valid[refBatch(r)]
			at := g.first[refBatch(r)] + refRow(r)
			if len(bits) == 1 { // allSet, or eight rows
				at &= 7
			}
			x |= bits[at>>3] >> (at & 7) & 1 << k
		}
		dst[i] = x
	}
	return bitpack.CountBits(dst, 0, len(p.refs))
}

// bools are one bit a row.
type bools struct{}

func (bools) gather(g *gatherer, p *pick) (arrow.ArrayData, error) {
	g.valid, g.first = resize(g.valid, len(p.batches)), resize(g.first, len(p.batches))
	for _, b := range p.used {
		d := p.batches[b].cols[g.column].Data()
		g.valid[b], g.first[b] = d.Buffers()[1].Bytes(), d.Offset()
	}
	buf := g.buffer((len(p.refs) + 7) / 8)
	g.bits(buf.Bytes(), p)
	return g.data(p, buf), nil
}

// numbers are values of a fixed width.
type numbers[T arrow.FixedWidthType] struct{ values [][]T }

func (c *numbers[T]) gather(g *gatherer, p *pick) (arrow.ArrayData, error) {
	c.values = resize(c.values, len(p.batches))
	for _, b := range p.used {
		c.values[b] = arrow.GetValues[T](p.batches[b].cols[g.column].Data(), 1)
	}
	w := arrowtype.Storage(g.dt).(arrow.FixedWidthDataType).Bytes()
	buf := g.buffer(len(p.refs) * w)
	dst, values := arrow.GetData[T](buf.Bytes()), c.values
	for i, r := range p.refs[:len(dst)] {
		dst[i] = values[refBatch(r)][refRow(r)]
	}
	clear(c.values)
	return g.data(p, buf), nil
}

// texts are values behind offsets.
type texts[O int32 | int64] struct {
	offsets [][]O
	data    [][]byte
}

func (c *texts[O]) gather(g *gatherer, p *pick) (arrow.ArrayData, error) {
	c.offsets, c.data = resize(c.offsets, len(p.batches)), resize(c.data, len(p.batches))
	defer func() {
		clear(c.offsets)
		clear(c.data)
	}()
	for _, b := range p.used {
		d := p.batches[b].cols[g.column].Data()
		c.offsets[b] = arrow.GetOffsets[O](d, 1)
		c.data[b] = nil
		if d.Buffers()[2] != nil {
			c.data[b] = d.Buffers()[2].Bytes()
		}
	}
	var zero O
	w := 8
	if _, is32 := any(zero).(int32); is32 {
		w = 4
	}
	ends := g.buffer((len(p.refs) + 1) * w)
	dst := arrow.GetData[O](ends.Bytes())
	dst[0] = 0
	total := int64(0)
	for i, r := range p.refs {
		o := c.offsets[refBatch(r)][refRow(r):]
		total += int64(o[1] - o[0])
		dst[i+1] = O(total)
	}
	if int64(O(total)) != total {
		ends.Release()
		return nil, arrowbuf.ErrOverflow
	}
	buf := g.buffer(int(total) + textSlack)
	to, at := buf.Bytes(), 0
	for _, r := range p.refs {
		b, row := refBatch(r), refRow(r)
		o := c.offsets[b][row:]
		from, n := int(o[0]), int(o[1]-o[0])
		// What is copied too much is written over by the next value.
		if src := c.data[b]; n <= 16 && from+16 <= len(src) {
			*(*[16]byte)(to[at:]) = *(*[16]byte)(src[from:])
		} else if n <= textSlack && from+textSlack <= len(src) {
			d, s := (*[textSlack]byte)(to[at:]), (*[textSlack]byte)(src[from:])
			*(*[16]byte)(d[:]) = *(*[16]byte)(s[:])
			*(*[16]byte)(d[16:]) = *(*[16]byte)(s[16:])
			*(*[16]byte)(d[32:]) = *(*[16]byte)(s[32:])
		} else {
			copy(to[at:], src[from:from+n])
		}
		at += n
	}
	clear(to[total:])
	buf.ResizeNoShrink(int(total))
	return g.data(p, ends, buf), nil
}

// textSlack is how many bytes are copied at once, whatever the length of a text is.
const textSlack = 48

// anything is arrays of any type, nested ones above all. First the rows of each batch are put together, in few calls with
// many rows, then they are put in order.
type anything struct {
	byBatch [][][2]int64
	next    []int64
}

func (c *anything) gather(g *gatherer, p *pick) (arrow.ArrayData, error) {
	if len(p.used) == 1 {
		g.runs = g.runs[:0]
		for _, r := range p.refs {
			g.runs = append(g.runs, [2]int64{int64(refRow(r)), int64(refRow(r)) + 1})
		}
		return g.copied(p.batches[p.used[0]].cols[g.column], g.runs)
	}
	c.byBatch, c.next = resize(c.byBatch, len(p.batches)), resize(c.next, len(p.batches))
	for _, b := range p.used {
		c.byBatch[b] = append(c.byBatch[b][:0], [2]int64{}) // see takeSpans
	}
	for _, r := range p.refs {
		b, row := refBatch(r), int64(refRow(r))
		runs := c.byBatch[b]
		if last := &runs[len(runs)-1]; last[1] == row && last[0] < row {
			last[1]++
		} else {
			c.byBatch[b] = append(runs, [2]int64{row, row + 1})
		}
	}
	a := arrowbuf.NewAppender(g.dt, g.mem)
	defer a.Release()
	for _, b := range p.used {
		c.next[b] = int64(a.Len())
		if err := a.AppendRuns(p.batches[b].cols[g.column], c.byBatch[b]); err != nil {
			return nil, g.located(err)
		}
	}
	together := a.Take()
	defer together.Release()
	g.runs = g.runs[:0]
	for _, r := range p.refs {
		at := c.next[refBatch(r)]
		c.next[refBatch(r)]++
		if k := len(g.runs); k > 0 && g.runs[k-1][1] == at {
			g.runs[k-1][1]++
		} else {
			g.runs = append(g.runs, [2]int64{at, at + 1})
		}
	}
	return g.copied(together, g.runs)
}

// copied returns runs of arr as an array of their own.
func (g *gatherer) copied(arr arrow.Array, runs [][2]int64) (arrow.ArrayData, error) {
	a := arrowbuf.NewAppender(g.dt, g.mem)
	defer a.Release()
	a.Reserve(len(runs))
	if err := a.AppendRuns(arr, runs); err != nil {
		return nil, g.located(err)
	}
	out := a.Take()
	defer out.Release()
	out.Data().Retain()
	return out.Data(), nil
}
