//go:build cgo

// Handover gives the rows of a file to another runtime in the same process through Arrow's C stream interface, without a
// copy: here, for want of one, Go is on the other side as well.
//
//	go run ./examples/handover testdata/orc/java-2.3.1/pruning.orc
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/arrow/go/v15/arrow/cdata"
	"github.com/apache/arrow/go/v15/arrow/memory/mallocator"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: handover FILE")
		os.Exit(2)
	}
	if err := handOver(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func handOver(ctx context.Context, w io.Writer, path string) error {
	f, err := readers.OpenFile(ctx, path, readers.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	// What another runtime is to own must not be Go's memory: the garbage collector does not see references from there.
	mem := mallocator.NewMallocator()
	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Allocator: mem})
	if err != nil {
		return err
	}
	var stream cdata.CArrowArrayStream // struct ArrowArrayStream of the C interface
	cdata.ExportRecordReader(rows, &stream)
	rows.Release() // the stream keeps it

	n, err := consume(&stream)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d rows handed over, %d bytes not given back\n", n, mem.AllocatedBytes())
	return nil
}

// consume is the other side. It releases the stream.
func consume(stream *cdata.CArrowArrayStream) (int64, error) {
	r, err := cdata.ImportCRecordReader(stream, nil)
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for {
		rec, err := r.Read() // which gives the one before back
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += rec.NumRows()
	}
}
