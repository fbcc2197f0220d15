// Package icebergtable writes Iceberg tables: it creates them, appends rows to them, replaces all rows or
// those of a filter, deletes rows, and compacts files.
//
//	batches ──cast──▶ batches of the table's schema ──sort by partition──▶ data files (ORC or Parquet)
//	                                                                           │ rows, bounds, partition
//	                                                                           ▼
//	state of the table ──────────────────────────▶ manifests, manifest list, snapshot (Avro, JSON)
//	    ▲                                                                      │ commit: v3.metadata.json, if there is none yet,
//	    └───── somebody else was faster: read it again ◀───────────────────────┘ or a request to a REST catalog
//
// Nothing is visible before the commit. All files have names that no others have; if there is no commit, they are removed.
//
// The table format is that of https://iceberg.apache.org/spec/, versions 1 to 3.
package icebergtable
