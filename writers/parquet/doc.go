// Package parquet writes Apache Parquet: row groups of about --row-group-bytes, dictionaries where they save space, every
// page with a checksum, statistics, and on request page indexes and bloom filters. The Arrow schema is in the metadata, so
// that readers that know it restore the types.
//
// Each top-level column of a batch becomes levels and values, which its columns in the file collect into pages:
//
//	array ── walk ──> slots (levels) + positions of values ── values ──> PLAIN bytes or dictionary indices ──> page
//
// Pages are encoded and compressed when they are full, and kept until the row group ends: the memory of a writer is the stored
// bytes of one row group, and one open page and one dictionary of each column.
//
// Types that Parquet cannot store (unions, intervals, structs without fields) are refused before anything is written, with an
// error that names all such columns. A type that is stored as another type is a loss in the plan.
package parquet
