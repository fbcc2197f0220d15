// Package tablediff compares the rows of two tables: by position, by a key, or as multisets without any order.
//
//	Pair      which columns of two schemas can be compared, and how: types are decided here, once for each pair of columns
//	Compare   reads both tables side by side and counts where they differ
//
// # What is equal
//
// Values are compared, not how they are laid out: an int32 and an int64 of one number are equal, and so are a dictionary and its
// values, text and large text, decimals of different scales, times of different units, a float32 and the float64 of the same number.
// NaN is equal to NaN; 0 and -0 differ unless Options.ZeroSign says otherwise. Null is equal to null alone.
//
// # By position
//
// Batches of both tables are cut to the same rows. A column is compared 64 rows at a time, as bytes where both sides have them in one
// layout; only where bytes differ are values looked at.
//
// # By key and without order
//
// Rows that are equal at the same position are done with: taking two equal rows out of two multisets does not change how these differ.
// Others are encoded and wait for a row with the same encoding of the other table. What waits beyond the memory goes to scratch files,
// divided by the hash of the key, and is matched part by part at the end. Rows that are left are paired by key. Encodings are compared
// as a whole, so no hash decides what is equal.
package tablediff
