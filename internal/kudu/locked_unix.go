//go:build unix

package kudu

import (
	"os"
	"syscall"
)

// isLocked reports whether a process has locked the file at path for writing, as a server locks those of its data
// directories while it runs. A file that cannot be opened is not locked, as far as anybody can tell.
func isLocked(path string) bool {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() { // a pipe would wait to be opened
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	l := syscall.Flock_t{Type: syscall.F_RDLCK}
	return syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l) == nil && l.Type == syscall.F_WRLCK
}
