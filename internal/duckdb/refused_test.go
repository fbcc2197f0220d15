//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// harmlessFunctions are table functions that only make rows, of what they are given or of what the database of a statement has.
var harmlessFunctions = strings.Fields(`arrowio duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
	duckdb_databases duckdb_dependencies duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts
	duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas duckdb_secret_types
	duckdb_secrets duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types duckdb_variables duckdb_views
	generate_series histogram histogram_values icu_calendar_names json_each json_tree pg_timezone_names pragma_collations pragma_database_size
	pragma_metadata_info pragma_platform pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version query_table range repeat repeat_row
	summary unnest`)

// Of every table function of this DuckDB it is known whether strangers may use it.
func TestTableFunctions(t *testing.T) {
	db := open(t, nil)
	got, err := result(context.Background(), db, "select distinct function_name from duckdb_functions() where function_type in ('table', 'table_macro') order by 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(got) {
		if slices.Contains(harmlessFunctions, name) == slices.Contains(refusedFunctions, name) {
			t.Errorf("%s: may it be used by strangers?", name)
		}
	}
}

func TestRefusedFunction(t *testing.T) {
	for _, sql := range []string{
		"from enable_logging('x')", `from "ENABLE_Logging" ('x')`, "from system.main.arrow_scan /* ( */ (1, 2, 3)", "select * from query -- x\n('select 1')",
		"select 'x', $$a$$ from 'x'.read_text()", "select * from t, lateral (from read_csv\t('x'))",
	} {
		if refusedFunction(sql) == nil {
			t.Error(sql)
		}
	}
	for _, sql := range []string{
		"select query from t", "select 'query(1)'", "select query, (1)", "-- query(1)\nselect 1", "select $$query(1)$$", `select "query" from t`, "from query_table('t')",
	} {
		if err := refusedFunction(sql); err != nil {
			t.Error(sql, err)
		}
	}
}

// A statement of strangers is described, and bound values reach the scan's filter.
func TestDescribe(t *testing.T) {
	var scanned []expr.Expr
	rec := build(t, []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, "[1, 2, 3]", `["a", "b", "c"]`)
	guarded := func() *DB {
		db, err := Open(Options{
			Threads: 1, Guarded: true, Catalog: "c", Views: []string{"xs", "broken"}, Known: func(string) bool { return true },
			Open: func(_ context.Context, name string, _ map[string][]string) (Table, error) {
				if name != "xs" {
					return nil, context.Canceled
				}
				return &fake{rec: rec, times: 1, scanned: &scanned}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		return db
	}
	d, err := guarded().Describe(context.Background(), "select id + 1 as n, s, $2 as p from xs where id = $1")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Result.String() + d.Parameters.String(); len(scanned) > 0 || !strings.Contains(got, "n: type=int64") || !strings.Contains(got, "- p: type=") || d.Parameters.Field(0).Type.ID() != arrow.INT64 || d.Parameters.NumFields() != 2 {
		t.Error(got, scanned)
	}
	values, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.String}}, nil),
		strings.NewReader(`[{"a": 2, "b": "it's"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer values.Release()
	for _, sql := range []string{"select id, s, ? from xs where id = ?", "select id, s, $2 from xs where id = $1", "select id, s, $b from xs where id = $a"} {
		scanned = nil
		if strings.Contains(sql, "?") {
			sql = "select id, s, 'it''s' from xs where id = ? and ? = 'it''s'"
		}
		text, err := Bind(sql, values, 0)
		if err != nil {
			t.Fatal(err)
		}
		want(t, guarded(), text, "2|b|it's\n")
		if len(scanned) != 1 || scanned[0] == nil || !strings.Contains(scanned[0].String(), "id = 2") {
			t.Errorf("%s is filtered by %v", text, scanned)
		}
	}
	want(t, guarded(), "select table_catalog, table_name from information_schema.tables", "c|xs\n")
	for _, sql := range []string{"select 1; select 2", "create table t as select 1", "set threads = 3", "from enable_profiling()", "select ?"} {
		if _, err := result(context.Background(), guarded(), sql); err == nil {
			t.Errorf("%s is answered", sql)
		}
	}
}
