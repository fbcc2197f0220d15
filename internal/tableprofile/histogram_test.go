package tableprofile_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// Histograms of few values are exact, and leave out what lies far from all others.
func TestHistogram(t *testing.T) {
	far := "[1e9"
	for i := range 200 {
		far += fmt.Sprint(", ", i%10)
	}
	far += "]"
	for _, c := range []struct {
		dt   arrow.DataType
		json string
		want string
	}{
		{arrow.PrimitiveTypes.Int32, `[3, null, -1, 0, 3]`, "-1 to 3: [1 1 0 0 2], 0 below, 0 above"},
		{arrow.PrimitiveTypes.Int8, `[-128, 127, -118, -117]`, "-128 to 127: [2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1], 0 below, 0 above"},
		{arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 0]`, "0 to 9223372036854775808: [1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1], 0 below, 0 above"},
		{arrow.PrimitiveTypes.Float64, `[0, 24, 23.5, 1, 0.9]`, "0 to 24: [2 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2], 0 below, 0 above"},
		{arrow.PrimitiveTypes.Float64, `[1, "NaN", 1]`, "none"},
		{arrow.PrimitiveTypes.Float64, `["+Inf", "-Inf", 0, 0]`, "none"},
		{arrow.PrimitiveTypes.Float64, `[-1.7e308, 1.7e308]`, "none"},
		{arrow.PrimitiveTypes.Float64, far, "0 to 9: [20 0 20 0 0 20 0 0 20 0 20 0 0 20 0 0 20 0 20 0 0 20 0 20], 0 below, 1 above"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `["0.00", "0.24", "0.01"]`, "0.00 to 0.24: [1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1], 0 below, 0 above"},
		{arrow.FixedWidthTypes.Date32, `["2020-02-28", "2020-03-01"]`, "2020-02-28 to 2020-03-01: [1 0 1], 0 below, 0 above"},
		{arrow.BinaryTypes.String, `["a", "b"]`, "none"},
		{arrow.PrimitiveTypes.Int8, `[null, null]`, "none"},
	} {
		rec := fromJSON(t, memory.DefaultAllocator, c.dt, c.json)
		p := tableprofile.New(rec.Schema(), tableprofile.Options{})
		if err := p.Add(rec); err != nil {
			t.Fatal(err)
		}
		rec.Release()
		got := "none"
		if h := p.Profile().Columns[0].Histogram; h != nil {
			got = fmt.Sprintf("%s to %s: %d, %d below, %d above", h.From, h.To, h.Counts, h.Below, h.Above)
			if !h.Exact {
				t.Errorf("%s %s is not exact", c.dt, c.json)
			}
		}
		if got != c.want {
			t.Errorf("%s %.100s:\n got %s\nwant %s", c.dt, c.json, got, c.want)
		}
	}
}

// Whole numbers that no floating point number tells apart have bins of their own.
func TestHistogramOfLargeNumbers(t *testing.T) {
	h := profileOf(t, tableprofile.Options{}, []int64{math.MaxInt64, math.MaxInt64 - 2, math.MaxInt64 - 2}).Columns[0].Histogram
	if h == nil || !slices.Equal(h.Counts, []int64{2, 0, 1}) || h.From != "9223372036854775805" || h.To != "9223372036854775807" {
		t.Errorf("%+v", h)
	}
}

// Of columns with many values as many lie below the end of each bin as the histogram says, within half a percent; together they are all.
func TestEstimatedHistogram(t *testing.T) {
	for name, values := range shapes(200_000) {
		c := profileOf(t, tableprofile.Options{}, values).Columns[0]
		h := c.Histogram
		if h == nil || h.Exact {
			t.Fatalf("%s: %+v", name, h)
		}
		slices.Sort(values)
		from, err := strconv.ParseFloat(h.From, 64)
		to, err2 := strconv.ParseFloat(h.To, 64)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		width := math.Ceil((to - from + 1) / 24)
		if n := math.Ceil((to - from + 1) / width); len(h.Counts) != int(n) {
			t.Errorf("%s: %d bins, want %g", name, len(h.Counts), n)
		}
		sum, edge := h.Below, from
		for i := range len(h.Counts) + 1 {
			below, _ := slices.BinarySearchFunc(values, edge, func(v int64, edge float64) int {
				if float64(v) < edge {
					return -1
				}
				return 1
			})
			if off := math.Abs(float64(sum-int64(below))) / float64(len(values)); off > 0.005 {
				t.Errorf("%s: %d below %g, want %d", name, sum, edge, below)
			}
			if i < len(h.Counts) {
				sum += h.Counts[i]
				edge += width
			}
		}
		if sum+h.Above != int64(len(values)) {
			t.Errorf("%s: %d values, want %d", name, sum+h.Above, len(values))
		}
	}
}
