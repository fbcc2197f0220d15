package cfile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers/cfile"
)

func ExampleOpen() {
	src, err := local.OpenFile("../../testdata/cfile/kudu-1.17.1/all-null-int32-plain.cfile")
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	f, err := cfile.Open(context.Background(), src, arrowio.Limits{}, cfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(f.Schema().Field(0).Type)
	// Output: int32
}
