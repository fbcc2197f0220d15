//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// Files of a store join with those beside them, by their URLs, and conditions keep bytes from being fetched.
func TestQueryOnS3(t *testing.T) {
	s := s3fake.New(t)
	dir, amounts := queryFiles(t, 100000)
	t.Chdir(dir)
	for _, name := range []string{"orders.orc", "customers.trv"} {
		s.Put(t, "in/"+name, fixtures.Read(t, name))
	}
	orders := inBucket + "in/orders.orc"
	o := do(t, "query", "--format", "csv", "--scans", "select amount from '"+orders+"' where id between 20000 and 20001")
	if want := fmt.Sprintf("amount\n%d\n%d\n", amounts[20000], amounts[20001]); o.code != 0 || o.out != want {
		t.Fatalf("exit %d: %s%s; want %s", o.code, o.out, o.err, want)
	}
	m := regexp.MustCompile(`read of ` + regexp.QuoteMeta(orders) + `: (\d+) of (\d+) bytes`).FindStringSubmatch(o.err)
	if m == nil {
		t.Fatalf("told %q", o.err)
	}
	read, _ := strconv.Atoi(m[1])
	if size, _ := strconv.Atoi(m[2]); read == 0 || read > size/2 {
		t.Errorf("%d of %d bytes were read", read, size)
	}
	sum := int64(0)
	for i := 1; i < len(amounts); i += 7 {
		sum += amounts[i]
	}
	for _, from := range []string{
		"'" + orders + "' join 'customers.trv' using (customer)",
		"'orders.orc' join '" + inBucket + "in/*.trv' using (customer)",
		"arrowio('" + inBucket + "in/orders*', format := 'orc') join 'customers.trv' using (customer)",
	} {
		got := ok(t, "query", "--format", "csv", "select name, sum(amount) s from "+from+" where customer = 1 group by name")
		if want := fmt.Sprintf("name,s\nn1,%d\n", sum); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
	ok(t, "query", "-o", inBucket+"out/few.trv", "from '"+orders+"' where id < 2 order by id")
	if got, want := ok(t, "cat", "--format", "csv", "--columns", "amount", inBucket+"out/few.trv"), fmt.Sprintf("amount\n%d\n%d\n", amounts[0], amounts[1]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	fails(t, do(t, "query", "-o", inBucket+"out/few.trv", "select 1 x"), exitUsage, inBucket+"out/few.trv", "--force")
	fails(t, do(t, "query", "-o", inBucket+"out/failed.orc", "select error('no') from '"+orders+"'"), exitData, "no")
	if _, there := s.Objects(t)["out/failed.orc"]; there {
		t.Error("a failed query left its output")
	}
	fails(t, do(t, "query", "from '"+inBucket+"in/none.orc'"), exitSystem, inBucket+"in/none.orc: ", "not exist")
	fails(t, do(t, "query", "from 'gs://bucket/x.orc'"), exitUsage, "gs://bucket/x.orc", "s3://", "hdfs://")
	fails(t, do(t, "query", "from arrowio('"+orders+"', s3_endpoint := 'http://x')"), exitUsage, "s3_endpoint")
	fails(t, do(t, "query", "from arrowio('"+inBucket+"in', format := 'kudu', kudu_table := 'x')"), exitData, "kudu", "s3://")
}

// A table of a Kudu server is named by the options of its format. Its directory alone is a server, of several tables.
func TestQueryKudu(t *testing.T) {
	const testdata = "../../testdata/kudu/kudu-1.17.1/"
	dir := fixtures.Unpack(t, testdata+"log.tar.gz")
	rows, few := 0, 0
	for _, line := range bytes.Split(bytes.TrimSpace(fixtures.Read(t, filepath.Join(fixtures.Unpack(t, testdata+"rows.tar.gz"), "changed.jsonl"))), []byte("\n")) {
		var row []any // the first value is the id
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if rows++; row[0].(float64) < 3 {
			few++
		}
	}
	changed := "arrowio('" + dir + "', format := 'kudu', kudu_table := 'changed')"
	if got, want := ok(t, "query", "--format", "csv", "select count(*) n from "+changed), fmt.Sprintf("n\n%d\n", rows); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o := do(t, "query", "--format", "csv", "--scans", "select count(*) n from "+changed+" where id < 3")
	if o.code != 0 || o.out != fmt.Sprintf("n\n%d\n", few) || few == 0 || !strings.Contains(o.err, "where id < 3") {
		t.Errorf("exit %d: %s%s, want %d rows", o.code, o.out, o.err, few)
	}
	// Two tables of a server are two tables of a query; with --from, a name in quotes is a server as well.
	got := ok(t, "query", "--format", "csv", "select count(*) n from "+changed+" a join arrowio('"+dir+"', format := 'kudu', kudu_table := 'unflushed') b on false")
	if got != "n\n0\n" {
		t.Error(got)
	}
	got = ok(t, "query", "--format", "csv", "--from", "kudu", "--kudu-table", "changed", "select count(*) n from '"+dir+"'")
	if got != fmt.Sprintf("n\n%d\n", rows) {
		t.Error(got)
	}
	fails(t, do(t, "query", "from arrowio('"+dir+"', format := 'kudu')"), exitUsage, "several tables", "--kudu-table", "changed")
	fails(t, do(t, "query", "from arrowio('"+dir+"', format := 'kudu', kudu_table := 'none')"), exitUsage, "none")
}
