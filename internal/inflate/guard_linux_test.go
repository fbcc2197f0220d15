package inflate_test

import (
	"syscall"
	"testing"
)

// atEdge returns a copy of b that ends where readable memory ends: a load behind it kills the test.
func atEdge(tb testing.TB, b []byte) []byte {
	tb.Helper()
	page := syscall.Getpagesize()
	size := (len(b) + page - 1) / page * page
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
	e := m[size-len(b) : size : size]
	copy(e, b)
	return e
}
