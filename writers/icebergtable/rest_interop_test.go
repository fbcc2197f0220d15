//go:build interop

package icebergtable_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// startREST starts a REST catalog of Iceberg's own handlers, and returns where it is.
func startREST(t *testing.T) string {
	t.Helper()
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	warehouse := filepath.Join(t.TempDir(), "warehouse")
	cmd := judge.Java(t.Context(), "512m", jar, "rest", warehouse)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // it ends with its input
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + strings.TrimSpace(port)
}

// TestRESTJudge writes tables of a REST catalog that Iceberg's own handlers make: new ones, and appends of several writers at the same
// time. Every row is there once.
func TestRESTJudge(t *testing.T) {
	ctx := context.Background()
	catalog := "uri=" + startREST(t)
	for _, version := range []string{"1", "2", "3"} {
		name := "iceberg://any/db.t" + version
		s, rec := numbered(t, 0, 10)
		o := mode("create", "iceberg-catalog", catalog, "iceberg-format-version", version, "iceberg-partition", "bucket(2, id), truncate(1, word)", "iceberg-property", "owner=x")
		if err := write(ctx, name, o, s, rec); err != nil {
			t.Fatalf("version %s: %v", version, err)
		}
		const writers, times = 3, 3
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				for k := range times {
					_, rec := numbered(t, 10*(1+i*times+k), 10)
					if err := write(ctx, name, mode("append", "iceberg-catalog", catalog), s, rec); err != nil {
						t.Errorf("version %s: %v", version, err)
					}
				}
			})
		}
		all.Wait()
		check := func(want int) {
			t.Helper()
			d, err := readers.OpenDataset(ctx, []string{name}, readers.Options{Options: map[string]string{"iceberg-catalog": catalog}})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			rr, err := d.Scan(ctx, arrowio.ScanOptions{Columns: []string{"id"}})
			if err != nil {
				t.Fatal(err)
			}
			defer rr.Release()
			seen := map[string]bool{}
			for rr.Next() {
				for i := range int(rr.Record().NumRows()) {
					v := rr.Record().Column(0).ValueStr(i)
					if seen[v] {
						t.Errorf("version %s: row %s is there twice", version, v)
					}
					seen[v] = true
				}
			}
			if err := rr.Err(); err != nil || len(seen) != want {
				t.Errorf("version %s: %d rows, not %d: %v", version, len(seen), want, err)
			}
		}
		check(10 * (1 + writers*times))
		e, err := expr.Parse("id >= 15 and id < 40")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := icebergtable.Delete(ctx, name, changing(map[string]string{"iceberg-catalog": catalog}), e); err != nil || out.Rows != 25 {
			t.Errorf("version %s: %+v %v", version, out, err)
		}
		check(10*(1+writers*times) - 25)
		if out, err := icebergtable.Compact(ctx, name, changing(map[string]string{"iceberg-catalog": catalog}), icebergtable.CompactOptions{}); err != nil || out.Rewritten < 10 {
			t.Errorf("version %s: %+v %v", version, out, err)
		}
		check(10*(1+writers*times) - 25)
		if err := write(ctx, name, mode("overwrite", "iceberg-catalog", catalog), s, rec); err != nil {
			t.Errorf("version %s: %v", version, err)
		}
		check(10)
		if err := write(ctx, name, o, s, rec); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
			t.Errorf("version %s: %v", version, err)
		}
	}
	if _, err := open(ctx, "iceberg://any/other.t", mode("create", "iceberg-catalog", catalog)); err != nil {
		t.Error(err) // only the commit knows that there is no such namespace
	}
	s, rec := numbered(t, 0, 1)
	if err := write(ctx, "iceberg://any/other.t", mode("create", "iceberg-catalog", catalog), s, rec); err == nil || !strings.Contains(err.Error(), "404") {
		t.Error(fmt.Sprint("no namespace: ", err))
	}
}
