// Package convert moves a dataset into an output of another format, as a stream of batches: memory does not grow with
// the data, a slow writer holds the readers back, and nothing appears under the output's name unless all of it is
// there.
//
//	dataset ── Scan: splits decoded in parallel, batches in order ──> one goroutine ── Writer ──> Store ── Commit
//
// With Options.Sort or SortByKey an external merge sort stands between the two: no row is written before all are read, and
// what does not fit into memory goes to scratch files of the Store.
//
// Before the first byte is written, the output format plans every column: what it becomes and what reading it back
// will not show. Options.DryRun stops there.
package convert
