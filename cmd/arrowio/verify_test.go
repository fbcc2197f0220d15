package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerifyWithoutChecksums flips bits of files without checksums: whatever verify does not find, it must not claim to
// have checked.
func TestVerifyWithoutChecksums(t *testing.T) {
	for _, c := range []struct{ name, file, says string }{
		{"trevni", "../../testdata/trevni/java-1.12.1/prim-absent-absent.trv", "no column has a checksum"},
		{"orc", "../../testdata/orc/java-2.3.1/pruning.orc", "no column has a checksum"},
		{"parquet", "../../testdata/parquet/pyarrow-26.0.1/types.parquet", "no page has a checksum"},
		{"cfile", "../../testdata/corrupt/cfile/no-checksums.cfile", "the file has no checksums"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), filepath.Base(c.file))
			write := func(b []byte) {
				if err := os.WriteFile(file, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(data)
			if got := ok(t, "verify", file); !strings.HasPrefix(got, file+": ok ("+c.says+"; all ") {
				t.Errorf("%q", got)
			}
			var doc verifyReport
			if err := json.Unmarshal([]byte(ok(t, "verify", "--json", file)), &doc); err != nil {
				t.Fatal(err)
			}
			if v := doc.Files[0]; v.Checksums == nil || v.Checksums.With != 0 || v.Checksums.Parts == 0 || v.Rows == nil || *v.Rows == 0 {
				t.Errorf("%+v", v)
			}
			for k := range 24 {
				damaged := append([]byte(nil), data...)
				damaged[len(data)*(k+1)/25] ^= 1 << (k % 8)
				write(damaged)
				o := do(t, "verify", file)
				if o.code == 0 && strings.Contains(o.out, ": ok\n") {
					t.Errorf("flip %d: %q", k, o.out)
				}
			}
		})
	}
}
