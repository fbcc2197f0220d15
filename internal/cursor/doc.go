// Package cursor reads metadata: headers, footers, descriptors, block headings. A Cursor walks a byte slice, checks
// every read against what is left, and remembers the first failure, so that a parser reads all fields of a structure
// and asks once whether that worked:
//
//	c := cursor.New(b, at)        // b[0] lies at absolute offset at of the file
//	rows, cols := c.I64(), c.I32()
//	name := c.Bytes(int(c.Varint32()))
//	if c.Err() != nil {
//		return nil, c.Err()       // "at 4182: 8 bytes needed, 3 left"
//	}
//
// After a failure every read gives zero and the position stays where the failed read began; loops over a count from
// the file must therefore test Err, or bound the count by Remaining, before they allocate for it.
//
// A cursor costs about three times a plain slice loop per value. Columns of values are the business of package
// bitpack.
package cursor
