// Package hivetable reads the tables of Hive that a metastore knows, hive://HOST:PORT/DATABASE.TABLE.
//
//	hive://HOST:PORT/DB.TABLE ── metastore ──▶ columns, formats, kind ─────────▶ a table of Iceberg: the path of its metadata
//	                                │
//	                                ├─ names of partitions ── filter ──▶ values, locations
//	                                │                                      │ files below each location, or
//	                                │                                      │ files of valid inserts (insert-only), or
//	                                ▼                                      ▼ the whole directory (ACID)
//	                    transactions, write ids ──────────────────▶ members: opened by the file's own format, and shown under the
//	                                                                columns of the table, with the values of the partition
//
// Directories of ACID tables are opened by the ORC reader as of the write ids that the metastore calls valid when the table is listed.
package hivetable
