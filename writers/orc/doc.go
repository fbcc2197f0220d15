// Package orc writes ORC files that Java, C++ and Rust read. docs/formats/orc.md describes the bytes.
//
// A batch passes through one tree of nodes, one for each type, a row group at a time. Rows are never assembled:
//
//	Arrow array      values without the nulls      streams of the open stripe, compressed chunk by chunk
//	   node     →       PRESENT, content     →        DATA, LENGTH, SECONDARY, DICTIONARY_DATA
//	                    statistics, bloom filter, positions of each row group
//
// Strings are kept as indices of a dictionary until the stripe ends, or until it is clear that a dictionary saves no space. A
// stripe is written when it is full: index streams, data streams, stripe footer. Nodes of different fields are encoded in
// parallel, and bytes are written in order: the same rows make the same file, however they are divided into batches and however
// many fields are encoded at once.
package orc
