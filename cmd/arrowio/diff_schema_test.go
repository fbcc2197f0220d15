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

// arrowFileOf writes a row that JSON tells, of the columns of a schema, to an Arrow IPC file.
func arrowFileOf(t *testing.T, path string, schema *arrow.Schema, row string) string {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(row))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return writeIPC(t, path, schema, rec)
}

// With --strict diff says in what inputs differ that have the same values.
func TestDiffStrictSaysWhat(t *testing.T) {
	dir := t.TempDir()
	n, m := arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "m", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	with := func(f arrow.Field, change func(f *arrow.Field)) arrow.Field { change(&f); return f }
	known := func(f *arrow.Field) { f.Metadata = arrow.NewMetadata([]string{"k"}, []string{"it"}) }
	list := func(item arrow.Field) arrow.Field {
		return arrow.Field{Name: "l", Type: arrow.ListOfField(item), Nullable: true}
	}
	of := func(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }
	some := arrow.NewMetadata([]string{"origin"}, []string{"here"})
	for i, c := range []struct {
		a, b *arrow.Schema
		says string
		kind string
	}{
		{of(n), of(with(n, func(f *arrow.Field) { f.Type = arrow.PrimitiveTypes.Int64 })), "n: int32 in A, int64 in B", "types"},
		{of(n), of(with(n, func(f *arrow.Field) { f.Nullable = false })), "n: int32 in A, int32 not null in B", "nullability"},
		{of(n, m), of(m, n), "m is before n in B, and behind it in A", "order of columns"},
		{of(n), of(with(n, known)), `metadata of n, k: not there in A, "it" in B`, "metadata of columns"},
		{of(list(with(n, known))), of(list(n)), `metadata of l, n.k: "it" in A, not there in B`, "metadata of columns"},
		{of(n), arrow.NewSchema([]arrow.Field{n}, &some), `metadata origin: not there in A, "here" in B`, "metadata"},
		{of(n, m), arrow.NewSchema([]arrow.Field{m, n}, &some), "", "order of columns, metadata"},
		{of(n), of(n), "", ""},
	} {
		row := `[{"n":1,"m":2,"l":[3]}]`
		a := arrowFileOf(t, filepath.Join(dir, fmt.Sprint(i, "a.arrow")), c.a, row)
		b := arrowFileOf(t, filepath.Join(dir, fmt.Sprint(i, "b.arrow")), c.b, row)
		o := do(t, "diff", "--strict", a, b)
		code, last := exitDifferent, "They differ, but only in what --strict counts: "+c.kind+"."
		if c.kind == "" {
			code, last = 0, "They are equal."
		}
		if o.code != code || !strings.Contains(o.out, c.says) || !strings.Contains(o.out, "\n"+last+"\n") {
			t.Errorf("%+v\nwant %s\n%s", o, c.says, last)
		}
		if o := do(t, "diff", a, b); o.code != 0 || !strings.Contains(o.out, c.says) || !strings.Contains(o.out, "They are equal.") {
			t.Errorf("not strict: %+v", o)
		}
		last = "The schemas differ in " + c.kind + "; only --strict counts that. No row was compared."
		if c.kind == "" {
			last = "The schemas are the same. No row was compared."
		}
		if o := do(t, "diff", "--schema-only", a, b); o.code != 0 || !strings.HasSuffix(o.out, "\n"+last+"\n") {
			t.Errorf("only schemas: %+v\nwant %s", o, last)
		}
		o = do(t, "diff", "--strict", "--json", a, b)
		conforms(t, "diff", o.out)
		// The order of what is left is what counts.
		if c.kind == "order of columns" {
			if o := do(t, "diff", "--strict", "--exclude", "m", a, b); o.code != 0 {
				t.Errorf("%+v", o)
			}
		}
	}
	other := arrowFileOf(t, filepath.Join(dir, "other.arrow"), of(n), `[{"n":7}]`)
	if o := do(t, "diff", "--strict", filepath.Join(dir, "0b.arrow"), other); !strings.Contains(o.out, "\nThey differ.\n") {
		t.Errorf("%+v", o)
	}
}

