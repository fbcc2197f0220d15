// Command arrowio converts, shows and checks old columnar files.
//
//	arrowio convert [flags] INPUT... OUTPUT     any readable format to any writable one
//	arrowio cat     [flags] INPUT...            rows as a table, JSON lines or CSV
//	arrowio head    [-n N] INPUT...             the first rows; tail the last ones, sample random ones
//	arrowio browse  [flags] INPUT...            files on the whole terminal
//	arrowio count   [flags] INPUT...            how many rows there are
//	arrowio schema  [--json] INPUT...           the Arrow schema and what each field is in the file
//	arrowio inspect [--json] INPUT...           what a file holds: columns, blocks, codecs, bytes, statistics
//	arrowio verify  [--json] INPUT...           every checksum, count and statistic against the data
//	arrowio dump    INPUT                       the bytes, annotated
//	arrowio scan    [--repeat N] INPUT...       decode to Arrow and discard: how fast, with how much memory
//	arrowio query   [flags] SQL                 SQL over files, with DuckDB, in builds with the tag duckdb
//
// An INPUT is a file, a directory, a glob or - for standard input. Exit codes: 0 done; 1 the data; 2 the command line;
// 3 the system; 4 losses of a salvage; 130 interrupted. Every failure is one line on standard error, or one JSON object with --json-errors;
// warnings are lines, or objects, before it.
//
// Each command is a file of its own: its flags, its help and what it does. What they share:
//
//	run.go       the command tree, one call of the program
//	flags.go     flags that several commands take; values.go their types; options.go the flags made from format options
//	help.go      the help text
//	exit.go      errors to lines, objects and exit codes
//	input.go     paths to datasets; output.go OUTPUT to a store
//	progress.go  the progress bar
//	screen.go    the size of the terminal; pager.go what does not fit it
//	table.go     rows as a table; grid.go text to aligned columns
//	overlap.go   an OUTPUT inside an INPUT
//	page.go      pages for a browser, which replace nothing but pages
//	coarse.go    timestamps that nanoseconds cannot hold
//	census.go    which rows of which file satisfy a filter: for tail and sample
package main
