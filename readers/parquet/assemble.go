package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// tree is a field that is read: the nodes of its wanted fields, and the columns of their leaves.
type tree struct {
	*node
	children []*tree
	column   *column // of a leaf
	short    *column // of the leaf below with the fewest lists around it, whose levels tell about this node
	mem      *arrowbuf.Arena

	valid arrowbuf.Bits
	ends  arrowbuf.Offsets
}

// find sets short, and keeps the levels that are needed.
func (t *tree) find() {
	t.short = t.column
	for i, k := range t.children {
		k.find()
		if i == 0 || k.short.maxRep < t.short.maxRep {
			t.short = k.short
		}
	}
	if t.shape == listShape || t.shape == mapShape || t.shape == structShape && t.field.Nullable {
		t.short.keep = true
	}
}

// build makes an array of what the columns have read. The caller releases it.
func (t *tree) build() (arrow.ArrayData, error) {
	switch t.shape {
	case leafShape:
		return t.column.take()
	case structShape:
		return t.buildStruct()
	}
	return t.buildList()
}

func (t *tree) buildStruct() (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(t.children))
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	var bitmap *memory.Buffer
	slots, nulls := -1, 0
	if t.field.Nullable {
		var set int
		slots, set = t.validity()
		nulls = slots - set
		if nulls > 0 {
			bitmap = t.valid.Take()
			defer bitmap.Release()
		}
		t.valid.Release()
	}
	for _, k := range t.children {
		d, err := k.build()
		if err != nil {
			return nil, err
		}
		children = append(children, d)
		if slots < 0 {
			slots = d.Len()
		}
		if d.Len() != slots {
			return nil, corrupt("field %q has %d values in %d structs", k.field.Name, d.Len(), slots)
		}
	}
	return array.NewData(t.field.Type, slots, []*memory.Buffer{bitmap}, children, nulls, 0), nil
}

// validity fills the bitmap of a node and returns the numbers of slots and of those that are not null.
func (t *tree) validity() (slots, set int) {
	defs, reps := t.short.batchDefs, t.short.batchReps
	if len(reps) == 0 {
		return t.validityOfRows(defs)
	}
	const at = 64
	var chunk [at]uint8
	for i := 0; i < len(defs); {
		n := 0
		for ; i < len(defs) && n < at; i++ {
			chunk[n] = defs[i]
			if reps[i] <= t.rep && defs[i] >= t.anc {
				n++
			}
		}
		k, s := t.validityOfRows(chunk[:n])
		slots, set = slots+k, set+s
	}
	return slots, set
}

// validityOfRows appends a bit for each of the levels, which are all of slots.
func (t *tree) validityOfRows(defs []uint8) (slots, set int) {
	if len(defs) == 0 {
		return 0, 0
	}
	b, off := t.valid.Grow(len(defs))
	for i, d := range defs {
		bit := byte(0)
		if d >= t.def {
			bit = 1
		}
		set += int(bit)
		at := off + i
		if at&7 == 0 {
			b[at>>3] = bit
		} else {
			b[at>>3] = b[at>>3]&(1<<(at&7)-1) | bit<<(at&7)
		}
	}
	return len(defs), set
}

// below returns 1 if a is less than b, else 0.
func below(a, b uint8) int { return int((uint64(a) - uint64(b)) >> 63) }

// offsets fills the offsets of a list, and its bitmap where it can be null or has a fixed size: then the bitmap tells which
// lists are there, and nulls counts the others. Which entry is what is not predictable, so
// that nothing depends on it but sums.
func (t *tree) offsets() (slots, nulls int, items int64) {
	defs, reps := t.short.batchDefs, t.short.batchReps
	reps = reps[:len(defs)]
	rep, anc, def := t.rep+1, t.anc, t.def
	for i, d := range defs {
		slots += below(reps[i], rep) &^ below(d, anc)
	}
	_, ends := t.ends.Grow(slots, slots)
	slot, count := 0, 0
	if !t.field.Nullable && t.field.Type.ID() != arrow.FIXED_SIZE_LIST {
		for i, d := range defs {
			r := reps[i]
			slot += below(r, rep) &^ below(d, anc)
			count += below(r, rep+1) & below(def, d)
			ends[slot] = int32(count)
		}
		ends[0] = 0
		return slots, 0, int64(count)
	}
	bits, _ := t.valid.Grow(slots + 1) // a bit more, in front, for entries of no slot
	clear(bits)
	for i, d := range defs {
		r := reps[i]
		slot += below(r, rep) &^ below(d, anc)
		count += below(r, rep+1) & below(def, d)
		ends[slot] = int32(count)
		bits[slot>>3] |= byte((1 ^ below(d, def)) << (slot & 7))
	}
	ends[0] = 0
	nulls = slots - bitpack.CountBits(bits, 1, slots)
	t.valid.Keep(slots+1, &arrowbuf.Kept{Runs: [][2]int{{1, slots + 1}}, N: slots})
	return slots, nulls, int64(count)
}

