// Package arrowjson writes Arrow values as JSON, or, where they are flat, as plain text.
//
//	bool, integers            as they are, all 64 bits
//	floats                    the shortest text that gives the bits back, with a point or an exponent; NaN, Infinity and
//	                          -Infinity, which JSON does not have, as strings
//	decimals                  a string of all digits
//	utf8                      a string
//	binary                    a string, base64 (RFC 4648, padded)
//	dates                     "2006-01-02"; a date64 with a time of day like a timestamp
//	times                     "15:04:05", with the digits of the unit behind a point where they are not all zero
//	timestamps                RFC 3339, the same digits; with a zone the instant in UTC, without one no offset
//	durations                 the number of units
//	intervals                 months as a number, the others as objects of their parts
//	lists                     an array
//	maps                      an array of {"key": …, "value": …}, in order
//	structs                   an object
//	unions                    {"child's name": value}
//	dictionaries, runs, extensions  the value
package arrowjson
