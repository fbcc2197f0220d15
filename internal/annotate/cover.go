package annotate

import (
	"iter"
	"slices"
)

// span is a half-open range of bytes.
type span struct{ from, to int64 }

// cover is a set of bytes: disjoint spans in order, none touching the next. Ranges mostly come one behind the other, so
// it stays short.
type cover []span

// add adds [from, to) and reports whether part of it was there already.
func (c *cover) add(from, to int64) (overlaps bool) {
	if from >= to {
		return false
	}
	s := *c
	// s[i:j] are the spans that overlap or touch the new one.
	i, _ := slices.BinarySearchFunc(s, from, func(x span, v int64) int {
		if x.to < v {
			return -1
		}
		return 1
	})
	j := i
	for ; j < len(s) && s[j].from <= to; j++ {
		overlaps = overlaps || s[j].from < to && s[j].to > from
	}
	if i == j {
		*c = slices.Insert(s, i, span{from, to})
		return false
	}
	s[i] = span{min(from, s[i].from), max(to, s[j-1].to)}
	*c = slices.Delete(s, i+1, j)
	return overlaps
}

// gaps yields the ranges of [0, size) that are not in c.
func (c cover) gaps(size int64) iter.Seq2[int64, int64] {
	return func(yield func(from, to int64) bool) {
		at := int64(0)
		for _, x := range c {
			if at < x.from && !yield(at, x.from) {
				return
			}
			at = x.to
		}
		if at < size {
			yield(at, size)
		}
	}
}
