//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/metadata"

	"github.com/arrowio/arrowio/internal/duckdb"
)

// Clients that ask the same statements at the same time, with values and rows of their own, get their own answers, though databases that have
// described a statement are used again.
func TestSQLKeptClients(t *testing.T) {
	dir, _ := queryFiles(t, 700)
	tokens, config := filepath.Join(t.TempDir(), "tokens"), filepath.Join(t.TempDir(), "serve.toml")
	text := ""
	secrets := map[int]string{}
	for _, own := range []int{2, 3} {
		name := fmt.Sprint("client", own)
		code, secret, errs := said(t, "", "token", "add", "--file", tokens, name)
		if code != 0 {
			t.Fatal(errs)
		}
		secrets[own] = "Bearer " + strings.TrimSpace(secret)
		text += fmt.Sprintf("[[restrict]]\nclients = %q\ndatasets = 'orders'\nwhere = 'customer = %d'\n", name, own)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := sqlServing(t, "--config", config, "--tokens", tokens, "--sql-threads", "1", "orders="+filepath.Join(dir, "orders.orc"))
	var all sync.WaitGroup
	for k := range 4 {
		own := 2 + k%2 // two connections of each client
		c := sqlClient(t, addr)
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", secrets[own])
		all.Add(1)
		go func() {
			defer all.Done()
			st, err := c.Prepare(ctx, "select max(customer), min(id), ? || '!' from orders where id >= ? group by all order by all")
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 40 {
				got, err := askedAs(ctx, c, "select max(customer), count(*) from orders group by all order by all")
				if want := fmt.Sprintf("%d|100\n", own); err != nil || got != want {
					t.Errorf("client %d: %q, %v; want %q", own, got, err, want)
				}
				label, from := fmt.Sprint(k, "-", i/2), int64(7*i) // i/2: a statement that has been asked is asked again
				if i%2 == 1 {
					from -= 7
				}
				rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}}, nil),
					strings.NewReader(fmt.Sprintf(`[{"a": %q, "b": %d}]`, label, from)))
				if err != nil {
					t.Error(err)
					return
				}
				st.SetParameters(rec)
				rec.Release()
				info, err := st.Execute(ctx)
				got, err = sqlRows(ctx, c, info, err)
				if want := fmt.Sprintf("%d|%d|%s!\n", own, from+int64(own), label); err != nil || got != want {
					t.Errorf("client %d: %q, %v; want %q", own, got, err, want)
				}
			}
		}()
	}
	all.Wait()
}

func askedAs(ctx context.Context, c *flightsql.Client, sql string) (string, error) {
	info, err := c.Execute(ctx, sql)
	return sqlRows(ctx, c, info, err)
}

// A database is used again once, for what it was kept for, and few are kept.
func TestSQLKept(t *testing.T) {
	var k keptDatabases
	t.Cleanup(k.close)
	db := func() *duckdb.DB {
		t.Helper()
		db, err := duckdb.Open(duckdb.Options{Guarded: true, Threads: 1, Known: func(string) bool { return false }})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	s := shown{names: []string{"a"}, defined: []duckdb.View{{Name: "v", SQL: "select 1"}}, list: true}
	one := db()
	k.put("one", s, one)
	for name, other := range map[string]shown{
		"none": {}, "names": {names: []string{"a", "b"}, defined: s.defined, list: true}, "views": {names: s.names, defined: []duckdb.View{{Name: "v", SQL: "select 2"}}, list: true},
		"list": {names: s.names, defined: s.defined},
	} {
		if k.take("one", other) != nil {
			t.Error("taken by a client that may name other tables:", name)
		}
	}
	if k.take("two", s) != nil {
		t.Error("taken for another statement")
	}
	got := k.take("one", s)
	if got != one || k.take("one", s) != nil {
		t.Error("not taken once")
	}
	got.Close()
	if key := keptKey(context.Background(), "select 1"); key != "" {
		t.Errorf("%q", key)
	}
	k.put("", s, db())
	if len(k.all) != 0 {
		t.Error("kept for nobody")
	}
	for i := range maxKept + 2 {
		k.put(fmt.Sprint(i), s, db())
	}
	if len(k.all) != maxKept || k.all[0].key != "2" {
		t.Error(len(k.all), k.all[0].key)
	}
	k.drop(k.all[0])
	if len(k.all) != maxKept-1 {
		t.Error("not dropped")
	}
	k.close()
	k.put("late", s, db())
	if len(k.all) != 0 {
		t.Error("kept after the end")
	}
}
