package kuduwire

import (
	"bytes"
	"cmp"
	"slices"
)

// PartitionGaps is what is missing of a table's partitions.
type PartitionGaps struct {
	// Missing are partitions that the table must have: others with the same range and different buckets are there. At most
	// as many as were asked for.
	Missing []Partition
	Count   int64 // of all of those
	// Between are ranges that no partition covers and that lie between others. A table may have such ranges.
	Between []Partition
}

// maxBuckets bounds the partitions of one range, which are counted by their buckets.
const maxBuckets = 1 << 20

// Gaps finds out which partitions are not among have, and returns the first n of them.
func (p *Partitioning) Gaps(have []Partition, n int) (g PartitionGaps) {
	have = slices.Clone(have)
	slices.SortFunc(have, func(a, b Partition) int {
		return cmp.Or(bytes.Compare(a.Lower, b.Lower), slices.Compare(a.Buckets, b.Buckets))
	})
	for len(have) > 0 {
		k := 1
		for k < len(have) && bytes.Equal(have[k].Lower, have[0].Lower) {
			k++
		}
		p.rangeGaps(&g, have[:k], n)
		if upper := have[0].Upper; k < len(have) && len(upper) > 0 && bytes.Compare(upper, have[k].Lower) < 0 && len(g.Between) < n {
			g.Between = append(g.Between, Partition{Lower: upper, Upper: have[k].Lower})
		}
		have = have[k:]
	}
	return g
}

// rangeGaps finds out which buckets are missing of a range of which have are there.
func (p *Partitioning) rangeGaps(g *PartitionGaps, have []Partition, n int) {
	hash := p.dimensions(have[0].Lower)
	all := int64(1)
	for _, d := range hash {
		if all *= int64(d.Buckets); all > maxBuckets {
			return
		}
	}
	there := map[int64]bool{}
	for i := range have {
		if len(have[i].Buckets) != len(hash) {
			return // they are of another division of the table
		}
		at := int64(0)
		for k, d := range hash {
			b := have[i].Buckets[k]
			if b < 0 || b >= d.Buckets {
				return
			}
			at = at*int64(d.Buckets) + int64(b)
		}
		there[at] = true
	}
	g.Count += all - int64(len(there))
	for at := int64(0); at < all && len(g.Missing) < n && int64(len(there)) < all; at++ {
		if there[at] {
			continue
		}
		m := Partition{Buckets: make([]int32, len(hash)), Lower: have[0].Lower, Upper: have[0].Upper}
		for k, rest := len(hash)-1, at; k >= 0; k-- {
			m.Buckets[k] = int32(rest % int64(hash[k].Buckets))
			rest /= int64(hash[k].Buckets)
		}
		g.Missing = append(g.Missing, m)
	}
}
