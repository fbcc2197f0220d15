// Package conformance holds the tests that every format passes, and what tests of Arrow data need besides.
//
// Run takes an opened format and the rows it must give, and scans them in every way the contract allows: each column
// alone, pairs, nested paths, no column; small and large batches; row ranges; filters made from the data; one and
// several workers; cancelled, failing, concurrent. All must give the rows of the plain scan, batches that Validate
// accepts, and leave neither memory nor goroutines behind:
//
//	splits  cover the file once, in order          Run/splits
//	scan    projection x batch x rows x workers     Run/scan
//	filter  the same rows as a row-by-row test      Run/filter
//	faults  cancel, failing reads, Close            Run/cancel, Run/faults, Run/concurrent
//
// Combinations are sampled with a fixed seed, so that a run is bounded in time and the same every time.
//
// Validate and Equal check and compare arrays of every type, which arrow v15 does not do. A Generator makes random
// arrays of any type, awkward ones included.
package conformance
