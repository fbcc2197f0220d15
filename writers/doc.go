// Package writers lists the formats that can be written and creates files of them.
//
//	w, err := writers.Create(ctx, "events.trv", schema, writers.Options{})
//	err = w.Write(rec) …
//	err = w.Close() // only now the file is there
//
// Each format is a package of its own, which programs that need only that format can use directly.
package writers
