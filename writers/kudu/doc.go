// Package kudu puts rowsets that no server has written (docs/formats/kudu.md, "Sets") into a tablet of a Kudu tablet
// server that does not run: the way back into a Kudu that is being rebuilt. docs/formats/kudu.md, "Import", says what it
// does and why.
//
//	locks      those that the server takes itself: it cannot start as long as an import runs
//	target     directories, superblock, log, replicas: may this tablet be changed at all
//	schema     columns of the set -> columns of the table, by name
//	set        files: sizes, checksums, counts, keys, filters
//	partition  every row belongs to this tablet
//	overlap    no key is there already, or in the hands of the log
//	plan       ids of rowsets and blocks, room on the disks
//	blocks     new files, durable, read back; no superblock refers to them yet
//	superblock a new one takes the old one's name: the rows are there
//
// All up to the plan changes nothing. From there on until the last step everything can be taken back, and is; after it
// there is nothing to take back. Whoever stops in between, by a signal or the power cord, leaves the old tablet or the new
// one, and at most blocks that no superblock refers to.
package kudu
