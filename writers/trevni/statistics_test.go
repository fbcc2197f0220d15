package trevni_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
)

// measured are rows of every type that has bounds, in waves, so that blocks differ.
func measured(n int, seed int64) arrow.Record {
	s := fieldsOf("number", arrow.PrimitiveTypes.Int32, "l?", arrow.PrimitiveTypes.Int64, "f", arrow.PrimitiveTypes.Float32,
		"d?", arrow.PrimitiveTypes.Float64, "name", arrow.BinaryTypes.String, "t?", arrow.BinaryTypes.String, "b?", arrow.BinaryTypes.Binary,
		"day", arrow.FixedWidthTypes.Date32, "at?", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		"in?", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}),
		"up", arrow.PrimitiveTypes.Int64)
	r := rand.New(rand.NewSource(seed))
	long := strings.Repeat("0123456789", 4)
	return build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		wave := int64(1000*math.Sin(float64(i)/9000)) + r.Int63n(50)
		for k := range s.NumFields() {
			appendMeasured(b.Field(k), r, wave, i, long, s.Field(k).Nullable)
		}
	})
}

func appendMeasured(b array.Builder, r *rand.Rand, wave int64, i int, long string, nullable bool) {
	if nullable && (r.Intn(5) == 0 || i > 30_000 && i < 60_000) {
		b.AppendNull()
		return
	}
	text := []string{fmt.Sprintf("%05d", wave+2000), fmt.Sprintf("%05d-%s", wave+2000, long), "", "\xf4\x8f\xbf\xbf" + strings.Repeat("\xf4\x8f\xbf\xbf", r.Intn(10))}
	t := text[min(r.Intn(30), 1)]
	if i%7919 == 1 {
		t = text[2+r.Intn(2)]
	}
	switch b := b.(type) {
	case *array.Int32Builder:
		b.Append(int32(wave) << (i % 3))
	case *array.Int64Builder:
		if !nullable {
			b.Append(int64(i) / 3)
			return
		}
		b.Append([]int64{wave, -wave << 40, math.MinInt64, math.MaxInt64}[min(r.Intn(4000), 3)*(1-min(i%5000, 1))])
	case *array.Float32Builder:
		b.Append([]float32{float32(wave) / 8, float32(math.NaN()), float32(math.Copysign(0, -1))}[max(0, r.Intn(40)-37)])
	case *array.Float64Builder:
		b.Append([]float64{float64(wave), math.NaN(), math.Inf(1), math.Inf(-1)}[max(0, r.Intn(400)-396)])
	case *array.StringBuilder:
		b.Append(t)
	case *array.BinaryBuilder:
		b.Append([]byte(strings.ReplaceAll(t, "\xf4", "\xff")))
	case *array.Date32Builder:
		b.Append(arrow.Date32(18_000 + wave))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(1_700_000_000_000_000 + wave))
	case *array.StructBuilder:
		b.Append(true)
		b.FieldBuilder(0).(*array.Int64Builder).Append(wave)
		appendMeasured(b.FieldBuilder(1), r, wave, i, long, true)
	}
}

// TestStatistics works out what the statistics of each block must say from the rows alone.
func TestStatistics(t *testing.T) {
	rec := measured(120_000, 1)
	defer rec.Release()
	for _, o := range []arrowio.WriteOptions{{Compression: "none"}, {Compression: "deflate"}, {Compression: "snappy", RowGroupBytes: 1 << 20}, {Compression: "none", Options: map[string]string{"trevni-lengths": "java"}}} {
		first := int64(0)
		objects := write(t, rec.Schema(), []arrow.Record{rec.NewSlice(0, 10), rec.NewSlice(10, 50_001), rec.NewSlice(50_001, rec.NumRows())}, o)
		var names []string
		for name := range objects {
			names = append(names, name)
		}
		slices.Sort(names)
		columns := 0
		for _, name := range names {
			file := objects[name]
			verify(t, name, file)
			h, blocks := layout(t, file)
			for i, c := range h.Columns {
				stats, ok := c.Meta.Get(trevniwire.KeyStats)
				if !ok {
					continue
				}
				columns++
				bounds, err := trevniwire.ParseStatistics(stats, &h.Columns[i], blocks[i])
				if err != nil {
					t.Fatal(err)
				}
				for k, b := range bounds {
					checkBounds(t, &c, &b, rec, first+blocks[i][k].Start, first+blocks[i][k].End())
				}
			}
			first += h.Rows
		}
		if columns < 11*len(objects) && len(objects) == 1 {
			t.Errorf("%+v: statistics of %d columns", o, columns)
		}
	}
}

