package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// TestVerifyWithoutChecksums flips bits of files without checksums, and of one that has some: whatever verify does not find,
// it must not claim to have checked.
func TestVerifyWithoutChecksums(t *testing.T) {
	made := t.TempDir()
	parquet, csv := "../../testdata/parquet/pyarrow-26.0.1/types.parquet", filepath.Join(made, "t.csv")
	write := func(file string, b []byte) {
		t.Helper()
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(csv, []byte("id,name\n1,one\n2,two\n3,three\n"))
	for _, to := range []string{"t.arrow", "t.arrows", "t.jsonl"} {
		ok(t, "convert", csv, filepath.Join(made, to))
	}
	for _, c := range []struct{ name, file, says string }{
		{"trevni", "../../testdata/trevni/java-1.12.1/prim-absent-absent.trv", "no column has a checksum"},
		{"orc", "../../testdata/orc/java-2.3.1/pruning.orc", "no column has a checksum"},
		{"parquet", parquet, "no page has a checksum"},
		{"cfile", "../../testdata/corrupt/cfile/no-checksums.cfile", "the file has no checksums"},
		{"ipc", filepath.Join(made, "t.arrow"), "ipc keeps no checks of its own"},
		{"ipc-stream", filepath.Join(made, "t.arrows"), "ipc-stream keeps no checks of its own"},
		{"csv", csv, "csv keeps no checks of its own"},
		{"jsonl", filepath.Join(made, "t.jsonl"), "jsonl keeps no checks of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), filepath.Base(c.file))
			write(file, data)
			if got := ok(t, "verify", file); !strings.HasPrefix(got, file+": ok ("+c.says+"; all ") {
				t.Errorf("%q", got)
			}
			var doc verifyReport
			if err := json.Unmarshal([]byte(ok(t, "verify", "--json", file)), &doc); err != nil {
				t.Fatal(err)
			}
			if v := doc.Files[0]; v.Rows == nil || *v.Rows == 0 || v.Method == "checks" && (v.Checksums == nil || v.Checksums.With != 0 || v.Checksums.Parts == 0) {
				t.Errorf("%+v", v)
			}
			for k := 0; k < 24; k += sampled {
				damaged := append([]byte(nil), data...)
				damaged[len(data)*(k+1)/25] ^= 1 << (k % 8)
				write(file, damaged)
				o := do(t, "verify", file)
				if o.code == 0 && strings.Contains(o.out, ": ok\n") {
					t.Errorf("flip %d: %q", k, o.out)
				}
			}
		})
	}
}

// TestVerifyTablesWithoutChecksums verifies tables: what a table is made of has checksums or not.
func TestVerifyTablesWithoutChecksums(t *testing.T) {
	acid := filepath.Join(t.TempDir(), "table")
	acidTable(t, acid) // of which nanoseconds cannot hold a time
	schema := `{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id__mono","required":false,"type":"long"}]}`
	for _, c := range []struct {
		name, says string
		args       []string
	}{
		{"acid", "no column has a checksum; all 2 rows decode)", []string{acid}},
		{"iceberg", "no column has a checksum; all ", []string{"--orc-iceberg-schema", schema, "../../testdata/orc/java-2.3.1/pruning.orc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ok(t, append([]string{"verify"}, c.args...)...); !strings.Contains(got, ": ok ("+c.says) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestVerifyUndecoded verifies files with columns that cannot be decoded.
func TestVerifyUndecoded(t *testing.T) {
	for _, c := range []struct {
		v    verdict
		says string
	}{
		{verdict{Method: "checks", Undecoded: []string{"v"}, Rows: new(int64), Checksums: &arrowio.Checksums{Unit: "page", Parts: 2, With: 2}}, "column v cannot be decoded and was not checked; all 0 rows of the other columns decode"},
		{verdict{Method: "checks", Undecoded: []string{"v", "w"}, Checksums: &arrowio.Checksums{Unit: "page", Parts: 2, With: 1}}, "1 of 2 pages have no checksum; 2 columns cannot be decoded and were not checked: v, w; all rows of the other columns decode"},
		{verdict{Method: "checks", Checksums: &arrowio.Checksums{Unit: "block", Parts: 7, With: 7}}, ""},
	} {
		if got := strings.Join(c.v.reserves(), "; "); got != c.says {
			t.Errorf("%q, want %q", got, c.says)
		}
	}
}

// Verify does not say "ok" alone where a part could not be checked.
func TestVerifySaysWhatItDidNot(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "e.orc")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		empty: "nothing was checked",
		"../../testdata/orc/java-2.3.1/encrypted-0-none.orc": "the encrypted values of card__mix__r10, ssn__seq were not checked",
	} {
		if o := do(t, "verify", path); o.code != 0 || !strings.Contains(o.out, want) {
			t.Errorf("%s: %+v", path, o)
		}
	}
}
