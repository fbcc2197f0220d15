package expr

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// Bound is a predicate resolved against a schema; see Bind. It is immutable, and all of its methods may be called concurrently.
type Bound struct {
	expr    Expr
	root    node
	cols    []column
	scratch sync.Pool // of *evaluation
}

// Bind resolves the paths of e against s and converts its literals to values of the columns' types without rounding. A column
// must have a flat type, and no list or map may lie above it; IS NULL takes columns of any type. A literal that no value of the
// column can equal is no error: the comparison then has the same result for all values that are not null. An error is a *BindError.
func Bind(e Expr, s *arrow.Schema) (*Bound, error) {
	b := binder{schema: s, bound: &Bound{expr: e}}
	root, err := b.node(e)
	if err != nil {
		return nil, &BindError{err}
	}
	b.bound.root = root
	if b.respelled {
		b.bound.expr = mapColumns(e, func(path string) string { return b.bound.cols[b.paths[path]].text() })
	}
	return b.bound, nil
}

// BindError says why a predicate does not fit a schema.
type BindError struct{ Err error }

func (e *BindError) Error() string { return e.Err.Error() }
func (e *BindError) Unwrap() error { return e.Err }

// Columns returns the paths of the columns that the predicate reads, each once, as they were first written. Names that were found
// without regard to case are spelled as in the schema, so that ResolveExact finds the columns.
func (b *Bound) Columns() []string {
	out := make([]string, 0, len(b.cols))
	for _, c := range b.cols {
		if !slices.Contains(out, c.path) { // several elements may be of one list
			out = append(out, c.path)
		}
	}
	return out
}

// Expr returns the predicate as it was before Bind, with the names of columns spelled as in the schema.
func (b *Bound) Expr() Expr { return b.expr }

// String prints the predicate as Parse reads it.
func (b *Bound) String() string { return b.expr.String() }

// Test returns what the predicate may be over a range of rows. `of` returns the evidence about this range for a column of
// Columns; nil = none. If the evidence does not exclude an outcome, Test reports it as possible.
func (b *Bound) Test(of func(col string) Evidence) Truth {
	t := tester{of: of, cols: b.cols, have: make([]Evidence, len(b.cols))}
	return b.root.test(&t)
}

// node is an operation of a bound predicate.
type node interface {
	test(t *tester) Truth
	// mask writes which rows are known to be true and which known to be false; the rest are null. Bits beyond the
	// last row are clear.
	mask(ev *evaluation, yes, no []uint64) error
}

// The nodes. A leaf reads one column, by its number.
type (
	constNode struct{ is Truth } // one outcome
	andNode   []node
	orNode    []node
	notNode   struct{ x node }
	nullNode  struct{ col int }
	leafNode  struct {
		col int
		pred
		nullElse bool // what does not pass is null rather than false: IN with a null
	}
)

// tester asks for the evidence of each column once.
type tester struct {
	of   func(string) Evidence
	cols []column
	have []Evidence
}

func (t *tester) evidence(col int) Evidence {
	if t.have[col] == nil {
		if t.of != nil {
			t.have[col] = t.of(t.cols[col].path)
		}
		if t.have[col] == nil {
			t.have[col] = StatsOnly{}
		} else if len(t.cols[col].steps) > 0 {
			t.have[col] = elementEvidence(t.have[col])
		}
	}
	return t.have[col]
}

func (n constNode) test(*tester) Truth { return n.is }
func (n notNode) test(t *tester) Truth { return n.x.test(t).Not() }

func (n andNode) test(t *tester) Truth {
	out := CanBeTrue
	for _, x := range n {
		if out = out.And(x.test(t)); out == CanBeFalse {
			break
		}
	}
	return out
}

func (n orNode) test(t *tester) Truth {
	out := CanBeFalse
	for _, x := range n {
		if out = out.Or(x.test(t)); out == CanBeTrue {
			break
		}
	}
	return out
}

func (n nullNode) test(t *tester) (out Truth) {
	null, other := t.evidence(n.col).Stats().nulls()
	if null {
		out |= CanBeTrue
	}
	if other {
		out |= CanBeFalse
	}
	return out
}

func (n leafNode) test(t *tester) (out Truth) {
	e := t.evidence(n.col)
	s := e.Stats()
	null, other := s.nulls()
	if other {
		out = n.pred.test(e, s)
		if n.nullElse && out&CanBeFalse != 0 {
			out = out&^CanBeFalse | CanBeNull
		}
	}
	if null {
		out |= CanBeNull
	}
	return out
}

// binder makes nodes of expressions.
type binder struct {
	schema *arrow.Schema
	bound  *Bound
	paths  map[string]int // columns by the text of their path

	respelled bool // a path is not as the user wrote it
}

