package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// beginWriteback asks the system to begin to store n bytes of f from off on, without waiting for it. It is a hint: what goes wrong is
// told by Sync.
func beginWriteback(f *os.File, off, n int64) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		_ = unix.SyncFileRange(int(fd), off, n, unix.SYNC_FILE_RANGE_WRITE)
	})
}
