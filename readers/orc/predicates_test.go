package orc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
)

// prunedFile is a file, whole, and what was made of it.
type prunedFile struct {
	name   string
	f      *File
	recs   []arrow.Record // all rows
	leaves []leafColumn
}

// leafColumn is a column that predicates can read: its values in each record.
type leafColumn struct {
	path  string
	t     arrow.DataType
	flat  bool // it can be compared
	parts []arrow.Array
	edges []scalar.Scalar // the least and the greatest value of each row group
}

// pruneRows bounds the files that the test of pruning reads: what matters is row groups, not rows.
const pruneRows = 60_000

// prunedFiles opens the files below dir in several ways. Files that cannot be read, or are large, are left out.
func prunedFiles(t testing.TB, dir string) []*prunedFile {
	t.Helper()
	var out []*prunedFile
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".orc") || strings.Contains(path, "/bad/") {
			return err
		}
		us, s := arrow.Microsecond, arrow.Second
		with := []Options{{}, {Unit: &us, BinaryStrings: true, KeepPadding: true, NullKeys: true}, {Unit: &s, Dictionary: true, NullKeys: true, Calendar: "proleptic"}}
		if strings.Contains(path, "encrypted") {
			keys, err := loadKeys("../../testdata/orc/keys.json")
			if err != nil {
				return err
			}
			with = append(with, Options{Keys: keys})
		}
		for i, o := range with {
			if p := openPruned(t, path, o); p != nil && len(p.leaves) > 0 {
				p.name = fmt.Sprintf("%s, options %d", filepath.Base(path), i)
				out = append(out, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func openPruned(t testing.TB, path string, o Options) *prunedFile {
	t.Helper()
	src, err := local.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	f, err := Open(t.Context(), src, arrowio.Limits{}, o)
	if err != nil || f.footer.Rows == 0 || f.footer.Rows > pruneRows {
		return nil
	}
	p := &prunedFile{f: f}
	r, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Parallelism: 1})
	if err != nil {
		return nil
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		t.Cleanup(rec.Release)
		p.recs = append(p.recs, rec)
	}
	if r.Err() != nil {
		return nil // times that nanoseconds cannot hold, keys that are null
	}
	for i, field := range f.schema.Fields() {
		parts := make([]arrow.Array, len(p.recs))
		for k, rec := range p.recs {
			parts[k] = rec.Column(i)
		}
		p.add([]string{field.Name}, field.Type, parts)
	}
	return p
}

// add lists a column and those below it that predicates can read.
func (p *prunedFile) add(names []string, t arrow.DataType, parts []arrow.Array) {
	path := expr.Quote(names...)
	if _, err := expr.Bind(expr.IsNull{Col: path}, p.f.schema); err != nil {
		return // two of one name
	}
	c := leafColumn{path: path, t: t, parts: parts}
	if d, ok := t.(*arrow.DictionaryType); ok {
		c.t = d.ValueType
	}
	switch c.t.ID() {
	case arrow.LIST, arrow.MAP, arrow.STRUCT, arrow.DENSE_UNION:
	default:
		c.flat = true
		c.edges = edges(parts, int(p.f.footer.RowIndexStride))
	}
	p.leaves = append(p.leaves, c)
	st, ok := t.(*arrow.StructType)
	if !ok {
		return
	}
	for i, field := range st.Fields() {
		below := make([]arrow.Array, len(parts))
		for k, a := range parts {
			below[k] = a.(*array.Struct).Field(i)
		}
		p.add(append(slices.Clone(names), field.Name), field.Type, below)
	}
}

// edges returns the least and the greatest value of every so many rows: where bounds that are wrong do harm.
func edges(parts []arrow.Array, stride int) (out []scalar.Scalar) {
	for _, a := range parts {
		if d, ok := a.(*array.Dictionary); ok {
			a = d.Dictionary()
		}
		for from := 0; from < a.Len(); from += max(stride, 100) {
			least, most := -1, -1
			for i := from; i < min(a.Len(), from+max(stride, 100)); i++ {
				if a.IsNull(i) || order(a, i, i) != 0 {
					continue
				}
				if least < 0 || order(a, i, least) < 0 {
					least = i
				}
				if most < 0 || order(a, i, most) > 0 {
					most = i
				}
			}
			for _, i := range []int{least, most} {
				if i < 0 {
					continue
				}
				if v, err := scalar.GetScalar(a, i); err == nil {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// order compares two values of an array. A NaN is not equal to itself; arrays without order have equal values.
func order(a arrow.Array, i, j int) int {
	switch a := a.(type) {
	case *array.Int8:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Int16:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Int32:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Int64:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Float32:
		return floatOrder(float64(a.Value(i)), float64(a.Value(j)))
	case *array.Float64:
		return floatOrder(a.Value(i), a.Value(j))
	case *array.Date32:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Timestamp:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Decimal128:
		return a.Value(i).Cmp(a.Value(j))
	case *array.String:
		return cmp.Compare(a.Value(i), a.Value(j))
	case *array.Binary:
		return bytes.Compare(a.Value(i), a.Value(j))
	}
	return 0
}

func floatOrder(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// predicates makes filters of values that a file has and of their neighbours.
type predicates struct {
	*rand.Rand
	p *prunedFile
}

func (g predicates) expr(depth int) expr.Expr {
	if depth > 0 {
		n := 1 + g.Intn(3)
		list := make([]expr.Expr, n)
		for i := range list {
			list[i] = g.expr(depth - 1)
		}
		switch g.Intn(4) {
		case 0:
			return expr.And(list)
		case 1:
			return expr.Or(list)
		case 2:
			return expr.Not{X: list[0]}
		}
	}
	c := g.p.leaves[g.Intn(len(g.p.leaves))]
	if !c.flat || g.Intn(12) == 0 {
		return expr.IsNull{Col: c.path}
	}
	switch g.Intn(6) {
	case 0:
		vals := make([]scalar.Scalar, g.Intn(4)+1)
		for i := range vals {
			vals[i] = g.value(c)
		}
		return expr.In{Col: c.path, Values: vals}
	case 1: // BETWEEN
		return expr.And{expr.Compare{Col: c.path, Op: expr.Ge, Value: g.value(c)}, expr.Compare{Col: c.path, Op: expr.Le, Value: g.value(c)}}
	case 2:
		return expr.Compare{Col: c.path, Op: expr.Eq, Value: g.value(c)}
	case 3:
		if s, ok := g.value(c).(scalar.BinaryScalar); ok && s.IsValid() {
			prefix := string(s.Data()[:g.Intn(len(s.Data())+1)])
			for _, special := range []string{`\`, "%", "_"} {
				prefix = strings.ReplaceAll(prefix, special, "")
			}
			return expr.Like{Col: c.path, Pattern: prefix + "%"}
		}
	}
	return expr.Compare{Col: c.path, Op: []expr.Op{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge}[g.Intn(6)], Value: g.value(c)}
}

// value returns a literal for a column: one of its values, one nearby, or any.
func (g predicates) value(c leafColumn) scalar.Scalar {
	if g.Intn(40) == 0 {
		return scalar.MakeNullScalar(c.t)
	}
	if len(c.edges) > 0 && g.Intn(2) == 0 {
		v := c.edges[g.Intn(len(c.edges))]
		if g.Intn(3) == 0 {
			v = g.near(v)
		}
		return v
	}
	for range 20 {
		a := c.parts[g.Intn(len(c.parts))]
		if a.Len() == 0 {
			continue
		}
		i := g.Intn(a.Len())
		if d, ok := a.(*array.Dictionary); ok && a.IsValid(i) {
			a, i = d.Dictionary(), d.GetValueIndex(i)
		}
		if a.IsNull(i) {
			continue
		}
		v, err := scalar.GetScalar(a, i)
		if err != nil {
			break
		}
		if g.Intn(3) == 0 {
			v = g.near(v)
		}
		return v
	}
	return g.any(c.t)
}

// near returns a neighbour of v.
func (g predicates) near(v scalar.Scalar) scalar.Scalar {
	d := []int64{-1, 1, 7, -1000, 1000, 1_000_000_000, -3_600_000_000_000, 86_400_000_000_000}[g.Intn(8)]
	switch v := v.(type) {
	case *scalar.Boolean:
		return scalar.NewBooleanScalar(!v.Value)
	case *scalar.Int8:
		return scalar.NewInt8Scalar(v.Value + int8(d))
	case *scalar.Int16:
		return scalar.NewInt16Scalar(v.Value + int16(d))
	case *scalar.Int32:
		return scalar.NewInt32Scalar(v.Value + int32(d))
	case *scalar.Int64:
		return scalar.NewInt64Scalar(v.Value + d)
	case *scalar.Date32:
		return scalar.NewDate32Scalar(v.Value + arrow.Date32(d%1000))
	case *scalar.Timestamp:
		return scalar.NewTimestampScalar(v.Value+arrow.Timestamp(d), v.Type)
	case *scalar.Decimal128:
		return scalar.NewDecimal128Scalar(v.Value.Add(decimal128.FromI64(d)), v.Type)
	case *scalar.Float32:
		return scalar.NewFloat32Scalar([]float32{v.Value + 1, -v.Value, math.Nextafter32(v.Value, 9), float32(math.NaN()), 0, float32(math.Inf(1))}[g.Intn(6)])
	case *scalar.Float64:
		return scalar.NewFloat64Scalar([]float64{v.Value + 1, -v.Value, math.Nextafter(v.Value, 9), math.NaN(), math.Copysign(0, -1), math.Inf(-1)}[g.Intn(6)])
	case *scalar.String:
		return scalar.NewStringScalar(string(g.nearBytes(v.Data())))
	case *scalar.Binary:
		return scalar.NewBinaryScalar(memory.NewBufferBytes(g.nearBytes(v.Data())), v.Type)
	}
	return v
}

func (g predicates) nearBytes(b []byte) []byte {
	b = append([]byte(nil), b...)
	switch g.Intn(5) {
	case 0:
		return b[:g.Intn(len(b)+1)]
	case 1:
		return append(b, ' ')
	case 2:
		return append(b, '\t')
	case 3:
		if len(b) > 0 {
			b[g.Intn(len(b))]++
		}
	}
	return b
}

func (g predicates) any(t arrow.DataType) scalar.Scalar {
	s, err := scalar.MakeScalarParam(int64(g.Intn(100)), arrow.PrimitiveTypes.Int64)
	if err == nil {
		if to, err := s.CastTo(t); err == nil {
			return to
		}
	}
	return scalar.MakeNullScalar(t)
}
