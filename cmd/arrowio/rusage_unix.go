//go:build unix

package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// processUsage returns what the process has used so far.
func processUsage() usage {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	u := usage{
		user:   time.Duration(r.Utime.Nano()),
		system: time.Duration(r.Stime.Nano()),
		peak:   int64(r.Maxrss), //nolint:unconvert // 32 bits on some machines
	}
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		u.peak <<= 10 // kilobytes everywhere else
	}
	return u
}
