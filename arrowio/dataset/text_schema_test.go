package dataset

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Text is read as the types of a schema, whatever its values look like. What CSV gives is what pyarrow gives for column_types,
// but that floats which lose digits are errors.
func TestTextUnderSchema(t *testing.T) {
	tI32, tStr := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	date, us := arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		name, format string
		to           arrow.DataType
		files        []string
		want         string // the rows, or part of the error
		err          bool
	}{
		{"int32", "csv", arrow.PrimitiveTypes.Int32, []string{"a\n1\n007\n-0\n"}, "1\n7\n0\n", false},
		{"int16", "csv", arrow.PrimitiveTypes.Int16, []string{"a\n1\n-32768\n"}, "1\n-32768\n", false},
		{"int16, too large", "csv", arrow.PrimitiveTypes.Int16, []string{"a\n1\n32768\n"}, `column a: line 3: "32768" is not int16, the type that the schema says`, true},
		{"int32, a word", "csv", arrow.PrimitiveTypes.Int32, []string{"a\nx\n"}, `line 2: "x" is not int32`, true},
		{"int32, a fraction", "csv", arrow.PrimitiveTypes.Int32, []string{"a\n1.0\n"}, `"1.0" is not int32`, true},
		{"float32", "csv", arrow.PrimitiveTypes.Float32, []string{"a\n0.5\n7\n\n"}, "0.5\n7\n(null)\n", false},
		{"float32, digits", "csv", arrow.PrimitiveTypes.Float32, []string{"a\n3.14159265\n"}, "does not keep it exactly", true},
		{"decimal", "csv", &arrow.Decimal128Type{Precision: 10, Scale: 2}, []string{"a\n1\n1.500\n-12345678.99\n"}, "1\n1.5\n-12345678.99\n", false},
		{"decimal, digits", "csv", &arrow.Decimal128Type{Precision: 10, Scale: 2}, []string{"a\n1.505\n"}, `"1.505" is not decimal(10, 2)`, true},
		{"boolean", "csv", arrow.FixedWidthTypes.Boolean, []string{"a\ntrue\n", "a\n0\n"}, "true\nfalse\n", false},
		{"date", "csv", date, []string{"a\n2020-01-01\n"}, "2020-01-01\n", false},
		{"dates and times", "csv", us, []string{"a\n2020-01-01\n", "a\n2020-01-02 03:04:05\n"}, "2020-01-01 00:00:00Z\n2020-01-02 03:04:05Z\n", false},
		{"a time with a zone", "csv", us, []string{"a\n2020-01-01T00:00:00Z\n"}, "since it has a zone", true},
		{"text", "csv", arrow.BinaryTypes.String, []string{"a\n1\n", "a\nx\n"}, "1\nx\n", false},

		{"bytes", "csv", arrow.BinaryTypes.Binary, []string{"a\nAAEC\n\"\"\n\n/w==\n"}, "AAEC\n\n(null)\n/w==\n", false},
		{"bytes, a word", "csv", arrow.BinaryTypes.Binary, []string{"a\nabc\n"}, `line 2: "abc" is not binary, the type that the schema says, which is read from base64`, true},
		{"bytes of a width", "csv", &arrow.FixedSizeBinaryType{ByteWidth: 3}, []string{"a\nAAEC\n"}, "AAEC\n", false},
		{"bytes of another width", "csv", &arrow.FixedSizeBinaryType{ByteWidth: 3}, []string{"a\n/w==\n"}, "base64 of 3 bytes", true},

		{"bytes", "jsonl", arrow.BinaryTypes.LargeBinary, []string{`{"a":"AAEC"}`, `{"a":""}`, `{"a":null}`}, "AAEC\n\n(null)\n", false},
		{"map of objects", "jsonl", arrow.MapOf(tStr, tI32), []string{`{"a":{"x":1,"y":null}}`, `{"a":{}}`, `{"a":null}`, `{}`}, `[{"key":"x","value":1},{"key":"y","value":null}]` + "\n[]\n(null)\n(null)\n", false},
		{"map of pairs", "jsonl", arrow.MapOf(tI32, tStr), []string{`{"a":[{"key":7,"value":"x"},{"value":1.50,"key":"8"},{"key":9}]}`}, `[{"key":7,"value":"x"},{"key":8,"value":"1.50"},{"key":9,"value":null}]` + "\n", false},
		{"map of values that clash", "jsonl", arrow.MapOf(tStr, tStr), []string{"{\"a\":{\"x\":1}}\n{\"a\":{\"x\":\"y\"}}\n{\"a\":[]}"}, `[{"key":"x","value":"1"}]` + "\n" + `[{"key":"x","value":"y"}]` + "\n[]\n", false},
		{"map of maps", "jsonl", arrow.MapOf(tStr, arrow.ListOf(arrow.MapOf(tStr, tI32))), []string{`{"a":{"x":[{"y":1}]}}`}, `[{"key":"x","value":[[{"key":"y","value":1}]]}]` + "\n", false},
		{"map of structs", "jsonl", arrow.MapOf(tStr, arrow.StructOf(arrow.Field{Name: "p", Type: tI32, Nullable: true})), []string{`{"a":{"x":{"p":1,"q":2},"y":{}}}`}, `[{"key":"x","value":{"p":1}},{"key":"y","value":{"p":null}}]` + "\n", false},
		{"list of maps", "jsonl", arrow.ListOf(arrow.MapOf(tStr, tI32)), []string{`{"a":[{"x":1},null]}`}, `[[{"key":"x","value":1}],null]` + "\n", false},
		{"map, a value", "jsonl", arrow.MapOf(tStr, tI32), []string{`{"a":{"x":1,"y":"z"}}`}, `"z" is not int32`, true},
		{"map, a key", "jsonl", arrow.MapOf(tI32, tI32), []string{`{"a":{"x":1}}`}, `"x" is not int32`, true},
		{"map, a null key", "jsonl", arrow.MapOf(tI32, tI32), []string{`{"a":[{"value":1}]}`}, `null or absent`, true},
		{"map, a third member", "jsonl", arrow.MapOf(tI32, tI32), []string{`{"a":[{"key":1,"value":1,"z":1}]}`}, `an entry of a map has "z"`, true},
		{"map, a number", "jsonl", arrow.MapOf(tStr, tI32), []string{`{"a":7}`}, `a number is not map<utf8, int32, items_nullable>, the type that the schema says`, true},
		{"map, numbers", "jsonl", arrow.MapOf(tStr, tI32), []string{`{"a":[7]}`}, `a number in an array is not map`, true},

		{"int32", "jsonl", arrow.PrimitiveTypes.Int32, []string{`{"a":1}`}, "1\n", false},
		{"int32, too large", "jsonl", arrow.PrimitiveTypes.Int32, []string{"{\"a\":1}\n{\"a\":3000000000}"}, `column a: line 2: "3000000000" is not int32`, true},
		{"int32 of text", "jsonl", arrow.PrimitiveTypes.Int32, []string{`{"a":"1"}`, `{"a":null}`, `{}`}, "1\n(null)\n(null)\n", false},
		{"text", "jsonl", arrow.BinaryTypes.String, []string{`{"a":1.50}`, `{"a":"x"}`, `{"a":[1, 2]}`}, "1.50\nx\n[1, 2]\n", false},
		{"text and numbers in one file", "jsonl", arrow.BinaryTypes.String, []string{"{\"a\":1.50}\n{\"a\":\"x\"}\n{\"a\":{\"b\":1}}"}, "1.50\nx\n{\"b\":1}\n", false},
		{"integers of text and numbers", "jsonl", arrow.PrimitiveTypes.Int64, []string{"{\"a\":1}\n{\"a\":\"2\"}"}, "1\n2\n", false},
		{"many digits", "jsonl", arrow.BinaryTypes.String, []string{`{"a":0.1234567890123456789}`}, "0.1234567890123456789\n", false},
		{"date", "jsonl", date, []string{`{"a":"2020-01-01"}`}, "2020-01-01\n", false},
		{"time", "jsonl", us, []string{`{"a":"2020-01-01"}`, `{"a":"2020-01-02T03:04:05.500"}`}, "2020-01-01 00:00:00Z\n2020-01-02 03:04:05.5Z\n", false},
		{"list", "jsonl", arrow.ListOf(arrow.PrimitiveTypes.Int32), []string{`{"a":[1,null]}`}, "[1,null]\n", false},
		{"list, too large", "jsonl", arrow.ListOf(arrow.PrimitiveTypes.Int8), []string{`{"a":[1,300]}`}, `"300" is not int8`, true},
		{"struct", "jsonl", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true}), []string{`{"a":{"x":1}}`}, "{\"x\":1}\n", false},
	} {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: c.to, Nullable: true}}, nil)
			d, err := textFiles(t, c.format, Options{Schema: s}, c.files...)
			if err != nil {
				t.Fatal(err)
			}
			if !c.err {
				if got := rowsOf(t, d); got != c.want {
					t.Errorf("got\n%swant\n%s", got, c.want)
				}
				return
			}
			scan, err := d.Scan(context.Background(), arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer scan.Release()
			for scan.Next() {
				continue
			}
			if err := scan.Err(); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
