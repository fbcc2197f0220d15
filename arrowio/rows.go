package arrowio

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// RowRange is a half-open range of rows of a file.
type RowRange struct{ Start, End int64 }

// Len returns the number of rows; 0 for an empty or reversed range.
func (r RowRange) Len() int64 { return max(0, r.End-r.Start) }

// Check returns an error of kind errs.ErrInternal unless the n rows that begin with row are all in r. A SplitReader calls it
// before it reads or skips n rows: r is the range of its split, and row is the next row.
func (r RowRange) Check(row, n int64) error {
	if row < r.Start || n < 0 || n > r.End-row {
		return errs.Errorf(errs.ErrInternal, "%d rows requested from row %d on, outside rows %d to %d of the split", n, row, r.Start, r.End)
	}
	return nil
}

// Intersect returns the rows that are in both r and o.
func (r RowRange) Intersect(o RowRange) RowRange {
	x := RowRange{max(r.Start, o.Start), min(r.End, o.End)}
	if x.End < x.Start {
		x.End = x.Start
	}
	return x
}

// RowSet is a set of rows: sorted, disjoint, non-empty ranges.
type RowSet []RowRange

// Len returns the number of rows.
func (s RowSet) Len() int64 {
	var n int64
	for _, r := range s {
		n += r.Len()
	}
	return n
}

// span returns the rows from the first of s to its last; the zero range where there are none.
func (s RowSet) span() RowRange {
	if len(s) == 0 {
		return RowRange{}
	}
	return RowRange{s[0].Start, s[len(s)-1].End}
}

// Add returns s with r appended; r must not start before the end of s's last range. Touching ranges are joined.
func (s RowSet) Add(r RowRange) RowSet {
	if r.Len() == 0 {
		return s
	}
	if n := len(s); n > 0 && s[n-1].End >= r.Start {
		s[n-1].End = max(s[n-1].End, r.End)
		return s
	}
	return append(s, r)
}

// join returns s with the ranges of o appended, which must not start before the end of s's last range.
func (s RowSet) join(o RowSet) RowSet {
	if len(o) == 0 {
		return s
	}
	return append(s.Add(o[0]), o[1:]...)
}

// closed returns s with the gaps of up to so many rows between its ranges.
func (s RowSet) closed(gap int64) RowSet {
	var out RowSet
	for _, r := range s {
		if n := len(out); n > 0 && r.Start-out[n-1].End <= gap {
			out[n-1].End = r.End
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Clip returns the rows of s that lie in r.
func (s RowSet) Clip(r RowRange) RowSet {
	var out RowSet
	for _, x := range s {
		out = out.Add(x.Intersect(r))
	}
	return out
}

// Intersect returns the rows that are in both s and o.
func (s RowSet) Intersect(o RowSet) RowSet {
	var out RowSet
	for i, j := 0, 0; i < len(s) && j < len(o); {
		out = out.Add(s[i].Intersect(o[j]))
		if s[i].End < o[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

// Union returns the rows that are in s or in o.
func (s RowSet) Union(o RowSet) RowSet {
	all := append(slices.Clone(s), o...)
	slices.SortFunc(all, func(a, b RowRange) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	var out RowSet
	for _, r := range all {
		out = out.Add(r)
	}
	return out
}

// Overlaps reports whether any row of r is in s.
func (s RowSet) Overlaps(r RowRange) bool {
	for _, x := range s {
		if x.Start >= r.End {
			return false
		}
		if x.End > r.Start {
			return r.Len() > 0
		}
	}
	return false
}
