// Package readers lists the formats that can be read, and opens files in them. The content of a file decides its format; the
// extension decides only if the content does not (csv, jsonl).
//
//	f, err := readers.OpenFile(ctx, "events.trv", readers.Options{})      // one file
//	d, err := readers.OpenDataset(ctx, []string{"events/"}, readers.Options{}) // many, as if they were one
//
// Each format is a package of its own, which programs that need only that format can use directly.
package readers
