//go:build interop

package hivetable_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

// TestCompacted reads an ACID table again and again while Hive's writers update all its rows in transactions, some of which are aborted, and while
// its directories are compacted, and the old ones deleted, with pauses wherever a reader may see a part of that: see Churn.java. All rows must have
// one number, that of a transaction which was the last one when the table was opened, or later.
func TestCompacted(t *testing.T) {
	dir := t.TempDir()
	compacted(t, dir, metastorefake.StartHive(t, dir, 0))
}

// TestCompacted4 is TestCompacted with the metastore of Hive 4.
func TestCompacted4(t *testing.T) {
	dir := t.TempDir()
	compacted(t, dir, metastorefake.StartHive4(t, dir, 0))
}

func compacted(t *testing.T, dir string, hive *metastorefake.Hive) {
	stuck := time.AfterFunc(4*time.Minute, func() {
		stacks := make([]byte, 1<<20)
		t.Errorf("no end after four minutes\n%s\n%s", stacks[:runtime.Stack(stacks, true)], hive.Kill())
	})
	defer stuck.Stop()
	var asking sync.Mutex
	state := func(what string) (committed, begun, compactions int) {
		asking.Lock()
		defer asking.Unlock()
		said := strings.Join(hive.Ask(t, "churn "+what), "\n")
		if _, err := fmt.Sscan(said, &committed, &begun, &compactions); err != nil {
			t.Errorf("%q: %v", said, err)
		}
		return committed, begun, compactions
	}
	state("begin")
	for first := 0; first == 0 && !t.Failed(); first, _, _ = state("state") {
		time.Sleep(100 * time.Millisecond)
	}
	at := filepath.Join(dir, "warehouse/d/churn")
	until := time.Now().Add(*churning)
	var group sync.WaitGroup
	var read, refused atomic.Int64
	for reader := range 5 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(reader)))
			last := 0
			for !t.Failed() {
				before, _, compactions := state("state")
				if time.Now().After(until) && compactions >= 6 && read.Load() >= 20 {
					return
				}
				was := below(t, at)
				rows, said, err := scanned(t, hive.URL+"churn", random)
				switch {
				case errors.Is(err, errs.ErrUnsupported) || errors.Is(err, os.ErrNotExist):
					if refused.Add(1)%10 == 1 {
						t.Log(err)
					}
					continue
				case err != nil:
					t.Errorf("%v\nbefore:\n%s\nafter:\n%s", err, was, below(t, at))
					return
				}
				_, after, _ := state("state")
				read.Add(1)
				number, wrong := -1, len(rows) != 40
				for _, n := range rows {
					wrong = wrong || number >= 0 && n != number
					number = n
				}
				if wrong || number < max(before, last) || number > after {
					t.Errorf("%d rows of transaction %d; the last one was %d before and %d after, and %d was read: %v\nbefore:\n%s\nafter:\n%s\nread was\n%s",
						len(rows), number, before, after, last, rows, was, below(t, at), said)
					return
				}
				last = number
			}
		})
	}
	group.Wait()
	_, _, compactions := state("end")
	t.Logf("read %d times, refused %d times, %d compactions", read.Load(), refused.Load(), compactions)
	if refused.Load() > read.Load() {
		t.Error("most reads failed")
	}
}

// churning is how long a table is read at least: go test … -args -churning 1m reads longer.
var churning = flag.Duration("churning", 8*time.Second, "how long tables are read that are changed and compacted")

// below lists all that is in a directory.
func below(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fmt.Fprintln(&b, strings.TrimPrefix(path, dir))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// scanned returns the numbers of the rows of the table churn, by their ids, and what the table is said to be. In some cases it is slow to open
// the directory, or to read it.
func scanned(t *testing.T, url string, random *rand.Rand) (map[int]int, string, error) {
	d, err := readers.OpenDataset(t.Context(), []string{url}, readers.Options{})
	if err != nil {
		return nil, "", err
	}
	defer d.Close()
	if len(d.Fragments) != 1 {
		t.Fatalf("%d fragments", len(d.Fragments))
	}
	pause := func() {
		if random.IntN(2) == 0 {
			time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
		}
	}
	pause()
	f, err := d.Fragments[0].Open(t.Context())
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	pause()
	s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err != nil {
		return nil, "", err
	}
	defer s.Release()
	rows := map[int]int{}
	for s.Next() {
		ids, numbers := s.Record().Column(0).(*array.Int64), s.Record().Column(1).(*array.Int64)
		for i := range ids.Len() {
			if _, twice := rows[int(ids.Value(i))]; twice {
				rows[-int(ids.Value(i))-1] = int(numbers.Value(i)) // is one row too many
			}
			rows[int(ids.Value(i))] = int(numbers.Value(i))
		}
	}
	return rows, told(t, f), s.Err()
}

// told describes what was opened.
func told(t *testing.T, f arrowio.File) string {
	info, err := f.Info(t.Context(), arrowio.InfoOptions{})
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(info)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
