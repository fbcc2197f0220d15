//go:build !assert

package arrow18_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	ipc18 "github.com/apache/arrow-go/v18/arrow/ipc"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/orc"
)

// scan begins a scan of an ORC file and returns it as a reader of v18. The reader keeps the scan; close closes the file.
func scan(ctx context.Context, columns ...string) (r array18.RecordReader, closeFile func(), err error) {
	f, err := readers.OpenFile(ctx, "../../testdata/orc/java-2.3.1/pruning.orc", readers.Options{})
	if err != nil {
		return nil, nil, err
	}
	filter, err := expr.Parse("id__mono < 5000")
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: columns, Filter: filter})
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	defer rows.Release() // the reader holds the scan from here on
	if r, err = arrow18.ToReader(rows); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return r, func() { f.Close() }, nil
}

// A scan is a record reader of v18: here v18 writes it as an Arrow IPC stream.
func ExampleToReader() {
	r, closeFile, err := scan(context.Background(), "id__mono")
	if err != nil {
		log.Fatal(err)
	}
	defer closeFile()
	defer r.Release()
	var out bytes.Buffer
	w := ipc18.NewWriter(&out, ipc18.WithSchema(r.Schema()))
	for r.Next() {
		if err := w.Write(r.RecordBatch()); err != nil {
			log.Fatal(err)
		}
	}
	if err := errors.Join(r.Err(), w.Close()); err != nil {
		log.Fatal(err)
	}

	again, err := ipc18.NewReader(&out)
	if err != nil {
		log.Fatal(err)
	}
	defer again.Release()
	n := int64(0)
	for again.Next() {
		n += again.RecordBatch().NumRows()
	}
	fmt.Println(again.Schema().Field(0).Name, n)
	// Output: id__mono 1667
}

// v18's own writer of Parquet takes what arrowio reads.
func ExampleToReader_parquet() {
	r, closeFile, err := scan(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeFile()
	defer r.Release()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(r.Schema(), &out, nil, pqarrow.DefaultWriterProps())
	if err != nil {
		log.Fatal(err)
	}
	for r.Next() {
		if err := w.Write(r.RecordBatch()); err != nil {
			log.Fatal(err)
		}
	}
	if err := errors.Join(r.Err(), w.Close()); err != nil {
		log.Fatal(err)
	}

	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(f.NumRows(), "rows of", f.MetaData().Schema.NumColumns(), "columns")
	// Output: 1667 rows of 12 columns
}

// What v18 makes is written in any format of arrowio.
func ExampleFromReader() {
	b := array18.NewRecordBuilder(memory18.DefaultAllocator, v18.NewSchema([]v18.Field{{Name: "n", Type: v18.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	b.Field(0).(*array18.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	rec := b.NewRecordBatch()
	defer rec.Release()
	source, err := array18.NewRecordReader(b.Schema(), []v18.RecordBatch{rec})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Release()

	rows, err := arrow18.FromReader(source)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Release()
	store := local.NewMemStore()
	report, err := convert.Write(context.Background(), rows, orc.Format(), store, convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Rows, "rows,", len(store.Objects()), "file")
	// Output: 3 rows, 1 file
}
