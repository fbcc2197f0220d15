//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
)

// attempts are statements that reach for what is not in the catalog. SECRET is a file of the server, OUT a name for a new one, DIR
// the directory of both. TEMP is DuckDB's own directory, with a secret in it, too.
var attempts = []string{
	// Reading files.
	"select * from 'SECRET'", `select * from "SECRET" order by 1`, "select * from arrowio('SECRET')", "select * from arrowio('file://SECRET')",
	"select * from arrowio('DIR/*')", "select * from arrowio('SECRET', format := 'csv')", "select * from read_csv('SECRET')",
	"select * from read_csv_auto('SECRET')", "select * from read_csv(['SECRET'])", "select * from sniff_csv('SECRET')",
	"select * from read_text('SECRET')", "select * from read_blob('SECRET')", "select * from read_text(['SECRET', 'SECRET'])",
	"select content from read_text('DIR/*')", "select * from glob('DIR/*')", "select * from glob('/*')", "select * from read_json('SECRET')",
	"select * from read_json_auto('SECRET')", "select * from read_json_objects('SECRET')", "select * from read_ndjson('SECRET')",
	"select * from read_ndjson_objects('SECRET')", "select * from read_ndjson_auto('SECRET')", "select * from read_parquet('SECRET')",
	"select * from read_parquet(['SECRET'])", "select * from parquet_scan('SECRET')", "select * from parquet_metadata('SECRET')",
	"select * from parquet_schema('SECRET')", "select * from parquet_file_metadata('SECRET')", "select * from parquet_kv_metadata('SECRET')",
	"select * from parquet_bloom_probe('SECRET', 'a', 1)", "select * from read_duckdb('SECRET')", "select * from query_table('SECRET')",
	"select * from query('from read_text(''SECRET'')')", "select * from query('copy (select 1) to ''OUT''')",
	"from (from read_text('SECRET'))", "with x as materialized (from read_text('SECRET')) from x", "select (select content from read_text('SECRET'))",
	"describe select * from read_text('SECRET')", "summarize select * from read_text('SECRET')", "explain analyze select * from read_text('SECRET')",
	"select * from json_execute_serialized_sql(json_serialize_sql('select * from read_text(''SECRET'')'))",
	"pragma json_execute_serialized_sql(json_serialize_sql('select * from read_text(''SECRET'')'))",
	"select * from 'SECRET.csv' order by 1", "select * from 'SECRET.parquet' order by 1", "select * from 'SECRET.json' order by 1",
	"select * from 'customers/../SECRET' order by 1", "select * from '../../../../../../../../SECRET' order by 1", "select * from main.'SECRET'",
	"pivot read_text('SECRET') on filename using max(content)", "select * from read_csv('/proc/self/environ')", "select * from read_text('/proc/self/maps')",
	"select getenv('HOME')", "select * from which_secret('s3://x', 's3')",
	// The directory for what does not fit into memory is the one that DuckDB may use.
	"select * from read_text('TEMP/secret')", "select * from read_csv('TEMP/secret')", "select * from glob('TEMP/*')", "select * from 'TEMP/secret.csv' order by 1", "select * from arrowio('TEMP/secret.csv')",
	"copy (select 1) to 'TEMP/out'", "copy customers to 'TEMP/out.parquet'", "attach 'TEMP/out.db' as x", "export database 'TEMP/out'", "explain analyze copy (select 1) to 'TEMP/out'", "load 'TEMP/secret'",
	"copy (select 1) to 'TEMP/../out'", "select * from read_text('TEMP/../../secret')",
	// The network.
	"select * from 'https://127.0.0.1:1/x.csv' order by 1", "select * from read_csv('http://127.0.0.1:1/x')", "select * from read_parquet('s3://b/x')",
	"select * from arrowio('s3://b/x')", "select * from arrowio('hdfs://127.0.0.1:1/x')", "select * from arrowio('hive://127.0.0.1:1/a.b')",
	"select * from arrowio('iceberg://c/a.b')", "select http_get('http://127.0.0.1:1')",
	// Memory of the process.
	"select * from arrow_scan(1, 2, 3)", "select * from arrow_scan_dumb(4096::pointer, 4096::pointer, 4096::pointer)", `select * from system.main."ARROW_scan" (0, 0, 0)`, "select * from seq_scan()",
	// Writing files.
	"copy (select 1) to 'OUT'", "copy customers to 'OUT' (format csv)", "copy (select 1) to 'OUT' (format parquet)", "copy customers from 'SECRET'",
	"copy (select 1) to '/dev/stdout'", "explain analyze copy (select 1) to 'OUT'", "export database 'OUT'", "import database 'DIR'",
	"copy from database arrowio to memory", "create table t as select 1", "insert into customers values (1, 'x')", "update customers set name = 'x'",
	"delete from customers", "truncate customers", "merge into customers using (select 1 as customer) x using (customer) when matched then delete",
	"drop view customers", "alter table customers rename to x", "with x as (select 1) insert into customers from x",
	// Databases, extensions, secrets.
	"attach 'OUT' as x", "attach 'OUT.db'", "attach ':memory:' as x", "attach 'postgres:host=127.0.0.1' as p (type postgres)", "detach memory", "use memory",
	"install httpfs", "load httpfs", "force install httpfs", "load 'SECRET'", "install 'SECRET'", "install x from 'http://127.0.0.1:1'", "update extensions",
	"create secret s (type s3, key_id 'a', secret 'b')", "create persistent secret s (type s3, key_id 'a')", "drop secret s",
	// What DuckDB 1.5 has of such functions, by other names and ways.
	"select * from parquet_full_metadata('SECRET')", "select * from query_table(['SECRET'])", "select * from query_table('SECRET', true)", `select * from system.main.read_text('SECRET')`,
	`select * from "READ_TEXT" ('SECRET')`, "select * from read_text /* a */ ('SECRET')", "select * from read_text -- a\n('SECRET')", "from read_text('SECRET') as x(a, b, c, d)",
	"select x from (values ('SECRET')) t(x), lateral read_text(x)", "select (from read_blob('SECRET') select content)", "select list(content) from read_text('SECRET')",
	"select * from 'SECRET.csv' union all select * from 'SECRET.csv'", "from 'file:SECRET.csv'", "from 'file://localhostSECRET.csv'", "from 'DIR/*.csv'", "from 'DIR/**/secret.csv'", "from 'gs://b/x.parquet'",
	"from 'hf://datasets/a/b.parquet'", "from 'az://b/x.csv'", "describe 'SECRET.csv'", "summarize 'SECRET.csv'", "describe table 'SECRET.csv'", "show databases from 'SECRET'",
	"with recursive x as (from 'SECRET.csv' union all from x) from x limit 1", "pivot 'SECRET.csv' on a using count(*)", "select columns(*) from 'SECRET.csv' order by all", "from customers positional join 'SECRET.csv'",
	"select exists(from 'SECRET.csv')", "select * from customers where name in (from read_csv('SECRET') select a)", "copy (from customers) to 'OUT' (format json)", "copy customers to 'OUT' (partition_by (customer), format csv)",
	"copy (select 1) to 'OUT' with (return_files)", "from (copy (select 1) to 'OUT')", "attach 'SECRET' as x (read_only)", "attach or replace 'OUT' as customers", "attach 'ducklake:OUT' as d", "attach 'sqlite:SECRET' as s",
	"install spatial from community", "select * from duckdb_secrets(redact => false) where error('none')", "from arrowio_none('SECRET')", "execute immediate 'select 1'", "set session authorization x",
	"pragma database_list('SECRET')", "pragma import_database('DIR')", "pragma copy_database('a', 'b')", "call read_text('SECRET')", "call glob('DIR/*')", "pragma read_csv('SECRET')", "pragma user_agent = 'x'",
	"select * from sql_auto_complete('select * from ''DIR/')", "call sql_auto_complete('select * from ''DIR/')", "select * from sleep_ms(1)", "select write_log('x')", "select * from test_vector_types(NULL::int)",
	// Settings.
	"set enable_external_access = true", "set global enable_external_access = true", "set lock_configuration = false", "reset lock_configuration",
	"pragma enable_external_access = true", "set memory_limit = '1TB'", "pragma memory_limit = '1TB'", "set threads = 1000", "pragma threads = 1000",
	"set temp_directory = 'DIR'", "set allowed_directories = ['DIR']", "set allowed_paths = ['SECRET']", "set allowed_configs = ['threads']",
	"set autoload_known_extensions = true", "set custom_extension_repository = 'http://127.0.0.1:1'", "set allow_unsigned_extensions = true",
	"set log_query_path = 'OUT'", "pragma enable_profiling", "set profiling_output = 'OUT'", "pragma profiling_output = 'OUT'", "set home_directory = 'DIR'",
	"set secret_directory = 'DIR'", "set file_search_path = 'DIR'", "set http_proxy = '127.0.0.1:1'", "set variable x = (select content from read_text('SECRET'))",
	"set disabled_optimizers = 'filter_pushdown'", "set profile_output = 'OUT'", "pragma enable_logging", "call enable_logging('QueryLog', storage = 'file', storage_path = 'DIR')",
	"select * from enable_logging('QueryLog', storage = 'file', storage_path = 'OUT')", "select * from enable_logging(level = 'debug', storage_path = 'OUT', storage = 'file')",
	"call enable_profiling(save_location = 'OUT')", "select * from enable_profiling(save_location = 'OUT')",
	// Statements inside of others, and several at once.
	"prepare x as copy (select 1) to 'OUT'", "execute x", "deallocate x", "explain analyze create table t as select 1", "explain analyze attach 'OUT' as x",
	"select 1; copy (select 1) to 'OUT'", "select 1; set threads = 1000; select 2", "begin", "commit", "rollback", "begin; select 1", "call pragma_version()",
	"create macro f() as table from read_text('SECRET')", "create temp view v as from read_text('SECRET')", "create function f() as 1", "create schema s", "create sequence s",
	"create type e as enum ('a')", "comment on view customers is 'x'", "checkpoint", "force checkpoint", "vacuum", "analyze", "create index i on customers (customer)",
}

