//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A view is a table in SQL, and gives a client nothing that it may not read by itself.
func TestServeViews(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	tokens, config := filepath.Join(t.TempDir(), "tokens"), filepath.Join(t.TempDir(), "config.toml")
	secrets := map[string]string{}
	for _, name := range []string{"alice", "bob", "carol", "dave"} {
		code, secret, errs := said(t, "", "token", "add", "--file", tokens, name)
		if code != 0 {
			t.Fatal(errs)
		}
		secrets[name] = strings.TrimSpace(secret)
	}
	text := fmt.Sprintf(`
tokens = %q
permit = ["alice:read=*", "bob:read=customers,names,spent", "carol:read=customers,names", "dave:read=customers,n*,mine"]

[views]
names = "SELECT customer, upper(name) AS name FROM customers"
spent = "SELECT n.name, count(*) AS orders FROM orders JOIN names n USING (customer) GROUP BY n.name"
broken = "SELECT nope FROM customers"
mine = "SELECT customer FROM customers"

[datasets]
orders = %q
customers = %q

[[restrict]]
clients = "carol"
datasets = "customers"
where = "customer < 2"

[[restrict]]
clients = "dave"
datasets = "customers"
columns = ["customer"]
`, tokens, filepath.Join(dir, "orders.orc"), filepath.Join(dir, "customers.trv"))
	writeText(t, config, text)
	addr := sqlServing(t, "--config", config)
	c := sqlClient(t, addr)
	ask := func(name, sql string) (string, error) {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[name])
		info, err := c.Execute(ctx, sql)
		return sqlRows(ctx, c, info, err)
	}
	for _, x := range []struct{ client, sql, want string }{
		{"alice", "select * from names order by customer limit 2", "0|N0\n1|N1\n"},
		{"alice", "SELECT * FROM names WHERE customer = 3", "3|N3\n"},
		{"alice", `SELECT name FROM arrowio.main."names" WHERE customer = 1`, "N1\n"},
		{"alice", "select count(*), sum(orders) > 0 from spent", "5|true\n"},
		{"alice", "select 'names', 'broken' from customers limit 1", "names|broken\n"},
		{"bob", "select max(name) from names", "N4\n"},
		{"carol", "select max(name), count(*) from names", "N1|2\n"}, // its rows of customers
		{"bob", "select table_name from information_schema.tables order by 1", "customers\nnames\n"},
		{"alice", "select table_name from information_schema.tables order by 1", "customers\nmine\nnames\norders\nspent\n"},
		{"dave", "select count(*) from mine", "5\n"},
		{"dave", "show tables", "customers\nmine\n"},
	} {
		if got, err := ask(x.client, x.sql); err != nil || got != x.want {
			t.Errorf("%s: %s: %q, %v", x.client, x.sql, got, err)
		}
	}
	for _, x := range []struct {
		client, sql string
		want        codes.Code
		text        string
	}{
		{"bob", "select * from spent", codes.NotFound, `there is no dataset "spent"`},      // it reads orders
		{"bob", "select * from broken", codes.PermissionDenied, "bob may not read broken"}, // the name itself
		{"dave", "select * from names", codes.NotFound, `there is no dataset "names"`},     // it reads another column
		{"dave", "describe names", codes.NotFound, `there is no dataset "names"`},
		{"dave", "select * from (select upper(name) from main.names) where 1 = 0", codes.NotFound, `there is no dataset "names"`},
		{"dave", "select * from none", codes.NotFound, `there is no dataset "none"`},
		{"alice", "select * from broken", codes.InvalidArgument, `the view broken: sql: Binder Error: Referenced column "nope" not found`},
		{"alice", "create view x as select 1", codes.InvalidArgument, ""},
	} {
		if got, err := ask(x.client, x.sql); status.Code(err) != x.want || !strings.HasPrefix(status.Convert(err).Message(), x.text) {
			t.Errorf("%s: %s: %q, %v", x.client, x.sql, got, err)
		}
	}
	for client, want := range map[string]string{"bob": "customers, names", "dave": "customers, mine"} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[client])
		info, err := c.GetTables(ctx, &flightsql.GetTablesOpts{})
		got, err := sqlRows(ctx, c, info, err)
		var names []string
		for line := range strings.Lines(got) {
			names = append(names, strings.Split(line, "|")[2])
		}
		if err != nil || strings.Join(names, ", ") != want {
			t.Error(client, got, err)
		}
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["alice"])
	info, err := c.GetTables(ctx, &flightsql.GetTablesOpts{IncludeSchema: true})
	got, err := sqlRows(ctx, c, info, err)
	var kinds []string
	for line := range strings.Lines(got) {
		f := strings.Split(line, "|")
		kinds = append(kinds, f[2]+" "+f[3])
	}
	if err != nil || strings.Join(kinds, ", ") != "customers TABLE, mine VIEW, names VIEW, orders TABLE, spent VIEW" {
		t.Error(kinds, err)
	}

	for from, to := range map[string]string{
		`names = "SELECT`:              `orders = "SELECT`,   // a dataset has the name
		`datasets = "customers"`:       `datasets = "names"`, // a view is not restricted
		"FROM customers\"\nspent":      "FROM customers; SELECT 1\"\nspent",
		`"SELECT nope FROM customers"`: `["SELECT 1"]`,
	} {
		writeText(t, config, strings.Replace(text, from, to, 1))
		fails(t, do(t, "serve", "--config", config, "--check-config"), exitUsage)
	}
	writeText(t, config, text)
	fails(t, do(t, "serve", "--config", config, "--check-config", "--sql-subset"), exitUsage, "views need")
}

