// Package rebuild finds out which blocks of a tablet server belong together where no superblock tells. It knows blocks by what
// their footers and deltas say (Piece), asks Checks for what only their contents tell, and reads nothing itself.
//
// A flush or a compaction takes the ids of a rowset's blocks one after another:
//
//	column 0 … column n-1 │ bloom filters │ key index │ UNDO │ REDO
//	                                        if the key has several columns
//
// The key is the anchor: a bloom filter has the keys of one rowset, and the key index has those of its first columns, row by
// row. A compaction of deltas replaces columns later: they leave holes among the ids, and the new ones have the same number of
// rows and no bloom filter. What concurrent flushes mix is told apart by numbers of rows. Everything that is found has a
// Certainty, and the number of ways in which it could be otherwise.
package rebuild
