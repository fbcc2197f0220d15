//go:build !duckdb_extension

package main

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestKeyword(t *testing.T) {
	for want, o := range map[string]errs.Option{
		`orc_strings="binary"`: errs.Opt("orc-strings", "binary"),
		"orc_keys":             errs.Opt("orc-keys", ""),
		`format="kudu"`:        errs.Opt("from", "kudu"),
		"format":               errs.Opt("to", ""),
		`parquet_int96="us"`:   errs.Opt("parquet-int96", "us"),
		`partitions="none"`:    errs.Opt("partitions", "none"),
		"--exclude":            errs.Opt("exclude", ""),
		"memory":               errs.Opt("memory", ""),
		`timestamp_unit="us"`:  errs.Opt("timestamp-unit", "us"),
	} {
		if got := keyword(o); got != want {
			t.Errorf("%v is %s, want %s", o, got, want)
		}
	}
	for text, want := range map[string]string{
		"comes back as utf8 unless --dictionary is given":            "comes back as utf8 unless dictionary is given",
		"(Go: with --timestamp-unit=us), or --orc-strings":           `(Go: with timestamp_unit="us"), or orc_strings`,
		"the server's --fs_wal_dir, --exclude, --sort-by and --from": "the server's --fs_wal_dir, --exclude, --sort-by and format",
		"-- and ---where": "-- and ---where",
	} {
		if got := respelled(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	err := errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8: %w shows its bytes", errs.Opt("orc-strings", "binary"))
	const want = `a string is not UTF-8: orc_strings="binary" shows its bytes`
	if got := describe(err).Message; got != want {
		t.Error(got)
	}
	if got := (worded{err}).Error(); got != want {
		t.Error(got)
	}
}
