//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// errLocked is in the error of lockDir where somebody else has the lock.
const errLocked = unix.EWOULDBLOCK

// lockDir takes the lock of a directory that no other process, and nobody else in this one, has: until the file is closed or
// the process ends. Renaming the directory makes no difference.
func lockDir(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // it was only opened
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}
