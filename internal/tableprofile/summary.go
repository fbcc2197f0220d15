package tableprofile

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowdense"
)

// Summaries makes a profile of rows that nobody reads, by what files say of their columns. It is for one goroutine.
type Summaries struct {
	columns []*summarized
	rows    int64
}

// summarized is a column that lies in structs alone, and what the files that have rows say of it.
type summarized struct {
	*column
	name  string
	files []summary
}

type summary struct {
	expr.Summary
	rows int64 // of the file
}

// NewSummaries returns Summaries of files whose columns have a schema.
func NewSummaries(schema *arrow.Schema) *Summaries {
	s := &Summaries{}
	leaves := 0
	for _, f := range schema.Fields() {
		s.addColumn(newColumn(nil, f, &leaves))
	}
	return s
}

func (s *Summaries) addColumn(c *column) {
	s.columns = append(s.columns, &summarized{column: c, name: expr.Quote(c.path...)})
	if c.inner == fields {
		for _, child := range c.children {
			s.addColumn(child)
		}
	}
}

// Add adds a file. of says what it knows of the column at a path, which is of type t.
func (s *Summaries) Add(rows int64, of func(path string, t arrow.DataType) (expr.Summary, error)) error {
	if rows == 0 {
		return nil
	}
	if rows > math.MaxInt64-s.rows {
		return errs.Errorf(errs.ErrUnsupported, "the files have more than %d rows", int64(math.MaxInt64))
	}
	s.rows += rows
	for _, c := range s.columns {
		x, err := of(c.name, c.typ)
		if err != nil {
			return err
		}
		if x.Nulls > rows { // of other rows than these
			x = expr.Summary{Nulls: -1}
		}
		c.files = append(c.files, summary{x, rows})
	}
	return nil
}

// Profile returns what is known of all files together. What one of them does not tell is not known.
func (s *Summaries) Profile() (*Profile, error) {
	out := &Profile{Rows: s.rows, Columns: []Column{}}
	for _, c := range s.columns {
		x := Column{Path: c.name, Type: c.typ.String(), Depth: len(c.path) - 1, Nested: c.inner == fields, Rows: s.rows, Quantiles: []Quantile{}, Top: []Frequent{}}
		c.count(&x)
		if err := c.bound(&x); err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, x)
	}
	return out, nil
}

// count sets the number of nulls and the mean.
func (c *summarized) count(x *Column) {
	var nulls int64
	sum := new(big.Int) // nil = not known
	for i := range c.files {
		f := &c.files[i]
		if f.Nulls < 0 {
			return
		}
		nulls += f.Nulls
		switch {
		case sum == nil || f.Nulls == f.rows:
		case f.Sum == nil:
			sum = nil
		default:
			sum.Add(sum, f.Sum)
		}
	}
	x.Nulls = &nulls
	switch n := x.Values(); {
	case n == 0:
		x.setNoValues(c.inner)
	case sum != nil:
		x.Mean = meanOf(sum, n, 0)
	}
}

// bound sets the least and the greatest value, which are those of the bounds of all files.
func (c *summarized) bound(x *Column) error {
	var bounds []scalar.Scalar
	for i := range c.files {
		switch f := &c.files[i]; {
		case f.Nulls == f.rows:
		case f.Min == nil || f.Max == nil || !arrow.TypeEqual(f.Min.DataType(), stored(c.typ)) || !arrow.TypeEqual(f.Max.DataType(), stored(c.typ)):
			return nil
		default:
			bounds = append(bounds, f.Min, f.Max)
		}
	}
	if len(bounds) == 0 || c.inner != flat || c.measure == nil {
		return nil
	}
	c.setLimit(leastCounted)
	tool := &scratch{finder: arrowdense.Finder{Mem: heap, Dictionaries: true, Unions: true}}
	for _, v := range bounds {
		a, err := scalar.MakeArrayFromScalar(v, 1, heap)
		if err != nil {
			return err
		}
		err = c.add(a, tool)
		a.Release()
		if err != nil {
			return err
		}
	}
	ends := Column{Rows: int64(len(bounds))}
	c.measure.finish(&ends)
	x.Min, x.Max = ends.Min, ends.Max
	return nil
}
