package trevni_test

import (
	"context"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// tryWrite returns the first error of writing recs, and checks that nothing is left of the output then.
func tryWrite(t testing.TB, s *arrow.Schema, o arrowio.WriteOptions, recs ...arrow.Record) error {
	t.Helper()
	p, err := writer.Plan(s, o)
	if err != nil {
		return err
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if err = w.Write(rec); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil && st.Objects() != nil {
		t.Error("there is output in spite of an error")
	}
	return err
}

// TestRefusedValues: a value that its column cannot hold is an error that names the column and the row, counted from
// the first that was written, whatever lies between: nulls, lists, structs, dictionaries.
func TestRefusedValues(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	u64, ns, str := arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Time64ns, arrow.BinaryTypes.String
	structs := arrow.ListOfNonNullable(arrow.StructOf(optional("t", ns)))
	for _, c := range []struct {
		name   string
		field  arrow.Field
		put    func(b array.Builder, i int) // row 150 is the bad one
		column string
		says   string
	}{
		{"uint64", field("x", u64), func(b array.Builder, i int) {
			b.(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxInt64 + 1}[i == 150])
		}, "x", "uint64 9223372036854775808 is above the range of long"},
		{"nullable", optional("x", u64), func(b array.Builder, i int) {
			if i%3 == 1 {
				b.AppendNull()
				return
			}
			b.(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxUint64}[i == 150])
		}, "x", "uint64 18446744073709551615"},
		{"time64", field("x", arrow.FixedWidthTypes.Time64ns), func(b array.Builder, i int) {
			b.(*array.Time64Builder).Append(map[bool]arrow.Time64{true: 999}[i == 150])
		}, "x", "999 ns is no whole number"},
		{"seconds", field("x", &arrow.TimestampType{Unit: arrow.Second}), func(b array.Builder, i int) {
			b.(*array.TimestampBuilder).Append(map[bool]arrow.Timestamp{true: math.MaxInt64/1000 + 1}[i == 150])
		}, "x", "s does not fit milliseconds"},
		{"time32", field("x", arrow.FixedWidthTypes.Time32s), func(b array.Builder, i int) {
			b.(*array.Time32Builder).Append(map[bool]arrow.Time32{true: math.MinInt32/1000 - 1}[i == 150])
		}, "x", "s does not fit milliseconds"},
		{"date64", field("x", arrow.FixedWidthTypes.Date64), func(b array.Builder, i int) {
			b.(*array.Date64Builder).Append(map[bool]arrow.Date64{true: 86_400_001}[i == 150])
		}, "x", "date64 86400001 ms is no whole day"},
		{"far date64", field("x", arrow.FixedWidthTypes.Date64), func(b array.Builder, i int) {
			b.(*array.Date64Builder).Append(map[bool]arrow.Date64{true: 86_400_000 * (math.MaxInt32 + 1)}[i == 150])
		}, "x", "no whole day that fits date32"},
		{"decimal", field("x", &arrow.Decimal128Type{Precision: 4, Scale: 2}), func(b array.Builder, i int) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(map[bool]int64{true: 123_456}[i == 150]))
		}, "x", "decimal 1234.56 has more than the 4 digits"},
		{"text", field("x", str), func(b array.Builder, i int) {
			b.(*array.StringBuilder).Append(map[bool]string{true: "a\xff"}[i == 150])
		}, "x", "not UTF-8"},
		{"large text in lists", optional("x", arrow.ListOf(arrow.BinaryTypes.LargeString)), func(b array.Builder, i int) {
			l := b.(*array.ListBuilder)
			if i%5 == 2 {
				l.AppendNull()
				return
			}
			l.Append(true)
			for k := range i % 4 {
				if k == 1 {
					l.ValueBuilder().AppendNull()
					continue
				}
				l.ValueBuilder().(*array.LargeStringBuilder).Append(map[bool]string{true: "\xed\xa0\x80"}[i == 150])
			}
		}, "x", "not UTF-8"},
		{"times in structs in lists", field("x", structs), func(b array.Builder, i int) {
			l := b.(*array.ListBuilder)
			l.Append(true)
			for k := range i % 4 {
				st := l.ValueBuilder().(*array.StructBuilder)
				st.Append(true)
				if k == 0 {
					st.FieldBuilder(0).AppendNull()
				} else {
					st.FieldBuilder(0).(*array.Time64Builder).Append(map[bool]arrow.Time64{true: 7}[i == 150])
				}
			}
		}, "x.t", "7 ns is no whole number"},
		{"uint64 in maps", field("x", arrow.MapOf(str, u64)), func(b array.Builder, i int) {
			m := b.(*array.MapBuilder)
			m.Append(true)
			for range i % 4 {
				m.KeyBuilder().(*array.StringBuilder).Append("k")
				m.ItemBuilder().(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxUint64}[i == 150])
			}
		}, "x.value", "uint64 18446744073709551615"},
		{"null element", field("x", arrow.ListOfNonNullable(str)), func(b array.Builder, i int) {
			l := b.(*array.ListBuilder)
			l.Append(true)
			for range i % 4 {
				if i == 150 {
					l.ValueBuilder().AppendNull()
				} else {
					l.ValueBuilder().(*array.StringBuilder).Append("")
				}
			}
		}, "x", "a null element"},
		{"null field", field("x", arrow.StructOf(field("y", str))), func(b array.Builder, i int) {
			st := b.(*array.StructBuilder)
			st.Append(true)
			if i == 150 {
				st.FieldBuilder(0).AppendNull()
			} else {
				st.FieldBuilder(0).(*array.StringBuilder).Append("")
			}
		}, "x.y", "a null"},
		{"null branch", field("x", arrow.DenseUnionOf([]arrow.Field{field("a", str), field("b", u64)}, []arrow.UnionTypeCode{3, 5})), func(b array.Builder, i int) {
			u := b.(*array.DenseUnionBuilder)
			u.Append(arrow.UnionTypeCode(3 + i%2*2))
			switch {
			case i == 150:
				u.Child(0).AppendNull()
			case i%2 == 0:
				u.Child(0).(*array.StringBuilder).Append("")
			default:
				u.Child(1).(*array.Uint64Builder).Append(0)
			}
		}, "x.string", "a null, for which its union has no branch"},
		{"branch", field("x", arrow.SparseUnionOf([]arrow.Field{field("a", str), optional("b", u64)}, []arrow.UnionTypeCode{3, 5})), func(b array.Builder, i int) {
			u := b.(*array.SparseUnionBuilder)
			u.Append(arrow.UnionTypeCode(3 + i%3/2*2))
			u.Child(0).(*array.StringBuilder).Append(map[bool]string{true: "\xc0"}[i == 150])
			u.Child(1).AppendNull()
		}, "x.string", "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schemaOf(field("first", arrow.PrimitiveTypes.Int8), c.field)
			part := func(from, n int) arrow.Record {
				return build(mem, s, n, func(b *array.RecordBuilder, i int) {
					b.Field(0).(*array.Int8Builder).Append(0)
					c.put(b.Field(1), from+i)
				})
			}
			a, b := part(0, 100), part(100, 100)
			defer a.Release()
			defer b.Release()
			o := arrowio.WriteOptions{Allocator: mem, Parallelism: 2}
			wantError(t, tryWrite(t, s, o, a, b), errs.ErrSchema, "column "+c.column+":", "row 150: ", c.says)
			if err := tryWrite(t, s, o, a); err != nil {
				t.Errorf("without the bad row: %v", err)
			}
		})
	}
}

