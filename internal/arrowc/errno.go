//go:build !windows

package arrowc

import "syscall"

// Errno returns what C calls the error.
func Errno(no syscall.Errno) int { return int(no) }

// FromErrno returns the error that C calls n.
func FromErrno(n int) syscall.Errno { return syscall.Errno(n) }
