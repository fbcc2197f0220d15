package parquet

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// Long strings are cut; what is stored is below all of them, or above.
func TestBoundsAreCut(t *testing.T) {
	text, binary := leafOf(arrow.BinaryTypes.String), leafOf(arrow.BinaryTypes.Binary)
	for _, c := range []struct {
		leaf      *leaf
		value     string
		low, high string // "" = none
	}{
		{text, "short", "short", "short"},
		{text, strings.Repeat("a", 64), strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{text, strings.Repeat("a", 65), strings.Repeat("a", 64), strings.Repeat("a", 63) + "b"},
		{text, strings.Repeat("é", 40), strings.Repeat("é", 32), strings.Repeat("é", 31) + "ê"},
		{text, "a" + strings.Repeat("é", 40), "a" + strings.Repeat("é", 31), "a" + strings.Repeat("é", 30) + "ê"},
		{text, strings.Repeat("a", 63) + "\U0010ffff" + "x", strings.Repeat("a", 63), strings.Repeat("a", 62) + "b"},
		{text, strings.Repeat("\U0010ffff", 20), strings.Repeat("\U0010ffff", 16), ""},
		{text, strings.Repeat("\ud7ff", 30), strings.Repeat("\ud7ff", 21), strings.Repeat("\ud7ff", 20) + "\ue000"},
		{binary, strings.Repeat("\xff", 63) + "\x01\x00", strings.Repeat("\xff", 63) + "\x01", strings.Repeat("\xff", 63) + "\x02"},
		{binary, "a" + strings.Repeat("\xff", 70), "a" + strings.Repeat("\xff", 63), "b"},
		{binary, strings.Repeat("\xff", 70), strings.Repeat("\xff", 64), ""},
	} {
		var b bounds
		b.add(c.leaf, []byte(c.value), []byte(c.value))
		low, high := b.stored(c.leaf)
		if string(low.Value) != c.low || low.Inexact != (c.low != c.value) || bytes.Compare(low.Value, []byte(c.value)) > 0 {
			t.Errorf("%q: the smallest is %q, want %q", c.value, low.Value, c.low)
		}
		if string(high.Value) != c.high || high.Set != (c.high != "") || high.Set && bytes.Compare(high.Value, []byte(c.value)) < 0 {
			t.Errorf("%q: the largest is %q, want %q", c.value, high.Value, c.high)
		}
	}
}

// NaN is never a bound, and zeroes are -0 and +0, whichever were there.
func TestBoundsOfFloats(t *testing.T) {
	zero := 0.0
	for _, c := range []struct {
		values    []float64
		set       bool
		low, high float64
	}{
		{[]float64{math.NaN(), math.NaN()}, false, 0, 0},
		{[]float64{math.NaN(), 3, -1, math.NaN()}, true, -1, 3},
		{[]float64{zero, 2}, true, math.Copysign(0, -1), 2},
		{[]float64{-2, math.Copysign(0, -1)}, true, -2, 0},
		{[]float64{math.Inf(-1)}, true, math.Inf(-1), math.Inf(-1)},
		{[]float64{math.Inf(1), math.NaN()}, true, math.Inf(1), math.Inf(1)},
	} {
		l := leafOf(arrow.PrimitiveTypes.Float64)
		v := newValues(l)
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(c.values, nil)
		if err := v.load(&worker{}, b.NewArray(), positions{n: len(c.values)}); err != nil {
			t.Fatal(err)
		}
		v.plain(nil, 0, len(c.values))
		low, high := v.stats().stored(l)
		if low.Set != c.set || high.Set != c.set {
			t.Errorf("%v: bounds are set: %v, %v", c.values, low.Set, high.Set)
			continue
		}
		if c.set && (math.Float64bits(float(low.Value)) != math.Float64bits(c.low) || math.Float64bits(float(high.Value)) != math.Float64bits(c.high)) {
			t.Errorf("%v: bounds %v, %v", c.values, float(low.Value), float(high.Value))
		}
	}
}

// Values and rows larger than a page have pages of their own; the others are not drawn in.
func TestLargeValues(t *testing.T) {
	for _, o := range []map[string]string{nil, {"parquet-dictionary": "none"}, {"parquet-page-bytes": "1KiB", "parquet-data-page": "v2", "parquet-page-index": "yes"}} {
		there(t, arrowio.WriteOptions{Options: o}, someLarge())
	}
}

func someLarge() arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 40 {
		switch i % 10 {
		case 3:
			b.Append(strings.Repeat(fmt.Sprint(i), 1<<20))
		case 4:
			b.AppendNull()
		default:
			b.Append(fmt.Sprint("small ", i))
		}
	}
	return b.NewArray()
}

func TestOptions(t *testing.T) {
	rec := recordOf(array.MakeArrayOfNull(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, 3))
	for _, o := range []map[string]string{
		{"parquet-page-bytes": "12"},
		{"parquet-page-bytes": "1GiB"},
		{"parquet-page-rows": "0"},
		{"parquet-data-page": "3"},
		{"parquet-page-index": "x"},
		{"parquet-bloom": "nothing"},
		{"parquet-bloom": "a:1.5"},
		{"parquet-dictionary": "b"},
		{"parquet-codec": "x"},
	} {
		if _, err := Plan(rec.Schema(), arrowio.WriteOptions{Options: o}); err == nil {
			t.Errorf("%v is taken", o)
		}
	}
	if _, err := Plan(rec.Schema(), arrowio.WriteOptions{Options: map[string]string{"parquet-bloom": "a:0.5", "parquet-page-bytes": "64KiB"}}); err != nil {
		t.Error(err)
	}
}
