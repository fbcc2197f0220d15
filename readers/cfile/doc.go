// Package cfile reads lone CFiles, Kudu's files of one column each. Package readers/kudu reads whole tables.
package cfile
