//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// The page's box runs DuckDB, tells what was pushed down, and writes nothing.
func TestSQLPage(t *testing.T) {
	dir, _ := queryFiles(t, 700)
	out, _, _ := serving(t, "--log", "none", "--json", "--listen", "grpc://127.0.0.1:0", "--http", "127.0.0.1:0", "--writable", "w*="+t.TempDir(), "orders="+filepath.Join(dir, "orders.orc"))
	_, rest, ok := strings.Cut(out.String(), `"page": "`)
	if !ok {
		t.Fatal(out)
	}
	address, _, _ := strings.Cut(rest, `"`)
	ask := func(query string) string {
		t.Helper()
		r, err := http.PostForm(address+"sql", url.Values{"query": {query}})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatal(query, r.Status, err)
		}
		return string(b)
	}
	body := ask("select customer, count(*) as n from orders where id < 70 and customer in (2, 3) group by 1 order by 1")
	for _, want := range []string{`<td class="n">2</td><td class="n">10</td>`, "id &lt; 70", "2 rows."} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing:\n%s", want, body)
		}
	}
	if body := ask("select * from range(1000)"); !strings.Contains(body, "The first 200 rows; there are more.") {
		t.Error(body)
	}
	for _, query := range []string{"create table w as select 1", "insert into orders select * from orders", "create temp table t as select 1", "select * from read_text('/etc/passwd')", "select 1; select 2", "select ?"} {
		if body := ask(query); !strings.Contains(body, `role="alert"`) || strings.Contains(body, "<td") {
			t.Errorf("%s:\n%s", query, body)
		}
	}
	if body := ask("select count(*) from w"); !strings.Contains(body, `role="alert"`) {
		t.Error("a dataset was made:", body)
	}
}
