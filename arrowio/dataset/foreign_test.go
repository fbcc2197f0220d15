package dataset

import (
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// What is recognised and not read is named, with an extension that is known and without.
func TestForeignFormatsAreNamed(t *testing.T) {
	for content, want := range map[string]string{
		"RCF\x01\x00more of it":                       "an RCFile of Hive",
		"SEQ\x06\x22org.apache.hadoop":                "a SequenceFile of Hadoop",
		"data of it \x02\x00\x01\x00LANC":             "a Lance file",
		"SQLite format 3\x00":                         "an SQLite database",
		"12345678DUCK4567":                            "a DuckDB database",
		"PK\x03\x04\x14\x00\x06\x00":                  "a zip archive, or a workbook of Excel (.xlsx)",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00":    "a workbook of Excel (.xls)",
		"\x89HDF\r\n\x1a\n\x00\x00\x00":               "an HDF5 file",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00":            "compressed with gzip",
		"\x04\x22\x4d\x18\x64\x40\xa7\x00":            "compressed with lz4",
		"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00":        "a binary COPY of PostgreSQL",
		"no format begins like this, or ends like it": "unknown format",
	} {
		b := []byte(content)
		_, err := Sniff(formats(), b, b, "some.dat")
		if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}
