// Package csv writes comma-separated text as RFC 4180 defines it, with a header.
//
// A field is in quotes if it contains the delimiter, a quote or a line break, or if it would otherwise be read as null. Null is
// a field without characters, or the text that csv-null sets; the empty string is "". Package arrowjson makes the text of
// values; lists, maps, structs, unions and intervals are JSON. The plan lists for each column what is lost when the text is
// read again.
package csv
