// Iceberg gives the rows of a file in any readable format to iceberg-go, whose tables take Arrow of v18: it derives an Iceberg schema
// from the columns, and adds up what a table's Append would be given.
//
//	go -C arrowio/arrow18/examples run ./iceberg ../../../testdata/orc/java-2.3.1/pruning.orc
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/iceberg-go/table"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: iceberg FILE")
		os.Exit(2)
	}
	if err := describe(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func describe(ctx context.Context, w io.Writer, path string) error {
	f, err := readers.OpenFile(ctx, path, readers.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	scan, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{"id__mono"}})
	if err != nil {
		return err
	}
	defer scan.Release()
	rows, err := arrow18.ToReader(scan)
	if err != nil {
		return err
	}
	defer rows.Release() // or table.Transaction.Append(ctx, rows, …) reads it
	schema, err := table.ArrowSchemaToIcebergWithFreshIDs(rows.Schema(), true)
	if err != nil {
		return err
	}
	for _, field := range schema.Fields() {
		fmt.Fprintf(w, "%d %s: %s\n", field.ID, field.Name, field.Type)
	}
	n := int64(0)
	for rows.Next() {
		n += rows.RecordBatch().NumRows()
	}
	fmt.Fprintln(w, n, "rows")
	return rows.Err()
}
