// Read prints the columns of a file in any readable format, and how many rows and batches it has.
//
//	go run ./examples/read testdata/orc/java-2.3.1/pruning.orc
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: read FILE")
		os.Exit(2)
	}
	if err := read(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func read(ctx context.Context, w io.Writer, path string) error {
	f, err := readers.OpenFile(ctx, path, readers.Options{}) // told by its content
	if err != nil {
		return err
	}
	defer f.Close()
	for _, field := range f.Schema().Fields() {
		fmt.Fprintf(w, "%s: %s\n", field.Name, field.Type)
	}

	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{}) // all columns, on all cores, in order
	if err != nil {
		return err
	}
	defer rows.Release()
	n, batches := int64(0), 0
	for rows.Next() {
		rec := rows.Record() // an arrow.Record, valid until the next Next; Retain keeps it
		n += rec.NumRows()
		batches++
	}
	fmt.Fprintf(w, "%d rows in %d batches\n", n, batches)
	return rows.Err()
}
