// Package arrowio reads columnar files, old formats above all, into Apache Arrow record batches and writes record batches back
// into such files.
//
// A File lists its Splits. Prune reduces a split to the RowSet that a filter may match, Read fetches the bytes of these rows
// once, and a SplitReader decodes them in order into Arrow arrays. Scan does everything that no format does differently:
// projection, filtering, cutting into batches, parallel decoding in order under a memory budget, and cancellation.
//
// Most programs need four calls:
//
//	f, err := readers.OpenFile(ctx, "events.trv", readers.Options{})  // package readers
//	rr, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{"id", "tags"}})
//	for rr.Next() { rec := rr.Record() … }                               // valid until the next Next; Retain to keep
//	rr.Release()
//
// To write, OutputFormat.Plan says which types are stored and what is lost, and a Writer takes the batches. The output appears
// under its name only when Close has succeeded.
package arrowio
