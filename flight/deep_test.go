package flight

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// Columns that are nested 64 deep come through Flight as they are read without it. Deeper ones are sent, and Arrow's client for Go, as those
// for C++ and Python, refuses them.
func TestDeepColumns(t *testing.T) {
	for depth, refused := range map[int]string{64: "", 100: "nested type limit reached"} {
		deepColumns(t, depth, refused)
	}
}

func deepColumns(t *testing.T, depth int, refused string) {
	t.Helper()
	lists, structs := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32
	for range depth - 1 {
		lists = arrow.ListOf(lists)
		structs = arrow.StructOf(arrow.Field{Name: "a", Type: structs, Nullable: true})
	}
	rec := recordOf(t, `[{"l": `+strings.Repeat("[", depth-1)+"7"+strings.Repeat("]", depth-1)+`, "s": `+strings.Repeat(`{"a":`, depth-1)+"8"+strings.Repeat("}", depth-1)+`}, {}]`,
		arrow.Field{Name: "l", Type: lists, Nullable: true}, arrow.Field{Name: "s", Type: structs, Nullable: true})
	dir := t.TempDir()
	specs := map[string]Spec{}
	for _, ending := range []string{"orc", "trv", "arrow", "parquet"} {
		name := filepath.Join(dir, "deep."+ending)
		write(t, name, []arrow.Record{rec}, nil)
		specs[ending] = Spec{Paths: []string{name}}
	}
	c := start(t, Options{}, specs).client(t)
	for ending, s := range specs {
		if refused != "" {
			if got := get(t.Context(), t, c, []byte(`{"dataset":"`+ending+`"}`)); got.err == nil || !strings.Contains(got.err.Error(), refused) {
				t.Errorf("%d deep, %s: %d rows, %v", depth, ending, got.rows(), got.err)
			}
			continue
		}
		_, got := getAll(t.Context(), t, c, pathOf(ending))
		want := scanned(t, s.Paths, arrowio.ScanOptions{Allocator: memory.DefaultAllocator})
		if got.err != nil || got.rows() != 2 {
			t.Errorf("%s: %d rows, %v", ending, got.rows(), got.err)
			continue
		}
		sameRows(t, got, want)
		if v := got.recs[0].Column(0).ValueStr(0); v != rec.Column(0).ValueStr(0) {
			t.Errorf("%s: %s", ending, v)
		}
	}
}
