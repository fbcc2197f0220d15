package conformance

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// filters scans with predicates made from the data, whose rows are known from testing each row by itself.
func (s *suite) filters(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	preds := s.predicates()
	if len(preds) == 0 {
		return
	}
	projections := s.projections()
	ranges := s.ranges(f.Splits())
	for i := range max(len(projections), s.h.Scans/2) {
		p := s.combined(preds, i%3)
		o := s.options()
		o.Filter = p.expr()
		o.Columns = projections[i%len(projections)]
		if s.rng.Intn(2) == 0 {
			o.Rows = pick(s.rng, ranges...)
		}
		keep := s.kept(p)
		if err := s.scan(t, f, o, keep); err != nil {
			t.Errorf("%s: %v", describe(o), err)
		}
		if b, err := expr.Bind(o.Filter, f.Schema()); err != nil {
			t.Errorf("%s: %v", o.Filter, err)
		} else {
			s.prunes(t, f, b, o.Filter, keep)
		}
	}
}

// prunes checks that Prune keeps every row that passes, and returns a proper set of rows of the split.
func (s *suite) prunes(t *testing.T, f arrowio.File, b *expr.Bound, e expr.Expr, keep []span) {
	t.Helper()
	for _, sp := range f.Splits() {
		if !sp.Known() {
			return
		}
		set, err := f.Prune(t.Context(), sp, b)
		if err != nil {
			t.Errorf("%s: split %d: %v", e, sp.Ordinal, err)
			return
		}
		last := sp.Rows.Start
		for i, r := range set {
			if r.Len() <= 0 || r.Start < last || i > 0 && r.Start == last || r.End > sp.Rows.End {
				t.Errorf("%s: split %d of rows %v is pruned to %v", e, sp.Ordinal, sp.Rows, set)
				return
			}
			last = r.End
		}
		for _, k := range keep {
			in := sp.Rows.Intersect(arrowio.RowRange{Start: k.start, End: k.end})
			if set.Clip(in).Len() != in.Len() {
				t.Errorf("%s: split %d: pruned to %v without all of rows %v, which pass", e, sp.Ordinal, set, in)
				return
			}
		}
	}
}

// truth is false, null or true of Kleene's logic, in that order.
type truth int8

const (
	no truth = iota - 1
	unknown
	yes
)

// predicate is a filter that can test one row of the plain rows.
type predicate interface {
	expr() expr.Expr
	test(row int) truth
}

type (
	comparison struct {
		path  string
		op    expr.Op
		value scalar.Scalar
		cmp   func(row int) (int, bool) // against value; false = unordered (NaN)
		null  func(row int) bool
	}
	nullTest struct {
		path string
		null func(row int) bool
	}
	all    []predicate
	either []predicate
	not    struct{ p predicate }
)

func (p comparison) expr() expr.Expr {
	return expr.Compare{Col: p.path, Op: p.op, Value: p.value}
}

func (p comparison) test(row int) truth {
	if p.null(row) {
		return unknown
	}
	c, ordered := p.cmp(row)
	var is bool
	switch p.op {
	case expr.Eq:
		is = ordered && c == 0
	case expr.Ne:
		is = !ordered || c != 0
	case expr.Lt:
		is = ordered && c < 0
	case expr.Le:
		is = ordered && c <= 0
	case expr.Gt:
		is = ordered && c > 0
	case expr.Ge:
		is = ordered && c >= 0
	}
	if is {
		return yes
	}
	return no
}

func (p nullTest) expr() expr.Expr { return expr.IsNull{Col: p.path} }

func (p nullTest) test(row int) truth {
	if p.null(row) {
		return yes
	}
	return no
}

func (p all) expr() expr.Expr {
	var e expr.And
	for _, x := range p {
		e = append(e, x.expr())
	}
	return e
}

func (p all) test(row int) truth {
	t := yes
	for _, x := range p {
		t = min(t, x.test(row))
	}
	return t
}

func (p either) expr() expr.Expr {
	var e expr.Or
	for _, x := range p {
		e = append(e, x.expr())
	}
	return e
}

func (p either) test(row int) truth {
	t := no
	for _, x := range p {
		t = max(t, x.test(row))
	}
	return t
}

func (p not) expr() expr.Expr    { return expr.Not{X: p.p.expr()} }
func (p not) test(row int) truth { return -p.p.test(row) }