// --limit bounds all that diff tells, and what is left out is counted.
func TestDiffLimit(t *testing.T) {
	dir := t.TempDir()
	var fields [4][]arrow.Field
	var keys, values []string
	row := "[{"
	for i := range 30 {
		name := fmt.Sprintf("c%d", i)
		fields[0] = append(fields[0], arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32, Nullable: true})
		fields[1] = append(fields[1], arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		fields[2] = append(fields[2], arrow.Field{Name: "other_" + name, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		fields[3] = append([]arrow.Field{fields[0][i]}, fields[3]...)
		keys, values = append(keys, "k"+name), append(values, "v")
		row += fmt.Sprintf(`"%s":%d,`, name, i)
	}
	row = row[:len(row)-1] + "}]"
	md := arrow.NewMetadata(keys, values)
	files := map[string]string{
		"all":     arrowFileOf(t, filepath.Join(dir, "all.arrow"), arrow.NewSchema(fields[0], nil), row),
		"others":  arrowFileOf(t, filepath.Join(dir, "others.arrow"), arrow.NewSchema(fields[0], nil), strings.ReplaceAll(row, ":", ":1")),
		"none":    arrowFileOf(t, filepath.Join(dir, "none.arrow"), arrow.NewSchema(fields[0], nil), "[]"),
		"wide":    arrowFileOf(t, filepath.Join(dir, "wide.arrow"), arrow.NewSchema(fields[1], nil), row),
		"renamed": arrowFileOf(t, filepath.Join(dir, "renamed.arrow"), arrow.NewSchema(fields[2], nil), row),
		"turned":  arrowFileOf(t, filepath.Join(dir, "turned.arrow"), arrow.NewSchema(fields[3], nil), row),
		"known":   arrowFileOf(t, filepath.Join(dir, "known.arrow"), arrow.NewSchema(fields[0], &md), row),
	}
	for _, c := range []struct {
		b             string
		says, nothing string // with --limit 3, and with --limit 0
	}{
		{"wide", "\nc2: int32 in A, int64 in B\n… and 27 more differences of columns\n", "\n30 differences of columns\n"},
		{"renamed", "\nonly in A: c0, c1, c2, … and 27 more\nonly in B: other_c0, other_c1, other_c2, … and 27 more\n", "\nonly in A: 30 columns\nonly in B: 30 columns\n"},
		{"turned", "c3 is before c2 in B, and behind it in A\n… and 26 more columns in another order\n", "\n29 columns in another order\n"},
		{"known", "\nmetadata kc10: not there in A, \"v\" in B\n… and 27 more keys of differing metadata\n", "\n30 keys of differing metadata\n"},
		{"others", "c2     │                  1\n… and 27 more columns with values that differ\n", "\n30 columns with values that differ\n"},
		{"others", "\n  c2: 2 → 12\n  … and 27 more columns\n", ""},
		{"none", "\n  c2: 2\n  … and 27 more columns\n", ""},
	} {
		o := do(t, "diff", "--limit", "3", files["all"], files[c.b])
		if !strings.Contains(o.out, c.says) || strings.Contains(o.out, "c9") {
			t.Errorf("%s: %s\nwant %s", c.b, o.out, c.says)
		}
		o = do(t, "diff", "--limit", "0", files["all"], files[c.b])
		if !strings.Contains(o.out, c.nothing) || strings.Contains(o.out, "c0") || strings.Contains(o.out, "…") {
			t.Errorf("%s: %s\nwant %s", c.b, o.out, c.nothing)
		}
		o = do(t, "diff", "--limit", "30", files["all"], files[c.b])
		if strings.Contains(o.out, "more") || strings.Contains(o.out, "…") {
			t.Errorf("%s: %s", c.b, o.out)
		}
		var d diffDoc
		if err := json.Unmarshal([]byte(do(t, "diff", "--json", "--limit", "1", files["all"], files[c.b]).out), &d); err != nil {
			t.Fatal(err)
		}
		if s := d.Schema; len(s.OnlyA)+len(s.Columns) != 30 || c.b == "known" && len(s.Metadata) != 30 || c.b == "turned" && len(s.Moved) != 29 {
			t.Errorf("%s: %+v", c.b, s)
		}
	}
}
