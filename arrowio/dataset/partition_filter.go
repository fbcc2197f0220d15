package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// tester is a filter, of which the parts that are about columns of directories alone can be answered for a partition.
type tester struct {
	p     *partitions
	expr  expr.Expr
	kids  []*tester   // of AND, OR and NOT
	bound *expr.Bound // of a comparison with a column of a directory; nil = it is about the files

	column, other string // of a comparison of a directory's column with one of the files: other op column; "" = none
	op            expr.Op
}

// boundTester is a tester and what it was made of.
type boundTester struct {
	of *expr.Bound
	t  *tester
}

// tester prepares a filter. An error says what is wrong with a comparison.
func (p *partitions) tester(e expr.Expr) (*tester, error) {
	t := &tester{p: p, expr: e}
	var err error
	add := func(x expr.Expr) {
		k, kerr := p.tester(x)
		if err == nil {
			err = kerr
		}
		t.kids = append(t.kids, k)
	}
	leaf := func(col string) {
		if p.resolves(col) {
			t.bound, err = expr.Bind(e, p.schema)
		}
	}
	switch e := e.(type) {
	case expr.And:
		for _, x := range e {
			add(x)
		}
	case expr.Or:
		for _, x := range e {
			add(x)
		}
	case expr.Not:
		add(e.X)
	case expr.Compare:
		leaf(e.Col)
	case expr.In:
		leaf(e.Col)
	case expr.Like:
		leaf(e.Col)
	case expr.IsNull:
		leaf(e.Col)
	case expr.IsNaN:
		leaf(e.Col)
	case expr.CompareColumns:
		switch l, r := p.resolves(e.Left), p.resolves(e.Right); {
		case l && r:
			leaf(e.Left)
		case l:
			t.column, t.other, t.op = e.Left, e.Right, opposite(e.Op)
		case r:
			t.column, t.other, t.op = e.Right, e.Left, e.Op
		}
	}
	return t, err
}

// resolves reports whether a path is that of a column of a directory. None of them is a list or a map.
func (p *partitions) resolves(path string) bool {
	_, err := expr.ResolveExact(p.schema, path)
	return err == nil
}

// opposite is op with its sides exchanged.
func opposite(op expr.Op) expr.Op {
	switch op {
	case expr.Lt:
		return expr.Gt
	case expr.Le:
		return expr.Ge
	case expr.Gt:
		return expr.Lt
	case expr.Ge:
		return expr.Le
	}
	return op
}

// of returns the tester of a filter on the dataset's schema, which scans ask about for each file.
func (p *partitions) of(b *expr.Bound) (*tester, error) {
	if l := p.last.Load(); l != nil && l.of == b {
		return l.t, nil
	}
	t, err := p.tester(b.Expr())
	if err == nil {
		p.last.Store(&boundTester{b, t})
	}
	return t, err
}

// outcome is what a comparison is for all rows of a partition.
type outcome uint8

const (
	isFalse outcome = iota
	isTrue
	isNull
)

// answer computes a comparison with a column of a directory.
func (t *tester) answer(row arrow.Record) (outcome, error) {
	m, err := t.bound.Mask(row)
	if err != nil {
		return isNull, err
	}
	defer m.Release()
	return outcomeOf(m), nil
}

func outcomeOf(m *array.Boolean) outcome {
	switch {
	case m.IsNull(0):
		return isNull
	case m.Value(0):
		return isTrue
	}
	return isFalse
}

// possible tells whether some row of a partition's files may satisfy the filter.
func (t *tester) possible(r *partition) bool {
	row := t.p.row(r)
	defer row.Release()
	return !isConst(t.rest(row, false), false)
}

var (
	always expr.Expr = expr.And{}
	never  expr.Expr = expr.Or{}
)

// rest is what remains of the filter, or of its opposite, for the files of a partition: true for every row for which the
// filter is. Negations are moved down to the comparisons, where null and false are the same: neither passes, and AND and
// OR only grow when their parts do.
func (t *tester) rest(row arrow.Record, negated bool) expr.Expr {
	switch t.expr.(type) {
	case expr.And:
		return t.restOf(row, negated, negated)
	case expr.Or:
		return t.restOf(row, negated, !negated)
	case expr.Not:
		return t.kids[0].rest(row, !negated)
	}
	if t.bound == nil {
		e := t.expr
		if t.column != "" {
			v := t.value(row)
			if v == nil {
				return always
			}
			e = expr.Compare{Col: t.other, Op: t.op, Value: v}
		}
		if negated {
			return expr.Not{X: e}
		}
		return e
	}
	is, err := t.answer(row)
	want := isTrue
	if negated {
		want = isFalse
	}
	if err != nil || is == want {
		return always
	}
	return never
}

// value is what the directory's column is in this partition; nil = a column that is compared with it may compare with this
// value otherwise.
func (t *tester) value(row arrow.Record) scalar.Scalar {
	ids, err := expr.ResolveExact(t.p.schema, t.column)
	if err != nil {
		return nil
	}
	v, err := scalar.GetScalar(row.Column(ids[0]), 0)
	if err != nil {
		return nil
	}
	if id := v.DataType().ID(); arrow.IsFloating(id) || arrow.IsDecimal(id) { // decimals are rounded to floats of another column
		return nil
	}
	return v
}

// restOf joins the parts with OR, or AND.
func (t *tester) restOf(row arrow.Record, negated, or bool) expr.Expr {
	var out []expr.Expr
	for _, k := range t.kids {
		x := k.rest(row, negated)
		if isConst(x, or) {
			return x
		}
		if !isConst(x, !or) {
			out = append(out, x)
		}
	}
	if or {
		return expr.Or(out)
	}
	return expr.And(out)
}

// isConst reports whether e is TRUE, or FALSE.
func isConst(e expr.Expr, value bool) bool {
	if value {
		x, ok := e.(expr.And)
		return ok && len(x) == 0
	}
	x, ok := e.(expr.Or)
	return ok && len(x) == 0
}
