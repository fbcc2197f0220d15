package orc_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/writertest"
)

// wantError checks an error's kind and that it says all of parts.
func wantError(t testing.TB, err error, kind error, parts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want one of kind %v", err, kind)
		return
	}
	for _, p := range append(parts, "orc: ") {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

// tryWrite returns the first error of writing recs, and checks that nothing is left of the output then.
func tryWrite(t testing.TB, s *arrow.Schema, o arrowio.WriteOptions, recs ...arrow.Record) error {
	t.Helper()
	p, err := planOf(s, o)
	if err != nil {
		return err
	}
	st := writertest.NewStore(-1)
	w, err := newWriter(st, p)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if err = w.Write(rec); err != nil {
			break
		}
	}
	if err == nil {
		return w.Close()
	}
	st.CheckGone(t, "after an error")
	return err
}

// typed gives a field a type of ORC's own.
func typed(f arrow.Field, t string) arrow.Field {
	f.Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaType: t})
	return f
}

func decimalOf(v string) decimal128.Num {
	n, err := decimal128.FromString(v, 38, 0)
	if err != nil {
		panic(err)
	}
	return n
}

// TestRefusedValues: a value that its column cannot hold is an error that names the column, whatever it lies in: nulls,
// lists, structs, maps, dictionaries. The same rows without it are written.
func TestRefusedValues(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	str, u64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint64
	nines := strings.Repeat("9", 38)
	is := func(i int) bool { return i == 150 }
	dec := func(precision, scale int32, bad string) func(b array.Builder, i int) {
		return func(b array.Builder, i int) {
			good := strings.Repeat("9", int(precision))
			v := map[bool]string{true: bad, false: []string{good, "-" + good, "0", "-1"}[i%4]}[is(i)]
			b.(*array.Decimal128Builder).Append(decimalOf(v))
		}
	}
	at := func(bad int64) func(b array.Builder, i int) {
		return func(b array.Builder, i int) {
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(map[bool]int64{true: bad, false: int64(i) * 1_000_000_000}[is(i)]))
		}
	}
	text := func(good, bad string) func(b array.Builder, i int) {
		return func(b array.Builder, i int) {
			b.(*array.StringBuilder).Append(map[bool]string{true: bad, false: good}[is(i)])
		}
	}
	for _, c := range []struct {
		name   string
		field  arrow.Field
		put    func(b array.Builder, i int) // row 150 is the bad one
		column string
		says   string
	}{
		{"uint64", field("x", u64), func(b array.Builder, i int) {
			b.(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxInt64 + 1, false: math.MaxInt64}[is(i)])
		}, "x", "uint64"},
		{"nullable uint64", optional("x", u64), func(b array.Builder, i int) {
			if i%3 == 1 {
				b.AppendNull()
				return
			}
			b.(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxUint64}[is(i)])
		}, "x", "uint64"},
		{"date64", field("x", arrow.FixedWidthTypes.Date64), func(b array.Builder, i int) {
			b.(*array.Date64Builder).Append(arrow.Date64(map[bool]int64{true: 86_400_001, false: -86_400_000}[is(i)]))
		}, "x", "date64 86400001 ms is no whole day"},
		{"far date64", field("x", arrow.FixedWidthTypes.Date64), func(b array.Builder, i int) {
			b.(*array.Date64Builder).Append(arrow.Date64(map[bool]int64{true: 86_400_000 * (math.MaxInt32 + 1)}[is(i)]))
		}, "x", "no whole day that a date can be"},
		{"decimal(4,2)", field("x", &arrow.Decimal128Type{Precision: 4, Scale: 2}), dec(4, 2, "10000"), "x", "does not fit decimal(4,2)"},
		{"decimal(4,2), negative", field("x", &arrow.Decimal128Type{Precision: 4, Scale: 2}), dec(4, 2, "-10000"), "x", "too many digits"},
		{"decimal(4,2), of 128 bits", field("x", &arrow.Decimal128Type{Precision: 4, Scale: 2}), dec(4, 2, "18446744073709551616"), "x", "too many digits"},
		{"decimal(18,0)", field("x", &arrow.Decimal128Type{Precision: 18}), dec(18, 0, "1000000000000000000"), "x", "too many digits"},
		{"decimal(18,0), of a word", field("x", &arrow.Decimal128Type{Precision: 18}), dec(18, 0, "9223372036854775808"), "x", "too many digits"},
		{"decimal(19,0)", field("x", &arrow.Decimal128Type{Precision: 19}), dec(19, 0, "10000000000000000000"), "x", "too many digits"},
		{"decimal(20,1)", field("x", &arrow.Decimal128Type{Precision: 20, Scale: 1}), dec(20, 1, "-100000000000000000000"), "x", "too many digits"},
		{"decimal(37,0)", field("x", &arrow.Decimal128Type{Precision: 37}), dec(37, 0, nines), "x", "too many digits"},
		{"decimal(38,0)", field("x", &arrow.Decimal128Type{Precision: 38}), func(b array.Builder, i int) {
			b.(*array.Decimal128Builder).Append(map[bool]decimal128.Num{true: decimal128.New(math.MaxInt64, 0), false: decimalOf(nines)}[is(i)])
		}, "x", "too many digits"},
		{"decimal256", field("x", &arrow.Decimal256Type{Precision: 38}), func(b array.Builder, i int) {
			b.(*array.Decimal256Builder).Append(map[bool]decimal256.Num{true: decimal256.New(0, 1, 0, 0), false: decimal256.FromI64(-1)}[is(i)])
		}, "x", "too many digits"},
		{"decimal256(5,0)", field("x", &arrow.Decimal256Type{Precision: 5}), func(b array.Builder, i int) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(map[bool]int64{true: 100_000, false: 99_999}[is(i)]))
		}, "x", "too many digits"},
		{"last second, ns", field("x", &arrow.TimestampType{Unit: arrow.Nanosecond}), at(-1_000_000), "x", "last second before 1970"},
		{"last second, us", field("x", &arrow.TimestampType{Unit: arrow.Microsecond}), at(-1), "x", "--orc-last-second=shift"},
		{"last second, ms", optional("x", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}), func(b array.Builder, i int) {
			if i%3 == 1 {
				b.AppendNull()
				return
			}
			at(-1)(b, i)
		}, "x", "last second before 1970"},
		{"far seconds", field("x", &arrow.TimestampType{Unit: arrow.Second}), func(b array.Builder, i int) {
			b.(*array.TimestampBuilder).Append(map[bool]arrow.Timestamp{true: math.MaxInt64}[is(i)])
		}, "x", "seconds from 1970"},
		{"text", field("x", str), text("é", "a\xff"), "x", "UTF-8"},
		{"geometry", typed(field("x", arrow.BinaryTypes.Binary), "geometry"), func(b array.Builder, i int) {
			point := make([]byte, 21)
			point[0], point[1] = 1, 1
			b.(*array.BinaryBuilder).Append(point[:map[bool]int{true: 20, false: 21}[is(i)]])
		}, "x", "not well-known binary"},
		{"varchar", typed(field("x", str), "varchar(4)"), text("éééé", "ééééé"), "x", "a string of 5 characters for varchar(4)"},
		{"char", typed(field("x", str), "char(4)"), text("éé", "ééééé"), "x", "a string of 5 characters for char(4)"},
		{"text in a dictionary", field("x", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: str}), func(b array.Builder, i int) {
			if err := b.(*array.BinaryDictionaryBuilder).AppendString(map[bool]string{true: "\xc0", false: fmt.Sprint(i % 7)}[is(i)]); err != nil {
				t.Fatal(err)
			}
		}, "x", "UTF-8"},
		{"varchar in a dictionary", typed(field("x", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: str}), "varchar(3)"), func(b array.Builder, i int) {
			if err := b.(*array.BinaryDictionaryBuilder).AppendString(map[bool]string{true: "long", false: fmt.Sprint(i % 7)}[is(i)]); err != nil {
				t.Fatal(err)
			}
		}, "x", "4 characters"},
		{"text in lists", optional("x", arrow.ListOf(arrow.BinaryTypes.LargeString)), func(b array.Builder, i int) {
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
				l.ValueBuilder().(*array.LargeStringBuilder).Append(map[bool]string{true: "\xed\xa0\x80"}[is(i)])
			}
		}, "x.item", "UTF-8"},
		{"uint64 in structs in lists", field("x", arrow.ListOf(arrow.StructOf(optional("t", u64)))), func(b array.Builder, i int) {
			l := b.(*array.ListBuilder)
			l.Append(true)
			for k := range i % 4 {
				st := l.ValueBuilder().(*array.StructBuilder)
				st.Append(true)
				if k == 0 {
					st.FieldBuilder(0).AppendNull()
				} else {
					st.FieldBuilder(0).(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxUint64}[is(i)])
				}
			}
		}, "x.item.t", "uint64"},
		{"uint64 in maps", field("x", arrow.MapOf(str, u64)), func(b array.Builder, i int) {
			m := b.(*array.MapBuilder)
			m.Append(true)
			for range i % 4 {
				m.KeyBuilder().(*array.StringBuilder).Append("k")
				m.ItemBuilder().(*array.Uint64Builder).Append(map[bool]uint64{true: math.MaxUint64}[is(i)])
			}
		}, "x.value", "uint64"},
		{"union branch", field("x", arrow.DenseUnionOf([]arrow.Field{optional("a", str), optional("b", u64)}, []arrow.UnionTypeCode{3, 5})), func(b array.Builder, i int) {
			u := b.(*array.DenseUnionBuilder)
			u.Append(arrow.UnionTypeCode(3 + i%2*2))
			if i%2 == 0 {
				u.Child(0).(*array.StringBuilder).Append(map[bool]string{true: "\xff"}[is(i)])
			} else {
				u.Child(1).(*array.Uint64Builder).Append(0)
			}
		}, "x", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := schemaOf(field("first", arrow.PrimitiveTypes.Int8), c.field)
			part := func(from, n int) arrow.Record {
				return build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
					b.Field(0).(*array.Int8Builder).Append(0)
					c.put(b.Field(1), from+i)
				})
			}
			a, b := part(0, 150), part(150, 50)
			defer a.Release()
			defer b.Release()
			for _, o := range []arrowio.WriteOptions{{Allocator: mem}, {Allocator: mem, Parallelism: 1, Options: map[string]string{"orc-row-index-stride": "40", "orc-stripe-rows": "100", "orc-dictionary": "0"}}} {
				err := tryWrite(t, s, o, a, b)
				wantError(t, err, errs.ErrSchema, c.says, "row 150: ")
				var e *errs.Error
				if !errors.As(err, &e) || !strings.HasPrefix(e.Column, c.column) || e.Format != "orc" {
					t.Errorf("%v does not name column %s", err, c.column)
				}
				if err := tryWrite(t, s, o, a); err != nil {
					t.Errorf("without the bad row: %v", err)
				}
			}
		})
	}
}

