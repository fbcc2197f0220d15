package icebergcatalog

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// newSQL makes a catalog in SQLite with the tables that PyIceberg makes, and returns its properties.
func newSQL(t *testing.T, statements ...string) Properties {
	t.Helper()
	t.Setenv("PYICEBERG_HOME", t.TempDir())
	at := filepath.Join(t.TempDir(), "a catalog%20.db")
	db, err := sql.Open("sqlite", at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append([]string{
		"CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, table_name))",
		"CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key))",
		"INSERT INTO iceberg_namespace_properties VALUES ('prod', 'db', 'exists', 'true'), ('prod', 'a.b', 'location', 's3://bucket/place/'), ('other', 'elsewhere', 'exists', 'true')",
		"INSERT INTO iceberg_tables VALUES ('prod', 'db', 't', '/w/db/t/metadata/00000-a.metadata.json', NULL)",
	}, statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Find("prod", Properties{"uri": "sqlite:///" + at, "warehouse": "file:///w/"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSQL(t *testing.T) {
	ctx := context.Background()
	p := newSQL(t)
	table := func(name string) *SQLTable {
		t.Helper()
		s, err := p.SQL(name)
		if err != nil || s == nil {
			t.Fatal(s, err)
		}
		return s
	}
	const first, second = "/w/db/t/metadata/00000-a.metadata.json", "/w/db/t/metadata/00001-b.metadata.json"
	if at, err := p.Table(ctx, "db.t", 0, nil); at != first || err != nil {
		t.Error(at, err)
	}
	for name, want := range map[string]string{"db.new": "file:///w/db/new", "a.b.new": "s3://bucket/place/new"} {
		if at, err := table(name).NewLocation(ctx); at != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, at, err, want)
		}
	}
	for _, name := range []string{"elsewhere.new", "none.new"} {
		if at, err := table(name).NewLocation(ctx); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %s, %v", name, at, err)
		}
	}
	if _, err := table("db.new").Location(ctx); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := table("db.t").Commit(ctx, first, second); err != nil {
		t.Error(err)
	}
	if at, err := table("db.t").Location(ctx); at != second || err != nil {
		t.Error(at, err)
	}
	if err := table("db.t").Commit(ctx, first, "/w/db/t/metadata/00001-c.metadata.json"); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if err := table("db.new").Commit(ctx, "", "/w/new"); err != nil {
		t.Error(err)
	}
	if err := table("db.new").Commit(ctx, "", "/w/newer"); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	if at, err := table("db.new").Location(ctx); at != "/w/new" || err != nil {
		t.Error(at, err)
	}
}

func TestSQLRefused(t *testing.T) {
	for uri, kind := range map[string]error{
		"postgresql+psycopg2://user:secret@host/db": errs.ErrUnsupported, "sqlite:///x?mode=memory": errs.ErrUnsupported, "sqlite:///:memory:": errs.ErrUnsupported,
		"sqlite://": errs.ErrUnsupported, "jdbc:sqlite:/none/none.db?busy_timeout=5": fs.ErrNotExist, "jdbc:sqlite::memory:": errs.ErrUnsupported, "sqlite:////none/none.db": fs.ErrNotExist,
	} {
		p := Properties{"type": "sql", "uri": uri, catalogName: "prod"}
		if _, err := p.Table(context.Background(), "db.t", 0, nil); !errors.Is(err, kind) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %v", uri, err, kind)
		}
	}
	p := newSQL(t, "DROP TABLE iceberg_tables")
	if _, err := p.Table(context.Background(), "db.t", 0, nil); err == nil || !strings.Contains(err.Error(), "no such table: iceberg_tables") || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	p = newSQL(t, "UPDATE iceberg_tables SET metadata_location = NULL")
	if _, err := p.Table(context.Background(), "db.t", 0, nil); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
}
