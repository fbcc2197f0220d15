// Package orc writes ORC files that Java, C++ and Rust read. docs/formats/orc.md describes the bytes.
//
// A batch goes through one tree of nodes, type by type, a row group at a time; no row is ever put together:
//
//	Arrow array      values without the nulls      streams of the open stripe, compressed chunk by chunk
//	   node     →       PRESENT, content     →        DATA, LENGTH, SECONDARY, DICTIONARY_DATA
//	                    statistics, bloom filter, positions of each row group
//
// Strings wait as numbers of a dictionary until the stripe ends, or until it is clear that a dictionary does not pay. A
// stripe is written when it is full: index streams, data streams, stripe footer. Nodes of different fields are encoded
// side by side, bytes are written in order: the same rows make the same file, however they are cut into batches and
// however many fields are encoded at once.
package orc
