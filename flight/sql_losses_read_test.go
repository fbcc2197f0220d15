package flight

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// Whether values come back as ones of another kind is read from the words of plans: they are true of what is written and read.
func TestKindsThatComeBack(t *testing.T) {
	micros := &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		of   arrow.DataType
		json string
	}{
		{arrow.FixedWidthTypes.Boolean, `[true, false]`},
		{arrow.PrimitiveTypes.Int8, `[1, -2]`},
		{arrow.PrimitiveTypes.Uint32, `[1, 4000000000]`},
		{arrow.PrimitiveTypes.Uint64, `[1, 2]`},
		{arrow.PrimitiveTypes.Float32, `[1.5, 2.5]`},
		{arrow.PrimitiveTypes.Float64, `[1.5, 2.5]`},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.50", "2.25"]`},
		{arrow.BinaryTypes.LargeString, `["x y", "z"]`},
		{arrow.BinaryTypes.Binary, `["AAH/", "AQ=="]`},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["q80=", "q80="]`},
		{arrow.FixedWidthTypes.Date32, `["2024-02-29", "1969-12-31"]`},
		{arrow.FixedWidthTypes.Date64, `["2024-02-29", "1969-12-31"]`},
		{arrow.FixedWidthTypes.Time32ms, `["01:02:03.004", "01:02:03"]`},
		{arrow.FixedWidthTypes.Time64us, `["01:02:03.004", "01:02:03"]`},
		{arrow.FixedWidthTypes.Time64ns, `["01:02:03.004", "01:02:03"]`},
		{micros, `["2024-02-29 12:34:56.789012", "2024-02-29 12:34:56"]`},
		{arrow.FixedWidthTypes.Timestamp_us, `["2024-02-29 12:34:56.789012", "2024-02-29 12:34:56"]`},
		{&arrow.DurationType{Unit: arrow.Microsecond}, `["5us", "6us"]`},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, 2], [3]]`},
		{arrow.ListOf(arrow.FixedWidthTypes.Date32), `[["2024-02-29"], ["1969-12-31"]]`},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `[[1, 2], [3, 4]]`},
		{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), `[{"a": 1}, {"a": 2}]`},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), `[[{"key": "x", "value": 1}], [{"key": "y", "value": 2}]]`},
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.of, Nullable: true}}, nil)
		column, _, err := array.FromJSON(memory.DefaultAllocator, c.of, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(c.of, err)
		}
		rec := array.NewRecord(schema, []arrow.Array{column}, int64(column.Len()))
		column.Release()
		defer rec.Release()
		for _, f := range writers.All() {
			plan, err := f.Plan(schema, arrowio.WriteOptions{})
			if f.Directory || err != nil { // what it refuses does not come back
				continue
			}
			path := filepath.Join(t.TempDir(), "x"+f.Extensions[0])
			w, err := writers.Create(t.Context(), path, schema, writers.Options{Format: f.Name})
			if err != nil {
				t.Fatal(f.Name, c.of, err)
			}
			if err := w.Write(rec); err != nil {
				t.Fatal(f.Name, c.of, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(f.Name, c.of, err)
			}
			d, err := readers.OpenDataset(t.Context(), []string{path}, readers.Options{})
			if err != nil {
				t.Fatal(f.Name, c.of, err)
			}
			back := d.Schema.Field(0).Type
			refused := keepsKinds(f.Name, plan)
			if got := otherKinds(c.of, back); got != (refused != nil) && !(kindOf(c.of.String()) == "text" && textsRead(plan) != "") {
				t.Errorf("%s: %s comes back as %s: %v, and the plan says %q: %v", f.Name, c.of, back, got, plan.Columns[0].Loss, refused)
			}
		}
	}
}

// otherKinds reports whether values of two types, or some inside of them, are of different kinds.
func otherKinds(a, b arrow.DataType) bool {
	if kindOf(a.String()) != kindOf(b.String()) {
		return true
	}
	x, ok := a.(arrow.NestedType)
	y, also := b.(arrow.NestedType)
	if !ok || !also {
		return false
	}
	for i, f := range x.Fields() {
		if otherKinds(f.Type, y.Fields()[i].Type) {
			return true
		}
	}
	return false
}