func (t *tree) buildList() (arrow.ArrayData, error) {
	slots, nulls, items := t.offsets()
	offsets := t.ends.Take()
	defer offsets.Release()
	var bitmap *memory.Buffer
	if nulls > 0 {
		bitmap = t.valid.Take()
		defer bitmap.Release()
	}
	t.valid.Release()
	item, err := t.children[0].build()
	if err != nil {
		return nil, err
	}
	defer item.Release()
	if int64(item.Len()) != items {
		return nil, corrupt("lists of %d items have %d", items, item.Len())
	}
	switch ft := t.field.Type.(type) {
	case *arrow.FixedSizeListType:
		return t.fixed(ft, bitmap, arrow.Int32Traits.CastFromBytes(offsets.Bytes())[:slots+1], item, nulls)
	case *arrow.LargeListType:
		long := longOffsets(offsets, slots, t.mem)
		defer long.Release()
		return array.NewData(ft, slots, []*memory.Buffer{bitmap, long}, []arrow.ArrayData{item}, nulls, 0), nil
	case *arrow.MapType:
		if keys := item.Children()[0]; keys.NullN() > 0 {
			return nil, corrupt("%d keys of a map are null", keys.NullN())
		}
	}
	return array.NewData(t.field.Type, slots, []*memory.Buffer{bitmap, offsets}, []arrow.ArrayData{item}, nulls, 0), nil
}

// fixed makes a fixed-size list of a list. All lists that are there must have the size; the others, null ones and those below
// nulls, have no items in Parquet and get some. there = nil: all are.
func (t *tree) fixed(ft *arrow.FixedSizeListType, there *memory.Buffer, offs []int32, item arrow.ArrayData, nulls int) (arrow.ArrayData, error) {
	slots, size := len(offs)-1, int(ft.Len())
	missing := func(i int) bool { return there != nil && there.Bytes()[i/8]>>(i%8)&1 == 0 }
	bitmap := there
	if !t.field.Nullable {
		bitmap, nulls = nil, 0
	}
	for i := range slots {
		if n := int(offs[i+1] - offs[i]); n != size && (n != 0 || !missing(i)) {
			return nil, corrupt("a list of %d items where all have %d", n, size)
		}
	}
	if item.Len() == slots*size {
		return array.NewData(ft, slots, []*memory.Buffer{bitmap}, []arrow.ArrayData{item}, nulls, 0), nil
	}
	items := array.MakeFromData(item)
	defer items.Release()
	filler := items // of lists that are not there, whose items may be any
	if items.Len() < size {
		b := array.NewBuilder(t.mem.Allocator, ft.Elem())
		defer b.Release()
		b.AppendNulls(size)
		filler = b.NewArray()
		defer filler.Release()
	}
	a := arrowbuf.NewAppender(ft.Elem(), t.mem.Allocator)
	defer a.Release()
	for i := 0; i < slots; {
		if missing(i) {
			if err := a.Append(filler, 0, size); err != nil {
				return nil, err
			}
			i++
			continue
		}
		j := i + 1
		for ; j < slots && !missing(j); j++ {
		}
		if err := a.Append(items, int(offs[i]), int(offs[j])); err != nil {
			return nil, err
		}
		i = j
	}
	all := a.Take()
	defer all.Release()
	return array.NewData(ft, slots, []*memory.Buffer{bitmap}, []arrow.ArrayData{all.Data()}, nulls, 0), nil
}

func (t *tree) release() {
	t.valid.Release()
	t.ends.Release()
	if t.column != nil {
		t.column.release()
	}
	for _, k := range t.children {
		k.release()
	}
}
