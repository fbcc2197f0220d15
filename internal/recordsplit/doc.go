// Package recordsplit makes an arrowio.SplitReader of anything that yields whole record batches: the formats that
// arrow's own packages read, and text that is parsed a batch at a time.
//
//	source   |--- batch 0 ---|--- batch 1 ---|--- batch 2 ---|
//	reader        Skip   Read          Read      Skip             Take hands over a slice of one batch as it is,
//	                    |====|--------|====|                      and copies only where a batch straddles two
//
// A batch that is skipped whole is never decoded.
package recordsplit
