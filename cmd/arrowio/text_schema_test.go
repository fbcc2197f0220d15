package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --schema says what text is read as; with --cast=java what does not fit is null.
func TestTextUnderSchema(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	mixed := filepath.Join(dir, "mixed.jsonl")
	for name, text := range map[string]string{in: "a,b\n1,2020-01-01\n", mixed: "{\"a\":1}\n{\"a\":\"x\"}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--schema", "struct<a:int,b:date>", in}, "1,2020-01-01\n"},
		{[]string{"--schema", "struct<a:decimal(10,2),b:timestamp>", "--timestamp-unit=s", in}, "1.00,2020-01-01T00:00:00\n"},
		{[]string{"--schema", "struct<a:string>", mixed}, "1\nx\n"},
		{[]string{"--schema", "struct<a:int>", "--cast=java", mixed}, "1\n\n"},
	} {
		got := ok(t, append([]string{"cat", "--format", "csv"}, c.args...)...)
		if _, rows, _ := strings.Cut(got, "\n"); rows != c.want {
			t.Errorf("%q: got %q, want %q", c.args, rows, c.want)
		}
	}
}
