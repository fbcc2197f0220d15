package trevni

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/workers"
)

// divide divides the roots into groups by the bytes that they have to decode. A group has a decompressor.
func (r *splitReader) divide() {
	costs := make([]float64, len(r.roots))
	for i, rt := range r.roots {
		costs[i] = float64(rt.raw() + 1)
	}
	r.groups = workers.Divide(costs)
	for i, roots := range r.groups.Tasks {
		for _, k := range roots {
			for _, c := range r.roots[k].columns {
				c.codec = &r.scratch.codecs[i]
			}
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
	return r.groups.Width
}
