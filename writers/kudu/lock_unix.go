//go:build unix && !linux

package kudu

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file for as long as this process has it open, under any name: it must not be opened and closed again
// meanwhile. busy says that another has a lock, and pid, unless it is 0, who that is.
func tryLock(f *os.File, write bool) (busy bool, pid int, err error) {
	l := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: 0}
	if write {
		l.Type = syscall.F_WRLCK
	}
	ask := l
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &l)
	if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES) {
		return false, 0, err
	}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &ask) == nil && ask.Type != syscall.F_UNLCK {
		pid = int(ask.Pid)
	}
	return true, pid, nil
}