// combined draws a predicate: one as it is, two joined, or one turned round within two.
func (s *suite) combined(preds []predicate, parts int) predicate {
	a, b := pick(s.rng, preds...), pick(s.rng, preds...)
	switch {
	case parts == 0:
		return a
	case parts == 1 && s.rng.Intn(2) == 0:
		return all{a, b}
	case parts == 1:
		return either{a, b}
	}
	return all{either{a, not{b}}, pick(s.rng, preds...)}
}

// kept returns the rows that pass p.
func (s *suite) kept(p predicate) []span {
	var out []span
	for i := range int(s.rows()) {
		if p.test(i) != yes {
			continue
		}
		if n := len(out); n > 0 && out[n-1].end == int64(i) {
			out[n-1].end++
		} else {
			out = append(out, span{int64(i), int64(i) + 1})
		}
	}
	return out
}

// predicates makes, for each flat column and struct child, comparisons with values of the data, with one that keeps
// nothing and one that keeps everything, and for every column IS NULL.
func (s *suite) predicates() []predicate {
	var out []predicate
	for i, f := range s.plain.Schema().Fields() {
		if len(s.plain.Schema().FieldIndices(f.Name)) == 1 {
			out = append(out, s.columnPredicates([]string{f.Name}, s.plain.Column(i).Data(), func(row int) (int, bool) { return row, true })...)
		}
	}
	if len(out) > 0 {
		p := out[0]
		out = append(out, all{p, not{p}}, either{p, not{p}}) // nothing, and everything: IS NULL is never null
	}
	out = append(out, s.columnComparisons()...)
	return out
}

// columnPredicates makes the predicates of one column; at finds the place of a row in d, false = a parent is null.
func (s *suite) columnPredicates(path []string, d arrow.ArrayData, at func(row int) (int, bool)) []predicate {
	name := expr.Quote(path...)
	null := func(row int) bool {
		i, ok := at(row)
		return !ok || logicalNull(d, i)
	}
	n := nullTest{name, null}
	out := []predicate{n, not{n}}
	if t, ok := d.DataType().(*arrow.StructType); ok {
		for k, f := range t.Fields() {
			if len(t.FieldIndices(f.Name)) != 1 {
				continue
			}
			inside := func(row int) (int, bool) {
				i, ok := at(row)
				return d.Offset() + i, ok && !isNull(d, i)
			}
			out = append(out, s.columnPredicates(append(slices.Clone(path), f.Name), d.Children()[k], inside)...)
		}
		return out
	}
	if !ordered(d.DataType()) || s.rows() == 0 {
		return out
	}
	arr := array.MakeFromData(d)
	defer arr.Release()
	for try := 0; try < 12 && len(out) < 8; try++ {
		i, ok := at(s.rng.Intn(int(s.rows())))
		if !ok || isNull(d, i) {
			continue
		}
		if c, ordered := compareValues(d, i, d, i); !ordered || c != 0 {
			continue // NaN has no place in a comparison
		}
		v, err := scalar.GetScalar(arr, i)
		if err != nil {
			continue
		}
		cmp := func(row int) (int, bool) {
			j, _ := at(row)
			return compareValues(d, j, d, i)
		}
		op := pick(s.rng, expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge)
		c := comparison{name, op, v, cmp, null}
		out = append(out, c, all{c, not{c}})
	}
	return out
}

// logicalNull looks through dictionaries, runs and unions: none of them has the nulls of its values in a bitmap.
func logicalNull(d arrow.ArrayData, i int) bool {
	d, i = resolve(d, i)
	t, ok := arrowtype.Storage(d.DataType()).(arrow.UnionType)
	if !ok || isNull(d, i) {
		return isNull(d, i)
	}
	k := t.ChildIDs()[raw(d, 1)[d.Offset()+i]]
	if t.Mode() == arrow.DenseMode {
		return logicalNull(d.Children()[k], int(int32s(d, 2)[i]))
	}
	return logicalNull(d.Children()[k], d.Offset()+i)
}

// ordered reports whether values of type dt are compared here.
func ordered(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.BOOL, arrow.INT8, arrow.UINT8, arrow.INT16, arrow.UINT16, arrow.INT32, arrow.UINT32, arrow.INT64, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64, arrow.DURATION, arrow.DECIMAL128, arrow.DECIMAL256:
		return true
	}
	return false
}
