// Package jsonl reads JSON Lines: one JSON object a line, its members the columns.
//
//	{"id": 1, "tags": ["a", "b"], "at": {"x": 0.5}}
//	{"id": 2, "tags": []}
//
// Types are inferred from the first rows (jsonl-sample) and are the narrowest that hold every value seen:
//
//	true, false                 bool
//	integers                    int64; uint64 where none is negative and one is beyond int64
//	other numbers               float64, where it keeps their digits; integers among them only while a float64 holds them exactly
//	"NaN", "Infinity", "-Infinity"  float64, among numbers and where there are no other strings: JSON has no numbers for these
//	other strings               utf8, whatever they look like
//	arrays, objects             list, struct with the members in the order of their first appearance
//	nothing but null            null
//
// Every column and member may be null, and one that a line leaves out is. What no type holds (a string and a number in
// one place, integers beyond 64 bits, a fraction beside an integer that a float64 cannot hold, a number with more digits
// than a float64 keeps: 0.1234567890123456789, but not 0.10000000000000001) is an error that names line and column, as is a
// later value or member that the sample did not show. Files that are read together have types that hold the
// values seen in all of them, and are read as these. jsonl-types=text reads every member of the lines as text: strings as
// what they say, everything else as the JSON that stands there.
//
// Text is UTF-8 (a byte order mark is passed over), lines end in LF or CRLF, empty lines are passed over. A member that
// comes twice in one object is an error: readers differ in which they take.
package jsonl
