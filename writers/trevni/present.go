package trevni

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// presence are the values of an array that are no nulls, without gaps, and where they stood.
type presence struct {
	arr  arrow.Array // the caller releases it
	offs []int32     // prefix sums: slot i has offs[i+1]-offs[i] values, 0 or 1; nil = all slots have one
}

// missing returns the first slot without a value; there is one.
func (p presence) missing() int {
	for i := 1; i < len(p.offs); i++ {
		if p.offs[i] == p.offs[i-1] {
			return i - 1
		}
	}
	return -1
}

// present returns the values of arr that are there. Extension types, run ends and dictionaries are resolved, but for
// dictionaries of text, whose indices are as good as values. The offsets are valid until the next call.
func (f *field) present(arr arrow.Array) (presence, error) {
	if e, ok := arr.(array.ExtensionArray); ok {
		return f.present(e.Storage())
	}
	if f.encoded(arr) {
		at := make([]int64, arr.Len())
		for i := range at {
			at[i] = int64(i)
		}
		return f.choose(f.resolve(arr, at))
	}
	if arr.NullN() == 0 {
		arr.Retain()
		return presence{arr: arr}, nil
	}
	n := arr.Len()
	f.there.offs = resize(f.there.offs, n+1)
	f.runs = f.runs[:0]
	count, end := int32(0), 0
	f.there.offs[0] = 0
	gap := func(to int) {
		for i := end; i < to; i++ {
			f.there.offs[i+1] = count
		}
	}
	for runs := bitpack.NewRuns(arr.NullBitmapBytes(), arr.Data().Offset(), n); ; {
		start, k := runs.Next()
		if k == 0 {
			break
		}
		gap(start)
		f.runs = append(f.runs, [2]int64{int64(start), int64(start + k)})
		for i := start; i < start+k; i++ {
			count++
			f.there.offs[i+1] = count
		}
		end = start + k
	}
	gap(n)
	dense, err := gather(arr, f.runs, f.mem)
	return presence{dense, f.there.offs}, err
}

// encoded reports whether the values of an array stand elsewhere: f.resolve finds them.
func (f *field) encoded(arr arrow.Array) bool {
	switch a := arr.(type) {
	case array.ExtensionArray, *array.RunEndEncoded:
		return true
	case *array.Dictionary:
		_, text := a.Dictionary().(*array.String)
		return !text || a.Dictionary().NullN() > 0
	case array.Union:
		return f.Kind != trevniwire.Union // of null and one other type, or of a single nullable one
	}
	return false
}

// resolve follows slots at of arr to where their values stand, -1 where there is none. It changes at.
func (f *field) resolve(arr arrow.Array, at []int64) (arrow.Array, []int64) {
	switch a := arr.(type) {
	case array.ExtensionArray:
		return f.resolve(a.Storage(), at)
	case *array.RunEndEncoded:
		for i, k := range at {
			if k >= 0 {
				at[i] = int64(a.GetPhysicalIndex(int(k)))
			}
		}
		return f.resolve(a.Values(), at)
	case *array.Dictionary:
		if !f.encoded(a) {
			break
		}
		for i, k := range at {
			switch {
			case k < 0:
			case a.IsNull(int(k)):
				at[i] = -1
			default:
				at[i] = int64(a.GetValueIndex(int(k)))
			}
		}
		return f.resolve(a.Dictionary(), at)
	case array.Union:
		if f.encoded(a) {
			return f.resolveUnion(a, at)
		}
	}
	if arr.NullN() > 0 {
		for i, k := range at {
			if k >= 0 && arr.IsNull(int(k)) {
				at[i] = -1
			}
		}
	}
	return arr, at
}

// resolveUnion follows slots to the one branch that is not null.
func (f *field) resolveUnion(u array.Union, at []int64) (arrow.Array, []int64) {
	branch := 0
	for k := range u.NumFields() {
		if u.Field(k).DataType().ID() != arrow.NULL {
			branch = k
		}
	}
	for i, k := range at {
		switch {
		case k < 0:
		case u.ChildID(int(k)) != branch:
			at[i] = -1
		default:
			at[i] = placeOf(u, int(k))
		}
	}
	return f.resolve(u.Field(branch), at)
}

// choose copies the slots of arr that at names; -1 is none.
func (f *field) choose(arr arrow.Array, at []int64) (presence, error) {
	f.there.offs = resize(f.there.offs, len(at)+1)
	f.runs = f.runs[:0]
	f.there.offs[0] = 0
	n := int32(0)
	for i, k := range at {
		if k >= 0 {
			f.runs = appendRun(f.runs, k, k+1)
			n++
		}
		f.there.offs[i+1] = n
	}
	dense, err := gather(arr, f.runs, f.mem)
	if int(n) == len(at) {
		return presence{arr: dense}, err
	}
	return presence{dense, f.there.offs}, err
}

// appendRun adds slots from to to, joined with the last run where they touch.
func appendRun(runs [][2]int64, from, to int64) [][2]int64 {
	if from >= to {
		return runs
	}
	if k := len(runs); k > 0 && runs[k-1][1] == from {
		runs[k-1][1] = to
		return runs
	}
	return append(runs, [2]int64{from, to})
}

// gather copies runs of slots into an array of their own; a single run is a slice. The caller releases it.
func gather(arr arrow.Array, runs [][2]int64, mem memory.Allocator) (arrow.Array, error) {
	switch len(runs) {
	case 0:
		return array.NewSlice(arr, 0, 0), nil
	case 1:
		return array.NewSlice(arr, runs[0][0], runs[0][1]), nil
	}
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	defer a.Release()
	switch err := a.AppendRuns(arr, runs); {
	case errors.Is(err, arrowbuf.ErrOverflow):
		return nil, errTooMuch()
	case err != nil:
		return nil, err
	}
	return a.Take(), nil
}
