package main

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

// replacedDictionaries writes a stream of 3 batches of 100 rows each, each with a dictionary of its own, by Arrow's writer. The
// indices have 8 bits.
func replacedDictionaries(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	s := arrow.NewSchema([]arrow.Field{{Name: "w", Type: typ}}, nil)
	w := ipc.NewWriter(f, ipc.WithSchema(s))
	for batch := range 3 {
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, typ).(*array.BinaryDictionaryBuilder)
		for row := range 100 {
			if err := b.AppendString(fmt.Sprintf("%d-%02d", batch, row)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(array.NewRecord(s, []arrow.Array{b.NewArray()}, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The batches of a stream whose dictionaries the indices cannot number together are kept apart. A file of IPC, which has one
// dictionary, is refused.
func TestDictionariesOfAStream(t *testing.T) {
	dir := t.TempDir()
	in := replacedDictionaries(t, filepath.Join(dir, "in.arrows"))
	var want strings.Builder
	for i := range 300 {
		fmt.Fprintf(&want, "%d-%02d\n", i/100, i%100)
	}
	for _, out := range []string{"out.parquet", "out.orc", "out.trv", "out.arrows", "out.csv", "out.jsonl"} {
		out = filepath.Join(dir, out)
		if o := do(t, "convert", in, out); o.code != 0 {
			t.Errorf("%+v", o)
			continue
		}
		if got := ok(t, "cat", "--format", "csv", out); got != "w\n"+want.String() {
			t.Errorf("%s: %s", out, got)
		}
	}
	for _, where := range []string{"w > ''", "w LIKE '%-%'", "w = '0-00' OR w = '2-99'"} {
		n := "300\n"
		if strings.Contains(where, "=") {
			n = "2\n"
		}
		if o := do(t, "count", "--where", where, in); o.code != 0 || o.out != n {
			t.Errorf("%s: %+v", where, o)
		}
		if o := do(t, "cat", "--where", where, "--format", "csv", in); o.code != 0 || fmt.Sprintln(strings.Count(o.out, "\n")-1) != n {
			t.Errorf("%s: %+v", where, o)
		}
	}
	if o := do(t, "tail", "-n", "1", "--format", "csv", in); o.code != 0 || o.out != "w\n2-99\n" {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "convert", in, filepath.Join(dir, "out.arrow")), 1, "column w", "more values than their indices can number", "a stream (.arrows) can hold them")
}
