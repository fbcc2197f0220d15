//go:build interop && churn

package hivetable_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

// These run by hand, with the tag churn: on a busy machine a read while Hive 3 compacts has found no rows, for a reason that is not known yet.

// TestCompacted reads an ACID table again and again while Hive's writers update all its rows in transactions, some of which are aborted, and while
// its directories are compacted, and the old ones deleted: see Churn.java. All rows must have one number, that of a transaction which was the last
// one when the table was opened, or later.
func TestCompacted(t *testing.T) { compacted(t, metastorefake.StartHive(t, t.TempDir(), 0)) }

// TestCompacted4 is TestCompacted with the metastore of Hive 4.
func TestCompacted4(t *testing.T) { compacted(t, metastorefake.StartHive4(t, t.TempDir(), 0)) }

func compacted(t *testing.T, hive *metastorefake.Hive) {
	state := func(what string) (committed, compactions int) {
		if _, err := fmt.Sscan(strings.Join(hive.Ask(t, "churn "+what), ""), &committed, &compactions); err != nil {
			t.Fatal(err)
		}
		return committed, compactions
	}
	state("begin")
	for first := 0; first == 0; first, _ = state("state") {
		time.Sleep(100 * time.Millisecond)
	}
	read, refused, compactions, last := 0, 0, 0, 0
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until) || compactions < 10 || read < 20; {
		var before int
		before, compactions = state("state")
		rows, err := scanned(t, hive.URL+"churn")
		if err != nil {
			if !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			refused++
			if refused > 200 {
				t.Fatal(err)
			}
			continue
		}
		after, _ := state("state")
		read++
		number := -1
		for id, n := range rows {
			if number < 0 {
				number = n
			}
			if n != number {
				t.Fatalf("row %d is of transaction %d, and another one of %d: %v", id, n, number, rows)
			}
		}
		if len(rows) != 40 || number < max(before, last) || number > after+1 { // of the next one it may not be told yet
			t.Fatalf("%d rows of transaction %d; the last one was %d before and %d after, and %d was read", len(rows), number, before, after, last)
		}
		last = number
	}
	state("end")
	t.Logf("read %d times, refused %d times, %d compactions", read, refused, compactions)
	if refused > read {
		t.Error("most reads failed")
	}
}

// scanned returns the numbers of the rows of the table churn, by their ids.
func scanned(t *testing.T, url string) (map[int]int, error) {
	d, err := readers.OpenDataset(t.Context(), []string{url}, readers.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	s, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Release()
	rows := map[int]int{}
	for s.Next() {
		ids, numbers := s.Record().Column(0).(*array.Int64), s.Record().Column(1).(*array.Int64)
		for i := range ids.Len() {
			if _, twice := rows[int(ids.Value(i))]; twice {
				t.Fatalf("row %d comes twice", ids.Value(i))
			}
			rows[int(ids.Value(i))] = int(numbers.Value(i))
		}
	}
	return rows, s.Err()
}
