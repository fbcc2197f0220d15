// Package readall reads splits to their ends and drops the rows, to find out whether they can be read.
package readall
