// Package page shows a Flight server's datasets to people, over HTTP: the catalog, schemas, rows, what files say of
// themselves with a picture of how their bytes lie, and the streams that are running.
//
//	/                                  the catalog
//	/datasets/NAME                     schema and files
//	/datasets/NAME/rows                rows: the first ones, those behind them, or the first that satisfy a filter
//	/datasets/NAME/files/IDENTITY      one file
//	/streams                           what is being sent, and ending it
//
// Pages are whole when they leave the server: they need no script, and nothing from elsewhere. A request is a visit of
// the server (see flight.Server.Visit), so what a client may see and use here is what it may by Flight.
//
// # What is trusted
//
// Nothing that a request or a file says. Text goes through html/template, and is made printable first, so that neither
// markup nor control characters nor letters that turn the line around reach the page. The policy of every answer allows
// this server's own style sheet and icon, and nothing else. Work is bounded: rows, columns, cells, stripes and blocks are
// shown up to numbers that the page tells, files are read for as long as Options.Timeout, few at once, and what was read of
// a file is kept.
package page
