package icebergtable_test

import (
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// inStore are options of a store that knows the environment of a test; stores.Shared may know that of another.
func inStore(t *testing.T, options map[string]string) icebergtable.Options {
	t.Helper()
	st := stores.New(stores.FromEnvironment())
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	o := changing(options)
	o.Stores = st
	return o
}

// remoteRows returns the rows of a table as sorted text.
func remoteRows(t *testing.T, name string, o icebergtable.Options, options map[string]string) (out []string) {
	t.Helper()
	d, err := readers.OpenDataset(t.Context(), []string{name}, readers.Options{Stores: o.Stores, Options: options})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer d.Close()
	rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	for rr.Next() {
		out = append(out, orctext.Rows(rr.Record())...)
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// wholly returns the rows that numbered makes, as remoteRows does.
func wholly(t *testing.T, from, n int) []string {
	_, rec := numbered(t, from, n)
	out := orctext.Rows(rec)
	slices.Sort(out)
	return out
}

// TestS3Directory writes a table without a catalog in S3: made, appended to by several at the same time, its rows deleted, and compacted. Nothing
// is left that no snapshot names.
func TestS3Directory(t *testing.T) {
	s := s3fake.New(t)
	ctx := t.Context()
	const name = "s3a://bucket/db/events"
	for _, version := range []string{"1", "2", "3"} {
		at := name + version
		schema, rec := numbered(t, 0, 10)
		if err := writeTo(ctx, at, inStore(t, mode("create", "iceberg-format-version", version, "iceberg-partition", "bucket(2, id)")), schema, rec); err != nil {
			t.Fatal(err)
		}
		if err := writeTo(ctx, at, inStore(t, mode("create")), schema, rec); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
			t.Errorf("version %s: %v", version, err)
		}
		var all sync.WaitGroup
		for i := range 3 {
			o := inStore(t, mode("append"))
			all.Go(func() {
				for k := range 3 {
					_, rec := numbered(t, 10*(1+3*i+k), 10)
					if err := writeTo(ctx, at, o, schema, rec); err != nil {
						t.Errorf("version %s: %v", version, err)
					}
				}
			})
		}
		all.Wait()
		o := inStore(t, nil)
		if got, want := remoteRows(t, at, o, nil), wholly(t, 0, 100); !slices.Equal(got, want) {
			t.Errorf("version %s: %d rows, not %d: %s", version, len(got), len(want), got)
		}
		if out, err := icebergtable.Delete(ctx, at, o, where(t, "id >= 90")); err != nil || out.Rows != 10 {
			t.Errorf("version %s: %+v, %v", version, out, err)
		}
		if out, err := icebergtable.Compact(ctx, at, inStore(t, nil), icebergtable.CompactOptions{}); err != nil || out.Rewritten < 10 {
			t.Errorf("version %s: %+v, %v", version, out, err)
		}
		if got, want := remoteRows(t, at, o, nil), wholly(t, 0, 90); !slices.Equal(got, want) {
			t.Errorf("version %s: %d rows, not %d", version, len(got), len(want))
		}
		// The data files of versions before the last are there for older snapshots; nothing is hidden or unfinished.
		states := 0
		for key := range s.Objects(t) {
			if strings.Contains(key, ".tmp") {
				t.Errorf("version %s: %s is left", version, key)
			}
			if strings.HasPrefix(key, "db/events"+version+"/metadata/v") && strings.HasSuffix(key, ".metadata.json") {
				states++
			}
		}
		if states != 12 {
			t.Errorf("version %s: %d states, not 12", version, states)
		}
		if hint := string(s.Objects(t)["db/events"+version+"/metadata/version-hint.text"]); hint != "12" {
			t.Errorf("version %s: the hint is %q", version, hint)
		}
	}
}

// TestS3NoCondition refuses a table in a store that makes an object although there is one, by name, before rows are written, and leaves nothing.
func TestS3NoCondition(t *testing.T) {
	for what, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"deaf": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Del("If-None-Match")
			next.ServeHTTP(w, r)
		},
		"501": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Header.Get("If-None-Match") != "" {
				s3fake.Refuse(w, http.StatusNotImplemented, "NotImplemented")
				return
			}
			next.ServeHTTP(w, r)
		},
	} {
		s := s3fake.New(t)
		s.Fault(fault)
		schema, rec := numbered(t, 0, 10)
		err := writeTo(t.Context(), "s3://bucket/t", inStore(t, mode("create")), schema, rec)
		if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "If-None-Match") || !strings.Contains(err.Error(), "iceberg://CATALOG") {
			t.Errorf("%s: %v", what, err)
		}
		if left := s.Objects(t); len(left) > 0 {
			t.Errorf("%s: %d objects are left", what, len(left))
		}
	}
}

