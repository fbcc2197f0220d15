// Package csv reads comma-separated text as RFC 4180 has it: lines that end in LF, CRLF or CR, fields that may stand in
// double quotes, a quote inside them doubled, line breaks and delimiters inside quotes part of the value.
//
//	id,name,seen
//	1,"Lovelace, Ada",1843-09-01
//	2,,               the second field is null
//	3,"",             here it is an empty string
//
// Text is UTF-8, a byte order mark is passed over. The first line names the columns unless csv-header=false; with
// csv-names=position it is passed over. Columns of one name are read, with a warning. A column without a name has that of
// its position: f0, f1 and so on, or f1_ where another column is called f1.
//
// Types are inferred from the first rows (csv-sample), as the narrowest of: int64; float64; bool; date32; timestamp of
// microseconds, or nanoseconds where a fraction needs them, UTC where every value has a zone; and else utf8. Nothing is
// inferred that would not give the value back: numbers with leading zeros or a plus sign, integers beyond int64,
// integers beyond 2^53 among fractions, and numbers with more digits than a float64 keeps stay text. A float64 keeps a
// number if it is printed with the same digits: 0.10000000000000001 is a float64, 0.1234567890123456789 is text. A later
// value that does not fit is an error that names its line. Files that are read together have types that hold the
// values seen in all of them, and are read as these. A schema that the file is shown under says the types (package
// internal/textvalues). csv-types=utf8 reads every column as text.
//
// Null is a field with nothing in it, not even quotes, or what csv-null says instead. In columns that are not text an
// empty field is null in any case. A line with nothing on it is a row, of one null, in a file of one column, and no row
// in any other.
package csv