// TestRefusedNulls: where Arrow has a null that ORC has no place for.
func TestRefusedNulls(t *testing.T) {
	// A list of pairs that is to be a map has one that is null. Arrow's own maps cannot have such.
	l := arrow.ListOf(arrow.StructOf(field("key", arrow.BinaryTypes.String), optional("value", arrow.PrimitiveTypes.Int32)))
	s := schemaOf(typed(field("x", l), "map"))
	pairs := func(null bool) arrow.Record {
		return build(memory.DefaultAllocator, s, 40, func(b *array.RecordBuilder, i int) {
			lb := b.Field(0).(*array.ListBuilder)
			lb.Append(true)
			st := lb.ValueBuilder().(*array.StructBuilder)
			st.Append(!null || i != 33)
			st.FieldBuilder(0).(*array.StringBuilder).Append("k")
			st.FieldBuilder(1).(*array.Int32Builder).Append(int32(i))
		})
	}
	wantError(t, tryWrite(t, s, arrowio.WriteOptions{}, pairs(true)), errs.ErrSchema, "column x", "row 33: ", "entry of a map is null")
	if err := tryWrite(t, s, arrowio.WriteOptions{}, pairs(false)); err != nil {
		t.Error(err)
	}

	// A column that is planned without nulls has one.
	s = schemaOf(field("x", arrow.PrimitiveTypes.Int32))
	rec := build(memory.DefaultAllocator, s, 1, func(b *array.RecordBuilder, _ int) { b.Field(0).AppendNull() })
	wantError(t, tryWrite(t, s, arrowio.WriteOptions{}, rec), errs.ErrSchema, "column x", "no nulls")
}

