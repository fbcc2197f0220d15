//go:build !linux

package orcwire_test

import (
	"bytes"
	"testing"
)

// atEdge returns a copy of b with room bytes behind it.
func atEdge(_ testing.TB, b []byte, room int) []byte {
	c := append(bytes.Clone(b), bytes.Repeat([]byte{0xa5}, room)...)
	return c[:len(b):len(c)]
}
