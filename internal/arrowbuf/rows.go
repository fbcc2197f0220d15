package arrowbuf

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// ErrOverflow says that the rows do not fit into one array of their type: 32-bit offsets, run ends or dictionary
// indices would wrap. The same rows fit into several arrays.
var ErrOverflow = errors.New("there are too many rows for one batch: offsets, run ends or dictionary indices of their type are too narrow")

// Appender copies ranges of rows out of arrays of one data type, any that Arrow has, into new arrays. It is used by
// one goroutine at a time.
//
// After an error from Append or AppendRuns the Appender may only be released.
type Appender struct {
	dt   arrow.DataType
	root rowNode
	rows int
	held arrow.Array // the only input so far, whole, not copied yet
	one  [1][2]int64

	adopted bool // dictionaries came ahead of the rows
}

// rowNode builds one array, its children included. Rows are logical positions in d, that is, without d.Offset().
type rowNode interface {
	reserve(rows int)
	// append adds the rows of runs, n in all.
	append(d arrow.ArrayData, runs [][2]int64, n int) error
	// adopt takes the dictionaries of d at all depths, without rows.
	adopt(d arrow.ArrayData) error
	// take returns what was built; the caller releases it. The node is empty afterwards.
	take() *array.Data
	release()
}

// NewAppender returns an Appender for arrays of type dt, with memory from mem. The caller releases it.
func NewAppender(dt arrow.DataType, mem memory.Allocator) *Appender {
	return &Appender{dt: dt, root: newRowNode(dt, mem)}
}

// newRowNode is the one place that looks at types. An extension array is its storage under another name.
func newRowNode(dt arrow.DataType, mem memory.Allocator) rowNode {
	storage := arrowtype.Storage(dt)
	base := rowBase{dt: dt, mem: mem}
	switch t := storage.(type) {
	case *arrow.NullType:
		return &nullRows{rowBase: base}
	case *arrow.BooleanType:
		return &boolRows{rowBase: base}
	case *arrow.DictionaryType:
		return newDictRows(base, t)
	case *arrow.StringType, *arrow.BinaryType:
		return &binaryRows[int32]{rowBase: base}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return &binaryRows[int64]{rowBase: base}
	case arrow.BinaryViewDataType:
		return &viewRows{rowBase: base}
	case *arrow.ListType:
		return &listRows[int32]{rowBase: base, child: newRowNode(t.Elem(), mem)}
	case *arrow.LargeListType:
		return &listRows[int64]{rowBase: base, child: newRowNode(t.Elem(), mem)}
	case *arrow.MapType:
		return &listRows[int32]{rowBase: base, child: newRowNode(t.Elem(), mem)}
	case *arrow.ListViewType:
		return &listViewRows[int32]{rowBase: base, child: newRowNode(t.Elem(), mem)}
	case *arrow.LargeListViewType:
		return &listViewRows[int64]{rowBase: base, child: newRowNode(t.Elem(), mem)}
	case *arrow.FixedSizeListType:
		return &fixedListRows{rowBase: base, width: int64(t.Len()), child: newRowNode(t.Elem(), mem)}
	case *arrow.StructType:
		return &structRows{rowBase: base, children: newRowNodes(t.Fields(), mem)}
	case *arrow.SparseUnionType:
		return &sparseUnionRows{rowBase: base, children: newRowNodes(t.Fields(), mem)}
	case *arrow.DenseUnionType:
		return newDenseUnionRows(base, t)
	case *arrow.RunEndEncodedType:
		return newRunEndRows(base, t)
	case arrow.FixedWidthDataType: // last: other types above have a width too
		return &fixedRows{rowBase: base, width: t.Bytes()}
	}
	return &unknownRows{base}
}

func newRowNodes(fields []arrow.Field, mem memory.Allocator) []rowNode {
	nodes := make([]rowNode, len(fields))
	for i, f := range fields {
		nodes[i] = newRowNode(f.Type, mem)
	}
	return nodes
}

// Len returns the number of rows appended since the last Take.
func (a *Appender) Len() int { return a.rows }

// Reserve makes room for rows more rows, where their number says how much that is.
func (a *Appender) Reserve(rows int) { a.root.reserve(rows) }

// Append adds rows [start, end) of arr, which may be a slice of another array. Dictionaries may differ from call to
// call: the result has the first one as it is, plus the entries that later rows use. arr stays the caller's; a whole
// array that stays the only one is kept and handed out by Take without a copy.
func (a *Appender) Append(arr arrow.Array, start, end int) error {
	a.one[0] = [2]int64{int64(start), int64(end)}
	return a.AppendRuns(arr, a.one[:])
}

// AppendRuns adds the rows of runs, each a half-open range of rows of arr, in the order given.
func (a *Appender) AppendRuns(arr arrow.Array, runs [][2]int64) error {
	if err := a.admit(arr); err != nil {
		return err
	}
	n, err := countRows(runs, int64(arr.Len()))
	if err != nil || n == 0 {
		return err
	}
	if a.rows == 0 && !a.adopted && len(runs) == 1 && n == arr.Len() && rebased(arr.Data()) {
		arr.Retain()
		a.held, a.rows = arr, n
		return nil
	}
	if err := a.copyHeld(); err != nil {
		return err
	}
	if err := a.root.append(arr.Data(), runs, n); err != nil {
		return err
	}
	a.rows += n
	return nil
}

