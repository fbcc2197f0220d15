package trevni

import (
	"cmp"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
)

// mostBranches bounds how many branches the roots are dealt out to: each has the state of a decompressor.
const mostBranches = 16

// branch deals the roots out to branches with about the same number of bytes to decode, the largest first.
func (r *splitReader) branch() {
	r.deal = make([][]*root, min(mostBranches, len(r.roots)))
	sums := make([]int64, len(r.deal))
	order := slices.Clone(r.roots)
	slices.SortStableFunc(order, func(a, b *root) int { return cmp.Compare(b.raw(), a.raw()) })
	for _, rt := range order {
		i := 0
		for k, s := range sums {
			if s < sums[i] {
				i = k
			}
		}
		sums[i] += rt.raw() + 1
		r.deal[i] = append(r.deal[i], rt)
		for _, c := range rt.columns {
			c.codec = &r.scratch.codecs[i]
		}
	}
}

// raw returns how many bytes a root has to decode.
func (t *root) raw() (n int64) {
	for _, c := range t.columns {
		for _, b := range c.blocks {
			n += b.Raw
		}
	}
	return n
}

// Share implements arrowio.Sharer.
func (r *splitReader) Share(run arrowio.Share) int {
	r.share = run
	total, most := int64(0), int64(1)
	for _, roots := range r.deal {
		sum := int64(0)
		for _, rt := range roots {
			sum += rt.raw()
		}
		total += sum
		most = max(most, sum)
	}
	return max(1, int(float64(total)/float64(most)+0.25))
}
