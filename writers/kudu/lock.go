package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrRunning says that another process holds the lock on a server's directory: the server itself, one of Kudu's tools, or
// another import.
var ErrRunning = errors.New("the directory is in use")

// lockName is the file that a server locks in each of its data directories.
const lockName = "block_manager_instance"

// lockDir takes the lock on a data directory that its server takes: all of the file, for writing. Where only is set it
// takes one for reading, which keeps a server away as well, and needs no permission to write.
func lockDir(dir string, only bool) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	mode := os.O_RDWR
	if only {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	busy, pid, err := tryLock(f, !only)
	switch {
	case err != nil:
		err = &fs.PathError{Op: "lock", Path: path, Err: err}
	case busy:
		err = &fs.PathError{Op: "lock", Path: path, Err: fmt.Errorf("%w: %s must be stopped first", ErrRunning, holder(pid))}
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}

// holder says which process has a lock; 0 = not known.
func holder(pid int) string {
	if pid <= 0 {
		return "the server"
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("%s (process %d)", strings.TrimSpace(string(name)), pid)
}
