// Package convert moves a dataset into an output of another format, as a stream of batches: memory does not grow with
// the data, a slow writer holds the readers back, and nothing appears under the output's name unless all of it is
// there.
//
//	dataset ── Scan: splits decoded in parallel, batches in order ──> one goroutine ── Writer ──> Store ── Commit
//
// Before the first byte is written, the output format plans every column: what it becomes and what reading it back
// will not show. Options.DryRun stops there.
package convert
