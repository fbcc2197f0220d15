// Package parquet writes Apache Parquet: row groups of about --row-group-bytes, dictionaries where they save space, every
// page with a checksum, statistics, and on demand page indexes and bloom filters. The Arrow schema is in the metadata, by
// which readers that know it get the types back.
//
// Each top-level column of a batch becomes levels and values, which its columns in the file collect into pages:
//
//	array ── walk ──> slots (levels) + positions of values ── values ──> PLAIN bytes or dictionary indices ──> page
//
// Pages are encoded and compressed as they fill, and kept until the row group ends: a writer holds a row group as it will
// be stored, and an open page and a dictionary of each column.
//
// What Parquet has no place for is refused before anything is written, with all columns in the way named: unions,
// intervals, structs without fields. What is stored as another type is a loss in the plan.
package parquet
