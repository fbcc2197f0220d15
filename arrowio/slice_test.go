package arrowio

import (
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowcheck"
)

// Parts of arrays with nulls below may be read while others are cut: the race detector watches.
func TestSlice(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	list := arrow.ListOf(arrow.Null)
	for _, c := range []struct {
		t    arrow.DataType
		json string
	}{
		{arrow.Null, `[null, null, null]`},
		{list, `[[null, null], null, [null]]`},
		{arrow.StructOf(arrow.Field{Name: "x", Type: list, Nullable: true}), `[{"x": [null]}, {"x": null}, null]`},
		{arrow.DenseUnionOf([]arrow.Field{{Name: "n", Type: arrow.Null}, {Name: "i", Type: arrow.PrimitiveTypes.Int32}}, []arrow.UnionTypeCode{0, 1}), `[[0, null], [1, 5], [0, null]]`},
		{arrow.BinaryTypes.String, `["a", null, "b"]`},
	} {
		a, _, err := array.FromJSON(mem, c.t, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for from := range int64(3) {
			part := array.NewSlice(a, from, 3)
			want = append(want, part.String())
			part.Release()
		}
		var readers sync.WaitGroup
		for from := range int64(3) {
			part := slice(a, from, 3)
			readers.Go(func() {
				defer part.Release()
				if err := arrowcheck.Data(part.Data()); err != nil || part.String() != want[from] {
					t.Errorf("%s: %v, want %s; %v", c.t, part, want[from], err)
				}
			})
		}
		readers.Wait()
		a.Release()
	}
}
