// Filter adds up a column over the rows that satisfy a condition. What statistics, indexes and bloom filters rule out is
// never read.
//
//	go run ./examples/filter testdata/orc/java-2.3.1/pruning.orc "id__mono >= 7500" id__mono
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: filter FILE CONDITION COLUMN")
		os.Exit(2)
	}
	if err := sum(context.Background(), os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func sum(ctx context.Context, w io.Writer, path, where, column string) error {
	filter, err := expr.Parse(where)
	if err != nil {
		return err
	}
	// A dataset is a file, or all files of a directory or a pattern, read as one.
	ds, err := readers.OpenDataset(ctx, []string{path}, readers.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = ds.Close() }() // only read
	rows, err := ds.Scan(ctx, arrowio.ScanOptions{Columns: []string{column}, Filter: filter})
	if err != nil {
		return err
	}
	defer rows.Release()
	n, total := int64(0), int64(0)
	for rows.Next() {
		values, ok := rows.Record().Column(0).(*array.Int64)
		if !ok {
			return fmt.Errorf("%s is %s, not int64", column, rows.Record().Column(0).DataType())
		}
		for i, v := range values.Int64Values() {
			if values.IsValid(i) {
				total += v
			}
		}
		n += rows.Record().NumRows()
	}
	fmt.Fprintf(w, "%d rows, sum %d\n", n, total)
	return rows.Err()
}
