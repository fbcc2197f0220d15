package kudu

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// checkCell tests that a cell is as long as its type is wide.
func checkCell(c *kuduwire.Column, value []byte) error {
	switch w := c.Type.Width(); {
	case c.Array:
		return errs.Errorf(errs.ErrUnsupported, "a changed or default value of an array column")
	case w > 0 && len(value) != w:
		return errs.Errorf(errs.ErrCorrupt, "a cell of %d bytes for type %v", len(value), c.Type)
	}
	return nil
}

// widen copies a little-endian cell to a slot of an array, which may be wider: decimals are sign-extended.
func widen(dst, cell []byte) {
	n := copy(dst, cell)
	if n < len(dst) {
		fill := byte(0)
		if n > 0 && cell[n-1]&0x80 != 0 {
			fill = 0xff
		}
		for i := n; i < len(dst); i++ {
			dst[i] = fill
		}
	}
}

// cells builds an array of n cells, which get says one by one.
func buildCells(c *column, n int, mem *arrowbuf.Arena, b *budget.Batch, get func(i int) (value []byte, null bool)) (arrow.ArrayData, error) {
	valid := arrowbuf.NewBits(mem)
	bits, _ := valid.Grow(n)
	bitpack.FillBits(bits, 0, n, true)
	nulls := 0
	var buffers []*memory.Buffer
	var err error
	each := func(do func(i int, value []byte)) {
		for i := range n {
			value, null := get(i)
			if null {
				bits[i>>3] &^= 1 << (i & 7)
				nulls++
				continue
			}
			if err == nil {
				if err = checkCell(c.kudu, value); err == nil {
					do(i, value)
				}
			}
		}
	}
	switch w := slotBytes(c.field.Type); {
	case c.field.Type.ID() == arrow.BOOL:
		v := arrowbuf.NewBits(mem)
		dst, _ := v.Grow(n)
		bitpack.FillBits(dst, 0, n, false)
		each(func(i int, value []byte) { dst[i>>3] |= value[0] & 1 << (i & 7) })
		buffers = append(buffers, v.Take())
	case w > 0:
		v := arrowbuf.NewVec[uint8](mem)
		if err = b.Take(int64(n) * int64(w)); err == nil {
			dst := v.Grow(n * w)
			clear(dst)
			each(func(i int, value []byte) { widen(dst[i*w:(i+1)*w], value) })
		}
		buffers = append(buffers, v.Take())
	default:
		offsets, data := arrowbuf.NewVec[int32](mem), arrowbuf.NewVec[uint8](mem)
		ends := offsets.Grow(n + 1)
		clear(ends)
		data.Grow(0)
		each(func(i int, value []byte) {
			if err = b.Take(int64(len(value))); err == nil && int64(data.Len())+int64(len(value)) > math.MaxInt32 {
				err = errText
			}
			if err == nil {
				copy(data.Grow(len(value)), value)
				ends[i+1] = int32(data.Len())
			}
		})
		for i := range n {
			ends[i+1] = max(ends[i+1], ends[i])
		}
		if err == nil && c.field.Type.ID() == arrow.STRING && bitpack.FirstNotUTF8(ends, data.Values()) >= 0 {
			err = errNotText
		}
		buffers = append(buffers, offsets.Take(), data.Take())
	}
	var validity *memory.Buffer
	if nulls > 0 {
		validity = valid.Take()
	} else {
		valid.Release()
	}
	if err == nil && nulls > 0 && !c.field.Nullable {
		err = errs.Errorf(errs.ErrCorrupt, "a null in a column that has none")
	}
	d := array.NewData(c.field.Type, n, append([]*memory.Buffer{validity}, buffers...), nil, nulls, 0)
	for _, buf := range append(buffers, validity) {
		if buf != nil {
			buf.Release()
		}
	}
	if err != nil {
		d.Release()
		return nil, errs.Locate(err, errs.At{Format: Name, Column: c.kudu.Name})
	}
	return d, nil
}

