package cfile_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// arrayOf makes an array of JSON.
func arrayOf(t testing.TB, dt arrow.DataType, json string) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(memory.NewGoAllocator(), dt, strings.NewReader(json))
	if err != nil {
		t.Fatal(err)
	}
	return arr
}

func recordOf(f arrow.Field, arr arrow.Array) arrow.Record {
	return array.NewRecord(schemaOf(f), []arrow.Array{arr}, int64(arr.Len()))
}

// int64s makes an array whose values are numbers of 64 bits, whatever their type.
func int64s(dt arrow.DataType, values ...int64) arrow.Array {
	b := arrow.Int64Traits.CastToBytes(values)
	d := array.NewData(dt, len(values), []*memory.Buffer{nil, memory.NewBufferBytes(b)}, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// nullAt returns arr with nulls in some slots, and what it has still beneath.
func nullAt(arr arrow.Array, slots ...int) arrow.Array {
	d := arr.Data()
	valid := make([]byte, (d.Offset()+arr.Len()+7)/8)
	for i := range valid {
		valid[i] = 0xff
	}
	for _, i := range slots {
		i += d.Offset()
		valid[i>>3] &^= 1 << (i & 7)
	}
	n := array.NewData(arr.DataType(), arr.Len(), append([]*memory.Buffer{memory.NewBufferBytes(valid)}, d.Buffers()[1:]...), d.Children(), len(slots), d.Offset())
	defer n.Release()
	return array.MakeFromData(n)
}

// TestValuesThatDoNotFit: a value that has no place is an error that names its row, unless it lies beneath a null.
func TestValuesThatDoNotFit(t *testing.T) {
	unit := func(u arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: u, TimeZone: "UTC"} }
	dec128 := func(p int32, values ...string) arrow.Array {
		b := array.NewDecimal128Builder(memory.NewGoAllocator(), &arrow.Decimal128Type{Precision: p})
		defer b.Release()
		for _, v := range values {
			x, _ := new(big.Int).SetString(v, 10)
			low := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64))
			b.Append(decimal128.New(new(big.Int).Rsh(x, 64).Int64(), low.Uint64()))
		}
		return b.NewArray()
	}
	dec256 := func(p int32, values ...string) arrow.Array {
		b := array.NewDecimal256Builder(memory.NewGoAllocator(), &arrow.Decimal256Type{Precision: p})
		defer b.Release()
		for _, v := range values {
			x, _ := new(big.Int).SetString(v, 10)
			b.Append(decimal256.FromBigInt(x))
		}
		return b.NewArray()
	}
	nines, tens := func(n int) string { return strings.Repeat("9", n) }, func(n int) string { return "1" + strings.Repeat("0", n) }
	least128 := "-170141183460469231731687303715884105728"
	for name, c := range map[string]struct {
		meta      []string
		good, bad arrow.Array // a value that just fits is the last but one of good; the last of bad does not
		says      string
		onlyTable bool
		options   map[string]string
	}{
		"uint64":           {good: int64s(arrow.PrimitiveTypes.Uint64, 1, math.MaxInt64), bad: int64s(arrow.PrimitiveTypes.Uint64, 1, math.MinInt64), says: "9223372036854775808", onlyTable: true},
		"date32 late":      {good: arrayOf(t, arrow.FixedWidthTypes.Date32, `["1970-01-01", "9999-12-31"]`), bad: arrayOf(t, arrow.PrimitiveTypes.Date32, `["1970-01-01", 2932897]`), says: "2932897", onlyTable: true},
		"date32 early":     {good: arrayOf(t, arrow.FixedWidthTypes.Date32, `["1970-01-01", "0001-01-01"]`), bad: arrayOf(t, arrow.PrimitiveTypes.Date32, `["1970-01-01", -719163]`), says: "-719163", onlyTable: true},
		"date64 hours":     {good: int64s(arrow.FixedWidthTypes.Date64, -86_400_000, 86_400_000), bad: int64s(arrow.FixedWidthTypes.Date64, 0, 86_400_001), says: "86400001 ms"},
		"date64 far":       {good: int64s(arrow.FixedWidthTypes.Date64, 0, 2_932_896*86_400_000), bad: int64s(arrow.FixedWidthTypes.Date64, 0, 106_751_991_167*86_400_000), says: "ms"},
		"seconds":          {good: int64s(unit(arrow.Second), -9_223_372_036_854, 9_223_372_036_854), bad: int64s(unit(arrow.Second), 0, 9_223_372_036_855), says: "9223372036855 seconds"},
		"seconds before":   {good: int64s(unit(arrow.Second), 0), bad: int64s(unit(arrow.Second), 0, math.MinInt64), says: "seconds"},
		"milliseconds":     {good: int64s(unit(arrow.Millisecond), 9_223_372_036_854_775), bad: int64s(unit(arrow.Millisecond), 0, -9_223_372_036_854_776), says: "milliseconds"},
		"nanoseconds":      {good: int64s(unit(arrow.Nanosecond), -1000, math.MaxInt64-807), bad: int64s(unit(arrow.Nanosecond), 0, -1), says: "1969-12-31T23:59:59.999999999Z"},
		"decimal32":        {good: dec128(9, "-"+nines(9), nines(9)), bad: dec128(9, "0", tens(9)), says: tens(9)},
		"decimal32 low":    {good: dec128(5, "-"+nines(5), nines(5)), bad: dec128(5, "0", "-"+tens(5)), says: tens(5)},
		"decimal32 wrap":   {good: dec128(9, "0"), bad: dec128(9, "0", "18446744073709551617"), says: "18446744073709551617"},
		"decimal64":        {good: dec128(18, "-"+nines(18), nines(18)), bad: dec128(18, "1", "-"+tens(18)), says: tens(18)},
		"decimal64 least":  {good: dec128(18, "0"), bad: dec128(18, "1", "-9223372036854775808"), says: "-9223372036854775808"},
		"decimal64 wrap":   {good: dec128(12, "0"), bad: dec128(12, "0", "-18446744073709551616"), says: "-18446744073709551616"},
		"decimal128":       {good: dec128(38, "-"+nines(38), nines(38)), bad: dec128(38, "0", tens(38)), says: tens(38)},
		"decimal128 least": {good: dec128(38, "0"), bad: dec128(38, "0", least128), says: least128},
		"decimal128 of 20": {good: dec128(20, "-"+nines(20), nines(20), "0"), bad: dec128(20, "0", "-"+tens(20)), says: tens(20)},
		"decimal256 of 9":  {good: dec256(9, "-"+nines(9), nines(9)), bad: dec256(9, "0", "-"+tens(9)), says: tens(9)},
		"decimal256 of 18": {good: dec256(18, nines(18)), bad: dec256(18, "0", "6277101735386680763835789423207666416102355444464034512897"), says: "6277101735386680763835789423207666416102355444464034512897"},
		"decimal256 of 38": {good: dec256(38, nines(38), "-"+nines(38)), bad: dec256(38, "0", tens(38)), says: tens(38)},
		"decimal256 wrap":  {good: dec256(38, "0"), bad: dec256(38, "0", tens(60)), says: tens(60)},
		"varchar":          {meta: []string{"kudu.type", "varchar(3)"}, good: arrayOf(t, arrow.BinaryTypes.String, `["äöü", "abc", ""]`), bad: arrayOf(t, arrow.BinaryTypes.String, `["a", "äöüß"]`), says: "4 characters for varchar(3)"},
		"UTF-8":            {good: arrayOf(t, arrow.BinaryTypes.String, `["ä"]`), bad: utf8Cut(), says: "not UTF-8"},
		"large UTF-8":      {good: arrayOf(t, arrow.BinaryTypes.LargeString, `["ä"]`), bad: largeUTF8Cut(), says: "not UTF-8"},
	} {
		for _, format := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
			table := format.Name == "kudu"
			f := optional("v", c.good.DataType())
			if c.meta != nil {
				f = withMeta(f, c.meta...)
			}
			make := func(arr arrow.Array) arrow.Record {
				if !table {
					return recordOf(f, arr)
				}
				keys := array.NewInt32Builder(memory.NewGoAllocator())
				for i := range arr.Len() {
					keys.Append(int32(i))
				}
				return array.NewRecord(schemaOf(field("k", arrow.PrimitiveTypes.Int32), f), []arrow.Array{keys.NewArray(), arr}, int64(arr.Len()))
			}
			o := arrowio.WriteOptions{Options: map[string]string{}}
			if table {
				o.Options["kudu-key"] = "k"
			}
			rec := make(c.good)
			readBack(t, write(t, format, rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
			rec = make(c.bad)
			got, err := tryWrite(format, rec.Schema(), []arrow.Record{rec}, o)
			var e *errs.Error
			switch {
			case c.onlyTable && !table:
				if err != nil {
					t.Errorf("%s: %v", name, err)
				} else {
					readBack(t, got, rec.Schema(), []arrow.Record{rec})
				}
			case !errors.Is(err, errs.ErrSchema) || !errors.As(err, &e) || e.Column != "v" || e.Format != format.Name ||
				!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), fmt.Sprintf("row %d: ", c.bad.Len()-1)):
				t.Errorf("%s as %s: %v", name, format.Name, err)
			}
			// In a slice, behind another batch: the row counts from the beginning.
			first, part := make(c.good), rec.NewSlice(rec.NumRows()-1, rec.NumRows())
			if !table {
				want := fmt.Sprintf("row %d: ", c.good.Len())
				if _, err := tryWrite(format, rec.Schema(), []arrow.Record{first, part}, o); !c.onlyTable && !strings.Contains(fmt.Sprint(err), want) {
					t.Errorf("%s as %s: %v, want %s", name, format.Name, err, want)
				}
			}
			// Beneath a null it may be.
			rec = make(nullAt(c.bad, c.bad.Len()-1))
			readBack(t, write(t, format, rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
		}
	}
}

