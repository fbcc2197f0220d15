// Package report makes one HTML file that shows what files say of themselves: how their bytes lie, what columns hold, in which order
// values are, which indexes there are, what is damaged, and what could be better. The file needs no network and no scripts, and is at
// most 1 MB, however much the files have: details are left out until it is.
//
// It also makes such a file of what a profile says of values.
//
// Those who use it open and inspect the files. What comes from files is made printable and cut; templates escape it, and the content
// security policy of the report allows nothing but its own style sheet.
package report