var (
	errText    = errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of strings: take fewer rows in a batch")
	errNull    = errs.Errorf(errs.ErrCorrupt, "a cell is changed to null, in a column that has none")
	errNotText = errs.Errorf(errs.ErrCorrupt, "%w: %w shows its bytes", cfile.ErrNotText, errs.Opt("kudu-strings", "binary"))
)

// slotBytes returns the bytes of a slot of a fixed-width type, 0 for others.
func slotBytes(t arrow.DataType) int {
	if f, ok := t.(arrow.FixedWidthDataType); ok && t.ID() != arrow.BOOL {
		return f.BitWidth() / 8
	}
	return 0
}

// constant stands in for a column that a rowset has not: it was added later, and has a default or is null.
type constant struct {
	column *column
	mem    *arrowbuf.Arena
	budget *budget.Batch
	value  []byte
	null   bool
	row    int64
	n      int
}

// newConstant returns the stand-in for a column; lost says that the rowset has it, but it cannot be read.
func newConstant(c *column, mem *arrowbuf.Arena, b *budget.Batch, lost bool) (stored, error) {
	k := &constant{column: c, mem: mem, budget: b, value: c.kudu.ReadDefault, null: c.kudu.ReadDefault == nil || lost}
	switch {
	case k.null && !c.field.Nullable:
		return nil, errs.Errorf(errs.ErrCorrupt, "the rowset has no column %s, which has neither nulls nor a default", c.kudu.Name)
	case k.null:
		return k, nil
	}
	return k, checkCell(c.kudu, k.value)
}

func (k *constant) Row() int64   { return k.row }
func (k *constant) Skip(n int64) { k.row += n }

func (k *constant) Read(n int) error {
	k.row += int64(n)
	k.n += n
	return k.budget.Take(int64(n) * 4)
}

// Take makes the array. Its errors are those that newConstant has ruled out, and that of a batch that is too large.
func (k *constant) Take() arrow.ArrayData {
	if k.column.kudu.Array {
		a := array.MakeArrayOfNull(arrowbuf.Clean(k.mem), k.column.field.Type, k.n)
		defer a.Release()
		k.n = 0
		a.Data().Retain()
		return a.Data()
	}
	d, err := buildCells(k.column, k.n, k.mem, k.budget, func(int) ([]byte, bool) { return k.value, k.null })
	k.n = 0
	k.column.failed = err
	return d
}

func (k *constant) Release() { k.n = 0 }

// patch puts the updates of a batch into the array that was stored, and returns it or another. It takes over d.
func (c *column) patch(d arrow.ArrayData, runs []run, mem memory.Allocator) (arrow.ArrayData, error) {
	hits := c.hits(runs)
	if len(hits) == 0 {
		return d, nil
	}
	if err := c.checkHits(hits); err != nil {
		d.Release()
		return nil, errs.Locate(err, errs.At{Format: Name, Column: c.kudu.Name})
	}
	p := patcher{column: c, old: d, hits: hits, mem: &arrowbuf.Arena{Allocator: mem}}
	defer d.Release()
	return p.patch()
}

// checkHits tests that the updates fit the column. To salvage, those that do not are null: they have been told.
func (c *column) checkHits(hits []hit) error {
	text := c.field.Type.ID() == arrow.STRING
	for i, h := range hits {
		if h.cell.size < 0 {
			if !c.field.Nullable {
				return errNull
			}
			continue
		}
		value := c.updates.value(h.cell)
		err := checkCell(c.kudu, value)
		if err == nil && text {
			err = checkText(value)
		}
		switch {
		case err == nil:
		case c.salvage:
			hits[i].cell.size = -1
		default:
			return err
		}
	}
	return nil
}

// checkText tests that a string is UTF-8.
func checkText(value []byte) error {
	if bitpack.FirstNotUTF8([]int32{0, int32(len(value))}, value) >= 0 {
		return errNotText
	}
	return nil
}

// hit is an update and the row of the batch that it is for.
type hit struct {
	at   int
	cell update
}

// hits returns the updates of a batch's rows.
func (c *column) hits(runs []run) []hit {
	var out []hit
	cells := c.updates.cells
	for _, r := range runs {
		first := int32(r.row - c.first)
		for c.next < len(cells) && cells[c.next].row < first {
			c.next++
		}
		for ; c.next < len(cells) && cells[c.next].row < first+int32(r.n); c.next++ {
			out = append(out, hit{at: r.batch + int(cells[c.next].row-first), cell: cells[c.next]})
		}
	}
	return out
}

