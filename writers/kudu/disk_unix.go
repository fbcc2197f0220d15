//go:build unix

package kudu

import (
	"io/fs"
	"os"
	"syscall"
)

// ids returns who a file belongs to.
func ids(fi fs.FileInfo) (uid, gid int) {
	if s, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return -1, -1
}

// diskOf returns the number of the file system that a file is on.
func diskOf(path string) (uint64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if s, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), nil //nolint:unconvert // other systems have other types
	}
	return 0, nil
}
