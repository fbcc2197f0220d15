// Package inspect explains the bytes of the small files of a Kudu server: protobuf containers (superblocks, consensus
// metadata, instance files, block records) and the segments of write-ahead logs. It goes on past damage, which it reports.
package inspect
