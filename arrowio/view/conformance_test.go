package view_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/recordfile"
)

// variants are types that have a common type; the last of each row is not always it.
func variants() [][]arrow.DataType {
	p, b := arrow.PrimitiveTypes, arrow.BinaryTypes
	st := func(f ...arrow.Field) arrow.DataType { return arrow.StructOf(f...) }
	opt := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	dict := func(v arrow.DataType) arrow.DataType { return &arrow.DictionaryType{IndexType: p.Int16, ValueType: v} }
	branches := func(t arrow.DataType) []arrow.Field { return []arrow.Field{opt("a", t), opt("b", b.String)} }
	return [][]arrow.DataType{
		{p.Int8, p.Int16, p.Int32, p.Int64, p.Uint16, arrow.Null},
		{p.Uint8, p.Uint32, p.Uint64},
		{p.Int8, p.Int32, p.Float32, p.Float64, p.Uint16, arrow.FixedWidthTypes.Float16, dict(p.Int16)},
		{b.String, b.LargeString, b.StringView, dict(b.String), arrow.Null},
		{b.Binary, b.LargeBinary, b.BinaryView},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal128Type{Precision: 20, Scale: 4}, &arrow.Decimal256Type{Precision: 50, Scale: 30}, &arrow.Decimal128Type{Precision: 9, Scale: 0}},
		{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns},
		{arrow.FixedWidthTypes.Boolean, arrow.Null},
		{p.Date32},
		{arrow.FixedWidthTypes.Timestamp_us},
		{st(opt("x", p.Int8), opt("y", b.String)), st(opt("y", dict(b.String)), opt("x", p.Int64), opt("z", p.Float32)), st(opt("z", p.Float64)), st()},
		{arrow.ListOf(p.Int8), arrow.ListOf(p.Int32), arrow.ListOf(arrow.Null)},
		{arrow.ListOf(st(opt("x", p.Int8), opt("w", b.String))), arrow.ListOf(st(opt("x", p.Int32), opt("v", arrow.ListOf(p.Int8))))},
		{arrow.LargeListOf(st(opt("x", p.Int8))), arrow.LargeListOf(st(opt("y", p.Int8)))},
		{arrow.ListViewOf(p.Int16), arrow.ListViewOf(p.Int64)},
		{arrow.LargeListViewOf(b.String), arrow.LargeListViewOf(b.LargeString)},
		{arrow.FixedSizeListOf(2, p.Int8), arrow.FixedSizeListOf(2, p.Float32)},
		{arrow.MapOf(b.String, p.Int8), arrow.MapOf(b.String, p.Int64), arrow.MapOf(b.LargeString, p.Int8)},
		{arrow.MapOf(p.Int32, st(opt("x", p.Int8))), arrow.MapOf(p.Int32, st(opt("y", p.Int8), opt("x", p.Int16)))},
		{arrow.DenseUnionOf(branches(p.Int8), []int8{3, 9}), arrow.DenseUnionOf(branches(p.Int32), []int8{3, 9})},
		{arrow.SparseUnionOf(branches(p.Int8), []int8{3, 9}), arrow.SparseUnionOf(branches(p.Float32), []int8{3, 9})},
		{arrow.RunEndEncodedOf(p.Int32, b.String)},
		{conformance.LabelOf(b.String)},
		{dict(st(opt("x", p.Int8))), st(opt("x", p.Int8))},
	}
}

// randomSchemas draws the schemas of n files with columns in common.
func randomSchemas(rng *rand.Rand, n int) []*arrow.Schema {
	all := variants()
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:1+rng.Intn(8)]
	out := make([]*arrow.Schema, n)
	for k := range out {
		var fields []arrow.Field
		for i, types := range all {
			if rng.Intn(4) > 0 {
				t := types[rng.Intn(len(types))]
				fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: t, Nullable: t.ID() == arrow.NULL || rng.Intn(4) > 0})
			}
		}
		rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		out[k] = arrow.NewSchema(fields, nil)
	}
	return out
}