// utf8Cut has a string that begins within a character.
func utf8Cut() arrow.Array {
	d := array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{
		nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 3, 4})), memory.NewBufferBytes([]byte("aä\xc3")),
	}, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

func largeUTF8Cut() arrow.Array {
	d := array.NewData(arrow.BinaryTypes.LargeString, 2, []*memory.Buffer{
		nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes([]int64{1, 3, 5})), memory.NewBufferBytes([]byte("aä\xc3a")),
	}, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// TestTruncate: times are truncated to microseconds, towards the past, if that is wanted.
func TestTruncate(t *testing.T) {
	arr := int64s(arrow.FixedWidthTypes.Timestamp_ns, 0, 1, 999, 1000, -1, -1000, -1001, math.MaxInt64, math.MinInt64)
	rec := recordOf(field("v", arr.DataType()), arr)
	o := arrowio.WriteOptions{Options: map[string]string{"cfile-timestamps": "truncate"}}
	readBack(t, write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
}

// TestBytesOfStrings: strings that were read as bytes go back as what they were, UTF-8 or not.
func TestBytesOfStrings(t *testing.T) {
	for _, kuduType := range []string{"string", "varchar(2)"} {
		b := array.NewBinaryBuilder(memory.NewGoAllocator(), arrow.BinaryTypes.Binary)
		for _, v := range []string{"a", "\xff\xfe", "", "\xc3"} {
			b.Append([]byte(v))
		}
		rec := recordOf(withMeta(field("v", arrow.BinaryTypes.Binary), "kudu.type", kuduType), b.NewArray())
		set := readBack(t, write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{}), rec.Schema(), []arrow.Record{rec})
		if got := set.Schema.Columns[0].Type.String(); got != strings.TrimSuffix(kuduType, "(2)") {
			t.Errorf("%s: stored as %s", kuduType, got)
		}
	}
}

// TestNullsWithoutPlace: nulls that only a dictionary shows, in columns that have none.
func TestNullsWithoutPlace(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	words, indices := arrayOf(t, arrow.BinaryTypes.String, `["a", null]`), arrayOf(t, arrow.PrimitiveTypes.Int8, `[0, 0, 1, 0]`)
	rec := recordOf(field("v", dt), array.NewDictionaryArray(dt, indices, words))
	_, err := tryWrite(writer.Format(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{})
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "row 2: a null") {
		t.Errorf("%v", err)
	}
	_, err = tryWrite(writer.KuduFormat(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"kudu-key": "v"}})
	if !errors.Is(err, errs.ErrSchema) {
		t.Errorf("%v", err)
	}
	// A dictionary without the entry.
	rec = recordOf(field("v", dt), array.NewDictionaryArray(dt, arrayOf(t, arrow.PrimitiveTypes.Int8, `[0, 2]`), words))
	if _, err := tryWrite(writer.Format(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("%v", err)
	}
}
