package arrowdense

import (
	"errors"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// AppendRun adds slots from to to, joined with the last run where they touch.
func AppendRun(runs [][2]int64, from, to int64) [][2]int64 {
	if from >= to {
		return runs
	}
	if k := len(runs); k > 0 && runs[k-1][1] == from {
		runs[k-1][1] = to
		return runs
	}
	return append(runs, [2]int64{from, to})
}

// Gather copies runs of slots into an array of their own; a single run is a slice. The caller releases it. The error may
// be TooMuch.
func Gather(arr arrow.Array, runs [][2]int64, mem memory.Allocator) (arrow.Array, error) {
	switch len(runs) {
	case 0:
		return array.NewSlice(arr, 0, 0), nil
	case 1:
		return array.NewSlice(arr, runs[0][0], runs[0][1]), nil
	}
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	defer a.Release()
	return taken(a, a.AppendRuns(arr, runs))
}

// taken takes the rows of a where they were appended without an error.
func taken(a *arrowbuf.Appender, err error) (arrow.Array, error) {
	switch {
	case errors.Is(err, arrowbuf.ErrOverflow):
		return nil, TooMuch()
	case err != nil:
		return nil, err
	}
	return a.Take(), nil
}

// TooMuch is the error of a batch that has more bytes, or elements, of a column than 32-bit offsets count.
func TooMuch() error {
	return errs.Errorf(errs.ErrLimit, "a batch holds over %d bytes of one column: write smaller batches", math.MaxInt32)
}

// valued is arr without the bitmaps that say nothing of runs of its slots, all of which have values: its own, and those
// of fields that are null only where it is. So they are not copied. Other slots are not to be looked at. The caller releases
// it.
func valued(arr arrow.Array, runs [][2]int64) arrow.Array {
	d := valuedData(arr.Data(), arr.Data().Offset(), runs)
	defer d.Release()
	return array.MakeFromData(d)
}

// valuedData is valued of data whose slot 0 stands at off in its buffers.
func valuedData(d arrow.ArrayData, off int, runs [][2]int64) *array.Data {
	buffers := slices.Clone(d.Buffers())
	if len(buffers) > 0 {
		buffers[0] = nil
	}
	if dictionary, _ := d.Dictionary().(*array.Data); dictionary != nil {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, 0, d.Offset(), dictionary)
	}
	children := d.Children()
	if d.DataType().ID() == arrow.STRUCT {
		children = slices.Clone(children)
		for i, k := range children {
			at := k.Offset() + off
			if children[i] = k; anyNull(k, at, runs) {
				k.Retain()
			} else {
				children[i] = valuedData(k, at, runs)
			}
			defer children[i].Release()
		}
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, 0, d.Offset())
}

// anyNull reports whether a slot of runs may be null; slot 0 is at off in the buffers.
func anyNull(d arrow.ArrayData, off int, runs [][2]int64) bool {
	if d.DataType().ID() == arrow.NULL {
		return true
	}
	if bits := d.Buffers(); len(bits) > 0 && bits[0] != nil && d.NullN() != 0 {
		for _, r := range runs {
			if n := int(r[1] - r[0]); bitpack.CountBits(bits[0].Bytes(), off+int(r[0]), n) < n {
				return true
			}
		}
	}
	return false
}
