package kuduwire

import (
	"fmt"
	"strings"
	"testing"
)

func TestPartitionGaps(t *testing.T) {
	hash := []HashDimension{{Columns: []int{0}, Buckets: 2}, {Columns: []int{1}, Buckets: 3}}
	part := func(lower, upper string, buckets ...int32) Partition {
		return Partition{Buckets: buckets, Lower: []byte(lower), Upper: []byte(upper)}
	}
	text := func(ps []Partition) string {
		var s []string
		for _, p := range ps {
			s = append(s, strings.TrimSpace(fmt.Sprintf("%s-%s %v", p.Lower, p.Upper, p.Buckets)))
		}
		return strings.Join(s, "; ")
	}
	for _, c := range []struct {
		what    string
		hash    []HashDimension
		ranges  []HashedRange
		have    []Partition
		count   int64
		missing string
		between string
	}{
		{"not divided", nil, nil, []Partition{part("", "")}, 0, "", ""},
		{"one of two buckets", hash[:1], nil, []Partition{part("", "", 1)}, 1, "- [0]", ""},
		{
			"two hashes", hash, nil,
			[]Partition{part("", "", 1, 2), part("", "", 0, 0), part("", "", 0, 1), part("", "", 1, 0)},
			2, "- [0 2]; - [1 1]", "",
		},
		{
			"ranges", hash[:1], nil,
			[]Partition{part("b", "d", 0), part("d", "f", 0), part("d", "f", 1), part("m", "", 0), part("m", "", 1)},
			1, "b-d [1]", "f-m []",
		},
		{"open ends", nil, nil, []Partition{part("", "c"), part("c", "")}, 0, "", ""},
		{
			"hashes of one range", hash[:1],
			[]HashedRange{{Lower: []byte("c"), Upper: []byte("e"), Hash: hash[1:]}},
			[]Partition{part("a", "c", 0), part("a", "c", 1), part("c", "e", 1)},
			2, "c-e [0]; c-e [2]", "",
		},
		{"a bucket that cannot be", hash[:1], nil, []Partition{part("", "", 7)}, 0, "", ""},
		{"of another division", hash, nil, []Partition{part("", "", 1)}, 0, "", ""},
		{"too many to count", []HashDimension{{Buckets: 1 << 30}, {Buckets: 1 << 30}, {Buckets: 1 << 30}}, nil, []Partition{part("", "", 1, 1, 1)}, 0, "", ""},
	} {
		p := &Partitioning{Hash: c.hash, Ranges: c.ranges}
		g := p.Gaps(c.have, 10)
		if g.Count != c.count || text(g.Missing) != c.missing || text(g.Between) != c.between {
			t.Errorf("%s: %d missing: %q; between: %q", c.what, g.Count, text(g.Missing), text(g.Between))
		}
	}
	p := &Partitioning{Hash: []HashDimension{{Buckets: 1 << 20}}}
	if g := p.Gaps([]Partition{part("", "", 5)}, 3); g.Count != 1<<20-1 || len(g.Missing) != 3 {
		t.Errorf("many: %d, %d", g.Count, len(g.Missing))
	}
}
