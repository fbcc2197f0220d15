// Package orctext prints Arrow data as the canonical text in which the Java reader's view of an ORC file is written down
// (testdata/interop), so that tests compare what is read here with what Java reads. It stands on Arrow arrays alone.
//
// A row is a line of JSON without spaces: an array of the columns, or the value where the root of the file is no struct.
// Integers and days are numbers; floats are "f" and doubles "d" before the hex digits of their bits; strings escape quote,
// backslash and what is not printable ASCII, in UTF-16; bytes are hex; what has more than 4096 bytes is
// {"len":N,"sha256":"…"}, strings that are not UTF-8 are {"badutf8":"…"}. Decimals are text at the column's scale.
// Timestamps are [seconds, nanoseconds], rounded down. Lists and structs are arrays, maps arrays of [key,value], unions
// {"tag":N,"value":…}.
//
// Arrow's unions have no nulls, and a null union is a tag whose value is null: both print as null here. Expect says the
// same of a line of Java's.
package orctext
