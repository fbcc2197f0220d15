// Package textvalues reads values of Arrow types from their text, for readers of text that are told the type: by a schema, not by
// the values.
//
//	int8 … uint64        digits, with a sign or without; zeros in front do not count
//	float32, float64     decimal numbers that the type keeps (see floattext), NaN, Inf, Infinity
//	decimal(p,s)         decimal numbers without digits behind the last that the type has, but zeros
//	bool                 true, false, 1, 0
//	date32, date64       2020-01-31
//	time32, time64       12:30, 12:30:15, 12:30:15.5
//	timestamp            2020-01-31T12:30:15.5, or with a space for the T; a date alone is midnight
//	timestamp of a zone  the same with Z or +01:00 behind it, and no date alone
//	utf8, large_utf8     any text that is UTF-8
//
// A text that would lose something is not a value: more digits than the type has, a number beyond its range.
package textvalues
