// Package pb reads protobuf messages field by field, without generated code: metadata of ORC and Kudu.
//
// A Message copies nothing and keeps its first error, so that a parser walks all fields and asks once whether that
// worked. What it returns are parts of the bytes that it was given.
package pb
