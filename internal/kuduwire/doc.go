// Package kuduwire turns the files of a Kudu tablet server into Go values: everything around the CFiles, which
// internal/cfilewire reads. It does no I/O. docs/formats/kudu.md tells the whole story.
//
// Most of these files are protobuf containers: a tablet's superblock and its consensus metadata, the instance files
// that say whose directory this is, and the records of the log block manager.
//
//	version 2   +----------+---------+-------------+   +--------+------------+------+-------------+
//	            | kuducntr | 2 (u32) | crc of both |   | length | crc of the | data | crc of the  |  one behind
//	            | 8 bytes  |         | (u32)       |   | (u32)  | length     |      | data (u32)  |  the other
//	            +----------+---------+-------------+   +--------+------------+------+-------------+
//	version 1   +----------+---------+                 +--------+------+------------------------+
//	            | kuducntr | 1 (u32) |                 | length | data | crc of length and data |
//	            +----------+---------+                 +--------+------+------------------------+
//
// The first record describes the messages that follow and names their type. Checksums are CRC-32C; all numbers outside
// of messages are little-endian.
//
// The write-ahead log has its own frame.
package kuduwire
