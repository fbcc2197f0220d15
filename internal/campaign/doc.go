// Package campaign damages files at random, reads them with every reader, and counts what comes of it.
//
//	input   a small file of testdata, a Kudu server's directories, or the output of a writer for a random table
//	damage  one to three operations: flipped bits, set bytes, zeroed, swapped, inserted and removed ranges, truncation;
//	        a part of them inside a block whose checksum is then made right again
//	case    open, inspect, dump, scan, scan with a filter (with pruning and without), verify; under a counting allocator,
//	        within limits of time and memory
//	outcome one class a case, and for each input format how often it came
//
// A case is written as one line of JSON (see Find), which names its input and its damage. Cases whose outcome no input may
// have are finds. They are made smaller and, once fixed, kept in testdata/finds.jsonl, which a test runs again.
//
//	make campaign SECONDS=900
package campaign
