// Package kudu reads tables from the directories of a Kudu tablet server that is not running, for example after the loss of a
// cluster, and sets of rowsets. docs/formats/kudu.md describes the files, and internal/kudu reads them.
package kudu
