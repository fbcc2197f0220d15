package dataset

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// compressor names the program that compressed a file with these first bytes; "" = none that is known. Formats of text read some of
// these: they are known by their extension.
func compressor(head []byte) string {
	for magic, name := range map[string]string{
		"\x1f\x8b\x08": "gzip", "BZh": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd", "\x04\x22\x4d\x18": "lz4", "7z\xbc\xaf\x27\x1c": "7-Zip",
		"\xff\x06\x00\x00sNaPpY": "snappy's framing", "\x89LZO\x00\r\n\x1a\n": "lzop",
	} {
		if strings.HasPrefix(string(head), magic) {
			return name
		}
	}
	return ""
}

// readsPacked reports whether a format reads files that a program for any file has compressed: its extensions say so.
func readsPacked(f arrowio.Format, packer string) bool {
	ext, ok := map[string]string{"gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst"}[packer]
	return ok && slices.ContainsFunc(f.Extensions, func(e string) bool { return strings.HasSuffix(e, ext) })
}

// packedError is the error of a file that a program for any file has compressed, and that nothing names a format of.
func packedError(formats []arrowio.Format, packer string) error {
	var read []string
	for _, f := range formats {
		if readsPacked(f, packer) {
			read = append(read, f.Name)
		}
	}
	if len(read) == 0 {
		return errs.Errorf(errs.ErrUnsupported, "the whole file is compressed with %s, which is not read; unpack it first", packer)
	}
	return errs.Errorf(errs.ErrUnsupported, "the whole file is compressed with %s; unpack it first, or, if it is %s, name the format with %w", packer, strings.Join(read, " or "), errs.Opt("from", ""))
}

// mark is how files of a format that is known, and not read, begin at an offset, or how they end.
type mark struct {
	off   int // -1 = at the end
	magic string
	name  string
}

// marks are in the order in which they are looked for.
var marks = []mark{
	{0, "RCF\x01", "an RCFile of Hive"},
	{0, "SEQ\x04", "a SequenceFile of Hadoop"},
	{0, "SEQ\x05", "a SequenceFile of Hadoop"},
	{0, "SEQ\x06", "a SequenceFile of Hadoop, or an RCFile of Hive"},
	{-1, "LANC", "a Lance file"},
	{0, "PFA1", "a Puffin file of Iceberg"},
	{0, "FEA1", "a Feather file of version 1"},
	{0, "VTXF", "a Vortex file"},
	{0, "SQLite format 3\x00", "an SQLite database"},
	{8, "DUCK", "a DuckDB database"},
	{0, "PK\x03\x04", "a zip archive, or a workbook of Excel (.xlsx)"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook of Excel (.xls), or another document of old Microsoft Office"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file"},
	{0, "\x93NUMPY", "an array of NumPy"},
	{0, "\x80\x04\x95", "a pickle of Python"},
	{0, "CDF\x01", "a NetCDF file"},
	{0, "CDF\x02", "a NetCDF file"},
	{0, "RDX3\n", "a data file of R"},
	{0, "$FL2", "a file of SPSS"},
	{0, "<stata_dta>", "a file of Stata"},
	{0, "PGDMP", "a dump of PostgreSQL"},
	{0, "PGCOPY\n\xff\r\n\x00", "a binary COPY of PostgreSQL"},
	{0, "%PDF-", "a PDF document"},
	{0, "<?xml", "XML"},
}

// foreignFormat names the format of a file with these first and last bytes, if it is one that is known and not read; "" = it is not.
func foreignFormat(head, tail []byte) string {
	for _, m := range marks {
		switch {
		case m.off < 0 && strings.HasSuffix(string(tail), m.magic),
			m.off >= 0 && len(head) >= m.off && strings.HasPrefix(string(head[m.off:]), m.magic):
			return m.name
		}
	}
	return ""
}
