// Write makes an ORC file of two batches. The file appears under its name when it is complete, and not before.
//
//	go run ./examples/write squares.orc
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write OUT.orc")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	{Name: "square", Type: arrow.PrimitiveTypes.Int64},
}, nil)

func write(ctx context.Context, path string) error {
	// The format is that of the name's ending; options are those of the command line.
	w, err := writers.Create(ctx, path, schema, writers.Options{
		Write: arrowio.WriteOptions{Compression: "zstd", Options: map[string]string{"orc-bloom": "n"}},
	})
	if err != nil {
		return err
	}
	for first := int64(0); first < 20_000; first += 10_000 {
		if err := writeBatch(w, first, 10_000); err != nil {
			return errors.Join(err, w.Abort()) // nothing is left
		}
	}
	return w.Close()
}

func writeBatch(w arrowio.Writer, first, n int64) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	numbers, squares := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Int64Builder)
	for i := first; i < first+n; i++ {
		numbers.Append(i)
		squares.Append(i * i)
	}
	rec := b.NewRecord()
	defer rec.Release()
	return w.Write(rec)
}
