//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// all reads the rows of a statement, and returns their number.
func all(ctx context.Context, db *DB, sql string) (n int64, err error) {
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += rec.NumRows()
		rec.Release()
	}
}

// Values that Arrow cannot hold are refused with the column and what to do, at any depth; DuckDB itself has others in their place, without a word.
func TestWhatCannotLeave(t *testing.T) {
	db := open(t, nil)
	for sql, says := range map[string]string{
		"to_microseconds(9223372036854775807)":                  "292 years",
		"to_microseconds(-9223372036854776)":                    "292 years",
		"to_microseconds(2305843009213693952)":                  "292 years", // 2⁶¹, which is 0 nanoseconds in 64 bits
		"to_microseconds(-2305843009213693952)":                 "292 years",
		"[INTERVAL 1 DAY, to_microseconds(9223372036854776)]":   "292 years",
		"MAP {'k': {'a': [to_microseconds(9223372036854776)]}}": "292 years",
		"union_value(a := to_microseconds(9223372036854776))":   "292 years",
		"[to_microseconds(9223372036854776)]::INTERVAL[1]":      "292 years",
		"170141183460469231731687303715884105727::HUGEINT":      "38 digits",
		"(-170141183460469231731687303715884105727)::HUGEINT":   "38 digits",
		"-100000000000000000000000000000000000000::HUGEINT":     "38 digits",
		"340282366920938463463374607431768211455::UHUGEINT":     "38 digits",
		"100000000000000000000000000000000000000::UHUGEINT":     "38 digits",
		"'24:00:00'::TIME":          "no time of a day",
		"'24:00:00'::TIME_NS":       "no time of a day",
		"'infinity'::DATE":          "infinite",
		"'-infinity'::TIMESTAMP":    "infinite",
		"'infinity'::TIMESTAMP_S":   "infinite",
		"'infinity'::TIMESTAMP_MS":  "infinite",
		"'infinity'::TIMESTAMP_NS":  "infinite",
		"'-infinity'::TIMESTAMPTZ":  "infinite",
		"{'a': ['infinity'::DATE]}": "infinite",
		"'12:00:00+05:30'::TIMETZ":  "TIME WITH TIME ZONE",
		"'0101'::BIT":               "BIT",
		"[1::BIGNUM]":               "BIGNUM",
		"1::VARIANT":                "VARIANT",
	} {
		_, err := all(t.Context(), db, "SELECT 1 AS first, "+sql+" AS c")
		var e *errs.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Column, "c") || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "VARCHAR") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"to_microseconds(9223372036854775)", "to_microseconds(-9223372036854775)", "INTERVAL 300 YEAR", "[INTERVAL 400 YEAR, NULL]", "NULL::INTERVAL",
		"99999999999999999999999999999999999999::HUGEINT", "-99999999999999999999999999999999999999::HUGEINT", "99999999999999999999999999999999999999::UHUGEINT",
		"18446744073709551615::UHUGEINT", "'23:59:59.999999'::TIME", "'infinity'::DOUBLE", "'5881580-07-10'::DATE", "'294247-01-10 04:00:54.775806'::TIMESTAMP", "NULL::DATE",
	} {
		if n, err := all(t.Context(), db, "SELECT "+sql); err != nil || n != 1 {
			t.Errorf("%s: %d rows, %v", sql, n, err)
		}
	}
	// DuckDB's own table of its types has their least and greatest values; these columns have some that Arrow cannot hold.
	refused := []string{"hugeint", "uhugeint", "bignum", "time", "time_ns", "time_tz", "bit", "date_array", "timestamp_array", "timestamptz_array"}
	names := allTypes(t, db)
	for _, name := range names {
		n, err := all(t.Context(), db, "SELECT "+quoteName(name)+" FROM test_all_types()")
		if want := slices.Contains(refused, name); want != (err != nil) || err == nil && n != 3 {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
	}
	if len(names) < 50 {
		t.Errorf("%d types", len(names))
	}
}

func allTypes(t *testing.T, db *DB) (names []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT column_name FROM (DESCRIBE SELECT * FROM test_all_types())")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	rec, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	for i := range int(rec.NumRows()) {
		names = append(names, strings.Clone(rec.Column(0).(*array.String).Value(i)))
	}
	return names
}
