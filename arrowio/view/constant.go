package view

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Known returns the part of a filter that can be evaluated with the columns of s alone, found by their exact names. Every row
// that satisfies the filter satisfies the result.
func Known(filter expr.Expr, s *arrow.Schema) expr.Expr {
	a := &adapted{File: SchemaOnly(s), schema: s, columns: make([]int, s.NumFields()), exact: true}
	for i := range a.columns {
		a.columns[i] = i
	}
	return a.weaken(filter, false)
}

// constantOf returns the array of a column that is the same in every row; nil = it is another.
func (a *adapted) constantOf(i int) arrow.Array {
	if a.constants == nil || a.columns[i] >= 0 {
		return nil
	}
	name := a.schema.Field(i).Name
	for k, f := range a.constants.Schema().Fields() {
		if f.Name == name {
			return a.constants.Column(k)
		}
	}
	return nil
}

// isConstant reports whether a path is that of a column that is the same in every row.
func (a *adapted) isConstant(path string) bool {
	ids, err := expr.ResolveExact(a.schema, expr.Quote(path))
	return err == nil && a.constantOf(ids[0]) != nil
}

// settled is e, or its opposite, which is about columns that are the same in every row alone: TRUE or FALSE.
func (a *adapted) settled(e expr.Expr, negated bool) expr.Expr {
	b, err := expr.Bind(e, a.constants.Schema())
	if err != nil {
		return always
	}
	m, err := b.Mask(a.constants)
	if err != nil {
		return always
	}
	defer m.Release()
	if m.IsValid(0) && m.Value(0) != negated {
		return always
	}
	return never
}

// against compares the column other with the value that column i has in every row: other op value.
func (a *adapted) against(i int, op expr.Op, other string, negated bool) expr.Expr {
	one := a.constantOf(i)
	if one.IsNull(0) {
		return never
	}
	v, err := scalar.GetScalar(one, 0)
	if id := one.DataType().ID(); err != nil || arrow.IsFloating(id) || arrow.IsDecimal(id) {
		return always // decimals are rounded to floats of another column
	}
	return a.weaken(expr.Compare{Col: other, Op: op, Value: v}, negated)
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

// repeat returns n times the only value of one, for the caller to release.
func repeat(one arrow.Array, n int, mem memory.Allocator) (arrow.ArrayData, error) {
	if one.IsNull(0) {
		return nullData(one.DataType(), n, mem)
	}
	d := one.Data()
	var bufs []*memory.Buffer
	defer func() { releaseBuffers(bufs) }()
	bufs = append(bufs, nil)
	grow := func(size int) []byte {
		b := newBuffer[byte](mem, size)
		bufs = append(bufs, b)
		return b.Bytes()
	}
	switch t := d.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		offs := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():]
		var value []byte
		if offs[1] > offs[0] {
			value = d.Buffers()[2].Bytes()[offs[0]:offs[1]]
		}
		if int64(n)*max(8, int64(len(value))) > math.MaxInt32 {
			return nil, errs.Errorf(errs.ErrLimit, "%d times a value of %d bytes are more than a batch can hold; ask for smaller batches", n, len(value))
		}
		at := int32(0)
		for i, out := 0, arrow.Int32Traits.CastFromBytes(grow(4*(n+1))); i <= n; i++ {
			out[i] = at
			at += int32(len(value))
		}
		fillWith(grow(n*len(value)), value)
	case *arrow.BooleanType:
		bits := grow(int(bitutil.BytesForBits(int64(n))))
		clear(bits)
		if bitutil.BitIsSet(d.Buffers()[1].Bytes(), d.Offset()) {
			bitutil.SetBitsTo(bits, 0, int64(n), true)
		}
	case arrow.FixedWidthDataType:
		if len(d.Children()) > 0 || d.Dictionary() != (*array.Data)(nil) {
			return nil, errs.Errorf(errs.ErrUnsupported, "a column of type %s with one value in every row", t)
		}
		w := t.Bytes()
		fillWith(grow(n*w), d.Buffers()[1].Bytes()[d.Offset()*w:][:w])
	default:
		return nil, errs.Errorf(errs.ErrUnsupported, "a column of type %s with one value in every row", t)
	}
	return array.NewData(d.DataType(), n, bufs, nil, 0, 0), nil
}

// fillWith repeats value to the end of dst.
func fillWith(dst, value []byte) {
	for done := copy(dst, value); done < len(dst); {
		done += copy(dst[done:], dst[:done])
	}
}

// bytesOfRow is how much memory a row of a constant takes.
func bytesOfRow(one arrow.Array) int64 {
	n := nullRowBytes(one.DataType())
	switch a := one.(type) {
	case *array.String:
		n += int64(a.ValueLen(0))
	case *array.Binary:
		n += int64(a.ValueLen(0))
	}
	return n
}