func checkBounds(t *testing.T, c *trevniwire.Column, b *trevniwire.Bounds, rec arrow.Record, from, to int64) {
	t.Helper()
	name, _, _ := strings.Cut(c.Name, "/")
	var arr arrow.Array
	above := func(int) bool { return false }
	if child, ok := strings.CutPrefix(c.Name, "in/in#"); ok {
		st := rec.Column(9).(*array.Struct)
		above = st.IsNull
		child, _, _ = strings.Cut(child, "/")
		arr = st.Field(map[string]int{"x": 0, "y": 1}[child])
	} else {
		for k, f := range rec.Schema().Fields() {
			if f.Name == name {
				arr = rec.Column(k)
			}
		}
	}
	nulls := int64(0)
	var values []any
	for i := int(from); i < int(to); i++ {
		if arr.IsNull(i) || above(i) {
			nulls++
			continue
		}
		v := flat(arr, i)
		if x, ok := v.(float64); ok && x != x {
			continue
		}
		if x, ok := v.(float32); ok && x != x {
			continue
		}
		values = append(values, v)
	}
	if b.Nulls != nulls {
		t.Fatalf("%s, rows %d to %d: %d nulls, want %d", c.Name, from, to, b.Nulls, nulls)
	}
	if len(values) == 0 {
		if b.Min || b.Max {
			t.Fatalf("%s: bounds of nothing", c.Name)
		}
		return
	}
	low, high := slices.MinFunc(values, compareFlat), slices.MaxFunc(values, compareFlat)
	ok := b.Min
	switch x := low.(type) {
	case int64:
		ok = ok && b.Max && b.MinInt == x && b.MaxInt == high.(int64)
	case float32:
		ok = ok && b.Max && b.MinFloat == float64(x) && b.MaxFloat == float64(high.(float32)) && (b.MinFloat != 0 || math.Signbit(b.MinFloat))
	case float64:
		ok = ok && b.Max && b.MinFloat == x && b.MaxFloat == high.(float64)
	default:
		lo, hi := fmt.Sprintf("%s", low), fmt.Sprintf("%s", high)
		ok = ok && string(b.MinText) == lo[:min(len(lo), 32)] && (!b.Max || string(b.MaxText) >= hi) && len(b.MaxText) <= 32
		if len(hi) <= 32 {
			ok = ok && b.Max && string(b.MaxText) == hi
		} else if strings.Count(hi[:32], "\xff") < 32 {
			ok = ok && b.Max
		}
	}
	if !ok {
		t.Fatalf("%s, rows %d to %d: %+v, the values are from %v to %v", c.Name, from, to, b, low, high)
	}
}

func compareFlat(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float32:
		return cmp.Compare(a, b.(float32))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return strings.Compare(a, b.(string))
	}
	return bytes.Compare(a.([]byte), b.([]byte))
}

// TestStatisticsPrune: filters give the same rows with and without statistics, and leave out rows where these allow it.
func TestStatisticsPrune(t *testing.T) {
	rec := measured(100_000, 2)
	defer rec.Release()
	open := func(statistics string) *reader.File {
		for _, file := range write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"trevni-statistics": statistics}}) {
			f, err := reader.Open(t.Context(), local.NewBytesSource(file), arrowio.Limits{}, reader.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		return nil
	}
	with, without := open("blocks"), open("none")
	for filter, prunes := range map[string]bool{
		"number < -3990": true, "number = 77": false, `l = 123`: false, `l IS NULL`: false, `l IS NOT NULL`: false, "f > 131": true, "f = 0": false,
		"f IS NAN": false, `d > 1e300`: false, "name = '02900'": true, `t < '00990'`: false, "name > '03050-'": false,
		"name >= 'zzz'": false, `b = X'00'`: false, "day = DATE '2022-01-01'": true, `at < TIMESTAMP '2023-11-14 22:13:19.9991Z'`: true,
		`in.x > 1040`: false, `in.y IS NOT NULL`: false, `in.y = 'a'`: false, "up < 100": true, "up > 1000000": true, "NOT up < 39990": true,
	} {
		e, err := expr.Parse(filter)
		if err != nil {
			t.Fatal(err)
		}
		var rows [2]string
		for k, f := range []*reader.File{with, without} {
			s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Filter: e, Columns: []string{"up", "name"}})
			if err != nil {
				t.Fatal(filter, err)
			}
			n, sum := 0, int64(0)
			for s.Next() {
				for i, x := range s.Record().Column(0).(*array.Int64).Int64Values() {
					n, sum = n+1, sum*31+x*int64(i+n)
				}
			}
			if s.Err() != nil {
				t.Fatal(filter, s.Err())
			}
			s.Release()
			rows[k] = fmt.Sprint(n, sum)
		}
		if rows[0] != rows[1] {
			t.Errorf("%s: %s with statistics, %s without", filter, rows[0], rows[1])
		}
		bound, err := expr.Bind(e, with.Schema())
		if err != nil {
			t.Fatal(err)
		}
		left := int64(0)
		for _, s := range with.Splits() {
			set, err := with.Prune(t.Context(), s, bound)
			if err != nil {
				t.Fatal(err)
			}
			left += set.Len()
		}
		if prunes && left == rec.NumRows() {
			t.Errorf("%s leaves out nothing", filter)
		}
	}
}

// TestStatisticsShare: statistics and first values that nobody has asked for take at most a hundredth of a file.
func TestStatisticsShare(t *testing.T) {
	for _, n := range []int64{0, 1, 10, 100, 1000, 10_000, 40_000} {
		rec := measured(int(n), 3)
		for _, compression := range []string{"none", "snappy", "deflate"} {
			var size [2]int
			for k, statistics := range []string{"none", "blocks"} {
				for _, file := range write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Compression: compression, Options: map[string]string{"trevni-statistics": statistics}}) {
					size[k] = len(file)
				}
			}
			if size[1]*100 > size[0]*101 {
				t.Errorf("%d rows, %s: %d bytes without, %d with", n, compression, size[0], size[1])
			}
		}
		rec.Release()
	}
}
