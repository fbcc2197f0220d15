package arrowcheck

import (
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
)

func list[O int32 | int64](a *slots, elem arrow.DataType) error {
	if err := a.buffers(2); err != nil {
		return err
	}
	c, err := a.child(0, elem)
	if err != nil {
		return at(err, "item")
	}
	_, _, _, err = offsets[O](a, c.Len())
	return err
}

// mapping checks a map: a list of structs of two fields, of which neither the struct nor the key is ever null.
func (a *slots) mapping(dt *arrow.MapType) error {
	if err := list[int32](a, dt.Elem()); err != nil {
		return err
	}
	entries := a.d.Children()[0]
	if nulls(entries) != 0 {
		return corrupt("null entries in a map")
	}
	if children := entries.Children(); len(children) != 2 || nulls(children[0]) != 0 {
		return corrupt("null keys in a map")
	}
	return nil
}

func listView[O int32 | int64](a *slots, elem arrow.DataType) error {
	if err := a.buffers(3); err != nil {
		return err
	}
	c, err := a.child(0, elem)
	if err != nil {
		return at(err, "item")
	}
	var z O
	offs, sizes := a.buffer(1), a.buffer(2)
	if have := min(len(offs), len(sizes)) / int(unsafe.Sizeof(z)); have < a.end && a.n > 0 {
		return corrupt("%d offsets and sizes for %d slots", have, a.end)
	}
	for i := a.off; i < a.end; i++ {
		// Null slots too: arrow's own code looks at them.
		o, n := load[O](offs, i), load[O](sizes, i)
		if o < 0 || n < 0 || int64(o) > int64(c.Len()) || int64(n) > int64(c.Len())-int64(o) {
			return corrupt("list %d has %d items at %d of %d", i-a.off, n, o, c.Len())
		}
	}
	return nil
}

func (a *slots) fixedList(dt *arrow.FixedSizeListType) error {
	if err := a.buffers(1); err != nil {
		return err
	}
	c, err := a.child(0, dt.Elem())
	if err != nil {
		return at(err, "item")
	}
	if hi, need := bits.Mul64(uint64(a.end), uint64(dt.Len())); hi != 0 || need > uint64(c.Len()) {
		return corrupt("%d items for %d lists of %d", c.Len(), a.end, dt.Len())
	}
	return nil
}

func (a *slots) structure(dt *arrow.StructType) error {
	if err := a.buffers(1); err != nil {
		return err
	}
	return a.siblings(dt.Fields())
}

// siblings checks children that have a slot for each slot of the parent.
func (a *slots) siblings(fields []arrow.Field) error {
	if len(a.d.Children()) != len(fields) {
		return corrupt("%d children, not %d", len(a.d.Children()), len(fields))
	}
	for i, f := range fields {
		c, err := a.child(i, f.Type)
		if err != nil {
			return at(err, f.Name)
		}
		if c.Len() < a.end {
			return at(corrupt("%d slots below a parent of %d", c.Len(), a.end), f.Name)
		}
	}
	return nil
}

func (a *slots) union(dt arrow.UnionType) error {
	want := 2
	if dt.Mode() == arrow.DenseMode {
		want = 3
	}
	if len(a.d.Buffers()) != want {
		return corrupt("%d buffers, not %d", len(a.d.Buffers()), want)
	}
	if a.buffer(0) != nil {
		return corrupt("a union with a validity bitmap")
	}
	ids := a.buffer(1)
	if a.n > 0 && len(ids) < a.end {
		return corrupt("%d type ids for %d slots", len(ids), a.end)
	}
	children := dt.ChildIDs() // -1 = no such code
	for i := a.off; i < a.end; i++ {
		if ids[i] > 127 || children[ids[i]] < 0 {
			return corrupt("slot %d has type id %d", i-a.off, int8(ids[i]))
		}
	}
	if dt.Mode() == arrow.SparseMode {
		return a.siblings(dt.Fields())
	}
	return a.dense(dt, ids, children)
}