// Every value of every file is found under the common schema, and what a file does not have is null.
func TestRandomSchemas(t *testing.T) {
	seeds := int64(300)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		g := conformance.Generator{Rand: rng, Mem: memory.NewGoAllocator(), Nulls: 0.3}
		schemas := randomSchemas(rng, 2+rng.Intn(2))
		var recs []arrow.Record
		var fragments []arrowio.Fragment
		for k, s := range schemas {
			rec := g.Record(s, rng.Intn(40))
			recs = append(recs, rec)
			f := recordfile.File{Record: rec, Stream: rng.Intn(4) == 0, Sizer: rng.Intn(2) == 0, Slices: rng.Intn(2) == 0}
			fragments = append(fragments, arrowio.Fragment{Name: fmt.Sprint("file ", k), Open: func(context.Context) (arrowio.File, error) { return f, nil }})
		}
		d, err := dataset.Join(context.Background(), fragments, dataset.JoinOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := compare(t, d, recs, 1+rng.Intn(20)); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, schemas)
		}
	}
}

func compare(t *testing.T, d *dataset.Dataset, recs []arrow.Record, batch int) error {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	s, err := d.Scan(context.Background(), arrowio.ScanOptions{Allocator: mem, BatchRows: batch, Parallelism: 1})
	if err != nil {
		return err
	}
	defer s.Release()
	for k, rec := range recs {
		for at := 0; at < int(rec.NumRows()); {
			if !s.Next() {
				return fmt.Errorf("file %d ends at row %d: %w", k, at, s.Err())
			}
			got := s.Record()
			if err := conformance.ValidateRecord(got); err != nil {
				return fmt.Errorf("file %d: %w", k, err)
			}
			for c, f := range got.Schema().Fields() {
				from := rec.Schema().FieldIndices(f.Name)
				for i := range int(got.NumRows()) {
					var own arrow.Array
					if len(from) > 0 {
						own = rec.Column(from[0])
					}
					if a, b := valueAt(own, at+i), valueAt(got.Column(c), i); !sameValue(a, b) {
						return fmt.Errorf("file %d, row %d, column %s: %v became %v", k, at+i, f.Name, a, b)
					}
				}
			}
			at += int(got.NumRows())
		}
	}
	if s.Next() {
		return fmt.Errorf("%d rows too many", s.Record().NumRows())
	}
	return s.Err()
}

