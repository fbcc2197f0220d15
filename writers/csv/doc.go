// Package csv writes comma-separated text as RFC 4180 has it, with a header.
//
// A field stands in quotes where it has to: when it holds the delimiter, a quote or a line break, and when it would be
// taken for null otherwise: null is a field with nothing in it (or what csv-null says), the empty string "". Values are
// the text of package arrowjson; lists, maps, structs, unions and intervals are its JSON. The plan says for each column
// what reading the text back will not show.
package csv
