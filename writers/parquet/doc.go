// Package parquet writes Apache Parquet through arrow's own packages: row groups of about --row-group-bytes of Arrow
// memory, dictionaries where they pay, statistics, and the Arrow schema in the metadata, by which readers that know it
// get the types back.
//
// What Parquet, or arrow's writer of it, has no place for is refused before anything is written, with all columns in the
// way named: unions, run-end encoding, views, large lists, intervals, durations.
package parquet
