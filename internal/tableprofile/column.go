package tableprofile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowdense"
)

// column is a column, or what is inside of one.
type column struct {
	path  []string
	typ   arrow.DataType
	inner kind // of nested types
	rows  int64
	nulls int64
	// measure is of values, which are no nulls. nil = the type is nested without lengths, or has no values.
	measure  measure
	children []*column
}

// measure is what is found out of the values of a type. add takes an array without nulls.
type measure interface {
	add(a arrow.Array, s *scratch)
	finish(out *Column)
}

// kind says how values lie in others.
type kind uint8

const (
	flat kind = iota
	fields
	elements // of lists
	entries  // of maps
	branches // of unions
)

// stored returns the type that values of a type are stored as.
func stored(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return stored(t.StorageType())
	case *arrow.DictionaryType:
		return stored(t.ValueType)
	case *arrow.RunEndEncodedType:
		return stored(t.Encoded())
	}
	return t
}

// newColumn returns a column for a field, and adds to leaves how many tables of values it has.
func newColumn(above []string, f arrow.Field, leaves *int) *column {
	c := &column{path: append(above[:len(above):len(above)], f.Name), typ: f.Type}
	add := func(f arrow.Field) { c.children = append(c.children, newColumn(c.path, f, leaves)) }
	switch t := stored(f.Type).(type) {
	case *arrow.StructType:
		c.inner = fields
		for _, f := range t.Fields() {
			add(f)
		}
	case *arrow.MapType:
		c.inner, c.measure = entries, &listLengths{}
		add(t.KeyField())
		add(t.ItemField())
	case arrow.ListLikeType:
		c.inner, c.measure = elements, &listLengths{}
		add(t.ElemField())
	case arrow.UnionType:
		c.inner = branches
		for _, f := range t.Fields() {
			add(f)
		}
	default:
		if c.measure = newMeasure(t); c.measure != nil {
			*leaves++
		}
	}
	return c
}

func (c *column) setLimit(n int) {
	if m, ok := c.measure.(interface{ counts() *counter }); ok {
		m.counts().limit, m.counts().budget = n, int64(n)*slotBytes/2
	}
	for _, child := range c.children {
		child.setLimit(n)
	}
}

// add measures the values of an array.
func (c *column) add(a arrow.Array, s *scratch) error {
	c.rows += int64(a.Len())
	v, err := s.finder.Values(a)
	if err != nil {
		return err
	}
	defer v.Array.Release()
	a = v.Array
	c.nulls += int64(v.N - a.Len())
	if a.Len() == 0 {
		return nil
	}
	if c.measure != nil {
		c.measure.add(a, s)
	}
	switch c.inner {
	case fields:
		for i, child := range c.children {
			if err := child.add(a.(*array.Struct).Field(i), s); err != nil {
				return err
			}
		}
	case elements, entries:
		return c.addElements(a.(array.ListLike), s)
	case branches:
		return c.addBranches(a.(array.Union), s)
	}
	return nil
}

// addElements measures what is in lists and maps.
func (c *column) addElements(a array.ListLike, s *scratch) error {
	var runs [][2]int64
	for i := range a.Len() {
		from, to := a.ValueOffsets(i)
		runs = arrowdense.AppendRun(runs, from, to)
	}
	values, err := arrowdense.Gather(a.ListValues(), runs, s.finder.Mem)
	if err != nil {
		return err
	}
	defer values.Release()
	if c.inner == elements {
		return c.children[0].add(values, s)
	}
	for i, child := range c.children {
		if err := child.add(values.(*array.Struct).Field(i), s); err != nil {
			return err
		}
	}
	return nil
}

// addBranches measures what is in unions.
func (c *column) addBranches(a array.Union, s *scratch) error {
	runs := make([][][2]int64, len(c.children))
	slots := arrowdense.SlotsOf(a)
	for i := range a.Len() {
		child, place := slots.At(i)
		runs[child] = arrowdense.AppendRun(runs[child], place, place+1)
	}
	for i, child := range c.children {
		values, err := arrowdense.Gather(a.Field(i), runs[i], s.finder.Mem)
		if err != nil {
			return err
		}
		err = child.add(values, s)
		values.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// nullCount returns the nulls of a column, those of the branches of unions included.
func (c *column) nullCount() int64 {
	n := c.nulls
	if c.inner == branches {
		for _, child := range c.children {
			n += child.nullCount()
		}
	}
	return n
}

// appendTo appends what is known of a column and of those inside. around is the number of nulls of structs around it.
func (c *column) appendTo(out []Column, around int64) []Column {
	nulls := around + c.nullCount()
	x := Column{Path: expr.Quote(c.path...), Type: c.typ.String(), Depth: len(c.path) - 1, Nested: len(c.children) > 0, Rows: around + c.rows, Nulls: &nulls, Quantiles: []Quantile{}, Top: []Frequent{}}
	switch {
	case x.Values() == 0:
		x.setNoValues(c.inner)
	case c.measure != nil:
		c.measure.finish(&x)
		x.setCounted()
	}
	out = append(out, x)
	if c.inner == fields {
		around = nulls
	} else {
		around = 0
	}
	for _, child := range c.children {
		out = child.appendTo(out, around)
	}
	return out
}

// listLengths measures lists and maps.
type listLengths struct{ lengths }

func (m *listLengths) add(a arrow.Array, _ *scratch) {
	lists := a.(array.ListLike)
	for i := range a.Len() {
		from, to := lists.ValueOffsets(i)
		m.one(to-from, 1)
	}
}

func (m *listLengths) finish(out *Column) { m.lengths.finish(out) }

// lengths are those of values.
type lengths struct {
	n, empty, low, high int64
	sum                 wholeSum
}

func (l *lengths) one(n, weight int64) {
	if l.n == 0 {
		l.low = n
	}
	l.n += weight
	l.low, l.high = min(l.low, n), max(l.high, n)
	l.sum.addTimes(n, weight)
	if n == 0 {
		l.empty += weight
	}
}

func (l *lengths) finish(out *Column) {
	out.Empty = &l.empty
	out.Lengths = &Lengths{Min: l.low, Max: l.high, Mean: *meanOf(l.sum.sum(), l.n, 0)}
}
