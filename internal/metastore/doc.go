// Package metastore asks Hive's metastore about tables: a client of the calls that reading a table, and adding
// files to one, take, in Thrift's binary protocol over TCP or TLS.
//
//	Client.Table ──────────▶ columns, location, parameters, kind
//	Client.PartitionNames ─▶ names ── the caller chooses ──▶ Client.Partitions ──▶ values, locations
//	Client.Transactions ───▶ which transactions are open or were aborted
//	Client.WriteIDs ───────▶ the same of a table's write ids
//	Client.StoredTable ────▶ all that there is to know of a table, so that it can be sent back changed
//	Client.AddPartitions, ForgetTable, ForgetPartitions: what adding files changes
//
// The bytes are read by Apache Thrift's library. The structs and calls are those of Hive's hive_metastore.thrift, versions 2.3 to
// 4; only the fields that are used are decoded, and all others are passed over. An answer is bounded in bytes and in time.
package metastore
