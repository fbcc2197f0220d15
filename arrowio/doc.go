// Package arrowio reads old and stranded columnar files into Apache Arrow record batches and writes them back.
//
// A File lists Splits; a split is pruned to a RowSet, its bytes are fetched once, and forward-only decoders Skip, Read
// and Take Arrow arrays. Everything that is not specific to a format happens once, in Scan: projection, filtering,
// batch cutting, ordered parallelism under a memory budget, cancellation.
//
// Most programs need four calls:
//
//	f, err := readers.OpenFile(ctx, "events.trv", readers.Options{})  // package readers
//	rr, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{"id", "tags"}})
//	for rr.Next() { rec := rr.Record() … }                               // valid until the next Next; Retain to keep
//	rr.Release()
//
// Writers mirror it: an OutputFormat plans (types, losses), a Writer takes batches, and the output appears under its
// name only when Close succeeded.
package arrowio
