// Package schemadiff compares an Arrow schema with what a file shows of it when it is read back. Plans of writers state
// what it finds as losses, and the tests of all writers check with it that they do.
package schemadiff
