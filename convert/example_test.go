package convert_test

import (
	"context"
	"fmt"
	"log"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

func ExampleConvert() {
	ctx := context.Background()
	src := local.NewBytesSource([]byte("city,people\nGhent,265086\nBruges,118656\nLeuven,102851\n"))
	file, err := readers.Open(ctx, src, "cities.csv", readers.Options{})
	if err != nil {
		log.Fatal(err)
	}
	cities := dataset.FromFile("cities.csv", file)
	defer cities.Close()
	jsonl, err := writers.Lookup("jsonl")
	if err != nil {
		log.Fatal(err)
	}
	large, err := expr.Parse("people > 110000")
	if err != nil {
		log.Fatal(err)
	}
	store := local.NewMemStore() // local.NewFileStore for a file
	report, err := convert.Convert(ctx, cities, jsonl, store, convert.Options{Scan: arrowio.ScanOptions{Filter: large}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Rows, "rows")
	for _, object := range store.Objects() {
		fmt.Print(string(object))
	}
	// Output:
	// 2 rows
	// {"city":"Ghent","people":265086}
	// {"city":"Bruges","people":118656}
}
