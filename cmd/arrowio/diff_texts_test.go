package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// arrowFile writes a column of values that JSON tells to an Arrow IPC file.
func arrowFile(t *testing.T, path string, dt arrow.DataType, text string) string {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: dt, Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a}, int64(a.Len()))
	defer rec.Release()
	return writeIPC(t, path, schema, rec)
}

// Values that differ have texts in which the difference can be seen, of rows that belong together and of others.
func TestDiffShowsDifferences(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 5000)
	person := arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	for i, c := range []struct {
		a, b         arrow.DataType
		jsonA, jsonB string
		want         string
	}{
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["caf\u00e9"]`, `["cafe\u0301"]`, `v: "caf\u00e9" → "cafe\u0301"`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["\u0430bc"]`, `["abc"]`, `v: "\u0430bc" → "abc"`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["a\u200bb"]`, `["ab"]`, `v: a\u{200b}b → ab`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["a\ufe0fb"]`, `["ab"]`, `v: "a\ufe0fb" → "ab"`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["a\nb"]`, `["a\\nb"]`, `v: "a\nb" → "a\\nb"`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["a "]`, `["a"]`, `v: "a " → a`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["é"]`, `["e"]`, `v: é → e`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.String, `["` + long + `a"]`, `["` + long + `bc"]`, `x…|(A has 5,001 bytes, B has 5,002 bytes, they differ from byte 5,000 on)`},
		{arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, `["0x31"]`, `["MQ=="]`, `v: "0x31" → 0x31`},
		{arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, `[0.1]`, `[0.1]`, `v: 0.10000000149011612 → 0.1`},
		{arrow.ListOf(arrow.PrimitiveTypes.Float32), arrow.ListOf(arrow.PrimitiveTypes.Float64), `[[0.1, 1]]`, `[[0.1, 1]]`, `v: [0.10000000149011612,1] → [0.1,1]`},
		{person, person, `[null]`, `[{"n": null}]`, `v: NULL → a struct`},
	} {
		a := arrowFile(t, filepath.Join(dir, fmt.Sprint(i, "a.arrow")), c.a, c.jsonA)
		b := arrowFile(t, filepath.Join(dir, fmt.Sprint(i, "b.arrow")), c.b, c.jsonB)
		o := do(t, "diff", a, b)
		for part := range strings.SplitSeq(c.want, "|") {
			if part = strings.TrimSuffix(part, "x…"); o.code != exitDifferent || !strings.Contains(o.out, part) {
				t.Errorf("%s: %s\nwant %s", c.jsonA[:min(20, len(c.jsonA))], o.out, c.want)
			}
		}
		// Rows that do not belong together have the same texts.
		before, after, ok := strings.Cut(strings.TrimPrefix(c.want, "v: "), " → ")
		if !ok {
			before, after = "xa (A has 5,001 bytes)", "xbc (B has 5,002 bytes)"
		}
		o = do(t, "diff", "--unordered", a, b)
		if !strings.Contains(o.out, "not in B\n") || !strings.Contains(o.out, before+"\n") || !strings.Contains(o.out, after+"\n") {
			t.Errorf("%s, unordered: %s\nwant %s and %s", c.jsonA[:min(20, len(c.jsonA))], o.out, before, after)
		}
		o = do(t, "diff", "--json", a, b)
		conforms(t, "diff", o.out)
		var d diffDoc
		if err := json.Unmarshal([]byte(o.out), &d); err != nil {
			t.Fatal(err)
		}
		cell := d.First[0].Columns[0]
		if cell.A != nil && cell.B != nil && *cell.A == *cell.B {
			t.Errorf("%s: both are %s", c.jsonA, *cell.A)
		}
		if cut := cell.Cut; (cut != nil) != (len(c.jsonA) > 1000) || cut != nil && (*cut.LengthA != 5001 || *cut.LengthB != 5002 || *cut.Differ != 5000 || cut.From != 4750) {
			t.Errorf("%s: %+v", c.jsonA[:min(20, len(c.jsonA))], cut)
		}
	}
}

// Metadata that differs late is shown where it does.
func TestDiffOfLongMetadata(t *testing.T) {
	a, b := strings.Repeat("m", 3000)+"1", strings.Repeat("m", 3000)+"2"
	found := differingMetadata(arrow.NewMetadata([]string{"k"}, []string{a}), arrow.NewMetadata([]string{"k"}, []string{b}))
	if len(found) != 1 || *found[0].A == *found[0].B || *found[0].Cut.Differ != 3000 || *found[0].Cut.LengthA != 3001 {
		t.Errorf("%+v", found)
	}
}

// Rows of which no column can be compared are not told as equal.
func TestDiffOfNothing(t *testing.T) {
	dir := t.TempDir()
	a := lines(t, filepath.Join(dir, "a.jsonl"), `{"x":1,"s":{"p":1}}`, `{"x":2,"s":{"p":1}}`)
	other := lines(t, filepath.Join(dir, "b.jsonl"), `{"y":1}`, `{"y":2}`)
	text := lines(t, filepath.Join(dir, "c.jsonl"), `{"x":"1","s":{"q":1}}`, `{"x":"2","s":{"q":1}}`)
	some := lines(t, filepath.Join(dir, "d.jsonl"), `{"x":1}`, `{"x":3}`)
	for _, c := range []struct {
		code  int
		equal string
		says  string
		args  []string
	}{
		{exitDifferent, "null", "2 rows in A, 2 in B: none compared", []string{a, other}},
		{exitDifferent, "null", "none compared", []string{"--columns", "x", a, text}},
		{exitDifferent, "null", "none compared", []string{a, text}},
		{exitDifferent, "null", "none compared", []string{"--unordered", a, other}},
		{exitDifferent, "1", "by 1 column that could be compared, 1 equal, 1 changed", []string{a, some}},
		{exitUsage, "", "leaves no column", []string{"--exclude", "x,s", a, a}},
	} {
		o := do(t, append([]string{"diff"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.out+o.err, c.says) || c.equal == "null" && strings.Contains(o.out, "equal") {
			t.Errorf("%q: %+v", c.args, o)
		}
		if c.equal == "" {
			continue
		}
		o = do(t, append([]string{"diff", "--json"}, c.args...)...)
		conforms(t, "diff", o.out)
		if !strings.Contains(o.out, `"equal": `+c.equal) {
			t.Errorf("%q: %s", c.args, o.out)
		}
	}
}

// Rows are told as shifted where no column tells that positions match, or rows are found elsewhere.
func TestDiffOfShiftedRows(t *testing.T) {
	dir := t.TempDir()
	write := func(name, format string, from, to int, values func(i int) []any) string {
		var rows []string
		for i := from; i < to; i++ {
			rows = append(rows, fmt.Sprintf(format, values(i)...))
		}
		return lines(t, filepath.Join(dir, name+".jsonl"), rows...)
	}
	for i, c := range []struct {
		what    string
		columns string
		a, b    func(i int) []any
		shift   int // rows of A before the first of B
		shifted bool
		says    string
	}{
		{"one column differs", `{"id":%d,"v":%d}`, func(i int) []any { return []any{i, 1} }, func(i int) []any { return []any{i, 2} }, 0, false, "Only v differs: in 500 of 500 rows"},
		{"both differ", `{"id":%d,"v":%d}`, func(i int) []any { return []any{i, 1} }, func(i int) []any { return []any{i + 1, i} }, 0, true, ""},
		{"two columns differ, one does not", `{"id":%d,"v":%d,"w":%d}`, func(i int) []any { return []any{i, i, i} }, func(i int) []any { return []any{i, i + 1, i + 7} }, 0, false, ""},
		{"columns differ, some of few values do not", `{"k":%d,"v":%d,"w":%d}`, func(i int) []any { return []any{i * i % 7, i * i * 31 % 10007, i % 3} }, func(i int) []any { return []any{i * i % 7, i*i*31%10007 + 1, i%3 + 1} }, 0, false, ""},
		{"a few values differ besides", `{"id":%d,"v":%d,"w":%d}`, func(i int) []any { return []any{i, i, i} }, func(i int) []any { return []any{i + i%50/49, i + 1, i + 7} }, 0, false, ""},
		{"a row is removed", `{"id":%d,"v":%d,"c":"x"}`, func(i int) []any { return []any{i, i % 2} }, func(i int) []any { return []any{i, i % 2} }, 1, true, ""},
		{"a whole period is removed", `{"id":%d,"host":%d}`, func(i int) []any { return []any{i, i % 10} }, func(i int) []any { return []any{i, i % 10} }, 10, true, ""},
		{"the only column is shifted", `{"id":%d}`, func(i int) []any { return []any{i} }, func(i int) []any { return []any{i} }, 1, true, ""},
		{"the only column that varies is shifted", `{"id":%d,"c":1}`, func(i int) []any { return []any{i} }, func(i int) []any { return []any{i} }, 1, true, ""},
		{"the only column has other values", `{"id":%d}`, func(i int) []any { return []any{i} }, func(i int) []any { return []any{i + 1e6} }, 0, false, ""},
	} {
		a := write(fmt.Sprint(i, "a"), c.columns, 0, 500, c.a)
		b := write(fmt.Sprint(i, "b"), c.columns, c.shift, 500, c.b)
		o := do(t, "diff", a, b)
		if shifted := strings.Contains(o.out, "Most rows from row 0 on differ"); shifted != c.shifted || !strings.Contains(o.out, c.says) || shifted && strings.Contains(o.out, "Only") {
			t.Errorf("%s: %s", c.what, o.out)
		}
	}
}
