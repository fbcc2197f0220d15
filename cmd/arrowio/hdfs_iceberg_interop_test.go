//go:build interop

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arrowio/arrowio/internal/judge"
)

// javaIceberg starts Iceberg's own library, and returns what asks it something, one after the other.
func javaIceberg(t *testing.T) func(q map[string]any) {
	t.Helper()
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: run make interop")
	}
	cmd := judge.Java(t.Context(), "1g", jar, "catalogs")
	// Java takes an empty name of a user for a name.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HADOOP_") })
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		_ = in.Close() // it ends then
		_ = cmd.Wait()
	})
	return func(q map[string]any) {
		t.Helper()
		b, err := json.Marshal(q)
		if err == nil {
			_, err = in.Write(append(b, '\n'))
		}
		if err != nil || !answers.Scan() {
			t.Errorf("%s: Java ended: %v", b, err)
			return
		}
		if a := answers.Text(); strings.Contains(a, `"error"`) {
			t.Errorf("%s: %.2000s", b, strings.ReplaceAll(a, `\n`, "\n"))
		}
	}
}

// iceberg has Iceberg's own library and this program make and change tables of one warehouse, whose catalog is HDFS itself, also at the same time.
func (h *hadoop) iceberg(t *testing.T) {
	warehouse := h.root + "/warehouse"
	java := javaIceberg(t)
	of := func(what, table string) map[string]any {
		return map[string]any{what: warehouse, "table": "db." + table}
	}
	more := func(q map[string]any, from, times int) map[string]any {
		q["from"], q["times"] = from, times
		return q
	}
	dir := t.TempDir()
	rows := func(table string) []string { // as Java reads them
		t.Helper()
		out := filepath.Join(dir, "rows")
		q := of("catalog", table)
		q["out"] = out
		java(q)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		for i := range all {
			id, _, _ := strings.Cut(strings.TrimPrefix(all[i], "["), ",")
			all[i] = id
		}
		slices.Sort(all)
		return all
	}
	same := func(table string, want int) {
		t.Helper()
		here := strings.Split(strings.TrimSpace(ok(t, "cat", "--columns", "id", "--format", "csv", warehouse+"/db/"+table)), "\n")[1:]
		slices.Sort(here)
		theirs := rows(table)
		if len(theirs) != want || len(slices.Compact(slices.Clone(theirs))) != want || !slices.Equal(here, theirs) {
			t.Errorf("%s: Java reads %d rows, and %d are read here, not %d: %q %q", table, len(theirs), len(here), want, theirs, here)
		}
	}
	csv := func(from, n int) string {
		name := filepath.Join(dir, fmt.Sprintf("%d.csv", from))
		var b strings.Builder
		b.WriteString("id,word\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,w%d\n", from+i, i)
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	java(map[string]any{"begin": warehouse})
	java(more(of("append", "theirs"), 0, 2))
	same("theirs", 20)
	ok(t, "convert", "--to", "iceberg", "--iceberg-mode", "append", csv(1000, 10), warehouse+"/db/theirs")
	same("theirs", 30)
	ok(t, "convert", "--to", "iceberg", "--iceberg-partition", "truncate(10, id)", csv(0, 100), warehouse+"/db/ours")
	same("ours", 100)

	const times = 6
	var all sync.WaitGroup
	for i := range times {
		csv(2000+10*i, 10)
	}
	all.Go(func() {
		java(more(of("append", "ours"), 5000, times))
		java(more(of("append", "theirs"), 5000, times))
	})
	for _, table := range []string{"ours", "theirs"} {
		all.Go(func() {
			for i := range times {
				if o := do(t, "convert", "--to", "iceberg", "--iceberg-mode", "append", filepath.Join(dir, fmt.Sprintf("%d.csv", 2000+10*i)), warehouse+"/db/"+table); o.code != 0 {
					t.Errorf("%s: %s", table, o.err)
				}
			}
		})
	}
	all.Wait()
	same("ours", 100+2*10*times)
	same("theirs", 30+2*10*times)

	ok(t, "iceberg", "delete", warehouse+"/db/ours", "--where", "id < 15")
	ok(t, "iceberg", "compact", warehouse+"/db/ours")
	same("ours", 85+2*10*times)
	ok(t, "verify", warehouse+"/db/ours")
	if names := h.ask(t, "ls /warehouse"); strings.Contains(names, ".tmp") || strings.Contains(names, ".old") {
		t.Error(names)
	}
	// A table that fails leaves nothing, so that it can be made again.
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("id\n1\n2\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "convert", "--to", "iceberg", "--csv-sample", "2", bad, warehouse+"/db/bad"); o.code == 0 {
		t.Error(o.out)
	}
	if names := h.ask(t, "ls /warehouse"); strings.Contains(names, "/bad") {
		t.Error(names)
	}
}
