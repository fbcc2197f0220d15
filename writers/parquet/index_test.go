package parquet

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	schema18 "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// opened opens what was written with the reader of arrow-go.
func opened(t *testing.T, objects map[string][]byte) *file.Reader {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(objects["part-00000.parquet"]))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestPageIndex compares page indexes, as arrow-go reads them, with the rows.
func TestPageIndex(t *testing.T) {
	const rows, pageRows = 1000, 70
	mem := memory.NewGoAllocator()
	n, s := array.NewInt64Builder(mem), array.NewStringBuilder(mem)
	for i := range rows {
		if i >= 2*pageRows && i < 3*pageRows || i%10 == 3 {
			n.AppendNull()
		} else {
			n.Append(int64(i - 500))
		}
		s.Append(fmt.Sprintf("%05d", rows-i))
	}
	rec := recordOf(n.NewArray(), s.NewArray())
	for _, dictionary := range []string{"*", "none"} {
		objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{
			"parquet-page-index": "yes", "parquet-page-rows": fmt.Sprint(pageRows), "parquet-dictionary": dictionary,
		}})
		if err != nil {
			t.Fatal(err)
		}
		group, err := opened(t, objects).GetPageIndexReader().RowGroup(0)
		if err != nil {
			t.Fatal(err)
		}
		for c, order := range []string{"ASCENDING", "DESCENDING"} {
			offsets, err := group.GetOffsetIndex(c)
			if err != nil {
				t.Fatal(err)
			}
			x, err := group.GetColumnIndex(c)
			if err != nil {
				t.Fatal(err)
			}
			pages := offsets.GetPageLocations()
			if want := (rows + pageRows - 1) / pageRows; len(pages) != want || len(x.GetNullPages()) != want {
				t.Fatalf("%d pages, bounds of %d, want %d", len(pages), len(x.GetNullPages()), want)
			}
			if got := x.GetBoundaryOrder().String(); got != order {
				t.Errorf("column %d: order %s", c, got)
			}
			for i, p := range pages {
				if p.FirstRowIndex != int64(i*pageRows) {
					t.Errorf("page %d begins with row %d", i, p.FirstRowIndex)
				}
				if null := c == 0 && i == 2; x.GetNullPages()[i] != null {
					t.Errorf("column %d, page %d: null %v", c, i, !null)
				}
				if got, want := string(x.GetMaxValues()[i]), fmt.Sprintf("%05d", rows-i*pageRows); c == 1 && got != want {
					t.Errorf("page %d: %q is the largest, want %q", i, got, want)
				}
				if nulls := x.GetNullCounts()[i]; c == 0 && i == 0 && nulls != 7 {
					t.Errorf("page %d has %d nulls", i, nulls)
				}
			}
		}
	}
}

func TestSortingIsNoted(t *testing.T) {
	by := []arrowio.SortedColumn{{Column: "b", Descending: true, NullsFirst: true}, {Column: "a"}}
	objects, err := writeSorted(Format(), []arrow.Record{randomNumbers(10)}, arrowio.WriteOptions{}, by)
	if err != nil {
		t.Fatal(err)
	}
	got := opened(t, objects).MetaData().RowGroups[0].SortingColumns
	if len(got) != 2 || got[0].ColumnIdx != 1 || !got[0].Descending || !got[0].NullsFirst || got[1].ColumnIdx != 0 || got[1].Descending || got[1].NullsFirst {
		t.Errorf("sorted by %v", got)
	}
}

func TestFieldIDs(t *testing.T) {
	id := func(n string) arrow.Metadata { return arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{n}) }
	item := arrow.Field{Name: "item", Type: arrow.PrimitiveTypes.Int32, Nullable: true, Metadata: id("7")}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Metadata: id("1")},
		{Name: "l", Type: arrow.ListOfField(item), Nullable: true, Metadata: id("6")},
		{Name: "none", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	objects, err := write([]arrow.Record{b.NewRecord()}, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	root := opened(t, objects).MetaData().Schema.Root()
	list := root.Field(1).(*schema18.GroupNode)
	for i, want := range []int32{1, 6, -1} {
		if got := root.Field(i).FieldID(); got != want {
			t.Errorf("%s has id %d, want %d", root.Field(i).Name(), got, want)
		}
	}
	if got := list.Field(0).(*schema18.GroupNode).Field(0).FieldID(); got != 7 {
		t.Errorf("the items have id %d", got)
	}
}
