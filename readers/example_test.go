package readers_test

import (
	"context"
	"fmt"
	"log"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers"
)

// A file is opened, told by its content, and scanned: the wanted columns of the rows that satisfy a filter.
func ExampleOpenFile() {
	ctx := context.Background()
	f, err := readers.OpenFile(ctx, "../testdata/trevni/java-1.12.1/avro-nested.trv", readers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	filter, err := expr.Parse("b.c = -1")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{"b.d", "a.e"}, Filter: filter})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	for rows.Next() {
		rec := rows.Record() // valid until the next Next
		fmt.Println(rec.Schema().Field(0).Name, rec.NumCols(), "columns,", rec.NumRows(), "rows")
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output: b 2 columns, 5 rows
}
