// Package local has sources and stores of this machine: where bytes are read from, and where files are written to.
//
//	OpenFile      a file, read with positioned reads          FileSource.Section is a part of it
//	MapFile       a file mapped into memory
//	NewBytesSource  bytes in memory
//	SpoolSource   a stream, kept in memory or in a temporary file
//	DirTree       a directory and what is below it
//
//	NewFileStore    a file or directory that appears when it is complete
//	NewStreamStore  a stream, such as standard output
//	NewMemStore     objects in memory
//
// Package stores opens files on S3 and HDFS, and local files with this package.
package local
