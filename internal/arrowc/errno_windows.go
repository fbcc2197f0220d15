package arrowc

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// Windows has numbers of its own, and Go adds those of POSIX with others again. These are the ones of C, which Python makes its
// exceptions of.
var errnos = []struct {
	c  int
	no syscall.Errno
}{
	{1, syscall.EPERM},
	{2, syscall.ENOENT},
	{4, syscall.EINTR},
	{5, syscall.EIO},
	{12, syscall.ENOMEM},
	{13, syscall.EACCES},
	{17, syscall.EEXIST},
	{20, syscall.ENOTDIR},
	{21, syscall.EISDIR},
	{22, syscall.EINVAL},
	{28, syscall.ENOSPC},
	{32, syscall.EPIPE},
	{40, syscall.ENOSYS},
	{41, syscall.ENOTEMPTY},
	{105, syscall.ECANCELED},
	{10070, syscall.ESTALE},
}

// Errno returns what C calls the error.
func Errno(no syscall.Errno) int {
	if no == windows.ERROR_PATH_NOT_FOUND { // a folder on the way is missing, which Go takes for ENOTDIR
		return 2
	}
	for _, e := range errnos {
		if e.no == no {
			return e.c
		}
	}
	switch no {
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL:
		return 28
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION:
		return 13
	case windows.ERROR_DIRECTORY:
		return 20
	case windows.ERROR_INVALID_NAME, windows.ERROR_INVALID_PARAMETER, windows.ERROR_BAD_PATHNAME:
		return 22
	case windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY:
		return 12
	}
	switch {
	case errors.Is(no, fs.ErrNotExist):
		return 2
	case errors.Is(no, fs.ErrPermission):
		return 13
	case errors.Is(no, fs.ErrExist):
		return 17
	}
	return 5
}

// FromErrno returns the error that C calls n.
func FromErrno(n int) syscall.Errno {
	for _, e := range errnos {
		if e.c == n {
			return e.no
		}
	}
	return syscall.EIO
}
