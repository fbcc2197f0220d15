package expr

import "github.com/apache/arrow/go/v15/arrow/scalar"

// Evidence is what a format knows about one column over one range of rows.
type Evidence interface {
	Stats() Stats
	// MayContain reports whether some row may equal v; true if that is not known. It is answered from a bloom filter, a
	// dictionary, or a list of values. v has the column's type; for dictionary, run-end encoded and extension columns it has the
	// type of the values. To find a float zero, it is called for 0 and for -0.
	MayContain(v scalar.Scalar) bool
}

// Stats bounds the values of one column over one range of rows. In the zero value, nothing is known.
type Stats struct {
	// Min and Max bound every value that is neither null nor NaN: Min <= value <= Max, in the order of the column's type (text
	// and bytes byte by byte, unsigned). nil = not known. The column need not have the values Min and Max: a truncated string
	// that is below every value is a valid Min. Bounds have the column's type, or a type that can be compared with the column. A
	// null, a NaN, a bound of another type, and a Min above Max count as not known.
	Min, Max scalar.Scalar
	// Rows is the number of rows of the range; 0 or less = not known.
	Rows int64
	// Nulls is the number of rows in which the column, or a struct above it, is null; -1 = not known. If Rows is 0, Nulls 0 also
	// means not known, since that is the zero value. Set Rows to -1 to say that there are no nulls in an unknown number of rows.
	Nulls int64
}

// StatsOnly is Evidence that consists of statistics alone. In the zero value, nothing is known.
type StatsOnly Stats

// Stats returns s.
func (s StatsOnly) Stats() Stats { return Stats(s) }

// MayContain returns true.
func (s StatsOnly) MayContain(scalar.Scalar) bool { return true }

// nulls tells whether there can be nulls, and whether there can be anything else.
func (s Stats) nulls() (null, other bool) {
	switch {
	case s.Nulls < 0, s.Rows == 0, s.Rows > 0 && s.Nulls > s.Rows:
		return true, true
	case s.Rows < 0:
		return s.Nulls > 0, true
	}
	return s.Nulls > 0, s.Nulls < s.Rows
}
