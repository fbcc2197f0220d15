// Package stores reads, lists and writes files on this machine and in other stores. A path is a local path or a URL. In all
// stores a directory is an arrowio.Tree, a file an arrowio.Source, and an output an arrowio.Store.
//
//	dir/events.orc                      this machine; so is file:///dir/events.orc
//	s3://bucket/dir/events.orc          S3, or a store with the same protocol; s3a is the same
//	hdfs://namenode:8020/dir/events.orc HDFS; hdfs:///dir/events.orc is in the cluster that HADOOP_CONF_DIR configures
//
// Options.Others adds stores of the program's own, which are read.
//
// What follows the bucket or the host in a URL of s3 or hdfs is used unchanged: %20 is not a space.
package stores
