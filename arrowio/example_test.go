package arrowio_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
)

// A scan of a file: all columns, with workers of its own, in the order of rows.
func ExampleScan() {
	ctx := context.Background()
	f, err := readers.OpenFile(ctx, "../testdata/trevni/java-1.12.1/avro-nested.trv", readers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{BatchRows: 4})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	n := int64(0)
	for rows.Next() {
		n += rows.Record().NumRows() // the record is valid until the next Next
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "rows")
	// Output: 80 rows
}

// As finds what a file can do beside reading, whatever it is wrapped in.
func ExampleAs() {
	ctx := context.Background()
	f, err := readers.OpenFile(ctx, "../testdata/trevni/java-1.12.1/avro-nested.trv", readers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	v, ok := arrowio.As[arrowio.Verifier](f)
	fmt.Println(ok, v != nil)
	// Output: true true
}

// A projection tells which columns a reader decodes.
func ExampleProject() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "point", Type: arrow.StructOf(
			arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
			arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64},
		)},
	}, nil)
	p, err := arrowio.Project(schema, []string{"point.y"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Schema.Field(0))
	// Output: point: type=struct<y: float64>
}
