// Package stores finds out what a path is, a file of this machine or a URL of a store on others, and reads, lists and
// writes it. All stores look alike: a directory is an arrowio.Tree, a file an arrowio.Source, an output an arrowio.Store.
//
//	dir/events.orc                      this machine; file:///dir/events.orc too
//	s3://bucket/dir/events.orc          S3, or what speaks its protocol; s3a is the same
//	hdfs://namenode:8020/dir/events.orc HDFS; hdfs:///dir/events.orc is in the one that HADOOP_CONF_DIR configures
//
// Behind the bucket or the host a URL of s3 or hdfs is as it is: nothing in it is an escape.
package stores
