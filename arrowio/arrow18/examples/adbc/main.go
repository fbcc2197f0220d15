//go:build cgo && (linux || darwin)

// Adbc puts the rows of a file in any readable format into a table of a database by ADBC's driver manager, and asks for them again. The
// driver is a shared library, here that of Flight SQL, which `arrowio serve --writable numbers=DIR` answers:
//
//	pip install adbc-driver-flightsql
//	go -C arrowio/arrow18/examples run ./adbc libadbc_driver_flightsql.so grpc://127.0.0.1:8815 ../../../testdata/orc/java-2.3.1/pruning.orc
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-adbc/go/adbc/drivermgr"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: adbc DRIVER URI FILE")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, driver, uri, path string) (err error) {
	db, err := drivermgr.Driver{}.NewDatabaseWithContext(ctx, map[string]string{"driver": driver, adbc.OptionKeyURI: uri})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := put(ctx, conn, path); err != nil {
		return err
	}
	return ask(ctx, conn, w)
}

// put makes the table numbers of a column of the file.
func put(ctx context.Context, conn adbc.Connection, path string) (err error) {
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
	rows, err := arrow18.ToReader(scan) // ADBC speaks Arrow v18
	if err != nil {
		return err
	}
	defer rows.Release()

	statement, err := conn.NewStatement()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	for _, o := range [][2]string{{adbc.OptionKeyIngestTargetTable, "numbers"}, {adbc.OptionKeyIngestMode, adbc.OptionValueIngestModeReplace}} {
		if err := statement.SetOption(o[0], o[1]); err != nil {
			return err
		}
	}
	if err := statement.BindStream(ctx, rows); err != nil {
		return err
	}
	_, err = statement.ExecuteUpdate(ctx)
	return err
}

func ask(ctx context.Context, conn adbc.Connection, w io.Writer) (err error) {
	statement, err := conn.NewStatement()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	if err := statement.SetSqlQuery("SELECT id__mono FROM numbers WHERE id__mono < 5000"); err != nil {
		return err
	}
	rows, _, err := statement.ExecuteQuery(ctx)
	if err != nil {
		return err
	}
	defer rows.Release()
	var n int64
	for rows.Next() {
		n += rows.RecordBatch().NumRows()
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d rows\n", n)
	return err
}
