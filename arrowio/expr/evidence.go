package expr

import "github.com/apache/arrow/go/v15/arrow/scalar"

// Evidence is what a format knows about one column over one range of rows.
type Evidence interface {
	Stats() Stats
	// MayContain reports whether some row may equal v; true when unknown. A Bloom filter, a dictionary, or a list of
	// values answers it. v has the column's type, or the type of the values for dictionary, run-end encoded and
	// extension columns. For floats both zeros are asked for.
	MayContain(v scalar.Scalar) bool
}

// Stats bounds the values of one column over one range of rows. The zero value says nothing.
type Stats struct {
	// Min and Max bound every value that is neither null nor NaN: Min <= value <= Max, in the order of the column's
	// type (text and bytes byte by byte, unsigned). nil is unknown. Bounds need not be attained: a truncated string
	// that is still below every value is a Min. They are of the column's type, or of one whose values compare with it
	// as literals do; a bound that does not compare, a null, a NaN, and a Min above the Max are taken as unknown.
	Min, Max scalar.Scalar
	// Rows is the number of rows of the range; 0 or less is unknown.
	Rows int64
	// Nulls is the number of rows where the column is null, those included where a struct that holds it is. -1 is
	// unknown, and so is 0 while Rows is 0, for then nobody filled it in; Rows -1 with Nulls 0 says that there are none.
	Nulls int64
}

// StatsOnly is Evidence made of statistics. Its zero value knows nothing.
type StatsOnly Stats

// Stats returns s.
func (s StatsOnly) Stats() Stats { return Stats(s) }

// MayContain is always true.
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