// A view is the same in every session.
func TestServeViewsInSessions(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	config := filepath.Join(t.TempDir(), "config.toml")
	writeText(t, config, fmt.Sprintf(`
[views]
names = "SELECT name FROM customers"
spent = "SELECT count(*) AS n FROM main.orders JOIN names ON (name = 'n' || customer)"

[datasets]
orders = %q
customers = %q
`, filepath.Join(dir, "orders.orc"), filepath.Join(dir, "customers.trv")))
	c := cookieClient(t, sqlServing(t, "--config", config))
	script(t, c, "select n from spent; 715",
		"create temp table orders as select 0 as customer; 1", "create temp table names as select 'n0' as name; 1",
		"select n from spent; 715", "select n from arrowio.main.spent; 715", "select max(name) from arrowio.main.names; n4", "select max(name) from names; n0")
}

// What is no SELECT does not start. Views that read each other start, and say so when they are asked for; so does memory that is too small.
func TestServeViewsWrong(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	config := filepath.Join(t.TempDir(), "config.toml")
	with := func(views string) {
		writeText(t, config, fmt.Sprintf("[datasets]\norders = %q\n[views]\n%s", filepath.Join(dir, "orders.orc"), views))
	}
	for text, want := range map[string]string{
		"SELEC 1": "syntax error", "SELECT * FROM": "syntax error", "INSERT INTO orders VALUES (1)": "no SELECT", "UPDATE orders SET customer = 1": "no SELECT",
	} {
		with(fmt.Sprintf("v = %q\n", text))
		fails(t, do(t, "serve", "--config", config, "--check-config"), exitUsage, "v: ", want)
	}
	with(`
a = "SELECT * FROM b"
b = "SELECT * FROM A"
c = "FROM orders"
d = "SELECT customer FROM a"
e = "FROM e"
f = "FROM nosuch"
`)
	c := sqlClient(t, sqlServing(t, "--config", config, "--sql-memory", "64MiB", "--sql-temp-max", "64MiB"))
	ask := func(sql string) error {
		info, err := c.Execute(t.Context(), sql)
		_, err = sqlRows(t.Context(), c, info, err)
		return err
	}
	for sql, want := range map[string][]string{
		"select * from a": {"circle: a, b, a"},
		"select * from d": {"circle: a, b, a"},
		"select * from e": {"circle: e, e"},
		"select * from f": {`view f: there is no dataset "nosuch"`},
		"select count(*) from (select distinct a.customer, b.customer, hash(a.customer, x, y) from c a, c b, range(3000) r(x), range(100) s(y))": {"--sql-memory of the server", "--sql-temp-max of the server"},
	} {
		err := ask(sql)
		if err == nil {
			t.Errorf("%s: no error", sql)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if strings.Contains(err.Error(), "PRAGMA") || strings.Contains(err.Error(), "SET ") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if err := ask("select count(*) from c"); err != nil {
		t.Error(err)
	}
}
