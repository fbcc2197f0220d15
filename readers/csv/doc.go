// Package csv reads comma-separated text as RFC 4180 defines it. Lines end in LF, CRLF or CR. Fields may be in double quotes:
// there a quote is doubled, and line breaks and delimiters are part of the value.
//
//	id,name,seen
//	1,"Lovelace, Ada",1843-09-01
//	2,,               the second field is null
//	3,"",             here it is an empty string
//
// Text is UTF-8; a byte order mark is skipped. The first line names the columns unless csv-header=false; with
// csv-names=position it is skipped. Several columns of one name are read, with a warning. A column without a name is called by
// its position: f0, f1 and so on, or f1_ if another column is called f1.
//
// Types are inferred from the first rows (csv-sample). Each column gets the first of these that fits: int64; float64; bool;
// date32; timestamp; utf8. Timestamps are in microseconds, or in nanoseconds if a fraction needs them, and in UTC if every
// value has a zone. A type is inferred only if it gives the same text back. These stay text: numbers with leading zeros or a
// plus sign, integers beyond int64, integers beyond 2^53 in a column that has fractions, and numbers with more digits than a
// float64 keeps. A float64 keeps a number if it is printed with the same digits: 0.10000000000000001 is a float64,
// 0.1234567890123456789 is text. A later value that does not fit the type is an error with its line. The types of files that
// are read together hold the values seen in all of them. If the file is shown under a schema, the schema sets the types
// (package internal/textvalues). With csv-types=utf8 every column is text.
//
// Null is a field without characters and without quotes, or the text that csv-null sets. In columns that are not text an empty
// field is always null. An empty line is a row with one null in a file of one column, and no row in other files.
package csv