// databaseDir is the name of the directory that each database has for what does not fit into memory.
var databaseDir = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bdb-[A-Z2-7]{26}\b`) })

// None of the attempts to get out of the catalog succeeds: nothing of a file comes back, no file is made, and no settings change.
func TestQueryAttempts(t *testing.T) {
	if len(attempts) < 200 {
		t.Fatalf("%d attempts", len(attempts))
	}
	tryAttempts(t, sqlClient, attempts)
}

// tryAttempts tries attempts as queries and as updates.
func tryAttempts(t *testing.T, client func(*testing.T, string) *flightsql.Client, attempts []string) {
	dir, _ := queryFiles(t, 100)
	place := t.TempDir()
	secret := filepath.Join(place, "secret")
	const mark = "of-no-catalog"
	for _, name := range []string{secret, secret + ".csv", secret + ".json", secret + ".parquet"} {
		if err := os.WriteFile(name, []byte("a,b\n"+mark+",2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	temp := t.TempDir()
	c := client(t, sqlServing(t, "--sql-temp", temp, "customers="+filepath.Join(dir, "customers.trv")))
	settings := func() string {
		t.Helper()
		got, err := askServed(t, c, "select name, value from duckdb_settings() order by name")
		if err != nil {
			t.Fatal(err)
		}
		return databaseDir().ReplaceAllString(got, "db-")
	}
	own, err := askServed(t, c, "select current_setting('temp_directory')")
	if err != nil {
		t.Fatal(err)
	}
	own = strings.TrimSpace(own)
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "secret.csv"} {
		if err := os.WriteFile(filepath.Join(own, name), []byte("a,b\n"+mark+",2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := settings()
	for _, text := range attempts {
		sql := strings.NewReplacer("SECRET", secret, "OUT", filepath.Join(place, "out"), "DIR", place, "TEMP/", own+"/").Replace(text)
		got, err := askServed(t, c, sql)
		if err == nil {
			t.Errorf("%s is answered: %.200s", text, got)
		}
		if strings.Contains(got, mark) || err != nil && strings.Contains(err.Error(), mark) {
			t.Errorf("%s gives the file away: %s, %v", text, got, err)
		}
		if _, err := c.ExecuteUpdate(t.Context(), sql); err == nil {
			t.Errorf("%s is done", text)
		}
	}
	if after := settings(); after != before {
		t.Errorf("settings have changed:\n%s\n%s", before, after)
	}
	made, err := os.ReadDir(place)
	if err != nil || len(made) != 4 {
		t.Error("files were made:", made, err)
	}
	if made, err := os.ReadDir(own); err != nil || len(made) != 2 {
		t.Error("files were made:", made, err)
	}
	if got, err := askServed(t, c, "select count(*), max(name) from customers"); err != nil || got != "5|n4\n" {
		t.Error("the catalog is not what it was:", got, err)
	}
}
