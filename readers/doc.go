// Package readers lists the formats that can be read and opens files of them: it tells the format by content, and by
// name only where no byte does (csv, jsonl).
//
//	f, err := readers.OpenFile(ctx, "events.trv", readers.Options{})      // one file
//	d, err := readers.OpenDataset(ctx, []string{"events/"}, readers.Options{}) // many, as if they were one
//
// Each format is a package of its own, to be used directly where only that format is wanted.
package readers
