// Package trevnitext prints Arrow data as the canonical text in which the Java reader's view of a Trevni file is
// written down (testdata/interop), so that tests compare what is read here with what Java reads. It stands on Arrow
// arrays and the tree of a view alone, not on the decoders.
//
// raw: a line per row, a JSON array with one entry per stored column in file order; a column under d array columns
// (itself counted) is a list nested d deep. avro: a line per row, the record; a union is null or {"branch":value}.
// Integers are decimal; floats are the hex digits of their bits, bytes and fixed are hex, both as strings; strings
// escape quote, backslash and what is below 0x20.
package trevnitext
