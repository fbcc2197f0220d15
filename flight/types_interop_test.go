//go:build interop

package flight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// everyType has a column of each type that Arrow's Java implementation knows, with values as Arrow's JSON has them.
func everyType() (fields []arrow.Field, values [][]string) {
	add := func(name string, t arrow.DataType, v ...string) {
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
		values = append(values, append(v, "null"))
	}
	add("null", arrow.Null)
	add("bool", arrow.FixedWidthTypes.Boolean, "true", "false")
	for _, t := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		add(t.Name(), t, "-128", "127", "0")
	}
	for _, t := range []arrow.DataType{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64} {
		add(t.Name(), t, "255", "0", "77")
	}
	for _, t := range []arrow.DataType{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64} {
		add(t.Name(), t, "1.5", "-0.25", "0")
	}
	for _, t := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView} {
		add(t.Name(), t, `"it's é"`, `""`, `"longer than twelve bytes"`)
	}
	for _, t := range []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView} {
		add(t.Name(), t, `"AP8="`, `""`, `"bG9uZ2VyIHRoYW4gdHdlbHZlIGJ5dGVz"`)
	}
	add("fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `"AAEC"`, `"////"`)
	add("decimal128", &arrow.Decimal128Type{Precision: 38, Scale: 2}, `"-12.50"`, `"99999999999999999999999999999.99"`)
	add("decimal256", &arrow.Decimal256Type{Precision: 60, Scale: 3}, `"1.125"`, `"-99999999999999999999999999999999999999999.999"`)
	add("date32", arrow.FixedWidthTypes.Date32, `"2020-02-29"`, `"1900-01-01"`)
	add("date64", arrow.FixedWidthTypes.Date64, `"2020-02-29"`, `"1900-01-01"`)
	for _, u := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		add("timestamp "+u.String(), &arrow.TimestampType{Unit: u}, `"2021-03-04 05:06:07"`, `"1960-01-01 00:00:00"`)
		add("zoned "+u.String(), &arrow.TimestampType{Unit: u, TimeZone: "Europe/Berlin"}, `"2021-07-04 05:06:07"`)
		add("duration "+u.String(), &arrow.DurationType{Unit: u}, `"5`+u.String()+`"`, `"-7`+u.String()+`"`)
	}
	for _, t := range []arrow.DataType{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns} {
		add("time "+t.(arrow.TemporalWithUnit).TimeUnit().String(), t, `"01:02:03"`, `"23:59:59"`)
	}
	add("months", arrow.FixedWidthTypes.MonthInterval, `{"months":-3}`)
	add("days", arrow.FixedWidthTypes.DayTimeInterval, `{"days":3,"milliseconds":-4}`)
	add("interval", arrow.FixedWidthTypes.MonthDayNanoInterval, `{"months":1,"days":-2,"nanoseconds":3}`)
	item := arrow.PrimitiveTypes.Int32
	add("list", arrow.ListOf(item), "[1,null,2]", "[]")
	add("large list", arrow.LargeListOf(item), "[1,null,2]", "[]")
	add("list of two", arrow.FixedSizeListOf(2, item), "[1,null]", "[5,6]")
	add("list view", arrow.ListViewOf(item), "[1,null,2]", "[]")
	add("large list view", arrow.LargeListViewOf(item), "[1,null,2]", "[]")
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: item, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
	add("struct", pair, `{"a":1,"b":"x"}`, `{"a":null,"b":null}`)
	add("map", arrow.MapOf(arrow.BinaryTypes.String, item), `[{"key":"k","value":1},{"key":"l","value":null}]`, "[]")
	add("deep", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(pair), Nullable: true})), `[{"l":[{"a":1,"b":"x"},null]},null]`, "[]")
	union := []arrow.Field{{Name: "i", Type: item, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}
	add("dense", arrow.DenseUnionOf(union, []arrow.UnionTypeCode{5, 7}), "[5,1]", `[7,"x"]`)
	add("sparse", arrow.SparseUnionOf(union, []arrow.UnionTypeCode{5, 7}), "[5,1]", `[7,"x"]`)
	add("dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}, `"word"`, `"other"`)
	add("runs", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `"x"`, `"x"`, `"x"`, `"y"`)
	return fields, values
}

// Arrow's Flight client for Java reads every type that it knows, with the values that it reads in the file itself, which
// Arrow's own writer for Go has made.
func TestJavaReadsEveryType(t *testing.T) {
	jar := os.Getenv("ARROWIO_FLIGHT_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_FLIGHT_JUDGE_JAR must say where it is: see testdata/interop/README.md")
	}
	fields, values := everyType()
	s := arrow.NewSchema(fields, nil)
	path := filepath.Join(t.TempDir(), "types.arrows")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := ipc.NewWriter(f, ipc.WithSchema(s))
	for batch, rows := range []int{1000, 1, 333} {
		columns := make([]arrow.Array, len(fields))
		for i, field := range fields {
			of := make([]string, rows)
			for k := range of {
				of[k] = values[i][(k+batch)%len(values[i])]
			}
			if columns[i], _, err = array.FromJSON(memory.DefaultAllocator, field.Type, strings.NewReader("["+strings.Join(of, ",")+"]")); err != nil {
				t.Fatal(field, err)
			}
		}
		if err := w.Write(array.NewRecord(s, columns, int64(rows))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{}, map[string]Spec{"types": {Paths: []string{path}}})
	judged(t, "java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", jar, "flight", fmt.Sprint(r.addr), path)
}
