package kudu

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock locks a file for as long as it is open. A lock of the open file is as good against those that servers have,
// which are of processes, and does not end where this process closes the file by another name. busy says that another has
// a lock, and pid, unless it is 0, who that is.
func tryLock(f *os.File, write bool) (busy bool, pid int, err error) {
	l := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: 0}
	if write {
		l.Type = syscall.F_WRLCK
	}
	ask := l
	err = retry(func() error { return syscall.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &l) })
	if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES) {
		return false, 0, err
	}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &ask) == nil && ask.Type != syscall.F_UNLCK {
		pid = int(ask.Pid)
	}
	return true, pid, nil
}

func retry(do func() error) error {
	for {
		if err := do(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
