// Package hdfsstore reads and writes files of HDFS: sources over the readers of colinmarc/hdfs, of which each serves one
// goroutine at a time, directories as trees, and outputs that are renamed to their place when they are complete.
package hdfsstore
