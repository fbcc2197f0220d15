package expr

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// load finds a column of the predicate in the record and computes which of its rows are not null.
func (ev *evaluation) load(col int) (*loadedColumn, error) {
	c := &ev.loaded[col]
	if c.ok {
		return c, nil
	}
	want := ev.cols[col]
	c.valid = ev.words()
	clear(c.valid)
	setRange(c.valid, 0, ev.rows)
	v, err := ev.find(want.names, c.valid)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", want.path, err)
	}
	if have := v.data.DataType(); !arrow.TypeEqual(arrowtype.Value(have), arrowtype.Value(want.base)) {
		return nil, fmt.Errorf("column %s is %v in the record, but %v in the schema of the predicate", want.path, have, want.base)
	}
	c.vals = v
	if len(want.steps) > 0 {
		err = ev.descend(c, want.steps)
	} else {
		err = ev.dropNulls(c.valid, v)
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", want.text(), err)
	}
	c.ok = true
	return c, nil
}

// find descends through structs and clears in valid the rows where one of them is null.
func (ev *evaluation) find(names []string, valid []uint64) (values, error) {
	schema := ev.rec.Schema()
	i, err := only(schemaLevel{schema}, names[0])
	if err != nil {
		return values{}, err
	}
	data := ev.rec.Column(i).Data()
	v := values{data, data.Offset(), ev.rows}
	for _, name := range names[1:] {
		t, ok := v.data.DataType().(*arrow.StructType)
		if !ok {
			return values{}, fmt.Errorf("%v where a struct was expected", v.data.DataType())
		}
		if i, err = only(structLevel{t}, name); err != nil {
			return values{}, err
		}
		if err := v.dropNulls(valid); err != nil {
			return values{}, err
		}
		child := v.data.Children()[i]
		if child.Len() < v.off+v.n {
			return values{}, errBuffers
		}
		v = values{child, child.Offset() + v.off, v.n}
	}
	return v, nil
}

func only(l level, name string) (int, error) {
	switch ids := l.find(name); len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return 0, fmt.Errorf("the record has no field %q", name)
	default:
		return 0, fmt.Errorf("the record has %d fields %q", len(ids), name)
	}
}

// dropNulls clears in valid what v's own bitmap says is null.
func (v values) dropNulls(valid []uint64) error {
	bitmap := v.buffer(0)
	if len(bitmap) == 0 || v.n == 0 {
		return nil
	}
	if len(bitmap) < (v.off+v.n+7)/8 {
		return errBuffers
	}
	for i := range valid {
		valid[i] &= wordAt(bitmap, v.off+64*i, v.off+v.n)
	}
	return nil
}

// dropNulls clears in valid the rows whose value is null, be it by v's bitmap or by the value that it refers to.
func (ev *evaluation) dropNulls(valid []uint64, v values) error {
	switch t := arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.NullType:
		clear(valid)
		return nil
	case arrow.UnionType:
		return ev.dropUnionNulls(valid, v, t)
	case *arrow.DictionaryType:
		if err := v.dropNulls(valid); err != nil {
			return err
		}
		return ev.dropInner(valid, v)
	case *arrow.RunEndEncodedType:
		return ev.dropInner(valid, v)
	}
	return v.dropNulls(valid)
}

// dropInner clears the rows that refer to a null of a dictionary or of run-end encoded values.
func (ev *evaluation) dropInner(valid []uint64, v values) error {
	if v.n == 0 {
		return nil
	}
	inner, ok := v.inner()
	if !ok {
		return errBuffers
	}
	in := ev.vector(inner.n)
	out := ev.vector(v.n)
	defer ev.done(in, out)
	clear(in)
	setRange(in, 0, inner.n)
	if err := ev.dropNulls(in, inner); err != nil {
		return err
	}
	if full(in, inner.n) {
		return nil
	}
	clear(out)
	if err := v.spread(out, in, valid); err != nil {
		return err
	}
	for i := range valid {
		valid[i] &= out[i]
	}
	return nil
}

// apply sets in out, which is clear, the rows whose value passes p. Each value of a dictionary, and each run, is
// tested once. valid tells the rows that count; nil is all.
func (ev *evaluation) apply(p pred, out []uint64, v values, valid []uint64) error {
	switch arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		if v.n == 0 {
			return nil
		}
		inner, ok := v.inner()
		if !ok {
			return errBuffers
		}
		in := ev.vector(inner.n)
		defer ev.done(in)
		clear(in)
		if err := ev.apply(p, in, inner, nil); err != nil {
			return err
		}
		return v.spread(out, in, valid)
	}
	return p.mask(out, v)
}

