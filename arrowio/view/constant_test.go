package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// oneOf is an array of one value, which is not at its start.
func oneOf(t *testing.T, typ arrow.DataType, json string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader("[null, "+json+", null]"))
	if err != nil {
		t.Fatal(err)
	}
	return array.NewSlice(a, 1, 2)
}

// A value is repeated as it is, whatever its type.
func TestRepeat(t *testing.T) {
	for _, c := range []struct {
		t    arrow.DataType
		json string
	}{
		{arrow.PrimitiveTypes.Int8, "-7"},
		{arrow.PrimitiveTypes.Int32, "70000"},
		{arrow.PrimitiveTypes.Int64, "-9000000000"},
		{arrow.PrimitiveTypes.Float64, "0.5"},
		{arrow.FixedWidthTypes.Boolean, "true"},
		{arrow.FixedWidthTypes.Boolean, "false"},
		{arrow.FixedWidthTypes.Date32, `"2024-02-29"`},
		{arrow.BinaryTypes.String, `"größer"`},
		{arrow.BinaryTypes.String, `""`},
		{arrow.BinaryTypes.String, "null"},
		{arrow.PrimitiveTypes.Int64, "null"},
		{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `"12.34"`},
	} {
		one := oneOf(t, c.t, c.json)
		for _, n := range []int{0, 1, 2, 63, 1000} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			d, err := repeat(one, n, mem)
			if err != nil {
				t.Fatal(err)
			}
			a := array.MakeFromData(d)
			d.Release()
			if a.Len() != n {
				t.Fatalf("%s: %d rows of %d", c.t, a.Len(), n)
			}
			for i := range n {
				if !array.SliceEqual(a, int64(i), int64(i)+1, one, 0, 1) {
					t.Fatalf("%s: row %d is %s, want %s", c.t, i, a.ValueStr(i), one.ValueStr(0))
				}
			}
			a.Release()
			mem.AssertSize(t, 0)
		}
	}
	long := oneOf(t, arrow.BinaryTypes.String, `"`+strings.Repeat("v", 200)+`"`)
	if _, err := repeat(long, 20_000_000, memory.DefaultAllocator); !errors.Is(err, errs.ErrLimit) {
		t.Error(err)
	}
	if _, err := repeat(oneOf(t, arrow.ListOf(arrow.PrimitiveTypes.Int8), "[1]"), 2, memory.DefaultAllocator); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	r := &sizedAdaptedReader{&adaptedReader{}, nil, bytesOfRow(long)}
	if got := r.Fit(1000, 100*bytesOfRow(long)); got != 100 {
		t.Error(got)
	}
	if got := r.Fit(1000, 1); got != 1 {
		t.Error(got)
	}
}

// Only what the known columns tell remains of a filter, and nothing is concluded from the others.
func TestKnown(t *testing.T) {
	schema := columnsOf("y", tI64, "k", tStr, "n", tI32)
	row := fromJSON(t, schema, `[{"y":2024,"k":"a","n":null}]`)
	defer row.Release()
	for where, want := range map[string]bool{
		"y = 2024": true, "y < 2024": false, "NOT y = 2024": false, "NOT y < 2024": true,
		"k LIKE 'a%'": true, "k IN ('b', 'c')": false, "k NOT IN ('b')": true,
		"n = 1": false, "NOT n = 1": false, "n IS NULL": true, "n IS NOT NULL": false,
		"x = 1": true, "x = 1 AND y = 1": false, "x = 1 OR y = 1": true, "NOT (x = 1 AND y = 2024)": true, "NOT (x = 1 OR y = 2024)": false,
		"y = n": false, "y > x": true, "x < n": true, "Y = 1": true,
	} {
		e, err := expr.Parse(where)
		if err != nil {
			t.Fatal(err)
		}
		b, err := expr.Bind(Known(e, schema), schema)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		m, err := b.Mask(row)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.IsValid(0) && m.Value(0); got != want {
			t.Errorf("%s: %v", where, got)
		}
		m.Release()
	}
}
