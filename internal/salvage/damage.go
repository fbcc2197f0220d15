package salvage

import (
	"cmp"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Damage is a part of a file that cannot be shown to be what was written.
type Damage struct {
	Rows   arrowio.RowRange  // of the file
	Column int               // of the schema; All = every column
	Place  string            // in the format's words: "stripe 3"
	Bytes  arrowio.ByteRange // where the part is stored; Len 0 = not known
	Reason error
}

// All is the value of Damage.Column for every column.
const All = -1

// segment is a run of rows in which the same columns are damaged.
type segment struct {
	rows    arrowio.RowRange
	columns []int // sorted; nil = none
	first   *Damage
	more    int // reasons other than that of first
}

// segments divides the rows from 0 on at the edges of damage. Neighbours that are damaged alike, in one place, are one segment.
func segments(rows int64, columns int, damage []Damage) []segment {
	edges := []int64{0, rows}
	for i := range damage {
		edges = append(edges, damage[i].Rows.Start, damage[i].Rows.End)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	byStart := make([]*Damage, len(damage))
	for i := range damage {
		byStart[i] = &damage[i]
	}
	slices.SortStableFunc(byStart, func(a, b *Damage) int {
		return cmp.Or(cmp.Compare(a.Rows.Start, b.Rows.Start), cmp.Compare(a.Column, b.Column))
	})
	var out []segment
	var open []*Damage // those that reach into the range at hand
	for i := 0; i+1 < len(edges); i++ {
		r := arrowio.RowRange{Start: edges[i], End: edges[i+1]}
		if r.Start < 0 || r.End > rows {
			continue
		}
		open = slices.DeleteFunc(open, func(d *Damage) bool { return d.Rows.End <= r.Start })
		for len(byStart) > 0 && byStart[0].Rows.Start <= r.Start {
			open, byStart = append(open, byStart[0]), byStart[1:]
		}
		s := segment{rows: r}
		for _, d := range open {
			s.add(d, columns)
		}
		slices.Sort(s.columns)
		s.columns = slices.Compact(s.columns)
		if k := len(out) - 1; k >= 0 && out[k].joins(&s) {
			out[k].rows.End = s.rows.End
			out[k].more = max(out[k].more, s.more)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s *segment) add(d *Damage, columns int) {
	if d.Rows.Len() == 0 {
		return
	}
	if s.first == nil {
		s.first = d
	} else if !samePlace(d.Reason, s.first.Reason) {
		s.more++
	}
	if d.Column != All {
		s.columns = append(s.columns, d.Column)
		return
	}
	for i := range columns {
		s.columns = append(s.columns, i)
	}
}

// samePlace reports whether two errors are about one place in the file: then one is reported for both.
func samePlace(a, b error) bool {
	x, _ := errs.Where(a)
	y, _ := errs.Where(b)
	return x == y
}

// damaged reports whether anything is: a file without columns may have lost rows all the same.
func (s *segment) damaged() bool { return s.first != nil }

// joins reports whether t, which follows s, is damaged as s is.
func (s *segment) joins(t *segment) bool {
	switch {
	case s.damaged() != t.damaged() || !slices.Equal(s.columns, t.columns):
		return false
	case !s.damaged():
		return true
	}
	return s.first.Place == t.first.Place
}
