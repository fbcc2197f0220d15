package tableprofile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// profileOf measures int64 columns in batches.
func profileOf(t testing.TB, o tableprofile.Options, columns ...[]int64) *tableprofile.Profile {
	t.Helper()
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	p := tableprofile.New(schema, o)
	for n := 0; n < len(columns[0]); n += 10_000 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i, c := range columns {
			b.Field(i).(*array.Int64Builder).AppendValues(c[n:min(n+10_000, len(c))], nil)
		}
		rec := b.NewRecord()
		if err := p.Add(rec); err != nil {
			t.Fatal(err)
		}
		rec.Release()
		b.Release()
	}
	return p.Profile()
}

// shapes are values of columns that have too many for all of them to be counted.
func shapes(n int) map[string][]int64 {
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<40)
	out := map[string][]int64{}
	for i := range n {
		add := func(name string, v int64) { out[name] = append(out[name], v) }
		add("rising", int64(i))
		add("falling", int64(-3*i))
		add("random", r.Int64())
		add("skewed", int64(zipf.Uint64()))
		add("normal", int64(1e9*r.NormFloat64()))
		add("waves", int64(1e6*math.Sin(float64(i)/16)))
		common := int64(i)
		if i%3 > 0 {
			common = int64(-1 - i%2)
		}
		add("common", common)
	}
	return out
}

// Of columns with many values the number of different ones is within four standard errors, quantiles are within half a percent of
// the rows, the bounds of frequent values hold, and each value of more than a 500th of the rows is among them.
func TestEstimates(t *testing.T) {
	for name, values := range shapes(200_000) {
		c := profileOf(t, tableprofile.Options{}, values).Columns[0]
		sorted := slices.Sorted(slices.Values(values))
		counts := map[string]int64{}
		for _, v := range values {
			counts[strconv.FormatInt(v, 10)]++
		}
		if d := c.Distinct; d.Exact || math.Abs(float64(d.Count)/float64(len(counts))-1) > 4*d.Error {
			t.Errorf("%s: %+v different values, want %d", name, d, len(counts))
		}
		if c.QuantilesExact || len(c.Quantiles) == 0 {
			t.Errorf("%s: quantiles %+v", name, c.Quantiles)
		}
		for _, q := range c.Quantiles {
			v, err := strconv.ParseInt(q.Value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			n := float64(len(sorted))
			low := float64(sort.Search(len(sorted), func(i int) bool { return sorted[i] >= v })) / n
			high := float64(sort.Search(len(sorted), func(i int) bool { return sorted[i] > v })) / n
			if q.Share < low-0.005 || q.Share > high+0.005 {
				t.Errorf("%s: %d, which is the quantile of %.4f to %.4f, for %g", name, v, low, high, q.Share)
			}
		}
		listed := map[string]bool{}
		for _, x := range c.Top {
			listed[x.Value] = true
			if n := counts[x.Value]; n < x.Count || n > x.AtMost {
				t.Errorf("%s: %+v occurs %d times", name, x, n)
			}
		}
		for v, n := range counts {
			if n > int64(len(values)/500) && !listed[v] && len(c.Top) < 10 {
				t.Errorf("%s: %s is not listed, which occurs %d times", name, v, n)
			}
		}
		if *c.Min != strconv.FormatInt(sorted[0], 10) || *c.Max != strconv.FormatInt(sorted[len(sorted)-1], 10) {
			t.Errorf("%s: from %s to %s", name, *c.Min, *c.Max)
		}
	}
}

// As long as all values are counted, everything is exact.
func TestExactUpToTheLimit(t *testing.T) {
	limit := tableprofile.New(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil), tableprofile.Options{}).Profile().ExactDistinct
	values := make([]int64, 0, 3*limit+1)
	for i := range 3 * limit {
		values = append(values, int64(i/3*7%limit))
	}
	c := profileOf(t, tableprofile.Options{}, values).Columns[0]
	if *c.Distinct != (tableprofile.Distinct{Count: int64(limit), Exact: true}) || !c.QuantilesExact || !c.TopExact || c.Top[0].Count != 3 {
		t.Errorf("%+v %+v", c, c.Distinct)
	}
	slices.Sort(values)
	for _, q := range c.Quantiles {
		if want := values[int(math.Ceil(q.Share*float64(len(values))))-1]; q.Value != strconv.FormatInt(want, 10) {
			t.Errorf("%g: %s, want %d", q.Share, q.Value, want)
		}
	}
	c = profileOf(t, tableprofile.Options{}, append(values, -1)).Columns[0]
	if c.Distinct.Exact || c.QuantilesExact || c.TopExact {
		t.Errorf("one more: %+v %+v", c, c.Distinct)
	}
}

// Many columns and little memory lower the number of values that are counted, not below a least one.
func TestMemory(t *testing.T) {
	var fields []arrow.Field
	for i := range 1000 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64})
	}
	for _, c := range []struct {
		memory int64
		want   int
	}{{1 << 40, 1 << 14}, {256 << 20, 1 << 11}, {1, 1 << 8}} {
		if got := tableprofile.New(arrow.NewSchema(fields, nil), tableprofile.Options{Memory: c.memory}).Profile().ExactDistinct; got != c.want {
			t.Errorf("%d bytes: %d values, want %d", c.memory, got, c.want)
		}
	}
}

// unmix is the inverse of the hash of whole numbers, fmix64 of MurmurHash3.
func unmix(h uint64) int64 {
	h ^= h >> 33
	h *= 0x9cb4b2f8129337db
	h ^= h >> 33
	h *= 0x4f74430c22a54005
	h ^= h >> 33
	return int64(h ^ 1<<63)
}

// Values that were chosen so that their hashes have one slot neither stop a profile nor make its bounds wrong.
func TestValuesOfOneSlot(t *testing.T) {
	values := make([]int64, 50_000)
	for i := range values {
		values[i] = unmix(uint64(i)<<24 | 5)
		if i%2 > 0 {
			values[i] = values[1]
		}
	}
	start := time.Now()
	c := profileOf(t, tableprofile.Options{}, values).Columns[0]
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(c.Top) != 1 || c.Top[0].Value != strconv.FormatInt(values[1], 10) || c.Top[0].Count > 25_000 || c.Top[0].AtMost < 25_000 {
		t.Errorf("%+v", c.Top)
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, values := range shapes(65536) {
		b.Run(name, func(b *testing.B) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64}}, nil)
			build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			defer build.Release()
			build.Field(0).(*array.Int64Builder).AppendValues(values, nil)
			rec := build.NewRecord()
			defer rec.Release()
			p := tableprofile.New(schema, tableprofile.Options{})
			b.SetBytes(int64(8 * len(values)))
			for b.Loop() {
				if err := p.Add(rec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