// TestShift: with orc-last-second=shift the times that the format cannot store are a second later, as Java has them;
// those around are as they were.
func TestShift(t *testing.T) {
	s := schemaOf(field("x", &arrow.TimestampType{Unit: arrow.Nanosecond}))
	times := []int64{-2_000_000_000, -1_500_000_000, -1_000_000_001, -1_000_000_000, -999_999_999, -999_000_001, -999_000_000, -500_000_000, -1, 0, 1, 999_999_999}
	rec := build(memory.DefaultAllocator, s, len(times), func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(times[i]))
	})
	defer rec.Release()
	b := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"orc-last-second": "shift"}}))
	verify(t, "shifted", b)
	want := []string{
		"[[-2,0]]", "[[-2,500000000]]", "[[-2,999999999]]", "[[-1,0]]", "[[-1,1]]", "[[-1,999999]]", "[[0,1000000]]", "[[0,500000000]]",
		"[[0,999999999]]", "[[0,0]]", "[[0,1]]", "[[0,999999999]]",
	}
	sameLines(t, "shifted", rowsOf(t, b, readerOptions()), want)
}

// TestTooMuchInOneBatch: bytes of one column and batch that 32 bits do not count are refused, not cut; nothing so large
// is made here, the offsets only say so.
func TestTooMuchInOneBatch(t *testing.T) {
	const n = 3
	offsets := arrow.Int64Traits.CastToBytes([]int64{0, 1 << 30, 2 << 30, 3 << 30})
	huge := memory.NewBufferBytes(make([]byte, 0))
	fixed := &arrow.FixedSizeBinaryType{ByteWidth: 1 << 30}
	for _, c := range []struct {
		t       arrow.DataType
		buffers []*memory.Buffer
	}{
		{arrow.BinaryTypes.LargeBinary, []*memory.Buffer{nil, memory.NewBufferBytes(offsets), huge}},
		{fixed, []*memory.Buffer{nil, huge}},
	} {
		s := schemaOf(field("x", c.t))
		d := array.NewData(c.t, n, c.buffers, nil, 0, 0)
		var arr arrow.Array
		func() {
			defer func() {
				if recover() != nil {
					arr = nil // arrow itself looks at the offsets
				}
			}()
			arr = array.MakeFromData(d)
		}()
		if arr == nil {
			t.Logf("%s: not an array", c.t)
			continue
		}
		wantError(t, tryWrite(t, s, arrowio.WriteOptions{}, array.NewRecord(s, []arrow.Array{arr}, n)), errs.ErrLimit, "column x", "smaller batches")
	}
}

// TestLargeValuesOfDictionaries: a batch whose values take far more than its dictionary is written bit by bit.
func TestLargeValuesOfDictionaries(t *testing.T) {
	word := strings.Repeat("0123456789abcdef", 4<<10) // 64 KiB
	s := schemaOf(field("x", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}))
	rec := build(memory.DefaultAllocator, s, 300, func(b *array.RecordBuilder, i int) {
		if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(word[i%3:]); err != nil {
			t.Fatal(err)
		}
	})
	defer rec.Release()
	objects := write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"orc-dictionary": "0"}})
	check(t, objects, rec)
}
