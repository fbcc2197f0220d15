package trevni

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// field writes one Arrow field into its columns. It mirrors a trevniwire.Node.
type field struct {
	*trevniwire.Node
	path     string
	opt, rep *column
	col      *column // leaf: its column; that of the lengths when Own
	kids     []*field
	mem      memory.Allocator
	leaf     leafBuffers
}

// rowsOf says how a batch's rows lie in an array: ends[i] is the number of slots of the rows up to and with row i, nil
// is one each.
type rowsOf struct {
	n    int
	ends []int32
}

// through maps rows to the elements below slots whose element counts have the prefix sums offs.
func (r rowsOf) through(offs []int32) rowsOf {
	out := rowsOf{r.n, make([]int32, r.n)}
	for i := range out.ends {
		slot := i + 1
		if r.ends != nil {
			slot = int(r.ends[i])
		}
		out.ends[i] = offs[slot]
	}
	return out
}

// write encodes arr, one slot for each that rows counts.
func (f *field) write(arr arrow.Array, rows rowsOf) error {
	arr, err := flatten(arr, f.mem)
	if err != nil {
		return err
	}
	defer arr.Release()
	if f.opt == nil {
		if nulls(arr) > 0 && f.Field.Type.ID() != arrow.NULL && f.Kind != trevniwire.Union {
			return f.fail("holds a null, and its column has none: trevni-schema=avro with a nullable field has")
		}
		return f.fill(arr, rows, nil)
	}
	offs, dense, err := f.presence(arr)
	if err != nil {
		return err
	}
	defer dense.Release()
	return f.fillOptional(dense, rows, offs)
}

// fillOptional writes the lengths of presence, and the values that are there.
func (f *field) fillOptional(dense arrow.Array, rows rowsOf, offs []int32) error {
	if f.Kind == trevniwire.Leaf && f.Own {
		return f.fill(dense, rows, offs)
	}
	if err := f.opt.append(rows.n, rows.ends, offs, nullValues{}); err != nil {
		return err
	}
	return f.fill(dense, rows.through(offs), nil)
}

// presence returns the prefix sums of validity and the values that are there. The caller releases them.
func (f *field) presence(arr arrow.Array) ([]int32, arrow.Array, error) {
	offs := make([]int32, arr.Len()+1)
	if nulls(arr) == 0 {
		for i := range offs {
			offs[i] = int32(i)
		}
		arr.Retain()
		return offs, arr, nil
	}
	var runs [][2]int64
	n := int32(0)
	for i := range arr.Len() {
		if arr.IsValid(i) {
			if k := len(runs); k > 0 && runs[k-1][1] == int64(i) {
				runs[k-1][1]++
			} else {
				runs = append(runs, [2]int64{int64(i), int64(i) + 1})
			}
			n++
		}
		offs[i+1] = n
	}
	dense, err := gather(arr, runs, f.mem)
	return offs, dense, err
}

// gather copies runs of rows into an array of their own.
func gather(arr arrow.Array, runs [][2]int64, mem memory.Allocator) (arrow.Array, error) {
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	defer a.Release()
	if err := a.AppendRuns(arr, runs); err != nil {
		return nil, err
	}
	return a.Take(), nil
}

// fill writes slots that are all there. offs are the lengths that a leaf's own values stand among, nil otherwise.
func (f *field) fill(arr arrow.Array, rows rowsOf, offs []int32) error {
	switch f.Kind {
	case trevniwire.Leaf:
		return f.writeLeaf(arr, rows, offs)
	case trevniwire.Struct:
		st, ok := arr.(*array.Struct)
		if !ok {
			return f.mismatch(arr)
		}
		for i, k := range f.kids {
			if err := k.write(st.Field(i), rows); err != nil {
				return err
			}
		}
		return nil
	case trevniwire.Union:
		return f.writeUnion(arr, rows)
	}
	return f.writeList(arr, rows)
}

func (f *field) writeLeaf(arr arrow.Array, rows rowsOf, offs []int32) error {
	if f.col == nil {
		return nil // a constant null
	}
	v, err := f.leaf.values(arr, f)
	if err != nil {
		return err
	}
	err = f.col.append(rows.n, rows.ends, offs, v)
	f.leaf.release()
	return err
}

