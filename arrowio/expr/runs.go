package expr

import (
	"iter"
	"math/bits"

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
