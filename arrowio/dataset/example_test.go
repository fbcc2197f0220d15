package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers"
)

// The files of a directory become one dataset. Names such as year=2024 become a column; a filter on it leaves the other
// directories out without opening their files.
func ExampleOpenAll() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"year=2023/a.csv": "id\n1\n2\n",
		"year=2024/a.csv": "id\n3\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	filter, err := expr.Parse("year = 2024")
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.OpenAll(ctx, []string{dir}, dataset.Options{Formats: readers.All(), Filter: filter})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	rows, err := d.Scan(ctx, arrowio.ScanOptions{Filter: filter})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	for rows.Next() {
		rec := rows.Record()
		for i, f := range rec.Schema().Fields() {
			fmt.Println(f.Name, rec.Column(i))
		}
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// id [3]
	// year [2024]
}
