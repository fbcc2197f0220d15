// Package pb reads, writes and describes protobuf messages without generated code: metadata of ORC and Kudu.
//
// A Message walks the fields of a message. It copies nothing and keeps its first error, so that a parser walks all fields
// and asks once whether that worked. What it returns are parts of the bytes that it was given.
//
// A Table lists the fields of a message once: their numbers, their names, and their places in a Go struct. It reads and
// writes the message, and its Shape tells package annotate how to show it. Where so many messages are read that a call for
// each field counts, or where nothing is written, a loop over a Message is the better choice.
package pb
