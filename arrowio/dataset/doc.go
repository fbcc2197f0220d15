// Package dataset turns paths into rows. It lists the files that paths, patterns and directories stand for, opens them in their
// formats, and combines them into one dataset.
//
//	path, URL ──List──▶ []Input ──New──▶ Dataset ──Scan──▶ batches
//	                       │               fragments: each opened by Open,
//	                       │               shown under one schema, with the
//	                       ▼               columns of its directories
//	                     Open ──▶ File
//	                       │
//	                       ├─ bytes:     stores ▶ side files ▶ Sniff ▶ Format.Open
//	                       └─ directory: Format.MatchTree, .OpenTree or .OpenPath
//
// The package itself knows no format. Options.Formats lists those that can be read; each of them says how its files are
// recognised and which side files they have. Package readers does all this with the formats of this module.
package dataset
