//go:build duckdb_arrow

// Duckdb answers SQL over the rows of a file in any readable format by database/sql and DuckDB's driver, in two ways. The rows of a
// scan are a view of one connection, without a copy: what the query needs of columns and rows is said to the scan. Or DuckDB
// loads arrowio's extension and opens files itself.
//
//	go -C arrowio/arrow18/examples run -tags duckdb_arrow ./duckdb ../../../testdata/orc/java-2.3.1/pruning.orc
//	go -C arrowio/arrow18/examples run -tags duckdb_arrow ./duckdb ../../../testdata/orc/java-2.3.1/pruning.orc arrowio.duckdb_extension
//
// The driver has its interface of Arrow with the tag duckdb_arrow alone.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/readers"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: duckdb FILE [EXTENSION]")
		os.Exit(2)
	}
	var err error
	if len(os.Args) > 2 {
		err = loaded(context.Background(), os.Stdout, os.Args[1], os.Args[2])
	} else {
		err = viewed(context.Background(), os.Stdout, os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// viewed makes the rows of a scan a view, which one query reads once: a statement that names it twice needs two scans.
func viewed(ctx context.Context, w io.Writer, path string) (err error) {
	f, err := readers.OpenFile(ctx, path, readers.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	filter, err := expr.Parse("id__mono < 5000")
	if err != nil {
		return err
	}
	scan, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{"id__mono"}, Filter: filter})
	if err != nil {
		return err
	}
	defer scan.Release()
	rows, err := arrow18.ToReader(scan) // DuckDB's driver speaks Arrow v18
	if err != nil {
		return err
	}
	defer rows.Release()

	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx) // a view is of one connection
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var release func()
	err = conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		release, err = a.RegisterView(rows, "numbers")
		return err
	})
	if err != nil {
		return err
	}
	defer release()
	return report(conn.QueryRowContext(ctx, "SELECT count(*), max(id__mono) FROM numbers"), w)
}

// loaded lets DuckDB open the files by the extension, which `make duckdb-extension` makes.
func loaded(ctx context.Context, w io.Writer, path, extension string) (err error) {
	db, err := sql.Open("duckdb", "?allow_unsigned_extensions=true")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "LOAD '"+strings.ReplaceAll(extension, "'", "''")+"'"); err != nil {
		return err
	}
	return report(db.QueryRowContext(ctx, "SELECT count(*), max(id__mono) FROM read_orc(?, filter := 'id__mono < 5000')", path), w)
}

func report(row *sql.Row, w io.Writer) error {
	var n, greatest int64
	if err := row.Scan(&n, &greatest); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d rows to %d\n", n, greatest)
	return err
}
