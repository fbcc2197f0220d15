package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// keysFile writes rows of a number of their own and a column for each kind of key, with nulls, few different values, and floats
// that are NaN and zeros of both signs.
func keysFile(t *testing.T, dir string, rows int) string {
	t.Helper()
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us,
		&arrow.Decimal128Type{Precision: 20, Scale: 2}, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
	}
	var fields []arrow.Field
	for i, typ := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("k", i), Type: typ, Nullable: i > 0})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 2))
	floats := []float64{math.NaN(), math.Inf(-1), 0, math.Copysign(0, -1), 1.5, -1.5}
	var recs []arrow.Record
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		for k := 1; k < len(types); k++ {
			if r.IntN(9) == 0 {
				b.Field(k).AppendNull()
				continue
			}
			n := r.IntN(500)
			switch c := b.Field(k).(type) {
			case *array.BooleanBuilder:
				c.Append(n%2 == 0)
			case *array.Int8Builder:
				c.Append(int8(n))
			case *array.Uint64Builder:
				c.Append(math.MaxUint64 - uint64(n))
			case *array.Float64Builder:
				c.Append(floats[n%len(floats)] * float64(1+n/100))
			case *array.StringBuilder:
				c.Append(strings.Repeat("x", n%30) + fmt.Sprint(n))
			case *array.BinaryBuilder:
				c.Append([]byte{byte(n), byte(n >> 8)})
			case *array.Date32Builder:
				c.Append(arrow.Date32(n - 250))
			case *array.TimestampBuilder:
				c.Append(arrow.Timestamp(n - 250))
			case *array.Decimal128Builder:
				c.Append(decimal128.FromI64(int64(n - 250)))
			case *array.BinaryDictionaryBuilder:
				if err := c.AppendString(fmt.Sprint("word ", n%40)); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("%T", c)
			}
		}
		if i%1000 == 999 || i == rows-1 {
			recs = append(recs, b.NewRecord())
		}
	}
	defer func() {
		for _, rec := range recs {
			rec.Release()
		}
	}()
	return writeIPC(t, filepath.Join(dir, "in.arrows"), schema, recs...)
}

// The first rows in order are those that sorting all rows puts first, by keys of every type, and without scratch files where
// they fit into the memory.
func TestConvertFirstInOrder(t *testing.T) {
	const rows = 20_000
	dir := t.TempDir()
	in := keysFile(t, dir, rows)
	convertTo := func(name string, args ...string) (lines []string, spilled int64) {
		t.Helper()
		out := filepath.Join(dir, name)
		var r struct {
			SpilledBytes int64 `json:"spilled_bytes"`
		}
		report := ok(t, append([]string{"convert", "--json", "--force", "--memory", "2MiB", "--batch-rows", "1000", in, out}, args...)...)
		if err := json.Unmarshal([]byte(report), &r); err != nil {
			t.Fatal(err)
		}
		return strings.SplitAfter(ok(t, "cat", "--format", "jsonl", out), "\n"), r.SpilledBytes
	}
	keys := []string{"-k0", "k5 nulls first,-k1", "-k10,k9"}
	for k := 1; k <= 10; k++ {
		keys = append(keys, fmt.Sprintf("%sk%d%s", []string{"", "-"}[k%2], k, []string{"", " nulls first"}[k/2%2]))
	}
	for _, key := range keys {
		all, spilled := convertTo("all.arrow", "--sort="+key)
		if spilled == 0 || len(all) != rows+1 {
			t.Fatalf("%s: %d lines, %d bytes in scratch files", key, len(all), spilled)
		}
		for _, n := range []int{1, 700, 17_000} {
			first, spilled := convertTo("first.arrow", "--sort="+key, "--limit", fmt.Sprint(n))
			if strings.Join(first, "") != strings.Join(all[:n], "") {
				t.Errorf("%s: the first %d rows are others", key, n)
			}
			if n < 1000 && spilled > 0 {
				t.Errorf("%s: %d bytes in scratch files for %d rows", key, spilled, n)
			}
		}
	}
}
