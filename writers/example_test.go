package writers_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/writers"
)

// Batches become a file, whose format its name tells. The file is there once Close has succeeded, and not before.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "arrowio")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "numbers.trv")

	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	rec := b.NewRecord()
	defer rec.Release()

	w, err := writers.Create(context.Background(), path, schema, writers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		log.Fatal(err)
	}
	_, before := os.Stat(path)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	_, after := os.Stat(path)
	fmt.Println(os.IsNotExist(before), after)
	// Output: true <nil>
}
