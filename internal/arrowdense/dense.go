package arrowdense

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// Values are the slots of an array that are no nulls, without gaps.
type Values struct {
	Array arrow.Array // the caller releases it; no value of it is null
	N     int         // slots, nulls included
	Valid []byte      // which slots have a value, Arrow bit order; nil = all
	Off   int         // position of the first bit
}

// Finder finds values. What it returns of memory of its own is valid until its next call. It belongs to one goroutine.
type Finder struct {
	Mem          memory.Allocator
	Dictionaries bool // keep dictionaries of text, whose indices are as good as values, where no entry is null
	Unions       bool // keep unions; otherwise they are of one type and null

	runs [][2]int64
	at   []int64
	bits []byte
}

// Values returns the values of arr, which stays the caller's.
func (f *Finder) Values(arr arrow.Array) (Values, error) {
	if e, ok := arr.(array.ExtensionArray); ok {
		return f.Values(e.Storage())
	}
	n := arr.Len()
	if f.elsewhere(arr) {
		f.at = resize(f.at, n)
		for i := range f.at {
			f.at[i] = int64(i)
		}
		return f.choose(f.resolve(arr, f.at))
	}
	switch arr.(type) {
	case *array.Null: // it has no bitmap
		f.at = resize(f.at, n)
		return f.choose(f.resolve(arr, f.at))
	case array.Union:
		arr.Retain()
		return Values{Array: arr, N: n}, nil
	}
	if arr.NullN() == 0 {
		arr.Retain()
		return Values{Array: arr, N: n}, nil
	}
	v := Values{N: n, Valid: arr.NullBitmapBytes(), Off: arr.Data().Offset()}
	f.runs = f.runs[:0]
	for runs := bitpack.NewRuns(v.Valid, v.Off, n); ; {
		start, k := runs.Next()
		if k == 0 {
			break
		}
		f.runs = append(f.runs, [2]int64{int64(start), int64(start + k)})
	}
	var err error
	v.Array, err = Gather(arr, f.runs, f.Mem)
	return v, err
}

// elsewhere reports whether the values of an array stand in another one.
func (f *Finder) elsewhere(arr arrow.Array) bool {
	switch a := arr.(type) {
	case array.ExtensionArray, *array.RunEndEncoded:
		return true
	case *array.Dictionary:
		if !f.Dictionaries || a.Dictionary().NullN() > 0 {
			return true
		}
		switch a.Dictionary().(type) {
		case *array.String, *array.Binary:
			return false
		}
		return true
	case array.Union:
		return !f.Unions
	}
	return false
}

// resolve follows slots at of arr to where their values stand, -1 where there is none. It changes at.
func (f *Finder) resolve(arr arrow.Array, at []int64) (arrow.Array, []int64) {
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
		if !f.elsewhere(a) {
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
		if f.elsewhere(a) {
			return f.resolveUnion(a, at)
		}
		return arr, at
	case *array.Null:
		for i := range at {
			at[i] = -1
		}
		return arr, at
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
func (f *Finder) resolveUnion(u array.Union, at []int64) (arrow.Array, []int64) {
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
			at[i] = PlaceOf(u, int(k))
		}
	}
	return f.resolve(u.Field(branch), at)
}

// PlaceOf returns where value i of a union stands in its child.
func PlaceOf(u array.Union, i int) int64 {
	if d, ok := u.(*array.DenseUnion); ok {
		return int64(d.ValueOffset(i))
	}
	return int64(i)
}

// choose copies the slots of arr that at names; -1 is none.
func (f *Finder) choose(arr arrow.Array, at []int64) (Values, error) {
	f.bits = resize(f.bits, (len(at)+7)/8)
	clear(f.bits)
	f.runs = f.runs[:0]
	n := 0
	for i, k := range at {
		if k >= 0 {
			f.runs = AppendRun(f.runs, k, k+1)
			f.bits[i>>3] |= 1 << (i & 7)
			n++
		}
	}
	v := Values{N: len(at)}
	if n < len(at) {
		v.Valid = f.bits
	}
	var err error
	v.Array, err = Gather(arr, f.runs, f.Mem)
	return v, err
}

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
// be arrowbuf.ErrOverflow.
func Gather(arr arrow.Array, runs [][2]int64, mem memory.Allocator) (arrow.Array, error) {
	switch len(runs) {
	case 0:
		return array.NewSlice(arr, 0, 0), nil
	case 1:
		return array.NewSlice(arr, runs[0][0], runs[0][1]), nil
	}
	a := arrowbuf.NewAppender(arr.DataType(), mem)
	defer a.Release()
	if err := a.AppendRuns(arr, runs); err != nil {
		return nil, err
	}
	return a.Take(), nil
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
