// Package recordfile has a file in memory, for tests of what is built on files.
package recordfile
