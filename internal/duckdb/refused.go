//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// refusedFunctions are functions that statements of strangers may not name: they change how the database works, follow a pointer,
// take SQL as text, in which others could be hidden, or open files, which is refused anyway. A test compares them and
// harmlessFunctions with all table functions that DuckDB has.
var refusedFunctions = []string{
	"arrow_scan", "arrow_scan_dumb", "seq_scan", // pointers
	"query", "json_execute_serialized_sql", // SQL as text
	"checkpoint", "force_checkpoint", "disable_logging", "enable_logging", "truncate_duckdb_logs", "write_log", "disable_profiling", "enable_profiling",
	"check_peg_parser", "disable_peg_parser", "enable_peg_parser",
	"glob", "parquet_bloom_probe", "parquet_file_metadata", "parquet_full_metadata", "parquet_kv_metadata", "parquet_metadata", "parquet_schema",
	"parquet_scan", "read_blob", "read_csv", "read_csv_auto", "read_duckdb", "read_json", "read_json_auto", "read_json_objects", "read_json_objects_auto",
	"read_ndjson", "read_ndjson_auto", "read_ndjson_objects", "read_parquet", "read_text", "sniff_csv", "which_secret",
	"sleep_ms", "test_all_types", "test_vector_types", "sql_auto_complete", "getenv",
}

// explainable are the words that statements begin with that read rows.
var explainable = []string{"select", "from", "with", "values", "table", "(", "describe", "show", "summarize", "pivot", "unpivot"}

// reading are the words that statements of strangers begin with, unless they are known to change a session.
var reading = append([]string{"explain", "desc", "pragma", "pivot_wider", "pivot_longer"}, explainable...)

// explained returns the statement behind EXPLAIN, as it is written.
func explained(sql string) (rest string, explains bool) {
	if firstWord(sql) != "explain" {
		return "", false
	}
	depth, first := 0, -1 // first: tokens behind EXPLAIN
	for _, t := range lex(sql) {
		switch {
		case t.kind == blank:
		case first < 0: // EXPLAIN
			first = 0
		case depth > 0:
			if t.text == ")" {
				depth--
			}
			first++
		case strings.EqualFold(t.text, "analyze"), strings.EqualFold(t.text, "verbose"):
			first++
		case first == 0 && t.text == "(" && !slices.Contains(explainable[:4], firstWord(sql[len(t.text):])): // options
			depth++
			first++
		default:
			return sql, true
		}
		sql = sql[len(t.text):]
	}
	return "", true
}

// words are the tokens of a statement, without blanks.
func words(sql string) (out []string) {
	for _, t := range lex(sql) {
		if t.kind != blank {
			out = append(out, t.text)
		}
	}
	return append(out, "") // there is always one
}

func firstWord(sql string) string { return strings.ToLower(words(sql)[0]) }

// refusedFunction returns an error for a statement that names one of them, in quotes or without: what is followed by a parenthesis
// and is neither text nor a comment.
func refusedFunction(sql string) error {
	if rest, explains := explained(sql); explains && !slices.Contains(explainable, firstWord(rest)) {
		return errs.Errorf(errs.ErrOption, "sql: EXPLAIN is for statements that read rows")
	}
	name := ""
	for _, t := range lex(sql) {
		switch {
		case t.kind == blank:
		case t.text == "(" && slices.Contains(refusedFunctions, name):
			return errs.Errorf(errs.ErrOption, "sql: Permission Error: the function %s may not be used: SQL reads the datasets of the catalog and nothing else", name)
		default:
			name = strings.ToLower(strings.ReplaceAll(strings.Trim(t.text, `"`), `""`, `"`))
		}
	}
	return nil
}
