// Package conformance has the tests that every format passes, and functions for tests of Arrow data.
//
// Run takes a file and the rows that it must return, and scans it in every way that the contract allows: each column alone,
// pairs of columns, nested paths, no column; small and large batches; row ranges; filters made from the data; one worker and
// several; scans that are cancelled, that fail, and that run at the same time. Each scan must return the rows of a scan without
// options in batches that Validate accepts, and must free all memory and end all goroutines:
//
//	splits  cover the file once, in order          Run/splits
//	scan    projection x batch x rows x workers     Run/scan
//	filter  the same rows as a row-by-row test      Run/filter
//	faults  cancel, failing reads, Close            Run/cancel, Run/faults, Run/concurrent
//
// Combinations are chosen with a fixed seed, so that every run takes about the same time and tests the same.
//
// Validate and Equal check and compare arrays of every type, which arrow v15 does not do. A Generator makes random
// arrays of any type, awkward ones included.
package conformance
