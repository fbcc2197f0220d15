package parquet

import (
	"os"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// Nulls of text in structs are counted as pyarrow reads them; entries of empty and null lists are not told as null elements, whose
// number no statistics tell.
func TestNullsOfNestedColumns(t *testing.T) {
	data, err := os.ReadFile("../../testdata/parquet/pyarrow-26.0.1/nested.parquet")
	if err != nil {
		t.Fatal(err)
	}
	file, err := openBytes(data, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := file.(*parquetFile)
	if s, err := f.Summary(t.Context(), "wide.s"); err != nil || s.Nulls != 4 {
		t.Errorf("wide.s: %+v, %v", s, err)
	}
	info, err := f.Info(t.Context(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]int64{"wide.s": {16, 4}, "wide.p.q": {11, 9}, "wide.p.r.list.element": {4, -1}, "lists.list.element.list.element": {17, -1}}
	for _, c := range info.Columns {
		if w, ok := want[c.Path]; ok && (c.Stats == nil || c.Stats.Values != w[0] || c.Stats.Nulls != w[1]) {
			t.Errorf("%s: %+v, want %d", c.Path, c.Stats, w)
		}
	}
}
