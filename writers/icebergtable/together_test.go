package icebergtable_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// writersTogether is the variable that makes the test below a process that appends.
const writersTogether = "ARROWIO_TEST_APPEND"

// TestTogether has processes append to one table at the same time: every row is there once, and no file is left that no snapshot
// names.
func TestTogether(t *testing.T) {
	const processes, times = 3, 6
	ctx := context.Background()
	if at := os.Getenv(writersTogether); at != "" {
		dir, number, _ := strings.Cut(at, "\n")
		var from int
		if _, err := fmt.Sscan(number, &from); err != nil {
			t.Fatal(err)
		}
		for i := range times {
			s, rec := numbered(t, (from*times+i)*10, 10)
			if err := write(ctx, dir, mode("append"), s, rec); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	dir := filepath.Join(t.TempDir(), "table")
	s, _ := numbered(t, 0, 0)
	if err := write(ctx, dir, mode("create"), s); err != nil {
		t.Fatal(err)
	}
	var all []*exec.Cmd
	for i := range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTogether$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d", writersTogether, dir, i))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	got, _ := rows(t, dir)
	_, whole := numbered(t, 0, processes*times*10)
	seen := map[string]bool{}
	for _, line := range got {
		if seen[line] {
			t.Errorf("%s is there twice", line)
		}
		seen[line] = true
	}
	if int64(len(got)) != whole.NumRows() {
		t.Errorf("%d rows, not %d", len(got), whole.NumRows())
	}
	if f := faults(t, dir); len(f) > 0 {
		t.Error(f)
	}
	snaps := 0
	for _, name := range tree(t, dir) {
		if strings.HasPrefix(name, "metadata/snap-") {
			snaps++
		}
	}
	if want := processes*times + 1; snaps != want {
		t.Errorf("%d manifest lists of %d snapshots", snaps, want)
	}
}

// changersTogether is the variable that makes the test below a process that changes a table.
const changersTogether = "ARROWIO_TEST_CHANGE"

// ownRows is how many ids belong to each process.
const ownRows = 1000

// ids are rows of numbered with the ids from a to before b.
type ids struct{ a, b int }

// changeSteps are what a process does, one after the other: rows are appended (+), deleted (-), or replaced (=) by those of the second range, or the
// table is compacted (*). Each works on its own rows, but compaction puts the rows of all into the same files.
var changeSteps = [][]struct {
	what      byte
	rows, new ids
}{
	{{'+', ids{0, 40}, ids{}}, {'+', ids{40, 50}, ids{}}, {'-', ids{10, 20}, ids{}}, {'*', ids{}, ids{}}, {'=', ids{30, 45}, ids{35, 40}}, {'-', ids{0, 3}, ids{}}},
	{{'+', ids{0, 20}, ids{}}, {'*', ids{}, ids{}}, {'=', ids{0, 10}, ids{5, 7}}, {'-', ids{15, 17}, ids{}}, {'+', ids{100, 120}, ids{}}, {'*', ids{}, ids{}}},
	{{'+', ids{0, 30}, ids{}}, {'-', ids{0, 15}, ids{}}, {'+', ids{50, 60}, ids{}}, {'-', ids{20, 55}, ids{}}, {'*', ids{}, ids{}}, {'=', ids{50, 70}, ids{60, 65}}},
}

// left are the ids that a process's steps leave.
func left(steps int) (out []int) {
	has := map[int]bool{}
	set := func(r ids, to bool) {
		for i := r.a; i < r.b; i++ {
			has[i] = to
		}
	}
	for _, s := range changeSteps[steps] {
		set(s.rows, s.what == '+')
		set(s.new, s.what == '=')
	}
	for i, is := range has {
		if is {
			out = append(out, i)
		}
	}
	return out
}

// changeTable makes the steps of a process.
func changeTable(t *testing.T, dir string, process int) {
	ctx := context.Background()
	at := process * ownRows
	for i, step := range changeSteps[process] {
		rows := fmt.Sprintf("id >= %d AND id < %d", at+step.rows.a, at+step.rows.b)
		var err error
		switch step.what {
		case '+':
			s, rec := numbered(t, at+step.rows.a, step.rows.b-step.rows.a)
			err = write(ctx, dir, mode("append"), s, rec)
		case '=':
			s, rec := numbered(t, at+step.new.a, step.new.b-step.new.a)
			err = write(ctx, dir, mode("overwrite", "iceberg-overwrite-where", rows), s, rec)
		case '-':
			var e expr.Expr
			if e, err = expr.Parse(rows); err == nil {
				_, err = icebergtable.Delete(ctx, dir, changing(nil), e)
			}
		case '*':
			_, err = icebergtable.Compact(ctx, dir, changing(nil), icebergtable.CompactOptions{})
		}
		if err != nil {
			t.Fatalf("step %d of process %d: %v", i, process, err)
		}
	}
}

// TestChangesTogether has processes append to one table, delete, replace and compact its rows at the same time: none is lost, comes back or is
// there twice, and no file is left that no snapshot names.
func TestChangesTogether(t *testing.T) {
	if at := os.Getenv(changersTogether); at != "" {
		dir, number, _ := strings.Cut(at, "\n")
		changeTable(t, dir, int(number[0]-'0'))
		return
	}
	for version, more := range map[string][]string{"1": {"iceberg-data-format", "parquet"}, "2": {"iceberg-partition", "truncate(1, word)"}, "3": nil} {
		t.Run(version, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "table")
			s, _ := numbered(t, 0, 0)
			if err := write(context.Background(), dir, mode("create", append(more, "iceberg-format-version", version)...), s); err != nil {
				t.Fatal(err)
			}
			var all []*exec.Cmd
			var want []string
			for i := range changeSteps {
				for _, id := range left(i) {
					_, rec := numbered(t, i*ownRows+id, 1)
					want = append(want, orctext.Rows(rec)...)
				}
				cmd := exec.Command(os.Args[0], "-test.run=^TestChangesTogether$")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%d", changersTogether, dir, i))
				cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				all = append(all, cmd)
			}
			for _, cmd := range all {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			}
			slices.Sort(want)
			if got, _ := rows(t, dir); !slices.Equal(got, want) {
				t.Errorf("%d rows, not %d:\n%s\nnot\n%s", len(got), len(want), got, want)
			}
			for _, f := range faults(t, dir) {
				t.Error(f)
			}
			for _, name := range orphans(t, dir) {
				t.Errorf("%s is left, and no snapshot names it", name)
			}
		})
	}
}

// orphans are the files of a table whose names no metadata have.
func orphans(t *testing.T, dir string) (out []string) {
	t.Helper()
	var said strings.Builder
	all := tree(t, dir)
	for _, name := range all {
		at := filepath.Join(dir, name)
		switch {
		case strings.HasPrefix(name, "metadata/") && filepath.Ext(name) == ".avro":
			lines, _ := rows(t, at)
			said.WriteString(strings.Join(lines, "\n"))
		case strings.HasSuffix(name, ".metadata.json"):
			b, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			said.Write(b)
		}
	}
	for _, name := range all {
		base := filepath.Base(name)
		if !strings.HasSuffix(base, ".metadata.json") && base != "version-hint.text" && !strings.Contains(said.String(), "/"+base) {
			out = append(out, name)
		}
	}
	return out
}
