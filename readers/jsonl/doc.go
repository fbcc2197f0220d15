// Package jsonl reads JSON Lines: one JSON object a line. Its members are the columns.
//
//	{"id": 1, "tags": ["a", "b"], "at": {"x": 0.5}}
//	{"id": 2, "tags": []}
//
// Types are inferred from the first rows (jsonl-sample). Each is the narrowest that holds every value seen:
//
//	true, false                 bool
//	integers                    int64; uint64 where none is negative and one is beyond int64
//	other numbers               float64, where it keeps their digits; integers among them only while a float64 holds them exactly
//	"NaN", "Infinity", "-Infinity"  float64, among numbers and where there are no other strings: JSON has no numbers for these
//	other strings               utf8, whatever they look like
//	arrays, objects             list, struct with the members in the order of their first appearance
//	nothing but null            null
//
// Every column and member may be null; one that a line leaves out is null. Values that no type holds are an error with line and
// column: a string and a number in one place, integers beyond 64 bits, a fraction beside an integer that a float64 does not
// hold exactly, and a number with more digits than a float64 keeps (0.1234567890123456789, but not 0.10000000000000001). So is
// a later value or member that is not in the sample. The types of files that are read together hold the values seen in all of
// them. If the file is shown under a schema, the schema sets the types (package internal/textvalues). With jsonl-types=text
// every member of a line is text: of a string its content, of other values their JSON.
//
// Text is UTF-8; a byte order mark is skipped. Lines end in LF or CRLF; empty lines are skipped. A member that is in one object
// twice is an error, because readers differ in which of the two they take.
package jsonl
