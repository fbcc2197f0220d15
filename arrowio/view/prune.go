package view

import (
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// ownPredicate is what a predicate on the shown schema asks of the file: true for every row for which the predicate
// is, and for as few others as can be had.
type ownPredicate struct {
	shown *expr.Bound
	bound *expr.Bound // against the file's schema; nil = says nothing
	never bool        // no row passes
}

// lastPredicate keeps the translation for the splits of a scan.
type lastPredicate struct{ atomic.Pointer[ownPredicate] }

func (l *lastPredicate) of(a *adapted, pred *expr.Bound) *ownPredicate {
	if p := l.Load(); p != nil && p.shown == pred {
		return p
	}
	p := &ownPredicate{shown: pred}
	e := a.weaken(pred.Expr(), false)
	switch {
	case isConst(e, false):
		p.never = true
	case !isConst(e, true):
		// What the file's schema does not take (two columns of one name, text that is no number there) prunes nothing.
		p.bound, _ = expr.Bind(e, a.File.Schema())
	}
	l.Store(p)
	return p
}

var (
	always expr.Expr = expr.And{}
	never  expr.Expr = expr.Or{}
)

// isConst reports whether e is TRUE, or FALSE.
func isConst(e expr.Expr, value bool) bool {
	if value {
		x, ok := e.(expr.And)
		return ok && len(x) == 0
	}
	x, ok := e.(expr.Or)
	return ok && len(x) == 0
}

// weaken translates e, or its opposite, into the file's columns. Negations are moved down to the leaves, where AND and
// OR only grow when their parts do: so a leaf that cannot be translated becomes TRUE, whichever way it is asked.
func (a *adapted) weaken(e expr.Expr, negated bool) expr.Expr {
	switch e := e.(type) {
	case expr.And:
		return a.weakenList(e, negated, negated)
	case expr.Or:
		return a.weakenList(e, negated, !negated)
	case expr.Not:
		return a.weaken(e.X, !negated)
	case expr.IsNull:
		c := a.find(e.Col)
		if c.constant {
			return a.settled(e, negated)
		}
		if c.missing && !c.unknown {
			if negated {
				return never
			}
			return always
		}
		e.Col = c.path
		return c.leaf(e, negated, nil)
	case expr.IsNaN:
		c := a.find(e.Col)
		if c.constant {
			return a.settled(e, negated)
		}
		if !c.unknown && !c.missing && !numberOf(valueType(c.from)).float {
			return always // only a column of floats takes the test
		}
		e.Col = c.path
		return c.leaf(e, negated, nil)
	case expr.Compare:
		c := a.find(e.Col)
		if c.constant {
			return a.settled(e, negated)
		}
		e.Col, e.Value = c.path, c.literal(e.Value)
		return c.leaf(e, negated, []scalar.Scalar{e.Value})
	case expr.CompareColumns:
		l, r := a.find(e.Left), a.find(e.Right)
		switch {
		case l.constant && r.constant:
			return a.settled(e, negated)
		case l.constant:
			return a.against(l.index, opposite(e.Op), e.Right, negated)
		case r.constant:
			return a.against(r.index, e.Op, e.Left, negated)
		case l.unknown || r.unknown:
			return always
		case l.missing || r.missing:
			return never
		case mixesDecimals(l.from, r.from) || mixesDecimals(l.to, r.to) || !comparesAlike(r.from, r.to, nil):
			return always
		}
		e.Left, e.Right = l.path, r.path
		return l.leaf(e, negated, nil)
	case expr.Contains:
		c := a.find(e.Col)
		e.Col = c.path
		return c.leaf(e, negated, []scalar.Scalar{e.Value})
	case expr.In:
		c := a.find(e.Col)
		if c.constant {
			return a.settled(e, negated)
		}
		if len(e.Values) == 0 { // false even for a null
			if negated {
				return always
			}
			return never
		}
		own := make([]scalar.Scalar, len(e.Values))
		for i, v := range e.Values {
			own[i] = c.literal(v)
		}
		e.Col, e.Values = c.path, own
		return c.leaf(e, negated, own)
	case expr.Like:
		c := a.find(e.Col)
		if c.constant {
			return a.settled(e, negated)
		}
		e.Col = c.path
		return c.leaf(e, negated, nil)
	}
	return always
}

// weakenList joins the parts with OR, or AND.
func (a *adapted) weakenList(parts []expr.Expr, negated, or bool) expr.Expr {
	var out []expr.Expr
	for _, p := range parts {
		x := a.weaken(p, negated)
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

// ownColumn is what the file has for a column of the shown schema.
type ownColumn struct {
	path     string
	from, to arrow.DataType
	missing  bool
	unknown  bool // nothing can be said
	constant bool // the same in every row; index is the column that is shown
	index    int
}

// find follows a path. Of elements of lists and maps nothing is known.
func (a *adapted) find(path string) ownColumn {
	if _, element := expr.Base(path); element {
		return ownColumn{unknown: true}
	}
	resolve := expr.Resolve
	if a.exact {
		resolve = expr.ResolveExact
	}
	ids, err := resolve(a.schema, path)
	if err != nil {
		return ownColumn{unknown: true}
	}
	shown := a.schema.Field(ids[0])
	k := a.columns[ids[0]]
	if a.constantOf(ids[0]) != nil && len(ids) == 1 {
		return ownColumn{constant: true, index: ids[0]}
	}
	if k < 0 {
		_, filled := defaultOf(shown)
		return ownColumn{missing: true, unknown: filled}
	}
	f := a.File.Schema().Field(k)
	names := []string{f.Name}
	for _, id := range ids[1:] {
		if f.Type.ID() == arrow.NULL {
			return ownColumn{missing: true}
		}
		st, ok := shown.Type.(*arrow.StructType)
		own, ok2 := f.Type.(*arrow.StructType)
		if !ok || !ok2 {
			return ownColumn{unknown: true}
		}
		shown = st.Field(id)
		at := a.rules.find(own.Fields(), shown.Name)
		if at < 0 {
			_, filled := defaultOf(shown)
			return ownColumn{missing: true, unknown: filled}
		}
		f = own.Field(at)
		if len(own.FieldIndices(f.Name)) > 1 {
			return ownColumn{unknown: true}
		}
		names = append(names, f.Name)
	}
	if a.rules.cast.of(f, shown) != nil { // it may have any outcome
		return ownColumn{unknown: true}
	}
	return ownColumn{path: expr.Quote(names...), from: f.Type, to: shown.Type, missing: f.Type.ID() == arrow.NULL}
}

// literal is a value as the shown column is compared with it: a number with a point is rounded to the floats of that.
func (c ownColumn) literal(v scalar.Scalar) scalar.Scalar {
	if c.to == nil || v == nil {
		return v
	}
	return expr.AsCompared(v, c.to)
}

// mixesDecimals reports whether one type is of decimals and the other of floats, to which decimals are rounded.
func mixesDecimals(a, b arrow.DataType) bool {
	a, b = valueType(a), valueType(b)
	return arrow.IsDecimal(a.ID()) && numberOf(b).float || arrow.IsDecimal(b.ID()) && numberOf(a).float
}

// leaf is e, which stands on the file's column already, if that means the same there.
func (c ownColumn) leaf(e expr.Expr, negated bool, values []scalar.Scalar) expr.Expr {
	switch {
	case c.unknown:
		return always
	case c.missing: // a comparison with null is null, and its opposite too
		return never
	case !isNullTest(e) && !comparesAlike(c.from, c.to, values):
		return always
	case negated:
		return expr.Not{X: e}
	}
	return e
}

func isNullTest(e expr.Expr) bool {
	_, ok := e.(expr.IsNull)
	return ok
}

// comparesAlike reports whether a comparison with the values has the same outcome for a value of type from and for
// what it becomes as type to. Literals are not rounded to a column's type, so that widening changes nothing; except
// that a number with a point stands for a float where it is compared with floats (see ownColumn.literal).
func comparesAlike(from, to arrow.DataType, values []scalar.Scalar) bool {
	from, to = valueType(from), valueType(to)
	if arrow.TypeEqual(from, to) {
		return true
	}
	a, b := numberOf(from), numberOf(to)
	switch {
	case a.bits > 0 && b.bits > 0 && a.float == b.float:
		return true
	case a.bits > 0 && b.bits > 0:
		return !slices.ContainsFunc(values, func(v scalar.Scalar) bool {
			return v == nil || numberOf(v.DataType()).bits == 0
		})
	case arrow.IsDecimal(from.ID()) && arrow.IsDecimal(to.ID()):
		return true
	case bytesKind(from) != 0 && bytesKind(from) == bytesKind(to):
		return true
	}
	switch f := from.(type) {
	case *arrow.TimestampType:
		t, ok := to.(*arrow.TimestampType)
		return ok && f.TimeZone == t.TimeZone
	case *arrow.Time32Type, *arrow.Time64Type:
		return to.ID() == arrow.TIME32 || to.ID() == arrow.TIME64
	case *arrow.DurationType:
		return to.ID() == arrow.DURATION
	}
	return false
}

// valueType is the type of the values of a dictionary.
func valueType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return t
}
