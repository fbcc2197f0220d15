package tableprofile

// Profile is what is known of some columns.
type Profile struct {
	Rows          int64    `json:"rows"`
	Scanned       bool     `json:"scanned"`        // rows were read; false = all is from the statistics of files
	ExactDistinct int      `json:"exact_distinct"` // different values of a column up to which all is exact, if they are short
	Columns       []Column `json:"columns"`
}

// Column is what is known of a column, or of the fields, elements, keys or values in a nested one. Nil, or an empty list = that is not
// known, or the type has no such thing.
type Column struct {
	Path   string `json:"path"`   // dotted, as expr.Quote writes it
	Type   string `json:"type"`   // Arrow's name
	Nested bool   `json:"nested"` // it has fields, elements or branches of its own, which follow it
	Depth  int    `json:"depth"`  // 0 = a column of the table, 1 = inside of one, and so on
	Rows   int64  `json:"rows"`   // nulls included; of elements, keys and values their number
	Nulls  *int64 `json:"nulls"`  // those of a field include the nulls around it

	Distinct *Distinct `json:"distinct"` // different values besides null
	Min      *string   `json:"min"`      // of text, bytes compared; of floating point numbers without NaN
	Max      *string   `json:"max"`
	Mean     *float64  `json:"mean"`
	StdDev   *float64  `json:"stddev"`   // of the values as a whole population: the square root of their mean squared distance from the mean
	Zero     *int64    `json:"zero"`     // numbers that are zero
	Negative *int64    `json:"negative"` // numbers below zero
	NaN      *int64    `json:"nan"`
	Empty    *int64    `json:"empty"` // text, bytes, lists and maps without anything in them
	True     *int64    `json:"true"`
	Lengths  *Lengths  `json:"lengths"`

	Quantiles      []Quantile `json:"quantiles"`
	QuantilesExact bool       `json:"quantiles_exact"` // false = they are about right, or there are none
	Histogram      *Histogram `json:"histogram"`       // of numbers and times that differ
	Top            []Frequent `json:"top"`             // the most frequent first
	TopExact       bool       `json:"top_exact"`       // counts are exact, and no other value is more frequent
}

// Values returns how many values there are that are no nulls, or may be none.
func (c *Column) Values() int64 {
	if c.Nulls == nil {
		return c.Rows
	}
	return c.Rows - *c.Nulls
}

// setNoValues sets what is known of a column without values: no two of them differ.
func (c *Column) setNoValues(inner kind) {
	if inner == flat {
		c.Distinct = &Distinct{Exact: true}
	}
}

// Distinct is a number of different values.
type Distinct struct {
	Count int64   `json:"count"`
	Exact bool    `json:"exact"`
	Error float64 `json:"error"` // standard error, as a part of Count; 0 = exact
}

// Lengths are bytes of text and binary, elements of lists, entries of maps.
type Lengths struct {
	Min  int64   `json:"min"`
	Max  int64   `json:"max"`
	Mean float64 `json:"mean"`
}

// Quantile is the least value with at least a share of the values not above it, or about that.
type Quantile struct {
	Share float64 `json:"share"`
	Value string  `json:"value"`
}

// Frequent is a value, and how often it occurs.
type Frequent struct {
	Value  string `json:"value"`
	Count  int64  `json:"count"` // at least
	AtMost int64  `json:"at_most"`
}

// shares are those of quantiles.
var shares = []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

const topValues = 10

// valueBytes is the most of a value that is kept as text. What is longer ends in Ellipsis.
const valueBytes = 256

// Ellipsis stands at the end of values that were cut.
const Ellipsis = "…"
