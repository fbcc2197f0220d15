package expr

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/array"
)

// Runs yields the half-open ranges [start, end) of rows for which mask is true, in order, each as long as possible. Null counts
// as false. Runs examines 64 rows at a time, so its cost depends on the number of ranges more than on the number of rows.
func Runs(mask *array.Boolean) iter.Seq2[int64, int64] {
	return func(yield func(start, end int64) bool) {
		start := -1 // of the run that goes on; -1: none does
		n := mask.Len()
		for base := 0; base < n; base += 64 {
			w := trueWord(mask, base, n)
			if w == 0 && start < 0 || w == ^uint64(0) && start >= 0 {
				continue
			}
			for at := 0; ; {
				if start < 0 {
					if at += bits.TrailingZeros64(w >> at); at >= 64 {
						break
					}
					start = base + at
				}
				if at += bits.TrailingZeros64(^(w >> at)); at >= 64 {
					break
				}
				if !yield(int64(start), int64(base+at)) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(int64(start), int64(n))
		}
	}
}

// AppendRuns appends the ranges that Runs yields to runs. It costs less where they are many.
func AppendRuns(runs [][2]int64, mask *array.Boolean) [][2]int64 {
	n := mask.Len()
	start, inside := int64(0), uint64(0) // inside is 1 while a run goes on that began with start
	for base := 0; base < n; base += 64 {
		w := trueWord(mask, base, n)
		edges := w ^ (w<<1 | inside) // rows that differ from the one before
		if edges == 0 {
			continue
		}
		if inside != 0 {
			runs = append(runs, [2]int64{start, int64(base + bits.TrailingZeros64(edges))})
			edges &= edges - 1
		}
		inside = w >> 63
		k := len(runs)
		runs = slices.Grow(runs, bits.OnesCount64(edges)/2+1)[:k+bits.OnesCount64(edges)/2]
		for i := range runs[k:] {
			first := bits.TrailingZeros64(edges)
			edges &= edges - 1
			runs[k+i] = [2]int64{int64(base + first), int64(base + bits.TrailingZeros64(edges))}
			edges &= edges - 1
		}
		if inside != 0 {
			start = int64(base + bits.TrailingZeros64(edges))
		}
	}
	if inside != 0 {
		runs = append(runs, [2]int64{start, int64(n)})
	}
	return runs
}

// trueWord is the rows from base on that are true, up to 64 of n.
func trueWord(mask *array.Boolean, base, n int) uint64 {
	d := mask.Data()
	off := d.Offset()
	w := wordAt(d.Buffers()[1].Bytes(), off+base, off+n)
	if valid := mask.NullBitmapBytes(); len(valid) > 0 && w != 0 {
		w &= wordAt(valid, off+base, off+n)
	}
	return w
}
