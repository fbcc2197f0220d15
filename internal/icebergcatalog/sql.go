package icebergcatalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// catalogName is the property that Find sets: what the catalog is called in its own tables.
const catalogName = "catalog-name"

// SQLTable is a table of a catalog in SQLite, as PyIceberg's catalogs of type sql and Java's of type jdbc keep them: a row of iceberg_tables says
// which file of metadata is current.
type SQLTable struct {
	path            string // of the database
	catalog         string
	namespace, name string
	warehouse       string
}

// SQL returns a table of a catalog of type sql; nil = the catalog has another type. name is NAMESPACE.TABLE.
func (p Properties) SQL(name string) (*SQLTable, error) {
	if kind := p.kind(); kind != "sql" && kind != "jdbc" {
		return nil, nil //nolint:nilnil // the comment says so
	}
	parts, err := split(name)
	if err != nil {
		return nil, err
	}
	t := &SQLTable{catalog: p[catalogName], warehouse: strings.TrimRight(p["warehouse"], "/"), name: parts[len(parts)-1], namespace: strings.Join(parts[:len(parts)-1], ".")}
	if t.path, err = sqlitePath(p["uri"]); err != nil {
		return nil, err
	}
	if _, err := os.Stat(t.path); err != nil {
		return nil, fmt.Errorf("the catalog: %w", err)
	}
	return t, nil
}

// sqlitePath returns the file that a URI names as SQLAlchemy has it, sqlite:///RELATIVE or sqlite:////ABSOLUTE, or as JDBC has it. What
// stands behind ? in JDBC's are settings of its connections, such as busy_timeout.
func sqlitePath(uri string) (string, error) {
	if strings.HasPrefix(uri, "jdbc:sqlite:") {
		uri, _, _ = strings.Cut(uri, "?")
	}
	for _, prefix := range []string{"sqlite:///", "sqlite+pysqlite:///", "jdbc:sqlite:"} {
		if path, ok := strings.CutPrefix(uri, prefix); ok && path != "" && !strings.ContainsAny(path, "?#") && path != ":memory:" {
			return filepath.Abs(path)
		}
	}
	scheme, _, _ := strings.Cut(uri, "://") // behind it there may be a password
	return "", errs.Errorf(errs.ErrUnsupported, "the uri of the catalog, %.40s://..., is no file of SQLite: catalogs of type sql are read and written as sqlite:////PATH alone", scheme)
}

// busy is how many milliseconds another program may hold the database.
const busy = 30_000

// with calls do with the open database.
func (t *SQLTable) with(mode string, do func(db *sql.DB) error) error {
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(t.path), RawQuery: fmt.Sprintf("mode=%s&_pragma=busy_timeout(%d)", mode, busy)}
	db, err := sql.Open("sqlite", at.String())
	if err != nil {
		return t.failed(err)
	}
	if err := errors.Join(do(db), db.Close()); err != nil {
		return t.failed(err)
	}
	return nil
}

func (t *SQLTable) failed(err error) error { return fmt.Errorf("the catalog in %s: %w", t.path, err) }

// Location returns where the current metadata of the table are. fs.ErrNotExist = there is no such table.
func (t *SQLTable) Location(ctx context.Context) (location string, err error) {
	err = t.with("ro", func(db *sql.DB) error {
		var found sql.NullString
		err := db.QueryRowContext(ctx, "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?", t.catalog, t.namespace, t.name).Scan(&found)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("catalog %q has no table %s.%s: %w", t.catalog, t.namespace, t.name, fs.ErrNotExist)
		case err == nil && !found.Valid:
			return errs.Errorf(errs.ErrCorrupt, "the table %s.%s has no metadata", t.namespace, t.name)
		}
		location = found.String
		return err
	})
	return location, err
}

// NewLocation returns where a new table goes: below its namespace's location, or the catalog's warehouse. fs.ErrNotExist = there is no such
// namespace.
func (t *SQLTable) NewLocation(ctx context.Context) (location string, err error) {
	err = t.with("ro", func(db *sql.DB) error {
		var n int
		err := db.QueryRowContext(
			ctx, "SELECT (SELECT count(*) FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?) + (SELECT count(*) FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?)",
			t.catalog, t.namespace, t.catalog, t.namespace,
		).Scan(&n)
		if err == nil && n == 0 {
			err = fmt.Errorf("catalog %q has no namespace %s: %w", t.catalog, t.namespace, fs.ErrNotExist)
		}
		if err != nil {
			return err
		}
		var said sql.NullString
		err = db.QueryRowContext(ctx, "SELECT property_value FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ? AND property_key = 'location'", t.catalog, t.namespace).Scan(&said)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		switch {
		case said.String != "":
			location = strings.TrimRight(said.String, "/") + "/" + t.name
		case t.warehouse != "":
			location = t.warehouse + "/" + t.namespace + "/" + t.name
		default:
			return errs.Errorf(errs.ErrOption, "neither the catalog has a property warehouse, nor the namespace %s a location: nothing says where new tables go", t.namespace)
		}
		return nil
	})
	return location, err
}

// Commit makes other metadata the current ones, if the table still has those at from; "" = it does not exist, and is made. ErrConflict = it has
// others; ErrUnknown = nobody knows. Cancelling ctx does not end what has begun.
func (t *SQLTable) Commit(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	var changed int64
	err := t.with("rw", func(db *sql.DB) error {
		statement, values := "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND metadata_location = ?",
			[]any{to, from, t.catalog, t.namespace, t.name, from}
		if from == "" {
			statement, values = "INSERT OR IGNORE INTO iceberg_tables (metadata_location, catalog_name, table_namespace, table_name) VALUES (?, ?, ?, ?)", []any{to, t.catalog, t.namespace, t.name}
		}
		r, err := db.ExecContext(ctx, statement, values...)
		if err == nil {
			changed, err = r.RowsAffected()
		}
		return err
	})
	if err == nil && changed == 0 {
		return fmt.Errorf("%w: the catalog has other metadata", ErrConflict)
	}
	if err == nil {
		return nil
	}
	switch now, lerr := t.Location(ctx); {
	case lerr == nil && now == to:
		return nil
	case lerr == nil && now == from, from == "" && errors.Is(lerr, fs.ErrNotExist):
		return err // SQLite has undone it
	case lerr == nil:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}
