package orc

// reach says how the columns of a damaged stripe are read around the damage. A column whose row index leads to a row group is read
// from there; any other column is decoded from where it stands.
type reach struct {
	seek [][]bool // by position of the column in File.top, and row group
}

// reach returns how a damaged stripe is read; nil = it is intact.
func (s *stripe) reach() *reach { return s.file.reach[s.ordinal] }

// seeks reports whether a column is read from the positions of a row group.
func (r *reach) seeks(f *File, n *node, group int) bool {
	for i, t := range f.top {
		if t == n.typ {
			return group < len(r.seek[i]) && r.seek[i][group]
		}
	}
	return false
}

// moveAround is move in a damaged stripe: no other row group than that of row is decoded in columns that have positions for it.
func (g *branch) moveAround(r *reach, row int64) error {
	stride := int64(g.tree.file.footer.RowIndexStride)
	if stride <= 0 {
		return g.pass(row)
	}
	start := row / stride * stride
	if start < g.row || start == g.row && row > start {
		return g.pass(row)
	}
	before := g.row
	for _, n := range g.roots {
		if r.seeks(g.tree.file, n, int(start/stride)) {
			if err := n.seekAll(int(start / stride)); err != nil {
				return err
			}
			continue
		}
		for at := before; at < start; {
			k := min(start-at, stepRows)
			if err := n.skip(k); err != nil {
				return err
			}
			at += k
		}
	}
	g.row = start
	return g.pass(row)
}

// readAround is read in a damaged stripe: every row group is entered anew, so that what is wrong with one stays there.
func (g *branch) readAround(r *reach, n int) error {
	stride := int64(g.tree.file.footer.RowIndexStride)
	for n > 0 {
		k := n
		if stride > 0 {
			if g.row%stride == 0 {
				if err := g.moveAround(r, g.row); err != nil {
					return err
				}
			}
			k = int(min(int64(n), stride-g.row%stride))
		}
		if err := g.readRows(k); err != nil {
			return err
		}
		n -= k
	}
	return nil
}
