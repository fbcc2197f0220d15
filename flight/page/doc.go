// Package page shows a Flight server's datasets in a web browser: the catalog, schemas, rows, information about files with a
// picture of the layout of their bytes, and the streams that are running.
//
//	/                                  the catalog
//	/datasets/NAME                     schema and files
//	/datasets/NAME/rows                rows, perhaps those that satisfy a filter, in some order, of some columns: see shown
//	/datasets/NAME/rows.csv            all of these as a file; also rows.parquet and rows.arrow
//	/datasets/NAME/files/IDENTITY      one file
//	/streams                           the streams that are being sent; a user can end them
//
// Pages need no script and nothing from other servers. A request is a visit of the server (see flight.Server.Visit), so a
// client has the same rights and limits here as over Flight.
//
// # What is trusted
//
// The page trusts nothing in a request or a file. Text is made printable and then escaped by html/template, so markup, control
// characters and characters that change the direction of text do not reach the page. The content security policy of every
// answer allows only this server's style sheet and icon. Work is bounded: the page shows at most a number of rows, columns,
// cells, stripes and blocks, and says so; it reads files for at most Options.Timeout, a few at once, and keeps what it has read
// of a file. Downloads have bounds of their own: their number, the memory of a writer and of sorting, an hour, and the time in
// which a client takes nothing.
package page
