// Package kudu adds rowsets from a set (docs/formats/kudu.md, "Sets") to a tablet of a Kudu tablet server that is not running,
// for example to restore data into a rebuilt cluster. docs/formats/kudu.md, "Import", explains each step.
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
// The steps up to the plan change nothing. After an error in a later step, everything is undone; after the last step nothing
// remains to do. If the process is killed or the machine loses power, the tablet is in its old or its new state, and at most some
// blocks remain that no superblock refers to.
package kudu
