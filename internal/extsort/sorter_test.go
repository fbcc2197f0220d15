package extsort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/race"
)

// fromJSON makes a batch.
func fromJSON(t testing.TB, mem memory.Allocator, s *arrow.Schema, rows string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(mem, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// toJSON returns rows a line each.
func toJSON(t testing.TB, recs []arrow.Record) string {
	t.Helper()
	var b strings.Builder
	for _, r := range recs {
		if err := array.RecordToJSON(r, &b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func fields(f ...any) *arrow.Schema {
	var out []arrow.Field
	for i := 0; i < len(f); i += 2 {
		out = append(out, arrow.Field{Name: f[i].(string), Type: f[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.NewSchema(out, nil)
}

// numbered returns batches of key columns made of rows of values, and behind them the number of the row.
func ranks(t *testing.T, dt arrow.DataType, by int, build func(b array.Builder, i int), n int) []int64 {
	t.Helper()
	mem := memory.NewGoAllocator()
	b := array.NewRecordBuilder(mem, fields("k", dt, "n", arrow.PrimitiveTypes.Int64))
	for i := range n {
		build(b.Field(0), i)
		b.Field(1).(*array.Int64Builder).Append(int64(i))
	}
	got, _, err := sortAll(context.Background(), []arrow.Record{b.NewRecord()}, keysOf("k", "n")[:by], Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []int64
	for _, g := range got {
		out = append(out, g.Column(1).(*array.Int64).Int64Values()...)
	}
	return out
}

func TestFloats(t *testing.T) {
	nan2 := math.Float64frombits(0xFFF8000000000123)
	zero := 0.0
	values := []float64{math.NaN(), 1, math.Inf(1), -zero, math.Copysign(0, -1), nan2, 0, math.Inf(-1), -1, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64}
	want := []int64{7, 8, 10, 3, 4, 6, 9, 1, 11, 2, 0, 5, 12}
	got := ranks(t, arrow.PrimitiveTypes.Float64, 1, func(b array.Builder, i int) {
		if i == len(values) {
			b.AppendNull()
			return
		}
		b.(*array.Float64Builder).Append(values[i])
	}, len(values)+1)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	small := []float32{float32(math.NaN()), -1, float32(math.Copysign(0, -1)), 0, 1, float32(math.Inf(-1))}
	got = ranks(t, arrow.PrimitiveTypes.Float32, 1, func(b array.Builder, i int) { b.(*array.Float32Builder).Append(small[i]) }, len(small))
	if want := []int64{5, 1, 2, 3, 4, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Texts that are beginnings of others, with zeroes and without, alone and in front of another column.
func TestTexts(t *testing.T) {
	values := []string{"", "\x00", "\x00\x00", "\x00\x01", "\x01", "a", "a\x00", "a\x00\x00", "a\x00\x00\x00\x00\x00\x00\x00\x00", "a\x00\x01", "a\x01", "aa", "abcdefgh", "abcdefgh\x00", "abcdefghi", "\xff", "\xff\xff"}
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.String} {
		for by := 1; by <= 2; by++ {
			perm := rand.New(rand.NewSource(3)).Perm(3 * len(values))
			got := ranks(t, dt, by, func(b array.Builder, i int) {
				v := values[perm[i]/3]
				switch b := b.(type) {
				case *array.StringBuilder:
					b.Append(v)
				case *array.BinaryBuilder:
					b.AppendString(v)
				}
			}, len(perm))
			for i, g := range got {
				if perm[g]/3 != i/3 {
					t.Fatalf("%s by %d: %q at %d, want %q", dt, by, values[perm[g]/3], i, values[i/3])
				}
				if i%3 > 0 && got[i-1] > g {
					t.Fatalf("%s by %d: equal keys changed places", dt, by)
				}
			}
		}
	}
}

func TestSeveralColumns(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	s := fields("a", arrow.BinaryTypes.String, "b", arrow.PrimitiveTypes.Int32, "c", inner)
	rec := fromJSON(t, mem, s, `[{"a":"x","b":2,"c":{"x":1}},{"a":null,"b":1,"c":{"x":1}},{"a":"x","b":-2,"c":null},{"a":"","b":7,"c":{"x":5}},{"a":"x","b":null,"c":{"x":-5}},{"a":"x","b":2,"c":{"x":null}},{"a":"x","b":2,"c":{"x":0}}]`)
	defer rec.Release()
	for _, c := range []struct {
		by   []string
		want string
	}{
		{[]string{"a", "b", "c.x"}, `3 2 6 0 5 4 1`},
		{[]string{"b", "a"}, `2 1 0 5 6 3 4`},
		{[]string{"c.x"}, `4 6 0 1 3 2 5`},
	} {
		got, _, err := sortAll(context.Background(), []arrow.Record{rec}, keysOf(c.by...), Options{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		var want []where
		for _, f := range strings.Fields(c.want) {
			want = append(want, where{0, int(f[0] - '0')})
		}
		check(t, got, []arrow.Record{rec}, want)
		releaseAll(got)
	}
}

func TestRefusals(t *testing.T) {
	point := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8})
	s := fields("n", arrow.PrimitiveTypes.Int64, "l", arrow.ListOf(arrow.PrimitiveTypes.Int8), "s", point, "m", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8),
		"u", arrow.DenseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int8}}, []arrow.UnionTypeCode{0}), "i", arrow.FixedWidthTypes.MonthDayNanoInterval,
		"ls", arrow.ListOf(point), "d", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: point})
	for by, want := range map[string]error{
		"n": nil, "s.x": nil, "l": errs.ErrSchema, "s": errs.ErrSchema, "m": errs.ErrSchema, "u": errs.ErrSchema, "i": errs.ErrSchema, "ls.x": errs.ErrSchema, "d": errs.ErrSchema, "none": errs.ErrSchema,
	} {
		x, err := New(s, keysOf(by), Options{})
		if !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), by) {
			t.Errorf("by %s: %v", by, err)
		}
		if x != nil {
			x.Close()
		}
	}
	if _, err := New(s, nil, Options{}); !errors.Is(err, errs.ErrOption) {
		t.Error("by nothing:", err)
	}

	declared := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil)
	rec := fromJSON(t, memory.NewGoAllocator(), declared, `[{"k":1},{"k":null}]`)
	_, _, err := sortAll(context.Background(), []arrow.Record{rec}, keysOf("k"), Options{})
	var ae *errs.Error
	if !errors.Is(err, errs.ErrSchema) || !errors.As(err, &ae) || ae.Column != "k" {
		t.Error("nulls where there should be none:", err)
	}

	x, _ := New(declared, keysOf("k"), Options{})
	defer x.Close()
	other := fromJSON(t, memory.NewGoAllocator(), fields("k", arrow.BinaryTypes.String), `[{"k":"a"}]`)
	if err := x.Add(context.Background(), other); !errors.Is(err, errs.ErrSchema) {
		t.Error("a batch of another schema:", err)
	}
	if _, err := x.Merge(context.Background()); !errors.Is(err, errs.ErrSchema) {
		t.Error("the error did not stay:", err)
	}
}

func TestMisuse(t *testing.T) {
	ctx := context.Background()
	s := fields("k", arrow.PrimitiveTypes.Int64)
	rec := fromJSON(t, memory.NewGoAllocator(), s, `[{"k":1},{"k":0}]`)
	x, err := New(s, keysOf("k"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Add(ctx, rec); err != nil {
		t.Fatal(err)
	}
	rr, err := x.Merge(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Add(ctx, rec); err == nil {
		t.Error("rows were added after Merge")
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Error(err)
	}
	if rr.Next() || rr.Err() == nil {
		t.Error("rows came out of a closed sorter")
	}
	rr.Release()
	if err := x.Add(ctx, rec); err == nil {
		t.Error("a closed sorter took rows")
	}
	if _, err := x.Merge(ctx); err == nil {
		t.Error("a closed sorter merged")
	}
}

func TestFewRows(t *testing.T) {
	s := fields("k", arrow.PrimitiveTypes.Int64, "v", arrow.ListOf(arrow.BinaryTypes.String))
	for rows, want := range map[string]string{
		`[]`:                    ``,
		`[{"k":1,"v":["a"]}]`:   `{"k":1,"v":["a"]}` + "\n",
		`[{"k":null,"v":null}]`: `{"k":null,"v":null}` + "\n",
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		rec := fromJSON(t, mem, s, rows)
		got, stats, err := sortAll(context.Background(), []arrow.Record{rec}, keysOf("k"), Options{Allocator: mem})
		if err != nil || toJSON(t, got) != want || !stats.InOrder || stats.Rows != rec.NumRows() {
			t.Errorf("%s: %v: %s: %+v", rows, err, toJSON(t, got), stats)
		}
		releaseAll(got)
		rec.Release()
		mem.AssertSize(t, 0)
	}
	x, err := New(s, keysOf("k"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rr, err := x.Merge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	if rr.Next() || rr.Err() != nil || !rr.Schema().Equal(s) {
		t.Error("no batches:", rr.Err())
	}
}

// ints returns batches of keys and the numbers of the rows.
func ints(mem memory.Allocator, rows, batch int, key func(i int) int64) []arrow.Record {
	b := array.NewRecordBuilder(mem, fields("k", arrow.PrimitiveTypes.Int64, "n", arrow.PrimitiveTypes.Int64))
	defer b.Release()
	var recs []arrow.Record
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(key(i))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if (i+1)%batch == 0 || i+1 == rows {
			recs = append(recs, b.NewRecord())
		}
	}
	return recs
}

func TestOrders(t *testing.T) {
	rows := 40_000
	if race.Enabled {
		rows = 10_000
	}
	perm := rand.New(rand.NewSource(1)).Perm(rows)
	for _, c := range []struct {
		name    string
		key     func(i int) int64
		inOrder bool
		runs    int64 // when it does not fit; 0 = several
	}{
		{"sorted", func(i int) int64 { return int64(i) }, true, 1},
		{"sorted with equals", func(i int) int64 { return int64(i / 1000) }, true, 1},
		{"all equal", func(int) int64 { return 7 }, true, 1},
		{"reversed", func(i int) int64 { return int64(-i) }, false, 0},
		{"random", func(i int) int64 { return int64(perm[i]) }, false, 0},
		{"few keys", func(i int) int64 { return int64(perm[i] % 3) }, false, 0},
		{"nearly sorted", func(i int) int64 { return int64(i + perm[i]%50) }, false, 0},
		{"sorted but for the last", func(i int) int64 { return int64(i % (rows - 1)) }, false, 0},
		{"sorted stretches", func(i int) int64 { return int64(i % (rows / 4)) }, false, 0},
	} {
		for _, batch := range []int{10, 999, 65536} {
			for _, m := range []int64{256 << 10, 64 << 20} {
				mem := memory.NewCheckedAllocator(arrowbuf.NewPool(1 << 20))
				recs := ints(mem, rows, batch, c.key)
				d := &disk{}
				got, stats, err := sortAll(context.Background(), recs, keysOf("k"), Options{Memory: m, Allocator: mem, Scratch: d.scratch})
				if err != nil {
					t.Fatal(err)
				}
				var keys, numbers []int64
				for _, g := range got {
					keys = append(keys, g.Column(0).(*array.Int64).Int64Values()...)
					numbers = append(numbers, g.Column(1).(*array.Int64).Int64Values()...)
				}
				name := fmt.Sprintf("%s, batches of %d, memory %d", c.name, batch, m)
				if len(keys) != rows {
					t.Fatalf("%s: %d rows", name, len(keys))
				}
				for i := range keys {
					if keys[i] != c.key(int(numbers[i])) || i > 0 && (keys[i-1] > keys[i] || keys[i-1] == keys[i] && numbers[i-1] >= numbers[i]) {
						t.Fatalf("%s: row %d: key %d of row %d behind %d of row %d", name, i, keys[i], numbers[i], keys[max(0, i-1)], numbers[max(0, i-1)])
					}
				}
				if stats.InOrder != c.inOrder || stats.Rows != int64(rows) {
					t.Errorf("%s: %+v", name, stats)
				}
				spilled := m < 1<<20
				switch {
				case !spilled && (stats.Runs != 0 || stats.SpilledBytes != 0 || d.ops != 0):
					t.Errorf("%s: spilled: %+v", name, stats)
				case spilled && (stats.Runs == 0 || c.runs > 0 && stats.Runs != c.runs):
					t.Errorf("%s: %+v", name, stats)
				}
				if spilled && d.opened != d.closed {
					t.Errorf("%s: %d of %d scratch files closed", name, d.closed, d.opened)
				}
				releaseAll(got)
				releaseAll(recs)
				mem.AssertSize(t, 0)
			}
		}
	}
}

// What is in order comes out as it went in, the very same memory.
func TestInOrderIsNotCopied(t *testing.T) {
	recs := ints(memory.NewGoAllocator(), 5<<14, 1<<14, func(i int) int64 { return int64(i) })
	got, _, err := sortAll(context.Background(), recs, keysOf("k"), Options{})
	if err != nil || len(got) != len(recs) {
		t.Fatal(len(got), err)
	}
	for i, g := range got {
		if &g.Column(1).(*array.Int64).Int64Values()[0] != &recs[i].Column(1).(*array.Int64).Int64Values()[0] {
			t.Errorf("batch %d was copied", i)
		}
	}
}

// The same rows give the same result, however they are cut and whatever the memory is.
func TestReproducible(t *testing.T) {
	perm := rand.New(rand.NewSource(1)).Perm(20_000)
	key := func(i int) int64 { return int64(perm[i] % 500) }
	var first string
	for _, batch := range []int{3, 500, 20_000} {
		for _, m := range []int64{64 << 10, 300 << 10, 64 << 20} {
			got, _, err := sortAll(context.Background(), ints(memory.NewGoAllocator(), 20_000, batch, key), keysOf("k"), Options{Memory: m, Scratch: (&disk{}).scratch})
			if err != nil {
				t.Fatal(err)
			}
			if text := toJSON(t, got); first == "" {
				first = text
			} else if text != first {
				t.Errorf("batches of %d, memory %d: another result", batch, m)
			}
		}
	}
}
