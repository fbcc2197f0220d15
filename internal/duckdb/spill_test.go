//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"os"
	"path/filepath"
	"testing"
)

// What does not fit into memory goes to TempDir, up to TempMax, and nothing else may be read or written there or elsewhere.
func TestSpill(t *testing.T) {
	const sort = "select max(n) from (select row_number() over (order by x) as n from (select hash(i) as x from range(6000000) r(i)))"
	options := func(dir string) Options {
		return Options{Threads: 1, Memory: 32 << 20, TempDir: dir, Catalog: "arrowio", Known: func(string) bool { return false }}
	}
	for name, open := range map[string]func(o Options) (*DB, error){
		"guarded": func(o Options) (*DB, error) { o.Guarded = true; return Open(o) },
		"own":     Open,
		"session": func(o Options) (*DB, error) {
			s, err := NewSession(o)
			if err != nil {
				return nil, err
			}
			return s.db, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "it's")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			db, err := open(options(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			want(t, db, sort, "6000000\n")
			o := options(dir)
			o.TempMax = 1 << 20
			small, err := open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer small.Close()
			if got, err := result(t.Context(), small, sort); err == nil {
				set, _ := result(t.Context(), small, "select current_setting('max_temp_directory_size'), current_setting('memory_limit'), (select sum(size) from duckdb_temporary_files())")
				t.Error("more than TempMax:", got, set)
			}
			secret := filepath.Join(filepath.Dir(dir), "secret")
			if err := os.WriteFile(secret, []byte("a\n1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, sql := range []string{"select * from read_text(" + quote(secret) + ")", "copy (select 1) to " + quote(filepath.Join(filepath.Dir(dir), "out")), "set enable_external_access = true"} {
				if got, err := result(t.Context(), db, sql); err == nil {
					t.Errorf("%s: %s", sql, got)
				}
			}
		})
	}
}
