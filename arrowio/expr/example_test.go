package expr_test

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

func Example() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "price", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	e, err := expr.Parse(`price > 9.50 AND city LIKE 'B%'`)
	if err != nil {
		panic(err)
	}
	b, err := expr.Bind(e, schema)
	if err != nil {
		panic(err)
	}

	// A block whose prices go up to 9 cannot hold a row that passes.
	block := expr.StatsOnly{Min: scalar.NewInt32Scalar(1), Max: scalar.NewInt32Scalar(9), Rows: 1000}
	can := b.Test(func(col string) expr.Evidence {
		if col == "price" {
			return block
		}
		return nil
	})
	fmt.Println("skip the block:", can.Skip())

	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(
		`[{"price": 10, "city": "Bern"}, {"price": 11, "city": "Basel"}, {"price": 9, "city": "Biel"}, {"price": 12}, {"price": 12, "city": "Brig"}]`))
	if err != nil {
		panic(err)
	}
	defer rec.Release()
	mask, err := b.Mask(rec)
	if err != nil {
		panic(err)
	}
	defer mask.Release()
	fmt.Println(mask)
	for start, end := range expr.Runs(mask) {
		fmt.Println("rows", start, "to", end)
	}
	// Output:
	// skip the block: true
	// [true true false (null) true]
	// rows 0 to 2
	// rows 4 to 5
}

func ExampleParse() {
	_, err := expr.Parse("price > AND city = 'Bern'")
	fmt.Println(err)
	// Output: at character 9, near "AND city = 'Bern'": expected a value or a column after >, found "AND"
}
