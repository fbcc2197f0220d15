//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// DuckDB gets no more of a dataset than the client may read, whatever it is asked.
func TestQueryRestricted(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	config := filepath.Join(dir, "config.toml")
	text := fmt.Sprintf("[[restrict]]\nclients = '*'\ndatasets = 'customers'\ncolumns = ['name']\nwhere = 'customer >= 3'\n[datasets]\ncustomers = %q\norders = %q\n",
		filepath.Join(dir, "customers.trv"), filepath.Join(dir, "orders.orc"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := sqlClient(t, sqlServing(t, "--config", config))
	for text, want := range map[string]string{
		"select * from customers order by name":                                           "n3\nn4\n",
		"select count(*), min(name) from customers":                                       "2|n3\n",
		"select count(*) from customers":                                                  "2\n",
		"select count(*) from (select * from customers limit 3)":                          "2\n",
		"select name from customers where name < 'n3'":                                    "",
		"with c as materialized (from customers) select max(name) from c":                 "n4\n",
		"select upper(name) from main.Customers order by 1 limit 1 offset 1":              "N4\n",
		"select column_name from information_schema.columns where table_name='customers'": "name\n",
		"select column_name from (describe customers)":                                    "name\n",
		"select count(*) from customers a, customers b":                                   "4\n",
		"select count from (summarize customers)":                                         "2\n",
	} {
		if got, err := askServed(t, c, text); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"select customer from customers", "select sum(customer) from customers", "select name from customers order by customer",
		"select name from customers join orders using (customer)", "select name from customers where customer = 1 or name > ''",
		"select columns('cust.*') from customers",
	} {
		if got, err := askServed(t, c, text); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if got, err := askServed(t, c, "explain analyze select * from customers"); err == nil && strings.Contains(got, "n0") {
		t.Error(got)
	}
}
