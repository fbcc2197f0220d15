package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// jsonName is a name of a column in a line of JSON.
var jsonName = regexp.MustCompile(`"[^"]*":`)

// Whatever bit of a file is another: verify finds it, or says that something has no checksum, or the rows are the same. The names
// of Trevni's columns are in a header of which verify's help says that it has no checksum.
func TestVerifyFlips(t *testing.T) {
	if help := ok(t, "verify", "--help"); !strings.Contains(help, "names of columns") {
		t.Error(help)
	}
	made := t.TempDir()
	csv := filepath.Join(made, "t.csv")
	if err := os.WriteFile(csv, []byte("id,name,x\n1,one,0.5\n2,two,1.5\n3,three,2.5\n4,,3.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sums := filepath.Join(made, "sums.parquet")
	ok(t, "convert", csv, sums)
	for _, c := range []struct {
		file string
		says string // of the file as it is; "" = everything has checksums
	}{
		{sums, ""},
		{"../../testdata/orc/java-2.3.1/tiny-none.orc", "no column has a checksum"},
		{"../../testdata/orc/java-2.3.1/tiny-zlib.orc", "no column has a checksum"},
		{"../../testdata/trevni/foreign/null-codec-true-crc.trv", ""},
		{"../../testdata/trevni/foreign/crc-little-endian.trv", ""},
		{"../../testdata/trevni/java-1.12.1/prim-null-crc32.trv", "no column has a checksum"},
		{"../../testdata/corrupt/cfile/no-checksums.cfile", "the file has no checksums"},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			data, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), filepath.Base(c.file))
			put := func(b []byte) {
				if err := os.WriteFile(file, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			put(data)
			want := file + ": ok\n"
			if c.says != "" {
				want = file + ": ok (" + c.says
			}
			if got := ok(t, "verify", file); !strings.HasPrefix(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
			rows := ok(t, "cat", "--format", "jsonl", file)
			const flips = 60
			found, said, same := 0, 0, 0
			for k := range min(flips, len(data)) {
				at := k * len(data) / min(flips, len(data))
				b := append([]byte(nil), data...)
				b[at] ^= 1 << (k % 8)
				put(b)
				o := do(t, "verify", file)
				switch {
				case o.code != 0:
					found++
				case !strings.HasSuffix(o.out, ": ok\n"):
					said++
				default:
					same++
					got := do(t, "cat", "--format", "jsonl", file)
					was := rows
					if filepath.Ext(file) == ".trv" {
						got.out, was = jsonName.ReplaceAllString(got.out, ""), jsonName.ReplaceAllString(was, "")
					}
					if got.code != 0 || got.out != was {
						t.Errorf("byte %d, bit %d: verify says %q, and the rows are others: %s", at, k%8, o.out, got.err)
					}
				}
			}
			t.Logf("%d found, %d told to have no checksum, %d without effect", found, said, same)
		})
	}
}
