// Package dataset leads from paths to rows: it lists the files that paths, patterns and directories stand for, opens them
// as what they are, and makes one dataset of many.
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
// It knows no format: Options.Formats are those that can be read, and each says itself how it is told and what lies beside
// its files. Package readers has the formats of this module, and does all this with them.
package dataset