// inner is what the rows of a dictionary or run-end encoded array refer to.
func (v values) inner() (values, bool) {
	d := v.data.Dictionary()
	if _, runs := arrowtype.Storage(v.data.DataType()).(*arrow.RunEndEncodedType); runs {
		if len(v.data.Children()) != 2 {
			return values{}, false
		}
		d = v.data.Children()[1]
	}
	if x, ok := d.(*array.Data); ok && x == nil {
		return values{}, false
	}
	return values{d, d.Offset(), d.Len()}, true
}

var (
	errIndex = errors.New("a dictionary index is out of range")
	errRuns  = errors.New("the run ends do not cover the array")
)

// spread sets in out the rows that refer to a value whose bit in `in` is set.
func (v values) spread(out, in, valid []uint64) error {
	switch t := arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.DictionaryType:
		n := v.data.Dictionary().Len() // inner has looked for it
		switch t.IndexType.ID() {
		case arrow.INT8:
			return gather[int8](out, in, valid, v, n)
		case arrow.UINT8:
			return gather[uint8](out, in, valid, v, n)
		case arrow.INT16:
			return gather[int16](out, in, valid, v, n)
		case arrow.UINT16:
			return gather[uint16](out, in, valid, v, n)
		case arrow.INT32:
			return gather[int32](out, in, valid, v, n)
		case arrow.UINT32:
			return gather[uint32](out, in, valid, v, n)
		case arrow.INT64:
			return gather[int64](out, in, valid, v, n)
		case arrow.UINT64:
			return gather[uint64](out, in, valid, v, n)
		}
	case *arrow.RunEndEncodedType:
		ends := v.data.Children()[0]
		switch t.RunEnds().ID() {
		case arrow.INT16:
			return expand[int16](out, in, v, ends)
		case arrow.INT32:
			return expand[int32](out, in, v, ends)
		case arrow.INT64:
			return expand[int64](out, in, v, ends)
		}
	}
	return fmt.Errorf("no such encoding: %v", v.data.DataType())
}

// gather takes a bit for each index. An index of a null may be anything; other rows must refer to one of n values.
func gather[I signed | unsigned](out, in, valid []uint64, v values, n int) error {
	idx, err := fixed[I](v)
	if err != nil {
		return err
	}
	for w := range wordsFor(v.n) {
		var got, bad uint64
		for j, x := range idx[64*w : min(64*w+64, v.n)] {
			if k := uint64(x); k < uint64(n) { // a negative index is a huge one
				got |= in[k/64] >> (k % 64) & 1 << j
			} else {
				bad |= 1 << j
			}
		}
		if valid != nil && bad&valid[w] != 0 {
			return errIndex
		}
		out[w] |= got
	}
	return nil
}

// expand repeats a bit for each run.
func expand[E int16 | int32 | int64](out, in []uint64, v values, ends arrow.ArrayData) error {
	e, err := fixed[E](values{ends, ends.Offset(), ends.Len()})
	if err != nil {
		return err
	}
	if len(e) > v.data.Children()[1].Len() {
		return errRuns
	}
	row := 0 // of the window
	for k, end := range e {
		upTo := min(int(end)-v.off, v.n)
		if upTo <= row {
			continue
		}
		if in[k/64]>>(k%64)&1 != 0 {
			setRange(out, row, upTo)
		}
		row = upTo
	}
	if row < v.n {
		return errRuns
	}
	return nil
}

// dropUnionNulls clears the rows whose value, in the child that holds it, is null: unions have no bitmap.
func (ev *evaluation) dropUnionNulls(valid []uint64, v values, t arrow.UnionType) error {
	codes, err := fixed[int8](v)
	if err != nil || v.n == 0 {
		return err
	}
	var offs []int32
	if t.Mode() == arrow.DenseMode {
		if offs, err = fixedIn[int32](v, 2); err != nil {
			return err
		}
	}
	children := make([]values, len(v.data.Children()))
	present := make([][]uint64, len(children))
	defer func() { ev.done(present...) }()
	for i, d := range v.data.Children() {
		c := values{d, d.Offset(), d.Len()}
		if offs == nil { // a sparse child is as long as the union
			if c.off, c.n = c.off+v.off, v.n; d.Len() < v.off+v.n {
				return errBuffers
			}
		}
		children[i], present[i] = c, ev.vector(c.n)
		clear(present[i])
		setRange(present[i], 0, c.n)
		if err := ev.dropNulls(present[i], c); err != nil {
			return err
		}
	}
	ids := t.ChildIDs()
	for row, code := range codes {
		at := row
		if offs != nil {
			at = int(offs[row])
		}
		id := -1
		if code >= 0 && int(code) < len(ids) {
			id = ids[code]
		}
		if id < 0 || id >= len(children) || at < 0 || at >= children[id].n || present[id][at/64]>>(at%64)&1 == 0 {
			valid[row/64] &^= 1 << (row % 64)
		}
	}
	return nil
}
