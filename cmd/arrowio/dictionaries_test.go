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

// Files whose dictionaries have narrow indices, and other values each, become one Arrow file: wider indices number the values of all, and the
// plan says so. Of one file, and of a stream, the indices stay as they are.
func TestDictionariesOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	narrow := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: narrow, Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "d", Type: narrow, Nullable: true}), Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32},
	}, nil)
	var files []string
	var want strings.Builder
	for file := range 3 {
		var rows strings.Builder
		for i := range 100 {
			fmt.Fprintf(&rows, "{\"x\":\"v%d\",\"s\":{\"d\":\"w%d\"},\"n\":%d}\n", 100*file+i, 100*file+99-i, i)
		}
		want.WriteString(rows.String())
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+strings.TrimSuffix(strings.ReplaceAll(rows.String(), "\n", ","), ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, writeIPC(t, filepath.Join(dir, fmt.Sprintf("%d.arrow", file)), schema, rec))
		rec.Release()
	}
	type columns struct {
		Plan struct {
			Columns []struct{ Path, Loss, Refused string }
		}
	}
	for _, c := range []struct {
		in            []string
		out           string
		loss, refused string
	}{
		{files, "all.arrow", "comes back as dictionary<values=utf8, indices=int32, ordered=false>, which has room for the different values of all files", ""},
		{files, "all.arrows", "", ""},
		{files[:1], "one.arrow", "", "more than 128 different values of a dictionary in all rows"},
	} {
		args := append(c.in[:len(c.in):len(c.in)], filepath.Join(dir, c.out))
		var r columns
		printed := ok(t, append([]string{"convert", "--dry-run", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(printed), &r); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"x", "s"} {
			loss := c.loss
			if name == "s" && loss != "" {
				loss = "s.d " + loss
			}
			if got := r.Plan.Columns[i]; got.Path != name || got.Loss != loss || got.Refused != c.refused {
				t.Errorf("%s: %+v", c.out, got)
			}
		}
		conforms(t, "convert", printed)
		ok(t, append([]string{"convert"}, args...)...)
		lines := strings.SplitAfter(want.String(), "\n")[:100*len(c.in)]
		if got := ok(t, "cat", "--format", "jsonl", filepath.Join(dir, c.out)); got != strings.Join(lines, "") {
			t.Errorf("%s: %s", c.out, got)
		}
	}
	for i, more := range [][]string{{"--sort=-n"}, {"--columns=s.d,n"}, {"--exclude=s"}, {"--partition-by=n", "--limit=5"}} {
		out := filepath.Join(dir, fmt.Sprintf("more%d.arrow", i))
		o := do(t, append(append(append([]string{"convert"}, more...), files...), out)...)
		if o.code != 0 || !strings.Contains(o.err, "room for the different values") {
			t.Errorf("%v: %+v", more, o)
		}
	}
}
