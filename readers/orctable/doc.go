// Package orctable reads directories of ORC files that are tables: Hive's ACID tables. docs/formats/orc.md, "Hive ACID
// tables", describes them.
//
// The names of directories and files alone decide which files are read, one partition at a time (choose.go):
//
//	partition   p=1/  base_5/         bucket_00000  bucket_00001      everything up to write id 5
//	                  delta_6_6_0/    bucket_00000                    rows inserted
//	                  delete_delta_7_7_0/ bucket_00000                row ids deleted
//	                  delta_3_3_0/                                    hidden by the base
//	                  000000_0                                        from before it was an ACID table; hidden, too
//
// Each chosen data file is a fragment: an arrowio.File of the rows of one ORC file that are not deleted. Deleted rows are found
// when the table is opened, from the row ids alone, and only in stripes whose statistics do not exclude them. So the number of
// rows of each split is known, and ranges of rows, filters and parallel scans work as for other files. view.Show shows fragments
// under the table's schema. The splits of the table are those of its fragments, one after the other.
//
//	table ── adapted ── fragment ── orc.File (rows of events as columns) ── source of the tree
package orctable
