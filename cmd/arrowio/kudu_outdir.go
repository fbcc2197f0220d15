package main

import (
	"path/filepath"
	"slices"

	"github.com/arrowio/arrowio/arrowio/stores"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

// kuduOutdir returns the local path of the OUTDIR of a command, or an error if none can be written there: where OUTDIR was forgotten,
// the last of the servers' directories stands in its place.
func kuduOutdir(command, out string) (string, error) {
	dir, isLocal := stores.Local(out)
	switch {
	case out == "-":
		return "", usagef("%s: OUTDIR is -, but the output is several files: name a directory", command)
	case !isLocal:
		return "", usagef("%s: OUTDIR %s is in a store: name a local directory, and copy what is written there", command, out)
	}
	server := ""
	if slices.ContainsFunc([]string{dir, filepath.Join(dir, "wal"), filepath.Join(dir, "data")}, readkudu.IsServerDir) {
		server = dir
	}
	for at := realPath(dir); server == "" && at != filepath.Dir(at); at = filepath.Dir(at) {
		if readkudu.IsServerDir(filepath.Dir(at)) {
			server = filepath.Dir(at)
		}
	}
	switch server {
	case "":
		return dir, nil
	case dir:
		return "", usagef("%s: OUTDIR %s has files of a Kudu server, among which nothing is written: name a new directory as the last argument, behind those to read", command, out)
	}
	return "", usagef("%s: OUTDIR %s lies in %s, which is a directory of a Kudu server: name a directory outside of it", command, out, server)
}
