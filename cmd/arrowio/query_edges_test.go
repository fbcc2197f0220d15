//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The ends of what Arrow can hold come out of `query` and `serve` as DuckDB has them, and what is beyond is refused by both.
func TestQueryEdges(t *testing.T) {
	dir, _ := queryFiles(t, 10)
	c := sqlClient(t, sqlServing(t, "x="+dir+"/customers.trv"))
	for v, want := range map[string]string{
		"99999999999999999999999999999999999999::HUGEINT":  "99999999999999999999999999999999999999",
		"-99999999999999999999999999999999999999::HUGEINT": "-99999999999999999999999999999999999999",
		"18446744073709551616::UHUGEINT":                   "18446744073709551616",
		"TIMESTAMP '294247-01-10 04:00:54.775806'":         "294247-01-10 04:00:54.775806",
		"DATE '9999-12-31'":                                "9999-12-31",
		"TIME '23:59:59.999999'":                           "23:59:59.999999",
	} {
		sql := "select " + v + " as v"
		if got := ok(t, "query", "--format", "csv", sql); strings.NewReplacer("T", " ", "\n+", "\n").Replace(got) != "v\n"+want+"\n" {
			t.Errorf("query: %s: %q", v, got)
		}
		if got, err := askServed(t, c, sql); err != nil || strings.TrimSuffix(got, "Z\n") != want && got != want+"\n" {
			t.Errorf("serve: %s: %q, %v", v, got, err)
		}
	}
	for v, says := range map[string]string{
		"to_microseconds(2305843009213693952)":             "292 years", // 2⁶¹: 0 nanoseconds in 64 bits
		"100000000000000000000000000000000000000::HUGEINT": "38 digits",
		"TIMESTAMP 'infinity'":                             "infinite",
		"TIME '24:00:00'":                                  "24:00:00",
	} {
		sql := "select " + v + " as v"
		if o := do(t, "query", sql); o.code == 0 || o.out != "" || !strings.Contains(o.err, says) || !strings.Contains(o.err, "v") {
			t.Errorf("query: %s: %d, %q, %s", v, o.code, o.out, o.err)
		}
		if got, err := askServed(t, c, sql); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("serve: %s: %q, %v", v, got, err)
		}
	}
}

// Too little memory for DuckDB is refused as other wrong usage is, and the least that is allowed answers a query.
func TestQueryLeastMemory(t *testing.T) {
	for _, size := range []string{"1", "1KB", "32KiB", "1023KiB"} {
		fails(t, do(t, "query", "--memory", size, "SELECT 1"), exitUsage, "query: --memory is ", "; the least is 1.0 MiB: DuckDB answers nothing with less")
	}
	dir, _ := queryFiles(t, 10)
	sql := "select count(*) as n from '" + dir + "/customers.trv'"
	want := ok(t, "query", "--format", "csv", sql)
	for _, jobs := range []string{"1", "64"} {
		if got := ok(t, "query", "--format", "csv", "--jobs", jobs, "--memory", "1MiB", sql); got != want {
			t.Errorf("%s threads: %q, not %q", jobs, got, want)
		}
	}
}
