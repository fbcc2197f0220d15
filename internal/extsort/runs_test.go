package extsort

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Each combination of values of the keys is one run, nulls are a value.
func TestRuns(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(
		`[{"n": 2, "s": "a"}, {"n": 1, "s": "b"}, {}, {"n": 1, "s": "a"}, {"n": 2}, {"n": 1, "s": "a"}, {}, {"n": 2, "s": "a"}, {}, {"n": 1, "s": "a"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	s, err := New(schema, []Key{{Column: "n"}, {Column: "s"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = s.Each(t.Context(), func(rec arrow.Record) error {
		return Runs(rec.Columns(), int(rec.NumRows()), func(from, to int) error {
			got = append(got, fmt.Sprintf("%d × %s %s", to-from, rec.Column(0).ValueStr(from), rec.Column(1).ValueStr(from)))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"3 × 1 a", "1 × 1 b", "2 × 2 a", "1 × 2 (null)", "3 × (null) (null)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
