// Package convert writes a dataset into an output of another format, as a stream of batches. Memory does not grow with the data,
// since readers wait for a slow writer. The output appears under its name only when all of it has been written.
//
//	dataset ── Scan: splits decoded in parallel, batches in order ──> one goroutine ── Writer ──> Store ── Commit
//
// With Options.Sort or SortByKey, an external merge sort comes between the two: all rows are read before the first is written,
// and rows that do not fit into memory go to scratch files of the Store.
//
// Before the first byte is written, the output format plans how each column is stored and what of it is lost. Options.DryRun
// stops there.
package convert
