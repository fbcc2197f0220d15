package trevni

import (
	"errors"
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// field writes one Arrow field into its columns. It mirrors a trevniwire.Node.
type field struct {
	*trevniwire.Node
	path     string
	avro     bool
	cut      bool // digits of timestamps finer than microseconds are cut off
	opt, rep *column
	col      *column // leaf: its column; that of the lengths when Own
	children []*field
	find     arrowdense.Finder
	leaf     leafBuffers

	// Reused from batch to batch.
	there sums // of what is no null
	below sums // of a list's elements
	runs  [][2]int64
}

// sums are prefix sums of lengths, and the ends of rows among what they count.
type sums struct{ offs, ends []int32 }

// rowsOf says how a batch's rows lie in an array: ends[i] is the number of slots of the rows up to and with row i, nil
// is one each.
type rowsOf struct {
	n     int
	ends  []int32
	first int64 // the batch's first row among all that were written
}

// through maps rows to the elements below slots whose element counts have the prefix sums offs; nil is one each.
func (s *sums) through(r rowsOf, offs []int32) rowsOf {
	if offs == nil {
		return r
	}
	if r.ends == nil {
		r.ends = offs[1:]
		return r
	}
	s.ends = resize(s.ends, r.n)
	for i, slot := range r.ends {
		s.ends[i] = offs[slot]
	}
	r.ends = s.ends
	return r
}

// rowAt returns the row that slot i belongs to.
func (r rowsOf) rowAt(i int) int64 {
	if r.ends == nil {
		return r.first + int64(i)
	}
	return r.first + int64(sort.Search(r.n, func(k int) bool { return int(r.ends[k]) > i }))
}

// resize returns a slice of n elements, the memory of s where that is enough. The content is arbitrary.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// write encodes arr, one value for each slot that rows counts.
func (f *field) write(arr arrow.Array, rows rowsOf) error {
	if f.Field.Type.ID() == arrow.NULL {
		return f.writeLeaf(arr, rows, nil)
	}
	p, err := f.present(arr)
	if err != nil {
		return err
	}
	defer p.arr.Release()
	return f.writePresent(p, rows)
}

// writePresent writes what p says is there, and where.
func (f *field) writePresent(p presence, rows rowsOf) error {
	if f.Kind == trevniwire.Union {
		return f.writeUnion(p, rows)
	}
	if f.opt == nil {
		if p.offs != nil {
			if f.avro {
				return f.refused(rows.rowAt(p.missing()), fmt.Errorf("a null, and %w says that there is none", errs.Opt("trevni-not-null", "")))
			}
			return f.refused(rows.rowAt(p.missing()), fmt.Errorf("a null, and plain columns have none: %w gives nulls a place", errs.Opt("trevni-schema", "avro")))
		}
		return f.fill(p.arr, rows, nil)
	}
	if f.Kind == trevniwire.Leaf && f.Own {
		return f.fill(p.arr, rows, f.lengths(p))
	}
	if err := f.opt.append(rows.n, rows.ends, f.lengths(p), nullValues{}); err != nil {
		return err
	}
	return f.fill(p.arr, f.there.through(rows, p.offs), nil)
}

// fill writes slots that are all there. offs are the lengths that a leaf's own values stand among, nil otherwise.
func (f *field) fill(arr arrow.Array, rows rowsOf, offs []int32) error {
	switch f.Kind {
	case trevniwire.Leaf:
		return f.writeLeaf(arr, rows, offs)
	case trevniwire.Struct:
		st, ok := arr.(*array.Struct)
		if !ok || st.NumField() != len(f.children) {
			return f.mismatch(arr)
		}
		for i, k := range f.children {
			if err := k.write(st.Field(i), rows); err != nil {
				return err
			}
		}
		return nil
	}
	return f.writeList(arr, rows)
}

// writeLeaf writes values without nulls. Of a null column only their number counts.
func (f *field) writeLeaf(arr arrow.Array, rows rowsOf, offs []int32) error {
	if f.col == nil {
		return nil // a constant null
	}
	v, err := f.leaf.values(arr, f)
	if bad := (*badValue)(nil); errors.As(err, &bad) {
		at := bad.at
		if offs != nil {
			at = sort.Search(len(offs)-1, func(k int) bool { return int(offs[k+1]) > at })
		}
		return f.refused(rows.rowAt(at), bad.why)
	}
	if err != nil {
		return errs.Locate(err, errs.At{Format: Name, Column: f.path})
	}
	return f.col.append(rows.n, rows.ends, offs, v)
}

// writeList writes lists and maps: lengths, and then the elements, which lie without gaps once nulls are gone.
func (f *field) writeList(arr arrow.Array, rows rowsOf) error {
	offs, elems, err := f.elements(arr)
	if err != nil {
		return err
	}
	defer elems.Release()
	if f.Kind == trevniwire.Map {
		entries, ok := elems.(*array.Struct)
		if !ok || entries.NumField() != len(f.children) {
			return f.mismatch(arr)
		}
		if err := f.rep.append(rows.n, rows.ends, offs, nullValues{}); err != nil {
			return err
		}
		return f.writeChildren(entries, f.below.through(rows, offs), -1)
	}
	elem := f.children[0]
	if elem.Kind == trevniwire.Leaf && elem.Own && elem.opt == nil {
		return elem.writeOwn(elems, rows, offs)
	}
	own := f.ownKid()
	if own < 0 {
		if err := f.rep.append(rows.n, rows.ends, offs, nullValues{}); err != nil {
			return err
		}
		return elem.write(elems, f.below.through(rows, offs))
	}
	// The element's struct of plain columns holds the array column's own values.
	p, err := elem.present(elems)
	if err != nil {
		return err
	}
	defer p.arr.Release()
	below := f.below.through(rows, offs)
	st, ok := p.arr.(*array.Struct)
	switch {
	case p.offs != nil:
		return elem.refuse(below.rowAt(p.missing()), "a null element, for which plain columns have no place")
	case !ok || st.NumField() != len(elem.children):
		return f.mismatch(arr)
	}
	if err := elem.children[own].writeOwn(st.Field(own), rows, offs); err != nil {
		return err
	}
	return elem.writeChildren(st, below, own)
}

// writeOwn writes values among the lengths of the array column that holds them.
func (f *field) writeOwn(arr arrow.Array, rows rowsOf, offs []int32) error {
	if f.Field.Type.ID() == arrow.NULL {
		return f.writeLeaf(arr, rows, offs)
	}
	p, err := f.present(arr)
	if err != nil {
		return err
	}
	defer p.arr.Release()
	if p.offs != nil {
		return f.refuse(f.below.through(rows, offs).rowAt(p.missing()), "a null element, for which its column has no place")
	}
	return f.writeLeaf(p.arr, rows, offs)
}

// writeChildren writes the fields of a struct, all but one.
func (f *field) writeChildren(st *array.Struct, rows rowsOf, but int) error {
	for i, k := range f.children {
		if i == but {
			continue
		}
		if err := k.write(st.Field(i), rows); err != nil {
			return err
		}
	}
	return nil
}

// ownKid finds, among the children of the element struct of plain columns, the array column's own value; -1 = none.
func (f *field) ownKid() int {
	if f.Kind == trevniwire.List && f.children[0].Kind == trevniwire.Struct {
		for i, k := range f.children[0].children {
			if k.Kind == trevniwire.Leaf && k.Own && k.opt == nil {
				return i
			}
		}
	}
	return -1
}

// elements returns the prefix sums of the lengths of a list, map or the like, from 0, and its elements. The caller
// releases them; the sums are valid until the next call.
func (f *field) elements(arr arrow.Array) ([]int32, arrow.Array, error) {
	l, ok := arr.(array.ListLike) // a map is one too
	if !ok {
		return nil, nil, f.mismatch(arr)
	}
	n := arr.Len()
	f.below.offs = resize(f.below.offs, n+1)
	f.below.offs[0] = 0
	if n == 0 {
		return f.below.offs, array.NewSlice(l.ListValues(), 0, 0), nil
	}
	if o := offsets32(arr); o != nil { // they lie as they are wanted
		for i, x := range o {
			f.below.offs[i] = x - o[0]
		}
		return f.below.offs, array.NewSlice(l.ListValues(), int64(o[0]), int64(o[n])), nil
	}
	f.runs = f.runs[:0]
	total := int64(0)
	for i := range n {
		from, to := l.ValueOffsets(i)
		f.runs = arrowdense.AppendRun(f.runs, from, to)
		total += to - from
		if total > 1<<31-1 {
			return nil, nil, arrowdense.TooMuch()
		}
		f.below.offs[i+1] = int32(total)
	}
	elems, err := arrowdense.Gather(l.ListValues(), f.runs, f.find.Mem)
	return f.below.offs, elems, err
}

// offsets32 returns the offsets of arrays that have such, of the slots of a slice.
func offsets32(arr arrow.Array) []int32 {
	switch arr.(type) {
	case *array.List, *array.Map:
		d := arr.Data()
		return arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():][:d.Len()+1]
	}
	return nil
}

// refuse says that a value of a row cannot be written.
func (f *field) refuse(row int64, why string) error {
	return f.refused(row, errors.New(why))
}

func (f *field) refused(row int64, why error) error {
	e := errs.Errorf(errs.ErrSchema, "row %d: %w", row, why)
	e.Format, e.Column = Name, f.path
	return e
}

func (f *field) mismatch(arr arrow.Array) error {
	e := errs.Errorf(errs.ErrInternal, "a batch of %s where %s was planned", arr.DataType(), f.Field.Type)
	e.Format, e.Column = Name, f.path
	return e
}