// TestS3LostAnswer loses answers to the request that makes a version: the rows are there once.
func TestS3LostAnswer(t *testing.T) {
	s := s3fake.New(t)
	schema, rec := numbered(t, 0, 10)
	if err := writeTo(t.Context(), "s3://bucket/t", inStore(t, mode("create")), schema, rec); err != nil {
		t.Fatal(err)
	}
	var lost atomic.Int32
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, ".metadata.json") && lost.Add(1) == 1 {
			next.ServeHTTP(httptest.NewRecorder(), r)
			s3fake.Break(w)
			return
		}
		next.ServeHTTP(w, r)
	})
	_, rec = numbered(t, 10, 10)
	o := inStore(t, mode("append"))
	if err := writeTo(t.Context(), "s3://bucket/t", o, schema, rec); err != nil {
		t.Fatal(err)
	}
	if got, want := remoteRows(t, "s3://bucket/t", o, nil), wholly(t, 0, 20); lost.Load() == 0 || !slices.Equal(got, want) {
		t.Errorf("%d rows, not %d", len(got), len(want))
	}
	// Answers that never come leave the question open: the files stay.
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "v3.metadata.json") {
			s3fake.Break(w)
			return
		}
		next.ServeHTTP(w, r)
	})
	before := len(s.Objects(t))
	err := writeTo(t.Context(), "s3://bucket/t", o, schema, rec)
	if err == nil || !strings.Contains(err.Error(), "perhaps the table has the rows") || len(s.Objects(t)) <= before {
		t.Errorf("%d objects, %d before: %v", len(s.Objects(t)), before, err)
	}
}

// TestS3Catalogs writes tables in S3 that catalogs keep, one of SQLite and one of REST, by several writers at the same time.
func TestS3Catalogs(t *testing.T) {
	s := s3fake.New(t)
	file := filepath.Join(t.TempDir(), "catalog.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, table_name))",
		"CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key))",
		"INSERT INTO iceberg_namespace_properties VALUES ('mine', 'db', 'exists', 'true')",
	} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rest := &fakeCatalog{t: t, dir: "s3://bucket/rest/t", prefix: "p", put: func(name string, text []byte) error {
		s.Put(t, strings.TrimPrefix(name, "s3://bucket/"), text)
		return nil
	}}
	server := httptest.NewServer(rest)
	defer server.Close()
	for name, catalog := range map[string]string{
		"iceberg://mine/db.t": "uri=sqlite:///" + filepath.ToSlash(file) + "\nwarehouse=s3://bucket/warehouse",
		"iceberg://any/db.t":  "uri=" + server.URL,
	} {
		schema, rec := numbered(t, 0, 10)
		if err := writeTo(t.Context(), name, inStore(t, mode("create", "iceberg-catalog", catalog)), schema, rec); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var all sync.WaitGroup
		for i := range 3 {
			o := inStore(t, mode("append", "iceberg-catalog", catalog))
			all.Go(func() {
				_, rec := numbered(t, 10*(1+i), 10)
				if err := writeTo(t.Context(), name, o, schema, rec); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		all.Wait()
		o := inStore(t, map[string]string{"iceberg-catalog": catalog})
		if got, want := remoteRows(t, name, o, o.Options), wholly(t, 0, 40); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, not %d", name, len(got), len(want))
		}
		if out, err := icebergtable.Delete(t.Context(), name, o, where(t, "id < 5")); err != nil || out.Rows != 5 {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if got, want := remoteRows(t, name, o, o.Options), wholly(t, 5, 35); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, not %d", name, len(got), len(want))
		}
	}
}