func (b *binder) node(e Expr) (node, error) {
	switch e := e.(type) {
	case And:
		parts, err := b.nodes(e)
		return andNode(parts), err
	case Or:
		parts, err := b.nodes(e)
		return orNode(parts), err
	case Not:
		x, err := b.node(e.X)
		return notNode{x}, err
	case IsNull:
		col, err := b.column(e.Col)
		return nullNode{col}, err
	case Compare:
		return b.compare(e)
	case In:
		return b.leaf(e.Col, Eq, e.Values)
	case Like:
		return b.like(e)
	case CompareColumns:
		return b.compareColumns(e)
	case Contains:
		return b.contains(e)
	case IsNaN:
		return b.isNaN(e.Col)
	}
	return nil, fmt.Errorf("a predicate of type %T", e)
}

func (b *binder) nodes(list []Expr) ([]node, error) {
	out := make([]node, len(list))
	for i, e := range list {
		var err error
		if out[i], err = b.node(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *binder) compare(e Compare) (node, error) {
	switch e.Op {
	case Eq, Lt, Le, Gt, Ge:
		return b.leaf(e.Col, e.Op, []scalar.Scalar{e.Value})
	case Ne:
		x, err := b.leaf(e.Col, Eq, []scalar.Scalar{e.Value})
		return notNode{x}, err
	}
	return nil, fmt.Errorf("column %s: a comparison of no known kind (%d)", e.Col, e.Op)
}

// domain resolves a column that is compared.
func (b *binder) domain(path string) (int, *domain, error) {
	col, err := b.column(path)
	if err != nil {
		return 0, nil, err
	}
	d, err := domainOf(b.bound.cols[col].t)
	if err != nil {
		return 0, nil, fmt.Errorf("column %s: %w", path, err)
	}
	return col, d, nil
}

// leaf tests whether a column's value compares with any of vals.
func (b *binder) leaf(path string, op Op, vals []scalar.Scalar) (node, error) {
	col, d, err := b.domain(path)
	if err != nil {
		return nil, err
	}
	if len(vals) == 0 {
		return constNode{CanBeFalse}, nil // IN () asks nothing, not even whether the value is null
	}
	p, hasNull, err := newPred(d, op, vals)
	switch {
	case err != nil:
		return nil, fmt.Errorf("column %s is %v: %w", path, b.bound.cols[col].t, err)
	case p == nil:
		return constNode{CanBeNull}, nil
	}
	return leafNode{col: col, pred: p, nullElse: hasNull}, nil
}

// newPred tests whether a value compares with any of vals; nil = it is null whatever the value.
func newPred(d *domain, op Op, vals []scalar.Scalar) (p pred, hasNull bool, err error) {
	var cuts []cut
	var texts [][]byte
	for _, v := range vals {
		l, err := literalOf(v)
		if err == nil && l.kind == litNull {
			hasNull = true
			continue
		}
		if err == nil && d.class != classNull {
			if d.isBytes() {
				l, err = d.read(l)
				texts = append(texts, l.bytes)
			} else {
				var c cut
				c, err = d.cut(l)
				cuts = append(cuts, c)
			}
		}
		if err != nil {
			return nil, hasNull, err
		}
	}
	switch {
	case d.class == classNull || len(cuts) == 0 && len(texts) == 0:
		return nil, hasNull, nil
	case d.isBytes():
		p = newBytesPred(d, op, texts)
	case d.class == classWide && d.width == 16:
		p = newWidePred(d, op, cuts, toDecimal128)
	case d.class == classWide:
		p = newWidePred(d, op, cuts, toDecimal256)
	default:
		p = newKeyPred(d, op, cuts)
	}
	return p, hasNull, nil
}

// isNaN is the opposite of lying between the infinities.
func (b *binder) isNaN(path string) (node, error) {
	col, d, err := b.domain(path)
	switch {
	case err != nil:
		return nil, err
	case d.class == classNull:
		return constNode{CanBeNull}, nil
	case d.class != classFloat:
		return nil, fmt.Errorf("column %s is %v: only floating-point columns can be NaN", path, b.bound.cols[col].t)
	}
	return notNode{leafNode{col: col, pred: newNumberPred(d)}}, nil
}

// newNumberPred tests whether a float is not NaN.
func newNumberPred(d *domain) *keyPred {
	all := span[int64]{d.min.Int64(), d.max.Int64()}
	return &keyPred{d: d, spanSet: spanSet[int64]{cmp: cmp.Compare[int64], all: all, spans: []span[int64]{all}}}
}

func (b *binder) like(e Like) (node, error) {
	col, d, err := b.domain(e.Col)
	if err != nil {
		return nil, err
	}
	if d.class == classNull {
		return constNode{CanBeNull}, nil
	}
	switch {
	case e.Fold && d.holds != litText:
		return nil, fmt.Errorf("column %s is %v: ILIKE takes text", e.Col, b.bound.cols[col].t)
	case !d.isBytes():
		return nil, fmt.Errorf("column %s is %v: LIKE takes text or bytes", e.Col, b.bound.cols[col].t)
	}
	p, err := newLikePred(d, e)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", e.Col, err)
	}
	return leafNode{col: col, pred: p}, nil
}