// valueAt is a value as Go has it, whatever type holds it: nil, bool, *big.Rat, a float that is no number as text,
// []byte, lists as []any and structs as map[string]any.
func valueAt(a arrow.Array, i int) any {
	if a == nil || a.IsNull(i) {
		return nil
	}
	num := func(v int64) any { return new(big.Rat).SetInt64(v) }
	float := func(v float64) any {
		r := new(big.Rat)
		if r.SetFloat64(v) == nil {
			return fmt.Sprint(v)
		}
		return r
	}
	scaled := func(n *big.Int, scale int32) any {
		return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	}
	perSecond := func(u arrow.TimeUnit) int64 { return []int64{1, 1e3, 1e6, 1e9}[u] }
	switch a := a.(type) {
	case *array.Null:
		return nil
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return num(int64(a.Value(i)))
	case *array.Int16:
		return num(int64(a.Value(i)))
	case *array.Int32:
		return num(int64(a.Value(i)))
	case *array.Int64:
		return num(a.Value(i))
	case *array.Uint8:
		return num(int64(a.Value(i)))
	case *array.Uint16:
		return num(int64(a.Value(i)))
	case *array.Uint32:
		return num(int64(a.Value(i)))
	case *array.Uint64:
		return new(big.Rat).SetInt(new(big.Int).SetUint64(a.Value(i)))
	case *array.Float16:
		return float(float64(halffloat.Float32(a.Value(i))))
	case *array.Float32:
		return float(float64(a.Value(i)))
	case *array.Float64:
		return float(a.Value(i))
	case *array.Decimal128:
		return scaled(decimal128.Num.BigInt(a.Value(i)), a.DataType().(arrow.DecimalType).GetScale())
	case *array.Decimal256:
		return scaled(decimal256.Num.BigInt(a.Value(i)), a.DataType().(arrow.DecimalType).GetScale())
	case *array.Date32:
		return num(int64(a.Value(i)))
	case *array.Timestamp:
		return num(int64(a.Value(i)))
	case *array.Time32:
		return big.NewRat(int64(a.Value(i)), perSecond(a.DataType().(*arrow.Time32Type).Unit))
	case *array.Time64:
		return big.NewRat(int64(a.Value(i)), perSecond(a.DataType().(*arrow.Time64Type).Unit))
	case *array.String:
		return []byte(a.Value(i))
	case *array.LargeString:
		return []byte(a.Value(i))
	case *array.StringView:
		return []byte(a.Value(i))
	case *array.Binary:
		return a.Value(i)
	case *array.LargeBinary:
		return a.Value(i)
	case *array.BinaryView:
		return a.Value(i)
	case *array.Dictionary:
		return valueAt(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return valueAt(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return valueAt(a.Storage(), i)
	case *array.Struct:
		out := map[string]any{}
		for k, f := range a.DataType().(*arrow.StructType).Fields() {
			out[f.Name] = valueAt(a.Field(k), i)
		}
		return out
	case array.Union:
		return valueAt(a.Field(a.ChildID(i)), unionRow(a, i))
	case array.ListLike: // maps are lists of entries
		start, end := a.ValueOffsets(i)
		out := []any{}
		for k := start; k < end; k++ {
			out = append(out, valueAt(a.ListValues(), int(k)))
		}
		return out
	}
	panic(fmt.Sprintf("no value of %s", a.DataType()))
}

func unionRow(u array.Union, i int) int {
	if d, ok := u.(*array.DenseUnion); ok {
		return int(d.ValueOffset(i))
	}
	return i
}

// sameValue compares; a child that only one struct has must be null.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case *big.Rat:
		y, ok := b.(*big.Rat)
		return ok && x.Cmp(y) == 0
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameValue(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for k := range x {
			if !sameValue(x[k], y[k]) {
				return false
			}
		}
		for k := range y {
			if !sameValue(x[k], y[k]) {
				return false
			}
		}
		return true
	}
	return a == b
}

// An adapted file behaves as every file.
func TestAdaptedConformance(t *testing.T) {
	for _, c := range []struct {
		seed          int64
		rows          int
		stream, sizer bool
		by            view.Match
	}{
		{1, 900, false, false, view.ByName},
		{2, 900, false, true, view.ByName},
		{3, 500, true, false, view.ByName},
		{4, 900, false, true, view.ByPosition},
		{5, 0, false, false, view.ByName},
		{6, 700, false, false, view.ByName},
	} {
		t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(c.seed))
			g := conformance.Generator{Rand: rng, Mem: memory.NewGoAllocator(), Nulls: 0.2}
			var schemas []*arrow.Schema
			var to *arrow.Schema
			for to == nil || to.NumFields() < 5 {
				schemas = randomSchemas(rng, 3)
				u, err := view.Unify(schemas, c.by)
				if err == nil {
					to = u
				}
			}
			rec := g.Record(schemas[1], c.rows)
			defer rec.Release()
			conformance.Run(t, conformance.Harness{
				Scans: 60, Seed: c.seed,
				Open: func(context.Context, arrowio.Source) (arrowio.File, error) {
					return view.Show(recordfile.File{Record: rec, Stream: c.stream, Sizer: c.sizer}, to, view.Options{Match: c.by})
				},
			})
		})
	}
}

