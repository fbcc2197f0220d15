// Package browse is the screen of `arrowio browse`: a program for a terminal that shows columnar files.
//
//	Data, Rows        what is shown; the command reads it from files
//	model.go          the state of the screen, and what happens at a message
//	keys.go           what keys of the views do
//	tasks.go          reading in the background: every task has a context that a key cancels
//	rows.go           the view of rows: a window of them is in memory, never more
//	list.go           lists of lines: columns, stripes, records, blocks, help
//	overlay.go        lists on top of a view: a record, a column, bytes
//	table.go          cells as lines of a fixed width
//	style.go          colours, and text of a width
//	help.go           the table of all keys: where they work, what they do, and what help and the bottom line say of them
//
// The package does no I/O but that of the terminal. Text of Data may come from anybody: what a terminal might obey is escaped
// here, except cells of rows, which Data escapes (they are quoted where they would be mistaken for something else).
package browse
