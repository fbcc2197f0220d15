package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// A config file says what clients may read, by name; the others read all.
func TestServeRestrict(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, dir, "a.arrow", 0, 100)
	tokens, config := filepath.Join(dir, "tokens"), filepath.Join(dir, "config.toml")
	secrets := map[string]string{}
	for _, name := range []string{"ann", "bob"} {
		code, secret, errs := said(t, "", "token", "add", "--file", tokens, name)
		if code != 0 {
			t.Fatal(errs)
		}
		secrets[name] = strings.TrimSpace(secret)
	}
	text := fmt.Sprintf("tokens = %q\n[[restrict]]\nclients = '*'\nexcept = ['bob']\ndatasets = ['people']\ncolumns = ['name']\nwhere = \"id < 7\"\n[datasets]\npeople = %q\n", tokens, file)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, _ := serving(t, "--log=none", "--config", config, "--listen=grpc://127.0.0.1:0")
	c, err := flight.NewClientWithMiddleware(strings.TrimPrefix(strings.TrimSpace(out.String()), "grpc://"), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]struct {
		rows    int64
		columns int
	}{"ann": {7, 1}, "bob": {100, 3}} {
		st, err := c.DoGet(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[name]), &flight.Ticket{Ticket: []byte(`{"dataset":"people"}`)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := flight.NewRecordReader(st)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		if n != want.rows || r.Schema().NumFields() != want.columns && name == "ann" {
			t.Errorf("%s reads %d rows of %s", name, n, r.Schema())
		}
		r.Release()
	}
	const head = "[[restrict]]\nclients = '*'\ndatasets = 'people'\n"
	for text, want := range map[string]string{
		"restrict = 3":                         "[[restrict]]",
		"[restrict]\nclients = '*'":            "[[restrict]]",
		head:                                   "neither columns nor a filter",
		head + "column = 'id'":                 `no key "column"`,
		head + "where = ''":                    "where is empty",
		head + "where = 'id ='":                "where",
		head + "where = 'idd = 1'":             "idd",
		head + "columns = ['idd']":             "idd",
		"[[restrict]]\nclients='*'\nwhere='x'": "which datasets",
		"[[restrict]]\ndatasets='*'":           "which clients",
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := said(t, "", "serve", "--log=none", "--check-config", "--listen=grpc://127.0.0.1:0", "--config", config, "people="+file)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: %d, %s", text, code, errs)
		}
	}
}
