package jsonl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowcheck"
)

func openText(text string, o arrowio.OpenOptions) (arrowio.File, error) {
	return Format().Open(context.Background(), local.NewBytesSource([]byte(text)), o)
}

// read returns the schema as "name type, …" and the rows as text, columns separated by blanks.
func read(t testing.TB, text string, o map[string]string, columns []string) (schema string, rows []string, err error) {
	t.Helper()
	f, err := openText(text, arrowio.OpenOptions{Options: o})
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, c := range p.Schema.Fields() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", c.Name, c.Type)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r, err := f.Read(context.Background(), f.Splits()[0], nil, p, mem)
	if err != nil {
		return b.String(), nil, err
	}
	defer r.Close()
	for {
		n, err := r.Read(3)
		if err != nil || n == 0 {
			return b.String(), rows, err
		}
		rec, err := r.Take()
		if err != nil {
			return b.String(), rows, err
		}
		if err := arrowcheck.Record(rec); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; i++ {
			var row []string
			for _, c := range rec.Columns() {
				if c.IsNull(i) {
					row = append(row, "NULL")
				} else {
					row = append(row, strings.Clone(c.ValueStr(i)))
				}
			}
			rows = append(rows, strings.Join(row, " "))
		}
		rec.Release()
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text, schema string
		o                  map[string]string
		rows               []string
	}{
		{
			name: "scalars", text: `{"a": 1, "b": true, "c": "x", "d": 1.5}` + "\r\n\n" + ` { "d":2,"c":"","b":false , "a":-1 } ` + "\n",
			schema: "a int64, b bool, c utf8, d float64", rows: []string{"1 true x 1.5", "-1 false  2"},
		},
		{name: "left out and null", text: "{\"a\":1}\n{\"b\":\"x\"}\n{\"a\":null,\"b\":null}", schema: "a int64, b utf8", rows: []string{"1 NULL", "NULL x", "NULL NULL"}},
		{
			name: "integers at the edges", text: `{"a":9223372036854775807,"b":9223372036854775808,"c":9007199254740992}` + "\n" + `{"a":-9223372036854775808,"b":18446744073709551615,"c":0.5}`,
			schema: "a int64, b uint64, c float64", rows: []string{"9223372036854775807 9223372036854775808 9.007199254740992e+15", "-9223372036854775808 18446744073709551615 0.5"},
		},
		{name: "large but exact beside a fraction", text: "{\"a\":1152921504606846976}\n{\"a\":0.5}", schema: "a float64", rows: []string{"1.152921504606847e+18", "0.5"}},
		{name: "minus zero", text: "{\"a\":-0}", schema: "a float64", rows: []string{"-0"}},
		{name: "exponents", text: "{\"a\":1e2}\n{\"a\":-1.5E-3}", schema: "a float64", rows: []string{"100", "-0.0015"}},
		{name: "escapes", text: `{"a":"\"\\\/\b\f\n\r\tA\u00e9\ud83d\ude00é"}`, schema: "a utf8", rows: []string{"\"\\/\b\f\n\r\tAé😀é"}},
		{name: "escaped names", text: "{\"\\u0061\":1}\n{\"a\":2}", schema: "a int64", rows: []string{"1", "2"}},
		{
			name: "nested", text: `{"a":{"x":1,"y":[1,null,2]}}` + "\n" + `{"a":{"y":[],"z":{"w":"q"}}}` + "\n" + `{"a":null}`,
			schema: "a struct<x: int64, y: list<item: int64, nullable>, z: struct<w: utf8>>",
			rows:   []string{`{"x":1,"y":[1,null,2],"z":null}`, `{"x":null,"y":[],"z":{"w":"q"}}`, "NULL"},
		},
		{
			name: "lists of objects", text: `{"a":[{"x":1},{"y":2},null]}`, schema: "a list<item: struct<x: int64, y: int64>, nullable>",
			rows: []string{`[{"x":1,"y":null},{"x":null,"y":2},null]`},
		},
		{name: "nothing known", text: "{\"a\":null,\"b\":[]}\n{}", schema: "a null, b list<item: null, nullable>", rows: []string{"(null) []", "(null) NULL"}}, // arrow's word for it
		{name: "no rows", text: "\n", schema: ""},
		{name: "no members", text: "{}\n{}\n", schema: "", rows: []string{"", ""}},
		{name: "byte order mark", text: "\ufeff{\"a\":1}", schema: "a int64", rows: []string{"1"}},
		{
			name: "text", o: map[string]string{"jsonl-types": "text"}, text: `{"a":1,"b":"x","c":[1, 2]}` + "\n" + `{"a":"q","b":null,"c":{"d": 12345678901234567890.5}}`,
			schema: "a utf8, b utf8, c utf8", rows: []string{"1 x [1, 2]", `q NULL {"d": 12345678901234567890.5}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, rows, err := read(t, c.text, c.o, nil)
			if err != nil {
				t.Fatal(err)
			}
			if schema != c.schema || fmt.Sprintf("%q", rows) != fmt.Sprintf("%q", c.rows) {
				t.Errorf("got %s %q\nwant %s %q", schema, rows, c.schema, c.rows)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	two := map[string]string{"jsonl-sample": "2"}
	for _, c := range []struct {
		name, text string
		o          map[string]string
		kind       errs.Kind
		says       []string
	}{
		{"misfit", "{\"a\":1}\n{\"a\":2}\n{\"a\":\"x\"}", two, errs.ErrSchema, []string{"line 3", "column a", "a string is not int64", "--jsonl-types=text"}},
		{"fraction", "{\"a\":1}\n{\"a\":2}\n{\"a\":1.5}", two, errs.ErrSchema, []string{"line 3", "1.5 is not int64"}},
		{"inexact", "{\"a\":1}\n{\"a\":2.5}\n{\"a\":9007199254740993}", two, errs.ErrSchema, []string{"line 3", "column a", "9007199254740993 is not exact as float64"}},
		{"inexact in the sample", "{\"a\":1.5}\n\n{\"a\":12345678901234567890123}\n{\"a\":12345678901234567890124}", nil, errs.ErrSchema, []string{"line 3", "column a", "12345678901234567890123 is not exact as float64, and other values have fractions", "--jsonl-types=text"}},
		{"inexact before a fraction", "{\"a\":{\"b\":[9007199254740993]}}\n{\"a\":{\"b\":[0.5]}}", nil, errs.ErrSchema, []string{"line 1", "column a.b.item", "9007199254740993 is not exact"}},
		{"beyond float64", "{\"a\":1}\n{\"a\":1e400}", nil, errs.ErrSchema, []string{"line 2", "column a", "1e400 is beyond the range of float64"}},
		{"beyond float64 behind the sample", "{\"a\":1.5}\n{\"a\":1}\n{\"a\":-1e400}", two, errs.ErrSchema, []string{"line 3", "column a", "-1e400 is beyond the range of float64"}},
		{"nearer to zero than float64", "{\"a\":1e-400}", nil, errs.ErrSchema, []string{"line 1", "1e-400 is beyond the range of float64"}},
		{"digits that a float64 does not keep", "{\"a\":{\"b\":1.5}}\n{\"a\":{\"b\":0.1234567890123456789}}", nil, errs.ErrSchema, []string{"line 2", "column a.b", "0.1234567890123456789 has more digits than a float64 keeps", "--jsonl-types=text"}},
		{"digits behind the sample", "{\"a\":1.5}\n{\"a\":2.5}\n{\"a\":12345678901234567.89}", two, errs.ErrSchema, []string{"line 3", "column a", "12345678901234567.89"}},
		{"new member", "{\"a\":{\"b\":2}}\n{}\n{\"a\":{\"c\":1}}", two, errs.ErrSchema, []string{"line 3", "column a", `"c"`, "--jsonl-sample=all"}},
		{"mixed sample", "{\"a\":{\"b\":2}}\n{\"a\":{\"b\":[1]}}", nil, errs.ErrCorrupt, []string{"line 2", "column a.b", "an array"}},
		{"too large", "{\"a\":123456789012345678901}", nil, errs.ErrSchema, []string{"line 1", "column a", "123456789012345678901 is beyond the range of int64 and uint64"}},
		{"negative and beyond int64", "{\"a\":18446744073709551615}\n{\"a\":-1}", nil, errs.ErrSchema, []string{"line 1", "column a", "18446744073709551615 is beyond the range of int64, and other values are negative"}},
		{"an array", "\n[{\"a\":1}]", nil, errs.ErrCorrupt, []string{"line 2", "begins with '['", "JSON array", "one object a line"}},
		{"an array behind the sample", "{}\n{}\n [1]", two, errs.ErrCorrupt, []string{"line 3", "begins with '['", "JSON array"}},
		{"no object", "5", nil, errs.ErrCorrupt, []string{"line 1", "begins with '5'", "one object a line"}},
		{"behind the object", "{} x", nil, errs.ErrCorrupt, []string{"line 1", "byte 4 is 'x'; the end of the line is expected there"}},
		{"cut off", "{\"a\":1", nil, errs.ErrCorrupt, []string{"line 1"}},
		{"leading zero", "{\"a\":-007}", nil, errs.ErrCorrupt, []string{"line 1", "the number at byte 6 has a zero in front of it"}},
		{"NaN without quotes", "{}\n{\"a\":NaN}", nil, errs.ErrCorrupt, []string{"line 2", "column a", "NaN at byte 6 is not JSON; it needs quotes: \"NaN\""}},
		{"infinity without quotes", "{\"a\":[-Infinity]}", nil, errs.ErrCorrupt, []string{"column a:", "-Infinity at byte 7 is not JSON"}},
		{"no value", "{\"a\": }", nil, errs.ErrCorrupt, []string{"line 1", "byte 7 is '}'; a value is expected there"}},
		{"no digit", "{\"a\":1.}", nil, errs.ErrCorrupt, []string{"byte 8 is '}'; a digit is expected there"}},
		{"no name", "{1:2}", nil, errs.ErrCorrupt, []string{"byte 2 is '1'; a string is expected there"}},
		{"no colon", "{\"a\" 1}", nil, errs.ErrCorrupt, []string{"byte 6 is '1'; ':' is expected there"}},
		{"no comma", "{\"a\":1 \"b\":2}", nil, errs.ErrCorrupt, []string{"byte 8 is '\"'; ',' or '}' is expected there"}},
		{"no such escape", `{"a":"\x"}`, nil, errs.ErrCorrupt, []string{"byte 8 is 'x'; one of \" \\ / b f n r t u is expected there"}},
		{"twice", "{\"a\":1,\"a\":2}", nil, errs.ErrCorrupt, []string{"line 1", "twice"}},
		{"twice behind the sample", "{\"a\":1}\n{}\n{\"a\":1,\"a\":2}", two, errs.ErrCorrupt, []string{"line 3", "twice"}},
		{"control character", "{\"a\":\"\x01\"}", nil, errs.ErrCorrupt, []string{"line 1", "byte 7 is '\\x01'; in a string it must be written as an escape"}},
		{"not UTF-8", "{\"a\":\"\xff\"}", nil, errs.ErrCorrupt, []string{"UTF-8"}},
		{"half a pair", `{"a":"\ud83d"}`, nil, errs.ErrCorrupt, []string{"surrogate"}},
		{"wrong pair", `{"a":"\ud83d\u0041"}`, nil, errs.ErrCorrupt, []string{"surrogate"}},
		{"deep", "{\"a\":" + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}", nil, errs.ErrLimit, []string{"Limits.Depth"}},
		{"deep as text", "{\"a\":" + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}", map[string]string{"jsonl-types": "text"}, errs.ErrLimit, nil},
		{"option", "{}", map[string]string{"jsonl-types": "x"}, errs.ErrOption, nil},
		{"sample", "{}", map[string]string{"jsonl-sample": "x"}, errs.ErrOption, nil},
	} {
		_, _, err := read(t, c.text, c.o, nil)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range append(c.says, "jsonl: ") {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.name, err, s)
			}
		}
	}
}

func TestProjection(t *testing.T) {
	text := `{"a":1,"b":{"x":1,"y":"q"},"c":[1]}` + "\n" + `{"c":null,"b":null,"a":2}`
	schema, rows, err := read(t, text, nil, []string{"b.y", "a"})
	if err != nil || schema != "b struct<y: utf8>, a int64" || fmt.Sprintf("%q", rows) != `["{\"y\":\"q\"} 1" "NULL 2"]` {
		t.Errorf("%s %q %v", schema, rows, err)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, rows, err := read(t, "{\"a\":\""+long+"\"}\n{\"a\":\"y\"}", nil, nil)
	if err != nil || len(rows) != 2 || rows[0] != long {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if _, err := openText("{\"a\":\""+long+"\"}", arrowio.OpenOptions{Limits: arrowio.Limits{ValueBytes: 1 << 19}}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("got %v", err)
	}
	if _, err := openText(`{"a":1,"b":2,"c":3}`, arrowio.OpenOptions{Limits: arrowio.Limits{Columns: 2}}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

func TestErrorLeavesNothingBehind(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	f, err := openText("{\"a\":[1,2],\"b\":\"x\"}\n{\"a\":[\"\"]}", arrowio.OpenOptions{Options: map[string]string{"jsonl-sample": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := arrowio.Project(f.Schema(), nil)
	r, err := f.Read(context.Background(), f.Splits()[0], nil, p, mem)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Read(10); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("got %v", err)
		}
	}
	r.Close()
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"a": 1, "b": [true, null], "c": {"d": "\u00e9\ud83d\ude00"}}`, "{\"a\":1}\n{\"a\":1.5e3}\n{\"a\":\"x\"}", "{}", "[", `{"a":{"a":{"a":[[[]]]}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, types := range []string{"infer", "text"} {
			_, _, err := read(t, s, map[string]string{"jsonl-sample": "2", "jsonl-types": types}, nil)
			if e := (*errs.Error)(nil); err != nil && (!errors.As(err, &e) || e.Kind == errs.ErrInternal) {
				t.Fatal(err)
			}
		}
	})
}

// TestPyarrow compares with what pyarrow's reader makes of the same lines.
func TestPyarrow(t *testing.T) {
	const dir = "../../testdata/jsonl/pyarrow-26.0.1/"
	b, err := os.ReadFile(dir + "rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	e, err := os.ReadFile(dir + "expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Schema map[string]string
		Rows   []map[string]any
	}
	if err := json.Unmarshal(e, &want); err != nil {
		t.Fatal(err)
	}
	f, err := openText(string(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.NewReplacer("float64", "double", "utf8", "string", ", nullable>", ">")
	for _, c := range f.Schema().Fields() {
		if got := ours.Replace(c.Type.String()); got != want.Schema[c.Name] {
			t.Errorf("%s is %s, pyarrow says %s", c.Name, got, want.Schema[c.Name])
		}
	}
	p, _ := arrowio.Project(f.Schema(), nil)
	r, err := f.Read(context.Background(), f.Splits()[0], nil, p, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Read(100); n != len(want.Rows) || err != nil {
		t.Fatalf("%d rows of %d, %v", n, len(want.Rows), err)
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	for c, fl := range rec.Schema().Fields() {
		for i, row := range want.Rows {
			got, err := json.Marshal(rec.Column(c).GetOneForMarshal(i))
			if err != nil {
				t.Fatal(err)
			}
			w, err := json.Marshal(row[fl.Name])
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, w) {
				t.Errorf("%s[%d] = %s, want %s", fl.Name, i, got, w)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
