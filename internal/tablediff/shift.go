package tablediff

import "hash/maphash"

// sampleRows is how many rows, from the first that differs on, tell whether rows were shifted.
const sampleRows = 8192

// sample is what the rows from the first difference on tell of their positions.
type sample struct {
	seed   maphash.Seed
	rows   [2][]uint64 // hashes of the rows of both tables
	differ []int64     // for each column: how often the values at one position differ
	change []int64     // how often a value of A differs from the one in the row before
}

// full reports whether no more rows are taken.
func (s *sample) full() bool { return len(s.rows[0]) >= sampleRows }

// sampled takes n rows of the batches into the sample, from row i of what is left of them.
func (c *comparison) sampled(i, n int) {
	s := &c.sample
	if s.differ == nil {
		s.seed, s.differ, s.change = maphash.MakeSeed(), make([]int64, len(c.Columns)), make([]int64, len(c.Columns))
	}
	n = min(n, sampleRows-len(s.rows[0]))
	a, b := &c.sides[0], &c.sides[1]
	marks := make([]uint64, (n+63)/64) // nobody looks at them
	for _, k := range c.order {
		f, va, vb := c.Columns[k].form, &a.vecs[k], &b.vecs[k]
		s.differ[k] += f.mark(c.loose, va, a.at+i, vb, b.at+i, n, marks)
		s.change[k] += f.mark(c.loose, va, a.at+i, va, a.at+i+1, n-1, marks)
	}
	for side := range c.sides {
		x := &c.sides[side]
		for at := x.at + i; at < x.at+i+n; at++ {
			c.enc = c.enc[:0]
			for _, k := range c.order {
				c.enc = c.Columns[k].form.append(c.enc, c.exact, &x.vecs[k], at)
			}
			s.rows[side] = append(s.rows[side], maphash.Bytes(s.seed, c.enc))
		}
	}
}

// moved reports whether many of the rows that differ are found at another position of the other table.
func (s *sample) moved() bool {
	const several = -1
	var at [2]map[uint64]int
	for side, rows := range s.rows {
		at[side] = make(map[uint64]int, len(rows))
		for i, h := range rows {
			if _, ok := at[side][h]; ok {
				i = several // alike rows do not tell where they belong
			}
			at[side][h] = i
		}
	}
	differ, moved := 0, 0
	for i, h := range s.rows[0] {
		if h == s.rows[1][i] {
			continue
		}
		differ++
		if j, ok := at[1][h]; ok && j != several && at[0][h] != several {
			moved++
		}
	}
	return moved > 0 && 4*moved >= differ
}

// inPlace reports whether a column tells that positions match: its values change from row to row, and hardly ever differ at one position.
func (s *sample) inPlace() bool {
	for k, n := range s.change {
		if n >= 10 && 10*s.differ[k] <= n {
			return true
		}
	}
	return false
}

// shifted reports whether most rows from the first difference on differ, because rows may have been added, removed or moved there.
func (c *comparison) shifted() bool {
	if c.differSince <= 100 || 2*c.differSince <= c.sinceFirst {
		return false
	}
	return c.sample.moved() || !c.sample.inPlace() && !c.oneColumn()
}
