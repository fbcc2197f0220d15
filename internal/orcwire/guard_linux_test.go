package orcwire_test

import (
	"syscall"
	"testing"
)

// atEdge returns a copy of b behind which only room bytes can be read: a load from behind them kills the test.
func atEdge(tb testing.TB, b []byte, room int) []byte {
	tb.Helper()
	page := syscall.Getpagesize()
	n := len(b) + room
	size := (n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(m); err != nil {
			tb.Error(err)
		}
	})
	if err := syscall.Mprotect(m[size:], syscall.PROT_NONE); err != nil {
		tb.Fatal(err)
	}
	e := m[size-n : size : size]
	for i := range e {
		e[i] = 0xa5
	}
	copy(e, b)
	return e[:len(b)]
}
