package expr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// blocks returns the lines of the page's blocks of code in a language.
func blocks(page, language string) (lines []string) {
	for _, part := range strings.Split(page, "```"+language+"\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		lines = append(lines, strings.Split(strings.TrimSpace(text), "\n")...)
	}
	return lines
}

// The examples of docs/filters.md are what they say.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	utf8 := arrow.BinaryTypes.String
	s := arrow.NewSchema([]arrow.Field{
		field("id", i64), field("City", utf8), field("price", arrow.PrimitiveTypes.Float32), field("cost", &arrow.Decimal128Type{Precision: 9, Scale: 2}),
		field("ratio", arrow.PrimitiveTypes.Float64), field("tags", arrow.ListOf(utf8)), field("attributes", arrow.MapOf(utf8, i64)),
		field("items", arrow.ListOf(arrow.StructOf(field("name", utf8), field("count", i64)))), field("at", arrow.FixedWidthTypes.Timestamp_ms), field("day", arrow.FixedWidthTypes.Date32),
	}, nil)
	// JSON has maps as objects, arrow's reader as lists of pairs.
	rows := strings.NewReplacer(`{"size": 3}`, `[{"key": "size", "value": 3}]`, `{"size": null}`, `[{"key": "size", "value": null}]`, `"attributes": {}`, `"attributes": []`).
		Replace("[" + strings.Join(blocks(page, "json"), ",") + "]")
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	examples := blocks(page, "sql")
	if len(examples) < 40 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, line := range examples {
		if line == "" {
			continue
		}
		text, want, ok := strings.Cut(line, "--")
		if !ok {
			t.Errorf("no rows: %s", line)
		}
		var got []string
		for i, c := range maskOf(t, bind(t, s, strings.TrimSpace(text)), rec) {
			if c == 't' {
				got = append(got, string(rune('1'+i)))
			}
		}
		if got := strings.Join(got, " "); got != strings.TrimSpace(want) {
			t.Errorf("%s: rows %q", line, got)
		}
	}
	for _, line := range blocks(page, "text") {
		text, want, _ := strings.Cut(line, "  ")
		e, err := expr.Parse(text)
		if err == nil {
			_, err = expr.Bind(e, s)
		}
		if err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
