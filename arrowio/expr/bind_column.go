package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// column is what the predicate reads: a column, or what is at a place inside the lists and maps of one.
type column struct {
	path  string // of the column, as the user wrote it first, in the spelling of the schema
	names []string
	ids   []int
	base  arrow.DataType // of the column
	inner string         // the text of the steps; "" = none
	steps []boundStep
	t     arrow.DataType // of the value
}

// text is the whole path.
func (c column) text() string { return c.path + c.inner }

// boundStep is a step into a value of a known type.
type boundStep struct {
	kind stepKind
	at   int  // the position of a list's element, or of a struct's field
	key  pred // of a map; nil = no map has the key
}

type stepKind uint8

const (
	stepElement stepKind = iota
	stepValue
	stepField
)

// column resolves a path and returns the column's number.
func (b *binder) column(path string) (int, error) {
	if i, ok := b.paths[path]; ok {
		return i, nil
	}
	base, steps, err := splitElements(path)
	if err != nil {
		return 0, err
	}
	at, err := resolve(b.schema, base)
	if err != nil {
		return 0, err
	}
	if at.through != nil {
		return 0, fmt.Errorf("column %s lies inside a %s: filters read columns of structs, and elements by their position or key, as in tags[0]", path, at.through.Name())
	}
	f := b.schema.Field(at.ids[0])
	c := column{path: base, names: []string{f.Name}, ids: at.ids}
	for _, id := range at.ids[1:] {
		f = f.Type.(*arrow.StructType).Field(id) // resolve enters nothing else
		c.names = append(c.names, f.Name)
	}
	c.base, c.t = f.Type, f.Type
	if at.folded {
		c.path, b.respelled = b.spelled(c.names, at.ids), true
	}
	for _, s := range steps {
		if err := c.enter(s); err != nil {
			return 0, fmt.Errorf("column %s: %w", path, err)
		}
	}
	i := slices.IndexFunc(b.bound.cols, func(x column) bool { return slices.Equal(x.ids, c.ids) && x.inner == c.inner })
	if i < 0 {
		i = len(b.bound.cols)
		b.bound.cols = append(b.bound.cols, c)
	}
	if b.paths == nil {
		b.paths = map[string]int{}
	}
	b.paths[path] = i
	return i, nil
}

// TypeOf returns the type of what a path in a predicate names: of a column, or of an element of a list or map.
func TypeOf(s *arrow.Schema, path string) (arrow.DataType, error) {
	b := binder{schema: s, bound: &Bound{}}
	i, err := b.column(path)
	if err != nil {
		return nil, err
	}
	return b.bound.cols[i].t, nil
}

// spelled is the path to a column by its names in the schema.
func (b *binder) spelled(names []string, ids []int) string {
	path := Quote(names...)
	if at, err := resolveNames(b.schema, path, false); err == nil && slices.Equal(at.ids, ids) {
		return path
	}
	return quoteAll(names) // names with dots make the shorter form another path
}

// enter adds a step.
func (c *column) enter(s step) error {
	t := arrowtype.Storage(c.t)
	if s.key == nil {
		st, ok := t.(*arrow.StructType)
		if !ok {
			return fmt.Errorf("%s is %v, which has no field %q", c.text(), c.t, s.field.name)
		}
		at, err := resolveNames(arrow.NewSchema(st.Fields(), nil), quoteAll([]string{s.field.name}), false)
		if err != nil && !s.field.quoted {
			at, err = resolve(arrow.NewSchema(st.Fields(), nil), Quote(s.field.name))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.text(), err)
		}
		f := st.Field(at.ids[0])
		c.steps = append(c.steps, boundStep{kind: stepField, at: at.ids[0]})
		c.inner += "." + fieldText(f.Name)
		c.t = f.Type
		return nil
	}
	bound := boundStep{kind: stepElement}
	switch t := t.(type) {
	case *arrow.MapType:
		bound.kind = stepValue
		d, err := domainOf(t.KeyType())
		if err != nil {
			return err
		}
		if bound.key, _, err = newPred(d, Eq, []scalar.Scalar{s.key}); err != nil {
			return fmt.Errorf("keys of %s are %v: %w", c.text(), t.KeyType(), err)
		}
		c.t = t.ItemType()
	case arrow.ListLikeType:
		switch t.(type) {
		case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		default:
			return fmt.Errorf("elements of %v cannot be read", c.t)
		}
		at, err := position(s.key)
		if err != nil {
			return err
		}
		bound.at, c.t = at, t.Elem()
	default:
		return fmt.Errorf("%s is %v, which has no elements: brackets follow lists and maps", c.text(), c.t)
	}
	c.steps = append(c.steps, bound)
	var b strings.Builder
	writeElement(&b, s.key)
	c.inner += b.String()
	return nil
}