// TestPlainNulls: plain columns have no place for nulls, at any depth.
func TestPlainNulls(t *testing.T) {
	o := arrowio.WriteOptions{Options: map[string]string{"trevni-schema": "columns"}}
	i32 := arrow.PrimitiveTypes.Int32
	own := field("value", i32)
	own.Metadata = arrow.NewMetadata([]string{"trevni.name", "trevni.type"}, []string{"l", "int"})
	for _, c := range []struct {
		field arrow.Field
		put   func(b array.Builder)
	}{
		{optional("x", i32), func(b array.Builder) { b.AppendNull() }},
		{optional("l", arrow.ListOf(i32)), func(b array.Builder) { b.AppendNull() }},
		{field("l", arrow.ListOf(i32)), func(b array.Builder) {
			b.(*array.ListBuilder).Append(true)
			b.(*array.ListBuilder).ValueBuilder().AppendNull()
		}},
		{field("l", arrow.ListOf(arrow.StructOf(field("y", i32)))), func(b array.Builder) {
			b.(*array.ListBuilder).Append(true)
			b.(*array.ListBuilder).ValueBuilder().AppendNull()
		}},
		{field("l", arrow.ListOf(arrow.StructOf(own, field("y", i32)))), func(b array.Builder) {
			b.(*array.ListBuilder).Append(true)
			b.(*array.ListBuilder).ValueBuilder().AppendNull()
		}},
	} {
		s := schemaOf(c.field)
		rec := build(memory.DefaultAllocator, s, 1, func(b *array.RecordBuilder, _ int) { c.put(b.Field(0)) })
		wantError(t, tryWrite(t, s, o, rec), errs.ErrSchema, "column "+c.field.Name, "row 0: a null")
		rec.Release()
	}
}
