package sql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/sqltext"
)

// parameterTypes returns the type of what each parameter is compared with, and checks that the condition's columns are
// there. One that is compared with nothing is text.
func parameterTypes(sel *sqltext.Select, s *arrow.Schema) ([]arrow.DataType, error) {
	marks := make([]string, sel.Params)
	out := make([]arrow.DataType, sel.Params)
	for i := range marks {
		marks[i] = fmt.Sprintf("'\x01parameter %d\x01'", i)
		out[i] = arrow.BinaryTypes.String
	}
	x, err := sel.Where(marks)
	if err != nil {
		if x, err = sel.Where(slices.Repeat([]string{"'?'"}, sel.Params)); err != nil { // as the character of ESCAPE
			return nil, textError(err)
		}
	}
	var walk func(expr.Expr) error
	note := func(t arrow.DataType, values ...scalar.Scalar) {
		for _, v := range values {
			text, ok := v.(*scalar.String) // other scalars may have no text at all
			if !ok {
				continue
			}
			if i := slices.Index(marks, "'"+string(text.Data())+"'"); i >= 0 {
				out[i] = t
			}
		}
	}
	see := func(col string, values ...scalar.Scalar) error {
		t, err := columnType(s, col)
		if err != nil {
			return err
		}
		note(t, values...)
		return nil
	}
	walk = func(x expr.Expr) error {
		switch x := x.(type) {
		case expr.Compare:
			return see(x.Col, x.Value)
		case expr.In:
			for _, v := range x.Values {
				if err := see(x.Col, v); err != nil {
					return err
				}
			}
			return see(x.Col)
		case expr.CompareColumns:
			if err := see(x.Left); err != nil {
				return err
			}
			return see(x.Right)
		case expr.Contains:
			list, err := columnType(s, x.Col)
			if l, ok := list.(arrow.ListLikeType); ok && err == nil {
				note(l.Elem(), x.Value)
			}
			return err
		case expr.Like:
			return see(x.Col)
		case expr.IsNull:
			return see(x.Col)
		case expr.IsNaN:
			return see(x.Col)
		case expr.Not:
			return walk(x.X)
		case expr.And:
			return walkAll(x, walk)
		case expr.Or:
			return walkAll(x, walk)
		}
		return nil
	}
	for _, n := range []int{sel.LimitParam, sel.OffsetParam} {
		if n > 0 {
			out[n-1] = arrow.PrimitiveTypes.Int64
		}
	}
	if x == nil {
		return out, nil
	}
	return out, walk(x)
}

func walkAll(list []expr.Expr, walk func(expr.Expr) error) error {
	for _, x := range list {
		if err := walk(x); err != nil {
			return err
		}
	}
	return nil
}

// columnType returns the type of the values of a column, dictionaries aside.
func columnType(s *arrow.Schema, path string) (arrow.DataType, error) {
	if _, element := expr.Base(path); element {
		t, err := expr.TypeOf(s, path)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		return valueType(t), nil
	}
	ids, err := expr.Resolve(s, path)
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
	}
	t := s.Field(ids[0]).Type
	for _, i := range ids[1:] {
		n, ok := t.(arrow.NestedType)
		if !ok {
			break
		}
		for !strings.HasPrefix(n.Name(), "struct") && len(n.Fields()) == 1 { // a list, on the way to the struct inside
			inner, ok := n.Fields()[0].Type.(arrow.NestedType)
			if !ok {
				return n, nil
			}
			n = inner
		}
		if i >= len(n.Fields()) {
			return t, nil
		}
		t = n.Fields()[i].Type
	}
	return valueType(t), nil
}

func valueType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return t
}