// writeList writes lists and maps: lengths, and then the elements, which lie without gaps once nulls are gone.
func (f *field) writeList(arr arrow.Array, rows rowsOf) error {
	offs, elems, err := f.elements(arr)
	if err != nil {
		return err
	}
	defer elems.Release()
	elem := f.kids[0]
	if f.Kind == trevniwire.List && elem.Kind == trevniwire.Leaf && elem.Own && elem.opt == nil {
		flat, err := flatten(elems, f.mem)
		if err != nil {
			return err
		}
		defer flat.Release()
		elems := flat
		if nulls(elems) > 0 && elem.Field.Type.ID() != arrow.NULL {
			return elem.fail("holds a null element, and its column has none")
		}
		return elem.writeLeaf(elems, rows, offs)
	}
	st, isStruct := elems.(*array.Struct)
	if own := f.ownKid(); own >= 0 && isStruct {
		if err := f.kids[0].kids[own].writeLeaf(st.Field(own), rows, offs); err != nil {
			return err
		}
	} else if err := f.rep.append(rows.n, rows.ends, offs, nullValues{}); err != nil {
		return err
	}
	below := rows.through(offs)
	switch {
	case f.Kind == trevniwire.Map:
		for i, k := range f.kids {
			if err := k.write(st.Field(i), below); err != nil {
				return err
			}
		}
		return nil
	case f.ownKid() >= 0:
		for i, k := range elem.kids {
			if i != f.ownKid() {
				if err := k.write(st.Field(i), below); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return elem.write(elems, below)
}

// ownKid finds, among the children of the element struct of plain columns, the array column's own value; -1 = none.
func (f *field) ownKid() int {
	if f.Kind == trevniwire.List && f.kids[0].Kind == trevniwire.Struct {
		for i, k := range f.kids[0].kids {
			if k.Kind == trevniwire.Leaf && k.Own && k.opt == nil {
				return i
			}
		}
	}
	return -1
}

// elements returns the prefix sums of the lengths of a list, map or the like, from 0, and its elements. The caller
// releases them.
func (f *field) elements(arr arrow.Array) ([]int32, arrow.Array, error) {
	n := arr.Len()
	offs := make([]int32, n+1)
	var values arrow.Array
	var bounds func(i int) (int64, int64)
	switch a := arr.(type) {
	case *array.Map:
		values, bounds = a.ListValues(), a.ValueOffsets
	case array.ListLike:
		values, bounds = a.ListValues(), a.ValueOffsets
	default:
		return nil, nil, f.mismatch(arr)
	}
	runs := make([][2]int64, 0, 1)
	total := int64(0)
	for i := range n {
		from, to := bounds(i)
		if from < to {
			if k := len(runs); k > 0 && runs[k-1][1] == from {
				runs[k-1][1] = to
			} else {
				runs = append(runs, [2]int64{from, to})
			}
			total += to - from
		}
		if total > 1<<31-1 {
			return nil, nil, errTooMuch()
		}
		offs[i+1] = int32(total)
	}
	switch len(runs) {
	case 0:
		return offs, array.NewSlice(values, 0, 0), nil
	case 1:
		return offs, array.NewSlice(values, runs[0][0], runs[0][1]), nil
	}
	dense, err := gather(values, runs, f.mem)
	return offs, dense, err
}

// writeUnion writes, for each branch, lengths of 0 and 1 and its values in order.
func (f *field) writeUnion(arr arrow.Array, rows rowsOf) error {
	u, ok := arr.(array.Union)
	if !ok {
		return f.mismatch(arr)
	}
	null := -1
	for i, k := range f.kids {
		if k.opt == nil {
			null = i
		}
	}
	kids := len(f.kids)
	offs := make([][]int32, kids)
	runs := make([][][2]int64, kids)
	counts := make([]int32, kids)
	for i := range offs {
		offs[i] = make([]int32, 1, arr.Len()+1)
	}
	dense, _ := arr.(*array.DenseUnion)
	for i := range arr.Len() {
		k := u.ChildID(i)
		at := int64(i) + int64(arr.Data().Offset())
		child := u.Field(k)
		if dense != nil {
			at = int64(dense.ValueOffset(i))
		} else if child.Len() == arr.Len() {
			at = int64(i)
		}
		if null >= 0 && k != null && isNull(child, int(at)) {
			k = null
		}
		if k != null {
			counts[k]++
			if r := runs[k]; len(r) > 0 && r[len(r)-1][1] == at {
				r[len(r)-1][1]++
			} else {
				runs[k] = append(r, [2]int64{at, at + 1})
			}
		}
		for b := range offs {
			offs[b] = append(offs[b], counts[b])
		}
	}
	for i, k := range f.kids {
		if i == null {
			continue
		}
		values, err := gather(u.Field(i), runs[i], f.mem)
		if err != nil {
			return err
		}
		if nulls(values) > 0 {
			err = k.fail("holds a null, and its union has no branch for it")
		} else {
			err = k.writeBranch(values, rows, offs[i])
		}
		values.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *field) writeBranch(values arrow.Array, rows rowsOf, offs []int32) error {
	flat, err := flatten(values, f.mem)
	if err != nil {
		return err
	}
	defer flat.Release()
	return f.fillOptional(flat, rows, offs)
}

// nulls counts the nulls of an array; those of the type null do not count.
func nulls(a arrow.Array) int {
	if a.DataType().ID() == arrow.NULL {
		return 0
	}
	return a.NullN()
}

func isNull(a arrow.Array, i int) bool { return a.DataType().ID() == arrow.NULL || a.IsNull(i) }

func (f *field) fail(format string, args ...any) error {
	e := arrowio.Errorf(arrowio.ErrSchema, format, args...)
	e.Format, e.Column = Name, f.path
	return e
}

func (f *field) mismatch(arr arrow.Array) error {
	return fmt.Errorf("trevni: column %s: %w", f.path, arrowio.Errorf(arrowio.ErrInternal, "a batch of %s where %s was planned", arr.DataType(), f.Field.Type))
}