// admit tests that arr has the type of the rows.
func (a *Appender) admit(arr arrow.Array) error {
	if !arrow.TypeEqual(arr.DataType(), a.dt) {
		return fmt.Errorf("rows of type %s appended to %s", arr.DataType(), a.dt)
	}
	return nil
}

// Adopt takes the dictionaries of arr at all depths, none of its rows. The result of the next Take begins its
// dictionaries with those, also where no row uses them. arr stays the caller's.
func (a *Appender) Adopt(arr arrow.Array) error {
	if !arrow.TypeEqual(arr.DataType(), a.dt) {
		return fmt.Errorf("dictionaries of type %s for rows of type %s", arr.DataType(), a.dt)
	}
	if err := a.copyHeld(); err != nil {
		return err
	}
	a.adopted = true
	return a.root.adopt(arr.Data())
}

func (a *Appender) copyHeld() error {
	h := a.held
	if h == nil {
		return nil
	}
	a.held = nil
	defer h.Release()
	all := [1][2]int64{{0, int64(h.Len())}}
	return a.root.append(h.Data(), all[:], h.Len())
}

// Take returns the rows appended so far as one array, which the caller releases, and starts the next.
func (a *Appender) Take() arrow.Array {
	a.rows, a.adopted = 0, false
	if h := a.held; h != nil {
		a.held = nil
		return h
	}
	d := a.root.take()
	defer d.Release()
	return array.MakeFromData(d)
}

// Release frees what was appended since the last Take. It may be called twice.
func (a *Appender) Release() {
	if a.held != nil {
		a.held.Release()
		a.held = nil
	}
	a.rows, a.adopted = 0, false
	a.root.release()
}

// countRows returns how many rows runs have, after checking that they lie in [0, limit).
func countRows(runs [][2]int64, limit int64) (int, error) {
	var n int64
	for _, r := range runs {
		if r[0] < 0 || r[0] > r[1] || r[1] > limit {
			return 0, fmt.Errorf("rows [%d, %d) of an array of %d", r[0], r[1], limit)
		}
		n += r[1] - r[0]
	}
	if int64(int(n)) != n {
		return 0, ErrOverflow
	}
	return int(n), nil
}

// shiftRuns returns runs moved by delta, in scratch unless nothing moves.
func shiftRuns(scratch *[][2]int64, runs [][2]int64, delta int) [][2]int64 {
	if delta == 0 {
		return runs
	}
	s := (*scratch)[:0]
	for _, r := range runs {
		s = append(s, [2]int64{r[0] + int64(delta), r[1] + int64(delta)})
	}
	*scratch = s
	return s
}

// addRun returns runs with [start, end) at the end, joined with the last one where they touch.
func addRun(runs [][2]int64, start, end int64) [][2]int64 {
	if start == end {
		return runs
	}
	if n := len(runs); n > 0 && runs[n-1][1] == start {
		runs[n-1][1] = end
		return runs
	}
	return append(runs, [2]int64{start, end})
}

// Whole reports whether arr is as an Appender would make it, so that nothing needs to be copied to rebase it.
func Whole(arr arrow.Array) bool { return rebased(arr.Data()) }

// rebased reports whether d could have come from an Appender: offset 0 and exact lengths at every level, offsets from
// 0 on, null counts known.
func rebased(d arrow.ArrayData) bool {
	if d.Offset() != 0 || d.NullN() < 0 {
		return false
	}
	childLen := d.Len()
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.StringType, *arrow.BinaryType:
		first, _ := ends[int32](d)
		return first == 0
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		first, _ := ends[int64](d)
		return first == 0
	case *arrow.ListType, *arrow.MapType:
		first, last := ends[int32](d)
		if first != 0 {
			return false
		}
		childLen = int(last)
	case *arrow.LargeListType:
		first, last := ends[int64](d)
		if first != 0 {
			return false
		}
		childLen = int(last)
	case *arrow.FixedSizeListType:
		childLen *= int(t.Len())
	case *arrow.StructType, *arrow.SparseUnionType:
	case *arrow.DenseUnionType, *arrow.ListViewType, *arrow.LargeListViewType, *arrow.RunEndEncodedType:
		return false // their children may hold values that no row uses
	}
	for _, c := range d.Children() {
		if c.Len() != childLen || !rebased(c) {
			return false
		}
	}
	return true
}

// ends returns the first and the last offset of the rows of d.
func ends[O int32 | int64](d arrow.ArrayData) (first, last O) {
	o := offsetsOf[O](d)
	return o[0], o[len(o)-1]
}

// offsetsOf returns the offsets of the rows of d, one more than rows. Arrays without rows may come without a buffer.
func offsetsOf[O int32 | int64](d arrow.ArrayData) []O {
	b := d.Buffers()[1]
	if d.Len() == 0 && (b == nil || b.Len() == 0) {
		return make([]O, 1)
	}
	return arrow.GetData[O](b.Bytes())[d.Offset():][:d.Len()+1]
}
