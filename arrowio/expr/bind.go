package expr

import (
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// Bound is a predicate resolved against a schema; see Bind. It does not change, and all of its methods may be called
// concurrently.
type Bound struct {
	expr    Expr
	root    node
	cols    []column
	scratch sync.Pool // of *evaluation
}

// column is one that the predicate reads.
type column struct {
	path  string // as the user wrote it first, in the spelling of the schema
	names []string
	t     arrow.DataType
}

// Bind resolves the paths of e against s and makes its literals exact values of the columns' types. Columns must be
// flat and reachable through structs alone; IS NULL takes columns of any type. A literal that no value of the column
// can equal is no error: the comparison is then the same for all values that are not null.
func Bind(e Expr, s *arrow.Schema) (*Bound, error) {
	b := binder{schema: s, bound: &Bound{expr: e}}
	root, err := b.node(e)
	if err != nil {
		return nil, err
	}
	b.bound.root = root
	if b.respelled {
		b.bound.expr = mapColumns(e, func(path string) string { return b.bound.cols[b.paths[path]].path })
	}
	return b.bound, nil
}

// Columns lists the paths of the columns that the predicate reads, each once, as the user first wrote them, but for names
// that were found without regard to case: those are spelled as in the schema. ResolveExact reads them.
func (b *Bound) Columns() []string {
	out := make([]string, len(b.cols))
	for i, c := range b.cols {
		out[i] = c.path
	}
	return out
}

// Expr is the predicate as it was before Bind, with the names of columns spelled as in the schema.
func (b *Bound) Expr() Expr { return b.expr }

// String prints the predicate as Parse reads it.
func (b *Bound) String() string { return b.expr.String() }

// Test tells what the predicate may be over a range of rows, of which `of` gives the evidence for each column of
// Columns; nil is none. It is never wrong: in doubt, all outcomes are possible.
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
	ids    [][]int        // of the columns

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

// column resolves a path and returns the column's number.
func (b *binder) column(path string) (int, error) {
	if i, ok := b.paths[path]; ok {
		return i, nil
	}
	at, err := resolve(b.schema, path)
	if err != nil {
		return 0, err
	}
	if at.through != nil {
		return 0, fmt.Errorf("column %s lies inside a %s; predicates take columns that are reached through structs alone", path, at.through.Name())
	}
	ids := at.ids
	i := slices.IndexFunc(b.ids, func(x []int) bool { return slices.Equal(x, ids) })
	if i < 0 {
		f := b.schema.Field(ids[0])
		c := column{path: path, names: []string{f.Name}}
		for _, id := range ids[1:] {
			f = f.Type.(*arrow.StructType).Field(id) // resolve enters nothing else
			c.names = append(c.names, f.Name)
		}
		c.t = f.Type
		if at.folded {
			c.path = b.spelled(c.names, ids)
		}
		i = len(b.bound.cols)
		b.bound.cols, b.ids = append(b.bound.cols, c), append(b.ids, ids)
	}
	b.respelled = b.respelled || at.folded
	if b.paths == nil {
		b.paths = map[string]int{}
	}
	b.paths[path] = i
	return i, nil
}

// spelled is the path to a column by its names in the schema.
func (b *binder) spelled(names []string, ids []int) string {
	path := Quote(names...)
	if at, err := resolveNames(b.schema, path, false); err == nil && slices.Equal(at.ids, ids) {
		return path
	}
	return quoteAll(names) // names with dots make the shorter form another path
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
	n := leafNode{col: col}
	var cuts []cut
	var texts [][]byte
	for _, v := range vals {
		l, err := literalOf(v)
		if err == nil && l.kind == litNull {
			n.nullElse = true
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
			return nil, fmt.Errorf("column %s is %v: %w", path, b.bound.cols[col].t, err)
		}
	}
	switch {
	case d.class == classNull || len(cuts) == 0 && len(texts) == 0:
		return constNode{CanBeNull}, nil
	case d.isBytes():
		n.pred = newBytesPred(d, op, texts)
	case d.class == classWide && d.width == 16:
		n.pred = newWidePred(d, op, cuts, toDecimal128)
	case d.class == classWide:
		n.pred = newWidePred(d, op, cuts, toDecimal256)
	default:
		n.pred = newKeyPred(d, op, cuts)
	}
	return n, nil
}

func (b *binder) like(e Like) (node, error) {
	col, d, err := b.domain(e.Col)
	if err != nil {
		return nil, err
	}
	if d.class == classNull {
		return constNode{CanBeNull}, nil
	}
	if !d.isBytes() {
		return nil, fmt.Errorf("column %s is %v: LIKE takes text or bytes", e.Col, b.bound.cols[col].t)
	}
	p, err := newLikePred(d, e.Pattern, e.Escape)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", e.Col, err)
	}
	return leafNode{col: col, pred: p}, nil
}