// The file is pruned by what the predicate says of its own columns.
func TestAdaptedPrune(t *testing.T) {
	opt := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	p := arrow.PrimitiveTypes
	own := arrow.NewSchema([]arrow.Field{opt("n", p.Int16), opt("f", p.Float32), opt("i", p.Int32), opt("s", arrow.StructOf(opt("x", p.Int8)))}, nil)
	to := arrow.NewSchema([]arrow.Field{
		opt("i", p.Float64), opt("new", p.Int32), opt("s", arrow.StructOf(opt("y", p.Int8), opt("x", p.Int64))), opt("n", p.Int64), opt("f", p.Float64),
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), own)
	defer b.Release()
	for i := range 100 {
		b.Field(0).(*array.Int16Builder).Append(int16(i))
		b.Field(1).(*array.Float32Builder).Append(float32(i) + 0.1)
		b.Field(2).(*array.Int32Builder).Append(int32(i))
		b.Field(3).(*array.StructBuilder).Append(true)
		b.Field(3).(*array.StructBuilder).FieldBuilder(0).(*array.Int8Builder).Append(int8(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, c := range []struct {
		filter string
		pruned int // at least; in blocks of 20
		rows   int64
	}{
		{"n = 5", 80, 1},
		{"n = 5000000000", 100, 0},
		{"NOT (n < 90)", 80, 10},
		{"n = 5 OR new = 1", 80, 1},
		{"n = 5 OR new IS NULL", 0, 100},
		{"new = 1", 0, 0},
		{"NOT (new = 1)", 0, 0},
		{"new IS NOT NULL", 0, 0},
		{"new IS NULL AND n >= 95", 80, 5},
		{"NOT (new IS NOT NULL AND n < 5)", 0, 100},
		{"new IN ()", 0, 0},
		{"NOT (new IN ())", 0, 100},
		{"new IN (1, NULL)", 0, 0},
		{"f > 90", 80, 10},
		{"f = 0.1", 100, 0}, // f holds the float64 of a float32
		{"f != 0.1", 0, 100},
		{"NOT (f <= 0.1)", 0, 100},
		{"f NOT IN (0.1)", 0, 100},
		{"f IN (0.1, 5)", 100, 0},
		{"F > 90", 80, 10},
		{"f IS NAN", 100, 0},
		{"f IS NOT NAN", 0, 100},
		{"i IS NOT NAN", 0, 100}, // shown as floats
		{"i IS NAN", 0, 0},
		{"n < i", 100, 0},
		{"n >= i", 0, 100},
		{"f > n", 0, 100},
		{"NOT (f > n)", 100, 0},
		{"s.x != n", 100, 0},
		{"new < n", 0, 0},
		{"NOT (new < n)", 0, 0},
		{"s.y = s.x OR n = 7", 80, 1},
		{"s.x BETWEEN 1 AND 2", 80, 2},
		{"s.y IS NULL AND s.x = 1", 80, 1},
		{"s.y = 1", 0, 0},
		{"s IS NULL", 100, 0},
		{"i = 7", 80, 1},
		{"i <= 2.99999999999999999999999", 0, 4},
		{"i > 98.5 AND n > 10", 0, 1},
	} {
		e, err := expr.Parse(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		pruned := 0
		f, err := view.Show(recordfile.File{Record: rec, Pruned: &pruned}, to, view.Options{Match: view.ByName})
		if err != nil {
			t.Fatal(err)
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Filter: e, Allocator: mem, Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		var rows int64
		for s.Next() {
			rows += s.Record().NumRows()
		}
		if err := s.Err(); err != nil || rows != c.rows || pruned < c.pruned {
			t.Errorf("%s: %d rows (want %d), %d pruned (want %d), %v", c.filter, rows, c.rows, pruned, c.pruned, err)
		}
		s.Release()
		mem.AssertSize(t, 0)
	}
}

// A file whose timestamps are shown in another unit behaves as every file, and says what it shows.
func TestInUnit(t *testing.T) {
	opt := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	schema := func(u arrow.TimeUnit) *arrow.Schema {
		at := &arrow.TimestampType{Unit: u, TimeZone: "UTC"}
		meta := arrow.MetadataFrom(map[string]string{"k": "v"})
		return arrow.NewSchema([]arrow.Field{opt("id", arrow.PrimitiveTypes.Int8), opt("at", at), opt("s", arrow.StructOf(opt("l", arrow.ListOf(at))))}, &meta)
	}
	record := func(u arrow.TimeUnit, text string) arrow.Record {
		rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), schema(u), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	rec := record(arrow.Nanosecond, `[{"id":1,"at":"1969-12-31 23:59:59.999999999","s":{"l":["2020-01-01 00:00:00.000001999",null]}},{"id":2,"at":null,"s":null}]`)
	defer rec.Release()
	want := record(arrow.Microsecond, `[{"id":1,"at":"1969-12-31 23:59:59.999999","s":{"l":["2020-01-01 00:00:00.000001",null]}},{"id":2,"at":null,"s":null}]`)
	defer want.Release()
	open := func(rec arrow.Record) arrowio.File {
		f, err := view.InUnit(recordfile.File{Record: rec, Sizer: true}, arrow.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	s, err := arrowio.Scan(context.Background(), open(rec), arrowio.ScanOptions{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if !s.Next() || !array.RecordEqual(s.Record(), want) || !s.Schema().Equal(want.Schema()) {
		t.Errorf("%v, want %v: %v", s.Record(), want, s.Err())
	}
	g := conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: memory.NewGoAllocator(), Nulls: 0.2}
	random := g.Record(schema(arrow.Nanosecond), 700)
	defer random.Release()
	conformance.Run(t, conformance.Harness{Scans: 60, Seed: 1, Open: func(context.Context, arrowio.Source) (arrowio.File, error) { return open(random), nil }})
}
