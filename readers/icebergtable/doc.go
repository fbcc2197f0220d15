// Package icebergtable reads whole Iceberg tables from their metadata: the current snapshot, or another one, with its deletes.
//
//	directory ──metadata/*.metadata.json──▶ snapshot, schema, partition specs
//	                                          │ manifest list, manifests (Avro)
//	                                          ▼
//	                              data files, and the delete files of each
//	                                          │ partition values, bounds: files that a filter
//	                                          ▼ excludes are not opened
//	                              arrowio.Member: opened by the file's own format, without
//	                              deleted rows, shown under the schema of the table
//
// A verification is also given the table itself, which checks its metadata, and the delete files; a description the table itself.
//
// The table format is that of https://iceberg.apache.org/spec/, versions 1 to 3. What of version 3 is not read (variants,
// geometries) and encrypted files are errs.ErrUnsupported.
package icebergtable
