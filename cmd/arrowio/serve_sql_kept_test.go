//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/arrowio/arrowio/internal/duckdb"
)

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
