//go:build interop

package orctable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers/orc"
)

// variable returns what a variable of the environment says, or what is taken where it is missing.
func variable(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestHiveHistories has Hive make tables of random histories, and reads in them what Hive reads: with the latest list of write
// ids, with an older one, and with one in which more is open or was aborted. ARROWIO_HIVE_HISTORIES says how many,
// ARROWIO_HIVE_SEED which is the first.
func TestHiveHistories(t *testing.T) {
	jar := os.Getenv("ARROWIO_HIVE_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_HIVE_JUDGE_JAR is not set: run make interop")
	}
	n, seed := variable(t, "ARROWIO_HIVE_HISTORIES", 50), variable(t, "ARROWIO_HIVE_SEED", 1)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(n)*20*time.Second)
	defer cancel()
	out, err := judge.Java(ctx, "1g", jar, "histories", dir, strconv.Itoa(seed), strconv.Itoa(n)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lists, rows, refused := 0, 0, 0
	for s := seed; s < seed+n; s++ {
		t.Run("seed="+strconv.Itoa(s), func(t *testing.T) {
			at := filepath.Join(dir, strconv.Itoa(s))
			for _, name := range []string{"latest", "older", "partly"} {
				rows += checkList(t, at, name)
				lists++
			}
			if _, err := os.Stat(filepath.Join(at, "refused.jsonl")); err == nil {
				checkRefused(t, at)
				refused++
			}
			if t.Failed() {
				history, _ := os.ReadFile(filepath.Join(at, "history.txt"))
				t.Logf("%s", history)
			}
		})
	}
	t.Logf("%d lists, %d rows, %d lists refused", lists, rows, refused)
	if lists != 3*n || rows == 0 {
		t.Error("nothing was compared")
	}
}

// expected returns a list of write ids and the rows that Hive reads with it.
func expected(t *testing.T, dir, name string) (ids string, rows []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	return lines[0], lines[1:]
}

// checkList compares rows and their ids, in whatever order, and returns how many there are.
func checkList(t *testing.T, dir, name string) int {
	t.Helper()
	ids, want := expected(t, dir, name)
	slices.Sort(want)
	f, err := Open(t.Context(), local.DirTree(filepath.Join(dir, "table")), arrowio.Limits{}, Options{WriteIDs: ids, RowIDs: true}, orc.Options{})
	if err != nil {
		t.Errorf("%s, %s: %v", name, ids, err)
		return 0
	}
	defer f.Close()
	columns := []string{"row__id", "id", "s", "n", "d"}
	for _, jobs := range []int{1, 3} {
		got := scanned(t, f, columns, jobs)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: %d rows, want %d%s", name, ids, len(got), len(want), differences(got, want))
			return len(want)
		}
	}
	return len(want)
}

func scanned(t *testing.T, f arrowio.File, columns []string, jobs int) (out []string) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Columns: columns, Parallelism: jobs, Allocator: mem})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer r.Release()
	for r.Next() {
		out = append(out, orctext.Rows(r.Record())...)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	return out
}

// differences tells the first rows of sorted lists that only one has.
func differences(got, want []string) string {
	var b strings.Builder
	say := func(what string, in, notIn []string) {
		n := 0
		for _, s := range in {
			if _, ok := slices.BinarySearch(notIn, s); !ok && n < 5 {
				b.WriteString("\n" + what + " " + s)
				n++
			}
		}
	}
	say("not expected:", got, want)
	say("missing:", want, got)
	return b.String()
}

// checkRefused wants a list refused of which compaction has left too little.
func checkRefused(t *testing.T, dir string) {
	t.Helper()
	ids, _ := expected(t, dir, "refused")
	f, err := Open(t.Context(), local.DirTree(filepath.Join(dir, "table")), arrowio.Limits{}, Options{WriteIDs: ids}, orc.Options{})
	if err == nil {
		t.Errorf("%s: it is read, and Hive refuses it", ids)
		f.Close()
	} else if !errors.Is(err, errs.ErrOption) {
		t.Errorf("%s: %v", ids, err)
	}
}
