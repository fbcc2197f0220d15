// Package hivetable adds rows to tables that Hive's metastore knows, hive://HOST:PORT/DATABASE.TABLE: external tables, and managed ones
// without transactions, in ORC or Parquet.
//
//	rows ─▶ shape: the table's columns and types, or an error ─▶ sorted by the partition columns ─▶ a file for each partition
//	                                                                                                 │ hidden, or under names
//	                                                                                                 │ that nobody looks for
//	Commit:  statistics of what is there are removed ─▶ files get their names ─▶ new partitions are added, all or none
//
// A partition is added when its files are whole. What fails before that leaves the table as it was.
package hivetable
