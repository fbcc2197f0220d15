// Package rocks reads all entries of a small RocksDB database that nobody has open: the records of blocks of Kudu's block manager
// logr. It is for what RocksDB 7.7 writes with the options that Kudu gives it, and refuses anything else by name.
//
//	CURRENT            the name of the manifest
//	MANIFEST-000010    a log of edits: which tables there are, and from which log on entries are in no table
//	000008.sst         a table: entries sorted by key
//	000009.log         a write-ahead log: batches of entries
//
// A log consists of blocks of 32 KiB, and these of fragments of records:
//
//	crc (u32) │ length (u16) │ 1 whole, 2 first, 3 middle, 4 last (u8) │ bytes
//
// A table ends in a footer that says where two blocks are: the index, which lists the blocks of entries, and the meta index, which
// names others, such as properties. Behind each block are one byte for its codec and a crc.
//
//	blocks of entries │ … │ properties │ meta index │ index │ footer: 1 (crc32c), places of both, zeros, version (u32), magic (u64)
//
// In a block, a key is stored as how many bytes it shares with the one before, and the rest:
//
//	shared │ rest │ value's length (varints) │ rest of the key │ value      …      │ restarts (u32 each) │ how many (u32)
//
// Every entry has a sequence number. Of several entries of a key the one with the greatest number counts, so they need no order here.
// A crc is CRC-32C, rotated and with a constant added.
package rocks
