// Package drawing draws what files say of themselves, for pages in a browser: those of a server and reports in a file. It
// makes the layout of a file's bytes a picture and a table, the ranges of a column's values a strip, and gives both, and the text of
// names and numbers, one look.
//
//	+--------+-----------------------+--------+-----+
//	| band 0 | column a              | b      | c   |  a stripe, row group or rowset;
//	+--------+----------+------------+--+-----+-----+  or a column, with its blocks
//	| band 1 | column a | b             | c         |
//	+--------+----------+---------------+-----------+
//
// The area of a rectangle is its bytes, except that of bands too thin to be seen. What comes from files is made printable and cut;
// templates escape it. However much a file has, a drawing is of bounded size.
package drawing
