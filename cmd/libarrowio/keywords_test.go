package main

import "testing"

func TestKeywords(t *testing.T) {
	for _, c := range [][2]string{
		{"a string is not UTF-8: --orc-strings=binary shows its bytes", `a string is not UTF-8: orc_strings="binary" shows its bytes`},
		{"shown masked (--orc-keys)", "shown masked (orc_keys)"},
		{"name the format with --from kudu", `name the format with format="kudu"`},
		{"name the format with --to", "name the format with format"},
		{"the content matches a or b; choose one with --from", "the content matches a or b; choose one with format"},
		{"--parquet-int96=us cuts such digits off", `parquet_int96="us" cuts such digits off`},
		{"leave out --from orc (why)", `leave out format="orc" (why)`},
		{"read them apart, or with --partitions=none as files", `read them apart, or with partitions="none" as files`},
		{"name those that --fs_data_dirs of the server names", "name those that --fs_data_dirs of the server names"},
		{"the file a--from/b--where", "the file a--from/b--where"},
		{"--jobs or --memory", "jobs or memory"},
	} {
		if got := keywords(c[0]); got != c[1] {
			t.Errorf("%s\nis  %s\nnot %s", c[0], got, c[1])
		}
	}
}