// dense checks the offsets of a dense union: into the child, and never backwards.
func (a *slots) dense(dt arrow.UnionType, ids []byte, children []int) error {
	if len(a.d.Children()) != dt.NumFields() {
		return corrupt("%d children, not %d", len(a.d.Children()), dt.NumFields())
	}
	for i, f := range dt.Fields() {
		if _, err := a.child(i, f.Type); err != nil {
			return at(err, f.Name)
		}
	}
	offs := a.buffer(2)
	if have := len(offs) / 4; a.n > 0 && have < a.end {
		return corrupt("%d offsets for %d slots", have, a.end)
	}
	next := make([]int32, dt.NumFields())
	for i := a.off; i < a.end; i++ {
		c := children[ids[i]]
		o := load[int32](offs, i)
		if o < next[c] || int(o) >= a.d.Children()[c].Len() {
			return corrupt("slot %d has offset %d, after %d and of %d", i-a.off, o, next[c], a.d.Children()[c].Len())
		}
		next[c] = o
	}
	return nil
}

func (a *slots) dictionary(dt *arrow.DictionaryType) error {
	it, ok := dt.IndexType.(arrow.FixedWidthDataType)
	if !ok {
		return corrupt("indices of type %s", dt.IndexType)
	}
	if err := a.fixed(it.BitWidth()); err != nil {
		return err
	}
	dict := a.d.Dictionary()
	if isNil(dict) {
		if a.n == 0 {
			return nil
		}
		return corrupt("no dictionary")
	}
	if dict.DataType() == nil || !arrow.TypeEqual(dict.DataType(), dt.ValueType) {
		return corrupt("a dictionary of %v, not %s", dict.DataType(), dt.ValueType)
	}
	if !a.k.Checked[dict] {
		if err := a.k.check(dt.ValueType, dict); err != nil {
			return at(err, "dictionary")
		}
	}
	switch it.ID() {
	case arrow.INT8:
		return indices[int8](a, dict.Len())
	case arrow.INT16:
		return indices[int16](a, dict.Len())
	case arrow.INT32:
		return indices[int32](a, dict.Len())
	case arrow.INT64:
		return indices[int64](a, dict.Len())
	case arrow.UINT8:
		return indices[uint8](a, dict.Len())
	case arrow.UINT16:
		return indices[uint16](a, dict.Len())
	case arrow.UINT32:
		return indices[uint32](a, dict.Len())
	case arrow.UINT64:
		return indices[uint64](a, dict.Len())
	}
	return corrupt("indices of type %s", dt.IndexType)
}

func indices[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](a *slots, n int) error {
	b := a.buffer(1)
	for i := a.off; i < a.end; i++ {
		// A negative index is a huge one as uint64.
		if x := load[T](b, i); uint64(int64(x)) >= uint64(n) && a.isValid(i) {
			return corrupt("index %d is %d, of %d", i-a.off, x, n)
		}
	}
	return nil
}

// runs checks a run-end encoded array: run ends rise from above zero to at least the last slot.
func (a *slots) runs(dt *arrow.RunEndEncodedType) error {
	ends, err := a.child(0, dt.RunEnds())
	if err != nil {
		return at(err, "run_ends")
	}
	values, err := a.child(1, dt.Encoded())
	if err != nil {
		return at(err, "values")
	}
	if nulls(ends) != 0 {
		return corrupt("null run ends")
	}
	if values.Len() < ends.Len() {
		return corrupt("%d values for %d runs", values.Len(), ends.Len())
	}
	switch dt.RunEnds().ID() {
	case arrow.INT16:
		return runEnds[int16](a, ends)
	case arrow.INT32:
		return runEnds[int32](a, ends)
	case arrow.INT64:
		return runEnds[int64](a, ends)
	}
	return corrupt("run ends of type %s", dt.RunEnds())
}

func runEnds[T int16 | int32 | int64](a *slots, ends arrow.ArrayData) error {
	var prev T
	b := bufferBytes(ends.Buffers()[1])
	for i := 0; i < ends.Len(); i++ {
		e := load[T](b, ends.Offset()+i)
		if e <= prev {
			return corrupt("run %d ends at %d, the one before it at %d", i, e, prev)
		}
		prev = e
	}
	if int64(prev) < int64(a.end) {
		return corrupt("runs end at %d, before slot %d", prev, a.end)
	}
	return nil
}
