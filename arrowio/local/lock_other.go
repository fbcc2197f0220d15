//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package local

import (
	"errors"
	"os"
)

// errLocked is in the error of lockDir where somebody else has the lock.
var errLocked = errors.New("locked")

// lockDir would take the lock of a directory; this system has none that ends with the process.
func lockDir(path string) (*os.File, error) {
	return nil, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
