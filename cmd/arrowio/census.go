package main

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// piece is a range of the rows of a file, and how many of them satisfy the filter.
type piece struct {
	fragment int // of the dataset
	rows     arrowio.RowRange
	matches  int64
}

// countOptions are the options of a scan that counts rows: it reads only the columns of the filter.
func countOptions(o arrowio.ScanOptions) arrowio.ScanOptions {
	o.Columns = []string{}
	return o
}

// pieces runs a counting scan and returns the ranges of files that its rows are in.
func pieces(rr *arrowio.Scanner, bar *progress) ([]piece, error) {
	defer rr.Release()
	var out []piece
	var rows int64
	for rr.Next() {
		n, at := rr.Record().NumRows(), rr.Place()
		rows += n
		bar.set(rows)
		out = append(out, piece{at.Fragment, at.Rows, n})
	}
	return out, rr.Err()
}

// withFragment runs fn on a file of a dataset, shown as the dataset shows it.
func withFragment(ctx context.Context, ds *dataset.Dataset, i int, fn func(arrowio.File) error) error {
	fr := ds.Fragments[i]
	named := func(err error) error {
		if err != nil {
			err = fmt.Errorf("%s: %w", fr.Name, err)
		}
		return err
	}
	f, err := fr.Open(ctx)
	if err != nil {
		return named(err)
	}
	shown, err := ds.Show(f)
	if err != nil {
		_ = f.Close() // it was not read
		return named(err)
	}
	defer shown.Close() // it was only read
	return named(fn(shown))
}

// streamed reports whether the number of rows of a file is not known before it is read.
func streamed(f arrowio.File) bool {
	splits := f.Splits()
	return len(splits) > 0 && !splits[len(splits)-1].Known()
}

// from returns the dataset that begins with file i.
func from(ds *dataset.Dataset, i int) *dataset.Dataset {
	rest := *ds
	rest.Fragments = rest.Fragments[i:]
	return &rest
}

// eachRow calls fn with the records of a scan, and the number of the first row of each among the rows of the scan.
func eachRow(rr *arrowio.Scanner, fn func(rec arrow.Record, first int64) error) error {
	defer rr.Release()
	var rows int64
	for rr.Next() {
		rec := rr.Record()
		if err := fn(rec, rows); err != nil {
			return err
		}
		rows += rec.NumRows()
	}
	return rr.Err()
}