// patcher changes cells of an array.
type patcher struct {
	column *column
	old    arrow.ArrayData
	hits   []hit
	mem    *arrowbuf.Arena
}

func (p *patcher) patch() (arrow.ArrayData, error) {
	validity, nulls := p.validity()
	var buffers []*memory.Buffer
	var err error
	old := p.old.Buffers()
	switch w := slotBytes(p.column.field.Type); {
	case p.column.field.Type.ID() == arrow.BOOL:
		b := old[1].Buf()
		for _, h := range p.hits {
			b[h.at>>3] &^= 1 << (h.at & 7)
			if h.cell.size > 0 {
				b[h.at>>3] |= p.column.updates.value(h.cell)[0] & 1 << (h.at & 7)
			}
		}
		old[1].Retain()
		buffers = []*memory.Buffer{old[1]}
	case w > 0: // the column has just handed the buffer over, so nothing else uses it
		b := old[1].Buf()
		for _, h := range p.hits {
			dst := b[h.at*w : (h.at+1)*w]
			if h.cell.size < 0 {
				clear(dst)
			} else {
				widen(dst, p.column.updates.value(h.cell))
			}
		}
		old[1].Retain()
		buffers = []*memory.Buffer{old[1]}
	default:
		buffers, err = p.strings(old)
	}
	if err != nil {
		if validity != nil {
			validity.Release()
		}
		return nil, err
	}
	d := array.NewData(p.old.DataType(), p.old.Len(), append([]*memory.Buffer{validity}, buffers...), nil, nulls, 0)
	for _, b := range append(buffers, validity) {
		if b != nil {
			b.Release()
		}
	}
	return d, nil
}

// validity returns the new validity, nil if nothing is null, and the number of nulls.
func (p *patcher) validity() (*memory.Buffer, int) {
	n := p.old.Len()
	v := arrowbuf.NewBits(p.mem)
	if b := p.old.Buffers()[0]; b != nil {
		v.Append(b.Bytes(), 0, n)
	} else {
		v.Fill(n, true)
	}
	bits := v.Bytes()
	for _, h := range p.hits {
		if h.cell.size < 0 {
			bits[h.at>>3] &^= 1 << (h.at & 7)
		} else {
			bits[h.at>>3] |= 1 << (h.at & 7)
		}
	}
	nulls := n - bitpack.CountBits(bits, 0, n)
	if nulls == 0 {
		v.Release()
		return nil, 0
	}
	return v.Take(), nulls
}

// strings copies the strings between the hits, and the hits.
func (p *patcher) strings(old []*memory.Buffer) ([]*memory.Buffer, error) {
	n := p.old.Len()
	from := arrow.Int32Traits.CastFromBytes(old[1].Bytes())[:n+1]
	var data []byte
	if old[2] != nil { // nil = no string has any bytes
		data = old[2].Bytes()
	}
	total := int64(from[n])
	for _, h := range p.hits {
		total += int64(max(0, h.cell.size)) - int64(from[h.at+1]-from[h.at])
	}
	if total > math.MaxInt32 {
		return nil, errText
	}
	offsets, bytes := arrowbuf.NewVec[int32](p.mem), arrowbuf.NewVec[uint8](p.mem)
	ends, dst := offsets.Grow(n+1), bytes.Grow(int(total))
	at, row := int32(0), 0
	upTo := func(end int) { // rows that stay
		shift := at - from[row]
		at += int32(copy(dst[at:], data[from[row]:from[end]]))
		for ; row < end; row++ {
			ends[row] = from[row] + shift
		}
	}
	for _, h := range p.hits {
		upTo(h.at)
		ends[row] = at
		if h.cell.size > 0 {
			at += int32(copy(dst[at:], p.column.updates.value(h.cell)))
		}
		row++
	}
	upTo(n)
	ends[n] = at
	return []*memory.Buffer{offsets.Take(), bytes.Take()}, nil
}
