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

// Missing returns the first slot without a value, -1 if there is none.
func (v Values) Missing() int {
	if v.Valid == nil {
		return -1
	}
	runs := bitpack.NewRuns(v.Valid, v.Off, v.N)
	start, k := runs.Next()
	switch {
	case start > 0 || k == 0 && v.N > 0:
		return 0
	case k < v.N:
		return k
	}
	return -1
}

// Sums returns how many slots before each have a value, and of all, in the memory of dst where that is enough.
func (v Values) Sums(dst []int32) []int32 {
	dst = resize(dst, v.N+1)
	if v.Valid == nil {
		for i := range dst {
			dst[i] = int32(i)
		}
		return dst
	}
	bitpack.Ranks(dst, v.Valid, v.Off)
	return dst
}

// Finder finds values. What it returns of memory of its own is valid until its next call. It belongs to one goroutine.
type Finder struct {
	Mem          memory.Allocator
	Dictionaries bool // keep dictionaries of strings and binary, whose indices are as good as values, where no entry is null
	Unions       bool // keep unions; otherwise they are of one type and null

	runs    [][2]int64
	picked  arrowbuf.Picked
	at      []int64
	indices []int32
	bits    []byte
}

// Values returns the values of arr, which stays the caller's. The error is TooMuch.
func (f *Finder) Values(arr arrow.Array) (Values, error) {
	if e, ok := arr.(array.ExtensionArray); ok {
		return f.Values(e.Storage())
	}
	n := arr.Len()
	if _, null := arr.(*array.Null); null || f.elsewhere(arr) { // a null array has no bitmap
		f.at = resize(f.at, n)
		for i := range f.at {
			f.at[i] = int64(i)
		}
		return f.choose(f.Resolve(arr, f.at))
	}
	if _, union := arr.(array.Union); union || arr.NullN() == 0 {
		arr.Retain()
		return Values{Array: arr, N: n}, nil
	}
	v := Values{N: n, Valid: arr.NullBitmapBytes(), Off: arr.Data().Offset()}
	f.picked.SetBits(v.Valid, v.Off, n)
	var err error
	v.Array, err = f.gatherPicked(arr)
	return v, err
}

// gatherPicked copies the slots of arr that are picked, all of which have values.
func (f *Finder) gatherPicked(arr arrow.Array) (arrow.Array, error) {
	if !f.picked.Scattered() {
		if runs := f.picked.Runs(); len(runs) > 1 {
			arr = valued(arr, runs)
			defer arr.Release()
		}
		return Gather(arr, f.picked.Runs(), f.Mem)
	}
	var runs [][2]int64
	if arr.DataType().ID() == arrow.STRUCT {
		runs = f.picked.Runs()
	}
	arr = valued(arr, runs)
	defer arr.Release()
	a := arrowbuf.NewAppender(arr.DataType(), f.Mem)
	defer a.Release()
	return taken(a, a.AppendPicked(arr, &f.picked))
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

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
